"""The part of the screen of the risk that is asked for: the population, attackers in it, single records and columns."""

from __future__ import annotations

import re
from typing import Any

from fastapi.responses import Response
from pydantic import BaseModel, Field

from shoal.errors import ParameterError
from shoal.measures.reidentification.thresholds import PRESETS
from shoal.schema import Role
from shoal.web import code_export
from shoal.web.cases.case import Case
from shoal.web.file_access import offered, on_this_computer
from shoal.web.routes.data import FilePath
from shoal.web.routes.shared import BYTES, PATIENCE, Fields, Here, JobStatus, SentFile, Shown, Wait, after, routers, see

api, pages = routers()
_CALLED = "called "  # what fields begin with that say how a column is called in the population
_WHERE = "/risk#who"


class GivenQuestions(BaseModel):
    """What is asked of the risk; what is left out stays as it was."""

    population_size: int | None = Field(None, description="How many people the population has, if that is known.")
    sampling_fraction: float | None = Field(None, description="Or which share of them is in the table.")
    called: dict[str, str] = Field({}, description="How columns are called in the table of the population.")
    threshold: str | float = Field("trusted", description=f"A risk, or one of {', '.join(p.name for p in PRESETS)}.")
    suda: bool = Field(False, description="Score how special rows are (SUDA).")
    screen: bool = Field(False, description="Tell which few columns single people out.")
    why: bool = Field(False, description="Tell why rows are at risk.")


@api.get("/risk/sections")
def sections(case: Here, wait: Wait = 0) -> dict[str, Any]:
    """Give what was asked of the risk, the answers as `shoal risk --json` gives them, and the same in sentences."""
    asked = case.decisions.asked.model_dump(mode="json", exclude={"population": {"path"}})
    return after(case, "sections", wait, lambda: {"asked": asked} | case.known_sections)


@api.put("/risk/questions")
def ask(case: Here, shown: Shown, given: GivenQuestions, wait: Wait = 0) -> dict[str, Any]:
    """Ask something of the risk: for a population, a threshold, rows that are special, columns that identify."""
    with case.changing(shown):
        changed = given.model_dump(exclude_unset=True)
        case.ask_risk(changed | ({"threshold": str(given.threshold)} if "threshold" in changed else {}))
    return sections(case, wait)


@api.put("/population", status_code=202, openapi_extra={"requestBody": BYTES})
def send_population(case: Here, shown: Shown, sent: SentFile, wait: Wait = 0) -> JobStatus:
    """Send a table of the population that the table comes from, as the bytes of the request."""
    with case.changing(shown):
        job = case.take_population(sent, sent=True)
    return JobStatus.of_job(job, wait)


@api.post("/population/open", status_code=202)
def open_population(case: Here, shown: Shown, given: FilePath, wait: Wait = 0) -> JobStatus:
    """Take a table of the population that lies on this computer, in a folder named when the server was started."""
    with case.changing(shown):
        job = case.take_population(on_this_computer(case.settings, given.path), sent=False)
    return JobStatus.of_job(job, wait)


@api.delete("/population", status_code=204)
def forget_population(case: Here, shown: Shown) -> None:
    """Go on without a table of the population."""
    with case.changing(shown):
        case.forget_population()


@pages.post("/risk/questions")
def ask_by_form(case: Here, shown: Shown, form: Fields) -> Response:
    """Ask something of the risk."""
    ask(case, shown, _given({name: str(value).strip() for name, value in form.items()}), PATIENCE)
    return see(_WHERE)


def _given(form: dict[str, str]) -> GivenQuestions:
    size = re.sub(r"[\s.,'’]", "", form.get("population_size", ""))
    if size and not size.isdecimal():
        raise ParameterError("The size of a population is a whole number of at least 1.", "Give how many people.")
    return GivenQuestions(
        population_size=int(size) if size else None,
        sampling_fraction=_share(form.get("sampling_fraction", "")),
        called={name.removeprefix(_CALLED): other for name, other in form.items() if name.startswith(_CALLED) if other},
        threshold=form.get("own_threshold", "").replace(",", ".") or form.get("threshold", "trusted"),
        **{name: name in form for name in ("suda", "screen", "why")},
    )


def _share(text: str) -> float | None:
    """Read a share as people write it.

    >>> _share("0,1"), _share("10 %"), _share("")
    (0.1, 0.1, None)
    """
    number = text.removesuffix("%").strip().replace(",", ".")
    try:
        return float(number) / (100 if text.endswith("%") else 1) if number else None
    except ValueError:
        raise ParameterError(
            "A sampling fraction is above 0 and at most 1.", "It is the share of the population in the table."
        ) from None


pages.by_form("/risk/population", send_population, _WHERE)
pages.by_form("/risk/population/open", open_population, _WHERE)
pages.by_form("/risk/population/remove", forget_population, _WHERE)


def sections_part(case: Case) -> dict[str, Any]:
    """Give what this part of the screen shows."""
    decisions = case.decisions
    asked, population = decisions.asked, decisions.asked.population
    there = population.columns if population else ()
    return {
        "asked": asked,
        "presets": PRESETS,
        "sections": case.known_sections.get("sections", ()),
        "sections_job": case.jobs.of("sections", decisions.asked_digest),
        "population_job": case.jobs.of("population"),
        "population_gone": population is not None and case.population_file() is None,
        "other_names": [name for name in decisions.of(Role.QUASI) if name not in there] if population else [],
        "others_there": [name for name in there if name not in decisions.of(Role.QUASI)],
        "surveyed": [name for role in (Role.WEIGHT, Role.HOUSEHOLD) for name in decisions.of(role)],
        "files": offered(case.settings),
        "at_risk": case.known_sections.get("risk", {}).get("why", {}).get("records", 0),
        "reasons": case.known_reasons,
        "reasons_job": case.reasons_job,
        "risk_command": code_export.risk_command(case.file.name, decisions) if case.file else "",
    }
