"""Columns as numbers to learn from, and synthetic numbers back into columns."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace

import numpy as np

from shoal.arrays import Array, Flags, Floats, Integers
from shoal.conditions import Condition
from shoal.domains.axis import Axis
from shoal.engines.packed_cells import packed, unpacked
from shoal.errors import SchemaError
from shoal.kernels import MISSING
from shoal.methods.perturbation.numbers import ValueGrid, numbers_of, put_numbers
from shoal.methods.synthesis.sequential_trees import Variable
from shoal.table import Column, Table

_DECIMALS = 8  # numbers with more of them are not rounded


@dataclass(frozen=True, eq=False)
class Learned:
    """The columns of a table in one place.

    Attributes
    ----------
    variables
        The columns, by name: numbers, or codes of cells.
    cells
        Of columns of categories, the packed cell of each code.
    axes
        The axes of the columns.
    """

    variables: Mapping[str, Variable]
    cells: Mapping[str, Integers]
    axes: Mapping[str, Axis]

    @classmethod
    def of(cls, table: Table, names: tuple[str, ...]) -> Learned:
        """Bring columns together."""
        axes = {name: table.schema[name].axis for name in names}
        numeric = [name for name in names if axes[name].numeric and axes[name].tree is None]
        variables, cells = {}, {}
        numbers = _brought_together(table, numbers_of(table, numeric)) if numeric else np.empty((0, 0))
        for name in names:
            if name in numeric:
                variables[name] = Variable(np.ascontiguousarray(numbers[:, numeric.index(name)]), number=True)
            else:
                known, codes = np.unique(_brought_together(table, table.column(name)), return_inverse=True)
                variables[name], cells[name] = Variable(codes.astype(np.float64), number=False), known
        return cls(variables, cells, axes)

    def rounded(self, name: str, values: Floats) -> Floats:
        """Give values that a column may have: of numbers with as many decimals as it has."""
        if name in self.cells:
            return values
        return np.round(ValueGrid.of(self.axes[name]).rounded(values), self._decimals(name))

    def _decimals(self, name: str) -> int:
        if self.axes[name].kind != "float":
            return 0
        values = np.unique(self.variables[name].values)
        values = values[~np.isnan(values)]
        fits = (d for d in range(_DECIMALS) if (np.round(values, d) == values).all())
        return next(fits, 15)

    def breaks(self, rules: tuple[Condition, ...], drawn: Mapping[str, Floats]) -> Flags:
        """Tell which synthetic records satisfy a condition that none may."""
        found = np.zeros(next(iter(drawn.values())).size, np.bool_)
        for rule in rules:
            here = np.ones(found.size, np.bool_)
            for part in rule.parts:
                axis, positions = self._placed(part.column, drawn[part.column])
                here &= part.holds(axis, positions)
            found |= here
        return found

    def _placed(self, name: str, values: Floats) -> tuple[Axis, Array]:
        """Put synthetic values on an axis on which conditions can be asked."""
        if name in self.cells:
            return self.axes[name], unpacked(self.cells[name][values.astype(np.int64)])[0]
        known = np.unique(values[~np.isnan(values)])
        listed = known if self.axes[name].kind == "float" else known.astype(np.int64)
        places = np.where(np.isnan(values), MISSING, np.searchsorted(known, values)).astype(np.int32)
        return replace(self.axes[name], values=listed), places

    def put(self, table: Table, drawn: Mapping[str, Floats]) -> Table:
        """Give a table the synthetic values."""
        records = table.rank([])
        nothing = table.combine(_nothing, records)
        changed = {
            name: (axis, table.combine(_looked_up(self.cells[name][drawn[name].astype(np.int64)]), records))
            if name in self.cells
            else (axis, nothing)
            for name, axis in self.axes.items()
        }
        table = table.put(changed)
        numeric = [name for name in self.axes if name not in self.cells]
        if not numeric:
            return table
        matrix = np.stack([drawn[name] for name in numeric], axis=1)
        return put_numbers(table, numeric, table.combine(_looked_up(matrix), table.rank([])))


def _brought_together(table: Table, column: Column) -> Array:
    return np.concatenate(table.collect(_itself, column))


def _itself(values: Array) -> Array:
    return values


def _nothing(records: Array) -> Integers:
    gone = np.full(records.size, MISSING, np.int32)
    return packed(gone, gone)


def _looked_up(values: Array) -> Callable[[Array], Array]:
    return lambda records: values[records]


def parsed(rules: tuple[str, ...], names: tuple[str, ...]) -> tuple[Condition, ...]:
    """Read the conditions that no record may satisfy."""
    found = tuple(Condition.parse(text) for text in rules)
    for rule in found:
        for column in rule.columns:
            if column not in names:
                raise SchemaError.missing_column(column, names)
    return found
