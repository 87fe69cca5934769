"""Full-domain recoding of Adult, with its hierarchies as they are, against known optima and numbers at nodes."""

import numpy as np
import pytest

import shoal
from shoal.kernels.roll_up import walk_lattice
from shoal.methods import FullDomain
from shoal.models import KAnonymity, LDiversity, TCloseness

ALL = (
    "sex", "age", "race", "marital-status", "education", "native-country", "workclass", "occupation", "salary-class",
)  # fmt: skip
ENTROPY = {"utility": "entropy", "margins_only": True}
ARITHMETIC = {"aggregate": "arithmetic"}
HALF = {name: 0.5 for name in ALL if name != "occupation"} | {"occupation": 1}
QUARTER = {name: 0.25 for name in ALL if name != "age"} | {"age": 1}
# k, limit, what is asked for, the least loss, its levels in the order of the file, outliers, classes.
OPTIMA = [
    (5, 1, {}, 0.2212867446409421, "0,3,0,0,2,1,1,1,0", 2584, 2231),
    (5, 1, ARITHMETIC, 0.22855220137948967, "0,3,0,0,2,1,1,1,0", 2584, 2231),
    (5, 0.04, {}, 0.27244475723203987, "0,3,0,1,3,1,1,1,0", 1032, 923),
    (5, 0, {}, 0.5731509655759608, "0,4,1,1,3,2,2,1,0", 0, 24),
    (5, 0.04, ENTROPY, 255559.85455731, "1,0,1,1,3,2,2,0,1", 906, 1498),
    (5, 0, ENTROPY, 407289.53889253, "1,2,1,1,3,2,2,1,1", 0, 48),
    (5, 1, {"utility": "discernibility"}, 7220555, "0,0,1,2,3,2,2,1,1", 105, 411),
    (5, 1, {"utility": "precision", **ARITHMETIC}, 0.3119463538865435, "0,4,0,0,1,0,0,1,0", 4100, 3455),
    (10, 1, {}, 0.2621056283192542, "0,3,0,0,2,1,1,1,0", 4008, 2231),
    (10, 0.04, {}, 0.32535358741355647, "0,3,0,2,2,1,1,2,0", 968, 533),
    (10, 0, ENTROPY, 427068.64057755, "1,1,1,1,3,2,2,2,1", 0, 30),
    (5, 1, {"factor": 0.1}, 0.09257312979168675, "0,3,0,0,0,0,0,0,0", 11182, None),
    (5, 1, {"factor": 0.25}, 0.16043817374702152, "0,3,0,0,2,0,0,1,0", None, None),
    (5, 1, {"factor": 0.75}, 0.1467932085230359, "0,3,0,0,2,1,1,2,0", None, None),
    (5, 1, {"weights": HALF}, 0.12945528300131648, "0,3,0,0,2,1,1,1,0", None, None),
    (5, 1, {"weights": QUARTER}, 0.0759167985417104, "0,2,0,0,2,1,1,1,0", 3472, None),
    (5, 0.04, {"weights": QUARTER}, 0.0900527064297556, "0,3,0,1,3,1,1,1,0", None, None),
]
WITH_SECRET = [
    (1, [], 0.163413104185111, "0,3,0,0,2,1,0,0", 2227),
    (1, [LDiversity(3)], 0.1678439048930922, "0,3,0,0,2,1,0,0", 2373),
    (1, [LDiversity(3, kind="entropy")], 0.19173692170409984, "0,3,0,0,2,1,0,0", 3161),
    (0, [], 0.542210825407941, "0,4,1,2,3,2,0,0", 0),
    (0, [LDiversity(3)], 0.542210825407941, "0,4,1,2,3,2,0,0", 0),
    (0, [LDiversity(3, kind="entropy")], 0.6131717847220823, "0,4,1,1,3,2,2,0", 0),
    (0, [TCloseness(0.3)], 0.7591763053568452, "0,4,1,1,3,2,2,1", 0),
]


def read(public_file, names, **roles):
    hierarchies = {name: str(public_file(f"adult/adult_hierarchy_{name}.csv")) for name in names}
    return shoal.read(public_file("adult/adult.csv"), quasi=names, hierarchies=hierarchies, **roles)


@pytest.fixture(scope="module")
def adult(public_file):
    return read(public_file, ALL)


@pytest.fixture(scope="module")
def secret(public_file):
    """Give Adult with its occupation as what is confidential."""
    return read(public_file, [name for name in ALL if name != "occupation"], sensitive=["occupation"])


