"""anonymize(): the one road from a table to a release."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from shoal.catalogue import picked
from shoal.errors import ParameterError
from shoal.identifiers import alone, looked_at, refuse, refuse_identifiers
from shoal.measures import Demanding, Measure, TableMeasure, score
from shoal.methods import Method
from shoal.models import PrivacyModel, check
from shoal.models.k_anonymity import KAnonymity
from shoal.progress import stage
from shoal.progress.showing import Progress, by_itself
from shoal.recipe import Recipe
from shoal.release import STANDARD_MEASURES, Release, seen_anew
from shoal.schema import RELEASED, refuse_odd
from shoal.several_rows import several_rows
from shoal.table import Table


def anonymize(
    table: Table,
    method: Method | str | Sequence[Method | str],
    models: PrivacyModel | Sequence[PrivacyModel] = (),
    *,
    measures: Sequence[Measure] | None = None,
    seed: int = 0,
    row_order: str = "released",
    no_promise: bool = False,
    allow_identifiers: Sequence[str] = (),
    progress: Progress | bool | None = None,
) -> Release:
    """Mask a table, check the models on the result, and measure what is left and what was lost.

    Parameters
    ----------
    table
        What to mask. It is not changed.
    method
        How to mask it, or the name of that (``"hilbert"``); several are applied one after the other.
    models
        What the release promises. It is checked on the masked table alone.
    measures
        What to measure; if left out, uniqueness, random reidentification, class sizes and information loss.
    seed
        The seed of methods that draw random numbers.
    row_order
        In which order rows are to be written: ``released``, by what is released; or ``input``, for experiments.
    no_promise
        Whether the release is meant to promise nothing: without models it can be looked at, but neither written nor
        given as a frame unless this is said.
    allow_identifiers
        Columns that may be released as they are though they tell who people are, by their name, their cells, or
        because every record has a value of its own. Others are refused.
    progress
        Who is told how far it is: a function of the stage, the share of it that is done and the seconds left, or True
        or False, as for `show_progress`. If left out, it is shown in notebooks.

    Examples
    --------
    >>> import polars as pl, shoal
    >>> people = pl.DataFrame({"age": [34, 35, 61, 62], "ill": ["yes", "no", "no", "yes"]})
    >>> table = shoal.read(people, quasi=["age"], sensitive=["ill"])
    >>> release = shoal.anonymize(table, shoal.methods.SortedClusters(), [shoal.models.KAnonymity(2)])
    >>> release.to_pandas()["age"].tolist()
    ['[34;35]', '[34;35]', '[61;62]', '[61;62]']
    """
    methods, models = picked("methods", method), picked("models", models)
    asked = picked("measures", STANDARD_MEASURES if measures is None else measures)
    if not table.schema.quasi:
        raise ParameterError("No column is a quasi-identifier.", "Name at least one (quasi=[...], --quasi a,b).")
    allowed = (allow_identifiers,) if isinstance(allow_identifiers, str) else tuple(allow_identifiers)
    refuse_identifiers(table, models, allowed)
    refuse_odd(table.schema[name] for name in looked_at(table.schema, models))  # a model would count them as values
    subject = table.schema.subject
    subjects = None if subject is None else int(table.counts(subject)[0].size)
    for model in models:
        model.demand(table.rows, subjects)
    for measure in asked:
        if isinstance(measure, Demanding):
            measure.demand(table.schema)
    recipe = Recipe.of(table, methods, tuple(models), asked, seed)
    recipe = replace(recipe, row_order=row_order, no_promise=no_promise and not models, allow_identifiers=allowed)
    masked, steps = table, []
    with by_itself("masking", progress):
        for step in methods:
            stage(f"masking with {step.name}")
            steps.append(step.explain(masked, models))
            masked = step.apply(masked, models, seed)
        if table.origin.given.get("missing"):
            # Whoever reads the release knows no marks: what a model takes for missing must be seen to be so.
            about = looked_at(masked.schema, models)
            masked = masked.blanked([name for name in masked.schema.of(*RELEASED) if name in about])
        stage("checking the promises")
        verdicts = check(masked, models)
        if not any(isinstance(model, KAnonymity) for model in models):
            refuse([each for each in alone(masked) if each.column not in allowed])
        scores = score(table, masked, measures=asked)
        if row_order == "released" and any(isinstance(measure, TableMeasure) for measure in asked):
            scores = seen_anew(masked.arranged()[0], asked, scores)  # as readers will see it, not as rows still stand
    return Release(
        table.origin, table.schema.subject, masked, recipe, tuple(steps), verdicts, scores,
        several_rows(table),
    )  # fmt: skip
