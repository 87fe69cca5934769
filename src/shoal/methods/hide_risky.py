"""Records that are too likely to be found hide one column after the other, until they no longer are."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import ClassVar

import numpy as np

from shoal.arrays import Integers
from shoal.errors import ParameterError, SchemaError
from shoal.kernels.grouping import distinct
from shoal.methods.hiding.hidden_cells import with_counts
from shoal.models import PrivacyModel
from shoal.models.record_risks import RecordRisks
from shoal.parameters import settle, shown
from shoal.schema import names_given
from shoal.table import Table


@dataclass(frozen=True)
class HideRisky:
    """Hide a cell of each record whose individual risk reaches a threshold; then count anew, and take the next column.

    The risk is that of `IndividualRisk`, with the weights of a survey if the table has some, and a hidden cell counts
    as any value: so records become less likely to be found, but who knows what is hidden may still find them. It
    enforces no privacy model, and how many records are still at risk in the end is said.

    Parameters
    ----------
    threshold
        The risk from which on a record hides a cell, above 0 and at most 1.
    columns
        Which columns may be hidden; all quasi-identifiers if left out.
    importance
        A number for each column: those with a large one are given up first. If left out, columns with many values are.

    References
    ----------
    M. Templ, A. Kowarik, B. Meindl: Statistical disclosure control for micro-data using the R package sdcMicro, Journal
    of Statistical Software 67(4), 2015, doi:10.18637/jss.v067.i04.
    """

    name: ClassVar[str] = "hide-risky"
    enforces: ClassVar[tuple[str, ...]] = ()
    threshold: float = 0.1
    columns: tuple[str, ...] | None = None
    importance: Mapping[str, float] | None = None

    def __post_init__(self) -> None:
        """Refuse what is no risk, and no order."""
        settle(self)
        object.__setattr__(self, "columns", names_given("columns", self.columns) or None)
        value = self.threshold
        if isinstance(value, bool) or not isinstance(value, int | float) or not 0 < value <= 1:
            raise ParameterError(f"A risk is above 0 and at most 1, not {shown(value)}.", "Usual ones are 0.05 to 0.2.")
        given = self.importance
        if given is not None and not (
            isinstance(given, Mapping)
            and all(isinstance(each, int | float) and not isinstance(each, bool) for each in given.values())
        ):
            raise ParameterError("'importance' has a number for each column.", "Write importance.age=2.")

    def apply(self, table: Table, models: Sequence[PrivacyModel], seed: int) -> Table:
        """Hide cells column by column."""
        released, left = table, 0
        for name in self._in_order(table):
            released, left = self._hiding(released, name)
            if not left:
                break
        if left:
            left = int(self._risky(released)[0].sum())
        counted = with_counts(table, released)
        return replace(counted, hidden={**counted.hidden, "still_at_risk": left})

    def _in_order(self, table: Table) -> list[str]:
        quasi = table.schema.quasi
        for name in (*(self.columns or ()), *(self.importance or ())):
            if name not in quasi:
                raise SchemaError.missing_column(name, quasi)
        names = list(self.columns or quasi)
        values = {name: int(table.counts(name)[0].size) for name in names}
        given = self.importance or {}
        return sorted(names, key=lambda name: (-given.get(name, values[name]), -quasi.index(name)))

    def _hiding(self, table: Table, name: str) -> tuple[Table, int]:
        """Hide a column in the records that are at risk; also gives how many there were."""
        risky, numbers = self._risky(table)
        if not risky.any():
            return table, 0
        column = table.number(table.schema.quasi)
        known = distinct(numbers[risky])
        which = table.combine(lambda label: np.isin(label, known).astype(np.int64), column)
        return table.hide([name], which), int(risky.sum())

    def _risky(self, table: Table) -> tuple[np.ndarray, Integers]:
        """Tell which records are at risk, and the number of what each shows, in the order of the table."""
        names = table.schema.quasi
        risks = RecordRisks.of(table, names).of_records
        numbers = np.concatenate([np.asarray(part) for part in table.collect(_itself, table.number(names))])
        return risks >= self.threshold, numbers

    def explain(self, table: Table, models: Sequence[PrivacyModel]) -> str:
        """Say what is done."""
        return (
            f"Hid, one column after the other ({', '.join(self._in_order(table))}), the cells of records whose "
            f"individual risk was {self.threshold:g} or more, until none was left; a hidden cell counts as any value."
        )


def _itself(numbers: Integers) -> Integers:
    return numbers
