"""Candidates: every method at every level, each made once and measured, so that choosing is looking up."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from shoal.catalogue import build
from shoal.errors import ShoalError
from shoal.measures import Measure
from shoal.measures.class_sizes import ClassSizes
from shoal.measures.granularity import Granularity
from shoal.measures.information_loss import InformationLoss
from shoal.measures.random_reidentification import RandomReidentification
from shoal.measures.uniqueness import Uniqueness
from shoal.models import PrivacyModel
from shoal.releases.anonymization import anonymize
from shoal.releases.release import Release
from shoal.table import Table
from shoal.web.work import Found, Request, Tell, options_of, stages
from shoal.web.work.payers import payers

_MEASURES = (Uniqueness(), RandomReidentification(), ClassSizes(), InformationLoss(), Granularity())


def search(request: Request, tell: Tell) -> Found:
    """Make the candidates of a request one after the other, at first from a sample if the file is large.

    From all rows of a large file only those of the first candidate's method are made, because some methods are slow.
    """
    asked = request["candidates"]
    large = False
    for table, part in stages(request, options_of(request), tell):
        chosen = [each for each in asked if not large or each["method"] == asked[0]["method"]]
        what = "Trying ways to protect" if part is None else "Trying ways on a sample"
        for number, each in enumerate(chosen):
            tell.step(what, number, len(chosen))
            found = _tried(table, each) | {"key": each["key"], "sampled": table.rows if part else None}
            tell.found({"candidate": found})
        large = part is not None
    return {"tried": len(asked)}


def models_of(candidate: Mapping[str, Any]) -> list[PrivacyModel]:
    """Give the promises of a candidate."""
    return [build("models", model) for model in candidate["models"]]


def made(table: Table, candidate: Mapping[str, Any], measures: Sequence[Measure] = ()) -> Release | Found:
    """Make a candidate, or tell why it cannot be made."""
    try:
        method = build("methods", candidate["method"])
        release = anonymize(table, method, models_of(candidate), measures=measures)
    except ShoalError as error:
        return {"impossible": error.what, "remedy": error.remedy}
    if release.broken:
        return {"impossible": release.broken[0].sentence, "remedy": "Ask for less, or take another method."}
    return release


def _tried(table: Table, candidate: Mapping[str, Any]) -> Found:
    release = made(table, candidate, _MEASURES)
    return release if isinstance(release, dict) else _described(table, release)


def _described(original: Table, release: Release) -> Found:
    alone, guess, sizes, loss, coarse = release.scores
    return {
        "sentences": [verdict.sentence for verdict in release.verdicts],
        "levels": [float(verdict.level) for verdict in release.verdicts],
        "uniqueness": float(alone.value),
        "groups": alone.detail["classes"],
        "smallest": alone.detail["smallest_class"],
        "guess": float(guess.value),
        "mean_size": float(sizes.value),
        "sizes": sizes.detail["classes_by_size"],
        "loss": float(loss.value),
        "kept": float(coarse.detail["utility"]),
        "coarse": {name: float(value) for name, value in coarse.detail["per_attribute"].items()},
        "payers": payers(original, release.table),
    }
