"""What attackers can still try on a linked release though its promise holds, and which option prevents it."""

from __future__ import annotations

from collections.abc import Iterator

from shoal.measures.set_loss import SetLoss
from shoal.models.km_anonymity import KmAnonymity, within_of
from shoal.models.private_items_model import PrivateItemsModel
from shoal.releases.release import Release
from shoal.report.method_warnings import section_of, wide_columns
from shoal.report.page import Html, Section, code, joined, named


def linked_method_section(release: Release) -> Section | None:
    """Give the section of a report about attacks by people who know how traces were masked."""
    return section_of(linked_warnings(release))


def linked_warnings(release: Release) -> Iterator[Html]:
    """Give one sentence for each attack that applies, with the option that prevents it if there is one."""
    models = release.recipe.models
    open_ends = wide_columns(release.table, within_of(models), in_tree=False)
    if open_ends:
        yield joined(
            "An end of a range of ",
            named(open_ends),
            " may be the value of one person, whom “in this group, and at the end of its range” then singles out: ",
            code("--hierarchy"),
            " shows groups that do not depend on anyone’s value.",
        )
    private = [model for model in models if isinstance(model, PrivateItemsModel)]
    if not private:
        yield joined(
            "All who have the points that somebody knows may have one more point in common, and then everybody has it "
            "who was found: ",
            code("--model 'rho-uncertainty rho=0.5 m=2 private=ITEM'"),
            " bounds how surely a private item is learned.",
        )
    known = next((model.m for model in models if isinstance(model, KmAnonymity)), None)
    if known is not None:
        yield joined(
            f"Of more than {known:,} known points nothing is promised, and people with long traces are found by few: ",
            code(f"--m {known + 1}"),
            " promises more, and ",
            code("shoal compare --linked --points"),
            " measures how many are found.",
        )
    if any(found.measure == SetLoss.name and found.value > 0 for found in release.scores):
        yield joined(
            "Points were removed, or made coarser, only where they had to be, which tells who knows the method that "
            "too few people had them together with others: a larger ",
            code("--k"),
            " makes that say less of anyone.",
        )
    yield joined(
        "That somebody does not have a point is knowledge too, and a trace without it may be the only one that fits: ",
        code("--hierarchy"),
        " makes points coarser, so that fewer people lack them.",
    )
    yield joined(
        "Numbers of people are new in every release, and yet a long trace is recognized in the next one by its points: "
        "release once, or other columns only (",
        code("--quasi"),
        ").",
    )
