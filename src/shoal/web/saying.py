"""What the page says in whole sentences, and how the same is done without it: as a command, and in Python."""

from __future__ import annotations

import shlex
from collections.abc import Mapping, Sequence
from typing import Any

from shoal.column_names import as_option
from shoal.report.discretion import percent
from shoal.schema import Role
from shoal.web.decisions import Aim, Decisions

ROLE_NAMES = {
    Role.IDENTIFIER: "Direct identifier",
    Role.QUASI: "Quasi-identifier",
    Role.SENSITIVE: "Confidential",
    Role.PLAIN: "Not identifying",
    Role.SUBJECT: "Tells people apart",
    Role.WEIGHT: "Survey weight",
}
ROLE_MEANINGS = {
    Role.IDENTIFIER: "names a person; never released",
    Role.QUASI: "others may know it; made coarser",
    Role.SENSITIVE: "a secret; released as it is, and may be guarded",
    Role.PLAIN: "neither; released as it is",
    Role.SUBJECT: "says which rows are one person's; counted, never released",
    Role.WEIGHT: "a number of the survey; released as it is",
}
METHOD_NAMES = {
    "hilbert": ("Close neighbours", "groups people who are alike in everything; loses least"),
    "mondrian": ("Cuts at medians", "cuts the table in halves again and again; known from other tools"),
    "sorted-clusters": ("Sorted groups", "sorts people and takes them in turn; the plainest way"),
}
GUARD_NAMES = {
    "none": ("No further promise", ""),
    "t-closeness": ("Spread as in the whole table (t-closeness)", "at most this far from the whole table: t ="),
    "l-diversity": ("Several different values (l-diversity)", "at least so many values in every group: l ="),
}


def headline(risk: Mapping[str, Any]) -> str:
    """Say the danger in one sentence.

    >>> headline({"unique": 3, "uniqueness": 0.75, "smallest": 1})
    '75% of people stand alone'
    """
    if not risk["unique"]:
        return "Nobody stands alone"
    return f"{percent(risk['uniqueness'])} of people stand alone"


def finding(risk: Mapping[str, Any]) -> str:
    """Say what the number means for those who know the quasi-identifiers of a person."""
    if risk["unique"]:
        return (
            f"of a person here can find exactly one row for {risk['unique']:,} of {risk['records']:,} people, "
            "and so learn the rest of it."
        )
    return (
        f"of a person here finds at least {risk['smallest']:,} rows that fit equally well. "
        f"With k up to {risk['smallest']:,} there is nothing to do."
    )


def result_line(found: Mapping[str, Any]) -> str:
    """Say in one line what a candidate does."""
    text = (
        f"Keeps {percent(found['kept'])} of the detail · highest risk {percent(1 / found['smallest'])} · "
        f"average risk {percent(found['guess'])} · {found['groups']:,} groups"
    )
    return text + (f" · estimated from {found['sampled']:,} rows" if found.get("sampled") else "")


def comparison(found: Sequence[tuple[str, Mapping[str, Any]]]) -> str:
    """Say in one line how candidates differ.

    >>> a, b = {"kept": 0.9, "guess": 0.2}, {"kept": 0.8, "guess": 0.1}
    >>> comparison([("A", a), ("B", b)])
    'A keeps most detail (90%); B is safest (average risk 10%) and costs 10 points of detail.'
    """
    usable = [(name, each) for name, each in found if "kept" in each]
    if len(usable) < 2:
        return ""
    keeps = max(usable, key=lambda each: each[1]["kept"])
    safest = min(usable, key=lambda each: (each[1]["guess"], -each[1]["kept"]))
    if keeps[0] == safest[0]:
        return f"{keeps[0]} keeps most detail ({percent(keeps[1]['kept'])}) and is safest: the others are beaten."
    points = 100 * (keeps[1]["kept"] - safest[1]["kept"])
    return (
        f"{keeps[0]} keeps most detail ({percent(keeps[1]['kept'])}); {safest[0]} is safest (average risk "
        f"{percent(safest[1]['guess'])}) and costs {points:.2g} points of detail."
    )


def command(source: str, decisions: Decisions, files: Mapping[str, str], audience: str = "internal") -> str:
    """Give the command that writes the same release."""
    aim = decisions.aim
    parts = [f"shoal anonymize {shlex.quote(source)} --out {shlex.quote(files['table'])}"]
    for option, role in (("--quasi", Role.QUASI), ("--sensitive", Role.SENSITIVE), ("--plain", Role.PLAIN)):
        if decisions.of(role):
            parts.append(f"{option} {as_option(decisions.of(role))}")
    if decisions.of(Role.SUBJECT):
        parts.append(f"--subject {shlex.quote(decisions.of(Role.SUBJECT)[0])}")
    if decisions.of(Role.WEIGHT):
        parts.append(f"--weight {shlex.quote(decisions.of(Role.WEIGHT)[0])}")
    for column, place in _trees(decisions).items():
        parts.append(f"--hierarchy {shlex.quote(f'{column}={place}')}")
    parts.append(f"--method {aim.method} --k {aim.k}")
    if aim.guard == "t-closeness":
        parts.append(f"--t {aim.level:g} --t-column {shlex.quote(aim.column)}")
    elif aim.guard == "l-diversity":
        parts.append(f"--l {aim.level:g} --l-column {shlex.quote(aim.column)}")
    parts.append(f"--save-recipe {shlex.quote(files['recipe'])} --report {shlex.quote(files['report'])}")
    parts.append("--audience external" if audience == "external" else "")
    return " \\\n  ".join(filter(None, parts))


def python(source: str, decisions: Decisions, files: Mapping[str, str]) -> str:
    """Give the Python that writes the same release."""
    given = [f"{source!r}"]
    for word, role in (("quasi", Role.QUASI), ("sensitive", Role.SENSITIVE), ("plain", Role.PLAIN)):
        if decisions.of(role):
            given.append(f"{word}={list(decisions.of(role))!r}")
    for role in (Role.SUBJECT, Role.WEIGHT):
        if decisions.of(role):
            given.append(f"{role.value}={decisions.of(role)[0]!r}")
    if decisions.trees:
        given.append(f"hierarchies={_trees(decisions)!r}")
    given.append(f"method={decisions.aim.method!r}")
    given += _levels(decisions.aim)
    arguments = ",\n    ".join(given)
    return (
        "import shoal\n\n"
        f"release = shoal.anonymize(\n    {arguments},\n)\n"
        f"release.write({files['table']!r}, recipe={files['recipe']!r})\n"
    )


def _trees(decisions: Decisions) -> dict[str, str]:
    """Give how the tree of each column is built, or the file that it is written to beside the recipe."""
    return {column: tree.how for column, tree in decisions.trees.items()} | decisions.tree_files


def _levels(aim: Aim) -> list[str]:
    word = {"t-closeness": "t", "l-diversity": "l"}.get(aim.guard)
    return [f"k={aim.k}", *([f"{word}={{{aim.column!r}: {aim.level:g}}}"] if word else [])]
