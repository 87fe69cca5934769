"""Reading the table of a request: at first some of its rows, if it is large, then all of them."""

from __future__ import annotations

import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any, TypeVar

from shoal.engines import read
from shoal.engines.io.sampling import Sample, sample
from shoal.schema import SINGLE, ReadOptions, Role, Roles
from shoal.table import Table
from shoal.web.tasks.messages import RolesRequest, TableRequest
from shoal.web.tasks.registry import Reporter

_T = TypeVar("_T")


def evenly(report: Reporter, step: str, items: Sequence[_T]) -> Iterator[_T]:
    """Give items that take about equally long, and report how many are done."""
    begun = time.monotonic()
    for number, item in enumerate(items):
        left = (time.monotonic() - begun) / number * (len(items) - number) if number > 1 else None
        report.step(step, number, len(items), left)
        yield item


def options_of(request: RolesRequest) -> ReadOptions:
    """Give the way to read the table of a request: its roles, its hierarchies, and how its file is laid out."""
    return request.layout.options(roles=roles_of(request.roles), hierarchies=request.hierarchies)


def roles_of(roles: Mapping[str, Role]) -> Roles:
    """Give roles by column as roles with their columns."""
    given = {role: tuple(name for name, value in roles.items() if value == role) for role in Role}
    several = (Role.QUASI, Role.SENSITIVE, Role.PLAIN, Role.IDENTIFIER)
    named: dict[str, Any] = {role.value: given[role] for role in several}
    return Roles(**named | {role.value: next(iter(given[role]), None) for role in SINGLE})


def whole(request: RolesRequest, report: Reporter) -> Table:
    """Give the table of a request with all its rows, however large it is."""
    report.step(f"Reading all of {request.name}")
    return read(request.file, options=options_of(request))


@contextmanager
def sampled(request: TableRequest) -> Iterator[tuple[Path, Sample] | None]:
    """Give a file with some rows of a large file, which is removed afterwards; None if the file is not large."""
    path = request.file
    if path.is_dir() or path.stat().st_size < request.large:
        yield None
        return
    target = request.folder / f"sample{path.suffix if path.suffix in ('.parquet', '.pq') else '.csv'}"
    try:
        part = sample(path, target, request.sample_rows)
        yield (target, part) if part is not None else None
    finally:
        target.unlink(missing_ok=True)


def stages(request: TableRequest, options: ReadOptions, report: Reporter) -> Iterator[tuple[Table, Sample | None]]:
    """Give the table of a request: first some of its rows, if it is large, then all of them."""
    with sampled(request) as part:
        if part is not None:
            report.step("Reading a sample")
            yield read(part[0], options=options), part[1]
    report.step(f"Reading all of {request.name}")
    yield read(request.file, options=options), None
