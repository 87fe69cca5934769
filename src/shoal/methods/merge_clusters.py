"""t-closeness by merging: microaggregate, then join classes that are too far from the table."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from shoal.methods.partitioning.t_close_microaggregation import TCloseMicroaggregation


@dataclass(frozen=True)
class MergeClusters(TCloseMicroaggregation):
    """k-anonymity with t-closeness by merging: microaggregation, then the farthest class joins the nearest one.

    Classes of k are formed by MDAV (see `MDAV`). As long as one is farther than t from the table, the farthest joins
    the class whose mean is nearest. Any distance of t-closeness will do, and any number of confidential attributes, one
    after the other. Much is lost where quasi-identifiers tell the confidential attribute: then nearly all classes have
    to be joined, and the work grows with the square of their number in a piece of the table.

    Parameters
    ----------
    publish
        What a class shows: ``mean``, as published, ``median``, ``range`` or ``mode`` of its cells (see `Publisher`).

    References
    ----------
    J. Soria-Comas, J. Domingo-Ferrer, D. Sánchez, S. Martínez: t-Closeness through microaggregation: strict privacy
    with enhanced utility preservation, IEEE TKDE 27(11), 2015, doi:10.1109/TKDE.2015.2435777, Algorithm 1.
    """

    name: ClassVar[str] = "merge-clusters"
