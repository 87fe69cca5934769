"""anonymize(): the one road from a table to a release."""

from __future__ import annotations

import os
import weakref
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from functools import partial
from typing import Any, Unpack

from shoal.catalogue import build, picked
from shoal.direct_identifiers import TreatedColumn, treat, treated_columns
from shoal.engines.io.streams import at_hand
from shoal.engines.sources import Source
from shoal.errors import ParameterError
from shoal.joined_rows import JoinedRows, joined_rows
from shoal.joined_tables import JoinedTables
from shoal.measures import Measure, TableMeasure, insist_on_measurable, score
from shoal.measures.homogeneity import Homogeneity
from shoal.measures.known_matches import KnownMatches
from shoal.methods import Asking, Method
from shoal.methods.perturbation.preserved import KeptStep, changes_values, draws, kept_step
from shoal.methods.perturbation.streams import fresh_seed, seed_of_step
from shoal.methods.round_ends import RoundEnds
from shoal.models import PrivacyModel, check
from shoal.models.across_rows import AcrossRows
from shoal.models.k_anonymity import KAnonymity
from shoal.models.outside_population import OutsidePopulation
from shoal.models.rounded_ends import EndSteps
from shoal.pitfalls.identifiers import alone, looked_at, refuse, refuse_identifiers
from shoal.pitfalls.several_rows import several_rows
from shoal.progress import stage
from shoal.progress.display import Progress, by_itself
from shoal.recipe import Recipe
from shoal.releases.joined_release import ReleasePlace, joined_releases, places_of, refuse_nothing_to_join
from shoal.releases.linked_release import MEASURES as OF_LINKED
from shoal.releases.linked_release import USUAL, linked_release, promised, refuse_half, refuse_input_order
from shoal.releases.release import STANDARD_MEASURES, Release, seen_anew
from shoal.releases.shown_cells import refuse_strange_cells, shown
from shoal.releases.stated_release import MEASURES as OF_STATED
from shoal.releases.stated_release import refuse_unfit, stating_method
from shoal.schema import RELEASED, ReadArguments, Schema, names_given, refuse_odd
from shoal.secret_keys import SecretKey
from shoal.table import Table
from shoal.table_input import table_of

Level = float | Mapping[str, float]


