"""Rank swapping: values change places with others of about the same rank, column by column."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

from shoal.domains.axis import Axis
from shoal.engines.packed_cells import has_value
from shoal.errors import DataError, ParameterError
from shoal.kernels.random_streams import swap_ranks
from shoal.methods.perturbation import Perturbation, number_between
from shoal.methods.perturbation.preserved import Preserved
from shoal.methods.perturbation.ranks import ValueOrder, tally
from shoal.methods.perturbation.streams import Streams
from shoal.models import PrivacyModel
from shoal.table import Table


@dataclass(frozen=True)
class RankSwap(Perturbation):
    """Let the values of a column change places in pairs, each with one of about the same rank.

    Every column keeps its values, each as often, and all that is said of a column alone; what columns have to do with
    each other fades as the share of ranks grows. Cells that were coarsened before change places as they are.

    Parameters
    ----------
    columns
        The columns of numbers, dates and ordered categories whose values change places. If left out, all such
        quasi-identifiers and confidential columns.
    percent
        How far a value may move, in percent of the ranks of its column: 5 is a twentieth, 0.05 next to nothing.
    bounded
        Whether no value moves farther. Who knows several columns of a person leaves out all records whose ranks are
        farther away in one of them, and may find the one. If not, distances have that mean, and no bound.

    References
    ----------
    R. A. Moore: Controlled data-swapping techniques for masking public use microdata sets, US Bureau of the Census,
    Research Report 96-04, 1996. Without a bound: J. Nin, J. Herranz, V. Torra: Rethinking rank swapping to decrease
    disclosure risk, Data and Knowledge Engineering 64(1), 2008, doi:10.1016/j.datak.2007.07.006.
    """

    name: ClassVar[str] = "rank-swap"
    percent: float = 5.0
    bounded: bool = True

    def __post_init__(self) -> None:
        """Refuse a share that is none."""
        super().__post_init__()
        number_between("percent", self.percent, 0.0, 100.0, "It is in percent: 5 moves values by up to a twentieth.")
        if not isinstance(self.bounded, bool):
            raise ParameterError("'bounded' is true or false.", "Leave it out for a bound.")

    def suits(self, axis: Axis) -> bool:
        """Tell whether the values of an axis have an order."""
        return not axis.nominal

    def perturbed(self, table: Table, names: tuple[str, ...], streams: Streams) -> Table:
        """Swap the values of each column on its own."""
        changed = {}
        for name in names:
            order, key = ValueOrder.of(table, name), streams.key("partners", name)
            if self.bounded:
                partner = swap_ranks(key, order.size, window=self._bound(order.size, name))
            else:
                partner = swap_ranks(key, order.size, scale=self._scale(order.size, name))
            changed[name] = table.schema[name].axis, order.with_ranks(table, order.ranks, partner)
        return table.put(changed)

    def _bound(self, size: int, name: str) -> int:
        """Give the largest number of ranks that a value moves. With one, everybody knows who changes with whom."""
        bound = math.floor(self.percent * size / 100 + 1e-9)
        if bound < 2 <= size:
            raise DataError(
                f"{self.percent:g} percent of the {size:,} values of '{name}' are less than two ranks.",
                f"Nothing would be left to chance. It is in percent: ask for at least {200 / size:.2g}.",
            )
        return max(bound, 2)

    def _scale(self, size: int, name: str) -> float:
        """Give the scale of distances that have the mean that was asked for."""
        mean = self.percent * size / 100
        if mean < 2 <= size:
            raise DataError(
                f"{self.percent:g} percent of the {size:,} values of '{name}' are less than two ranks.",
                f"That is too few for a mean. It is in percent: ask for at least {200 / size:.2g}.",
            )
        return -1 / math.log(1 - 1 / max(mean, 2.0))

    def preserves(self, table: Table, models: Sequence[PrivacyModel]) -> tuple[Preserved, ...]:
        """Say that columns keep their values, and how far these moved."""
        names = self.changed(table)
        margins = Preserved("margins", names, exactly=True)
        if not self.bounded:
            return (margins,)
        bounds: dict[int, list[str]] = {}
        for name in names:
            cells, counts = tally(table, table.column(name))
            bounds.setdefault(self._bound(int(counts[has_value(cells)].sum()), name), []).append(name)
        moves = (Preserved("rank moves", tuple(held), exactly=True, within=bound) for bound, held in bounds.items())
        return (margins, *moves)

    def explain(self, table: Table, models: Sequence[PrivacyModel]) -> str:
        """Say what is done."""
        far = (
            f"up to {self.percent:g} percent of the ranks away"
            if self.bounded
            else (f"at random distances, of {self.percent:g} percent of the ranks on average")
        )
        return (
            f"Let values of {', '.join(self.changed(table))} change places with others {far}, each column on its own."
        )
