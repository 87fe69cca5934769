"""The measures that a comparison can be asked for, with what each tells, in plain words."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import MISSING, fields
from functools import cache
from typing import Any

from shoal.catalogue import entries
from shoal.languages import _, number
from shoal.measures import Measure
from shoal.measures.traces.linked_measure import LinkedMeasure
from shoal.report.discretion import percent
from shoal.web.tasks.candidate_messages import CandidateScore
from shoal.web.words import named


@cache
def offered() -> dict[str, type[Measure]]:
    """Give the measures of the catalogue that need nothing, or the name of a column to predict."""
    kinds: dict[str, Any] = dict(entries("measures").items())
    return {
        name: kind for name, kind in kinds.items() if not issubclass(kind, LinkedMeasure) and _needs(kind) <= {"target"}
    }


def asked(name: str, target: str) -> dict[str, str]:
    """Give a measure as the catalogue is asked for it; what is predicted is a column that is named."""
    return {"name": name} | ({"target": target} if "target" in _needs(offered()[name]) else {})


def _needs(kind: Any) -> set[str]:
    lacking = {each.name for each in fields(kind) if each.default is MISSING and each.default_factory is MISSING}
    return lacking | ({"where", "holdout"} & {each.name for each in fields(kind)})


def title(name: str) -> str:
    """Give the name of a measure.

    >>> title("pmse"), title("my-own")
    ('Propensity (pMSE)', 'my-own')
    """
    return named("measures", name)[0]


def meaning(name: str) -> str:
    """Say what a measure tells, and which way is better."""
    kind = offered()[name]
    said = named("measures", name)[1] or (kind.__doc__ or "").partition("\n")[0]
    return _("%(meaning)s; %(direction)s", meaning=said, direction=_(kind.direction))


def written(found: CandidateScore | None) -> str | None:
    """Write what was measured; None if it is not known yet, nothing where there was nothing to measure."""
    if found is None:
        return None
    if found.value is None:
        return "–"
    if offered()[found.measure].range == (0.0, 1.0):
        return percent(found.value)
    return number(round(found.value)) if found.value >= 1000 else number(found.value, ".4g")


def rows(
    measures: Sequence[str], keys: Sequence[str], found: dict[tuple[str, str], CandidateScore]
) -> list[tuple[str, str, list[tuple[str | None, str]]]]:
    """Give for each measure its title, its meaning, and by candidate what was found, or why nothing was."""
    return [
        (
            title(name),
            meaning(name),
            [(written(each), each.problem if each else "") for each in (found.get((name, key)) for key in keys)],
        )
        for name in measures
    ]
