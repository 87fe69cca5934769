"""Axes, the ordered domains on which cells lie, and spans, the stretches of an axis that cells stand for.

A cell is a pair of positions ``(lo, hi)`` on its column's axis: an exact value has ``lo == hi``, ``[20;29]`` is a
stretch, ``*`` is :data:`STAR`, and a cell without a value is :data:`NOTHING`, which is not ``*``. On a nominal axis
a group of categories is one position behind the categories themselves (see :class:`Group`), so that equal cells are
equal pairs on every kind of axis.
"""

from __future__ import annotations

import bisect
import datetime
import functools
import itertools
import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from decimal import Context, InvalidOperation
from typing import Any, Literal, get_args

import numpy as np
from numpy.typing import NDArray

from shoal.domains.hierarchy import Hierarchy
from shoal.domains.notation import escape, escape_all, in_order, in_set
from shoal.domains.zones import Zone
from shoal.kernels import MISSING, TOP
from shoal.kernels.grouping import distinct

AxisKind = Literal["integer", "float", "date", "datetime", "category", "ordered"]
KINDS: tuple[str, ...] = get_args(AxisKind)

Span = tuple[int, int]
NOTHING: Span = (MISSING, MISSING)
STAR: Span = (MISSING, TOP)

_SURE = 15  # digits that every float holds
_LONGEST = Context(prec=1100)  # more digits than any float has
_EPOCH = datetime.date(1970, 1, 1).toordinal()


@dataclass(frozen=True)
class Group:
    """Several categories published as one cell: ``{Black;White}``, or ``937**`` for all codes that begin so."""

    members: tuple[int, ...]
    pattern: str | None = None


