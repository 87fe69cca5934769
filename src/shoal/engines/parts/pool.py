"""What holds parts of a table and works on them: files on one machine, or the memory of many.

A part is a mapping of names to NumPy arrays (numbers or booleans; matrices are allowed). A handle stands for a row of
parts, numbered from 0. Work is a function without side effects that gives the same for the same parts, whoever does
it and however often: what was lost is made again. It runs where the part lies, so it must be picklable
(`cloudpickle`) and hold nothing large.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import Any, Protocol, TypeVar

from numpy.typing import NDArray

Part = Mapping[str, NDArray[Any]]
T = TypeVar("T")


Telling = Callable[[int, Part], Any] | None


class Handle(Protocol):
    """A row of parts that a pool holds. It is let go when nobody refers to it any more."""

    @property
    def told(self) -> Sequence[Any]:
        """Something small about each part, found when it was made: what ``tell(number, part)`` gave."""
        ...

    @property
    def parts(self) -> int:
        """How many there are."""
        ...


class Pool(Protocol):
    """Where parts lie and who works on them.

    Whoever makes parts may ask at once for something small about each (``tell``), which spares a visit to them later.
    """

    def put(self, parts: Iterable[Part], *, tell: Telling = None) -> Handle:
        """Keep parts that are made here, one after the other."""
        ...

    def each(self, work: Callable[..., Part], *handles: Handle, tell: Telling = None) -> Handle:
        """Make a part of each: ``work(number, *parts)`` is given the parts of that number from every handle."""
        ...

    def gather(self, work: Callable[..., T], *handles: Handle) -> list[T]:
        """Bring something small from each part here, in their order: what ``work(number, *parts)`` gives."""
        ...

    def exchange(
        self, work: Callable[..., Sequence[Part]], parts: int, *handles: Handle, tell: Telling = None
    ) -> Handle:
        """Move rows between parts: ``work(number, *parts)`` gives what goes to each of so many new parts.

        A new part holds what was sent to it, one behind the other in the order of the parts it came from, column by
        column. Every sender gives the same columns, of the same types, to every receiver, though perhaps no rows.
        """
        ...

    def stream(self, handle: Handle) -> Iterator[Part]:
        """Bring the parts here one by one, in their order, never all at once."""
        ...


class Lazy(ABC):
    """What is made beside the parts of a table when someone wants it."""

    @property
    @abstractmethod
    def column(self) -> Handle:
        """What there is for each record, beside the parts of the table."""


# One number per record, beside the parts of a table: there already, or found when it is wanted.
Beside = Handle | Lazy


def home(column: Beside) -> Handle:
    """Give what lies beside the parts of a table, and make it if nobody has."""
    return column.column if isinstance(column, Lazy) else column
