"""Templates: how they are found and filled, and what they can do with numbers."""

from __future__ import annotations

import re
from functools import cache
from importlib.resources import files
from typing import Any

from jinja2 import Environment
from markupsafe import Markup
from starlette.responses import HTMLResponse

from shoal.charts import style
from shoal.languages import N_, _, in_line, languages, moment, ngettext, number
from shoal.report.discretion import percent
from shoal.report.look import page_colours
from shoal.report.rendering import environment as templates_of
from shoal.roles import DRAWN
from shoal.schema import Role
from shoal.version import VERSION
from shoal.web import choice_names, wording
from shoal.web.cases.aims import ALONE, GUARD_LETTERS, GUARDS, K_LEVELS, K_MOST, METHODS, place_of
from shoal.web.cases.case import Case
from shoal.web.cases.decisions import MOST_PINNED
from shoal.web.cases.method_steps import FIRST_SETTING, SETTING, THEN_SETTING, parameters, promises, written
from shoal.web.cases.promise_terms import TERM, terms_of
from shoal.web.first_look import first_look
from shoal.web.guard import is_loopback
from shoal.web.page_figure import Drawing
from shoal.web.proof_words import proof_line
from shoal.web.reported import drawn, of_section, reported
from shoal.web.settings import SUFFIXES
from shoal.web.tasks.job import Job
from shoal.web.uploads import room
from shoal.web.words import named, names

STEPS = {
    "data": N_("Data"),
    "roles": N_("Roles"),
    "risk": N_("Risk"),
    "protect": N_("Protect"),
    "compare": N_("Compare"),
    "release": N_("Release"),
}


@cache
def environment() -> Environment:
    """Make the templates ready."""
    made = templates_of("shoal.web", "shoal.report")
    as_here = (percent, room, shape, without_options, in_line, reported, remedied, of_section, moment)
    made.filters |= {each.__name__: each for each in (*as_here, wording.about, wording.estimate, wording.highest)}
    filters: dict[str, Any] = {
        "count": number,
        "size": _size,
        "figure": _figure,
        "drawn": lambda picture: Markup(drawn(picture)),  # noqa: S704 - by a task of ours, as below
        "share_or_none": lambda share: "–" if share is None else percent(max(share, 0)),
        "method": choice_names.method_title,
        "meaning": choice_names.method_meaning,
        "secret": wording.secret_line,
        "form": choice_names.form_title,
        "candidate": choice_names.candidate_title,
        "proof": proof_line,
    }
    made.filters |= filters
    called = (first_look, is_loopback, parameters, place_of, promises, terms_of, written, Role)
    made.globals |= {each.__name__: each for each in called}
    made.globals |= {
        "LANGUAGES": languages(),
        "endings": ",".join(SUFFIXES),
        "CONFIRMATIONS": wording.CONFIRMATIONS,
        "NO_PROMISE": wording.NO_PROMISE,
        "TERM": TERM,
        "SETTING": SETTING,
        "FIRST_SETTING": FIRST_SETTING,
        "THEN_SETTING": THEN_SETTING,
        "METHOD_NAMES": names("methods"),
        "GUARD_LETTERS": GUARD_LETTERS,
        "ALONE": ALONE,
        "SLIDERS": GUARDS,
        "K_LEVELS": K_LEVELS,
        "K_MOST": K_MOST,
        "MOST_PINNED": MOST_PINNED,
        "VERSION": VERSION,
        "ENCODINGS": wording.ENCODINGS,
    }
    return made


def _size(count: int) -> str:
    """Write a number of bytes.

    >>> _size(512), _size(2_500_000)
    ('512 bytes', '2.5 MB')
    """
    for unit, name in ((10**9, "GB"), (10**6, "MB"), (10**3, "kB")):
        if count >= unit:
            return f"{number(count / unit, '.3g')} {name}"
    return ngettext("%(num)s byte", "%(num)s bytes", count)


def shape(cell: str) -> str:
    """Give a cell with all letters and digits alike, so that one sees how it is written and not what it says.

    >>> shape("12.5 Ämter")
    '99.9 aaaaa'
    """
    return "".join("9" if sign.isdigit() else "a" if sign.isalpha() else sign for sign in cell)


