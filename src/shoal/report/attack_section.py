"""How a release was attacked, and with what success: a section of its report."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from shoal.assessment.set_aside import attacked
from shoal.attacks import Success
from shoal.attacks.words import share
from shoal.releases.release import Release
from shoal.report.page import PageBlock, bullets, code, joined, table
from shoal.table import Table

MOST = 100_000  # records of a table that is attacked for its report


def attacked_by(release: Release, original: Table) -> Iterator[PageBlock]:
    """Attack a release, made again without some people, and set each success beside what happens to these."""
    by_hand = joined(code("shoal attack ORIGINAL RELEASED --holdout OTHERS"), " tries all attacks on a release.")
    if original.rows > MOST:
        yield joined(f"Tables of more than {MOST:,} records are not attacked for a report. ", by_hand)
        return
    found = attacked(release, original)
    if found is None:
        yield joined("It could not be masked again without some of its people, so nothing was attacked. ", by_hand)
        return
    yield (
        "The table was masked again in the same way without a fifth of its people, drawn by chance, and the result was "
        "attacked. What succeeds with those who are not in it as well says nothing about anyone in it: the residual "
        "risk is what is left beyond that."
    )
    heads = {"what": "Attack", "rate": "Succeeds", "control": "With people outside", "residual": "Residual risk"}
    yield table(
        list(map(_row, found)), heads, "Attacks, and what is left of them", numeric=("rate", "control", "residual")
    )
    yield bullets(each.sentence for each in found)
    yield by_hand


def _row(found: Success) -> dict[str, Any]:
    return {
        "what": found.name,
        "rate": share(found.rate),
        "control": "–" if found.control is None else share(found.control),
        "residual": "–" if found.residual is None else share(max(found.residual, 0.0)),
    }
