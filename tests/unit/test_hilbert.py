"""The curve, the partition of small tables worked by hand, and the pieces in which an engine cuts a table."""

import itertools

import numpy as np
import polars as pl
import pyarrow as pa
import pytest

import shoal
from shoal.engines import range_splits
from shoal.kernels import MISSING
from shoal.kernels.hilbert_curve import bits_for, curve_keys
from shoal.kernels.partition import Costs, Effort, number_by_first, partition
from shoal.kernels.radix import order_by_lengths
from shoal.measures import Granularity
from shoal.methods import FullDomain, Hilbert, Layers
from shoal.methods.hilbert import EFFORTS, SMALL
from shoal.models import KAnonymity

PLAIN = np.zeros(1)


def released(columns, k, method=None, **roles):
    table = shoal.read(pl.DataFrame(columns), **({"quasi": list(columns)} | roles))
    release = shoal.anonymize(table, method or shoal.methods.Hilbert(), [shoal.models.KAnonymity(k)])
    assert release.holds
    return release.to_pandas(row_order="input")


def costs(columns, *, squared=True):
    cells = np.array(columns, float)
    return Costs(
        np.ones(cells.shape[1]), cells.min(axis=0), cells.max(axis=0), np.empty(0, np.int64), np.empty(0, np.int64),
        squared=squared,
    )  # fmt: skip


def divided(rows, k, effort, **options):
    cells = np.array(rows, np.int32)
    offsets = np.full(cells.shape[1], -1)
    labels = partition(cells, cells, PLAIN, offsets, costs(rows, **options), None, k, effort)
    return sorted(sorted(np.flatnonzero(labels == label).tolist()) for label in set(labels.tolist()))


@pytest.mark.parametrize(("axes", "side"), [(1, 64), (2, 16), (3, 8), (4, 4), (9, 2)])
def test_the_curve_visits_every_cell_and_goes_on_to_a_neighbour(axes, side):
    cells = np.array(list(itertools.product(range(side), repeat=axes)), np.int32)
    scale = np.full(axes, 2.0 ** bits_for(axes) / side)
    offsets, origin = np.full(axes, -1), np.zeros(axes)
    keys = curve_keys(cells, cells, np.arange(axes), origin, scale, PLAIN, offsets).view(np.uint64)
    assert np.unique(keys).size == len(cells)
    walk = cells[order_by_lengths(keys.view(np.float64))]
    assert (np.abs(np.diff(walk, axis=0)).sum(axis=1) == 1).all()


def test_keys_are_in_the_order_of_their_bits_though_they_are_no_numbers():
    draw = np.random.default_rng(3)
    for top in (2**63, 2**40, 7):
        keys = draw.integers(0, top, 5000, dtype=np.uint64)
        keys[::3] = keys[0] + draw.integers(0, 2, keys[::3].size, dtype=np.uint64)  # many agree in their leading bits
        expected = np.argsort(keys, kind="stable")
        assert (order_by_lengths(keys.view(np.float64)) == expected).all()


def test_what_lies_outside_the_grid_is_put_into_its_outermost_cells():
    cells = np.array([[-900], [0], [3], [900], [MISSING]], np.int32)
    keys = curve_keys(cells, cells, np.arange(1), np.zeros(1), np.ones(1), PLAIN, np.full(1, -1)).view(np.uint64)
    assert keys.tolist() == [0, 0, 3, 900, 0]
    keys = curve_keys(cells, cells, np.arange(1), np.zeros(1), np.full(1, 1e6), PLAIN, np.full(1, -1)).view(np.uint64)
    assert keys.tolist() == [0, 0, 2**14 - 1, 2**14 - 1, 0]


def test_two_heaps_become_two_classes():
    rows = [(0, 0), (9, 9), (0, 1), (9, 8), (1, 0), (8, 9)]
    for effort in (Effort(8), Effort(8, 1, 1)):
        assert divided(rows, 3, effort) == [[0, 2, 4], [1, 3, 5]]
        assert divided(rows, 3, effort, squared=False) == [[0, 2, 4], [1, 3, 5]]


def test_the_best_cut_may_need_classes_larger_than_k():
    rows = [(0,), (0,), (0,), (7,), (7,), (7,), (7,)]
    assert divided(rows, 3, Effort(8)) == [[0, 1, 2], [3, 4, 5, 6]]


