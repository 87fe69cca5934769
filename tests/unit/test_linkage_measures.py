"""Record linkage on tables worked by hand, and by peers: by distance, by ranks, one to one, by agreement."""

import numpy as np
import polars as pl
import pyarrow as pa
import pyarrow.parquet
import pytest
from engines.tiny import Tiny

import shoal
from shoal.errors import ParameterError, SchemaError
from shoal.measures.statistics.fellegi_sunter import fitted
from shoal.measures.statistics.sampling import share_of

PLACES = {"x": [1.0, 0.0, -1.0, 0.0], "y": [0.0, 1.0, 0.0, -1.0]}
MOVED = {"x": [0.0, 0.0, -2.1, 0.0], "y": [0.0, 2.1, 0.0, -2.1]}


def pair(before, after, kinds=None):
    """Read an original and a release of texts or numbers."""
    kinds = kinds or dict.fromkeys(before, "float")
    tables = []
    for columns in (before, after):
        frame = pl.DataFrame({name: [None if v is None else str(v) for v in cells] for name, cells in columns.items()})
        tables.append(shoal.read(frame, quasi=list(before), kinds=kinds, masked=True))
    return tables


def measured(measure, before, after, kinds=None):
    original, released = pair(before, after, kinds)
    return shoal.score(original, released, measures=[measure])[0]


# one to one


def test_an_assignment_finds_everybody_where_the_nearest_do_not():
    assert measured(shoal.measures.AssignmentLinkage(), PLACES, MOVED).value == 1
    # The first lies in the middle of all four, and is linked to any of them.
    assert measured(shoal.measures.DistanceLinkage(), PLACES, MOVED).value == 3.25 / 4


def test_an_assignment_finds_nobody_where_all_moved_on_by_one():
    found = measured(shoal.measures.AssignmentLinkage(), {"x": [1, 2, 3, 4]}, {"x": [2, 3, 4, -0.1]})
    assert found.value == 0


def test_records_that_are_equal_change_places_and_the_order_of_rows_says_nothing():
    ages = [30, 30, 30, 50, 60, 70]
    shown = ["[30;30]", "[30;30]", "[30;30]", "[50;70]", "[50;70]", "[50;70]"]
    for order in ([0, 1, 2, 3, 4, 5], [5, 2, 0, 4, 1, 3]):
        before, after = {"x": [ages[i] for i in order]}, {"x": [shown[i] for i in order]}
        for measure in (shoal.measures.AssignmentLinkage(), shoal.measures.DistanceLinkage()):
            assert measured(measure, before, after, {"x": "integer"}).value == pytest.approx(2 / 6)


def test_tables_that_would_take_too_long_are_refused_before_they_are_masked():
    people = shoal.read(pa.table({"x": np.arange(5001)}), quasi=["x"])
    with pytest.raises(ParameterError, match="at most 5,000 records, and this one has 5,001"):
        shoal.anonymize(people, k=5, measures=["assignment-linkage"])
    with pytest.raises(ParameterError, match="distance-linkage"):
        shoal.compare(people, people, measures=["assignment-linkage"])


# by distance


def test_a_range_is_as_far_as_its_nearer_end_and_a_set_fits_its_members():
    before = {"x": [0, 10, 20], "c": ["a", "b", "c"]}
    kinds = {"x": "integer", "c": "category"}
    near = measured(
        shoal.measures.DistanceLinkage(), before, {"x": ["[0;9]", "[0;12]", "19"], "c": ["{a;b}"] * 3}, kinds
    )
    assert near.value == pytest.approx((1 + 0.5 + 0) / 3)  # the last is nearer to 10 and b than to 20 and c
    assert near.detail["nearest"] == pytest.approx(1 / 3)
    wild = measured(shoal.measures.DistanceLinkage(), before, {"x": ["*", "10", "20"], "c": ["a", "*", "*"]}, kinds)
    assert wild.value == 1
    assert measured(shoal.measures.DistanceLinkage(), before, {"x": ["*"] * 3, "c": ["*"] * 3}, kinds).value == 1 / 3


