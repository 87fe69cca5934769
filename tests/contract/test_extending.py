"""The page on extending shoal: what it builds from empty files works on every engine, and gives the same there."""

import itertools
from functools import cache
from pathlib import Path

import pyarrow as pa
import pytest
from architecture.markdown import Page
from clusters import cluster
from engines.pools import Memory
from engines.tiny import Tiny

import shoal
from shoal.engines.local import Local
from shoal.engines.parts.engine import Parted
from shoal.errors import GuaranteeError, ParameterError, SchemaError

PAGE = Path(__file__).parents[2] / "docs" / "extending.md"
# Parts of so few records that classes reach over many.
ENGINES = {"local": Local, "parts": lambda: Parted(Memory(), 5), "disk": Tiny, "spark": cluster}
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


# A cluster takes long for little, so it is asked once.
KEPT = [
    (engine, column, method)
    for engine in ENGINES
    for column, method in itertools.product(("pay", "share"), ("hilbert", "by-one-column"))
    if engine != "spark" or (column, method) == ("pay", "by-one-column")
]


@pytest.mark.parametrize(("engine", "column", "method"), KEPT)
def test_the_model_is_kept_by_methods_old_and_new_on_every_engine(engine, column, method):
    table, least = table_of(engine), {"pay": 2000, "share": 1.5}[column]
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


def test_what_the_examples_are_not_for_is_refused_in_words():
    table, model = table_of("local"), built()["RangeAnonymity"]
    with pytest.raises(SchemaError, match="does not hold numbers"):
        shoal.models.check(shoal.read(pa.table(TABLE), quasi=["age"], sensitive=["sex"]), model(1))
    with pytest.raises(GuaranteeError, match="reach only 4000"):
        shoal.anonymize(table, built()["ByOneColumn"](), model(5000, "pay"), k=2)
    with pytest.raises(GuaranteeError, match="counts records"):
        shoal.anonymize(shoal.read(pa.table(TABLE), quasi="age", sensitive="pay", subject="sex"), "hilbert", model(1))
    for wrong in (model, built()["RecordsAtRisk"]):
        with pytest.raises(ParameterError, match="above 0"):
            wrong(0)