def test_dividing_anew_helps_and_never_harms():
    draw = np.random.default_rng(11)
    rows = draw.normal(0, 1000, (600, 3)).astype(np.int32)

    def cost(effort):
        groups = [rows[group] for group in divided(rows.tolist(), 4, effort)]
        far = [np.maximum(group.max(axis=0) - group, group - group.min(axis=0)) for group in groups]
        return sum(np.sqrt((part.astype(float) ** 2).sum(axis=1)).sum() for part in far)

    assert cost(Effort(64, 4, 3)) < cost(Effort(64))
    assert cost(Effort(600)) < cost(Effort(64))


def test_labels_are_numbered_by_where_they_occur_first():
    labels = np.array([4, 4, 0, 7, 0, 4], np.int32)
    assert number_by_first(labels, 8) == 3
    assert labels.tolist() == [0, 0, 1, 2, 1, 0]


def test_a_table_by_hand():
    frame = released({"age": [20, 61, 34, 58, 22, 60], "sex": [1, 2, 1, 2, 1, 2]}, 3)
    assert frame["age"].tolist() == ["[20;34]", "[58;61]", "[20;34]", "[58;61]", "[20;34]", "[58;61]"]
    assert frame["sex"].tolist() == ["[1;1]", "[2;2]", "[1;1]", "[2;2]", "[1;1]", "[2;2]"]


def test_records_that_have_their_like_are_left_alone():
    ages = [30, 30, 41, 30, 52, 47]
    assert released({"age": ages}, 3)["age"].tolist() == ["[30;30]"] * 2 + ["[41;52]", "[30;30]"] + ["[41;52]"] * 2
    alone = released({"age": [30] * 7 + [80]}, 3)["age"].tolist()
    assert sorted(alone) == ["[30;30]"] * 5 + ["[30;80]"] * 3  # one needs company, the others are left alone
    few = released({"age": [30] * 4 + [80]}, 3)["age"].tolist()
    assert few == ["[30;80]"] * 5


def test_everything_may_be_equal():
    assert released({"a": [5] * 9, "b": ["x"] * 9}, 4)["b"].tolist() == ["x"] * 9
    assert released({"a": [5] * 9}, 4, shoal.methods.Hilbert(keep_exact=False))["a"].tolist() == ["[5;5]"] * 9


def test_missing_cells_are_kept_together():
    frame = released({"a": [1, None, 2, None, 3, None], "b": [1, 1, 1, 1, 1, 1]}, 3)
    assert frame["a"].fillna("").tolist() == ["[1;3]", "", "[1;3]", "", "[1;3]", ""]


def test_classes_hold_k_different_people():
    columns = {"who": [f"p{i // 3}" for i in range(30)], "age": [i for i in range(10) for _ in range(3)]}
    table = shoal.read(pl.DataFrame(columns), quasi="age", subject="who")
    release = shoal.anonymize(table, shoal.methods.Hilbert(), [shoal.models.KAnonymity(3)])
    assert release.holds
    assert release.table.data.lo.shape[0] >= 3  # by growing; joining whole classes afterwards would leave fewer


def test_categories_cost_by_their_number_where_certainty_is_asked_for():
    columns = {"code": ["a", "z", "b", "a", "z", "y"], "zip": [1, 1, 9, 1, 1, 9]}
    frame = released(columns, 2, shoal.methods.Hilbert(objective="certainty"))
    assert frame["code"].tolist() == ["a", "z", "{b;y}", "a", "z", "{b;y}"]


def test_more_attributes_than_the_curve_has_axes():
    draw = np.random.default_rng(5)
    heap = draw.integers(0, 2, 60)
    columns = {f"q{j}": (heap * 50 + draw.integers(0, 9, 60)).tolist() for j in range(70)}
    frame = released(columns, 5)
    low, high = (
        np.array([[int(text[1:-1].split(";")[side]) for text in frame[name]] for name in columns]) for side in (0, 1)
    )
    assert ((high - low) < 20).all()  # no class mixes the two heaps


@pytest.mark.parametrize("quality", range(4))
def test_k_may_be_large(quality):
    draw = np.random.default_rng(quality)
    frame = released(
        {"a": draw.normal(size=700), "b": draw.integers(0, 9, 700)}, 300, shoal.methods.Hilbert(quality=quality)
    )
    assert frame.groupby(["a", "b"]).size().min() >= 300


