"""What a question needs: which whole numbers are counted, and by how much one person may change them.

Neighbours are tables of which one has a person more. A person has at most c rows, so every sensitivity is that of one
row, times c. That is so also for an answer in many cells: in the worst case all rows of a person are in one cell, which
bounds the sum of changes (L1) and the root of the sum of their squares (L2) alike. This is parallel composition: cells
are disjoint, and the answer costs as much as one cell does.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from fractions import Fraction

from shoal.arrays import Positions
from shoal.errors import ParameterError
from shoal.private.accounting import Price
from shoal.private.codes import BucketCodes, CategoryCodes, Codes, GroupCodes, Units
from shoal.private.declarations import MOST_CELLS, Bounds, Declarations
from shoal.private.exact_numbers import written
from shoal.private.grammar import Grouping, Query
from shoal.private.mechanisms import NoiseMechanism, sensible


@dataclass(frozen=True)
class CountedNumber:
    """One kind of whole number that is counted in every cell: rows, or the sum of steps; and its noise."""

    what: str
    noise: NoiseMechanism


@dataclass(frozen=True)
class QueryPlan:
    """How a question is answered.

    Parameters
    ----------
    query
        The question.
    groups
        The columns whose codes make up the cells of the answer.
    buckets
        The buckets of candidates, if a quantile is asked for.
    units
        What is summed, if something is.
    counted
        What is counted, with its noise.
    rho
        What the answer costs.
    rows_per_person
        How many rows of a person count.
    notes
        What is to be said of the answer: what counts as what, and what does not count.
    """

    query: Query
    groups: tuple[Codes, ...]
    buckets: BucketCodes | None
    units: Units | None
    counted: tuple[CountedNumber, ...]
    rho: Fraction
    rows_per_person: int
    notes: tuple[str, ...]

    @property
    def codes(self) -> tuple[Codes, ...]:
        """All columns by which rows are counted."""
        return self.groups if self.buckets is None else (*self.groups, self.buckets)

    @property
    def cells(self) -> int:
        """How many cells the answer has."""
        return math.prod(len(codes.labels) for codes in self.groups)


def planned(query: Query, declared: Declarations, price: Price) -> QueryPlan:
    """Find out how a question is answered at a price, from declarations alone."""
    for name in query.columns:
        _ = declared[name]
    own = _own_groups(query, declared)
    groups = (*(_grouped(each, declared) for each in query.by), *own)
    buckets, units = _buckets(query, declared), _units(query, declared)
    if query.where is not None:
        _refuse_odd(query, declared)
    rows = declared.rows_per_person
    cells = math.prod(len(codes.labels) for codes in groups)
    if cells * (1 if buckets is None else len(buckets.labels)) > MOST_CELLS:
        raise ParameterError(
            f"The answer would have {cells:,} cells.", "Ask by fewer columns, or over fewer candidates."
        )
    kinds = {
        "count": {"rows": 1}, "histogram": {"rows": 1},
        "quantile": {"scores": max(query.fraction[0], query.fraction[1] - query.fraction[0])},
        "sum": {"steps": 0 if units is None else units.most},
        "mean": {"steps": 0 if units is None else units.most, "rows": 1},
    }[query.kind]  # fmt: skip
    selecting = query.kind == "quantile"
    mechanism = price.mechanism(selecting=selecting)
    step = "" if units is None else written(units.bounds.step)
    counted = tuple(
        CountedNumber(what, NoiseMechanism(mechanism, most, price.scale(most, len(kinds), selecting=selecting)))
        for what, most in ((what, sensible(each * rows, step)) for what, each in kinds.items())
    )
    rho = price.rho_of_parts(len(kinds), selecting=selecting)
    return QueryPlan(query, groups, buckets, units, counted, rho, rows, _notes(query, declared, groups, units))


def _own_groups(query: Query, declared: Declarations) -> tuple[Codes, ...]:
    """Give the cells of a histogram."""
    if query.kind != "histogram":
        return ()
    assert query.column is not None
    column = declared[query.column]
    if query.values is None or column.kind == "category":
        return (_grouped(Grouping(query.column, query.values), declared),)
    return (GroupCodes.declared(query.column, query.values, column.kind),)


def _grouped(asked: Grouping, declared: Declarations) -> Codes:
    """Give the cells of a column by whose categories or groups is answered."""
    name, column = asked.column, declared[asked.column]
    if column.kind == "category":
        categories = column.categories if asked.categories is None else asked.categories
        if categories is None:
            raise ParameterError(
                f"No categories are declared of column '{name}', and they are never read from the data.",
                f"Say them here: by {name}(one, two); or when a ledger is made: --categories {name}=one,two.",
            )
        return CategoryCodes.declared(name, categories)
    edges = column.edges if asked.categories is None else asked.categories
    if edges is None:
        raise ParameterError(
            f"No groups are declared of column '{name}', and they are never read from the data.",
            f"Say where they end: by {name}(0, 18, 65, 120); or when a ledger is made: --groups {name}=0,18,65,120.",
        )
    return GroupCodes.declared(name, edges, column.kind)


def _buckets(query: Query, declared: Declarations) -> BucketCodes | None:
    if query.kind != "quantile":
        return None
    assert query.column is not None
    column = declared[query.column]
    if column.kind not in ("float", "date"):
        raise ParameterError(
            f"Column '{query.column}' has no quantiles: it holds no numbers or dates.", "Ask for counts."
        )
    values = query.values
    if values is None and column.bounds is not None:
        bounds = column.bounds
        steps = (bounds.upper - bounds.lower) / bounds.step
        if steps.denominator == 1 and 1 <= steps <= 10_000:
            values = tuple(written(bounds.lower + i * bounds.step) for i in range(int(steps) + 1))
    if values is None:
        raise ParameterError(
            "A quantile is chosen among candidates, which are never read from the data.",
            f"Say them: {query.text.split(' where ')[0].split(' by ')[0]} over 0..100 step 10.",
        )
    return BucketCodes.declared(query.column, values, column.kind)


def _units(query: Query, declared: Declarations) -> Units | None:
    if query.kind not in ("sum", "mean"):
        return None
    assert query.column is not None
    column = declared[query.column]
    if column.kind != "float":
        raise ParameterError(f"Column '{query.column}' holds no numbers.", f"A {query.kind} is one of numbers.")
    bounds: Bounds | None = query.bounds or column.bounds
    if bounds is None:
        raise ParameterError(
            f"No bounds are declared of column '{query.column}', and they are never read from the data.",
            f"Say them: {query.kind} {query.column} in 0..100000 step 1.",
        )
    return Units(query.column, bounds, (bounds.lower + bounds.upper) / 2 if query.kind == "mean" else Fraction(0))


def _refuse_odd(query: Query, declared: Declarations) -> None:
    """Refuse a condition that makes no sense, before anything is spent: on axes that hold no data."""
    import numpy as np

    from shoal.domains.axis import Axis

    assert query.where is not None
    nothing: Positions = np.empty(0, np.int32)
    for part in query.where.parts:
        kind = declared[part.column].kind
        values = None if kind == "date" else np.empty(0, object if kind == "category" else np.float64)
        if kind == "datetime":
            values = np.empty(0, np.int64)
        part.holds(Axis(kind, values), nothing)


def _notes(query: Query, declared: Declarations, groups: tuple[Codes, ...], units: Units | None) -> tuple[str, ...]:
    """Say what counts as what. It is always said, whether it happens or not: that it happens may be a secret."""
    notes = []
    if declared.subject is None:
        notes.append("Every row counts as a person of its own.")
    else:
        few = f"{declared.rows_per_person} rows" if declared.rows_per_person > 1 else "1 row"
        notes.append(
            f"Of a person at most {few} count, drawn by a secret key; further ones, and rows of nobody, are left out."
        )
    if units is not None:
        limits = f"{written(units.bounds.lower)}..{written(units.bounds.upper)}"
        notes.append(f"Values outside {limits} count as the nearer of the two.")
    if groups:
        notes.append("Values that were not declared count as other.")
    if query.columns:
        notes.append("Rows in which something that is asked about is missing are left out.")
    return tuple(notes)
