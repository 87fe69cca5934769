"""Classes from crowds in tables with hierarchies: what they promise, read from the released cells by plain Python."""

import math
from collections import Counter, defaultdict

import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st
from property.independent import variation
from property.people import keeps, level

import shoal

TREE = {"ulm": "south;land", "lindau": "south;land", "kiel": "north;land", "sylt": "north;land"}
NODES = {"south": {"ulm", "lindau"}, "north": {"kiel", "sylt"}, "land": set(TREE), **{town: {town} for town in TREE}}
SECRETS = "abcd"


@pytest.fixture(scope="module")
def tree(tmp_path_factory):
    path = tmp_path_factory.mktemp("tree") / "town.csv"
    path.write_text("".join(f"{town};{above}\n" for town, above in TREE.items()), encoding="utf-8")
    return str(path)


@st.composite
def people(draw, *, gaps=False):
    rows = draw(st.integers(8, 60))
    town = st.sampled_from([*TREE, None] if gaps else list(TREE))
    columns = {
        "town": draw(st.lists(town, min_size=rows, max_size=rows)),
        "age": draw(st.lists(st.integers(0, 40) | (st.none() if gaps else st.nothing()), min_size=rows, max_size=rows)),
        "who": [f"p{i}" for i in draw(st.lists(st.integers(0, 2 * rows), min_size=rows, max_size=rows))],
        "secret": draw(st.lists(st.sampled_from(SECRETS), min_size=rows, max_size=rows)),
    }
    if all(value is None for value in columns["town"]):
        columns["town"][0] = "ulm"
    return columns


def read(columns, tree, quasi, **roles):
    hierarchies = {"town": tree, **({"age": "bands 5,10,20"} if "age" in quasi else {})}
    frame = pl.DataFrame(columns, schema_overrides={"age": pl.Int64, "town": pl.String})
    return shoal.read(frame, quasi=quasi, sensitive=["secret"], hierarchies=hierarchies, **roles)


def classes_of(release, columns, quasi):
    """Group rows by their released cells, each of which must be a node above what was there."""
    frame = release.to_pandas(row_order="input")
    shown = list(zip(*(frame[name].astype(object).where(frame[name].notna(), None) for name in quasi), strict=True))
    for row, cells in enumerate(shown):
        for name, node in zip(quasi, cells, strict=True):
            value = columns[name][row]
            if node == "*":
                continue
            if value is None:
                assert node is None or node == ""
            elif name == "town":
                assert value in NODES[node]
            else:
                low, _, high = str(node).partition("-")
                assert int(low) <= value <= int(high or low)
    found = defaultdict(list)
    for row, cells in enumerate(shown):
        found[cells].append(row)
    return list(found.values())


def kept(model, secrets, everyone):
    """Tell whether a class keeps a promise, by its definition."""
    counts = sorted(Counter(secrets).values(), reverse=True)
    if isinstance(model, shoal.models.TCloseness):
        return variation(secrets, everyone) <= model.t + 1e-12
    if isinstance(model, shoal.models.AlphaK):
        return counts[0] / len(secrets) <= model.alpha
    if model.kind == "distinct":
        return len(counts) >= model.l
    if model.kind == "recursive":
        return counts[0] < model.c * sum(counts[int(model.l) - 1 :])
    entropy = -sum(count / len(secrets) * math.log(count / len(secrets)) for count in counts)
    return math.exp(entropy) >= model.l * (1 - 1e-9)


MODELS = st.sampled_from(
    [
        shoal.models.TCloseness(0.3, "secret"),
        shoal.models.TCloseness(0.6, "secret"),
        shoal.models.AlphaK(0.6, "secret"),
        shoal.models.LDiversity(2, "secret"),
        shoal.models.LDiversity(1.8, "secret", "entropy"),
        shoal.models.LDiversity(2, "secret", "recursive", 3.0),
    ]
)
METHODS = st.builds(shoal.methods.Hilbert, keep_exact=st.booleans(), quality=st.integers(0, 3))


@given(people(gaps=True), METHODS, st.integers(2, 6), st.booleans())
def test_nodes_cover_their_records_in_crowds_of_k(tree, columns, method, k, wide):
    quasi = ["town", "age"] if wide and any(age is not None for age in columns["age"]) else ["town"]
    release = shoal.anonymize(read(columns, tree, quasi), method, [shoal.models.KAnonymity(k)])
    assert release.holds
    assert min(map(len, classes_of(release, columns, quasi))) >= k


@given(people(), METHODS, st.integers(2, 4))
def test_people_are_counted_and_not_their_records(tree, columns, method, k):
    quasi = ["town", "age"]
    try:
        release = shoal.anonymize(read(columns, tree, quasi, subject="who"), method, [shoal.models.KAnonymity(k)])
    except (shoal.errors.ParameterError, shoal.errors.GuaranteeError):
        assert len(set(columns["who"])) < k
        return
    for rows in classes_of(release, columns, quasi):
        assert len({columns["who"][row] for row in rows}) >= k


@given(people(), METHODS, st.integers(2, 4), st.lists(MODELS, min_size=1, max_size=2, unique=True), st.booleans())
def test_every_promise_holds_by_its_definition_or_is_refused(tree, columns, method, k, models, subject):
    quasi = ["town", "age"]
    roles = {"subject": "who"} if subject else {}
    everyone = columns["secret"]
    all_of_them = list(zip(columns["who"], everyone, strict=True))
    try:
        release = shoal.anonymize(read(columns, tree, quasi, **roles), method, [shoal.models.KAnonymity(k), *models])
    except (shoal.errors.GuaranteeError, shoal.errors.ParameterError):
        by_people = [keeps(model, level(model, all_of_them, all_of_them, "variation")) for model in models]
        by_records = [kept(model, everyone, everyone) for model in models]
        assert len(set(columns["who"])) < k or not all(by_people if subject else by_records)
        return
    assert release.holds
    for rows in classes_of(release, columns, quasi):
        assert len({columns["who"][row] for row in rows} if subject else rows) >= k
        secrets = [everyone[row] for row in rows]
        mine = [(columns["who"][row], everyone[row]) for row in rows]
        for model in models:
            by_people = keeps(model, level(model, mine, all_of_them, "variation"))
            assert by_people if subject else kept(model, secrets, everyone)
