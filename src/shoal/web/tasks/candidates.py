"""Candidates: every method at every level, each made once and measured, so that choosing is looking up."""

from __future__ import annotations

import math
import os
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import fields, replace
from functools import partial
from pathlib import Path
from typing import Any
from weakref import WeakKeyDictionary

from shoal.assessment.harbor import what_may_stay
from shoal.atomic_files.overwriting import files_read_by
from shoal.catalogue import build
from shoal.engines import read
from shoal.errors import GuaranteeError, ParameterError, ShoalError
from shoal.measures import Measure
from shoal.measures.class_sizes import ClassSizes
from shoal.measures.granularity import Granularity
from shoal.measures.homogeneity import Homogeneity
from shoal.measures.information_loss import InformationLoss
from shoal.measures.random_reidentification import RandomReidentification
from shoal.measures.uniqueness import Uniqueness
from shoal.methods import Method
from shoal.models import PrivacyModel
from shoal.models.l_diversity import LDiversity
from shoal.models.outside_population import OutsidePopulation
from shoal.models.safe_harbor import SafeHarbor
from shoal.releases.anonymization import anonymize
from shoal.releases.release import Release
from shoal.report.cell_kinds import CellKinds
from shoal.table import Table
from shoal.web.tasks.changed_cells import changed_cells
from shoal.web.tasks.estimates import SampledTable
from shoal.web.tasks.loss_by_group import loss_by_group
from shoal.web.tasks.messages import (
    Candidate,
    CandidatesDone,
    CandidateSpec,
    CandidatesRequest,
    ImpossibleCandidate,
    MethodCost,
    TriedCandidate,
)
from shoal.web.tasks.reading import options_of, sampled, whole
from shoal.web.tasks.registry import Reporter
from shoal.web.tasks.risk import people_risk, shared_secrets

_ESTIMATED = (RandomReidentification(), Granularity())
_MEASURES = (Uniqueness(), RandomReidentification(), ClassSizes(), Homogeneity(), InformationLoss(), Granularity())

_populations: WeakKeyDictionary[Table, Table] = WeakKeyDictionary()
_stays: WeakKeyDictionary[Table, dict[str, str]] = WeakKeyDictionary()  # what safe harbor leaves of columns


def search(request: CandidatesRequest, report: Reporter) -> CandidatesDone:
    """Make the candidates of a request: estimates from a sample if the file is large, then exact ones.

    When its time is over, it says which it has not reached.
    """
    work = _Work(request, report)
    if work.estimates:
        with sampled(request) as part:
            table = read(part[0] if part else request.file, options=options_of(request))
            work.make(work.estimates, SampledTable(table, part[1].rows_in_file) if part else table)
    if work.exact and not work.estimates:
        work.make(work.exact, whole(request, report))
    return work.done()


class _Work:
    """What is still to be made, how much was made, and what each method has cost so far."""

    def __init__(self, request: CandidatesRequest, report: Reporter) -> None:
        self.estimates, self.exact = list(request.estimates), list(request.exact)
        self._report = report
        self._seconds, self._used = request.seconds or math.inf, 0.0
        self._tried = request.tried
        self._costs = {(each.method, each.exact): (each.candidates, each.seconds) for each in request.costs}

    def make(self, specs: list[CandidateSpec], table: Table | SampledTable) -> None:
        """Make some as long as there is time; one in any case, or there would be no end to it."""
        while specs and (self._used < self._seconds):
            self._next(specs.pop(0), table)

    def _next(self, spec: CandidateSpec, table: Table | SampledTable) -> None:
        exact = isinstance(table, Table)
        method = spec.way, exact
        wanted = 1 + self._tried + len(self.estimates) + len(self.exact)
        self._report.step("Trying ways to protect", self._tried, wanted, self._seconds_left(method))
        begun = time.monotonic()
        found = _or_a_defect(table, spec)
        count, seconds = self._costs.get(method, (0, 0.0))
        took = time.monotonic() - begun
        self._costs[method] = count + 1, seconds + took
        self._used += took
        self._tried += 1
        if exact:
            self.exact[:] = [each for each in self.exact if each.key != spec.key]
        self._report.partial(TriedCandidate(candidate=found))

    def _seconds_left(self, now: tuple[str, bool]) -> float | None:
        """Give about how long this one and the rest take, if each of their methods was tried before."""
        wanted = [now, *((each.way, False) for each in self.estimates), *((each.way, True) for each in self.exact)]
        if not all(each in self._costs for each in wanted):
            return None
        return sum(self._costs[each][1] / self._costs[each][0] for each in wanted)

    def done(self) -> CandidatesDone:
        """Say what was made, and what was not."""
        costs = tuple(
            MethodCost(method=method, exact=exact, candidates=count, seconds=seconds)
            for (method, exact), (count, seconds) in self._costs.items()
        )
        return CandidatesDone(estimates=tuple(self.estimates), exact=tuple(self.exact), tried=self._tried, costs=costs)


