"""Answers: noisy numbers, what they mean, and how far the noise may have moved them."""

from __future__ import annotations

import itertools
import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from shoal.private.aggregates import Aggregates
from shoal.private.exact_numbers import written
from shoal.private.mechanisms import SURE
from shoal.private.queries import QueryPlan

ANSWERED = ("answer", "interval", "scale", "notes")  # what the digest of an answer covers
Number = int | float
Interval = tuple[Number, Number]


@dataclass(frozen=True)
class NoisyCell:
    """One cell of an answer: what it is about, its value, and the interval in which the noise leaves the true one.

    A quantile is a candidate, and has no interval but the rows by which its rank may be off.
    """

    labels: Mapping[str, str]
    value: Number | str
    interval: Interval | None


@dataclass(frozen=True)
class NoisyAnswer:
    """An answer as it may be shown to everyone.

    Parameters
    ----------
    cells
        Its cells; one without labels if nothing was asked by a column.
    scales
        The scale of the noise of each kind of number that was counted, in the unit of the answer.
    notes
        What is to be said of it.
    """

    cells: tuple[NoisyCell, ...]
    scales: Mapping[str, float]
    notes: tuple[str, ...]

    def plain(self) -> dict[str, Any]:
        """Give the answer as plain values: one number, or a list with a row for each cell."""
        scale = next(iter(self.scales.values())) if len(self.scales) == 1 else dict(self.scales)
        if len(self.cells) == 1 and not self.cells[0].labels:
            (only,) = self.cells
            interval: Any = None if only.interval is None else list(only.interval)
            return {"answer": only.value, "interval": interval, "scale": scale, "notes": list(self.notes)}
        return {
            "answer": [{**cell.labels, "value": cell.value} for cell in self.cells],
            "interval": [None if cell.interval is None else list(cell.interval) for cell in self.cells],
            "scale": scale,
            "notes": list(self.notes),
        }


def noisy(plan: QueryPlan, found: Aggregates, *, non_negative: bool = False) -> NoisyAnswer:
    """Add noise to what was counted, and make an answer of it."""
    kind = plan.query.kind
    made = {"quantile": _quantiles, "mean": _means}.get(kind, _numbers)(plan, found)
    step = Fraction(1) if plan.units is None else plan.units.bounds.step
    scales = {each.what: each.noise.scale * float(step if each.what == "steps" else 1) for each in plan.counted}
    names = [codes.column for codes in plan.groups]
    labels = itertools.product(*(codes.labels for codes in plan.groups))
    notes = plan.notes
    if kind == "quantile":
        notes = (*notes, _off_by(plan))
    if non_negative and kind in ("count", "histogram"):
        made = [
            (value, interval) for value, (_, interval) in zip(_at_least_zero([v for v, _ in made]), made, strict=True)
        ]
        notes = (*notes, "Counts were made non-negative afterwards, with the sum that the noisy ones have.")
    cells = tuple(
        NoisyCell(dict(zip(names, of, strict=True)), value, interval)
        for of, (value, interval) in zip(labels, made, strict=True)
    )
    return NoisyAnswer(cells, scales, notes)


def _numbers(plan: QueryPlan, found: Aggregates) -> list[tuple[Number | str, Interval | None]]:
    """Give noisy counts or sums."""
    (counted,) = plan.counted
    step = Fraction(1) if plan.units is None else plan.units.bounds.step
    half = counted.noise.half_width()
    values = counted.noise.added(found.rows if counted.what == "rows" else found.steps)
    if step.denominator == 1:  # most are, and of many cells fractions take longer than the noise
        whole = step.numerator
        return [(whole * v, (whole * (v - half), whole * (v + half))) for v in values]
    return [(_number(step * v), (_number(step * (v - half)), _number(step * (v + half)))) for v in values]


def _means(plan: QueryPlan, found: Aggregates) -> list[tuple[Number | str, Interval | None]]:
    """Give centre + step · sum / rows of noisy sums and rows, within the bounds."""
    assert plan.units is not None
    steps, rows = plan.counted
    bounds, centre = plan.units.bounds, plan.units.centre
    sums, sizes = steps.noise.added(found.steps), rows.noise.added(found.rows)
    each = (1 + SURE) / 2  # both are within theirs with a probability of at least SURE
    of_sum, of_size = steps.noise.half_width(each), rows.noise.half_width(each)

    def mean(total: int, size: int) -> float:
        raw = centre + bounds.step * Fraction(total, max(size, 1))
        return float(min(max(raw, bounds.lower), bounds.upper))

    answers: list[tuple[Number | str, Interval | None]] = []
    for total, size in zip(sums, sizes, strict=True):
        ends = [mean(t, s) for t in (total - of_sum, total + of_sum) for s in (size - of_size, size + of_size)]
        answers.append((mean(total, size), (min(ends), max(ends))))
    return answers


def _quantiles(plan: QueryPlan, found: Aggregates) -> list[tuple[Number | str, Interval | None]]:
    """Choose a candidate for each cell."""
    assert plan.buckets is not None
    (counted,) = plan.counted
    width = len(plan.buckets.labels)
    answers: list[tuple[Number | str, Interval | None]] = []
    names = plan.query.values
    for start in range(0, len(found.rows), width):
        scores = plan.buckets.scores(found.rows[start : start + width], plan.query.fraction)
        best = counted.noise.best(scores)
        candidate = plan.buckets.candidates[best]
        dated = names is not None and "-" in names[best][1:]
        answers.append((names[best] if dated and names is not None else _number(Fraction(candidate)), None))
    return answers


def _off_by(plan: QueryPlan) -> str:
    """Say how far the rank of the chosen candidate may be from that of the best one.

    F. McSherry, K. Talwar: Mechanism design via differential privacy, FOCS 2007, Theorem 6.
    """
    assert plan.buckets is not None
    (counted,) = plan.counted
    reach = counted.noise.scale * (math.log(len(plan.buckets.candidates)) - math.log(1 - SURE))
    rows = math.ceil(reach / plan.query.fraction[1])
    return (
        f"With a probability of {SURE:.0%} the rank of the candidate is at most {rows:,} rows farther from the one "
        "that was asked for than that of the best candidate is."
    )


def _at_least_zero(values: Sequence[Any]) -> list[int]:
    """Give the nearest whole numbers, none below zero, that have the same sum, or 0 where that is negative."""
    whole = max(sum(values), 0)
    left = whole
    ordered = sorted(range(len(values)), key=lambda i: -values[i])
    # Lower all of the largest few by the same amount, so that these have the whole sum (projection to a simplex).
    lowered, running, used = Fraction(0), 0, 0
    for count, i in enumerate(ordered, 1):
        running += values[i]
        if values[i] - Fraction(running - whole, count) > 0:
            lowered, used = Fraction(running - whole, count), count
    found = [0] * len(values)
    exactly = {i: values[i] - lowered for i in ordered[:used]}
    for i, value in exactly.items():
        found[i] = math.floor(value)
        left -= found[i]
    for i in sorted(exactly, key=lambda i: found[i] - exactly[i])[:left]:
        found[i] += 1
    return found


def _number(value: Fraction) -> Number:
    return int(value) if value.denominator == 1 else float(value)


def cost(rho: Fraction, epsilon: float | None, delta: Fraction | None) -> dict[str, Any]:
    """Say what something costs: ρ exactly, and the ε that it means at a δ."""
    shown = {} if epsilon is None or delta is None else {"epsilon": epsilon, "delta": float(delta)}
    return {"rho": written(rho)} | shown
