"""The report of a release: what was promised and holds, what risk is left, what it cost, and how to do it again."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from datetime import date
from functools import cached_property
from typing import Any

from shoal.catalogue import describe, in_words
from shoal.certification.approval import Approval
from shoal.certification.certificate import DIGITS, Certificate
from shoal.measures import Measure, Score, score
from shoal.measures.attribute_disclosure import AttributeDisclosure
from shoal.measures.class_sizes import ClassSizes
from shoal.measures.correlation_shift import CorrelationShift
from shoal.measures.homogeneity import Homogeneity
from shoal.measures.information_loss import InformationLoss
from shoal.measures.random_reidentification import RandomReidentification
from shoal.measures.uniqueness import Uniqueness
from shoal.models import Verdict, check
from shoal.models.k_anonymity import KAnonymity
from shoal.models.t_closeness import TCloseness
from shoal.releases.release import Release
from shoal.report import words
from shoal.report.attack_section import attacked_by
from shoal.report.column_table import column_rows, column_table
from shoal.report.columns import ColumnCells
from shoal.report.cost_section import cost
from shoal.report.discretion import Discretion, percent
from shoal.report.figures import AFTER, BEFORE, Side, class_sizes, uniqueness_by_knowledge
from shoal.report.linked_report import linked_report
from shoal.report.method_warnings import method_section
from shoal.report.page import Page, PageBlock, Section, bullets, joined, note, table, verdict
from shoal.report.preserved_words import preserved_words
from shoal.report.rendering import sentence
from shoal.report.repeating import repeating
from shoal.report.stated_report import stated_report
from shoal.schema import Schema
from shoal.table import Table
from shoal.version import VERSION

_ALWAYS = (Uniqueness(), RandomReidentification(), ClassSizes(), InformationLoss(), CorrelationShift())


def release_report(
    release: Release,
    original: Table,
    *,
    audience: str = "internal",
    certificate: Certificate | None = None,
    threshold: int | None = None,
    files: Mapping[str, str] | None = None,
    made_on: date | None = None,
) -> str:
    """Give the report of a release as one HTML page.

    Parameters
    ----------
    release
        What was released, or was not because a promise does not hold.
    original
        The table that it was made from.
    audience
        ``internal``, for those who may see the original; or ``external``, which shows no count below the threshold,
        no name of the input, and of the original only what three digits tell of it as a whole: nothing of single
        columns, groups or sets of columns, from which values could be worked out.
    certificate
        The certificate of the written release, for its hashes.
    threshold
        The smallest count of original records that is shown outside; at least 5 and at least k if left out. A value
        that fewer records have is named in neither version.
    files
        The names of ``recipe`` and ``certificate`` as they were written.
    made_on
        The day on which it was made; today if left out.
    """
    discretion = Discretion.towards(audience, release.recipe.models, threshold)
    if release.stated is not None:
        return stated_report(release, release.stated, discretion, certificate, files, made_on)
    if release.people is not None:
        return linked_report(release, original, discretion, certificate, files, made_on)
    return _Report(release, original, discretion, certificate, files or {}, made_on or date.today()).page().html()


@dataclass(frozen=True, eq=False)
class _Report:
    """What the sections are made from; each thing is measured once."""

    release: Release
    original: Table
    discretion: Discretion
    certificate: Certificate | None
    files: Mapping[str, str]
    made_on: date

    @property
    def measures(self) -> tuple[Any, ...]:
        return tuple(self.release.recipe.measures or ())

    @cached_property
    def k(self) -> int | None:
        return next((model.k for model in self.release.recipe.models if isinstance(model, KAnonymity)), None)

    @cached_property
    def verdicts(self) -> tuple[Verdict, ...]:
        """What is said of each model: outside, of promises about people, only that what was promised holds."""
        found, schema = self.release.verdicts, self.release.table.schema
        if not self.discretion.external or schema.subject is None:
            return found
        kept = [(each, each.model.promised) for each in found]
        return tuple(
            replace(each, level=level, sentence=each.model.sentence(level, schema)) if each.holds else each
            for each, level in kept
        )

    @cached_property
    def risks(self) -> dict[str, dict[str, Score]]:
        """What an attacker who knows all quasi-identifiers could do, by table and measure."""
        asked: list[Measure] = [Uniqueness(), RandomReidentification(), ClassSizes()]
        asked += [measure for measure in self.measures if isinstance(measure, AttributeDisclosure)][:1]
        asked += [Homogeneity()] if self.original.schema.sensitive else []
        found = {}
        for name, which in ((BEFORE, self.original), (AFTER, self.release.table)):
            found[name] = {each.measure: each for each in score(which, measures=asked)}
        return found

    @cached_property
    def cells(self) -> dict[str, tuple[ColumnCells, ColumnCells]]:
        names = self.original.schema.quasi
        return {name: (ColumnCells.of(self.original, name), ColumnCells.of(self.release.table, name)) for name in names}

    def page(self) -> Page:
        name = self.certificate.content["output"]["name"] if self.certificate else "a release"
        approval = Approval.of(self.certificate.content) if self.certificate else None
        kind = "external version" if self.discretion.external else "internal version: do not pass on"
        models, methods = self.release.recipe.models, self.release.recipe.methods
        used = [
            *models,
            *methods,
            *_ALWAYS,
            *([Homogeneity()] if self.original.schema.sensitive else []),
            *self.measures,
        ]
        return Page(
            f"Report on {name}",
            list(self.lead()),
            [
                Section("What the verdict means", *self.meaning(), id="verdict"),
                Section("Targets", *self.targets(), id="targets"),
                Section("Columns, roles and what was done", *self.columns(), id="columns"),
                Section("Attacker, and what was not assessed", *self.assumptions(), id="attacker"),
                Section("Risk before and after", *self.risk(), id="risk"),
                *([] if self.discretion.external else [self.attacks()]),
                *self.method(),
                Section("What it cost", *cost(self.release, self.original, self.cells, self.discretion), id="cost"),
                Section("How to do it again", *self.again(), id="repeat"),
                Section("Sign-off", sentence("sign_off", approval), id="sign-off"),
                Section("Annex: definitions", *words.definitions(used), id="annex"),
            ],
            f"Made by shoal {VERSION}. This page needs no network and holds no record of anyone.",
            kicker=f"Disclosure control report · {kind}",
        )

    def lead(self) -> Iterator[PageBlock]:
        records = self.discretion.count(self.original.rows)
        day = f"{self.made_on.day} {self.made_on:%B %Y}"
        yield f"{records} records, {len(self.original.schema.quasi)} quasi-identifiers. Made on {day}."
        against = sentence("against", self.original.schema.quasi)
        if not self.release.recipe.models:
            yield note("No privacy model was asked for. Nothing is promised about this table.")
            yield note(joined(*self._change(), " ", against))
        elif self.release.holds:
            kept = " ".join(found.sentence for found in self.verdicts)
            yield verdict(f"the release keeps every target that was set for it. {kept}", True, *self._change(), against)
        else:
            yield verdict("the table does not keep every target that was set, and was not released.", False, against)

        if "homogeneity" in self.risks[AFTER]:
            yield note(Homogeneity.sentence(self.risks[AFTER]["homogeneity"].detail))
        for each in self.release.identifiers:
            yield note(f"{each.sentence} Who released it attests this: the file cannot show it.")
        for rows in self.release.joined:  # which recipients of the release can count
            yield note(" ".join(rows.sentences))
        for found in self.release.homogeneous:  # which recipients of the release can count
            yield note(found.sentence)
        if self.release.several_rows is not None and not self.discretion.external:
            yield note(self.release.several_rows.sentence)

    def _change(self) -> Iterator[str]:
        """Say in one sentence what was won."""
        (was, now), (guess, then) = (
            [self.risks[name][measure] for name in (BEFORE, AFTER)]
            for measure in ("uniqueness", "random-reidentification")
        )
        alone = self.discretion.share(was.detail["unique"], was.detail["records"])
        yield (
            f"In the original, {alone} of the records stood alone; in the release, {percent(now.value)} do. The mean "
            f"chance of a right guess went from {percent(guess.value)} to {percent(then.value)}."
        )

    def meaning(self) -> Iterator[PageBlock]:
        for found in self.verdicts:
            yield verdict(found.sentence, found.holds, *_meaning(found, self.original))
        if self.k is not None:
            yield sentence("promise_limits")
        schema, models = self.original.schema, self.release.recipe.models
        if schema.sensitive and not any(words.protected_by(model, schema) for model in models):
            yield "No model protects what is confidential: none, such as t-closeness, was asked for."

    def targets(self) -> Iterator[PageBlock]:
        before = check(self.original, self.release.recipe.models)
        rows = []
        for was, now in zip(before, self.verdicts, strict=True):
            what, wanted = _target(now, self.original.schema)
            rows.append(
                {
                    "what": what,
                    "before": self._level(was),
                    "after": f"{now.level:,.4g}",
                    "wanted": wanted,
                    "met": sentence("met", now.holds),
                }
            )
        heads = {"what": "Target", "before": "Original", "after": "Release", "wanted": "Wanted", "met": "Met?"}
        if rows:
            yield table(rows, heads, "What was wanted, and what was found", numeric=("before", "after", "wanted"))
        else:
            yield "No target was set."
        yield bullets(f"{found.model.name}: {found.convention}." for found in self.verdicts)

    def _level(self, found: Verdict) -> str:
        counts = isinstance(found.model, KAnonymity)
        return self.discretion.count(int(found.level)) if counts else f"{found.level:,.{DIGITS}g}"

    def columns(self) -> Iterator[PageBlock]:
        yield column_table(column_rows(self.original, self.release.table, self.cells, self.discretion))
        yield "What was done, step by step:"
        yield bullets(self.release.steps)
        yield from preserved_words(self.release.preserved)
        remarks = [pair[0 if self.discretion.external else 1]["said"] for pair in self.release.table.remarks]
        if remarks:
            yield bullets(remarks)

    def assumptions(self) -> Iterator[PageBlock]:
        schema, asked = self.original.schema, self.release.recipe
        assumed, *gaps = words.assumptions(schema, asked.models, self.measures)
        yield assumed
        if asked.row_order == "input":
            yield note(
                "Rows of the release stand in the order of the original. If that was sorted by something others know, "
                "neighbouring rows bound each other's ranges, and people may be found by the place of their row."
            )
        yield from gaps

    def again(self) -> Iterator[PageBlock]:
        return repeating(self.release, self.certificate, self.discretion, self.files)

    def risk(self) -> Iterator[PageBlock]:
        yield table(
            list(self._risk_rows()),
            {"what": "Risk", "before": "Original", "after": "Release"},
            "Risk if all quasi-identifiers are known",
            numeric=("before", "after"),
        )
        sides = [
            Side(name, dict(found["class-sizes"].detail["classes_by_size"]), name == BEFORE)
            for name, found in self.risks.items()
            if name == AFTER or not self.discretion.external
        ]
        people = self.original.schema.subject is not None
        yield class_sizes(sides, None if people else self.k, self.discretion)
        if people:
            yield "Bars count records. Whether k holds was decided by counting people."
        if not self.discretion.external:
            figure = uniqueness_by_knowledge({BEFORE: self.original, AFTER: self.release.table}, self.discretion)
            if figure is not None:
                yield figure
        for each in self.release.scores:
            yield from in_words(each.measure, each.detail)

    def attacks(self) -> Section:
        return Section("Attacked by", *attacked_by(self.release, self.original), id="attacks")

    def method(self) -> list[Section]:
        found = method_section(self.release, self.original, external=self.discretion.external)
        return [] if found is None else [found]

    def _risk_rows(self) -> Iterator[dict[str, Any]]:
        open_book = Discretion("internal", 2)  # recipients of the release can count in it
        sides = [(self.risks[BEFORE], self.discretion), (self.risks[AFTER], open_book)]

        def row(what: str, pick: Any) -> dict[str, Any]:
            return {"what": what, "before": pick(*sides[0]), "after": pick(*sides[1])}

        def alone(found: Score) -> tuple[int, int]:
            return found.detail["unique"], found.detail["records"]

        yield row("Records that stand alone", lambda found, d: d.part(*alone(found["uniqueness"])))
        yield row("Their share of all records", lambda found, d: d.share(*alone(found["uniqueness"])))
        yield row("Smallest group", lambda found, d: d.count(found["uniqueness"].detail["smallest_class"]))
        yield row("Highest chance of a right guess", _highest)
        yield row("Mean chance of a right guess", lambda found, _: percent(found["random-reidentification"].value))
        for name in self.original.schema.sensitive:
            yield row(
                f"People who share their '{name}' with everybody in their group",
                lambda found, d, name=name: d.share(*_sharing(found["homogeneity"], name)),
            )
        if "attribute-disclosure" in self.risks[BEFORE]:
            where = self.risks[BEFORE]["attribute-disclosure"].detail["where"]
            yield row(
                f"Disclosed without being found ({where})",
                lambda found, d: d.share(*(found["attribute-disclosure"].detail[n] for n in ("disclosed", "records"))),
            )


def _sharing(found: Score, column: str) -> tuple[int, int]:
    """Give how many people have what everybody in their group has in a column, and how many there are."""
    return found.detail["per_column"][column]["people"], found.detail["people"]


def _highest(found: dict[str, Score], discretion: Discretion) -> str:
    least = found["uniqueness"].detail["smallest_class"]
    return f"over {percent(1 / discretion.threshold)}" if discretion.hides(least) else percent(1 / least)


def _meaning(found: Verdict, original: Table) -> Iterator[object]:
    if isinstance(found.model, KAnonymity) and found.model.by_class and found.holds:
        what = "records" if original.schema.subject is None else "people's records"
        yield sentence("crowd", original.schema.quasi, f"{found.level:,.0f}", what, percent(1 / found.level))
    if isinstance(found.model, TCloseness) and found.holds:
        yield "Finding a person's group reveals little more about this column than the whole table tells."
    if not found.holds:
        yield f"The promise is broken in {found.failing:,} of {found.classes:,} groups, so nothing was written."


def _target(found: Verdict, schema: Schema) -> tuple[object, str]:
    model = found.model
    if isinstance(model, KAnonymity) and model.by_class:
        return "How often each combination occurs (k)", f"≥ {model.k:,}"
    if isinstance(model, TCloseness):
        return sentence("distance", words.protected_by(model, schema)), f"≤ {model.t:g}"
    given = {key: value for key, value in describe(model).items() if key != "name"}
    return model.name, ", ".join(f"{key} = {value}" for key, value in given.items())