def models_of(promises: Sequence[Mapping[str, Any]], table: Table) -> list[PrivacyModel]:
    """Give promises as the catalogue names them, with the population at hand that a table comes from."""
    models: list[PrivacyModel] = [build("models", model) for model in promises]
    return [_beside(table, each) if isinstance(each, OutsidePopulation) and each.outside else each for each in models]


def _beside(table: Table, model: Any) -> Any:
    """Read the population once, however many promises are tried in it."""
    found = model.with_population(table, _populations.get(table))
    _populations[table] = found.people_of(table).table
    return found


def methods_of(candidate: CandidateSpec) -> list[Method]:
    """Give the methods of a candidate. They read the files of its case alone: others could be any of the computer."""
    return [_where_files_are(build("methods", method), candidate.files) for method in candidate.methods]


def _where_files_are(method: Any, files: Mapping[str, Path]) -> Any:
    """Give a method with the files that it names where they lie."""
    named = {str(path) for path in files_read_by([method])}
    if named - set(files):
        raise ParameterError("A file that a method reads does not lie beside the table.", "Add it first.")
    given = ((each.name, getattr(method, each.name)) for each in fields(method)) if named else ()
    return replace(
        method, **{name: str(files[text]) for name, text in given if isinstance(text, str) and text in named}
    )


def made(
    table: Table, candidate: CandidateSpec, measures: Sequence[Measure] = (), sampled: int | None = None
) -> Release | ImpossibleCandidate:
    """Make a candidate, or say why it cannot be made."""
    try:
        methods, models = methods_of(candidate), models_of(candidate.models, table)
        _refuse_at_a_glance(table, models)
        release = with_rule(candidate, partial(anonymize, table, methods, measures=measures), models)
    except ShoalError as error:
        what, remedy = error.what, error.remedy
    else:
        if not release.broken:
            return release
        what, remedy = release.broken[0].sentence, "Ask for less, or take another method."
    return ImpossibleCandidate(key=candidate.key, sampled=sampled, impossible=what, remedy=remedy)


def with_rule(candidate: CandidateSpec, make: Callable[..., Release], models: Sequence[PrivacyModel]) -> Release:
    """Make a release that also promises the rule of a candidate, if it keeps it: the table is the same in both cases.

    Such a rule is of columns, and no method works towards it.
    """
    rule: list[PrivacyModel] = [] if candidate.rule is None else [build("models", candidate.rule)]
    release = make(models=[*models, *rule], no_promise=not models)
    if all(verdict.holds for verdict in release.verdicts if verdict.model in rule):
        return release
    verdicts = tuple(verdict for verdict in release.verdicts if verdict.model not in rule)
    others = tuple(model for model in release.recipe.models if model not in rule)
    recipe = replace(release.recipe, models=others, no_promise=not others)
    return replace(release, verdicts=verdicts, recipe=recipe)


def _forbidden(rule: Mapping[str, Any], table: Table, released: Table) -> dict[str, str]:
    """Give the columns because of which a release does not keep a rule, and of what something may be left."""
    model: SafeHarbor = build("models", rule)
    if table not in _stays:  # the same for all candidates, and for the one rule that a case promises
        _stays[table] = what_may_stay(table, model.countries)
    return {name: _stays[table].get(name, "") for name in model.forbidden(released)}


