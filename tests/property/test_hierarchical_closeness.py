"""t-closeness of categories in a hierarchy: against the cheapest transport, and proved from the file alone."""

import json
from collections import deque

import numpy as np
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

import shoal
from shoal.domains.hierarchy import Hierarchy
from shoal.errors import CertificateError, DataError, ParameterError

# A small tree of illnesses, as in Li et al. 2007.
TREE = [
    ("flu", "lungs", "breath"), ("pneumonia", "lungs", "breath"), ("asthma", "lungs", "breath"),
    ("cold", "nose", "breath"), ("ulcer", "stomach", "belly"), ("gastritis", "stomach", "belly"),
    ("colitis", "gut", "belly"),
]  # fmt: skip


def ground(tree, a, b):
    """Give the height of the lowest node above two leaves, as a share of the tree's; a missing cell is apart."""
    if a == b:
        return 0.0
    if a is None or b is None:
        return 1.0
    rows = {row[0]: row for row in tree.levels}
    height = len(tree.levels[0]) - 1
    return next(level for level in range(height + 1) if rows[a][level] == rows[b][level]) / height


def cheapest_transport(supply, demand, cost):
    """Move units from those who have too many to those who need them, each time along the cheapest way there is."""
    n = len(supply)
    flow = np.zeros((n, n), int)
    supply, demand, total = list(supply), list(demand), 0.0
    while any(supply):
        far = {("s", i): 0.0 for i in range(n) if supply[i]}
        came, queue = {}, deque(far)
        while queue:  # Bellman and Ford: units may also be taken back
            side, i = queue.popleft()
            for j in range(n):
                if side == "s":
                    step, there = cost[i][j], ("d", j)
                elif flow[j, i]:
                    step, there = -cost[j][i], ("s", j)
                else:
                    continue
                if far[side, i] + step < far.get(there, np.inf) - 1e-12:
                    far[there], came[there] = far[side, i] + step, (side, i)
                    queue.append(there)
        end = min((("d", j) for j in range(n) if demand[j]), key=lambda node: far.get(node, np.inf))
        total += far[end]
        demand[end[1]] -= 1
        while end in came:
            start = came[end]
            if start[0] == "s":
                flow[start[1], end[1]] += 1
            else:
                flow[end[1], start[1]] -= 1
            end = start
        supply[end[1]] -= 1
    return total


def by_transport(tree, members, values):
    """Give the earth mover's distance between the values of a class and of the table, by moving single units."""
    names = sorted(set(values), key=str)
    cost = [[ground(tree, a, b) for b in names] for a in names]
    supply = [members.count(name) * len(values) for name in names]
    demand = [values.count(name) * len(members) for name in names]
    shared = [min(a, b) for a, b in zip(supply, demand, strict=True)]
    left = [[a - b for a, b in zip(side, shared, strict=True)] for side in (supply, demand)]
    return cheapest_transport(*left, cost) / (len(members) * len(values))


@st.composite
def trees(draw):
    """Draw a tree with three to four levels in which some branches are single chains."""
    rows, middle = [], 0
    for leaf in range(draw(st.integers(1, 6))):
        middle += draw(st.integers(0, 1))
        rows.append((f"v{leaf}", f"m{middle}", f"t{middle // 2}", "*"))
    return Hierarchy.of(rows, "ill")


@given(trees(), st.data())
def test_distances_are_those_of_the_cheapest_transport(tmp_path_factory, tree, data):
    values = data.draw(st.lists(st.sampled_from([*tree.leaves, None]), min_size=2, max_size=7))
    groups = data.draw(st.lists(st.integers(0, 1), min_size=len(values), max_size=len(values)))
    path = tmp_path_factory.getbasetemp() / "tree.csv"
    path.write_text("\n".join(";".join(row) for row in tree.levels), encoding="utf-8")
    frame = pl.DataFrame({"g": groups, "ill": values}, schema={"g": pl.Int64, "ill": pl.String})
    table = shoal.read(frame, quasi="g", sensitive="ill", hierarchies={"ill": str(path)})
    (verdict,) = shoal.models.check(table, [shoal.models.TCloseness(0.5, "ill", "hierarchical")])
    classes = [[v for v, g in zip(values, groups, strict=True) if g == one] for one in set(groups)]
    assert verdict.level == pytest.approx(max(by_transport(tree, members, values) for members in classes), abs=1e-9)
    assert 0 <= verdict.level <= 1


