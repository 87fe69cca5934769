"""The risk of a table: how many records stand alone, and what someone who knows some attributes would learn."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from types import MappingProxyType
from typing import Any, Unpack

from shoal.assessment.attacker_section import attacker_section
from shoal.assessment.individual_risk_section import individual_risk_section
from shoal.assessment.inspection import column_reports
from shoal.assessment.known_points import LinkedRisk, linked_risk
from shoal.assessment.population_section import population_section
from shoal.assessment.reason_section import reason_section
from shoal.assessment.record_reasons import RecordReasons
from shoal.assessment.risk_questions import RiskQuestions
from shoal.assessment.risk_section import RiskSection
from shoal.assessment.risk_words import plain_score, share, side_by_side
from shoal.assessment.screening_section import screening_section
from shoal.assessment.suda_section import suda_section
from shoal.catalogue import in_words, picked
from shoal.conditions import Condition
from shoal.engines.io.streams import at_hand
from shoal.errors import ParameterError, SchemaError
from shoal.findings import Findings
from shoal.measures import Measure, PairMeasure, Score, score
from shoal.measures.attribute_disclosure import AttributeDisclosure
from shoal.measures.homogeneity import Homogeneity
from shoal.measures.random_reidentification import RandomReidentification
from shoal.measures.reidentification.class_people import people_of_classes
from shoal.measures.reidentification.class_weights import weight_alone, weight_column
from shoal.measures.reidentification.erring_attacker import ErringAttacker, checked_rate
from shoal.measures.reidentification.thresholds import threshold_of
from shoal.measures.uniqueness import Matching, Uniqueness
from shoal.progress.display import by_itself
from shoal.releases.release import Release
from shoal.schema import ReadArguments, ReadOptions, Role, Roles, names_given
from shoal.table import Table
from shoal.table_input import options_of, table_of


class Risk(Findings):
    """How many records of a table stand alone, and what else an attacker would learn.

    ``table`` is the table that was measured, ``sections`` what each further view of its risk found, whose values are
    among these by name, ``reasons`` why records are at risk, if that was asked for, and ``asked`` what else was
    asked, as plain values.
    """

    table: Table
    sections: Sequence[RiskSection] = ()
    reasons: RecordReasons | None = None
    asked: Mapping[str, Any] = MappingProxyType({})

    def caption(self) -> str:
        """Say how many stand alone."""
        return f"{share(self['uniqueness'])} of {self['records']:,} records stand alone."

    def rows(self) -> Iterator[list[str]]:
        """Give a line for each number, and one for each set of known attributes."""
        yield from side_by_side([self])
        yield from ([found["measure"], f"{found['value']:.6g}"] for found in self.get("scores", ()))
        for found in self.get("known", ()):
            yield [f"unique by {', '.join(found['known'])}", f"{found['unique']:,} ({share(found['uniqueness'])})"]

    def remarks(self) -> Iterable[str]:
        """Say who could single people out."""
        yield f"Someone who knows {', '.join(self['quasi'])} could single them out."
        if "people_sentence" in self:
            yield self["people_sentence"]
        if "homogeneity_sentence" in self:
            yield self["homogeneity_sentence"]
        if self["guessed"]:
            yield "These columns were guessed by their names. Name them yourself: quasi=[…]."
        for found in self.get("errors", ()):
            about = ", ".join(f"{name} ({share(rate)})" for name, rate in found["columns"].items())
            claims = f"claims to have found {share(found['claimed'])} of all people, {share(found['right'])} rightly."
            yield f"An attacker who may be wrong about {about} {claims}"
        for found in self.get("scores", ()):
            yield from in_words(found["measure"], found["detail"])
        for section in self.sections:
            yield from section.sentences


def risk(
    source: Any,
    *,
    known: Sequence[str] | Sequence[Sequence[str]] = (),
    where: str | None = None,
    matching: Matching | None = None,
    errors: Mapping[str, float] | None = None,
    measures: Measure | str | Sequence[Measure | str] = (),
    points: int | Sequence[int] | None = None,
    at: Any = (),
    suda: bool = False,
    screen: bool = False,
    why: bool = False,
    threshold: float | str | None = None,
    population: Any = None,
    population_columns: Mapping[str, str] | None = None,
    population_size: int | None = None,
    sampling_fraction: float | None = None,
    **given: Unpack[ReadArguments],
) -> Risk | LinkedRisk:
    """Measure how many records stand alone, and what else an attacker who knows some attributes would learn.

    Parameters
    ----------
    source
        A table that was read, a release, or whatever `read` reads.
    known
        Attributes that someone may know; or several such sets, each of which is measured.
    where
        A condition on confidential values, such as ``charge > 100000``: whom does it become known of?
    matching
        Whether records match by their ``signature``, or by ``fit`` (see `Uniqueness`). If neither is named, the
        signature counts, and what fit matching finds stands beside it.
    errors
        How likely the attacker is wrong about some attributes: under the same name stands what he then claims, of each
        of them alone and of all at once (see `shoal.measures.reidentification.erring_attacker`).
    measures
        What else to measure.
    points
        Of a table whose rows belong to people (``linked=True`` and a ``subject``): how many points, such as purchases,
        someone knows of a person; 1, 2, 3 and 4 if left out. Then unicity is measured, and nothing of single records.
    at
        How coarsely such points are seen: ``day=7,store=10``, or several such texts (see `Resolution`).
    suda
        Whether to find the smallest sets of attributes by which records stand alone, and score them (see `Suda`).
    screen
        Whether to look at all sets of a few columns: how well they tell records apart, and which smallest ones single
        people out (see `ColumnScreening`); and which columns look like direct identifiers.
    why
        Whether to find for each record at risk the smallest sets of attributes that make it so, and which attribute's
        coarsening helps most: of records that stand alone, or in groups that are too small for the threshold.
    threshold
        The risk above which a record is at risk: a number, or ``public`` (0.09), ``customary`` (groups of 11),
        ``trusted`` (0.2) or ``inside`` (0.33). What prosecutor, journalist and marketer find is then reported.
    population
        A table of the population that the table comes from: a file, a frame or a table, with the same columns.
    population_columns
        How columns are called there, where they have another name.
    population_size, sampling_fraction
        If there is no such table, how many people the population has, or the share of it that is in the table. Survey
        weights, as ``weight``, say it for each record. Then it is estimated, too, how many are alone in the population.
    **given
        How to read what is no table yet: ``quasi`` and all else that `read` takes. If no quasi-identifiers are named,
        those columns are taken that look like some.

    Examples
    --------
    >>> import polars as pl, shoal
    >>> ages = pl.DataFrame({"age": ["34", "34", "51", "[50;59]"]})
    >>> found = shoal.risk(ages, quasi=["age"], kinds={"age": "integer"})
    >>> found["unique"], found["classes"], found["fit_unique"]
    (2, 3, 1)
    >>> stays = pl.DataFrame({"age": [34, 34, 51], "days": [2, 3, 2]})
    >>> found = shoal.risk(stays, quasi=["age", "days"], errors={"days": 0.5})
    >>> [(each["columns"], each["right"]) for each in found["errors"]]
    [({'days': 0.5}, 0.5)]
    >>> baskets = pl.DataFrame({"who": [1, 1, 2, 2, 3, 3], "item": ["tea", "milk", "tea", "beer", "tea", "milk"]})
    >>> found = shoal.risk(baskets, quasi="item", subject="who", linked=True, points=[1, 2])
    >>> [(each["points"], round(each["share"], 3)) for each in found["unicity"]]
    [(1, 0.167), (2, 0.333)]
    """
    if matching not in (None, "signature", "fit"):
        raise ParameterError(f"'{matching}' is no way to match records.", "Use signature or fit (--matching fit).")
    sets, asked, wrong = known_sets(known), picked("measures", measures), _rates(errors)
    limit = None if threshold is None else threshold_of(threshold)
    questions = RiskQuestions(
        limit, population_size, sampling_fraction, population, dict(population_columns or {}), suda=suda,
        screen=screen, why=why,
    )  # fmt: skip
    for each in asked:
        if isinstance(each, PairMeasure):
            raise ParameterError(f"{each.name} compares with the original.", "Use shoal compare ORIGINAL RELEASED.")
    if isinstance(source, Release):
        source = source.table
    with by_itself("measuring"):
        guessed, options = False, None
        if not isinstance(source, Table):
            source = at_hand(source)
            options, places = options_of(given, risk)
            guessed = not (options.roles.quasi or options.roles.last_sensitive or sets)
            if guessed and (options.linked or points is not None or at):
                raise ParameterError("No quasi-identifier is named.", "Name what points are made of: --quasi item,day.")
            options = _guessed(source, options, places) if guessed else options
            given = ReadArguments(**(places | {"options": with_columns(options, where, sets, asked)}))  # type: ignore[typeddict-item]
        table = table_of(source, given, risk)
        if points is not None or at or table.schema.person or table.origin.given.get("linked"):
            if known or where or matching or wrong or questions != RiskQuestions():
                raise ParameterError(
                    "Known points are those of people; what is known of single records is another risk.",
                    "Leave out --known, --where, --matching, --error, --threshold and what is said of the population; "
                    "or --linked, --points and --at.",
                )
            return linked_risk(table, points, at, asked)
        for name in dict.fromkeys(name for names in sets for name in names):
            if name not in table.schema.quasi:
                raise SchemaError.missing_column(name, table.schema.quasi)
        report = Risk(file=table.origin.name, quasi=list(table.schema.quasi), guessed=guessed)
        report |= risk_of(table, where=where, matching=matching, errors=wrong)
        if sets:
            report["known"] = [
                risk_of(table, names, where, matching, {name: rate for name, rate in wrong.items() if name in names})
                for names in sets
            ]
        if asked:
            report["scores"] = [plain_score(value) for value in score(table, measures=asked)]
        questions = questions.of(table, options)
        report.reasons, report.sections = questions.reasons, list(_sections(table, questions))
        for section in report.sections:
            report |= section.found
    report.table, report.asked = table, questions.plain | ({"matching": matching} if matching else {})
    return report


# Further views of a risk, in the order in which they are shown: each gives its section, or none if nothing was asked.
SECTIONS: tuple[Callable[[Table, RiskQuestions], RiskSection | None], ...] = (
    attacker_section,
    population_section,
    individual_risk_section,
    screening_section,
    suda_section,
    reason_section,
)


def _sections(table: Table, asked: RiskQuestions) -> Iterator[RiskSection]:
    """Give further views of a risk, those that were asked for, in the order in which they are shown."""
    for view in SECTIONS:
        found = view(table, asked)
        if found is not None:
            yield found


def known_sets(known: Any) -> list[tuple[str, ...]]:
    """Give sets of known attributes, of which one may be given by itself."""
    several = isinstance(known, Sequence) and not any(isinstance(each, str) for each in known)
    sets = [names_given("known", names) for names in (known if several else [known])]
    if not all(sets):
        raise ParameterError("A set of known attributes names none.", "Name at least one: known=['age'] (--known age).")
    return sets


def _rates(errors: Any) -> dict[str, float]:
    """Give how likely the attacker is wrong about some attributes, by their names."""
    if not isinstance(errors, Mapping | None) or not all(isinstance(name, str) for name in errors or ()):
        raise ParameterError(
            "errors= says of columns, by name, how likely they are wrong.",
            "Write errors={'age': 0.3} (--error age=0.3).",
        )
    return {name: checked_rate(name, rate) for name, rate in (errors or {}).items()}


def _guessed(source: Any, options: ReadOptions, places: Mapping[str, Any]) -> ReadOptions:
    """Take the columns that look like quasi-identifiers, and those that look confidential, when none are named."""
    whole = replace(options, roles=Roles(rest=Role.PLAIN))
    table = table_of(source, ReadArguments(**(dict(places) | {"options": whole})), risk)  # type: ignore[typeddict-item]
    taken = (*options.roles.sensitive, *options.roles.plain)
    reports = column_reports(table)
    quasi, secret = (
        tuple(report.name for report in reports if report.role == role and report.name not in taken)
        for role in (Role.QUASI, Role.SENSITIVE)
    )
    if not quasi:
        raise ParameterError(
            "No column looks like a quasi-identifier.", "Name them: quasi=['age', 'zip'] (--quasi age,zip)."
        )
    sensitive = (*options.roles.sensitive, *secret)
    return replace(options, roles=replace(options.roles, quasi=quasi, sensitive=sensitive))


def with_columns(
    options: ReadOptions, where: str | None, sets: Sequence[Sequence[str]], measures: Sequence[Measure] = ()
) -> ReadOptions:
    """Read also the columns that a condition, a set of known attributes or a measure speaks of."""
    roles = options.roles
    if roles.last_sensitive:
        return options
    extra = dict.fromkeys(name for names in sets for name in names) if not roles.quasi else {}
    quasi = (*roles.quasi, *extra)
    named = {*quasi, *roles.sensitive}
    conditions = [text for text in (where, *(getattr(measure, "where", None) for measure in measures)) if text]
    stated = dict.fromkeys(c for text in conditions for c in Condition.parse(text).columns)  # which are confidential
    secret = (*roles.sensitive, *(column for column in stated if column not in (*named, *roles.plain)))
    targets = dict.fromkeys(measure.target for measure in measures if hasattr(measure, "target"))
    spoken = tuple(column for column in targets if column not in (*named, *secret))
    return replace(options, roles=replace(roles, quasi=quasi, sensitive=secret, plain=(*roles.plain, *spoken)))


def risk_of(
    table: Table,
    known: Sequence[str] | None = None,
    where: str | None = None,
    matching: Matching | None = None,
    errors: Mapping[str, float] | None = None,
) -> dict[str, Any]:
    """Measure the risk of a table from someone who knows some attributes, or all quasi-identifiers, in plain values."""
    names = None if known is None else tuple(known)
    erring = list(_errors(table, errors, known)) if errors else []  # first: what was asked may make no sense
    measures: list[Measure] = [Uniqueness(names), RandomReidentification(names)]
    if where:
        measures.append(AttributeDisclosure(where, names))
    if table.schema.sensitive:
        measures.append(Homogeneity(names))
    if matching != "signature":
        measures.append(Uniqueness(names, "fit"))
    scores = score(table, measures=measures)
    report: dict[str, Any] = {} if known is None else {"known": list(known)}
    report |= {"uniqueness": scores[0].value, **scores[0].detail}
    if table.schema.subject is not None:
        report |= of_people(table, names)
    weight = weight_column(table)
    if weight is not None:
        alone, everybody = weight_alone(table, weight, names)
        report |= {"weighted_unique": alone, "weighted_uniqueness": alone / everybody if everybody else 0.0}
    if matching != "signature":
        report |= _fit(scores[-1], "" if matching == "fit" else "fit_")
    report["random_reidentification"] = scores[1].value
    if table.schema.sensitive:
        report |= shared_secrets(scores["homogeneity"])
    if where:
        report["attribute_disclosure"] = scores[2].value
        report["where"] = where
    if erring:
        report["errors"] = erring
    return report


def of_people(table: Table, known: Sequence[str] | None = None) -> dict[str, Any]:
    """Count people and not records, where a column tells them apart: who is alone, and what a guess at a person is."""
    classes = people_of_classes(table, known)
    in_groups = sum(people * number for (_, people), number in classes.items())
    of_one = sum(size * number for (size, people), number in classes.items() if people == 1)
    return {
        "of_one_person": of_one, "of_one_person_share": of_one / table.rows,
        "fewest_people": min(people for _, people in classes),
        "person_reidentification": classes.total() / in_groups,
        "people_sentence": f"{share(of_one / table.rows)} of the records are in groups of one person: however many "
        "there are of a person, they are a crowd of one.",
    }  # fmt: skip


def shared_secrets(found: Score) -> dict[str, Any]:
    """Tell how many people share a confidential value with everybody in their group: in each column."""
    by_column = {name: mine["share"] for name, mine in found.detail["per_column"].items()}
    return {"homogeneity": found.value, "homogeneity_column": found.detail["column"]} | {
        "homogeneity_by_column": by_column, "homogeneity_sentence": Homogeneity.sentence(found.detail)
    }  # fmt: skip


def _errors(table: Table, errors: Mapping[str, float], known: Sequence[str] | None) -> Iterator[dict[str, Any]]:
    """Tell what an attacker claims who errs in each attribute alone, and in all of them at once."""
    each = [{name: rate} for name, rate in errors.items()]
    attacker = ErringAttacker(table, known)
    for some in (*each, *([errors] if len(each) > 1 else [])):
        found = attacker.matches(some)
        yield {
            "columns": dict(found.errors), "claimed": found.claimed, "right": found.right, "wrong": found.wrong,
            "right_of_claimed": found.right_of_claimed, "standard_error": found.standard_error,
        }  # fmt: skip


def _fit(found: Score, prefix: str) -> dict[str, Any]:
    """Tell what fit matching found, and its bounds if it is not exact."""
    shares: dict[str, Any] = {f"{prefix}uniqueness": found.value, f"{prefix}unique": found.detail["unique"]}
    if found.detail["undecided"]:
        shares |= {f"{prefix}uniqueness_lower": found.lower, f"{prefix}uniqueness_upper": found.upper}
    return shares if prefix else shares | {"matching": "fit"}
