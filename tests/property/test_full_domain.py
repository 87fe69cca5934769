"""The search over the lattice of levels, against every node of it, counted record by record."""

import math
from collections import Counter

import numpy as np
import polars as pl
import pytest
from property.full_search import Tree, every_node

import shoal
from shoal.errors import GuaranteeError
from shoal.methods import FullDomain
from shoal.methods.lattice.beam import beam_search
from shoal.methods.lattice.optimum import proven_optimum

COLUMNS = ("loss", "precision", "height", "entropy", "margins")
CLASSES = ("discernibility", "average-class-size", "ambiguity", "entropy-loss", "kl-divergence", "classification")
PROMISES = (
    {"k": 2}, {"k": 4}, {"k": 2, "distinct": 2}, {"k": 2, "entropy": 1.5}, {"k": 3, "recursive": (2.0, 2)},
    {"k": 2, "alpha": 0.6}, {"k": 3, "t": 0.4}, {"k": 2, "distinct": 2, "t": 0.5},
)  # fmt: skip


def tree_over(draw, values):
    """Draw a hierarchy over values, some of which may not occur, on one to three levels above them."""
    leaves = [f"v{i}" for i in range(values)]
    rows = [[leaf] for leaf in leaves]
    groups = np.arange(values)
    for level in range(int(draw.integers(0, 3))):
        groups = groups // 2 if draw.random() < 0.7 else groups
        for row, group in zip(rows, groups, strict=True):
            row.append(f"g{level}.{group}")
    return Tree([[*row, "*"] for row in rows])


def drawn(seed):
    """Draw a small table with hierarchies, and a confidential column."""
    draw = np.random.default_rng(seed)
    d, n = int(draw.integers(1, 5)), int(draw.integers(6, 45))
    trees = [tree_over(draw, int(draw.integers(1, 7))) for _ in range(d)]
    records = [tuple(f"v{draw.integers(0, tree.size)}" for tree in trees) for _ in range(n)]
    secrets = [f"s{i}" for i in draw.integers(0, int(draw.integers(2, 5)), n)]
    return draw, trees, records, secrets


def table_of(trees, records, secrets, folder):
    names = [f"q{j}" for j in range(len(trees))]
    hierarchies = {}
    for name, tree in zip(names, trees, strict=True):
        path = folder / f"{name}.csv"
        path.write_text("".join(f"{';'.join(row)}\n" for row in tree.rows.values()), encoding="utf-8")
        hierarchies[name] = str(path)
    frame = pl.DataFrame({name: [r[j] for r in records] for j, name in enumerate(names)} | {"secret": secrets})
    return shoal.read(frame, quasi=names, sensitive=["secret"], hierarchies=hierarchies)


def models_of(promised):
    made = {
        "k": shoal.models.KAnonymity,
        "distinct": shoal.models.LDiversity,
        "entropy": lambda level: shoal.models.LDiversity(level, kind="entropy"),
        "recursive": lambda level: shoal.models.LDiversity(level[1], kind="recursive", c=level[0]),
        "alpha": shoal.models.AlphaK,
        "t": lambda t: shoal.models.TCloseness(t, distance="variation"),
    }
    return [made[name](level) for name, level in promised.items()]


def chosen(seed):
    draw, trees, records, secrets = drawn(seed)
    utility = (*COLUMNS, *CLASSES)[seed % (len(COLUMNS) + len(CLASSES))]
    how = ("geometric", "arithmetic", "sum", "maximum", "rank")[int(draw.integers(0, 5))]
    g = float(draw.choice([0.5, 0.5, 0.1, 0.8]))
    weights = [float(w) for w in draw.choice([1.0, 0.5, 2.0], len(trees))]
    given = {"utility": "entropy" if utility == "margins" else utility, "factor": g}
    if utility in COLUMNS:
        given |= {"aggregate": how, "weights": {f"q{j}": w for j, w in enumerate(weights)}}
    given |= {"margins_only": True} if utility == "margins" else {}
    given |= {"target": "secret"} if utility == "classification" else {}
    promised = PROMISES[int(draw.integers(0, len(PROMISES)))]
    limit = float(draw.choice([0.0, 0.1, 0.3, 1.0]))
    return trees, records, secrets, utility, how, g, weights, promised, FullDomain(limit=limit, **given)


@pytest.mark.parametrize("block", range(11))
def test_the_optimum_is_that_of_all_nodes(block, tmp_path):
    for seed in range(block, 330, 11):
        trees, records, secrets, utility, how, g, weights, promised, method = chosen(seed)
        nodes = every_node(records, secrets, trees, promised, utility, how, g, weights)
        table = table_of(trees, records, secrets, tmp_path)
        searched, objective = method.lattice(table, models_of(promised))
        assert searched.lattice.heights == tuple(tree.height + 1 for tree in trees)
        for levels, (outliers, _, classes, loss) in nodes.items():
            node = searched.at(levels)
            assert (node.outliers, node.classes.size) == (outliers, classes)
            assert objective.reported(node) == pytest.approx(loss, rel=1e-9, abs=1e-9), (seed, levels)
        most = method.most(len(records))
        found = proven_optimum(searched, objective, most, mend=False)
        allowed = [loss for outliers, _, _, loss in nodes.values() if outliers <= most]
        assert (found is None) == (not allowed), seed
        if found is not None:
            assert found.proven
            assert found.loss == pytest.approx(min(allowed), rel=1e-9, abs=1e-9), seed
        for budget in (20, 400):  # nor does any node lose less than a beam search says, however little it looks at
            again, objective = method.lattice(table, models_of(promised))
            beam = beam_search(again, objective, most, budget=budget, mend=False)
            if beam is not None:
                assert beam.bound <= min(allowed) * (1 + 1e-9) + 1e-9, seed
                assert beam.loss >= min(allowed) * (1 - 1e-9) - 1e-9, seed
                assert not beam.proven or beam.loss == pytest.approx(min(allowed), rel=1e-9, abs=1e-9), seed


@pytest.mark.parametrize("block", range(4))
def test_a_release_keeps_its_promises_with_what_is_suppressed(block, tmp_path):
    """What is suppressed is a class like any other; a node that needs no further classes for it is never beaten."""
    for seed in range(block, 160, 4):
        trees, records, secrets, utility, how, g, weights, promised, method = chosen(seed)
        nodes = every_node(records, secrets, trees, promised, utility, how, g, weights)
        table, models = table_of(trees, records, secrets, tmp_path), models_of(promised)
        most = method.most(len(records))
        allowed = [loss for outliers, _, _, loss in nodes.values() if outliers <= most]
        as_they_are = [loss for outliers, together, _, loss in nodes.values() if outliers <= most and together]
        try:
            release = shoal.anonymize(table, method, models)
        except GuaranteeError:
            assert not as_they_are
            continue
        assert release.holds, seed
        said = release.table.recoding
        shown = release.to_polars(cells="text").drop("secret").rows()
        gone = sum(all(cell == "*" for cell in row) for row in shown)
        assert said["outliers"] <= most
        assert gone == said["outliers"] or said["outliers"] == 0
        assert min(Counter(shown).values()) >= promised["k"]
        assert said["loss"] >= min(allowed) * (1 - 1e-9) - 1e-9
        assert said["loss"] <= min(as_they_are, default=math.inf) * (1 + 1e-9) + 1e-9