def test_cells_without_a_value_fit_each_other_and_a_number_below_all_others_is_a_number():
    """A peer takes -999 for a missing value, another puts two missing cells at a distance of one."""
    before = {"x": [-999, 5, None, 7]}
    assert measured(shoal.measures.DistanceLinkage(), before, before, {"x": "integer"}).value == 1
    lost = {"x": [-999, 5, None, None]}
    found = measured(shoal.measures.DistanceLinkage(), before, lost, {"x": "integer"})
    assert found.value == pytest.approx(3 / 4)  # the last is linked to the third, which has none either
    for measure in (shoal.measures.MomentShift(), shoal.measures.IL1s(), shoal.measures.PermutationDistance()):
        moved = measured(measure, {"x": [-999, 5, 6, 7]}, {"x": [5, -999, 6, 7]}, {"x": "integer"})
        kept = measured(measure, {"x": [-999, 5, 6, 7]}, {"x": [-999, 5, 6, 7]}, {"x": "integer"})
        assert kept.value == 0
        assert (moved.value > 0) is (measure.name != "moment-shift")


@pytest.mark.parametrize("factor", [1e-3, 1.0, 1e6])
def test_no_measure_of_change_depends_on_units(factor):
    draw = np.random.default_rng(3)
    x, y = draw.normal(50, 9, 60), draw.normal(0, 1, 60)
    released = x + draw.normal(0, 2, 60), y + draw.normal(0, 0.2, 60)
    names = [
        "moment-shift", "eigenvalue-shift", "mahalanobis", "interval-disclosure", "rank-interval-disclosure",
        "distance-linkage", "rank-linkage", "assignment-linkage", "probabilistic-linkage", "robust-distance-risk",
        "permutation-distance",
    ]  # fmt: skip

    def scores(scale):
        tables = (
            shoal.read(pa.table({"x": side[0] * scale, "y": side[1]}), quasi=["x", "y"]) for side in ((x, y), released)
        )
        return [score.value for score in shoal.score(*tables, measures=names)]

    assert scores(factor) == pytest.approx(scores(1.0), rel=1e-6)


def test_more_records_than_are_looked_at_give_an_interval():
    draw = np.random.default_rng(1)
    ages = draw.normal(0, 1, 400)
    before, after = {"x": ages}, {"x": ages + draw.normal(0, 0.002, 400)}
    whole = measured(shoal.measures.DistanceLinkage(), before, after)
    part = measured(shoal.measures.DistanceLinkage(most=100), before, after)
    assert whole.lower == whole.upper == whole.value
    assert part.lower < part.value < part.upper
    assert part.lower < whole.value < part.upper
    assert part.detail["records"] == 100
    # Wilson's interval of 23 in 100.
    found = share_of("any", np.repeat([1.0, 0.0], [23, 77]), 200, {})
    assert (found.lower, found.upper) == pytest.approx((0.23998824451588613 - 0.08155558571285167, 0.3215438302287378))


def test_someone_who_knows_less_finds_fewer():
    before = {"x": [1, 2, 3, 4], "y": [1, 1, 2, 2]}
    for measure in (shoal.measures.DistanceLinkage, shoal.measures.RankLinkage, shoal.measures.ProbabilisticLinkage):
        assert measured(measure(), before, before).value == 1
        assert measured(measure(("y",)), before, before).value == 0.5
        with pytest.raises(SchemaError, match="no column 'z'"):
            measured(measure(("z",)), before, before)


# by ranks


def test_ranks_find_people_whom_a_change_of_scale_hides():
    """Squaring moves every value, and no rank."""
    values = np.arange(1.0, 13.0)
    before, after = {"x": values, "y": values[::-1]}, {"x": values**2, "y": -np.sqrt(values)}
    assert measured(shoal.measures.RankLinkage(), before, after).value == 1
    assert measured(shoal.measures.DistanceLinkage(), before, after).value < 0.5
    assert measured(shoal.measures.PermutationDistance(), before, after).value == 0


def test_equal_values_have_equal_ranks():
    same = {"x": [1, 1, 1, 5]}
    assert measured(shoal.measures.RankLinkage(), same, same).value == 0.5


# by agreement


def test_the_fit_gives_back_what_pairs_were_counted_by():
    m, u, p = np.array([0.9, 0.8, 0.95]), np.array([0.1, 0.2, 0.05]), 0.02
    patterns = np.arange(8)
    agree = patterns[:, None] >> np.arange(3) & 1
    chances = [np.where(agree, side, 1 - side).prod(axis=1) for side in (m, u)]
    found = fitted(patterns, 1e6 * (p * chances[0] + (1 - p) * chances[1]), 3, 0.1)
    assert found.steps is not None
    assert found.same == pytest.approx(m, abs=1e-7)
    assert found.different == pytest.approx(u, abs=1e-7)
    assert found.share == pytest.approx(p, abs=1e-7)
    agreement, disagreement = found.weights
    assert agreement == pytest.approx([3.169925, 2, 4.247928], abs=1e-6)
    assert disagreement == pytest.approx([-3.169925, -2, -4.247928], abs=1e-6)
    assert found.scores()[0b101] == pytest.approx(3.169925 - 2 + 4.247928, abs=1e-6)


