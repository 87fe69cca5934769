"""The page on extending shoal: what it builds from empty files works on every engine, and gives the same there."""

import gc
import itertools
import tempfile
from functools import cache
from pathlib import Path

import numpy as np
import pyarrow as pa
import pytest
from architecture.markdown import Page
from clusters import cluster
from engines.pools import Memory
from engines.tiny import Tiny

import shoal
from shoal.engines.local import Local
from shoal.engines.parts.engine import PartsEngine
from shoal.errors import GuaranteeError, ParameterError, SchemaError

PAGE = Path(__file__).parents[2] / "docs" / "extending.md"
# Parts of so few records that classes reach over many; npz is the engine of the page.
ENGINES = {
    "local": Local,
    "parts": lambda: PartsEngine(Memory(), 5),
    "disk": Tiny,
    "npz": lambda: built()["NpzEngine"](rows_per_part=5),
    "spark": cluster,
}
TABLE = {
    "age": [None if i % 13 == 4 else i * 37 % 60 + 20 for i in range(43)],
    "sex": ["fm"[i % 3 // 2] for i in range(43)],
    "pay": [None if i % 17 == 3 else i * 29 % 41 * 100 for i in range(43)],
    "share": [i * 7 % 19 / 8 for i in range(43)],
}


@cache
def built():
    """Run the page, and give what it defines."""
    page = Page(PAGE)
    page.run()
    return page.names


@cache
def table_of(engine):
    return shoal.read(pa.table(TABLE), quasi=["age", "sex"], sensitive=["pay", "share"], engine=ENGINES[engine]())


@pytest.fixture(params=ENGINES)
def table(request):
    return table_of(request.param)


def cells(release):
    return release.to_arrow(cells="text")


def test_the_method_forms_the_same_classes_on_every_engine(table):
    method = built()["ByOneColumn"](publish="mean", column="age")
    release, here = (shoal.anonymize(each, method, k=4) for each in (table, table_of("local")))
    assert release.verdicts[0].level == 4
    assert cells(release).equals(cells(here))


def test_the_measure_counts_the_same_on_every_engine(table):
    measures = [built()["RecordsAtRisk"](0.3), built()["RecordsAtRisk"](0.3, known=("sex",))]
    found = shoal.score(table, measures=measures)
    sizes = [list(zip(TABLE["age"], TABLE["sex"], strict=True)), TABLE["sex"]]
    assert [score.detail["at_risk"] for score in found] == [sum(k.count(one) <= 3 for one in k) for k in sizes]
    assert 0 < found[0].value <= 1


KEPT = [("pay", "by-one-column"), ("share", "hilbert")]


@pytest.mark.parametrize(("column", "method"), KEPT)
def test_the_model_is_kept_by_methods_old_and_new_on_every_engine(table, column, method):
    least = {"pay": 2000, "share": 1.5}[column]
    model = built()["RangeAnonymity"](least, column)
    chosen = built()["ByOneColumn"]() if method == "by-one-column" else method
    release, here = (shoal.anonymize(each, chosen, model, k=2) for each in (table, table_of("local")))
    assert cells(release).equals(cells(here))
    groups = {}
    for row in cells(release).to_pylist():
        groups.setdefault((row["age"], row["sex"]), []).append(row[column])
    known = [[float(value) for value in group if value is not None] for group in groups.values()]
    assert min(max(group) - min(group) for group in known) == release.verdicts[1].level >= least
    assert not shoal.models.check(table, model)[0].holds


@pytest.mark.parametrize("method", ["mondrian", "stratified-clusters", "t-closeness-first"])
def test_methods_give_the_same_release_in_the_pool_of_the_page(method):
    models = [shoal.models.KAnonymity(3), shoal.models.TCloseness(0.4, "pay")]
    release, here = (shoal.anonymize(table_of(engine), method, models) for engine in ("npz", "local"))
    assert cells(release).equals(cells(here))


def test_a_release_from_the_pool_of_the_page_is_written_and_proved_as_any_other(tmp_path):
    for engine in ("npz", "local"):
        shoal.anonymize(table_of(engine), k=3).write(tmp_path / f"{engine}.csv")
    assert (tmp_path / "npz.csv").read_bytes() == (tmp_path / "local.csv").read_bytes()
    assert shoal.verify(tmp_path / "npz.csv").holds
    assert '"npz"' in (tmp_path / "npz.certificate.json").read_text(encoding="utf-8")


def test_the_pool_of_the_page_leaves_nothing_behind(monkeypatch, tmp_path):
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    handle = built()["NpzPool"]().put([{"row": np.arange(3)}, {}])
    assert [list(part) for part in built()["NpzPool"]().stream(handle)] == [["row"], []]
    assert list(tmp_path.iterdir())
    del handle
    gc.collect()
    assert not list(tmp_path.iterdir())


def test_what_the_examples_are_not_for_is_refused_in_words():
    table, model = table_of("local"), built()["RangeAnonymity"]
    with pytest.raises(SchemaError, match="does not hold numbers"):
        shoal.models.check(shoal.read(pa.table(TABLE), quasi=["age"], sensitive=["sex"]), model(1))
    with pytest.raises(GuaranteeError, match="reach only 4000"):
        shoal.anonymize(table, built()["ByOneColumn"](), model(5000, "pay"), k=2)
    with pytest.raises(GuaranteeError, match="counts records"):
        shoal.anonymize(shoal.read(pa.table(TABLE), quasi="age", sensitive="pay", subject="sex"), "hilbert", model(1))
    with pytest.raises(SchemaError, match="no column 'agge'"):
        shoal.anonymize(table, built()["ByOneColumn"](column="agge"), k=2)
    for made, wrong in itertools.product((model, built()["RecordsAtRisk"]), (0, -1.0, float("nan"), "1", None, True)):
        with pytest.raises(ParameterError, match="above 0"):
            made(wrong)
    assert type(model(np.int64(3)).e) is int
