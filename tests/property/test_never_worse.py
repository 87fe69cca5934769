"""The default method loses no more than any other for the same promise, and no more when it is asked for less."""

from itertools import pairwise

import numpy as np
import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from shelves import unlinked

import shoal
from shoal.errors import GuaranteeError
from shoal.kernels.merge_costs import cheapest_partners
from shoal.kernels.range_cuts import classes_before, cut_for_ranges
from shoal.methods.search.algorithm_selection import sizes_from

# One needs an earlier release, whose classes it forms again.
ELSEWHERE = {"hilbert", "same-classes"}
OTHERS = [
    kind for name, kind in unlinked("methods").items() if "k-anonymity" in kind.enforces and name not in ELSEWHERE
]
MONOTONE = 1.005
NEVER_WORSE = 1.01


def people(seed, rows, told):
    """Make up a table with numbers, categories, ties and missing cells; the secret goes with age if it is told."""
    draw = np.random.Generator(np.random.PCG64(seed))
    hidden = draw.normal(size=rows)
    pay = [None if draw.random() < 0.05 else round(x, 1) for x in draw.lognormal(2, 1, rows)]
    frame = pl.DataFrame({
        "age": np.round(10 * hidden + 5 * draw.normal(size=rows)).astype(int),
        "pay": pay,
        "sex": draw.choice(["f", "m"], rows),
        "steps": np.clip(np.round(3 * hidden * told + 2 * draw.normal(size=rows)), -5, 5).astype(int),
        "ill": draw.choice(list("abcd"), rows, p=[0.5, 0.3, 0.15, 0.05]),
    })  # fmt: skip
    return shoal.read(frame, quasi=["age", "pay", "sex"], sensitive=["steps", "ill"])


def lost(table, method, *models):
    """Give the loss of a method whose release keeps all promises."""
    try:
        released = method.apply(table, models, 0)
    except (GuaranteeError, shoal.errors.SchemaError):
        return np.inf
    assert all(verdict.holds for verdict in shoal.models.check(released, models))
    return shoal.score(table, released, measures=[shoal.measures.InformationLoss()])[0].value


PROMISES = [
    [],
    [shoal.models.TCloseness(0.1, "steps")],
    [shoal.models.TCloseness(0.25, "steps")],
    [shoal.models.TCloseness(0.2, "steps", "ordered-records")],
    [shoal.models.TCloseness(0.4, "ill")],
    [shoal.models.LDiversity(3, "ill")],
    [shoal.models.LDiversity(1.8, "ill", "entropy")],
    [shoal.models.LDiversity(2, "ill", "recursive", 3.0)],
    [shoal.models.AlphaK(0.6, "ill")],
    [shoal.models.TCloseness(0.3, "steps"), shoal.models.LDiversity(2, "ill")],
]


@pytest.mark.parametrize("others", PROMISES, ids=lambda models: "+".join(model.name for model in models) or "alone")
@pytest.mark.parametrize(("seed", "rows", "told", "k"), [(0, 90, 0, 2), (1, 160, 1, 3)])
def test_no_other_method_loses_less_for_the_same_promise(seed, rows, told, k, others):
    table, models = people(seed, rows, told), [shoal.models.KAnonymity(k), *others]
    least = min(lost(table, method(), *models) for method in OTHERS)
    assert lost(table, shoal.methods.Hilbert(), *models) <= NEVER_WORSE * least


@pytest.mark.parametrize("told", [0, 1])
@pytest.mark.parametrize(
    "other", [shoal.models.TCloseness(0.15, "steps"), shoal.models.LDiversity(3, "ill")], ids=lambda m: m.name
)
def test_a_smaller_k_costs_no_more(told, other):
    table = people(7 + told, 220, told)
    losses = [lost(table, shoal.methods.Hilbert(), shoal.models.KAnonymity(k), other) for k in (2, 3, 5, 10)]
    assert all(less <= MONOTONE * more for less, more in pairwise(losses))


@pytest.mark.parametrize("told", [0, 1])
def test_a_larger_t_and_a_smaller_l_cost_no_more(told):
    table = people(3 + told, 220, told)
    ts = [shoal.models.TCloseness(t, "steps") for t in (0.5, 0.35, 0.2, 0.1)]
    ls = [shoal.models.LDiversity(least, "ill") for least in (2, 3, 4)]
    for models in (ts, ls):
        losses = [lost(table, shoal.methods.Hilbert(), shoal.models.KAnonymity(3), model) for model in models]
        assert all(less <= MONOTONE * more for less, more in pairwise(losses))


