"""The table of columns: their roles, why they have them, and what was done to each."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from shoal.assessment.inspection import suggested_role
from shoal.kernels import MISSING
from shoal.pseudonyms.treatments import FORM, PSEUDONYM, SHIFT
from shoal.report.columns import ColumnCells
from shoal.report.discretion import Discretion, percent
from shoal.report.page import Html, code, table
from shoal.report.words import ROLES
from shoal.schema import RELEASED, Role
from shoal.table import Table

_TREATED = {PSEUDONYM: "pseudonyms", FORM: "other codes of the same form", SHIFT: "shifted dates"}
HEADS = {"name": "Column", "role": "Role", "kind": "Kind", "done": "In the release", "why": "Why this role"}


def column_table(rows: list[dict[str, Any]]) -> Html:
    """Show the columns."""
    heads = {name: head for name, head in HEADS.items() if any(name in row for row in rows)}
    caption = "Every column of the original and what became of it" if "done" in heads else "Every column and its role"
    return table(rows, heads, caption)


def column_rows(
    original: Table, released: Table | None, cells: Mapping[str, tuple[ColumnCells, ...]], discretion: Discretion
) -> list[dict[str, Any]]:
    """Describe the columns, also those that were left out."""
    why = _reasons(original, cells)
    rows = []
    for attribute in original.schema.attributes:
        row: dict[str, Any] = {"name": code(attribute.name), "role": ROLES[attribute.role], "kind": attribute.axis.kind}
        if released is not None:
            cell_kinds = cells.get(attribute.name, ())
            done = [] if attribute.treatment is None else [_TREATED[attribute.treatment.kind]]
            if not done or attribute.role == Role.QUASI:
                done.append(_done(attribute.role, *cell_kinds, discretion=discretion))
            row["done"] = ", ".join(done)
        rows.append(row | {"why": why[attribute.name]})
    for name in original.schema.left_out:
        rows.append({"name": code(name), "role": "none", "why": "not named"})
        if released is not None:
            rows[-1]["done"] = "left out"
    return rows


def _reasons(original: Table, cells: Mapping[str, tuple[ColumnCells, ...]]) -> dict[str, str]:
    """Compare the roles with those that the columns look like: a difference is worth a second thought."""
    reasons = {}
    for attribute in original.schema.attributes:
        if attribute.name in cells:
            found = cells[attribute.name][0]
            distinct, missing = int(found.shown.sum()), found.missing
        else:
            positions, counts = original.counts(attribute.name)
            missing = int(counts[0]) if positions[0] == MISSING else 0
            distinct = int(positions.size) - (1 if missing else 0)
        kind = attribute.axis.kind
        role, why = suggested_role(attribute.name, kind, distinct, original.rows - missing)
        reasons[attribute.name] = why if role == attribute.role else f"chosen; looks like: {ROLES[role]} ({why})"
    return reasons


def _done(
    role: Role, before: ColumnCells | None = None, after: ColumnCells | None = None, *, discretion: Discretion
) -> str:
    if role not in RELEASED:
        return "counted, not released" if role == Role.SUBJECT else "not released"
    if before is None or after is None:
        return "as it was"
    return ", ".join(_parts(before, after, discretion))


def _parts(before: ColumnCells, after: ColumnCells, discretion: Discretion) -> Iterator[str]:
    """Tell the shares of exact, generalized, hidden and missing cells. All but missing ones are seen in the release."""
    total = int(after.counts.sum())
    coarse = after.informative - after.exact
    if after.exact == total and before.exact == total:
        yield "exact values"
        return
    for count, what in (
        (after.exact, "exact"),
        (coarse, "in sets" if after.axis.nominal else "in ranges"),
        (after.hidden, "hidden (*)"),
    ):
        if count:
            yield f"{percent(count / total)} {what}"
    if after.missing:
        yield f"{discretion.share(after.missing, total)} missing"
