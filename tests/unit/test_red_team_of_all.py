"""The red team leaves no method of the catalogue out: those that form no classes within their bands, too."""

from functools import partial

import polars as pl
import pytest
from unit.test_red_team import BANDS, OTHER_VALUES, OTHERS, QUASI, people, within

import shoal
from shoal.assessment.known_points import asked_points, unicity_against
from shoal.catalogue import entries
from shoal.domains.hierarchy import Hierarchy

ATTACKS = ["inference", "singling-out", "membership", "shared-secrets"]
# Low and high of the residual risk. Who changes no cell of these people, or nothing but what they need not, leaves all.
ALL = {"inference draw": (0.9, 1.0), "membership": (0.9, 1.0), "singling out": (0.9, 1.0), "homogeneity": (0.9, 1.0)}
LITTLE = {"inference draw": (-0.05, 0.1), "membership": (-0.1, 0.15), "homogeneity": (-0.05, 0.05)}
TREES = {"zip": Hierarchy.build("intervals 500,2000", map(str, range(2000)), "zip")}
DOMAINS = {"age": "0..89", "zip": "0..1999", "sex": "f,m", "ill": "0,1,2,3,4,5"}
WITHOUT_CLASSES = {
    "coarsen": ({"resolution": 8}, {"inference draw": (0.2, 0.4), "membership": (0.2, 0.5), "homogeneity": (0, 0.1)}),
    "optimal-univariate": ({"k": 5}, ALL),  # ranges of one column each, which together are hardly shared
    "hide-rare": ({"least": 8}, LITTLE),
    "hide-risky": ({}, LITTLE),
    "code-extremes": ({"least": 5}, ALL),
    "round-ends": ({}, ALL),  # widens ranges, of which there are none yet
    "mask-uniques": ({"order": ("zip -> *", "age -> *")}, LITTLE | {"membership": (-0.1, 0.25)}),
    "first-level": ({}, {"inference draw": (0.5, 0.9), "membership": (0.5, 1.0), "homogeneity": (0.5, 0.8)}),
    "regenerate": ({}, ALL),  # puts values into masked cells, of which there are none yet
    "romm": ({}, {"inference draw": (0.0, 0.3), "membership": (-0.2, 0.1), "singling out": (-0.05, 0.05)}),
    "shuffle": ({"columns": ["age"]}, {"inference draw": (-0.1, 0.2), "membership": (-0.2, 0.3)}),
    "pram": ({"columns": ["ill"]}, {"inference draw": (0.3, 0.7), "membership": (0.9, 1.0)}),
    "record-swap": ({"geography": ["sex"], "share": 0.2}, {"inference draw": (-0.05, 0.3), "membership": (-0.2, 0.2)}),
}
PRIVATE = {
    "private-tree": partial(shoal.methods.PrivateTree, DOMAINS, rho=0.5),
    "private-averages": partial(
        shoal.methods.PrivateAverages, domains={"age": "0..89", "zip": "0..1999"}, k=20, rho=0.5
    ),
}
OF_LINKED = ("cover-cut", "suppress-points", "cut-and-suppress")


def test_every_method_of_the_catalogue_is_attacked():
    bands = [*BANDS, *OTHER_VALUES, *WITHOUT_CLASSES, *PRIVATE, *OF_LINKED, "same-classes", "same-signatures"]
    assert sorted(bands) == sorted(entries("methods"))


@pytest.mark.parametrize("name", WITHOUT_CLASSES)
def test_methods_that_form_no_classes(name):
    trees = TREES if name == "first-level" else {}
    table = shoal.read(people(400, 1), quasi=QUASI, sensitive=["ill"], hierarchies=trees)
    given, bands = WITHOUT_CLASSES[name]
    release = shoal.anonymize(
        table, entries("methods")[name](**given), no_promise=True, seed=3, measures=[], allow_identifiers=["zip"]
    )
    within(
        {each["name"]: each for each in shoal.attack(table, release, holdout=OTHERS, attacks=ATTACKS)["attacks"]}, bands
    )


def test_the_classes_of_an_earlier_release(tmp_path):
    table = shoal.read(people(400, 1), quasi=QUASI, sensitive=["ill"])
    first = shoal.anonymize(table, k=5, measures=[])
    first.write(tmp_path / "first.csv")
    again = shoal.anonymize(table, shoal.methods.SameClasses(tmp_path / "first.csv"), k=5, measures=[])
    tried = [*ATTACKS, "intersection"]
    found = {e["name"]: e for e in shoal.attack(table, again, holdout=OTHERS, beside=first, attacks=tried)["attacks"]}
    within(found, {"inference draw": (0.05, 0.3), "membership": (0.3, 0.7), "homogeneity": (-0.02, 0.1)})
    within(found, {"intersection guess": (-0.02, 0.15), "intersection alone": (0, 0.01)})


def test_a_sequence_with_the_same_signatures(tmp_path):
    everybody = people(500, 1).with_columns(who=names(500, 500))
    made, last = [], None
    for start in (0, 100):
        table = shoal.read(everybody[start : start + 400], quasi=QUASI, sensitive="ill", subject="who")
        method = shoal.methods.SameSignatures(last)
        made.append(shoal.anonymize(table, method, [shoal.models.MInvariance(3)], measures=[], seed=1))
        made[-1].write(tmp_path / f"r{start}.csv")
        last = tmp_path / f"r{start}.private.json"
    both = shoal.read(everybody[100:400], quasi=QUASI, sensitive="ill")
    tried = ["inference", "shared-secrets", "intersection"]
    found = {e["name"]: e for e in shoal.attack(both, made[1], beside=made[0], attacks=tried)["attacks"]}
    assert found["homogeneity"]["rate"] == found["background"]["rate"] == 0
    assert found["intersection pinned"]["rate"] == 0
    assert found["inference draw"]["rate"] < 1 / 3 + 0.05
    assert found["intersection guess"]["rate"] < 1 / 3 + 0.05


@pytest.mark.parametrize("name", PRIVATE)
def test_private_releases(name):
    pytest.importorskip("opendp")
    made = PRIVATE[name]()
    table = shoal.read(people(400, 1), quasi=list(made.domains))
    release = shoal.anonymize(table, made, measures=[])
    found = shoal.attack(table, release, holdout=OTHERS, attacks=["singling-out", "membership"])["attacks"]
    within({each["name"]: each for each in found}, {"singling out": (-0.1, 0.25), "membership": (-0.4, 0.4)})


@pytest.mark.parametrize("name", OF_LINKED)
def test_linked_releases_single_nobody_out_by_known_points(name):
    visits = people(400, 1).with_columns(who=names(100, 400))
    rows = visits.select("who", item=visits["zip"] // 100)
    table = shoal.read(rows, quasi=["item"], subject="who", linked=True, hierarchies={"item": "intervals 4,20"})
    release = shoal.anonymize(table, name, k=4, m=2, measures=[])
    before, after = (unicity_against(table, each, asked_points((1, 2)))["unicity"] for each in (table, release.table))
    assert before[1]["share"] > 0.05
    assert [row["share"] for row in after] == [0, 0]


def names(number, rows):
    """Name so many people, of whom each has as many rows as the others."""
    return pl.Series([f"p{i % number}" for i in range(rows)])