def _may_change(candidate: CandidateSpec) -> bool:
    """Tell whether cells may show another value than their own: methods that publish ranges never do that."""
    return len(candidate.methods) > 1 or not candidate.models or any(len(each) > 1 for each in candidate.methods)


def _refuse_at_a_glance(table: Table, models: Sequence[PrivacyModel]) -> None:
    """Refuse more values in every class than there are: no method needs to be tried for that."""
    for model in models:
        if isinstance(model, LDiversity) and model.l > (most := len(model.reference(table))):
            column = model.carries(table.schema)[0]
            raise GuaranteeError(f"'{column}' has only {most} different values.", f"Ask for l of at most {most}.")


def _or_a_defect(table: Table | SampledTable, candidate: CandidateSpec) -> Candidate | ImpossibleCandidate:
    """Make a candidate. A method with a defect, as a package from outside may bring one, spoils no other candidate."""
    try:
        return _tried(table, candidate) if isinstance(table, Table) else _estimated(table, candidate)
    except MemoryError:
        raise
    except Exception as error:
        if os.environ.get("SHOAL_DEBUG"):
            raise
        return ImpossibleCandidate(
            key=candidate.key,
            sampled=None if isinstance(table, Table) else table.table.rows,
            impossible=f"Something went wrong inside shoal ({type(error).__name__}). "
            "This is a defect, not your mistake.",
            remedy="Please report it; nothing was changed.",
        )


def _estimated(sample: SampledTable, candidate: CandidateSpec) -> Candidate | ImpossibleCandidate:
    """Make a candidate from a sample, and from parts of it to know how good an estimate it is."""

    def measured(part: Table) -> tuple[float, float] | None:
        release = made(part, candidate, _ESTIMATED)
        return None if isinstance(release, ImpossibleCandidate) else _guess_and_kept(release)

    found = _tried(sample.table, candidate, sample.table.rows)
    if isinstance(found, ImpossibleCandidate):
        return found
    known = sample.intervals(found.guess, 1 / (found.fewest_people or found.smallest), found.kept, measured)
    if known is None:
        return found
    return found.model_copy(update={"guess_interval": known[0], "kept_interval": known[1]})


def _guess_and_kept(release: Release) -> tuple[float, float]:
    guess = people_risk(release.table).get("guess", release.scores["random-reidentification"].value)
    return float(guess), float(release.scores["granularity"].detail["utility"])


def _tried(table: Table, candidate: CandidateSpec, sampled: int | None = None) -> Candidate | ImpossibleCandidate:
    release = made(table, candidate, _MEASURES, sampled)
    if isinstance(release, ImpossibleCandidate):
        return release
    rule = None if candidate.rule is None else len(release.verdicts) > len(candidate.models)
    people = people_risk(release.table)
    alone, guess, sizes, secrets, loss, coarse, *_ = release.scores  # behind these stands what a method is shown beside
    return Candidate(
        key=candidate.key,
        sampled=sampled,
        sentences=tuple(verdict.sentence for verdict in release.verdicts),
        levels=tuple(float(verdict.level) for verdict in release.verdicts),
        uniqueness=float(alone.value),
        groups=alone.detail["classes"],
        smallest=alone.detail["smallest_class"],
        fewest_people=people.get("fewest_people"),
        guess=people.get("guess", float(guess.value)),
        mean_size=float(sizes.value),
        sizes=sizes.detail["classes_by_size"],
        secrets=shared_secrets(secrets),
        rule=rule,
        forbidden=_forbidden(candidate.rule, table, release.table) if candidate.rule and rule is False else {},
        loss=float(loss.value),
        kept=float(coarse.detail["utility"]),
        coarse={name: float(value) for name, value in coarse.detail["per_attribute"].items()},
        cells={name: CellKinds.of(release.table, name) for name in table.schema.quasi},
        changed=changed_cells(table, release.table) if _may_change(candidate) else {},
        loss_by_group=loss_by_group(table, release.table),
    )
