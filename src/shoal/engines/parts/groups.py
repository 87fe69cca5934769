"""Classes of a table in parts: a shuffle brings each into one part, where it is processed."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, TypeVar, cast

import numpy as np
from numpy.typing import NDArray

from shoal.arrays import Positions
from shoal.engines.local_data import LocalData, known_values
from shoal.engines.parts.columns import LazyColumn, Materialized
from shoal.engines.parts.data import Arrays, PartSchema, PartsTable, value_of
from shoal.engines.parts.pool import Handle, Part, Pool, Summarize
from shoal.engines.parts.shuffle import (
    Extract,
    length_of,
    numbers_of,
    restore_order,
    rows_of,
    shuffle_by_hash,
    shuffle_by_range,
    take,
)
from shoal.errors import SchemaError
from shoal.kernels.grouping import by_label, common_positions, count_labels, label_rows, mix_rows
from shoal.schema import Schema
from shoal.table import Carry, Classes, Common, Given, Ranked, Tally

T = TypeVar("T")
# What gives the rank of each record when all are sorted by a column.
Rank = Callable[[str], Handle]
_FEW = 4096  # rows of a part that tell whether many are equal


def refuse_others(data: PartsTable, by: Sequence[str]) -> None:
    """Refuse to form classes by what is not a quasi-identifier."""
    strange = [name for name in by if name not in data.shape.quasi]
    if strange:
        raise SchemaError(
            f"Column '{strange[0]}' is not a quasi-identifier.", "Classes are formed by quasi-identifiers only."
        )


def carried(
    schema: Schema, carry: Sequence[Carry], rank: Rank
) -> tuple[Callable[[LocalData, Sequence[Part]], Arrays], list[Handle]]:
    """Say how carried columns (``carry0``, ``carry1``, …) are found in a part, and which columns are read for that."""
    handles: list[Handle] = []
    plain: list[tuple[str, str | Tally | Common | int]] = []
    for i, item in enumerate(carry):
        if isinstance(item, (Given, Ranked)):
            plain.append((f"carry{i}", len(handles)))
            given = isinstance(item, Given)
            handles.append(cast("LazyColumn", item.column).materialize() if given else rank(cast("str", item.column)))
        else:
            plain.append((f"carry{i}", item))

    def columns(data: LocalData, given: Sequence[Part]) -> Arrays:
        found = {}
        for name, item in plain:
            if isinstance(item, int):
                found[name] = value_of(given[item])
            elif isinstance(item, Tally):
                known = {column: known_values(data, schema[column].name) for column in item.condition.columns}
                found[name] = item.condition.holds(schema, known)
            else:
                found[name] = data.positions(item.column if isinstance(item, Common) else item)
        return found

    return columns, handles


def _classes(labels: Positions, groups: int, carry: Sequence[Carry], part: Part, first: int) -> Classes:
    order, starts = by_label(labels, groups)
    columns: dict[Carry, NDArray[Any]] = {}
    for i, item in enumerate(carry):
        cells = part[f"carry{i}"]
        if isinstance(item, Tally):
            columns[item] = count_labels(labels[cells], groups)
        else:
            columns[item] = common_positions(labels, cells, groups) if isinstance(item, Common) else cells[order]
    return Classes(starts, columns, first)


def classes_by_label(
    pool: Pool, data: PartsTable, schema: Schema, labels: LazyColumn, carry: Sequence[Carry], rank: Rank,
    work: Callable[[Classes], T],
) -> list[T]:  # fmt: skip
    """Bring the records of each label together, in the order of the labels."""
    extract, handles = extract_by_label(data, schema, labels, carry, rank)

    def done(number: int, part: Part) -> list[T]:
        label = part["key0"]
        if label.size == 0:
            return []
        first = int(label.min())
        mine = (label - first).astype(np.int32)
        return [work(_classes(mine, int(mine.max()) + 1, carry, part, first))]

    there = shuffle_by_range(pool, data, extract, *handles, whole=True, summarize=done)
    return [found for some in there.summaries for found in some]


def extract_by_label(
    data: PartsTable, schema: Schema, labels: LazyColumn, carry: Sequence[Carry], rank: Rank
) -> tuple[Extract, list[Handle]]:
    """Say how records are sorted by label and moved with carried columns, and which columns must be read for that."""
    shape = data.shape
    columns, handles = carried(schema, carry, rank)

    def extract(number: int, cells: Part, codes: Part, label: Part, *given: Part) -> tuple[list[Any], Any]:
        return [value_of(label)], lambda: columns(shape.local(cells, codes), given)

    return extract, [labels.materialize(), *handles]


def classes_by_cells(
    pool: Pool, data: PartsTable, schema: Schema, by: tuple[str, ...], carry: Sequence[Carry], rank: Rank,
    work: Callable[[Classes], T],
) -> list[T]:  # fmt: skip
    """Bring the records with equal cells together."""
    refuse_others(data, by)
    shape = data.shape

    def sized(number: int, part: Part) -> list[T]:
        sizes = part["count"]
        return [work(Classes(np.append(0, np.cumsum(sizes)), {}))] if sizes.size else []

    def carrying(number: int, part: Part) -> list[T]:
        labels, groups = labelled_rows(*shape.ends(part))
        return [work(_classes(labels, groups, carry, part, 0))] if groups else []

    def tallied(number: int, part: Part) -> list[T]:
        labels, groups = labelled_rows(*shape.ends(part))
        sizes = count_labels(labels, groups, part["count"])
        found: dict[Carry, NDArray[Any]] = {}
        for i, item in enumerate(carry):
            mine = part[f"carry{i}"]
            common = isinstance(item, Common)
            found[item] = common_positions(labels, mine, groups) if common else count_labels(labels, groups, mine)
        return [work(Classes(np.append(0, np.cumsum(sizes)), found))] if groups else []

    if carry:
        summarize = tallied if _one_number_per_class(carry) else carrying
        results = _shuffle_by_cells(pool, data, schema, by, by, tuple(carry), rank, summarize)[0].summaries
    else:
        results = pool.collect(sized, distinct_cells(pool, data, schema, by, by)[1])
    return [found for some in results for found in some]


def _one_number_per_class(carry: Sequence[Carry]) -> bool:
    return all(isinstance(item, (Tally, Common)) for item in carry)


def distinct_cells(
    pool: Pool, data: PartsTable, schema: Schema, by: Sequence[str], apart: Sequence[str]
) -> tuple[PartSchema, Handle]:
    """Give the distinct cells of some columns, each with its ``count``; they are computed once for every table.

    Those that are equal in the columns ``apart`` are in the same part.
    """
    known, columns, shape = data.cache.distinct, (tuple(by), tuple(apart)), data.distinct_rows[0]
    if columns not in known:
        there, counted = _shuffle_by_cells(pool, data, schema, by, apart)

        def distinct(number: int, part: Part) -> Arrays:
            labels, groups = labelled_rows(*shape.ends(part))
            one = one_of_each(labels, groups)
            counts = count_labels(labels, groups, part["count"] if counted else None)
            return {side: rows_of(part[side], one) for side in shape.sides} | {"count": counts}

        known[columns] = pool.map(distinct, there)
    return shape, known[columns]


def labelled_rows(lo: Positions, hi: Positions) -> tuple[Positions, int]:
    """Number rows so that those with equal cells have the same number."""
    return label_rows(lo, hi, np.arange(lo.shape[1])) if lo.shape[0] else (np.empty(0, np.int32), 0)


def one_of_each(labels: Positions, groups: int) -> Positions:
    """Give a row of each group."""
    one = np.empty(groups, np.int32)
    one[labels] = np.arange(labels.size, dtype=np.int32)
    return one


def _shuffle_by_cells(
    pool: Pool, data: PartsTable, schema: Schema, by: Sequence[str], apart: Sequence[str],
    carry: Sequence[Carry] = (), rank: Any = None, summarize: Summarize = None,
) -> tuple[Handle, bool]:  # fmt: skip
    """Bring cells of the columns ``by`` together that are equal in those ``apart``; tell whether they have a ``count``.

    Equal cells are counted before they move if many are equal, and always if only tallies and common values are
    carried: of a class, however large, one row of each part moves.
    """
    tallies = bool(carry) and _one_number_per_class(carry)
    shape, *held = (data.shape, data.cells, data.codes) if carry else data.distinct_rows
    columns, handles = carried(schema, carry, rank)
    places = [shape.quasi.index(name) for name in by]
    hashed = np.array([list(by).index(name) for name in apart], np.int64)
    parts, every = len(data.sizes), places == list(range(len(shape.quasi)))

    def repetitive(number: int, cells: Part, codes: Part) -> bool:
        """Tell from a few rows whether many are equal."""
        if not shape.quasi:
            return True
        n = length_of(cells, "lo")
        few = np.arange(0, n, max(1, n // _FEW), dtype=np.int32)
        ends = {side: np.ascontiguousarray(take(cells, side, few)[:, places]) for side in shape.sides}
        labels, groups = labelled_rows(*shape.ends(ends))
        most = count_labels(labels, groups).max(initial=0)
        return bool(groups < 0.7 * labels.size or most * parts > labels.size)  # one of them would fill a part

    merged = tallies or (not carry and any(pool.collect(repetitive, *held)))
    indexed = shape.indexed and (tallies or not carry)
    counted = merged or (indexed and not carry)

    def work(number: int, cells: Part, codes: Part, *given: Part) -> tuple[Any, Arrays]:
        here = shape.unfolded(cells, codes) if carry and not tallies else shape.local(cells, codes)
        sent = shape.columns(here)
        if not every:
            sent = {side: np.ascontiguousarray(end[:, places]) for side, end in sent.items()}
        beside = columns(here, given)
        if counted:
            rows = sent["lo"].shape[0]
            times = count_labels(here.index, rows) if indexed else np.ones(rows, np.int64)
            if merged:
                labels, groups = labelled_rows(*shape.ends(sent))
                one = one_of_each(labels, groups)
                sent = {side: rows_of(end, one) for side, end in sent.items()}
                times = count_labels(labels, groups, times)
                mine = labels[here.index] if indexed else labels
                for item, (name, found) in zip(carry, beside.items(), strict=True):
                    common = isinstance(item, Common)
                    beside[name] = (
                        common_positions(mine, found, groups) if common else count_labels(mine[found], groups)
                    )
            sent["count"] = times
        return mix_rows(*shape.ends(sent), hashed), sent | beside

    return shuffle_by_hash(pool, work, parts, *held, *handles, summarize=summarize), counted


def numbered(pool: Pool, data: PartsTable, by: Sequence[str | LazyColumn]) -> LazyColumn:
    """Number the records by their cells in named columns, and by the values of other columns."""
    names = [key for key in by if isinstance(key, str)]
    shape, bounds = data.shape, data.bounds
    refuse_others(data, [name for name in names if name not in shape.carried])

    def work(number: int, cells: Part, codes: Part, *given: Part) -> tuple[Any, Arrays]:
        here = shape.unfolded(cells, codes)
        columns = [value_of(part).astype(np.int32) for part in given]
        ends = [end for name in names for end in here.ends(name, slice(None))] + columns
        whole = np.stack(ends, axis=1)
        return mix_rows(whole, whole, np.arange(len(ends))), {"lo": whole, "row": numbers_of(bounds, number)}

    def count(number: int, part: Part) -> int:
        return labelled_rows(part["lo"], part["lo"])[1]

    others = [key.materialize() for key in by if not isinstance(key, str)]
    there = shuffle_by_hash(pool, work, len(data.sizes), data.cells, data.codes, *others, summarize=count)
    first = np.append(0, np.cumsum(there.summaries))

    def send(number: int, part: Part) -> list[Arrays]:
        labels, _ = labelled_rows(part["lo"], part["lo"])
        return restore_order({"value": labels + np.int32(first[number])}, part["row"], bounds)

    return Materialized(pool.shuffle(send, len(data.sizes), there))
