"""The border between Python and C, where a wrong argument would not raise but spoil memory: both sides must agree."""

import ctypes
import re
from importlib import import_module
from pathlib import Path
from pkgutil import iter_modules

import numpy as np
import pyarrow as pa
import pytest
from engines.pools import Memory
from pyarrow import csv

import shoal
from shoal import kernels
from shoal.engines.disk.pool import DiskPool
from shoal.engines.parts.engine import PartsEngine
from shoal.kernels import grouping
from shoal.kernels.combinations import Holders
from shoal.kernels.random_streams import swap_ranks
from shoal.measures.reidentification.known_points import InvertedLists, attack

NAMES = [found.name for found in iter_modules(kernels.__path__) if not found.name.startswith("_")]
MODULES = [module for name in NAMES if hasattr(module := import_module(f"shoal.kernels.{name}"), "call")]
SOURCES = sorted(Path(kernels.__file__).parent.glob("*.c"))
PROTOTYPE = re.compile(r"^KERNEL (\w+) \*?(\w+)\(([^)]*)\)", re.MULTILINE)
ELEMENTS = {
    "uint8_t": (np.uint8,),
    "int32_t": (np.int32,),
    "int64_t": (np.int64,),
    "uint32_t": (np.uint32,),
    "uint64_t": (np.uint64, np.float64),  # numbers are sorted by their bits
    "float": (np.float32,),
    "double": (np.float64,),
}
RESULTS = {"void": None, "int64_t": ctypes.c_int64, "double": ctypes.c_double}


def prototypes() -> dict[str, tuple[str, list[str]]]:
    """Give the result and the parameters of each kernel, as its C file declares them."""
    found = {}
    for source in SOURCES:
        for result, name, parameters in PROTOTYPE.findall(source.read_text(encoding="utf-8")):
            plain = re.sub(r"\b(const|restrict)\b", "", parameters)
            found[name] = result, [" ".join(part.split()) for part in plain.split(",")]
    return found


@pytest.fixture
def called(monkeypatch):
    """Compare each call with the prototype of its kernel, and give the names of the kernels that were called."""
    known = prototypes()
    names = set()

    def checked(kernel, *arguments, result=None):
        names.add(kernel)
        expected, parameters = known[kernel]
        assert result is RESULTS[expected], kernel
        assert len(arguments) == len(parameters), kernel
        for argument, parameter in zip(arguments, parameters, strict=True):
            base, _, name = parameter.partition(" ")
            where = f"{kernel}, {parameter}"
            if name.startswith("*"):
                assert argument is None or argument.dtype.type in ELEMENTS[base], where
            elif base == "int32_t":
                assert isinstance(argument, kernels.Int32), where
            else:
                assert base == "int64_t", where
                assert isinstance(argument, (int, np.integer)), where
                assert not isinstance(argument, kernels.Int32), where
        return real(kernel, *arguments, result=result)

    real = kernels.call
    for module in MODULES:
        monkeypatch.setattr(module, "call", checked)
    return names


