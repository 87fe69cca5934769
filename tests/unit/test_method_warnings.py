"""What a report says of attacks by people who know the method: each where it applies, and not where it is prevented."""

import numpy as np
import polars as pl
import pytest

import shoal
from shoal import methods, models
from shoal.report import release_report
from shoal.report.method_warnings import MethodWarnings, method_section

ATTACKS = {
    "ends": "An end of a range",
    "minimality": "Which groups were formed",
    "chains": "Algorithm S4",
    "downcoding": "generalized only where they had to be",
    "several rows": "Who knows several rows",
    "intersection": "If the same people are released more than once",
}
DRAW = np.random.default_rng(7)
PEOPLE = pl.DataFrame(
    {
        "age": DRAW.integers(0, 90, 300),
        "city": DRAW.choice(["Ulm", "Bonn", "Kiel", "Jena"], 300),
        "score": DRAW.integers(0, 60, 300),
        "who": [f"p{i // 3}" for i in range(300)],
    }
)
TREES = {"age": "intervals 10,30", "city": "prefix 1"}


def table(*, trees: bool = False, subject: bool = False, quasi=("age", "city")) -> shoal.Table:
    return shoal.read(
        PEOPLE,
        quasi=list(quasi),
        sensitive="score",
        hierarchies={name: TREES[name] for name in quasi if trees},
        subject="who" if subject else None,
    )


def attacks_named(original: shoal.Table, release: shoal.Release, *, several_rows: bool = False) -> set[str]:
    lines = list(MethodWarnings(release, original.schema, several_rows).sentences())
    found = {name for name, start in ATTACKS.items() for line in lines if start in line}
    assert len(found) == len(lines)  # each at most once, and no other
    assert all("--" in line for line in lines)  # what prevents it
    return found


def test_ranges_that_end_at_values_are_named_until_they_end_on_a_grid():
    original = table()
    assert "ends" in attacks_named(original, shoal.anonymize(original, k=3))
    assert "ends" not in attacks_named(original, shoal.anonymize(original, k=3, ends=5))
    assert "ends" not in attacks_named(original, shoal.anonymize(original, methods.Suppress(), k=3))
    trees = table(trees=True)
    assert "ends" not in attacks_named(trees, shoal.anonymize(trees, k=3))


def test_a_grid_for_one_column_leaves_the_others():
    original = shoal.read(PEOPLE, quasi=["age", "score"])
    release = shoal.anonymize(original, k=3, ends={"age": 5})
    (line,) = [each for each in MethodWarnings(release, original.schema, False).sentences() if "An end of" in each]
    assert "score" in line
    assert "age" not in line.partition("may be")[0]


@pytest.mark.parametrize(
    ("method", "promises", "named"),
    [
        (methods.Hilbert(), [models.LDiversity(2)], True),
        (methods.Hilbert(), [models.TCloseness(0.3)], True),
        (methods.Mondrian(), [models.AlphaK(0.5)], True),
        (methods.SecretBlind(), [models.LDiversity(2)], False),
        (methods.Hilbert(), [], False),
    ],
    ids=["l", "t", "alpha", "blind", "k alone"],
)
def test_groups_that_depend_on_secrets_are_named(method, promises, named):
    original = table()
    release = shoal.anonymize(original, method, [models.KAnonymity(3), *promises])
    assert ("minimality" in attacks_named(original, release)) == named


def test_chains_are_those_of_algorithm_s4():
    original, promises = table(), [models.KAnonymity(2), models.TCloseness(0.5)]
    assert "chains" in attacks_named(original, shoal.anonymize(original, methods.StratifiedClusters(), promises))
    assert "chains" not in attacks_named(original, shoal.anonymize(original, methods.Hilbert(), promises))
    assert "chains" in attacks_named(original, shoal.anonymize(original, methods.StratifiedClusters(mixed=9), promises))
    dealt = shoal.anonymize(original, methods.StratifiedClusters(mixed=original.rows), promises)
    assert "chains" not in attacks_named(original, dealt)
    assert dealt.preserved == ()  # values are true
    assert "forms classes in the same way, but by other random numbers" in release_report(dealt, original)


def test_nodes_are_named_unless_all_records_are_on_one_level():
    original = table(trees=True)
    assert "downcoding" in attacks_named(original, shoal.anonymize(original, k=3))
    assert "downcoding" not in attacks_named(original, shoal.anonymize(original, methods.FullDomain(), k=3))
    plain = table()
    assert "downcoding" not in attacks_named(plain, shoal.anonymize(plain, k=3))


def test_rows_of_one_person_are_named_until_something_is_promised_of_all_of_them():
    original = table(subject=True)
    for promise, named in ((), True), ((models.PersonDiversity(2),), False):
        release = shoal.anonymize(original, methods.Hilbert(), [models.KAnonymity(3), *promise])
        found = attacks_named(original, release, several_rows=True)
        assert ("several rows" in found) == named
        assert ("minimality" in found) != named  # that promise decides which groups are merged
        assert "several rows" not in attacks_named(original, release)


def test_a_table_with_one_row_for_each_person_is_not_told_of_more_to_those_inside():
    single = PEOPLE.with_columns(who=pl.Series([f"p{i}" for i in range(300)]))
    for people, external, named in (single, False, False), (single, True, True), (PEOPLE, False, True):
        original = shoal.read(people, quasi=["age", "city"], sensitive="score", subject="who")
        section = method_section(shoal.anonymize(original, k=3), original, external=external)
        assert section is not None
        assert (ATTACKS["several rows"] in str(section.blocks)) == named


def test_other_releases_are_named_unless_groups_are_the_same_again(tmp_path):
    original = table()
    first = shoal.anonymize(original, k=3)
    assert "intersection" in attacks_named(original, first)
    first.write(tmp_path / "first.csv")
    again = shoal.anonymize(original, methods.SameClasses(str(tmp_path / "first.csv")), k=3)
    assert "intersection" not in attacks_named(original, again)
    trees = table(trees=True)
    assert attacks_named(trees, shoal.anonymize(trees, methods.FullDomain(), k=3)) == set()


def test_both_versions_of_a_report_have_the_section_where_something_applies():
    original, trees = table(), table(trees=True)
    release = shoal.anonymize(original, k=3)
    for audience in ("internal", "external"):
        page = release_report(release, original, audience=audience)
        assert "What attackers who know the method can try" in page
        assert "--ends 5" in page[page.index('id="method"') :]
        levels = shoal.anonymize(trees, methods.FullDomain(), k=3)
        assert 'id="method"' not in release_report(levels, trees, audience=audience)