@dataclass(frozen=True, eq=False)
class Axis:
    """The domain of a column: what its positions stand for.

    Parameters
    ----------
    kind
        ``integer``, ``float``, ``date``, ``datetime``, ``category`` (no order) or ``ordered`` (categories with one).
    values
        The values in ascending order, one per position. None on a plain axis of integers or days, where the
        position is the value and a range stands for every value in it.
    groups
        On a ``category`` axis, the groups of categories; the first has the position ``len(values)``.
    tree
        On an ``ordered`` axis whose order is that of a hierarchy, the hierarchy: only its nodes are published.
    cautious
        Whether every name that begins with a sign of the notation is marked, as it was in earlier releases.
    zone
        On a ``datetime`` axis, the zone of its clocks; the values are then moments of UTC.
    called
        Texts that are published for some values of a numeric axis, such as ``90+`` for 90; by the number on the axis.
    """

    kind: AxisKind
    values: NDArray[Any] | None = None
    groups: tuple[Group, ...] = field(default=())
    tree: Hierarchy | None = None
    cautious: bool = False
    zone: Zone | None = None
    called: Mapping[float, str] = field(default_factory=dict)

    @property
    def nominal(self) -> bool:
        """Whether the values have no order, so that a group is published as a set."""
        return self.kind == "category"

    @property
    def numeric(self) -> bool:
        """Whether positions stand for numbers or dates."""
        return self.kind not in ("category", "ordered")

    def coordinates(self) -> NDArray[np.float64] | None:
        """Give the number behind each position for distances; None where the position itself is the number.

        Numbers so large or small that their squares would not be numbers are given in another unit: standardized
        distances do not depend on it.
        """
        if self.values is None or not self.numeric:
            return None
        numbers = self.values.astype(np.float64)
        largest = float(np.abs(numbers).max(initial=0.0))
        if largest == 0 or 1e-100 < largest < 1e100:
            return numbers
        return np.ldexp(numbers, -math.frexp(largest)[1])

    def value(self, position: int) -> Any:
        """Give the value at a position."""
        if self.values is None:
            return datetime.date.fromordinal(position + _EPOCH) if self.kind == "date" else int(position)
        if self.kind == "datetime" and self.zone is not None:
            return self.zone.shown(int(self.values[position]))
        if self.kind == "datetime":
            return datetime.datetime(1970, 1, 1) + datetime.timedelta(microseconds=int(self.values[position]))
        value = self.values[position]
        return value.item() if isinstance(value, np.generic) else value

    def text(self, position: int) -> str:
        """Give the text of one position: a value, or a group of categories."""
        if self.nominal:
            assert self.values is not None
            if position < len(self.values):
                return escape(str(self.values[position]), cautious=self.cautious)
            group = self.groups[position - len(self.values)]
            if group.pattern is not None:
                return group.pattern
            return "{" + ";".join(in_set(str(self.values[i])) for i in group.members) + "}"
        if self.called and (text := self.called.get(self._number(position))):
            return text
        value = self.value(position)
        if self.kind == "datetime":
            return str(value.isoformat(sep=" "))
        if self.kind == "ordered":
            return in_order(str(value), cautious=self.cautious)
        return repr(value) if self.kind == "float" else str(value)

    def _number(self, position: int) -> float:
        """Give the number on the axis at a position."""
        return position if self.values is None else self.values[position].item()

    def stands_for(self) -> dict[str, str]:
        """Give the value, as it is else written, that each text stands for which is published for one."""
        numbers = list(self.called)
        values = None if self.values is None else np.array(numbers, self.values.dtype)
        bare = replace(self, values=values, called={})
        places = map(int, numbers) if values is None else range(len(numbers))
        return {text: bare.text(place) for text, place in zip(self.called.values(), places, strict=True)}

    def texts(self, positions: NDArray[np.int32]) -> list[str]:
        """Give the texts of many positions."""
        if self.kind == "float" and self.values is not None and not self.called:
            return [repr(value) for value in self.values[positions].tolist()]
        if self.kind == "category" and not self.groups:
            return escape_all(self.values[positions].tolist(), cautious=self.cautious)  # type: ignore[index]
        return [self.text(position) for position in positions.tolist()]

    def render(self, span: Span, *, ranged: bool = False) -> str:
        """Write a cell as text; ``ranged`` writes a single value as ``[v;v]``, as the paper's files do."""
        lo, hi = span
        if lo == MISSING:
            return "*" if hi == TOP else ""
        if self.tree is not None:
            return self.node(span)
        if lo == hi and (self.nominal or not ranged):
            return self.text(lo)
        return f"[{self.text(lo)};{self.text(hi)}]"

    def render_all(self, lo: NDArray[np.int32], hi: NDArray[np.int32], *, ranged: bool = False) -> list[str]:
        """Write many cells as texts; of values that are the ends of many ranges, each is written once."""
        if self.nominal and not self.groups and self.tree is None:
            known = lo != MISSING
            texts = iter(self.texts(lo[known]))
            gone = ("*" if high == TOP else "" for high in hi[~known].tolist())
            return [next(texts if here else gone) for here in known.tolist()]
        spans = zip(lo.tolist(), hi.tolist(), strict=True)
        if self.tree is not None or self.nominal:
            return [self.render(span, ranged=ranged) for span in spans]
        text = functools.cache(self.text)
        return [
            (f"[{text(low)};{text(high)}]" if ranged or low != high else text(low))
            if low != MISSING
            else self.render((low, high))
            for low, high in spans
        ]

    def node(self, span: Span) -> str:
        """Write a node of the hierarchy as a cell; 937** is a wildcard already."""
        assert self.tree is not None
        text = self.tree.nodes[span]
        return text if text.endswith("*") else escape(text, cautious=self.cautious)

    def hull(self) -> tuple[NDArray[np.int32], NDArray[np.int32]]:
        """Give the lowest and highest category of each position of a nominal axis, groups included."""
        assert self.values is not None
        alone = np.arange(len(self.values), dtype=np.int32)
        low = [min(group.members, default=0) for group in self.groups]
        high = [max(group.members, default=max(len(self.values) - 1, 0)) for group in self.groups]
        return np.append(alone, np.array(low, np.int32)), np.append(alone, np.array(high, np.int32))

    def members(self, position: int) -> tuple[int, ...]:
        """Give the categories that a position of a nominal axis stands for."""
        assert self.values is not None
        here = position - len(self.values)
        return (position,) if here < 0 else self.groups[here].members

    def single(self, lo: NDArray[np.int32], hi: NDArray[np.int32]) -> NDArray[np.bool_]:
        """Tell which cells are one value or none: no range, no set of categories and no wildcard."""
        sets_from = len(self.values) if self.nominal and self.values is not None else np.iinfo(np.int32).max
        found: NDArray[np.bool_] = (lo == hi) & (lo < sets_from)
        return found

    def pattern(self, position: int) -> str | None:
        """Give the wildcard, such as 937**, that a position of a nominal axis stands for, if it does."""
        assert self.values is not None
        here = position - len(self.values)
        return None if here < 0 else self.groups[here].pattern

    def pattern_covers(self, position: int, other: int) -> bool:
        """Tell whether a wildcard such as 937** covers all that another position stands for."""
        assert self.values is not None
        pattern = self.pattern(position)
        if pattern is None:
            return False
        wild = self.pattern(other)
        texts = [wild] if wild is not None else [str(self.values[i]) for i in self.members(other)]
        return all(len(text) == len(pattern) and text.startswith(pattern.rstrip("*")) for text in texts)

    def with_patterns(self, patterns: Sequence[str]) -> tuple[Axis, NDArray[np.int32]]:
        """Give an axis that also has these wildcards, such as 937**, and where each is on it."""
        assert self.values is not None
        known = {group.pattern: len(self.values) + i for i, group in enumerate(self.groups)}
        all_groups, codes = list(self.groups), [str(value) for value in self.values]
        for pattern in patterns:
            if pattern not in known:
                known[pattern] = len(self.values) + len(all_groups)
                all_groups.append(Group(codes_like(pattern, codes), pattern))
        places = np.array([known[pattern] for pattern in patterns], np.int32)
        return replace(self, groups=tuple(all_groups)), places

    def with_groups(self, groups: Iterable[tuple[int, ...]]) -> tuple[Axis, dict[tuple[int, ...], int]]:
        """Give an axis that also has these groups, and where each is on it."""
        assert self.values is not None
        known = {group.members: len(self.values) + i for i, group in enumerate(self.groups) if not group.pattern}
        all_groups = list(self.groups)
        for members in groups:
            if members not in known:
                known[members] = len(self.values) + len(all_groups)
                all_groups.append(Group(members))
        return replace(self, groups=tuple(all_groups)), known

    def shared_with(self, other: Axis) -> tuple[Axis, PositionMap, PositionMap]:
        """Give one axis for two columns of the same kind, and where the positions of each go on it."""
        if self is other or (self.values is None and other.values is None):
            return self, None, None
        if self.values is None or other.values is None:
            raise TypeError("a plain axis must be listed before it can be joined with a listed one")
        if self.values is other.values and not self.groups:
            return other, None, None
        if self.numeric:
            values = distinct(np.concatenate([self.values, other.values]))
            moves = [np.searchsorted(values, axis.values).astype(np.int32) for axis in (self, other)]  # type: ignore[arg-type]
            return replace(self, values=values), moves[0], moves[1]
        known = dict.fromkeys([*self.values, *other.values])
        listed = sorted(known) if self.nominal else list(known)
        places = {value: i for i, value in enumerate(listed)}
        groups: dict[Group, int] = {}
        moves = []
        for axis in (self, other):
            move = [places[value] for value in axis.values]  # type: ignore[union-attr]
            for group in axis.groups:
                members = tuple(sorted(move[i] for i in group.members))
                if group.pattern is not None and self.nominal:  # it stands for the codes that only the other has, too
                    members = codes_like(group.pattern, listed)
                moved = Group(members, group.pattern)
                move.append(len(listed) + groups.setdefault(moved, len(groups)))
            moves.append(np.array(move, np.int32))
        return replace(self, values=np.array(listed, dtype=object), groups=tuple(groups)), moves[0], moves[1]

    def listed(self, positions: NDArray[np.int32]) -> Axis:
        """Give an axis that lists the values at some positions of a plain one."""
        return replace(self, values=positions.astype(np.int64))


