"""The report of a linked release: what is promised of known points, what they are worth now, and what that cost."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import date
from functools import cached_property
from typing import Any

from shoal.assessment.known_points import POINTS, asked_points, unicity_against, unicity_of
from shoal.certification.approval import Approval
from shoal.certification.certificate import DIGITS, Certificate, rounded
from shoal.measures.itemset_retention import ItemsetRetention
from shoal.measures.set_loss import SetLoss
from shoal.measures.unicity import Unicity
from shoal.models.km_anonymity import KmAnonymity
from shoal.releases.release import Release
from shoal.report import words
from shoal.report.discretion import Discretion, percent
from shoal.report.figures import AFTER, BEFORE
from shoal.report.known_points_report import unicity_curves
from shoal.report.linked_warnings import linked_method_section
from shoal.report.page import Page, PageBlock, Section, bullets, joined, named, note, paragraph, table, verdict
from shoal.report.rendering import sentence
from shoal.report.repeating import repeating
from shoal.table import Table
from shoal.version import VERSION


def linked_report(
    release: Release,
    original: Table,
    discretion: Discretion,
    certificate: Certificate | None = None,
    files: Mapping[str, str] | None = None,
    made_on: date | None = None,
) -> str:
    """Give the report of a release whose rows belong to people as one HTML page.

    To readers outside it tells of the original only how many people are singled out there, where that is not few, and
    what was lost as a whole: both with three digits.
    """
    return _LinkedReport(release, original, discretion, certificate, files or {}, made_on or date.today()).page().html()


@dataclass(frozen=True, eq=False)
class _LinkedReport:
    """What the sections are made from; each thing is measured once."""

    release: Release
    original: Table
    discretion: Discretion
    certificate: Certificate | None
    files: Mapping[str, str]
    made_on: date

    @cached_property
    def found(self) -> dict[str, dict[str, Any]]:
        """Whom known points of the original single out in it and in the release."""
        asked = asked_points(POINTS)
        after = unicity_against(self.original, self.release.table, asked)
        return {BEFORE: unicity_of(self.original, asked), AFTER: after}

    @property
    def m(self) -> int | None:
        """How many known points a promise is about."""
        return next((model.m for model in self.release.recipe.models if isinstance(model, KmAnonymity)), None)

    def page(self) -> Page:
        name = self.certificate.content["output"]["name"] if self.certificate else "a release"
        kind = "external version" if self.discretion.external else "internal version: do not pass on"
        asked = self.release.recipe
        used = [*asked.models, *asked.methods, Unicity(), *(asked.measures or ())]
        return Page(
            f"Report on {name}",
            list(self.lead()),
            [
                Section("What is promised", *self.promised(), id="verdict"),
                Section("What is published", *self.published(), id="published"),
                Section("Whom known points single out", *self.unicity(), id="unicity"),
                Section("What it cost", *self.cost(), id="cost"),
                Section("Attacker, and what is not promised", *self.limits(), id="attacker"),
                *([] if (attacks := linked_method_section(self.release)) is None else [attacks]),
                Section("How to do it again", *self.again(), id="repeat"),
                Section("Sign-off", sentence("sign_off", self.approval), id="sign-off"),
                Section("Annex: definitions", *words.definitions(used), id="annex"),
            ],
            f"Made by shoal {VERSION}. This page needs no network and holds no record of anyone.",
            kicker=f"Disclosure control report · {kind}",
        )

    @property
    def approval(self) -> Approval | None:
        return Approval.of(self.certificate.content) if self.certificate else None

    def lead(self) -> Iterator[PageBlock]:
        day = f"{self.made_on.day} {self.made_on:%B %Y}"
        people = self.found[AFTER]["people"]
        yield paragraph(
            joined(
                f"{people:,} people, whose points are made of ", named(self.original.schema.quasi), f". Made on {day}."
            )
        )
        if not self.release.verdicts:
            yield note("No privacy model was asked for. Nothing is promised about these people.")
        elif self.release.holds:
            kept = " ".join(found.sentence for found in self.release.verdicts)
            yield verdict(f"the release keeps every promise that was asked for. {kept}", True, self.change())
        else:
            yield verdict("the release does not keep every promise that was asked for.", False)

    def change(self) -> str:
        """Say in one sentence what was won."""
        m = min(self.m or POINTS[-1], POINTS[-1])
        was, now = (self._share(self._row(name, m)) for name in (BEFORE, AFTER))
        return (
            f"Knowing {_points(m)} of a person singled out {was} of people in the original, and {now} in the release."
        )

    def promised(self) -> Iterator[PageBlock]:
        for found in self.release.verdicts:
            broken = f"It is broken by {found.failing:,} of {found.classes:,} combinations, so nothing was written."
            yield verdict(found.sentence, found.holds, *([] if found.holds else [broken]))
        yield bullets(f"{found.model.name}: counted are {found.convention}." for found in self.release.verdicts)
        if self.release.holds:
            yield "Anybody can count that again in the released file alone, with shoal check."

    def published(self) -> Iterator[PageBlock]:
        heads = {
            "people": "People", "points": "Points, each once per person", "distinct": "Different points",
            "longest": "The most points that one person has", "empty": "People without any point",
        }  # fmt: skip
        sides = [AFTER] if self.discretion.external else [BEFORE, AFTER]
        rows = [{"what": what} | {side: f"{self.found[side][key]:,}" for side in sides} for key, what in heads.items()]
        columns = {"what": ""} | {side: side.capitalize() for side in sides}
        yield table(rows, columns, "How much there is", numeric=sides)
        yield (
            "People have numbers that were drawn at random for this release. How often somebody has a point, and in "
            "which order, is not published."
        )
        if not self.discretion.external:
            yield "What was done, step by step:"
            yield bullets(self.release.steps)

    def unicity(self) -> Iterator[PageBlock]:
        drawn = [
            {"of": name, "points": row["points"], "share": self._drawn(row)}
            for name in (BEFORE, AFTER)
            for row in self.found[name]["unicity"]
        ]
        m = self.m
        yield unicity_curves(drawn, (m, f"m = {m}") if m in POINTS else None)
        rows = [
            {
                "points": f"{before['points']:,}",
                BEFORE: self._share(before),
                AFTER: self._share(after),
                "gone": None if after["not_found"] is None else percent(after["not_found"]),
            }
            for before, after in zip(*(self.found[name]["unicity"] for name in (BEFORE, AFTER)), strict=True)
        ]
        heads = {"points": "Known points", BEFORE: "Singled out in the original", AFTER: "Singled out in the release"}
        heads |= {} if self.discretion.external else {"gone": "Not found in the release"}
        yield table(rows, heads, "By how many points are known", numeric=[*heads][1:])
        if not all(row["exact"] for side in self.found.values() for row in side["unicity"]):
            yield "≈ is an estimate: one set of points was drawn for each of some people, to save time."
        if m is not None:
            yield f"The promise is about up to {_points(m)}. What more single out is measured here, and not promised."

    def _row(self, name: str, points: int) -> Mapping[str, Any]:
        rows: Sequence[Mapping[str, Any]] = self.found[name]["unicity"]
        return next(row for row in rows if row["points"] == points)

    def _share(self, row: Mapping[str, Any]) -> str:
        """Write the share of people who are singled out; outside, not where they are few, or all but a few."""
        share, people = row["share"], row["people"]
        if share is None:
            return "–"
        about = "" if row["exact"] or not share else "≈ "
        return about + (self.discretion.share(share * people, people) if self.discretion.external else percent(share))

    def _drawn(self, row: Mapping[str, Any]) -> float | None:
        share: float | None = row["share"]
        if share is None or not self.discretion.external:
            return share
        shown = self.discretion.drawn(share * row["people"], row["people"])
        return None if shown is None else rounded(shown)

    def cost(self) -> Iterator[PageBlock]:
        external = self.discretion.external
        for found in self.release.scores:
            value, detail = (rounded(found.value) if external else found.value), found.detail
            if found.measure == SetLoss.name:
                yield (
                    f"Set-loss is {value:,.{DIGITS if external else 6}g}: so much of what a point said is lost in the "
                    "mean. 0 is a point that is published as it is; a coarser one counts by the share of the range or "
                    "of the hierarchy that it stands for, and 1 is a point that was removed."
                )
                if not external and "emptied" in detail:
                    left = f", and nothing is left of {detail['emptied']:,} people" if detail["emptied"] else ""
                    yield f"Removed were {detail['suppressed']:,} of {detail['points']:,} points{left}."
            elif found.measure == ItemsetRetention.name:
                yield (
                    f"Itemset-retention is {value:,.{DIGITS if external else 6}g}: this share of the most frequent "
                    "points and pairs of points of the original is no longer among the most frequent of the release. "
                    "Only points that are published as they are count as kept."
                )
                if not external and detail.get("pair_error") is not None:
                    yield (
                        "How many people have the most frequent pairs is off by a mean relative error of "
                        f"{detail['pair_error']:,.4g}, between 0 and 2."
                    )
            else:
                yield f"{found.measure}: {value:,.{DIGITS if external else 6}g}."

    def limits(self) -> Iterator[PageBlock]:
        m, columns = self.m, named(self.original.schema.quasi)
        yield paragraph(
            joined(
                "The attacker looks for one particular person, knows that this person is among the people, and knows "
                "some of their points, without error: ", columns, " of each. Which points are known does not matter "
                "for what is promised; for the shares above they are drawn by chance.",
            )
        )  # fmt: skip
        yield bullets(
            [
                f"Of more than {_points(m)} nothing is promised." if m else "Nothing is promised of known points.",
                "That somebody is among these people is not hidden, nor what all candidates have in common.",
                "That somebody does not have a point is knowledge too, and is not part of what is promised.",
                "How many points somebody has is published; a long trace may be the longest.",
                "Two releases of the same people tell more together than each alone.",
            ]
        )

    def again(self) -> Iterator[PageBlock]:
        return repeating(self.release, self.certificate, self.discretion, self.files)


def _points(number: int) -> str:
    return "one point" if number == 1 else f"{number:,} points"