def test_numbers_agree_within_a_tenth_of_a_deviation_unless_given():
    values = np.arange(0.0, 50.0)  # the deviation is 14.6
    town = ["a", "b", "c", "d", "e"] * 10
    kinds = {"x": "float", "c": "category"}
    before, after = {"x": values, "c": town}, {"x": values + 1, "c": town}
    assert measured(shoal.measures.ProbabilisticLinkage(), before, after, kinds).value == 1  # no other agrees in both
    exact = measured(shoal.measures.ProbabilisticLinkage(tolerance=0), before, after, kinds)
    assert exact.value < 0.2  # the next in years does, but lives elsewhere
    assert exact.detail["converged"] in (True, False)


def test_too_many_columns_are_refused():
    wide = {f"c{i}": [1, 2, i] for i in range(21)}
    with pytest.raises(ParameterError, match="at most 20 columns, and 21 vary"):
        measured(shoal.measures.ProbabilisticLinkage(), wide, wide)


# outliers


def test_a_robust_distance_is_larger_for_outliers_and_a_crowd_protects():
    draw = np.random.default_rng(8)
    x = np.append(draw.normal(0, 1, 200), 40.0)
    y = np.append(draw.normal(0, 1, 200), -40.0)
    noise = 0.2 * np.where(np.arange(201) % 2, 1.0, -1.0)
    before, after = {"x": x, "y": y}, {"x": x + noise, "y": y - noise}
    found = measured(shoal.measures.RobustDistanceRisk(), before, after)
    assert found.detail["robust"] is True
    assert found.value == 1 / 201  # only the outlier is so far out that 0.2 is little
    twice = {name: np.append(cells, cells[-1]) for name, cells in before.items()}
    shown = {name: np.append(cells, cells[-1]) for name, cells in after.items()}
    assert measured(shoal.measures.RobustDistanceRisk(), twice, shown).value == 0


def test_attributes_that_determine_each_other_have_the_classical_distance():
    x = np.random.default_rng(2).normal(0, 1, 50)
    before = {"x": x, "y": 2 * x}
    found = measured(shoal.measures.RobustDistanceRisk(1.0, 0.0), before, before)
    assert found.detail["robust"] is False
    assert found.value == 1
    assert measured(shoal.measures.Mahalanobis(), before, {"x": x + x.std(ddof=1), "y": 2 * x}).value > 0


# correlations, moments


def test_a_move_against_a_correlation_is_far_and_one_along_it_is_near():
    x = np.linspace(-1, 1, 101)
    y = x + 0.1 * np.cos(40 * x)
    before = {"x": x, "y": y}
    along = measured(shoal.measures.Mahalanobis(), before, {"x": x + 0.1, "y": y + 0.1})
    against = measured(shoal.measures.Mahalanobis(), before, {"x": x + 0.1, "y": y - 0.1})
    assert against.value > 5 * along.value
    covariance = np.cov(x, y)
    for side, sign in ((along, 1), (against, -1)):
        moved = np.array([0.1, 0.1 * sign])
        assert side.value == pytest.approx(np.sqrt(moved @ np.linalg.inv(covariance) @ moved / 2), rel=1e-9)


def test_eigenvalues_of_nearly_collinear_attributes_stay_bounded():
    """A peer divides by eigenvalues, which are near none here."""
    x = np.linspace(0, 1, 50)
    before = {"x": x, "y": x + 1e-7 * np.cos(99 * x), "z": np.cos(7 * x)}
    after = {"x": x, "y": np.sin(50 * x), "z": np.cos(7 * x)}
    found = measured(shoal.measures.EigenvalueShift(), before, after)
    expected = [np.sort(np.linalg.eigvalsh(np.corrcoef([*side.values()]))) for side in (before, after)]
    assert found.value == pytest.approx(np.abs(expected[0] - expected[1]).mean(), abs=1e-9)
    assert found.value < 2


