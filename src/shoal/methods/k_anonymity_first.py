"""t-closeness with k-anonymity first: records leave a class for farther ones until it is near the table."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from shoal.arrays import Labels
from shoal.engines.values import Piece
from shoal.kernels.close_clusters import k_anonymity_first
from shoal.kernels.microaggregation import Points
from shoal.kernels.swapping import Spread
from shoal.methods.partitioning.t_close_microaggregation import Plan, TCloseMicroaggregation
from shoal.models.t_closeness import TCloseness
from shoal.table import Table


@dataclass(frozen=True)
class KAnonymityFirst(TCloseMicroaggregation):
    """k-anonymity first, then t-closeness: members of a class are replaced until it is near the table.

    Classes are formed around records as in MDAV (see `MDAV`): first of the k nearest records; then, as long as the
    class is farther than t from the table, the next nearest record replaces that member whose leaving helps most, if
    any does. Late classes find few records to choose from: those that miss t join the class whose mean is nearest, as
    in `MergeClusters`. Members are replaced for the first confidential attribute that has an order; without one,
    classes are only joined. The work grows with the square of the table, or of its pieces from 262,144 records on.

    Parameters
    ----------
    publish
        What a class shows: ``mean``, as published, ``median``, ``range`` or ``mode`` of its cells (see `Publisher`).

    References
    ----------
    J. Soria-Comas, J. Domingo-Ferrer, D. Sánchez, S. Martínez: t-Closeness through microaggregation: strict privacy
    with enhanced utility preservation, IEEE TKDE 27(11), 2015, doi:10.1109/TKDE.2015.2435777, Algorithm 2.
    """

    name: ClassVar[str] = "k-anonymity-first"

    def plan(self, table: Table, k: int, model: TCloseness | None) -> Plan:
        """Form classes of k that are near the table where that can be."""
        if model is None:
            return super().plan(table, k, model)
        schema, reference = table.schema, model.reference(table)

        def form(piece: Piece, points: Points) -> tuple[Labels, int]:
            bins = model.bins(piece.columns, schema, reference)
            return k_anonymity_first(points, Spread.of(bins, reference[1], model.t), k)

        return Plan(form, model.carries(schema))

    def done(self, table: Table, k: int, model: TCloseness | None) -> str:
        """Say how classes were formed."""
        return (
            f"Formed classes of {k} from {table.rows:,} records by microaggregation, with members replaced by farther "
            f"records until the confidential attribute was spread as in the table"
        )