def test_every_kernel_is_called_as_it_is_declared(called, tmp_path):
    rows = 1500
    draw = np.random.default_rng(7)
    table = pa.table(
        {
            "who": pa.array([f"p{i % 750}" for i in range(rows)]),
            "age": pa.array(draw.integers(0, 90, rows), mask=draw.random(rows) < 0.1),
            "height": pa.array(draw.normal(170, 10, rows)),
            "town": pa.array([f"town {i}, north" for i in draw.integers(0, 40, rows)], mask=draw.random(rows) < 0.1),
            "charge": pa.array(draw.integers(0, 50, rows)),
            "illness": pa.array(draw.choice(["a", "b", "c"], rows)),
            "note": pa.array([f"note {i // 2} \N{SNOWMAN}" for i in range(rows)]),
        }
    )
    roles = {"quasi": ["age", "height", "town"], "sensitive": ["charge", "illness"], "plain": "note"}
    people = shoal.read(table, subject="who", **roles)
    measures = [
        shoal.measures.Uniqueness(("age",)),
        shoal.measures.AttributeDisclosure("charge > 20"),
        shoal.measures.InformationLoss(),
    ]
    one = shoal.anonymize(people, shoal.methods.SortedClusters(), [shoal.models.KAnonymity(3)], measures=measures)
    models = [
        shoal.models.KAnonymity(3),
        shoal.models.TCloseness(0.3, "charge"),
        shoal.models.TCloseness(0.9, "illness"),
    ]
    two = shoal.anonymize(shoal.read(table, **roles), shoal.methods.StratifiedClusters(), models, measures=measures)
    for objective in ("loss", "certainty"):
        shoal.anonymize(
            people, shoal.methods.Hilbert(objective=objective), [shoal.models.KAnonymity(3)], measures=measures
        )
    shoal.anonymize(shoal.read(table, **roles), shoal.methods.Hilbert(), models[:2])
    shoal.anonymize(people, shoal.methods.Hilbert(), [shoal.models.KAnonymity(3), shoal.models.AlphaK(0.6, "illness")])
    for method in (shoal.methods.SortedClusters(), shoal.methods.Hilbert()):
        shoal.anonymize(shoal.read(table, quasi="charge"), method, [shoal.models.KAnonymity(3)])
    for pool in (Memory(), DiskPool(tmp_path)):
        parted = PartsEngine(pool, 500)
        shoal.score(shoal.read(table, engine=parted, **roles), measures=[shoal.measures.Uniqueness()])
        numbers = shoal.read(table, engine=parted, quasi="charge")
        shoal.anonymize(numbers, shoal.methods.SortedClusters(), [shoal.models.KAnonymity(3)]).write(
            tmp_path / "parts.csv", overwrite=True
        )
    for name, release in (("one", one), ("two", two)):
        assert isinstance(release.homogeneous, tuple)
        for delimiter in (",", ";"):
            path = tmp_path / f"{name}.csv"
            release.write(path, delimiter=delimiter, overwrite=True)
            shoal.verify(path, path.with_suffix(".certificate.json"))
    shoal.score(
        shoal.read(pa.table({"a": ["1", "[1;2]", "3"]}), quasi="a"),
        measures=[shoal.measures.Uniqueness(matching="fit")],
    )
    shoal.score(
        shoal.read(pa.table({"a": ["[1;2]", "[2;3]", "[1;2]", "[3;4]"]}), quasi="a"),
        measures=[shoal.measures.OrderLeak(), shoal.measures.Suda(), shoal.measures.IndividualRisk()],
    )
    for method in (
        shoal.methods.MDAV("mean"),
        shoal.methods.VMDAV(),
        shoal.methods.Mondrian(),
        shoal.methods.OptimalUnivariate(k=3),
    ):
        shoal.anonymize(people, method, [shoal.models.LDiversity(2, "illness"), shoal.models.KAnonymity(3)])
    offices = shoal.methods.Suppress(missing="either")
    shoal.anonymize(shoal.read(table.slice(0, 200), quasi=["charge", "illness"]), offices, [shoal.models.KAnonymity(3)])
    for method in (shoal.methods.KAnonymityFirst(), shoal.methods.TClosenessFirst()):
        shoal.anonymize(shoal.read(table, **roles), method, models[:2])
    some = shoal.read(pa.table({"town": ["a", "a", "b"], "age": [1, 2, 3]}), quasi=["town", "age"])
    for method in (shoal.methods.Pram(kind="exact"), shoal.methods.Pram(), shoal.methods.RecordSwap(("town",))):
        shoal.anonymize(some, method, no_promise=True, allow_identifiers=["age"])
    csv.write_csv(table.select(["age", "height", "town"]).slice(0, 90), tmp_path / "held-out.csv")
    numbers = shoal.read(table, quasi=["age", "height", "town"])
    shoal.score(numbers, numbers, measures=[shoal.measures.ClosestRecord(str(tmp_path / "held-out.csv"), most=20)])
    shoal.attack(numbers, numbers, attacks=["singling-out"])
    beside = shoal.read(table, **roles)
    linked = shoal.anonymize(beside, shoal.methods.Hilbert(), [shoal.models.KAnonymity(3)]).table
    linkages = [shoal.measures.DistanceLinkage(), shoal.measures.AssignmentLinkage()]
    shoal.score(beside, linked, measures=[*linkages, shoal.measures.ProbabilisticLinkage(most=500)])
    few = shoal.read(table, quasi=["town", "illness"], sensitive="charge")
    for kept in ([shoal.models.KAnonymity(3)], [shoal.models.KAnonymity(3), shoal.models.LDiversity(2)]):
        shoal.anonymize(few, shoal.methods.FullDomain(max_level={"town": 0}), kept)
    shoal.anonymize(few, "layers", k=3)
    shoal.explore(few, k=3)
    traces = np.array([0, 2, 4], np.int64), np.array([0, 1, 0, 2], np.int32)
    for effort in (None, 0):
        attack(*traces, InvertedLists.of(*traces, 3), 2, effort=effort)
    held = Holders(np.array([0, 2, 5]), np.array([0, 1, 0, 1, 2], np.int32), 3)
    ((rows, persons),) = held.having(2, 2)
    held.relabelled(held.without(*held.to_remove(rows, persons)).labels[:3], 3)
    for method in (shoal.methods.Noise(), shoal.methods.ROMM()):
        shoal.anonymize(shoal.read(table, **roles), method, no_promise=True)
    swap_ranks(np.array([1, 2], np.uint64), 9, window=3)
    assert called | {"watch"} == set(prototypes())  # which each thread calls once, before anything else


def test_an_array_that_is_not_contiguous_is_refused():
    every_other = np.zeros(10, np.int32)[::2]
    with pytest.raises(shoal.errors.InternalError, match="contiguous"):
        grouping.count_labels(every_other, 1)


def test_an_array_of_another_type_is_refused():
    with pytest.raises(shoal.errors.InternalError, match="int64"):
        grouping.count_labels(np.zeros(10, np.int64), 1)


def test_reserved_positions_are_the_same_on_both_sides():
    header = (SOURCES[0].parent / "native.h").read_text(encoding="utf-8")
    assert re.findall(r"#define (MISSING|TOP) (\w+)", header) == [("MISSING", "INT32_MIN"), ("TOP", "INT32_MAX")]
    assert (np.iinfo(np.int32).min, np.iinfo(np.int32).max) == (kernels.MISSING, kernels.TOP)
