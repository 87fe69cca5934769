"""Other cells in the place of those of whole columns."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from shoal.arrays import Flags, Integers, Positions
from shoal.domains.axis import Axis
from shoal.engines.local_data import OWN, LocalData, Words
from shoal.engines.packed_cells import all_single, any_range, has_value, numbered_cells, packed, unpacked
from shoal.schema import Schema


def put(
    data: LocalData, schema: Schema, columns: Mapping[str, tuple[Axis, Integers]]
) -> tuple[Schema, LocalData]:  # fmt: skip
    """Give columns other cells, packed, on axes that have them."""
    spanned = {name: cells for name, (_, cells) in columns.items() if name in data.quasi}
    changed = with_ends(data, spanned, exact=all_exact(spanned)) if spanned else data
    new = {name: axis for name, (axis, _) in columns.items()}
    moved = {name for name, cells in spanned.items() if new[name] is not schema[name].axis and all_single(cells)}
    ranges = {name for name, cells in spanned.items() if any_range(cells)}
    changed = replace(changed, ranged=now_ranged(data.quasi, data.ranged, moved, with_ranges(new, ranges)))
    codes, words, sources = changed.codes, list(changed.words), dict(changed.sources)
    for name in (name for name in columns if name in data.carried):
        j, cells = data.carried.index(name), columns[name][1]
        values, places = numbered_cells(cells)
        found = new_words(data.words[j], values, new[name], same=new[name] is schema[name].axis)
        words[j] = found.words
        codes = codes.copy() if codes is data.codes else codes
        codes[:, j] = coded(found, found.codes[places], codes[:, j], cells)
        if name in sources:
            column = sources.pop(name)
            if found.kept and not _is_text(column):  # texts are written as they are: not all kinds can be taken from
                rows, had = _rows_with(data, name, values)
                if had[has_value(values)].all():
                    sources[name] = _taken(column, rows[places], had[places])
    return put_axes(schema, new), replace(changed, codes=codes, words=tuple(words), sources=sources)


def now_ranged(
    names: Sequence[str], ranged: Sequence[bool], moved: Collection[str], ranges: Collection[str]
) -> tuple[bool, ...]:
    """Tell in which columns single values are written as ranges.

    So it is in those that have ranges now, and no longer in those that moved to an axis of single values.
    """
    return tuple(name in ranges or (known and name not in moved) for name, known in zip(names, ranged, strict=True))


def with_ranges(axes: Mapping[str, Axis], spanning: Collection[str]) -> set[str]:
    """Give of the columns with cells of several values those that write them as ranges, and not as sets or nodes."""
    return {name for name in spanning if not axes[name].nominal}


def _is_text(column: Any) -> bool:
    from shoal.engines.io.typed_columns import is_text  # frames alone have columns of their own

    return is_text(column.type)


def _taken(column: Any, rows: Integers, had: Flags) -> Any:
    """Take cells of some records, and nothing where a cell was emptied that no record had so."""
    import pyarrow as pa  # frames alone have columns of their own

    return column.take(pa.array(rows, mask=~had))


def put_axes(schema: Schema, axes: Mapping[str, Axis]) -> Schema:
    """Give the same columns on other axes; of those of which texts are carried, each value has one."""
    attributes = tuple(
        replace(each, axis=axes[each.name], spellings=False) if each.name in axes else each
        for each in schema.attributes
    )
    return replace(schema, attributes=attributes)


def all_exact(columns: Mapping[str, Integers]) -> bool:
    """Tell whether no cell is a range or ``*``."""
    return all(map(all_single, columns.values()))


def with_ends(data: LocalData, columns: Mapping[str, Integers], *, exact: bool) -> LocalData:
    """Give quasi-identifiers other cells, record by record."""
    low, high = data.unfolded()
    single = exact and high is low
    lo = low.copy()
    hi = lo if single else high.copy()
    for name, cells in columns.items():
        lo[:, data.at(name)], hi[:, data.at(name)] = unpacked(cells)
    return replace(data, lo=lo, hi=hi, index=OWN)


def coded(words: NewWords, codes: Positions, before: Positions, cells: Integers) -> Positions:
    """Give the codes of cells; one that has no value, as before, keeps its own, which may be a mark that says so."""
    gone = ~has_value(cells)
    if not words.kept or not gone.any():
        return codes
    stood = packed(before, before) if words.words is None else packed(words.words.lo, words.words.hi)[before]
    return np.where(gone & (stood == cells), before, codes)


class NewWords:
    """What a carried column stands in, and the codes of the cells that were asked for.

    ``kept`` says whether these are the words that were there before.
    """

    def __init__(self, words: Words | None, codes: Positions, *, kept: bool) -> None:
        self.words, self.codes, self.kept = words, codes, kept


def new_words(words: Words | None, cells: Integers, axis: Axis, *, same: bool) -> NewWords:
    """Find words for distinct cells of a carried column: those that it had before, if they are the same cells."""
    lo, hi = unpacked(cells)
    if words is None and axis.values is None and bool((lo == hi).all()):
        return NewWords(None, lo, kept=same)
    if same and words is not None:
        own = packed(words.lo, words.hi)
        known, first = np.unique(own, return_index=True)
        if known.size < own.size:  # values that are written in several ways: the same one on every engine
            order = np.array(sorted(range(own.size), key=words.texts.__getitem__))
            first = order[np.unique(own[order], return_index=True)[1]]
        at = np.minimum(np.searchsorted(known, cells), known.size - 1)
        if bool((known[at] == cells).all()):
            return NewWords(words, first[at].astype(np.int32), kept=True)
    texts = axis.render_all(lo, hi)
    return NewWords(Words(texts, lo, hi), np.arange(cells.size, dtype=np.int32), kept=False)


def _rows_with(data: LocalData, name: str, cells: Integers) -> tuple[Integers, Flags]:
    """Give a record that has each of some cells, and which of these any record has."""
    known, first = np.unique(packed(*data.ends(name, slice(None))), return_index=True)
    place = np.minimum(np.searchsorted(known, cells), known.size - 1)
    return first[place], known[place] == cells