values = st.lists(st.integers(0, 12), min_size=2, max_size=11)


def cheapest_by_hand(numbers, k):
    """Give what the best classes of k in a row cost, by trying all."""
    if not numbers:
        return 0.0
    return min(
        (
            sum(max(x - part[0], part[-1] - x) for x in part) + cheapest_by_hand(numbers[size:], k)
            for size in range(k, len(numbers) + 1)
            if (part := numbers[:size])
        ),
        default=np.inf,
    )


@given(values, st.integers(1, 4))
def test_one_attribute_is_cut_where_no_other_cut_loses_less(numbers, k):
    numbers = sorted(numbers)
    best, begins = cut_for_ranges(np.array(numbers, np.float64), k)
    assert best[-1] == pytest.approx(cheapest_by_hand(numbers, k))
    if np.isfinite(best[-1]):
        labels = classes_before(begins, len(numbers))
        assert np.bincount(labels).min() >= k
        parts = [[x for x, label in zip(numbers, labels, strict=True) if label == c] for c in range(labels[-1] + 1)]
        assert sum(max(x - part[0], part[-1] - x) for part in parts for x in part) == pytest.approx(best[-1])


few = st.lists(st.integers(0, 9), min_size=2, max_size=8)


@settings(max_examples=40)
@given(few, st.integers(2, 3), st.integers(0, 3))
def test_one_attribute_loses_as_little_as_can_be_also_with_missing_cells(numbers, k, missing):
    if len(numbers) < k or len(set(numbers)) < 2:
        return
    table = shoal.read(pl.DataFrame({"v": [*numbers, *[None] * missing]}), quasi=["v"])
    found = lost(table, shoal.methods.Hilbert(), shoal.models.KAnonymity(k)) * table.rows * np.std(numbers, ddof=1)
    numbers = sorted(numbers)
    reach = numbers[-1] - numbers[0]
    ways = [cheapest_by_hand(numbers, k)] if missing == 0 or missing >= k else []
    for at in range(len(numbers) + 1) if 0 < missing < k else []:
        for stop in range(at + k - missing, len(numbers) + 1):  # those from here to there join the missing ones
            hidden = sum(max(x - numbers[0], numbers[-1] - x) for x in numbers[at:stop]) + missing * reach
            ways.append(hidden + cheapest_by_hand(numbers[:at], k) + cheapest_by_hand(numbers[stop:], k))
    assert found == pytest.approx(min(ways), abs=1e-9)


@given(st.integers(2, 12), st.integers(1, 5), st.integers(1, 4), st.integers(0, 9))
def test_partners_are_those_that_it_costs_least_to_join(groups, reach, few, seed):
    draw = np.random.Generator(np.random.PCG64(seed))
    ends = np.sort(draw.integers(0, 9, (2, groups, 4)).astype(np.float32), axis=0)
    lo, hi, full = np.ascontiguousarray(ends[0]), np.ascontiguousarray(ends[1]), np.full(4, 7, np.float32)
    sizes = draw.integers(1, 6, groups)
    found, more = cheapest_partners(lo, hi, full, sizes, np.arange(groups), reach, few)

    def cost(rows):
        box = np.minimum(hi[rows].max(0) - lo[rows].min(0), full)
        return sizes[rows].sum() * np.sqrt((box.astype(np.float64) ** 2).sum())

    for c in range(groups):
        near = [d for d in range(max(0, c - reach), min(groups, c + reach + 1)) if d != c]
        costs = sorted(cost([c, d]) - cost([c]) - cost([d]) for d in near)[:few]
        assert more[c][: len(costs)] == pytest.approx(costs, abs=1e-3)
        assert (found[c][: len(costs)] != c).all()
        assert (found[c][len(costs) :] == -1).all()


def test_who_asks_for_less_tries_no_fewer_sizes():
    for less, more in pairwise((2, 3, 4, 5, 6, 7, 8, 10, 12)):
        assert set(sizes_from(more, 100, 4)) <= set(sizes_from(less, 100, 4))
