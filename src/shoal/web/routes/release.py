"""The screen of the release: what is to be checked before it is written, and what has been written."""

from __future__ import annotations

import base64
import hashlib
import re
from pathlib import Path
from typing import Annotated, Any, Literal

from fastapi import Form, Query
from fastapi.responses import FileResponse, HTMLResponse, Response
from pydantic import BaseModel, Field

from shoal.certification.approval import Approval
from shoal.engines.file_forms import bare
from shoal.engines.io.written_forms import written_forms
from shoal.errors import ParameterError
from shoal.extras import how_to_install
from shoal.languages import _
from shoal.report.pdf import installed
from shoal.schema import Role
from shoal.web import code_export, wording
from shoal.web.cases.aims import Aim
from shoal.web.cases.case import PDF_REMEDY, Case
from shoal.web.cases.history import now
from shoal.web.choice_names import form_title
from shoal.web.errors import StaleError
from shoal.web.file_access import release_names
from shoal.web.guard import style_policy
from shoal.web.page_templates import page, rendered
from shoal.web.routes.protect import GivenAim, candidates
from shoal.web.routes.shared import PATIENCE, Here, JobStatus, Shown, Wait, file_to_keep, made_anew, routers, see
from shoal.web.wording import CONFIRMATIONS, NO_PROMISE
from shoal.web.words import names

api, pages = routers()


ENDINGS = [each.ending.removeprefix(".") for each in written_forms()]
Cells = Literal["text", "bounds", "middle"]


class GivenRelease(GivenAim):
    """How a table is to be protected, and how the release is written."""

    format: str = Field("csv", max_length=20, description=f"How the name of the table ends: {', '.join(ENDINGS)}.")
    cells: Cells | None = Field(None, description="How ranges are shown; as suits the file if left out.")
    audience: Literal["internal", "external"] = "internal"
    pdf: bool = Field(False, description="The report also as PDF, for which `shoal[report]` must be installed.")
    approver: str = Field("", max_length=200, description="Who approves it; stands in certificate and report.")
    confirmations: list[Annotated[str, Field(max_length=500)]] = Field(
        [], max_length=20, description="What a person has confirmed; stands in certificate and report."
    )


class ReleaseSummary(BaseModel):
    """A release that has been written."""

    id: str
    kept: bool
    beside: bool = Field(False, description="Whether new releases of the open case are laid beside it.")
    label: str
    files: dict[str, dict[str, Any]]
    verdicts: list[dict[str, Any]]
    scores: dict[str, float]
    proved: list[str]
    not_proved: list[str]
    by_original: list[str] = Field(
        [], description="Those of `proved` that only the original and the private record show."
    )
    together: list[str] = Field(
        [], description="Those of `proved` and `not_proved` that say what it tells together with earlier releases."
    )
    sha256: str


@api.post("/anonymize", status_code=202)
def anonymize(case: Here, shown: Shown, given: GivenRelease, wait: Wait = 0) -> JobStatus:
    """Write a release as a job. When it is done, the release has the name of the job."""
    approval = Approval(now()[:10], given.approver.strip(), tuple(given.confirmations))
    with case.changing(shown):
        case.choose(given.aim)
        job = case.publish(
            approval, ending=f".{given.format}", audience=given.audience, cells=given.cells, pdf=given.pdf
        )
    return JobStatus.of_job(job, wait)


def _summary(case: Case, id: str) -> ReleaseSummary:
    found = case.released(id)
    return ReleaseSummary(**{**found.summary, "id": found.id, "kept": found.kept, "beside": case.lies_beside(found)})


@api.get("/releases")
def releases(case: Here) -> list[ReleaseSummary]:
    """List the releases that have been written, those of earlier days included if they were kept."""
    return [_summary(case, id) for id in list(case.releases)]


@api.post("/releases/{id}/keep")
def keep(case: Here, shown: Shown, id: str) -> ReleaseSummary:
    """Let a release outlive the server."""
    with case.changing(shown):
        case.keep(id)
    return _summary(case, id)


@api.delete("/releases/{id}", status_code=204)
def forget(case: Here, shown: Shown, id: str) -> None:
    """Remove a release."""
    with case.changing(shown):
        case.forget(id)


@api.get("/releases/{id}/{name}", response_class=FileResponse)
def download(case: Here, id: str, name: str) -> FileResponse:
    """Give a file of a release."""
    return file_to_keep(case.released(id).file(name))


GONE = (Role.IDENTIFIER, Role.SUBJECT, Role.HOUSEHOLD)
KEPT = (Role.SENSITIVE, Role.PLAIN, Role.WEIGHT, Role.STRATUM)


@pages.get("/release")
def release(case: Here) -> HTMLResponse:
    """Show what is to be checked before a release is written, and what has been written."""
    case.jobs.wait("publish", PATIENCE)
    decisions = case.decisions
    ready = case.file is not None and not decisions.problem
    return page(
        case,
        "release",
        **(_chosen(case, PATIENCE) if ready else {"found": None, "trying": False}),
        apart=False,
        aim=decisions.aim,
        gone=[name for role in GONE for name in decisions.of(role) if name not in decisions.treatments],
        treated=decisions.treatments,
        as_it_is=[name for role in KEPT for name in decisions.of(role) if name not in decisions.treatments],
        **_code(case),
        job=case.jobs.of("publish"),
        pdf=installed(),
        pdf_remedy=PDF_REMEDY,
        **_forms(),
        written=case.written,
        older=[each for each in reversed(case.releases.values()) if each is not case.written],
    )


