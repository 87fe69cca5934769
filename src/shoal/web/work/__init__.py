"""What is done with tables, each task in a process of its own that can be ended at any time.

A task is a function of a request, which is made of plain values, and of `Tell`, by which it says how far it is and what
it has found so far. What it gives back is made of plain values, too. No task gives back a cell unless it was asked for
exactly that.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Protocol

from shoal.engines import read
from shoal.engines.io.sampling import Sample, sample
from shoal.schema import ReadOptions, Role, Roles
from shoal.table import Table

Request = Mapping[str, Any]
Found = dict[str, Any]
LARGE = 24 << 20  # bytes from which a file is first looked at in part
SAMPLE_ROWS = 50_000


class Tell(Protocol):
    """Says how far a task is, and hands over what is known already."""

    def step(self, what: str, done: int = 0, of: int = 0) -> None:
        """Say what is being done, and how much of it."""
        ...

    def found(self, part: Found) -> None:
        """Hand over what is known already."""
        ...


Task = Callable[[Request, Tell], Found]


def options_of(request: Request) -> ReadOptions:
    """Give the way to read the table of a request: its roles, and how its file is laid out."""
    given = dict(request.get("layout", {}))
    if "missing" in given:
        given["missing"] = tuple(given["missing"])
    return ReadOptions(roles=roles_of(request["roles"]), hierarchies=request.get("hierarchies", {}), **given)


def roles_of(roles: Mapping[str, str]) -> Roles:
    """Give roles by column as roles with their columns."""

    def having(role: Role) -> tuple[str, ...]:
        return tuple(name for name, value in roles.items() if value == role)

    return Roles(
        quasi=having(Role.QUASI),
        sensitive=having(Role.SENSITIVE),
        plain=having(Role.PLAIN),
        identifier=having(Role.IDENTIFIER),
        subject=next(iter(having(Role.SUBJECT)), None),
        weight=next(iter(having(Role.WEIGHT)), None),
    )


@contextmanager
def sampled(request: Request) -> Iterator[tuple[Path, Sample] | None]:
    """Give a file with some rows of a large file, which is removed afterwards; None if the file is not large."""
    path = Path(request["file"])
    if path.stat().st_size < int(request.get("large", LARGE)):
        yield None
        return
    target = Path(request["folder"]) / f"sample{path.suffix if path.suffix in ('.parquet', '.pq') else '.csv'}"
    try:
        part = sample(path, target, int(request.get("sample_rows", SAMPLE_ROWS)))
        yield (target, part) if part is not None else None
    finally:
        target.unlink(missing_ok=True)


def stages(request: Request, options: ReadOptions, tell: Tell) -> Iterator[tuple[Table, Sample | None]]:
    """Give the table of a request: first some of its rows, if it is large, then all of them."""
    with sampled(request) as part:
        if part is not None:
            tell.step("Reading a sample")
            yield read(part[0], options=options), part[1]
    tell.step(f"Reading all of {request['name']}")
    yield read(request["file"], options=options), None
