"""The protocol of a pool: what stores the parts of tables, runs work on them, and moves rows between them.

A part is a mapping of names to NumPy arrays (numbers or booleans; matrices are allowed). A handle stands for a sequence
of parts, numbered from 0. Work is a pure function: a lost part is computed again, perhaps on another machine. It runs
where the part lies, so it must be picklable (`cloudpickle`) and hold nothing large.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import Any, Protocol, TypeVar

from numpy.typing import NDArray

Part = Mapping[str, NDArray[Any]]
# What gives a small summary of a part: ``summarize(number, part)``.
Summarize = Callable[[int, Part], Any] | None
T = TypeVar("T")


class Handle(Protocol):
    """A sequence of parts in a pool, which frees them when nothing refers to the handle any more."""

    @property
    def parts(self) -> int:
        """The number of parts."""
        ...

    @property
    def summaries(self) -> Sequence[Any]:
        """The summary of each part, computed when it was created; empty if none was asked for."""
        ...


class Pool(Protocol):
    """Where parts are stored and processed.

    An operation that creates parts can return a small summary of each in the same pass (``summarize``); on a cluster
    this saves a job.
    """

    def put(self, parts: Iterable[Part], *, summarize: Summarize = None) -> Handle:
        """Store parts that are created by the caller, one after the other."""
        ...

    def map(self, work: Callable[..., Part], *handles: Handle, summarize: Summarize = None) -> Handle:
        """Compute a new part from each: ``work(number, *parts)`` gets the parts with this number of all handles."""
        ...

    def collect(self, work: Callable[..., T], *handles: Handle) -> list[T]:
        """Return a small result for each part to the caller, in order: what ``work(number, *parts)`` returns."""
        ...

    def shuffle(
        self, work: Callable[..., Iterable[Part]], parts: int, *handles: Handle, summarize: Summarize = None
    ) -> Handle:
        """Move rows to ``parts`` new parts: ``work(number, *parts)`` gives the rows that go to each, one by one.

        A new part concatenates what it was sent, column by column, in the order of the senders. Every sender gives
        every receiver the same columns with the same types, though perhaps no rows.
        """
        ...

    def stream(self, handle: Handle) -> Iterator[Part]:
        """Return the parts to the caller one by one, in order, never all at once."""
        ...