@pytest.mark.parametrize(
    "given", [{"quality": 4}, {"quality": -1}, {"quality": True}, {"objective": "speed"}, {"keep_exact": 1}]
)
def test_what_is_not_offered_is_refused(given):
    with pytest.raises(shoal.errors.ParameterError):
        shoal.methods.Hilbert(**given)


def test_every_quality_of_every_table_has_its_effort():
    assert len(EFFORTS) == 4 + len(SMALL)
    assert [effort.block for effort in EFFORTS] == sorted(effort.block for effort in EFFORTS)


def test_pieces_hold_rows_with_equal_keys_together_in_the_order_of_their_keys(monkeypatch):
    monkeypatch.setattr(range_splits, "ROWS", 4)
    table = shoal.read(pa.table({"a": [3, 1, 2, 2, 2, 2, 2, 2, 1, 3, 4]}), quasi="a")
    keys = table.map_rows(lambda rows: rows.lo[:, 0].astype(np.float64))
    seen = []

    def kernel(piece):
        seen.append(piece.rows.lo[:, 0].tolist())
        return np.zeros(len(seen[-1]), np.int32)

    labels, groups = table.map_blocks(lambda: [keys], 2, kernel, ordered=True)
    assert seen == [[1, 1], [2, 2, 2, 2, 2, 2, 3, 3, 4]]
    assert groups == 2
    assert labels.tolist() == [1, 0, 1, 1, 1, 1, 1, 1, 0, 1, 1]


def test_what_is_left_over_is_an_error_of_the_kernel():
    table = shoal.read(pa.table({"a": [1, 2]}), quasi="a")
    keys = [np.array([1, 2], np.int32)]
    with pytest.raises(shoal.errors.InternalError, match="left over"):
        table.map_blocks(lambda: keys, 1, lambda piece: np.full(2, -1, np.int32), ordered=True)


def test_granularity_by_hand():
    columns = {"age": [20, 30, 40, 60], "race": ["a", "b", "c", "c"], "no": [None, 1, 2, 2]}
    table = shoal.read(pl.DataFrame(columns), quasi=list(columns))
    cells = {"age": ["[20;30]", "[20;30]", "[40;60]", "[40;60]"], "race": ["{a;b}", "{a;b}", "c", "c"]}
    masked = shoal.read(
        pl.DataFrame(cells | {"no": ["*", "*", "2", "2"]}),
        quasi=list(columns),
        kinds={"age": "integer", "race": "category", "no": "integer"},
        masked=True,
    )
    (score,) = shoal.score(table, masked, measures=[shoal.measures.Granularity()])
    assert score.detail["per_attribute"] == {"age": (0.25 * 2 + 0.5 * 2) / 4, "race": 0.25, "no": 0.5}
    assert score.value == pytest.approx((0.375 + 0.25 + 0.5) / 3)
    assert score.detail["utility"] == 1 - score.value
    assert shoal.score(table, table, measures=[shoal.measures.Granularity()])[0].value == 0


def test_with_hierarchies_no_less_is_lost_by_one_level_for_all_or_by_layers(tmp_path):
    draw = np.random.default_rng(6)
    columns, trees = {}, {}
    for j, size in enumerate((60, 12, 60, 5, 12)):
        codes = np.clip((draw.normal(size=1500) + 3) / 6 * size, 0, size - 1).astype(int)
        columns[f"c{j}"] = [f"{code}" for code in codes]
        path = tmp_path / f"c{j}.csv"
        path.write_text("".join(f"{i};{i // 3 * 3}+;{i // 6 * 6}++;*\n" for i in range(size)))
        trees[f"c{j}"] = str(path)
    table = shoal.read(pl.DataFrame(columns), quasi=list(columns), hierarchies=trees)
    for k in (2, 5, 20):
        lost = [
            float(shoal.score(table, method.apply(table, [KAnonymity(k)], 0), measures=[Granularity()])[0].value)
            for method in (Hilbert(), Hilbert(quality=3), Layers(), FullDomain(aggregate="arithmetic"))
        ]
        assert lost[0] <= min(lost) * 1.002