def _forms() -> dict[str, Any]:
    """Give the endings that a release can be written with, by what such files are, and what others need."""
    here: dict[str, list[str]] = {}
    others: dict[str, list[str]] = {}
    for each in written_forms():
        if each.installed:
            here.setdefault(form_title(each.form.format), []).append(each.ending)
        else:
            others.setdefault(f"{how_to_install(each.extra)}, then start the workbench again.", []).append(each.ending)
    return {"forms": here, "not_installed": others}


def _chosen(case: Case, patience: float = 0) -> dict[str, Any]:
    """Give what is known of the candidate that is chosen; if nothing is, it is tried."""
    key = case.decisions.aim.key
    if case.candidate(key) is None:
        candidates(case, patience)
    trying = case.jobs.at_work("search")  # asked before what it may just have found
    found = case.candidate(key)
    left, forbidden = names("left"), (found or {}).get("forbidden", {})
    return {
        "found": found,
        "forbidden": {name: _(left.get(form, left["nothing"])) for name, form in forbidden.items()},
        "line": wording.result_line(found, case.decisions.of(Role.QUASI)) if found and "kept" in found else "",
        "trying": trying and (found is None or bool(found.get("sampled"))),
    }


@pages.get("/release/chosen")
def chosen_part(case: Here, version: Annotated[str, Query(max_length=200)] = "") -> Response:
    """Show what the choice gives, and whether it can be written; a screen that shows another choice is made anew."""
    if version != case.version or case.decisions.problem:
        return made_anew("/release")
    shown = {"case": case, "job": case.jobs.of("publish"), **_chosen(case)}
    return HTMLResponse(rendered("chosen.html", **shown) + rendered("write.html", apart=True, **shown))


@pages.post("/release/write")
def write(
    case: Here,
    shown: Shown,
    key: Annotated[str, Form(max_length=2000)],
    format: Annotated[str, Form(max_length=20)] = "csv",
    cells: Annotated[Cells | Literal[""], Form()] = "",
    audience: Annotated[Literal["internal", "external"], Form()] = "internal",
    approver: Annotated[str, Form(max_length=200)] = "",
    looked: Annotated[bool, Form()] = False,
    others: Annotated[bool, Form()] = False,
    nothing: Annotated[bool, Form()] = False,
    pdf: Annotated[bool, Form()] = False,
) -> Response:
    """Write the release that was confirmed: that of this version of the case, protected in this way."""
    confirmed = Aim.of(key)
    found = case.candidate(confirmed.key) or {}
    promised = bool(confirmed.models or found.get("rule"))
    if not (looked and others and (nothing or promised)):
        raise ParameterError("The checklist is not complete.", "Confirm all points that only a person can check.")
    said = *CONFIRMATIONS.values(), *(() if promised else (NO_PROMISE,))
    approval = Approval(now()[:10], approver.strip(), said)
    with case.changing(shown):
        if confirmed != case.decisions.aim:
            raise StaleError([f"{confirmed.label} → {case.decisions.aim.label}"])
        case.publish(approval, ending=f".{format}", audience=audience, cells=cells or None, pdf=pdf)
    return see("/release")


pages.by_form("/release/{id}/keep", keep, "/release")
pages.by_form("/release/{id}/forget", forget, "/release")


@pages.get("/release/{id}/report")
def report(case: Here, id: str) -> HTMLResponse:
    """Show the report of a release. It brings its own style, which is let in by its hash, and nothing that runs."""
    found = case.released(id)
    text = found.file(found.summary["files"]["report"]["name"]).read_text(encoding="utf-8")
    styles = re.findall(r"<style>(.*?)</style>", text, re.DOTALL)
    hashes = [base64.b64encode(hashlib.sha256(style.encode()).digest()).decode() for style in styles]
    return HTMLResponse(text, headers={"Content-Security-Policy": style_policy(hashes)})


pages.get("/release/{id}/file/{name}")(download)


@api.get("/releases/{id}.zip", response_class=FileResponse)
def archive(case: Here, id: str) -> FileResponse:
    """Give all files of a release in one; what must not be published lies in a folder of its own."""
    found = case.released(id)
    name = f"{bare(Path(found.summary['files']['table']['name'])).stem}.zip"
    return FileResponse(found.archive(), filename=name, media_type="application/zip")


pages.get("/release/{id}/all.zip")(archive)


@pages.get("/same")
def same(case: Here) -> HTMLResponse:
    """Show how the same is done without the page."""
    return page(case, "same", **_code(case))


def _code(case: Case) -> dict[str, Any]:
    """Say whether all is decided, and how the same is done then on the command line and in Python."""
    if case.file is None or case.decisions.problem:
        return {"ready": False, "command": "", "python": ""}
    written = {} if case.written is None else case.written.summary
    files = {kind: each["name"] for kind, each in written["files"].items()} if written else {}
    files = files or release_names(case.file.name, beside=case.decisions.names_beside)
    given = case.file.name, case.decisions, files
    cells, audience = written.get("cells"), written.get("audience", "internal")
    kept = (case.candidate(case.decisions.aim.key) or {}).get("rule")
    rule = case.decisions.rule if kept else {}
    return {
        "ready": True,
        "command": code_export.command(*given, audience=audience, cells=cells, rule=rule),
        "python": code_export.python(*given, cells=cells, rule=rule),
    }
