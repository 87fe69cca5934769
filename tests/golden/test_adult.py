"""Algorithm S2 on the UCI Adult data, against the numbers published for the authors' own program.

Sources: Eq. 3 and Algorithm S2 of the supplement of doi:10.1126/science.aad9295; the two utilities are the results that
Prasser et al. (transformation-benchmark) measured with that program on the same integer-coded file.
"""

import numpy as np
import pytest
from property.independent import columns_of, sizes

import shoal

LOSS = {2: 0.279413, 3: 0.387026, 5: 0.498594, 10: 0.623488}
DISTANCE_UTILITY = {2: 0.8176296509, 3: 0.7473920873, 5: 0.6745726460, 10: 0.5930559030}
GRANULARITY_UTILITY = {2: 0.8544818427, 3: 0.7691777489, 5: 0.6667737762, 10: 0.5446646602}
LEVELS = pytest.mark.parametrize("k", LOSS)


@pytest.fixture(scope="module")
def adult(public_file):
    path = public_file("adult/adult_int.csv")
    return path, columns_of(path, ";")


@pytest.fixture(scope="module")
def released(adult, tmp_path_factory):
    """Give the written releases, with what shoal measured."""
    path, columns = adult
    folder = tmp_path_factory.mktemp("adult")
    table = shoal.read(path, quasi=list(columns))
    made = {}
    for k in LOSS:
        release = shoal.anonymize(table, shoal.methods.SortedClusters(), [shoal.models.KAnonymity(k)])
        release.write(folder / f"k{k}.csv", row_order="input")
        made[k] = folder / f"k{k}.csv", {score.measure: score for score in release.scores}
    return made


def ends(columns: dict[str, list[str]]) -> tuple[np.ndarray, np.ndarray]:
    """Take released ranges apart: two matrices, one column per attribute."""
    pairs = [[text[1:-1].split(";") for text in texts] for texts in columns.values()]
    low = np.array([[float(pair[0]) for pair in column] for column in pairs]).T
    return low, np.array([[float(pair[1]) for pair in column] for column in pairs]).T


def mean_distance(values: np.ndarray, low: np.ndarray, high: np.ndarray) -> float:
    """Give Eq. 3: each record against the ends of its ranges that are farthest from it."""
    farthest = np.maximum(np.abs(values - low), np.abs(values - high)) / values.std(axis=0, ddof=1)
    return float(np.sqrt((farthest**2).sum(axis=1)).mean() / values.shape[1])


@LEVELS
def test_information_loss_is_the_published_one(released, k):
    assert released[k][1]["information-loss"].value == pytest.approx(LOSS[k], abs=1e-6)


@LEVELS
def test_nobody_is_unique_and_no_class_is_smaller_than_k(released, adult, k):
    path, scores = released[k]
    found = sizes(columns_of(path), list(adult[1]))
    assert min(found.values()) >= k
    assert sum(found.values()) == 30_162
    assert scores["uniqueness"].value == 0
    assert scores["uniqueness"].detail == {
        "records": 30_162,
        "unique": 0,
        "classes": len(found),
        "smallest_class": min(found.values()),
    }
    assert scores["random-reidentification"].value == pytest.approx(len(found) / 30_162)


@LEVELS
def test_utilities_computed_from_the_released_text_are_the_published_ones(released, adult, k):
    path, scores = released[k]
    values = np.array([[float(text) for text in texts] for texts in adult[1].values()]).T
    low, high = ends(columns_of(path))
    assert (low <= values).all()
    assert (values <= high).all()
    loss = mean_distance(values, low, high)
    assert loss == pytest.approx(scores["information-loss"].value, rel=1e-12)
    bottom, top = values.min(axis=0), values.max(axis=0)
    suppressed = mean_distance(values, np.broadcast_to(bottom, values.shape), np.broadcast_to(top, values.shape))
    assert 1 - loss / suppressed == pytest.approx(DISTANCE_UTILITY[k], abs=1e-10)
    assert 1 - ((high - low) / (top - bottom)).mean() == pytest.approx(GRANULARITY_UTILITY[k], abs=1e-10)


@LEVELS
def test_a_release_read_back_and_compared_gives_the_same_loss(released, adult, k):
    path, _ = released[k]
    quasi = list(adult[1])
    original, again = shoal.read(adult[0], quasi=quasi), shoal.read(path, quasi=quasi)
    (loss,) = shoal.score(original, again, measures=[shoal.measures.InformationLoss()])
    assert loss.value == pytest.approx(LOSS[k], abs=1e-6)


def test_suppressing_everything_loses_what_the_attribute_ranges_say(adult, tmp_path):
    path, columns = adult
    stars = tmp_path / "stars.csv"
    stars.write_text("\n".join([",".join(columns), *[",".join("*" for _ in columns)] * 30_162]), encoding="utf-8")
    kinds = dict.fromkeys(columns, "integer")
    table = shoal.read(path, quasi=list(columns))
    (loss,) = shoal.score(
        table,
        shoal.read(stars, quasi=list(columns), kinds=kinds, masked=True),
        measures=[shoal.measures.InformationLoss()],
    )
    assert loss.value == pytest.approx(LOSS[2] / (1 - DISTANCE_UTILITY[2]), abs=1e-5)


@pytest.fixture(scope="module")
def census(public_file):
    """Give the Adult data with their categories, and releases of them."""
    quasi = ["age", "race", "sex", "education", "marital-status", "native-country", "workclass", "occupation"]
    table = shoal.read(public_file("adult/adult.csv"), quasi=quasi, sensitive=["salary-class"])
    return table, {
        name: shoal.anonymize(table, method, [shoal.models.KAnonymity(5)]).table
        for name, method in (("hilbert", shoal.methods.Hilbert()), ("sorted-clusters", shoal.methods.SortedClusters()))
    }


# What was measured when the measures were written; a change of more than a few percent has to be explained.
UTILITY = {
    "kolmogorov-smirnov": (0.0032, 0.0647),
    "total-variation": (0.0120, 0.0542),
    "query-error": (0.0617, 0.5415),
    "pmse": (0.00142, 0.0230),
}


@pytest.mark.parametrize("name", UTILITY)
def test_utility_of_the_default_and_of_algorithm_s2(census, name):
    table, releases = census
    measure = shoal.catalogue.build("measures", {"name": name})
    found = [
        shoal.score(table, releases[method], measures=[measure])[0].value for method in ("hilbert", "sorted-clusters")
    ]
    assert found == pytest.approx(UTILITY[name], rel=0.05)


def test_incomes_are_predicted_nearly_as_well_from_the_release(census):
    table, releases = census
    better, worse = (
        shoal.score(table, releases[method], measures=[shoal.measures.AccuracyLoss("salary-class", "logistic")])[0]
        for method in ("hilbert", "sorted-clusters")
    )
    assert better.detail["original"] == pytest.approx(0.831, abs=0.01)
    assert better.detail["majority"] == pytest.approx(0.7515, abs=0.01)
    assert better.value < 0.01
    assert better.value < worse.value
