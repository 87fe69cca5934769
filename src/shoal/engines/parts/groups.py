"""Classes of a table in parts: what is alike is brought together, and worked on where it then lies."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, TypeVar, cast

import numpy as np
from numpy.typing import NDArray

from shoal.arrays import Positions
from shoal.engines.local.data import LocalData, known_values
from shoal.engines.parts.data import PartsTable, value_of
from shoal.engines.parts.pool import Beside, Handle, Part, Pool, Summarize, home
from shoal.engines.parts.shuffle import (
    Arrays,
    length_of,
    numbers_of,
    restore_order,
    rows_of,
    shuffle_by_hash,
    shuffle_by_range,
    taken,
)
from shoal.errors import SchemaError
from shoal.kernels.grouping import by_label, common_positions, count_labels, label_rows, mix_rows
from shoal.schema import Schema
from shoal.table import Carry, Classes, Common, Given, Ranked, Tally

T = TypeVar("T")
# What gives the place of each record when all are sorted by a column.
Rank = Callable[[str], Handle]
_FEW = 4096  # records that tell whether many are alike


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
    """Say how carried columns are found in a part, under the names ``carry0``, ``carry1``, …; and what it needs."""
    handles: list[Handle] = []
    plain: list[tuple[str, str | Tally | Common | int]] = []
    for i, item in enumerate(carry):
        if isinstance(item, (Given, Ranked)):
            plain.append((f"carry{i}", len(handles)))
            handles.append(home(cast("Beside", item.column)) if isinstance(item, Given) else rank(item.column))
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
    pool: Pool, data: PartsTable, schema: Schema, labels: Beside, carry: Sequence[Carry], rank: Rank,
    work: Callable[[Classes], T],
) -> list[T]:  # fmt: skip
    """Bring the records of each label together, labels in their order."""
    shape = data.shape
    columns, handles = carried(schema, carry, rank)

    def telling(number: int, cells: Part, codes: Part, label: Part, *given: Part) -> tuple[list[Any], Any]:
        return [value_of(label)], lambda: columns(shape.local(cells, codes), given)

    def done(number: int, part: Part) -> list[T]:
        label = part["key0"]
        if label.size == 0:
            return []
        first = int(label.min())
        mine = (label - first).astype(np.int32)
        return [work(_classes(mine, int(mine.max()) + 1, carry, part, first))]

    held = data.cells, data.codes, home(labels), *handles
    there = shuffle_by_range(pool, telling, data.bounds, *held, whole=True, summarize=done)
    return [found for some in there.summaries for found in some]


def classes_by_cells(
    pool: Pool, data: PartsTable, schema: Schema, by: tuple[str, ...], carry: Sequence[Carry], rank: Rank,
    work: Callable[[Classes], T],
) -> list[T]:  # fmt: skip
    """Bring the records with equal cells together."""
    refuse_others(data, by)

    def counted(number: int, part: Part) -> list[T]:
        sizes = part["count"]
        return [work(Classes(np.append(0, np.cumsum(sizes)), {}))] if sizes.size else []

    def carrying(number: int, part: Part) -> list[T]:
        labels, groups = labelled_rows(part)
        return [work(_classes(labels, groups, carry, part, 0))] if groups else []

    def tallied(number: int, part: Part) -> list[T]:
        labels, groups = labelled_rows(part)
        sizes = count_labels(labels, groups, part["count"])
        found: dict[Carry, NDArray[Any]] = {}
        for i, item in enumerate(carry):
            mine = part[f"carry{i}"]
            alike = isinstance(item, Common)
            found[item] = common_positions(labels, mine, groups) if alike else count_labels(labels, groups, mine)
        return [work(Classes(np.append(0, np.cumsum(sizes)), found))] if groups else []

    if carry:
        summarize = tallied if _one_number_per_class(carry) else carrying
        told = _alike(pool, data, schema, by, by, tuple(carry), rank, summarize=summarize).summaries
    else:
        told = pool.collect(counted, distinct_cells(pool, data, schema, by, by))
    return [found for some in told for found in some]


def _one_number_per_class(carry: Sequence[Carry]) -> bool:
    return all(isinstance(item, (Tally, Common)) for item in carry)


def distinct_cells(pool: Pool, data: PartsTable, schema: Schema, by: Sequence[str], apart: Sequence[str]) -> Handle:
    """Bring equal cells of some columns together, and keep each once with its ``count``, once for every table.

    Cells that are equal in the columns that tell parts ``apart`` are in the same part.
    """
    known, columns = data.known.distinct, (tuple(by), tuple(apart))
    if columns not in known:
        known[columns] = pool.map(_counted, _alike(pool, data, schema, by, apart, (), None))
    return known[columns]


def _counted(number: int, part: Part) -> Arrays:
    """Keep one of the rows that have the same cells, and how often they occur."""
    labels, groups = labelled_rows(part)
    one = one_of_each(labels, groups)
    kept = {name: rows_of(part[name], one) for name in ("lo", "hi") if name in part}
    return kept | {"count": count_labels(labels, groups, part.get("count"))}


def labelled_rows(part: Part) -> tuple[Positions, int]:
    """Number the rows of a part so that those with equal cells have the same number."""
    lo = part["lo"]
    return label_rows(lo, part.get("hi", lo), np.arange(lo.shape[1])) if lo.shape[0] else (np.empty(0, np.int32), 0)


def one_of_each(labels: Positions, groups: int) -> Positions:
    """Give a row of each group."""
    one = np.empty(groups, np.int32)
    one[labels] = np.arange(labels.size, dtype=np.int32)
    return one


def _alike(
    pool: Pool, data: PartsTable, schema: Schema, by: Sequence[str], apart: Sequence[str], carry: Sequence[Carry],
    rank: Any, summarize: Summarize = None,
) -> Handle:  # fmt: skip
    """Bring the cells of some columns together that are equal in those that tell parts apart.

    Where nothing is asked for but tallies and what is common, records that share their cells are counted before they
    move: what moves of a class, however large, is one row of each part. With these they always are.
    """
    shape = data.shape
    columns, handles = carried(schema, carry, rank)
    places = [shape.quasi.index(name) for name in by]
    telling = np.array([list(by).index(name) for name in apart], np.int64)

    same = places == list(range(len(shape.quasi)))
    # What was published for classes stands for all their records.
    held = (data.cells, data.codes) if carry or data.classes is None else (data.classes,) * 2

    def cells_in(cells: Part, codes: Part) -> tuple[LocalData, Arrays]:
        here = shape.unfolded(cells, codes) if carry and not tallies else shape.local(cells, codes)
        ends = {"lo": here.lo} if here.hi is here.lo else {"lo": here.lo, "hi": here.hi}
        return here, ends if same else {name: np.ascontiguousarray(end[:, places]) for name, end in ends.items()}

    def look(number: int, cells: Part, codes: Part) -> tuple[bool, bool]:
        """Tell from a few records whether many are alike, so that it pays to count them before they move."""
        if "lo" not in cells:  # nothing tells records apart
            return True, False
        n = length_of(cells, "lo")
        few = np.arange(0, n, max(1, n // _FEW), dtype=np.int32)
        ends = {name: taken(cells, name, few)[:, places] for name in ("lo", "hi") if name in cells}
        labels, groups = labelled_rows({name: np.ascontiguousarray(end) for name, end in ends.items()})
        most = count_labels(labels, groups).max(initial=0)
        many = groups < 0.7 * labels.size or most * parts > labels.size  # one of them would fill a part
        return bool(many), "index" in cells

    parts, tallies = len(data.sizes), bool(carry) and _one_number_per_class(carry)
    looks = [] if carry else pool.collect(look, *held)
    counted, indexed = tallies or any(look[0] for look in looks), any(look[1] for look in looks)

    def work(number: int, cells: Part, codes: Part, *given: Part) -> tuple[Any, Arrays]:
        here, sent = cells_in(cells, codes)
        carried = columns(here, given)
        if indexed or counted:
            rows = np.ones(sent["lo"].shape[0], np.int64)
            folded = "index" in cells and (tallies or not carry)
            times = count_labels(here.index, rows.size) if folded else rows
            if counted:
                labels, groups = labelled_rows(sent)
                one = one_of_each(labels, groups)
                sent = {name: rows_of(end, one) for name, end in sent.items()}
                times = count_labels(labels, groups, times)
                mine = labels[here.index] if folded else labels
                for item, (name, found) in zip(carry, carried.items(), strict=True):
                    alike = isinstance(item, Common)
                    carried[name] = (
                        common_positions(mine, found, groups) if alike else count_labels(mine[found], groups)
                    )
            sent["count"] = times
        bits = mix_rows(sent["lo"], sent.get("hi", sent["lo"]), telling)
        return bits, sent | carried

    return shuffle_by_hash(pool, work, len(data.sizes), *held, *handles, summarize=summarize)


def numbered(pool: Pool, data: PartsTable, by: Sequence[str | Beside]) -> Handle:
    """Number the records by their cells in named columns, and by the numbers of other columns."""
    names = [key for key in by if isinstance(key, str)]
    shape, bounds = data.shape, data.bounds
    refuse_others(data, [name for name in names if name not in shape.carried])

    def work(number: int, cells: Part, codes: Part, *given: Part) -> tuple[Any, Arrays]:
        here = shape.unfolded(cells, codes)
        columns = [value_of(part).astype(np.int32) for part in given]
        ends = [end for name in names for end in here.ends(name, slice(None))] + columns
        whole = np.stack(ends, axis=1)
        return mix_rows(whole, whole, np.arange(len(ends))), {"lo": whole, "row": numbers_of(bounds, number)}

    others = [home(key) for key in by if not isinstance(key, str)]
    there = shuffle_by_hash(
        pool,
        work,
        len(data.sizes),
        data.cells,
        data.codes,
        *others,
        summarize=lambda number, part: labelled_rows(part)[1],
    )
    first = np.append(0, np.cumsum(there.summaries))

    def send(number: int, part: Part) -> list[Arrays]:
        labels, _ = labelled_rows(part)
        return restore_order({"value": labels + np.int32(first[number])}, part["row"], bounds)

    return pool.shuffle(send, len(data.sizes), there)