def anonymize(
    table: Any,
    method: Method | str | Sequence[Method | str] | None = None,
    models: PrivacyModel | Sequence[PrivacyModel] = (),
    *,
    k: int | None = None,
    m: int | None = None,
    t: Level | None = None,
    l: Level | None = None,  # noqa: E741 - as the model calls it
    ends: EndSteps | None = None,
    measures: Measure | str | Sequence[Measure | str] | None = None,
    seed: int | None = None,
    row_order: str = "released",
    no_promise: bool = False,
    allow_identifiers: Sequence[str] = (),
    pseudonym_key: SecretKey | str | os.PathLike[str] | None = None,
    cells: str | None = None,
    joined_with: Sequence[ReleasePlace] | ReleasePlace = (),
    progress: Progress | bool | None = None,
    **given: Unpack[ReadArguments],
) -> Release:
    """Mask a table, check the models on the result, and measure what is left and what was lost.

    Parameters
    ----------
    table
        What to mask: a table that was read, or whatever `read` reads. It is not changed.
    method
        How to mask it, or the name of that; several are applied one after the other, and ``[]`` leaves the table as it
        is, to prove what it keeps already. If left out, ``hilbert``; of linked tables ``cut-and-suppress``.
    models
        What the release promises. It is checked on the masked table alone.
    k
        Promise k-anonymity: each combination of quasi-identifiers occurs at least k times.
    m
        Of a linked table, promise k^m-anonymity: who knows up to m points of a person finds at least k people.
    t
        Promise t-closeness of the confidential column; of several, by column: ``t={"charge": 0.1}``.
    l
        Promise l-diversity of the confidential column; of several, by column: ``l={"diagnosis": 2}``.
    ends
        Widen ranges until they end on a public grid, and promise it: ``5``, ``"month"``, or ``{"age": 5, "born":
        "year"}``.
        Otherwise both ends are values of people in the class, often of one.
    measures
        What to measure; if left out, uniqueness, random reidentification, class sizes and information loss.
    seed
        The seed of methods that draw random numbers; the usual one if left out. Methods that change values at random
        draw one for each run and keep it nowhere: who knows it undoes the change. Give them one in tests only.
    row_order
        In which order rows are to be written: ``released``, by what is released; or ``input``, for experiments.
    no_promise
        Whether the release is meant to promise nothing: without models it can be looked at, but neither written nor
        given as a frame unless this is said.
    allow_identifiers
        Columns that may be released as they are though they tell who people are, by their name, their cells, or
        because every record has a value of its own. Others are refused.
    pseudonym_key
        The key of pseudonyms and shifted dates, or the file that it is in; if left out, that of the environment.
    cells
        How ranges of numbers and dates are shown: ``text``, ``bounds`` (two columns, such as ``age_lo`` and ``age_hi``)
        or ``middle`` (one number, and nothing where a cell may be anything). If left out, structs of both ends in
        Parquet, Arrow, ORC and JSON, and text elsewhere.
    joined_with
        Other releases with pseudonyms of the same domain under the same key, with their certificates beside them: what
        they and this one tell together is measured and said.
    progress
        Where progress goes: a function of the stage, the share of it that is done and the seconds left, or True
        or False, as for `show_progress`. If left out, it is shown in notebooks.
    **given
        How to read what is no table yet: ``quasi``, ``sensitive`` and all else that `read` takes.

    Examples
    --------
    >>> import polars as pl, shoal
    >>> people = pl.DataFrame({"age": [34, 35, 61, 62], "ill": ["yes", "no", "no", "yes"]})
    >>> shoal.anonymize(people, quasi=["age"], sensitive=["ill"], k=2).to_pandas()["age"].tolist()
    ['[34;35]', '[34;35]', '[61;62]', '[61;62]']

    A table can be read first, and methods and models can be values with parameters of their own:

    >>> table = shoal.read(people, quasi=["age"], sensitive=["ill"])
    >>> models = [shoal.models.KAnonymity(2), shoal.models.LDiversity(2, kind="entropy")]
    >>> shoal.anonymize(table, shoal.methods.Mondrian(), models).holds
    True
    """
    refuse_strange_cells(cells)
    table, again = _taken(table, given, progress)
    linked = bool(table.origin.given.get("linked"))
    methods = picked("methods", (USUAL if linked else "hilbert") if method is None else method)
    models = picked("models", models)
    if linked:
        refuse_treated(table.schema, "A linked release numbers people anew")
        asked = picked("measures", OF_LINKED if measures is None else measures)
        models = promised(
            k, m, (*promised_levels(table.schema, "t", t), *promised_levels(table.schema, "l", l), *models)
        )
        refuse_input_order(row_order)
        if cells not in (None, "text"):
            raise ParameterError(f"Points of a linked release are not shown by '{cells}'.", "Leave it out.")
        if ends is not None:
            raise ParameterError("Points of people have no ranges whose ends could be rounded.", "Leave out the ends.")
        with by_itself("masking", progress):
            release = linked_release(table, methods, models, asked, again)
        return replace(release, recipe=replace(release.recipe, no_promise=no_promise and not models))
    refuse_half(k, m, linked=False)
    others = places_of(joined_with)
    refuse_nothing_to_join(table, others)
    methods = methods if ends is None else (*methods, RoundEnds(ends))
    stating = stating_method(methods)
    standard = STANDARD_MEASURES if stating is None else OF_STATED
    asked = _with_those_beside(methods, picked("measures", standard if measures is None else measures))
    whole = [] if k is None else [KAnonymity(k)]
    models = (*whole, *promised_levels(table.schema, "t", t), *promised_levels(table.schema, "l", l), *models)
    for step in methods:
        models = step.asks(models) if isinstance(step, Asking) else models
    models = tuple(
        each.with_population(table) if isinstance(each, OutsidePopulation) else each for each in models
    )  # fmt: skip
    for model in models:  # what such a promise is worth is said beside it
        beside = KnownMatches(model.k) if isinstance(model, KAnonymity) and model.missing == "either" else None
        asked = asked if beside is None or beside in asked else (*asked, beside)
    if not table.schema.quasi:
        raise ParameterError("No column is a quasi-identifier.", "Name at least one (quasi=[...], --quasi a,b).")
    if stating is not None:
        refuse_unfit(table, methods, models, asked, row_order, seed)
        refuse_treated(table.schema, "A private release has nobody's own row")
    allowed = names_given("allow_identifiers", allow_identifiers)
    refuse_identifiers(table, models, allowed)
    refuse_odd(table.schema[name] for name in looked_at(table.schema, models))  # a model would count them as values
    subject = table.schema.subject
    subjects = None if subject is None else int(table.counts(subject)[0].size)
    for model in models:
        model.demand(table.rows, subjects)
    insist_on_measurable(asked, table)
    recipe = Recipe.of(table, methods, tuple(models), asked, seed)
    recipe = replace(recipe, row_order=row_order, no_promise=no_promise and not models, allow_identifiers=allowed)
    recipe = replace(recipe, cells=cells, joined_with=tuple(Source.parse(each).seen_from(None) for each in others))
    steps, kept = [], list[KeptStep]()
    drawn = fresh_seed() if recipe.seed is None else recipe.seed
    secret = changes_values(methods) and stating is None
    with by_itself("masking", progress):
        masked, identifiers = named_anew(table, pseudonym_key)
        for number, step in enumerate(methods):
            stage(f"masking with {step.name}")
            towards = _worked_towards(step, models)
            steps.append(step.explain(masked, towards))
            kept += [kept_step(step, masked, towards)] if secret else []
            masked = step.apply(masked, towards, seed_of_step(drawn, number) if draws([step]) else drawn)
        if table.origin.given.get("missing"):
            # Readers of the release know no marks: what a model takes for missing must be seen to be so.
            about = looked_at(masked.schema, models)
            about |= {name for each in asked if isinstance(each, Homogeneity) for name in each.about(masked.schema)}
            masked = masked.blanked([name for name in masked.schema.of(*RELEASED) if name in about])
        masked, how = shown(masked, cells)
        steps += [] if how is None else [how]
        stage("checking the promises")
        verdicts = check(masked, models)
        if not any(isinstance(model, KAnonymity) for model in models):
            refuse([each for each in alone(masked) if each.column not in allowed])
        scores = score(table, masked, measures=asked)
        if row_order == "released" and any(isinstance(measure, TableMeasure) for measure in asked):
            scores = seen_anew(
                masked.in_released_order()[0], asked, scores
            )  # as readers will see it, not as rows still stand
        if identifiers:
            stage("measuring what pseudonyms join")
        joined: list[JoinedRows | JoinedTables] = [*joined_rows(masked)] if identifiers else []
        joined += joined_releases(masked, identifiers, others)
    stated = None if stating is None else stating.stated(masked.schema, masked.rows, models)
    return Release(
        table.origin, table.schema.subject, masked, recipe, tuple(steps), verdicts, scores,
        several_rows(table), again, preserved=tuple(kept), stated=stated,
        identifiers=identifiers, joined=tuple(joined),
    )  # fmt: skip