def levels_of(text):
    return tuple(map(int, text.split(",")))


@pytest.mark.parametrize(("k", "limit", "asked", "loss", "levels", "outliers", "classes"), OPTIMA)
def test_the_optimum_is_the_known_one(adult, k, limit, asked, loss, levels, outliers, classes):
    found = FullDomain(limit=limit, **asked).search(adult, [KAnonymity(k)]).found
    assert found.proven
    assert found.node.levels == levels_of(levels)
    assert found.loss == pytest.approx(loss, rel=1e-9)
    assert outliers in (None, found.node.outliers)
    assert classes in (None, found.node.classes.size)


@pytest.mark.parametrize(("limit", "models", "loss", "levels", "outliers"), WITH_SECRET)
def test_the_optimum_with_what_is_confidential_is_the_known_one(secret, limit, models, loss, levels, outliers):
    found = FullDomain(limit=limit).search(secret, [KAnonymity(5), *models]).found
    assert found.node.levels == levels_of(levels)
    assert found.loss == pytest.approx(loss, rel=1e-9)
    assert found.node.outliers == outliers


@pytest.mark.slow
def test_the_optimum_with_closeness_and_suppression_is_the_known_one(secret):
    found = FullDomain().search(secret, [KAnonymity(5), TCloseness(0.3)]).found
    assert found.node.levels == levels_of("0,3,0,0,3,0,2,0")
    assert found.loss == pytest.approx(0.4805529458210327, rel=1e-9)
    assert found.node.outliers == 9603


@pytest.mark.parametrize(("k", "known"), [(5, (86, 1763, 4387, 5144)), (10, (65, 1016, 2861, 3385))])
def test_as_many_nodes_are_feasible_as_is_known(adult, k, known):
    nodes, _ = FullDomain().lattice(adult, [KAnonymity(k)])
    columns = nodes.lattice.columns
    steps = [[column.step(level, level + 1) for level in range(column.height)] for column in columns]
    whole = walk_lattice(nodes.lattice.finest, nodes.lattice.fields, steps, [column.leaves for column in columns], k)
    assert whole.outliers.size == 12960
    limits = [int(limit * adult.rows + 1e-9) for limit in (0, 0.01, 0.04, 0.05)]
    assert tuple(int((whole.outliers <= limit).sum()) for limit in limits) == known
    draw = np.random.default_rng(1)
    for number in draw.integers(0, 12960, 40).tolist():  # the same as node by node
        node = nodes.at(nodes.lattice.levels(number))
        assert (node.outliers, node.classes.size) == (whole.outliers[number], whole.classes[number])
        assert node.found.squares == whole.squares[number]
        weights = [column.leaves[x] @ q for column, x, q in zip(columns, node.levels, node.found.by_value, strict=True)]
        assert weights == whole.weights[number].tolist()


def test_the_finest_node_is_the_known_one(adult):
    nodes, _ = FullDomain().lattice(adult, [KAnonymity(5)])
    finest = nodes.at((0,) * 9)
    assert (finest.classes.size, finest.outliers, finest.found.all_squares) == (19502, 23470, 115382)


@pytest.mark.parametrize(
    ("asked", "levels", "loss"),
    [
        ({"utility": "average-class-size"}, "0,3,1,0,0,1,1,0", 53.76470588235294),
        ({"utility": "discernibility"}, "1,2,0,2,2,1,0,0", 55896618),
        ({"utility": "entropy"}, "0,1,0,1,0,1,0,1", 206871.187629197),
        ({"utility": "precision", **ARITHMETIC}, "0,4,0,1,1,1,0,0", 0.31601988152863425),
    ],
)
def test_losses_at_nodes_are_the_known_ones(secret, asked, levels, loss):
    nodes, objective = FullDomain(**asked).lattice(secret, [KAnonymity(5)])
    assert objective.reported(nodes.at(levels_of(levels))) == pytest.approx(loss, rel=1e-9)


def test_layers_are_the_known_ones(adult):
    """34 layers, 4,571 classes and the loss of the peer's local transformation; nothing is left over."""
    release = shoal.anonymize(adult, "layers", k=5, measures=["granularity", "average-class-size"])
    said = release.table.recoding
    assert (len(said["layers"]), said["classes"], said["outliers"]) == (34, 4571, 0)
    assert said["loss"] == pytest.approx(0.05910647534, rel=1e-9)
    assert release.scores["granularity"].value == pytest.approx(said["loss"], rel=1e-9)
    assert release.holds
