"""The report of a private release: what is stated, what that rests on, what can be proved of it, and what it cost."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from datetime import date
from typing import Any

from shoal.certification.approval import Approval
from shoal.certification.certificate import Certificate
from shoal.models.stated import Stated
from shoal.releases.release import Release
from shoal.report import words
from shoal.report.discretion import Discretion
from shoal.report.page import Page, PageBlock, Section, bullets, facts, note, table, verdict
from shoal.report.rendering import sentence
from shoal.report.repeating import repeating
from shoal.report.stated_warnings import stated_method_section
from shoal.version import VERSION


def stated_report(
    release: Release,
    stated: Stated,
    discretion: Discretion,
    certificate: Certificate | None = None,
    files: Mapping[str, str] | None = None,
    made_on: date | None = None,
) -> str:
    """Give the report of a release with a stated promise, such as differential privacy, as one HTML page.

    To readers outside it tells nothing of the original: what it said of that would have no noise.
    """
    return _StatedReport(release, stated, discretion, certificate, files or {}, made_on or date.today()).page().html()


@dataclass(frozen=True, eq=False)
class _StatedReport:
    """What the sections are made from."""

    release: Release
    stated: Stated
    discretion: Discretion
    certificate: Certificate | None
    files: Mapping[str, str]
    made_on: date

    def page(self) -> Page:
        name = self.certificate.content["output"]["name"] if self.certificate else "a release"
        approval = Approval.of(self.certificate.content) if self.certificate else None
        kind = "external version" if self.discretion.external else "internal version: do not pass on"
        asked = self.release.recipe
        return Page(
            f"Report on {name}",
            list(self.lead()),
            [
                Section("What is stated", *self.claim(), id="verdict"),
                Section("What it rests on", *self.rests_on(), id="rests-on"),
                Section("The arithmetic", *self.arithmetic(), id="arithmetic"),
                Section("What it cost", *self.cost(), id="cost"),
                Section("What is not promised", *self.limits(), id="attacker"),
                *([] if (attacks := stated_method_section(self.stated)) is None else [attacks]),
                Section(
                    "How this was made",
                    *repeating(self.release, self.certificate, self.discretion, self.files),
                    id="repeat",
                ),
                Section("Sign-off", sentence("sign_off", approval), id="sign-off"),
                Section(
                    "Annex: definitions",
                    *words.definitions([*asked.models, *asked.methods, *(asked.measures or ())]),
                    id="annex",
                ),
            ],
            f"Made by shoal {VERSION}. This page needs no network and holds no record of anyone.",
            kicker=f"Disclosure control report · {kind}",
        )

    def lead(self) -> Iterator[PageBlock]:
        yield f"{self.release.table.rows:,} rows are released. Made on {self.made_on.day} {self.made_on:%B %Y}."
        yield note(self.stated.sentence)

    def claim(self) -> Iterator[PageBlock]:
        yield (
            "Differential privacy bounds how much anybody can learn from one person's taking part, whatever else is "
            "known. It is a promise about how the numbers came to be, not about how they look."
        )
        yield bullets(self.release.steps)
        for found in self.release.verdicts:
            yield verdict(found.sentence, found.holds)

    def rests_on(self) -> Iterator[PageBlock]:
        yield self.stated.rests_on
        yield bullets(
            [
                "shoal check works out again, from the certificate and the released file alone, the loss that follows "
                "from the sensitivity and the scale of the noise, and that all values lie in their declared domains.",
                "That noise of this scale was drawn at all, and drawn well, cannot be seen in any file.",
                "That the domains were declared without looking at the data is said by who made the release.",
            ]
        )

    def arithmetic(self) -> Iterator[PageBlock]:
        terms = self.stated.terms
        given: dict[str, object] = {name: str(value) for name, value in terms["loss"].items()}
        given["neighbours"] = terms["neighbours"]
        given |= {name: f"{terms[name]:,}" for name in ("records", "class_size", "classes") if name in terms}
        yield facts(given)
        columns = [{"column": name} | _flat(each) for name, each in terms["columns"].items()]
        yield _as_table(columns, "Declared domains, and the noise of each column")
        parts = [{"part": name} | _flat(terms[name]) for name in ("margins", "choices", "pairs") if name in terms]
        if parts:
            yield _as_table(parts, "The parts of the loss")

    def cost(self) -> Iterator[PageBlock]:
        if self.discretion.external:
            yield "How far the release is from the original is known to its holder only: that has no noise."
            return
        for found in self.release.scores:
            yield f"{found.measure}: {found.value:,.6g}."
            single = found.detail.get("per_attribute")
            if isinstance(single, Mapping):
                rows = [{"column": name, "value": f"{value:.4g}"} for name, value in single.items()]
                heads = {"column": "Column", "value": "Distance"}
                yield table(rows, heads, f"{found.measure}, column by column", numeric=["value"])

    def limits(self) -> Iterator[PageBlock]:
        yield bullets(
            [
                "Who has several of the records, or shares them with relatives, is protected less: the loss is for "
                "one record.",
                "What is true of many people stays true: a strong habit of a group can be learned from a release "
                "without anybody of it taking part.",
                "Every further release or answer about the same people adds to the loss.",
                "No record of the release is a person, and a row that looks like one proves nothing about them.",
            ]
        )


def _flat(terms: Mapping[str, Any], prefix: str = "") -> dict[str, str]:
    """Give nested terms as one row of texts."""
    found: dict[str, str] = {}
    for name, value in terms.items():
        if isinstance(value, Mapping):
            found |= _flat(value, f"{name}, ")
        else:
            found[prefix + name] = f"{value:,.6g}" if isinstance(value, float) else str(value)
    return found


def _as_table(rows: list[dict[str, str]], title: str) -> PageBlock:
    names = list(dict.fromkeys(name for row in rows for name in row))
    heads = {name: name.replace("_", " ").capitalize() for name in names}
    return table(rows, heads, title)
