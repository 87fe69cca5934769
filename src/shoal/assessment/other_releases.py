"""Releases of whatever tool, and people outside of them, read as the original was."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from shoal.assessment.comparison import like_original
from shoal.domains.foreign_notation import ForeignColumn
from shoal.domains.hierarchy_builders import COLUMNS, LABELS, builds
from shoal.engines import read
from shoal.engines.io.bounds import bounds_in
from shoal.engines.io.opened import header_of
from shoal.engines.io.streams import at_hand
from shoal.engines.sources import Source
from shoal.errors import SchemaError
from shoal.kernels import MISSING, TOP
from shoal.releases.release import Release
from shoal.roles import Role, Roles
from shoal.schema import ReadOptions
from shoal.table import Table


def release_of(given: Any, before: Table, options: ReadOptions) -> Table:
    """Give a release: whatever columns of the original it has, in whatever order and notation."""
    if isinstance(given, Release):
        return given.table
    if isinstance(given, Table):
        return given
    source, schema = at_hand(given), before.schema
    like = _like(before, options)
    header = _names(source, like)
    bounds = () if header is None else bounds_in(header, schema.quasi)

    def shown(names: Sequence[str]) -> tuple[str, ...]:
        return tuple(name for name in names if header is None or name in header or name in bounds)

    quasi, sensitive = shown(schema.quasi), shown(schema.sensitive)
    if not quasi:
        raise SchemaError.missing_column(next(iter(schema.quasi), ""), header or ())
    nodes = tuple(name for name in sensitive if name in like.hierarchies)  # they may be generalized too
    kept = tuple(name for name in sensitive if name not in nodes)
    like = _of_columns(like, Roles((*quasi, *nodes), kept, shown(schema.of(Role.PLAIN))))
    return read(source, engine=before.engine, options=replace(like, bounds=bounds, foreign=dict(_foreign(before))))


def outsiders_of(given: Any, before: Table, options: ReadOptions) -> Table:
    """Give people who are not in the release: their table is written as the original is."""
    if isinstance(given, Table):
        return given
    like = replace(
        _like(before, options), released=False, decimal=options.decimal, thousands=options.thousands,
        dates=options.dates, header=options.header,
    )  # fmt: skip
    again = {name: how for name, how in options.hierarchies.items() if isinstance(how, str) and _of_values(how)}
    like = replace(like, hierarchies={**like.hierarchies, **again})
    like = _of_columns(like, Roles(before.schema.quasi, before.schema.sensitive))
    return read(at_hand(given), engine=before.engine, options=like)


def _like(before: Table, options: ReadOptions) -> ReadOptions:
    """Read by the kinds of the original and its trees, wherever their files are."""
    trees = {each.name: each.axis.tree for each in before.schema.attributes if each.axis.tree is not None}
    return replace(like_original(before, options), hierarchies=trees)


def _of_values(how: str) -> bool:
    """Tell whether a hierarchy is built over whatever values there are: others have some that the original has not."""
    return builds(how) and how.split(maxsplit=1)[0] not in (COLUMNS, LABELS)


def _of_columns(like: ReadOptions, roles: Roles) -> ReadOptions:
    """Read some columns, and expect no others."""
    parts = ("kinds", "orders", "hierarchies", "knowledge")
    named = {*roles.quasi, *roles.sensitive, *roles.plain}
    about = {part: {name: each for name, each in getattr(like, part).items() if name in named} for part in parts}
    return replace(like, roles=roles, **about)  # type: ignore[arg-type]


def _names(source: Any, options: ReadOptions) -> tuple[str, ...] | None:
    """Give the names of the columns; None of a table in a database."""
    if isinstance(source, Source):
        return header_of(source, options)
    names = getattr(source, "column_names", None)  # of Arrow, whose columns are no names
    return tuple(map(str, source.columns if names is None else names))


def _foreign(before: Table) -> Iterator[tuple[str, ForeignColumn]]:
    """Say what the original tells of each column, for cells that another tool wrote in its own way."""
    for attribute in before.schema.attributes:
        axis = attribute.axis
        if axis.tree is None and not axis.numeric:
            values = dict.fromkeys(map(str, [] if axis.values is None else axis.values))
            yield attribute.name, ForeignColumn(axis.kind, values)
        elif axis.tree is None:
            ends = before.cells([attribute.name], np.arange(before.rows))
            shown = [side[(side != MISSING) & (side != TOP)] for side in ends]
            low, high = (
                (axis.text(int(side)) for side in (shown[0].min(), shown[1].max())) if shown[0].size else (None, None)
            )
            yield attribute.name, ForeignColumn(axis.kind, (), low, high)
