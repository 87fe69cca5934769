"""How far the work is: what a thread is doing, how much of that is done, and who watches.

The thread that works reports here, whether anybody watches or not; watching is done from a thread of its own.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Collection, Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import NamedTuple, TypeVar

from shoal.kernels.pace import Running, running

T = TypeVar("T")

# What long kernels do, in words; the rest are over in no time. To form classes is nearly all that is done with a piece.
_FORMING = "forming classes"
_KERNELS = {
    "mdav": _FORMING,
    "v_mdav": _FORMING,
    "k_anonymity_first": _FORMING,
    "t_closeness_first": _FORMING,
    "optimal_cut": _FORMING,
    "split_rows": _FORMING,
    "partition": _FORMING,
    "crowds": "looking for crowds",
    "match_strata": "matching strata",
    "neighbourhoods": "exchanging records",
    "trade": "exchanging records",
    "settle": "improving classes",
    "decide_boxes": "looking for records that stand alone",
    "count_meeting": "counting who meets whom",
    "ordered_distance": "measuring distances",
}


class Look(NamedTuple):
    """What is being done, the share of it that is done if that is known, and what tells it from anything else."""

    what: str
    share: float | None
    key: object


@dataclass(eq=False)
class Counted:
    """Work that is counted: so much of so much.

    Attributes
    ----------
    total, done
        How much there is, and how much is done.
    what
        What it is; in place of the stage if it tells enough ``alone``.
    pieces
        Whether each one counted is a piece of which classes are formed, so that a kernel that does it tells more.
    """

    total: float
    what: str = ""
    done: float = 0
    pieces: bool = False
    alone: bool = False


class Course:
    """The work of one thread."""

    def __init__(self, kernel: Running) -> None:
        self.stage = ""
        self.passes = 0  # over parts of a table, in this stage
        self.parts: list[Counted] = []
        self.calls = 0  # that are under way, one within another
        self.seen = False  # whether somebody looks, or nobody is to
        self.watchers: list[Callable[[], None]] = []  # called at each stage
        self._kernel = kernel

    @contextmanager
    def call(self) -> Iterator[None]:
        """Forget at the end of a call what it counted: an error that someone keeps also keeps the loop it came from."""
        outer = self.parts if self.calls else []
        self.parts, self.calls = [*outer], self.calls + 1
        try:
            yield
        finally:
            self.parts, self.calls = outer, self.calls - 1

    def look(self) -> Look:
        """Tell how far it is."""
        name, done, total = self._kernel.kernel, self._kernel.pace.done, self._kernel.pace.total
        inner = min(done / total, 1.0) if total > 0 and name in _KERNELS else None
        for part in tuple(self.parts):
            if part.total > 1:
                more = inner if part.pieces and inner is not None and _KERNELS[name] == _FORMING else 0
                what = part.what if part.alone else self._of_stage(part.what)
                return Look(what, min((part.done + more) / part.total, 1.0), part)
        if inner is not None:
            return Look(self._of_stage(_KERNELS[name]), inner, (self.stage, _KERNELS[name]))
        return Look(self.stage, None, self.stage)

    def _of_stage(self, what: str) -> str:
        return ", ".join(text for text in (self.stage, what) if text)


class _Here(threading.local):
    def __init__(self) -> None:
        self.course = Course(running())


_here = _Here()


def course() -> Course:
    """Give the work of this thread."""
    return _here.course


def stage(what: str) -> None:
    """Say what is done from here on."""
    mine = course()
    mine.stage, mine.passes = what, 0
    for tell in mine.watchers:
        tell()


def another_pass() -> str:
    """Name a pass over the parts of a table; how many a stage takes is not known before."""
    mine = course()
    mine.passes += 1
    return f"pass {mine.passes}"


@contextmanager
def counted(total: float, what: str = "", *, pieces: bool = False, alone: bool = False) -> Iterator[Counted]:
    """Count something up to a total, which is 0 if it is not known."""
    parts, part = course().parts, Counted(total, what, pieces=pieces, alone=alone)
    parts.append(part)
    try:
        yield part
    finally:
        parts.remove(part)


def along(items: Iterable[T], total: int | None = None, what: str = "", *, pieces: bool = False) -> Iterator[T]:
    """Go through items, and let it be seen how many are done."""
    if total is None:
        total = len(items) if isinstance(items, Collection) else 0
    with counted(total, what, pieces=pieces) as part:
        for item in items:
            yield item
            part.done += 1
