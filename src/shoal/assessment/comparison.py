"""Releases beside their original: what risk each leaves, and what it cost."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any, Unpack

from shoal.assessment.disclosure_risk import risk_of, with_columns
from shoal.assessment.known_points import LinkedComparison, linked_comparison
from shoal.assessment.risk_words import plain_score, side_by_side
from shoal.assessment.row_pairing import misplaced, paired
from shoal.catalogue import picked
from shoal.certification.private_record import PrivateRecord
from shoal.engines import AnyEngine, engine_for, read
from shoal.engines.io.bounds import bounds_in
from shoal.engines.io.opened import header_of
from shoal.engines.io.streams import at_hand
from shoal.engines.sources import Source
from shoal.errors import ParameterError
from shoal.findings import Findings
from shoal.measures import Measure, insist_on_measurable, score
from shoal.measures.estimate_shift import EstimateShift
from shoal.measures.information_loss import InformationLoss
from shoal.measures.kolmogorov_smirnov import KolmogorovSmirnov
from shoal.measures.statistics.weighable import Weighable
from shoal.measures.total_variation import TotalVariation
from shoal.progress.display import by_itself
from shoal.recipe import Recipe
from shoal.releases.release import STANDARD_MEASURES, Release
from shoal.schema import ReadArguments, ReadOptions, Role, Roles
from shoal.table import Table
from shoal.table_input import options_of, refuse_late

# What is always compared beside the information loss: it costs little.
DISTANCES: tuple[Measure, ...] = (KolmogorovSmirnov(), TotalVariation())


class Comparison(Findings):
    """The risk of an original and of its releases, and what each release lost.

    ``measures`` are those by which releases were compared.
    """

    measures: Sequence[Measure]

    def caption(self) -> str:
        """Say how many releases there are."""
        return f"The original and {len(self['releases'])} release{'s' * (len(self['releases']) != 1)} of it"

    def rows(self) -> Iterator[list[str]]:
        """Give a line for each number, side by side."""
        yield ["", "original", *(Source.parse(found["path"]).name for found in self["releases"])]
        yield from side_by_side([self["original"], *self["releases"]])


def compare(
    original: Any,
    *released: Any,
    where: str | None = None,
    measures: Measure | str | Sequence[Measure | str] = (),
    private: str | Path | PrivateRecord | Sequence[str | Path | PrivateRecord] = (),
    same_order: bool = False,
    points: int | Sequence[int] | None = None,
    at: Any = (),
    **given: Unpack[ReadArguments],
) -> Comparison | LinkedComparison:
    """Set releases beside their original: what risk each leaves, and what it cost.

    Parameters
    ----------
    original
        The original: a table that was read, or whatever `read` reads.
    *released
        One or more releases of it: as `anonymize` gives them, or as files, tables in a database, or frames.
    where
        A condition on confidential values, such as ``charge > 100000``: of whom does it become known?
    measures
        What else to compare, beside the information loss and how far distributions have moved.
    private
        Private records of releases, or their paths, which tell which row was which; those beside releases are found.
    same_order
        Whether rows of the releases stand in the order of the original, as other tools leave them.
    points
        Of tables whose rows belong to people (``linked=True`` and a ``subject``): how many points of the original, such
        as purchases, someone knows of a person and looks for in a release; 1, 2, 3 and 4 if left out.
    at
        Of such tables: how coarsely these points are known, such as ``day=7,store=10``; or several.
    **given
        How to read the original, if it is no table yet: ``quasi`` and all else that `read` takes. May be left out if
        one of the releases comes from `anonymize`.

    Examples
    --------
    >>> import polars as pl, shoal
    >>> people = pl.DataFrame({"age": [34, 35, 61, 62]})
    >>> found = shoal.compare(people, shoal.anonymize(people, quasi="age", k=2))
    >>> found["original"]["unique"], found["releases"][0]["unique"]
    (4, 0)
    """
    if not released:
        raise ParameterError("There is nothing to compare.", "Give one or more releases after the original.")
    always = (*STANDARD_MEASURES, *DISTANCES)
    asked = [*DISTANCES, *(extra for extra in picked("measures", measures) if extra not in always)]
    records = [
        each if isinstance(each, PrivateRecord) else PrivateRecord.load(each)
        for each in (private if isinstance(private, Sequence) and not isinstance(private, str) else [private])
    ]
    if isinstance(original, Release):
        raise ParameterError("A release stands in the place of the original.", "Give the original first.")
    released = tuple(each if isinstance(each, Release | Table) else at_hand(each) for each in released)
    with by_itself("reading the original"):
        before, options = _original(original, released, given, where, asked)
        if points is not None or at or before.origin.given.get("linked"):
            extra = [each for each in asked if each not in DISTANCES]
            return linked_comparison(before, _linked(released, before, options), points, extra, at)
        asked = weighed([InformationLoss(), *asked], before)
        insist_on_measurable(asked, before)
        found = Comparison(original=risk_of(before, where=where, matching="signature"), releases=[])
        for number, each in enumerate(released, 1):
            after, name = _release(each, before, options, records, number, same_order=same_order)
            scores = score(before, after, measures=asked)
            row = {"path": name} | {value.measure.replace("-", "_"): value.value for value in scores}
            row |= risk_of(after, where=where, matching="signature")
            if same_order:  # which was said, and not found out
                row["misplaced"] = misplaced(before, after)
            found["releases"].append(row | {"scores": [plain_score(value) for value in scores]})
    found.measures = asked
    if before.schema.single(Role.WEIGHT) is not None:
        found["weighted"] = True
    return found


def weighed(measures: Sequence[Measure], table: Table) -> list[Measure]:
    """Let records count as much as they weigh, if the table has weights, and compare estimates too."""
    if table.schema.single(Role.WEIGHT) is None:
        return list(measures)
    made = [replace(each, weighted=True) if isinstance(each, Weighable) else each for each in measures]
    return [*made, *(() if any(isinstance(each, EstimateShift) for each in made) else (EstimateShift(),))]


def _original(
    given: Any, released: Sequence[Any], said: ReadArguments, where: str | None, asked: Sequence[Measure]
) -> tuple[Table, ReadOptions]:
    """Give the original, and how it was read; by the engine that holds what else is compared with it."""
    options, places = options_of(said, compare)
    if isinstance(given, Table):
        refuse_late("original", said)
        return given, Recipe.of(given, (), (), (), 0).options
    made = next((each for each in released if isinstance(each, Release)), None)
    if not (options.roles.quasi or options.roles.last_sensitive):
        if made is None:
            raise ParameterError("No quasi-identifier is named.", "Name them: quasi=['age', 'zip'] (--quasi age,zip).")
        options = made.recipe.options
    options = with_columns(options, where, (), asked)
    source = at_hand(given)
    files = [each for each in released if not isinstance(each, Release | Table)]
    held: AnyEngine = made.table.engine if made is not None else engine_for([source, *files], options, **places)
    return read(source, engine=held, options=options), options


def _release(
    given: Any, before: Table, options: ReadOptions, records: Sequence[PrivateRecord], number: int, *, same_order: bool
) -> tuple[Table, str]:
    """Give a release with its rows beside those of the original, and what it is called."""
    if isinstance(given, Release):
        if given.origin.sha256 != before.origin.sha256:
            raise ParameterError("A release was made from another original.", "Give the table that was masked, first.")
        return given.table, f"release {number}"
    after = given if isinstance(given, Table) else _as_shown(given, before, options)
    named = Source.parse(given) if isinstance(given, str | Path | Source) else None
    if named is None and after.origin.place is not None:
        named = Source.parse(after.origin.place)
    name = f"release {number}" if named is None else str(named)
    return paired(after, named, before, records, same_order=same_order), name


def _as_shown(given: Any, before: Table, options: ReadOptions) -> Table:
    """Read a release, whose ranges may be shown by both of their ends."""
    like, source = like_original(before, options), at_hand(given)
    header = header_of(source, like) if isinstance(source, Source) else None
    like = replace(like, bounds=() if header is None else bounds_in(header, like.roles.quasi))
    return read(source, engine=before.engine, options=like)


def _linked(released: Sequence[Any], before: Table, options: ReadOptions) -> dict[str, Table]:
    """Give linked releases by their names: rows of a person stay together, but none is known to be that of another."""
    person = before.schema.subject
    like = like_original(before, options)
    like = replace(like, baskets=False, linked=True, roles=Roles(quasi=before.schema.quasi, person=person))
    found: dict[str, Table] = {}
    for number, each in enumerate(released, 1):
        known = isinstance(each, str | Path | Source)
        name = str(Source.parse(each)) if known else f"release {number}"
        table = each.table if isinstance(each, Release) else each
        found[name] = table if isinstance(table, Table) else read(table, engine=before.engine, options=like)
    return found


def like_original(table: Table, options: ReadOptions) -> ReadOptions:
    """Read a release by the kinds of its original: ranges and sets say less of what a column is."""
    attributes = table.schema.attributes
    plain = [a for a in attributes if a.axis.tree is None and a.role is not Role.HOUSEHOLD]
    orders = {a.name: tuple(a.axis.values) for a in plain if a.axis.kind == "ordered"}  # type: ignore[arg-type]
    kinds = {a.name: a.axis.kind for a in plain}
    like = replace(options, kinds=kinds, orders=orders, delimiter=None, encoding=None, decimal=None)
    like = replace(like, roles=replace(like.roles, household=None))  # which is never released
    named = None if options.header is None else True
    return replace(
        like, thousands=None, dates=None, sheet=None, range=None, at_version=None, header=named, released=True
    )
