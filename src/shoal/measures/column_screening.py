"""Screening of columns: which few of them tell people apart."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from math import comb
from typing import Any, ClassVar

from shoal.errors import ParameterError
from shoal.measures import Direction, Score, nothing_to_measure
from shoal.measures.reidentification.column_sets import ColumnSet, DistinctTuples, all_sets, greedy, holds_any
from shoal.measures.reidentification.linkage_cells import attacked
from shoal.parameters import settle
from shoal.table import Table

_ALL = 12  # of so many columns all sets are looked at, and of more those of three
_EFFORT = 1_000_000_000
_EACH = 3_000  # records: what a set costs beside its own
_LISTED = 200


@dataclass(frozen=True)
class ColumnScreening:
    """The share of pairs of records that all known attributes together tell apart (separation), and which few suffice.

    Every set of attributes has a *distinction*, its distinct records as a share of all, a *separation*, the share of
    pairs of records that differ in it, and a *uniqueness*, the share of records unlike all others. The detail gives
    these of the whole, of sets (``sets``, small ones first, then by falling separation, 200 at most), and of the
    smallest sets that single out at least ``threshold`` of the records (``minimal``, 200 at most). All sets of up to
    12 attributes are looked at, and of more attributes those of ``size``; then columns are added to the best of these
    one by one (``greedy``). Sets that hold one whose separation is 1 are not looked at. ``largest`` says up to which
    size all sets were looked at, which may be less than was asked for where the table is large.

    Parameters
    ----------
    known
        The attributes that are looked at; all quasi-identifiers if left out.
    size
        The size of the largest sets; of up to 12 attributes all, else 3, if left out.
    threshold
        From what uniqueness on a set singles people out, above 0 and at most 1.
    effort
        How many records may be looked at, over all sets; a thousand million if left out.

    References
    ----------
    R. Motwani, Y. Xu: Efficient algorithms for masking and finding quasi-identifiers, PADM 2007 (SIAM). F. Prasser, J.
    Eicher, H. Spengler, R. Bild, K. A. Kuhn: Flexible data anonymization using ARX, Software: Practice and Experience
    50(7), 2020, doi:10.1002/spe.2812.
    """

    name: ClassVar[str] = "column-screening"
    direction: ClassVar[Direction] = "lower is safer"
    range: ClassVar[tuple[float, float]] = (0.0, 1.0)
    known: tuple[str, ...] | None = None
    size: int | None = None
    threshold: float = 0.05
    effort: int | None = None

    def __post_init__(self) -> None:
        """Check what was asked for."""
        settle(self)
        if self.size is not None and (not isinstance(self.size, int) or isinstance(self.size, bool) or self.size < 1):
            raise ParameterError("Sets have at least one column.", "Give a size of at least 1, or leave it out.")
        if not isinstance(self.threshold, int | float) or not 0 < self.threshold <= 1:
            raise ParameterError("A threshold is a share of the records, above 0.", "A twentieth of them is 0.05.")
        if self.effort is not None and (not isinstance(self.effort, int) or self.effort < 0):
            raise ParameterError("An effort is a whole number, at least 0.", "Leave it out for the usual one.")

    def look(self, released: Table) -> Score:
        """Count what sets of columns tell apart."""
        names = attacked(released.schema, self.known)
        records = DistinctTuples.of(released, names)
        if not records.counts.size:
            return nothing_to_measure(self.name, "there are no records")
        whole = self._whole(records, names)
        largest = self._largest(len(names), records.counts.size)
        sets = all_sets(records, largest, names)
        best = min((one for one in sets if len(one.columns) == largest), key=lambda t: t.equal, default=None)
        more = [] if best is None else [*greedy(records, best, names, lambda one: one.equal == whole.equal)]
        minimal = _minimal([*sets, *more], self.threshold)
        detail = {
            **_plain(whole),
            "sets": [_plain(one) for one in sets[:_LISTED]],
            "minimal": [_plain(one) for one in minimal[:_LISTED]],
            "greedy": [_plain(one) for one in more],
            "largest": largest,
            "looked_at": len(sets),
            "threshold": float(self.threshold),
        }
        return Score.exact(self.name, whole.separation, detail)

    @staticmethod
    def sentence(detail: Mapping[str, Any]) -> str:
        """Name the smallest sets that single people out."""
        share = f"{detail['threshold']:.3g}"
        if not detail["minimal"]:
            return f"No set of at most {detail['largest']} columns singles out a share of {share} of the records."
        first = [each for each in detail["minimal"] if len(each["columns"]) == len(detail["minimal"][0]["columns"])]
        shown = "; ".join(f"{', '.join(each['columns'])} ({each['uniqueness']:.2%})" for each in first[:3])
        others = len(detail["minimal"]) - len(first[:3])
        rest = f"; and {others} more" if others else ""
        return f"The smallest sets of columns that single out a share of {share} of the records: {shown}{rest}."

    def _largest(self, columns: int, rows: int) -> int:
        """Give up to which size all sets are looked at: as was asked for, unless that is too much work."""
        wanted = min(columns, self.size or (columns if columns <= _ALL else 3))
        left = _EFFORT if self.effort is None else self.effort
        for size in range(1, wanted + 1):
            left -= comb(columns, size) * (rows + _EACH)
            if left < 0:
                return max(size - 1, 1)
        return wanted

    @staticmethod
    def _whole(records: DistinctTuples, names: tuple[str, ...]) -> ColumnSet:
        left = records.all_left()
        for column in range(len(names)):
            left = records.divided(left, column)
        return records.looked_at(range(len(names)), left, names)


def _minimal(found: Sequence[ColumnSet], threshold: float) -> list[ColumnSet]:
    """Give the sets that single out enough records, and of which no part does."""
    kept: list[ColumnSet] = []
    parts: set[frozenset[str]] = set()
    for one in sorted(found, key=lambda each: len(each.columns)):
        if one.uniqueness >= threshold and not holds_any(one.columns, parts):
            kept.append(one)
            parts.add(frozenset(one.columns))
    return sorted(kept, key=lambda each: (len(each.columns), -each.unique))


def _plain(one: ColumnSet) -> dict[str, Any]:
    return {
        "columns": list(one.columns),
        "distinction": one.distinction,
        "separation": one.separation,
        "uniqueness": one.uniqueness,
    }
