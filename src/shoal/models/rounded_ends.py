"""Rounded ends: ranges end on a public grid, so that no end is somebody's value."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from shoal.domains.axis import Axis
from shoal.domains.public_grid import GridStep, in_words, on_grid, refuse_no_step, suits
from shoal.engines.values import Boxes
from shoal.errors import ParameterError, SchemaError
from shoal.kernels import MISSING
from shoal.models.linked_model import Measured
from shoal.parameters import settle
from shoal.schema import Schema
from shoal.table import Carry, Classes, Table

EndSteps = GridStep | Mapping[str, GridStep]
_USUAL = "month"  # of dates and times, where only a number is given


@dataclass(frozen=True)
class RoundedEnds:
    """Both ends of every range lie on a grid that was there before the data: multiples of 5, limits of months.

    Otherwise they are values of people in the class, often of one: "in this class, and at its lower end" then singles
    somebody out, however large k is. It is proved from the released file. A cell that shows one value has no ends: all
    records of its class have it. Sets, nodes of hierarchies and categories with an order are not ranges of numbers.

    Parameters
    ----------
    ends
        A number: numbers end at its multiples, dates and times at limits of months. Or a unit for dates and times:
        ``week``, ``month``, ``quarter``, ``year`` or ``decade``; for times also ``minute``, ``hour`` and ``day``. Or
        one of these for each column that is meant: ``{"age": 5, "born": "month"}``.

    References
    ----------
    A. Cohen, K. Nissim: Towards formalizing the GDPR's notion of singling out, PNAS 117(15), 2020,
    doi:10.1073/pnas.1914598117.
    """

    name: ClassVar[str] = "rounded-ends"
    by_class: ClassVar[bool] = False
    ends: EndSteps

    def __post_init__(self) -> None:
        """Refuse what is no grid."""
        settle(self)
        refuse_no_ends(self.ends)

    @property
    def promised(self) -> float:
        """How many different cells may end elsewhere: none."""
        return 0.0

    @property
    def beyond(self) -> str:
        """What is to be said of the promise beside its level: the grid."""
        if not isinstance(self.ends, Mapping):
            return f", {in_words(self.ends)}"
        return "".join(f", {name}: {in_words(step)}" for name, step in self.ends.items())

    def carries(self, schema: Schema) -> tuple[Carry, ...]:
        """Name the columns that the formula looks at inside a class: it looks at none."""
        return ()

    def reference(self, table: Table) -> Any:
        """Give nothing: classes do not matter."""

    def level(self, classes: Classes, schema: Schema, reference: Any) -> NDArray[np.float64]:
        """Give no cell that ends elsewhere: it is not about classes."""
        return np.zeros(classes.sizes.size)

    def measured(self, table: Table) -> Measured:
        """Count the different cells that end elsewhere, and all."""
        found = [
            part
            for name, step in steps_of(table.schema, self.ends).items()
            for part in table.boxes(_ending_elsewhere(table.schema[name].axis, step), (name,))
        ]
        broken, cells = (sum(part[i] for part in found) for i in (0, 1))
        return Measured(float(broken), broken, cells)

    def met(self, level: NDArray[np.float64]) -> NDArray[np.bool_]:
        """Tell whether no cell ends elsewhere."""
        return level <= 0

    def worst(self, level: NDArray[np.float64]) -> float:
        """Give the number of cells that end elsewhere."""
        return float(level.max())

    def demand(self, rows: int, subjects: int | None) -> None:
        """Refuse no table: cells are looked at, not rows."""

    def nearest(self, level: float) -> str:
        """Say what could be done."""
        return "Round them as the last step (--ends 5, method round-ends)."

    def sentence(self, level: float, schema: Schema) -> str:
        """Say where ranges end."""
        if level:
            some = "One range does" if level == 1 else f"{level:,.0f} different ranges do"
            return f"{some} not end on the grid that is promised."
        steps = steps_of(schema, self.ends)
        where = "; ".join(f"'{name}' at {in_words(step)}" for name, step in steps.items())
        return f"Ranges end on a public grid, not at values of people: {where}."

    def convention(self, schema: Schema) -> str:
        """Say which grid, and what has no ends."""
        return (
            "multiples are counted from 0, weeks from Monday, times in UTC; a range of dates ends with the last day of "
            "a unit, one of times with the first moment of the next; single values, sets, nodes and * have no ends"
        )


def refuse_no_ends(ends: object) -> None:
    """Refuse what says of no column where its ranges end."""
    if isinstance(ends, Mapping):
        if not ends:
            raise ParameterError("No column is named whose ranges are to be rounded.", "Write age=5.")
        for step in ends.values():
            refuse_no_step(step)
    else:
        refuse_no_step(ends)


def steps_of(schema: Schema, ends: EndSteps) -> dict[str, GridStep]:
    """Give the grid of each column that has ranges of numbers, dates or times."""
    if isinstance(ends, Mapping):
        for name, step in ends.items():
            if name not in schema.quasi:
                raise SchemaError.missing_column(name, schema.quasi)
            if not suits(schema[name].axis, step):
                raise ParameterError(
                    f"Ranges of '{name}' ({schema[name].axis.kind}) cannot end at {in_words(step)}.",
                    "Round whole numbers to multiples of one, dates to week, month, quarter, year or decade, and times "
                    "also to minute, hour or day; leave out categories.",
                )
        return dict(ends)
    found: dict[str, GridStep] = {}
    for name in schema.quasi:
        axis = schema[name].axis
        step = _USUAL if axis.kind in ("date", "datetime") and not isinstance(ends, str) else ends
        if suits(axis, step):
            found[name] = step
    if not found:
        raise ParameterError(
            f"No quasi-identifier has ranges that could end at {in_words(ends)}.", "Leave the ends as they are."
        )
    return found


def _ending_elsewhere(axis: Axis, step: GridStep) -> Callable[[Boxes], tuple[int, int]]:
    """Count, of different cells, those that end elsewhere, and all."""

    def count(cells: Boxes) -> tuple[int, int]:
        low, high = cells.lo[:, 0], cells.hi[:, 0]
        ranges = (low != high) & (low != MISSING)
        right = on_grid(axis, step, low[ranges], up=False) & on_grid(axis, step, high[ranges], up=True)
        return int((~right).sum()), int(low.size)

    return count