def test_an_attribute_that_no_longer_varies_is_correlated_with_nothing():
    before = {"x": [1, 2, 3, 4], "y": [1, 2, 3, 4.5]}
    found = measured(shoal.measures.EigenvalueShift(), before, {"x": [2.5] * 4, "y": [1, 2, 3, 4.5]})
    assert found.detail["after"] == pytest.approx([1, 1])


def test_means_are_compared_over_what_is_shown():
    found = measured(shoal.measures.MomentShift(), {"x": [0, 2, 4, 6], "y": [1, 2, 1, 2]}, {
        "x": ["[0;4]", "[0;4]", "*", "6"], "y": [1, 2, 1, 2],
    }, {"x": "integer", "y": "integer"})  # fmt: skip
    spread = np.std([0, 2, 4, 6], ddof=1)
    assert found.value == pytest.approx((10 / 3 - 3) / spread / 2)
    assert found.detail["largest"] == pytest.approx((10 / 3 - 3) / spread)


# intervals


def test_a_difference_at_the_border_of_an_interval_is_inside():
    x = np.arange(0.0, 101.0)
    reach = 0.05 * x.std(ddof=1)
    found = measured(shoal.measures.IntervalDisclosure(), {"x": x}, {"x": x + reach})
    assert found.value == 1
    assert measured(shoal.measures.IntervalDisclosure(0.0499), {"x": x}, {"x": x + reach}).value == 0


def test_what_shows_nothing_discloses_nothing():
    kinds = {"x": "integer", "c": "category"}
    before = {"x": [1, 20, 30, None], "c": ["a", "b", "c", "d"]}
    after = {"x": ["1", "*", "[20;40]", "35"], "c": ["a", "b", "{c;d}", "d"]}
    for measure in (shoal.measures.IntervalDisclosure(), shoal.measures.RankIntervalDisclosure()):
        found = measured(measure, before, after, kinds)
        assert found.value == 2 / 4  # the first, and the last, who had but one value
        assert found.detail["any"] == 1
        assert found.detail["cells"] == 5 / 7


def test_five_percent_is_a_share():
    """A peer takes the percent of ranks for a share, and finds everybody."""
    for wrong in (5, 1, 0, -0.1, float("nan")):
        with pytest.raises(ParameterError, match="share"):
            shoal.measures.RankIntervalDisclosure(wrong)


@pytest.mark.parametrize(
    "wrong",
    [
        lambda: shoal.measures.IntervalDisclosure(0), lambda: shoal.measures.PermutationDistance(2),
        lambda: shoal.measures.RobustDistanceRisk(0), lambda: shoal.measures.RobustDistanceRisk(alone=-1),
        lambda: shoal.measures.DistanceLinkage(most=0), lambda: shoal.measures.ProbabilisticLinkage(tolerance=-1),
    ],
)  # fmt: skip
def test_parameters_that_make_no_sense_are_refused(wrong):
    with pytest.raises(ParameterError):
        wrong()


def test_a_masking_is_a_permutation_and_a_residual():
    found = measured(shoal.measures.PermutationDistance(), {"x": [10, 20, 30, 40]}, {"x": [21, 12, 30, 40]})
    assert found.value == pytest.approx(2 / 12)
    spread = np.std([10, 20, 30, 40], ddof=1)
    assert found.detail["permuted"] == pytest.approx(20 / 4 / spread)
    assert found.detail["residual"] == pytest.approx((1 + 2) / 4 / spread)
    assert (found.detail["ranks"], found.detail["moved"]) == (1, 0.5)


# releases of other tools


def test_means_of_whole_numbers_are_read_again_and_compared_from_any_file(tmp_path):
    people = pa.table({"age": [30, 31, 40, 45, 60, 62, 63], "stay": [1, 2, 2, 3, 9, 7, 8]})
    pyarrow.parquet.write_table(people, tmp_path / "people.parquet")
    original = shoal.read(tmp_path / "people.parquet", quasi=["age", "stay"])
    release = shoal.anonymize(original, shoal.methods.MDAV("mean"), k=3)
    measures = ["distance-linkage", "il1s"]
    expected = [score.value for score in shoal.score(original, release.table, measures=measures)]
    for suffix in ("csv", "parquet"):
        release.write(tmp_path / f"{suffix}.{suffix}")
        for engine in ("local", Tiny()):
            before = shoal.read(tmp_path / "people.parquet", quasi=["age", "stay"], engine=engine)
            found = shoal.compare(before, tmp_path / f"{suffix}.{suffix}", measures=measures)["releases"][0]
            assert [found["distance_linkage"], found["il1s"]] == pytest.approx(expected)
