"""Hierarchies on the UCI Adult data: less is lost than by the best local recoding known, and nothing is suppressed.

The limits are what ARX 3.9.2 reaches by local recoding at its finest setting, measured as here: the mean over cells of
the share of other leaves under the published node. What is reached now must not rise by more than one percent.
"""

import csv
from collections import Counter
from pathlib import Path

import pytest

import shoal

LIMITS = {5: 0.0524, 10: 0.0767, 50: None}
REACHED = {5: 0.05194, 10: 0.07615, 50: 0.14913}
CLOSE = 0.300  # by ARX with 7.9 % of the records suppressed
COLUMNS = [
    "sex", "age", "race", "marital-status", "education", "native-country", "workclass", "occupation", "salary-class",
]  # fmt: skip


def trees(public_file, names):
    return {name: str(public_file(f"adult/adult_hierarchy_{name}.csv")) for name in names}


def read(public_file, quasi, **roles):
    return shoal.read(public_file("adult/adult.csv"), quasi=quasi, hierarchies=trees(public_file, quasi), **roles)


def leaves_under(public_file, names):
    """Give for each column the leaves under each node, from the files alone."""
    found = {}
    for name, path in trees(public_file, names).items():
        under = {}
        with Path(path).open(encoding="utf-8") as file:
            for row in csv.reader(file, delimiter=";"):
                for node in row:
                    under.setdefault(node, set()).add(row[0])
        found[name] = under
    return found


def loss_of(release, public_file, names):
    """Measure a release from its cells, each of which must hold what was there before."""
    frame = release.to_pandas(row_order="input")
    with public_file("adult/adult.csv").open(encoding="utf-8") as file:
        original = list(csv.DictReader(file, delimiter=";"))
    total = 0.0
    for name, under in leaves_under(public_file, names).items():
        leaves = max(map(len, under.values()))
        shown = frame[name].astype(str).tolist()
        assert all(row[name] in under[node] for row, node in zip(original, shown, strict=True))
        total += sum(len(under[node]) - 1 for node in shown) / (leaves - 1) / len(shown)
    return total / len(names), Counter(map(tuple, frame[names].astype(str).to_numpy().tolist()))


@pytest.mark.parametrize("k", LIMITS)
def test_less_is_lost_than_by_the_best_local_recoding_known(public_file, k):
    release = shoal.anonymize(read(public_file, COLUMNS), shoal.methods.Hilbert(), [shoal.models.KAnonymity(k)])
    loss, sizes = loss_of(release, public_file, COLUMNS)
    assert min(sizes.values()) >= k
    assert sum(sizes.values()) == 30_162
    assert LIMITS[k] is None or loss < LIMITS[k]
    assert loss <= REACHED[k] * 1.01


MODELS = {
    "closeness": (shoal.models.TCloseness(0.3, "occupation"), 0.2121),
    "strict closeness": (shoal.models.TCloseness(0.15, "occupation"), 0.385),
    "distinct": (shoal.models.LDiversity(3, "occupation"), 0.0316),
    "entropy": (shoal.models.LDiversity(3, "occupation", "entropy"), 0.0406),
    "recursive": (shoal.models.LDiversity(3, "occupation", "recursive", 2.0), 0.0442),
    "share": (shoal.models.AlphaK(0.4, "occupation"), 0.0471),
}


@pytest.mark.parametrize("name", MODELS)
def test_occupations_are_protected_without_losing_the_rest(public_file, name):
    model, reached = MODELS[name]
    quasi = [column for column in COLUMNS if column != "occupation"]
    table = read(public_file, quasi, sensitive=["occupation"])
    release = shoal.anonymize(table, shoal.methods.Hilbert(), [shoal.models.KAnonymity(5), model])
    assert release.holds
    loss, sizes = loss_of(release, public_file, quasi)
    assert min(sizes.values()) >= 5
    assert loss < CLOSE or name == "strict closeness"
    assert loss <= reached * 1.02


def test_numbers_profit_from_promises_kept_while_classes_are_formed(public_file):
    path = public_file("adult/adult_int.csv")
    quasi = [name for name in path.read_text(encoding="utf-8").splitlines()[0].split(";") if name != "occupation"]
    table = shoal.read(path, quasi=quasi, sensitive=["occupation"], kinds={"occupation": "category"})
    # Joining neighbours until promises hold gives 0.072, 0.209 and 0.710.
    limits = {shoal.models.LDiversity(3, "occupation"): 0.062, shoal.models.AlphaK(0.4, "occupation"): 0.088}
    for model, limit in {**limits, shoal.models.TCloseness(0.3, "occupation"): 0.315}.items():
        release = shoal.anonymize(
            table,
            shoal.methods.Hilbert(),
            [shoal.models.KAnonymity(5), model],
            measures=[shoal.measures.InformationLoss()],
        )
        assert release.holds
        assert release.scores[0].value <= limit