def named_anew(table: Table, key: SecretKey | str | os.PathLike[str] | None) -> tuple[Table, tuple[TreatedColumn, ...]]:
    """Give people other names, and dates other days, if that is to become of identifiers."""
    if not treated_columns(table.schema):
        return table, ()
    stage("naming people anew")
    return treat(table, key if isinstance(key, SecretKey) else SecretKey.named(key))


def refuse_treated(schema: Schema, why: str) -> None:
    """Refuse identifiers that are to get other names or days in a release that has none of them."""
    for name, treatment in treated_columns(schema).items():
        raise ParameterError(f"{why}, so '{name}' cannot become '{treatment}' there.", "Leave the identifier out.")


def _taken(
    source: Any, given: ReadArguments, progress: Progress | bool | None
) -> tuple[Table, Callable[[], Table | None]]:
    """Give the table that is meant, and a way to have it again that does not keep it in memory."""
    if isinstance(source, Table):
        return table_of(source, given, anonymize), weakref.ref(source)
    source = at_hand(source)
    with by_itself("reading", progress):
        return table_of(source, given, anonymize), partial(table_of, source, given, anonymize)


def _worked_towards(step: Method, models: Sequence[PrivacyModel]) -> tuple[PrivacyModel, ...]:
    """Give the promises that a method can have in mind: those of classes, and what it enforces.

    To merge classes for what is no matter of classes would help nobody.
    """
    return tuple(
        model
        for model in models
        if getattr(model, "by_class", True) or isinstance(model, AcrossRows) or model.name in step.enforces
    )


def _with_those_beside(methods: Sequence[Method], asked: tuple[Measure, ...]) -> tuple[Measure, ...]:
    """Add the measures without which nobody is to see what a method made."""
    names = dict.fromkeys(name for method in methods for name in getattr(method, "beside", ()))
    return (*asked, *picked("measures", [name for name in names if name not in {each.name for each in asked}]))


_MODELS = {"t": "t-closeness", "l": "l-diversity"}


def promised_levels(schema: Schema, name: str, level: Level | None) -> list[PrivacyModel]:
    """Make the models of a level: of the only confidential column, or of each that is named."""
    if level is None:
        return []
    if isinstance(level, Mapping):
        if not level:
            raise ParameterError(f"'{name}' names no column.", f"Write {name}={{'COLUMN': …}}, or leave it out.")
        return [build("models", {"name": _MODELS[name], name: each, "column": c}) for c, each in level.items()]
    model: PrivacyModel = build("models", {"name": _MODELS[name], name: level})
    if len(schema.sensitive) > 1:
        raise ParameterError(
            f"'{name}' is about one confidential column, and there are several: {', '.join(schema.sensitive)}.",
            f"Say which: {name}={{'{schema.sensitive[0]}': …}}.",
        )
    if not schema.sensitive:
        raise ParameterError(
            f"'{name}' is about a confidential column, and there is none.", "Name it: sensitive=['…']."
        )
    return [model]