def codes_like(pattern: str, codes: Sequence[str]) -> tuple[int, ...]:
    """Give which of some codes, in ascending order, a wildcard such as 937** may stand for.

    >>> codes_like("937**", ["9360", "93611", "9370", "93727", "93730", "94110"])
    (3, 4)
    """
    stem = pattern.rstrip("*")
    first = bisect.bisect_left(codes, stem)
    alike = itertools.takewhile(lambda i: codes[i].startswith(stem), range(first, len(codes)))
    return tuple(i for i in alike if len(codes[i]) == len(pattern))


# Where the positions of a column go on another axis; None where they stay what they are.
PositionMap = NDArray[np.int32] | None


def days(texts: Sequence[str]) -> NDArray[np.int64]:
    """Count the days from 1970-01-01 to each ISO date."""
    return np.array([datetime.date.fromisoformat(text).toordinal() - _EPOCH for text in texts], dtype=np.int64)


def microseconds(texts: Sequence[str]) -> NDArray[np.int64]:
    """Count the microseconds from 1970-01-01 to each ISO date and time; those with a zone are counted in UTC."""
    zoned = bool(texts) and datetime.datetime.fromisoformat(texts[0]).tzinfo is not None
    start = datetime.datetime(1970, 1, 1, tzinfo=datetime.UTC if zoned else None)
    step = datetime.timedelta(microseconds=1)
    return np.array([(datetime.datetime.fromisoformat(text) - start) // step for text in texts], dtype=np.int64)


def same_number(text: str, number: float) -> bool:
    """Tell whether a float is what a text says: as it is written, or, below 2^53, with more digits of the same float.

    >>> same_number("0.10000000000000001", 0.1), same_number("99999999999999999999", 1e20)
    (True, False)
    """
    if (len(text) <= _SURE and "e" not in text and "E" not in text) or repr(number) == text:
        return True
    said = _LONGEST.create_decimal(text)
    if abs(number) >= 2**53 or _LONGEST.create_decimal(repr(number)) == said:
        return _LONGEST.create_decimal(repr(number)) == said
    try:
        return _LONGEST.create_decimal(number).quantize(said, context=_LONGEST) == said
    except InvalidOperation:
        return False
