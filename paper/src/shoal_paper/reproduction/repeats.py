"""How far the numbers of the claims hang on what had to be assumed: tables made anew, each with other assumptions."""

from __future__ import annotations

from pathlib import Path

from shoal.assessment.study import Row, kept
from shoal.progress import along, stage
from shoal_paper.datasets.assumptions import Assumptions
from shoal_paper.datasets.discharges import discharges
from shoal_paper.reproduction.case import Case
from shoal_paper.reproduction.claims import check_claims
from shoal_paper.reproduction.experiments import Experiments
from shoal_paper.reproduction.provenance import code_sha256
from shoal_paper.reproduction.records import Records


def repeats(number: int, rows: int, seed: int, cache: Path | None) -> list[Row]:
    """Measure the claims on so many tables, of which not only the seed but all assumptions are drawn anew."""
    found: list[Row] = []
    for draw in along(range(1, number + 1)):
        stage(f"table {draw} of {number}")
        name = f"repeat-{code_sha256()[:24]}-{rows}-{seed}-{draw}"
        found += kept(cache, name, lambda draw=draw: _repeat(draw, rows, seed))  # type: ignore[misc]
    return found


def _repeat(draw: int, rows: int, seed: int) -> list[Row]:
    case = Case(Records.of(discharges(rows, seed + draw, assumptions=Assumptions.drawn(draw))), made_up=True)
    claims = check_claims(Experiments(case, beyond=False).results(), case)
    return [{"draw": draw, "id": claim.id, "measured": claim.measured} for claim in claims]