@pytest.fixture
def patients(tmp_path):
    path = tmp_path / "ill.csv"
    path.write_text("\n".join(";".join(row) for row in TREE), encoding="utf-8")
    draw = np.random.Generator(np.random.PCG64(3))
    frame = pl.DataFrame(
        {
            "age": draw.integers(20, 80, 300),
            "ill": draw.choice([row[0] for row in TREE], 300),
            "charge": draw.integers(0, 9, 300),
        }
    )
    return shoal.read(frame, quasi="age", sensitive=["ill", "charge"], hierarchies={"ill": str(path)})


def test_the_example_by_hand(patients):
    rows = [("cold", 0), ("flu", 0), ("ulcer", 1), ("colitis", 1)]
    frame = pl.DataFrame(rows, schema=["ill", "g"], orient="row")
    path = patients.origin.given["hierarchies"]["ill"]
    assert path == "ill.csv"
    tree = Hierarchy.of(TREE, "ill")
    table = shoal.read(frame, quasi="g", sensitive="ill", hierarchies={"ill": tree})
    (found,) = shoal.models.check(table, [shoal.models.TCloseness(0.5, "ill")])
    assert found.level == 0.5  # half of each class has to go to the other branch, which is as far as can be
    assert "4 levels" in found.convention
    (flat,) = shoal.models.check(table, [shoal.models.TCloseness(0.5, "ill", "variation")])
    assert flat.level == 0.5


@pytest.mark.parametrize(
    "method",
    [
        shoal.methods.Hilbert,
        shoal.methods.MergeClusters,
        shoal.methods.TClosenessFirst,
        shoal.methods.StratifiedClusters,
    ],
)
def test_it_is_kept_and_proved_again_from_the_file_alone(patients, method, tmp_path):
    models = [
        shoal.models.KAnonymity(3),
        shoal.models.TCloseness(0.2, "ill", "hierarchical"),
        shoal.models.TCloseness(0.3, "charge"),
    ]
    release = shoal.anonymize(patients, method(), models)
    assert release.holds
    shown = release.to_pandas()
    tree, whole = Hierarchy.of(TREE, "ill"), shown["ill"].tolist()
    worst = max(by_mean_variation(tree, group["ill"].tolist(), whole) for _, group in shown.groupby("age"))
    assert release.verdicts[1].level == pytest.approx(worst)
    assert worst <= 0.2
    for name in ("out.csv", "out.parquet"):
        release.write(tmp_path / name, overwrite=True)
        (tmp_path / "ill.csv").unlink(missing_ok=True)  # the certificate carries the tree
        proof = shoal.verify(tmp_path / name, tmp_path / "out.certificate.json")
        assert proof.verdicts[1].level == pytest.approx(worst)


def by_mean_variation(tree, members, values):
    """Give the mean over levels of half the sum of differences between shares."""
    total = 0.0
    for level in range(len(tree.levels[0]) - 1):
        node = {row[0]: row[level] for row in tree.levels}
        shares = [
            abs([node[v] for v in members].count(n) / len(members) - [node[v] for v in values].count(n) / len(values))
            for n in set(node.values())
        ]
        total += sum(shares) / 2
    return total / (len(tree.levels[0]) - 1)


def test_a_certificate_with_another_tree_is_found_out(patients, tmp_path):
    models = [shoal.models.KAnonymity(3), shoal.models.TCloseness(0.2, "ill")]
    shoal.anonymize(patients, shoal.methods.Hilbert(), models).write(tmp_path / "out.csv")
    path = tmp_path / "out.certificate.json"
    content = json.loads(path.read_text(encoding="utf-8"))
    assert content["output"]["hierarchies"]["ill"][0] == ["flu", "lungs", "breath", "*"]
    for row in content["output"]["hierarchies"]["ill"]:
        row[1] = row[2] = "all"
    path.write_text(json.dumps(content), encoding="utf-8")
    with pytest.raises(CertificateError, match="changed"):
        shoal.verify(tmp_path / "out.csv", path)


def test_a_column_without_a_hierarchy_is_refused(patients):
    with pytest.raises(ParameterError, match="no hierarchy"):
        shoal.anonymize(
            patients,
            shoal.methods.Hilbert(),
            [shoal.models.KAnonymity(3), shoal.models.TCloseness(0.2, "charge", "hierarchical")],
        )


@pytest.mark.parametrize(("cell", "said"), [("lungs", "in the place of one"), ("*", "one|cover"), ("gout", "cover")])
def test_confidential_cells_must_be_values_of_the_hierarchy(cell, said):
    frame = pl.DataFrame({"age": [1, 2], "ill": ["flu", cell]})
    with pytest.raises(DataError, match=said):
        shoal.read(frame, quasi="age", sensitive="ill", hierarchies={"ill": Hierarchy.of(TREE, "ill")})
