"""The road from a linked table to its release: traces, masked traces, fresh numbers, and the proof."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any

from shoal.errors import ParameterError
from shoal.linked.recoding import compact
from shoal.linked.releasing import fresh_order, table_of_traces
from shoal.linked.traces import Traces, traces_of
from shoal.measures import Measure, Score, Scores
from shoal.measures.itemset_retention import ItemsetRetention
from shoal.measures.set_loss import SetLoss
from shoal.measures.traces.linked_measure import LinkedMeasure
from shoal.methods import Method
from shoal.methods.hilbert import Hilbert
from shoal.methods.traces.linked_method import LinkedMethod
from shoal.models import PrivacyModel, check
from shoal.models.km_anonymity import KmAnonymity, within_of
from shoal.models.linked_model import LinkedModel
from shoal.progress import stage
from shoal.recipe import Recipe
from shoal.releases.linked_attributes import mask_attributes
from shoal.releases.release import Release
from shoal.schema import Role, Schema
from shoal.table import Table

USUAL = "cut-and-suppress"
MEASURES: tuple[Measure, ...] = (SetLoss(), ItemsetRetention())  # measured unless others are named


def linked_release(
    table: Table,
    methods: Sequence[Method],
    models: Sequence[PrivacyModel],
    measures: Sequence[Measure],
    again: Callable[[], Table | None],
    **asked: Any,
) -> Release:
    """Mask the traces of people, number these anew, check the models on the result, and measure what was lost."""
    refuse_others(table.schema, methods, models, measures)
    stage("reading traces")
    within, steps, exact = within_of(models), list[str](), list[str]()
    traces = traces_of(table, [name for name in table.schema.quasi if name not in within] if within else None)
    for model in models:
        model.demand(table.rows, traces.people)
        _said_of_labels(model, traces, traces)  # refuses what cannot be promised before any work is done
    attributes = None
    if within:
        (k,) = {model.k for model in models if isinstance(model, KmAnonymity)}
        attributes = mask_attributes(table, within, k, Hilbert())
        traces = replace(traces, person_classes=attributes.person_classes)
        steps.append(f"Put people into {int(attributes.person_classes.max()) + 1:,} classes by their attributes.")
    masked = traces
    for step in methods:
        assert isinstance(step, LinkedMethod)
        stage(f"masking with {step.name}")
        masked, said = step.applied(masked, models)
        steps.append(said.public)
        exact.append(said.exact)
    masked = compact(masked)
    order = fresh_order(traces.people)
    beside = None if attributes is None else dict(zip(attributes.columns, attributes.cells, strict=True))
    released = table_of_traces(table, masked, order, beside)
    stage("checking the promises")
    models = [_said_of_labels(model, traces, masked) for model in models]
    verdicts = check(released, models)
    steps.append(_numbered(traces, masked))
    recipe = Recipe.of(table, tuple(methods), tuple(models), tuple(measures), 0)
    return Release(
        table.origin, table.schema.subject, released, recipe,
        tuple(steps), verdicts, compared(measures, traces, masked), None, again, people=order, exact_steps=tuple(exact),
    )  # fmt: skip


def compared(measures: Sequence[Measure], original: Traces, released: Traces) -> Scores:
    """Measure a release beside its original, whose people stand in the same order."""
    found: list[Score] = []
    for measure in measures:
        assert isinstance(measure, LinkedMeasure)
        stage(f"measuring {measure.name}")
        found.append(measure.compared(original, released))
    return Scores(found)


def _said_of_labels(model: PrivacyModel, traces: Traces, masked: Traces) -> PrivacyModel:
    assert isinstance(model, LinkedModel)
    return model.for_release(traces.points, masked.points)


def _numbered(traces: Traces, masked: Traces) -> str:
    empty = f" {masked.empty:,} of them have no point left or had none." if masked.empty else ""
    return (
        f"Numbered {traces.people:,} people at random, each of whose points stands once, in the order of the points."
        f"{empty}"
    )


def refuse_others(
    schema: Schema, methods: Sequence[Method], models: Sequence[PrivacyModel], measures: Sequence[Measure]
) -> None:
    """Refuse what is not for linked tables, before any work is done."""
    kept = schema.of(Role.SENSITIVE, Role.PLAIN, Role.WEIGHT, Role.STRATUM)
    if kept:
        raise ParameterError(
            f"A linked release has points only, and no column as it is ('{kept[0]}').",
            "Name what points are made of (--quasi), and leave the other columns out.",
        )
    for what, given, kind in (
        ("method", methods, LinkedMethod), ("model", models, LinkedModel), ("measure", measures, LinkedMeasure),
    ):  # fmt: skip
        for each in given:
            if not isinstance(each, kind):
                raise ParameterError(
                    f"The {what} {each.name} is not for linked tables.",
                    {
                        "method": "Use cut-and-suppress, cover-cut or suppress-points.",
                        "model": "Ask for k^m-anonymity: --k 5 --m 2, k=5, m=2.",
                        "measure": f"Measure {' and '.join(each.name for each in MEASURES)}.",
                    }[what],
                )


def refuse_half(k: int | None, m: int | None, *, linked: bool) -> None:
    """Refuse k without m for linked rows, and m for others."""
    if m is not None and not linked:
        raise ParameterError(
            "m is how many rows of a person somebody knows, and rows are not linked.",
            "Say that they are: --linked --subject p, linked=True, subject='p'.",
        )
    if linked and (k is None) != (m is None):
        raise ParameterError(
            "Of a linked table, k and m belong together: who knows up to m points finds at least k people.",
            "Give both: --k 5 --m 2, k=5, m=2.",
        )


def refuse_input_order(row_order: str) -> None:
    """Refuse to leave rows as they stood: people come in a random order, and each point once."""
    if row_order != "released":
        raise ParameterError("A linked release has no row for each row of the input.", "Leave out --row-order.")


def promised(k: int | None, m: int | None, models: Sequence[PrivacyModel]) -> tuple[PrivacyModel, ...]:
    """Give the models that are asked for of a linked table."""
    refuse_half(k, m, linked=True)
    return (*(() if k is None or m is None else (KmAnonymity(k, m),)), *models)
