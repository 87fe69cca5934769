"""What every method, model and measure of linked tables must be able to do, on every engine."""

import inspect

import numpy as np
import polars as pl
import pytest
from clusters import cluster
from engines.pools import Memory
from engines.tiny import Tiny

import shoal
from shoal.catalogue import build, entries
from shoal.engines.local import Local
from shoal.engines.parts.engine import PartsEngine
from shoal.errors import ParameterError, SchemaError
from shoal.linked.traces import traces_of
from shoal.measures.traces.linked_measure import LinkedMeasure
from shoal.methods.traces.linked_method import LinkedMethod
from shoal.models.linked_model import LinkedModel

METHODS, MODELS, MEASURES = (
    {name: entry for name, entry in entries(shelf).items() if issubclass(entry, kind)}
    for shelf, kind in (("methods", LinkedMethod), ("models", LinkedModel), ("measures", LinkedMeasure))
)
LEVELS = {
    "km-anonymity": {"k": 2, "m": 2},
    "coherence": {"k": 2, "p": 2, "h": 0.5, "private": ["a"]},
    "rho-uncertainty": {"rho": 0.5, "m": 2, "private": ["a"]},
}
ENGINES = {"local": Local, "parts": lambda: PartsEngine(Memory(), 5), "disk": Tiny, "spark": cluster}
TREE = "".join(f"{x};{'vowel' if x in 'aeiou' else 'consonant'}\n" for x in "aebcdfgu")


def frame():
    random = np.random.default_rng(5)
    return pl.DataFrame(
        {
            "who": [f"u{number}" for number in random.integers(0, 15, 80)],
            "item": [None if i == 0 else "-aebcdfg"[i] for i in random.integers(0, 8, 80)],
        }
    )


def asked(tmp_path):
    (tmp_path / "tree.csv").write_text(TREE, encoding="utf-8")
    return {"subject": "who", "quasi": "item", "linked": True, "hierarchies": {"item": str(tmp_path / "tree.csv")}}


CASES = [(kind, method) for kind in ENGINES for method in METHODS if kind != "spark"]
CASES += [pytest.param("spark", method, marks=pytest.mark.large) for method in METHODS]


@pytest.mark.parametrize(("kind", "method"), CASES)
def test_a_release_has_the_same_bytes_wherever_the_table_is_held(kind, method, tmp_path, monkeypatch):
    """People are numbered at random, so chance is taken out here, and only here."""
    monkeypatch.setattr("shoal.releases.linked_release.fresh_order", lambda n: np.random.default_rng(1).permutation(n))
    written = []
    for name in ("local", kind):
        table = shoal.read(frame(), engine=ENGINES[name](), **asked(tmp_path))
        release = shoal.anonymize(table, method, k=2, m=2)
        for suffix in ("csv", "parquet"):
            release.write(tmp_path / f"{name}.{suffix}", overwrite=True)
        written.append([(tmp_path / f"{name}.{suffix}").read_bytes() for suffix in ("csv", "parquet")])
        written[-1].append([score.value for score in release.scores])
    assert written[0] == written[1]
    proof = shoal.verify(tmp_path / f"{kind}.parquet", tmp_path / f"{kind}.certificate.json", engine=ENGINES[kind]())
    assert proof.holds


@pytest.mark.parametrize("name", MODELS)
@pytest.mark.parametrize("kind", [kind for kind in ENGINES if kind != "spark"])
def test_a_model_is_measured_alike_wherever_the_table_is_held(kind, name, tmp_path):
    model = build("models", {"name": name} | LEVELS[name])
    (one,), (other,) = (
        shoal.models.check(shoal.read(frame(), engine=ENGINES[each](), **asked(tmp_path)), [model])
        for each in ("local", kind)
    )
    assert one == other
    assert one.sentence.endswith(".")
    assert one.holds == (one.failing == 0)


@pytest.mark.parametrize("name", MODELS)
def test_a_model_refuses_rows_that_are_not_linked(name):
    table = shoal.read(frame(), quasi="item")
    with pytest.raises(SchemaError, match="belong"):
        shoal.models.check(table, [build("models", {"name": name} | LEVELS[name])])


@pytest.mark.parametrize("name", METHODS)
def test_a_method_refuses_rows_that_are_not_linked(name):
    with pytest.raises(ParameterError, match="linked"):
        shoal.anonymize(frame(), name, k=2, quasi="item")


@pytest.mark.parametrize("name", METHODS)
def test_a_method_says_what_it_did_without_points(name, tmp_path):
    release = shoal.anonymize(frame(), name, k=2, m=2, **asked(tmp_path))
    assert all(sentence[0].isupper() and sentence.endswith(".") for sentence in release.steps)
    assert "consonant" not in " ".join(release.steps)
    assert METHODS[name].enforces == ("km-anonymity",)


@pytest.mark.parametrize("name", MEASURES)
def test_a_measure_stays_in_its_range_and_finds_no_loss_where_nothing_changed(name, tmp_path):
    measure = build("measures", {"name": name})
    before = traces_of(shoal.read(frame(), **asked(tmp_path)))
    assert measure.compared(before, before).value == 0
    for method in METHODS.values():
        after, _ = method().masked(before, shoal.models.KmAnonymity(3, 2))
        found = measure.compared(before, after)
        assert measure.range[0] <= found.value <= measure.range[1]
        assert found.detail
    assert "doi:10." in inspect.getdoc(MEASURES[name])


@pytest.mark.parametrize("name", MEASURES)
def test_a_measure_refuses_tables_that_do_not_tell_who_is_who(name):
    table = shoal.read(frame(), quasi="item")
    with pytest.raises(ParameterError, match="who is who"):
        shoal.score(table, table, measures=[name])
    with pytest.raises(ParameterError, match="who is who"):
        shoal.anonymize(table, k=2, measures=[name])