# What is said with options of commands, and where the page has it.
_CONTROLS = (
    (r"Say --no-header if .*", "Say under 'First line' whether it names the columns or is a record."),
    (r"(?<=If they are names or codes, )say --kind .*", "read the column so under Roles once the file is open."),
    (r"Declare it as --kind .*", "Read the column as categories or codes, under Roles."),
    (r"(?<=If it is one column of text, )say --in-delimiter .*", "choose what is between cells."),
    (r"Name it: --encoding .*", "Say how the file is encoded."),
    (r"Write --at-version .*", "Write its number, or a moment such as 2026-01-31T12:00:00Z."),
    (r"Name its file: --like .*", "Add it under Other files, and choose it among the parameters."),
    (r"Name the column that tells: --subject .*", "Give the column that tells people apart that role."),
    (r"Write --range .*", "Write B3:F200, or B3:F for all rows from the third on."),
    (r"Write --param \w+\.COLUMN=1, or a mapping\.", "Write COLUMN=1."),
    (r"Write \w+\.(?=\w+=)", "Write "),  # of what has a field of its own
    (r"Give one: order=.*", "Give one, such as age -> bands 0,18,65; zip -> prefix 3; sex -> *."),
    (r"--param ", ""),
    (r": --identifier .*=pseudonym:.*", "."),
    (r", --k 5\b.*", "."),
    (r"Give it: --population .*", "Give one on the screen of the risk."),
    (r"Try --points ", "Try "),
    (r"Try --(?:in-delimiter|decimal|thousands) .*", "Choose another sign."),
    (r"Name it: --weight .*", "Give the column of the weights that role."),
)


def without_options(text: str) -> str:
    """Leave out the options of commands in what is said to do: the page has controls for them.

    >>> without_options("Say which delimiter is used (--in-delimiter).")
    'Say which delimiter is used.'
    >>> without_options("Say --no-header if there are no names, or --header if these are names.")
    "Say under 'First line' whether it names the columns or is a record."
    """
    for said, control in _CONTROLS:
        text = re.sub(said, control, text)
    return re.sub(r"\s*\([^()]*--[a-z][^()]*\)", "", text)


def remedied(remedy: str) -> str:
    """Say what is to be done, on the page and in the language of its reader."""
    return reported(without_options(remedy))


def _figure(drawn: Drawing) -> Markup:
    """Give a figure for the page. Charts escape every text that they are given."""
    return Markup(drawn.html())  # noqa: S704


def rendered(name: str, **content: Any) -> str:
    """Fill a template, in the language that is spoken now."""
    return environment().get_template(name).render(**_names(), **content)


def _names() -> dict[str, Any]:
    """Name steps, roles, methods and promises."""
    return {
        "STEPS": {step: _(name) for step, name in STEPS.items()},
        "ROLES": {role.value: named("roles", role.value) for role in Role if role not in DRAWN},
        "METHODS": METHODS,
        "GUARDS": {name: choice_names.guard_title(name) for name in GUARDS},
        "TREATMENTS": {kind: _(name) for kind, name in names("treatments").items()},
        "KINDS": {kind: _(name) for kind, name in names("kinds").items()},
        "BUILDERS": {name: (_(said), names("examples").get(name, "")) for name, said in names("builders").items()},
    }


def framed(case: Case, name: str, **content: Any) -> str:
    """Fill the template of a screen, in its frame. It asks again while work goes on that it shows."""
    whole = {
        "case": case,
        "decisions": case.decisions,
        "history": case.history,
        "step": name,
        "states": states(case),
        "message": None,
        "poll": any(isinstance(each, Job) and not each.over for each in content.values()),
        "again": "",
    } | content
    return rendered(f"{name}.html", **whole)


def part(case: Case, name: str, **content: Any) -> HTMLResponse:
    """Answer with a part of a screen, and with what undoes and carries the version, which stands above it."""
    whole = {"case": case, "decisions": case.decisions, "history": case.history} | content
    return HTMLResponse(rendered(f"{name}.html", **whole) + rendered("tools.html", **whole))


def page(case: Case, name: str, *, status: int = 200, **content: Any) -> HTMLResponse:
    """Answer with a screen."""
    return HTMLResponse(framed(case, name, **content), status)


def states(case: Case) -> dict[str, str]:
    """Give of each step what there is to say: done, something to do, or not yet possible."""
    decisions, opened = case.decisions, case.file is not None
    undecided, pinned = len(decisions.undecided), len(decisions.pinned)
    ready = opened and not decisions.problem
    roles = _("%(count)s to decide", count=undecided) if undecided else N_("done") if ready else N_("to do")
    chosen = (case.candidate(decisions.aim.key) if ready else None) or {}
    open_yet = "" if ready else N_("not yet")
    compared = _("%(count)s of %(most)s", count=pinned, most=MOST_PINNED) if ready and pinned else open_yet
    return {
        "data": "done" if opened else "",
        "roles": roles if opened else "",
        "risk": "done" if ready and case.known_risk.get("complete") else open_yet,
        "protect": "done" if "kept" in chosen else open_yet,
        "compare": compared,
        "release": "done" if case.releases else open_yet,
    }


@cache
def stylesheet() -> str:
    """Give all of the style in one file: figures, colours, and the workbench's own rules."""
    own = files("shoal.web").joinpath("static/workbench.css").read_text(encoding="utf-8")
    return style() + page_colours() + own
