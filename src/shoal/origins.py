"""Where tables come from and go to: what was read and what was written, known again by digests."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from shoal.domains.codebook import Codebook


@dataclass(frozen=True)
class Written:
    """What was written, or read: its SHA-256 and its length.

    The rows of a table in a database have no order of their own: ``sha256`` is then that of its sorted lines, and
    ``in_order`` that of the lines in the order in which they are kept.
    """

    sha256: str
    size: int
    in_order: str = ""


@dataclass(frozen=True)
class Origin:
    """Where a table came from: a name without its folder, its SHA-256, and the kind of object or file it was.

    ``place`` is the full path of a file, and ``beside`` are those of files that were read along with it, such as
    hierarchies. They are never written anywhere: they only keep a release from overwriting its own input. ``written``
    is what the engine's digest would have said of just the bytes or rows that were read, and ``content`` the same of
    the text in a file that may be compressed; frames have neither. ``people`` is how many different values and how many
    filled cells a column has that was left out, though it may tell people apart, if it was easy to count. ``labels`` is
    the index of a pandas frame, for its holder alone. ``codebook`` is what the file of a statistical
    program says of its variables.
    """

    name: str
    sha256: str
    kind: str
    notes: tuple[str, ...] = ()
    given: Mapping[str, Any] = field(default_factory=dict)
    place: str | None = None
    beside: tuple[str, ...] = ()
    written: Written | None = None
    content: Written | None = None
    people: Mapping[str, tuple[int, int]] = field(default_factory=dict)
    labels: Any = field(default=None, repr=False, compare=False)
    codebook: Codebook | None = field(default=None, repr=False, compare=False)

    def __getstate__(self) -> dict[str, Any]:
        """Leave labels behind: what is pickled may be passed on, and they may be names."""
        return self.__dict__ | {"labels": None}


def printable(name: str) -> str:
    """Give a file name as text, whatever bytes it is made of."""
    return name.encode("utf-8", "replace").decode()
