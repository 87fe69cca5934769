"""Local suppression against brute force: every count, every promise, and the least that could have been hidden."""

from collections import Counter

import numpy as np
import polars as pl
import pytest
from engines.pools import Memory
from engines.tiny import Tiny

import shoal
from shoal.engines.parts.engine import PartsEngine
from shoal.errors import GuaranteeError, ParameterError, SchemaError
from shoal.kernels import MISSING
from shoal.measures import KnownMatches
from shoal.methods import HideRare, Suppress
from shoal.methods.hiding.crowd_search import Records, enough, hide_until_crowds
from shoal.methods.hiding.exact_division import best_division
from shoal.models import AlphaK, KAnonymity, LDiversity, TCloseness, check
from shoal.models.agreeing_records import agreeing


def random_people(seed, records=None):
    random = np.random.default_rng(seed)
    n, columns = records or int(random.integers(6, 26)), int(random.integers(2, 5))
    data = {
        f"c{j}": [None if i == 0 else " abcd"[i] for i in random.integers(random.integers(0, 2), 4, n)]
        for j in range(columns)
    }
    data |= {"ill": random.choice(["flu", "cold", "none"], n).tolist(), "site": random.integers(0, 2, n).tolist()}
    return pl.DataFrame(data | {"who": [f"u{i}" for i in random.integers(0, max(4, n // 2), n)]})


def columns_of(frame):
    return [name for name in frame.columns if name[0] == "c"]


def read(frame, **more):
    quasi = columns_of(frame)
    roles = {"quasi": quasi, "sensitive": "ill", "plain": "site", "kinds": dict.fromkeys(quasi, "category")}
    return shoal.read(frame, **(roles | more))


def cells_of(table, names):
    return [
        tuple("" if cell is None else cell for cell in row)
        for row in table.to_polars(cells="text").select(names).iter_rows()
    ]


def fits(shown, cells, nothing=("*",)):
    return all(a == b or a in nothing for a, b in zip(shown, cells, strict=True))


@pytest.mark.parametrize("seed", range(12))
@pytest.mark.parametrize("missing", ["own", "known", "either"])
def test_hidden_cells_are_counted_as_brute_force_does(seed, missing):
    frame, k = random_people(seed), 2 + seed % 2
    table, names = read(frame), columns_of(frame)
    release = shoal.anonymize(table, Suppress(missing=missing), k=k)
    before, after = cells_of(table, names), cells_of(release.table, names)
    assert all(fits(shown, cells) for shown, cells in zip(after, before, strict=True))
    own = [after.count(row) for row in after]
    known = [sum(fits(shown, cells) for shown in after) for cells in before]
    worst = [sum(fits(shown, row) for shown in after) for row in after]
    either = [
        sum(all(a == b or {a, b} & {"*", ""} for a, b in zip(row, other, strict=True)) for other in after)
        for row in after
    ]
    levels = [one.level for one in check(release.table, [KAnonymity(k, way) for way in ("own", "known", "either")])]
    assert levels == [min(own), min(worst), min(either)]
    assert min(own) <= min(worst) <= min(known)
    assert release.holds
    assert release.verdicts[0].model == KAnonymity(k, missing)
    (score,) = shoal.score(table, release.table, measures=[KnownMatches(k)])
    assert score.detail["below"] == sum(count < k for count in known)
    assert (score.detail["alone"], score.detail["smallest"]) == (known.count(1), min(known))
    hidden = release.table.hidden
    assert list(hidden["suppressed"].values()) == [sum(row[j] == "*" for row in after) for j in range(len(names))]
    assert hidden["records_touched"] == sum("*" in row for row in after)


def divisions(rows):
    """Give every division of rows into classes."""
    if not rows:
        yield []
        return
    for classes in divisions(rows[1:]):
        yield [[rows[0]], *classes]
        for i, mine in enumerate(classes):
            yield [*classes[:i], [rows[0], *mine], *classes[i + 1 :]]


def least_cost(rows, k, costs):
    """Give what the best division into classes of k or more costs, over all divisions."""
    price = {}
    for classes in divisions(list(range(len(rows)))):
        if min(map(len, classes)) >= k:
            differing = [[len({rows[i][j] for i in mine}) > 1 for j in range(len(costs))] for mine in classes]
            found = sum(
                len(mine) * sum(c for c, d in zip(costs, many, strict=True) if d)
                for mine, many in zip(classes, differing, strict=True)
            )
            price[len(price)] = found
    return min(price.values())


def small_tables(number, most):
    for seed in range(number):
        random = np.random.default_rng(seed)
        n, columns, k = int(random.integers(4, most)), int(random.integers(2, 5)), int(random.integers(2, 4))
        rows = random.integers(0, int(random.integers(2, 4)), (n, columns))
        costs = [1.0] * columns if seed % 2 else random.integers(1, 4, columns).astype(float).tolist()
        distinct, counts = np.unique(rows, axis=0, return_counts=True)
        records = Records(distinct.astype(np.int32), counts.astype(np.int64), np.zeros(len(distinct), np.int32))
        yield records, rows, k, np.array(costs)


def test_few_records_lose_as_little_as_can_be():
    for records, rows, k, costs in small_tables(40, 8):
        lots = best_division(records, k, costs, list(range(costs.size)))
        assert enough(records, lots, k).all()
        assert (np.bincount(lots.units, lots.counts) == records.counts).all()
        assert lots.cost(costs) == least_cost(rows.tolist(), k, costs.tolist())


def test_the_search_is_seldom_far_from_the_least_possible():
    ratios = []
    for records, _, k, costs in small_tables(60, 10):
        lots = hide_until_crowds(records, k, costs, list(range(costs.size)))
        assert enough(records, lots, k).all()
        assert (np.bincount(lots.units, lots.counts) == records.counts).all()
        wanted = best_division(records, k, costs, list(range(costs.size))).cost(costs)
        found = lots.cost(costs)
        assert found >= wanted
        ratios.append(found / wanted if wanted else 1 + found)
    assert sum(ratio <= 1 + 1e-9 for ratio in ratios) >= 0.85 * len(ratios)
    assert max(ratios) <= 2


@pytest.mark.parametrize("seed", range(6))
def test_other_promises_are_kept_and_people_are_counted(seed):
    frame = random_people(seed, 24)
    for models in (
        [KAnonymity(2), LDiversity(2)], [KAnonymity(2), TCloseness(0.4)],
        [KAnonymity(3), AlphaK(0.8), LDiversity(1.5, kind="entropy")],
    ):  # fmt: skip
        try:
            release = shoal.anonymize(read(frame), Suppress(), models)
        except GuaranteeError:  # all records in one class break it, and so would any division of them
            assert isinstance(models[1], AlphaK)
            assert max(Counter(frame["ill"]).values()) > 0.8 * frame.height
            continue
        assert release.holds
        assert [one.model.name for one in release.verdicts] == [one.name for one in models]
    people = read(frame, subject="who", plain=[])
    release = shoal.anonymize(people, Suppress(), k=3)
    assert release.holds
    rows = zip(cells_of(release.table, columns_of(frame)), frame["who"], strict=True)
    whose = {}
    for cells, who in rows:
        whose.setdefault(cells, set()).add(who)
    assert min(map(len, whose.values())) >= 3


@pytest.mark.parametrize("seed", range(6))
def test_strata_are_not_mixed_and_combinations_of_some_columns_are_kept(seed):
    frame = random_people(seed, 24)
    names = columns_of(frame)
    if min(Counter(frame["site"]).values()) >= 3:
        table = shoal.anonymize(read(frame), Suppress(strata="site"), k=3).table
        assert min(Counter(cells_of(table, [*names, "site"])).values()) >= 3
    models = [KAnonymity(3), KAnonymity(5, size=1)]
    release = shoal.anonymize(read(frame), Suppress(), models)
    assert release.holds
    for name in names:
        assert min(Counter(cells_of(release.table, [name])).values()) >= 5
    pairs = shoal.anonymize(read(frame), Suppress(), KAnonymity(4, size=2)).table
    for i, one in enumerate(names):
        for other in names[:i]:
            assert min(Counter(cells_of(pairs, [one, other])).values()) >= 4


def test_what_matters_is_hidden_last_and_what_costs_much_seldom():
    """Somebody is between two crowds: one shares the value of a, the other that of b."""
    frame = pl.DataFrame({"a": [*"xxxxxxx", *"yyyyyy"], "b": [*"pppppp", *"qqqqqqq"]})
    for given, hidden in (
        ({"importance": {"a": 9, "b": 1}}, "a"),
        ({"importance": {"b": 9}}, "b"),
        ({"cost": {"a": 5}}, "b"),
    ):
        release = shoal.anonymize(frame, Suppress(**given), k=2, quasi=["a", "b"])
        assert release.holds
        assert release.table.hidden["suppressed"] == {"a": 0, "b": 0} | {hidden: 2}


def test_every_engine_hides_the_same_cells(tmp_path):
    frame = random_people(3, 60)
    for method in (Suppress(), Suppress(missing="either"), Suppress(strata="site"), HideRare(9), HideRare(20, "c0")):
        written = []
        for number, engine in enumerate((None, PartsEngine(Memory(), 7), Tiny())):
            release = shoal.anonymize(read(frame, engine=engine), method, k=3, no_promise=True)
            table = release.table if release.holds else None
            assert table is not None or not method.enforces
            written.append(cells_of(release.table, columns_of(frame)))
            assert number == 0 or written[number] == written[0]


def test_what_offices_count_by_hand():
    """Agreement where a cell shows nothing, with weights, as a peer's own tests have it."""
    a, b, c = (2, 3, 2, 2, 3, 3, 1, 2), (3, 3, 3, 3, 3, 3, 4, 3), (1, 3, MISSING, 2, 1, 1, MISSING, 1)
    codes = np.array([a, b, c], np.int32).T.copy()
    weights = np.array([18, 45.5, 39, 17, 92, 8, 123.5, 51])
    assert agreeing(codes, codes != MISSING, np.ones(8), "either").tolist() == [3, 1, 4, 2, 2, 2, 1, 3]
    assert agreeing(codes, codes != MISSING, weights, "either").tolist() == [108, 45.5, 125, 56, 100, 100, 123.5, 108]
    sex, town = [1, 1, 1, MISSING, MISSING, 2, 2, 1], [1, 1, 1, 1, 1, 2, MISSING, MISSING]
    codes = np.array([sex, town], np.int32).T.copy()
    assert agreeing(codes, codes != MISSING, np.ones(8), "either").tolist() == [6, 6, 6, 7, 7, 2, 4, 6]


REFUSED = {
    "a way to count": (lambda: Suppress(missing="none"), ParameterError, "count"),
    "a model's way": (lambda: KAnonymity(3, "none"), ParameterError, "count"),
    "free cells": (lambda: Suppress(cost={"a": 0}), ParameterError, "cost"),
    "no number": (lambda: Suppress(importance={"a": "much"}), ParameterError, "importance"),
    "no column": (lambda: Suppress(cost={"z": 1}), SchemaError, "no column 'z'"),
    "no stratum": (lambda: Suppress(strata="z"), SchemaError, "z"),
    "nothing to hide": (lambda: Suppress(strata=("a", "b")), ParameterError, "strata"),
    "small strata": (lambda: Suppress(strata="b"), GuaranteeError, "belong together"),
    "large k": (Suppress, ParameterError, "cannot be reached"),
}


@pytest.mark.parametrize(("method", "error", "message"), REFUSED.values(), ids=REFUSED)
def test_what_cannot_be_hidden_is_refused(method, error, message):
    frame = pl.DataFrame({"a": ["x", "x", "y", "y", "z"], "b": ["p", "p", "p", "p", "q"]})
    with pytest.raises(error, match=message):
        shoal.anonymize(frame, method(), k=6 if message == "cannot be reached" else 2, quasi=["a", "b"])


def test_either_is_about_records_and_about_k_alone():
    frame = random_people(1)
    for more, models in (({"subject": "who", "plain": []}, [KAnonymity(2)]), ({}, [KAnonymity(2), LDiversity(2)])):
        with pytest.raises((ParameterError, GuaranteeError)):
            shoal.anonymize(read(frame, **more), Suppress(missing="either"), models)
    with pytest.raises(ParameterError, match="quasi-identifiers"):
        shoal.anonymize(read(frame), Suppress(), KAnonymity(2, size=9))


@pytest.mark.parametrize("least", [2, 4, 7])
def test_rare_values_become_what_enough_records_have(least, tmp_path):
    random = np.random.default_rng(least)
    values = ["abcdefgh"[i] for i in np.minimum(random.geometric(0.35, 60), 8) - 1]
    (tmp_path / "tree.csv").write_text(
        "".join(f"{x},{x.upper()}{i // 2},{'LR'[i // 4]}\n" for i, x in enumerate("abcdefgh"))
    )
    frame = pl.DataFrame({"v": values})
    flat = shoal.anonymize(frame, HideRare(least), [], no_promise=True, quasi="v", allow_identifiers="v").table
    counts = Counter(values)
    assert [row[0] for row in cells_of(flat, ["v"])] == [x if counts[x] >= least else "*" for x in values]
    tree = {"hierarchies": {"v": str(tmp_path / "tree.csv")}}
    table = shoal.anonymize(frame, HideRare(least), [], no_promise=True, quasi="v", allow_identifiers="v", **tree).table
    shown = [row[0] for row in cells_of(table, ["v"])]
    assert all(count >= least for cell, count in Counter(shown).items() if cell != "*")
    assert all(cell == x for cell, x in zip(shown, values, strict=True) if counts[x] >= least)
    assert all(cell != x for cell, x in zip(shown, values, strict=True) if counts[x] < least)
