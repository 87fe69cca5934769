"""The report of a lattice of levels: all its nodes on one map, and the best."""

from __future__ import annotations

from shoal.assessment.exploration import Exploration
from shoal.report.page import Page, PageBlock, Section, facts, note, table
from shoal.version import VERSION

_LISTED = 25


def exploration_report(found: Exploration) -> str:
    """Give what was found of a lattice as one HTML page, for those who may see the table."""
    best = found["best"]
    lead: list[PageBlock] = [note(f"{found.caption()}."), *found.remarks()]
    sections = []
    if best is not None:
        rows = [
            {"column": name, "level": level, "highest": found["heights"][name]}
            for name, level in best["levels"].items()
        ]
        heads = {"column": "Column", "level": "Level", "highest": "Highest level"}
        sections.append(Section("The best levels", table(rows, heads, "Levels of the best combination"), id="best"))
    if found.every is not None:
        sections.append(Section("All combinations of levels", found.figure(), *_leaders(found), id="nodes"))
    known: dict[str, object] = {
        "Input": found["file"],
        "Records": f"{found['records']:,}",
        "Combinations of levels": f"{found['nodes']:,}",
        "Records that may be suppressed": f"{found['suppressible']:,}",
        "What is to be least": found["utility"],
        "Software": f"shoal {VERSION}",
    }
    sections.append(Section("How to do it again", facts(known), id="repeat"))
    return Page(
        f"Levels for {found['file']}",
        lead,
        sections,
        f"Made by shoal {VERSION}. This page needs no network and holds no record of anyone.",
        kicker="Exploration of levels · internal version: do not pass on",
    ).html()


def _leaders(found: Exploration) -> list[PageBlock]:
    """Give the feasible nodes that lose least, in a table."""
    rows = [
        {
            "levels": ", ".join(map(str, each["levels"])),
            "loss": f"{each['loss']:.6g}",
            "outliers": each["outliers"],
            "classes": each["classes"],
        }
        for each in found.leading(_LISTED)
    ]
    heads = {"levels": "Levels", "loss": "Loss", "outliers": "Records suppressed", "classes": "Classes"}
    if not rows:
        return []
    return [
        table(rows, heads, f"The feasible combinations that lose least ({', '.join(found.columns)})", numeric=["loss"])
    ]
