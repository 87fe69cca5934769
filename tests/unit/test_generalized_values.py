"""Cells that stand for several values are no values: where a model counts, they are refused."""

import pyarrow as pa
import pytest
from engines.tiny import Tiny

import shoal
from shoal.engines.local import Local

ENGINES = [Local, Tiny]
MODELS = [
    shoal.models.LDiversity(2),
    shoal.models.LDiversity(1.5, kind="entropy"),
    shoal.models.TCloseness(0.9),
    shoal.models.AlphaK(0.9),
    shoal.models.LDiversity(2, column="s"),
]
MASKED = {
    "ranges": ["[5;6]", "[5;7]", "5", "6"],
    "digits": ["5", "5*", "51", "52"],
    "wildcard": ["5", "*", "6", "7"],
    "sets": ["{a;b}", "a", "b", "b"],
    "codes": ["A1", "A*", "B1", "B2"],
    "names": ["flu", "*", "cold", "cold"],
    "ranges among names": ["[a;b]", "[a;c]", "x", "y"],
}


def written(folder, cells, name="s"):
    (folder / "in.csv").write_text(f"a,{name}\n" + "".join(f"1,{cell}\n" for cell in cells), encoding="utf-8")
    return folder / "in.csv"


@pytest.mark.parametrize("engine", ENGINES)
@pytest.mark.parametrize("name", MASKED)
@pytest.mark.parametrize("model", MODELS, ids=lambda model: f"{model.name} {model.column or ''}")
def test_a_model_refuses_confidential_cells_that_stand_for_several_values(tmp_path, name, model, engine):
    table = shoal.read(written(tmp_path, MASKED[name]), engine=engine(), quasi=["a"], sensitive=["s"], masked=True)
    with pytest.raises(shoal.errors.SchemaError, match="'s' has cells that stand for several values"):
        shoal.models.check(table, [model])
    with pytest.raises(shoal.errors.SchemaError, match="'s' has cells that stand for several values"):
        shoal.anonymize(table, shoal.methods.SortedClusters(), [shoal.models.KAnonymity(2), model])


@pytest.mark.parametrize("engine", ENGINES)
@pytest.mark.parametrize("name", MASKED)
def test_columns_that_no_model_looks_at_may_hold_them(tmp_path, name, engine):
    table = shoal.read(written(tmp_path, MASKED[name]), engine=engine(), quasi=["a"], sensitive=["s"], masked=True)
    release = shoal.anonymize(table, shoal.methods.SortedClusters(), [shoal.models.KAnonymity(2)])
    found = release.to_arrow(cells="text").column("s").to_pylist()
    assert sorted(found) == sorted(MASKED[name])


def test_a_declared_category_may_not_pass_for_a_value_either(tmp_path):
    table = shoal.read(
        written(tmp_path, MASKED["ranges"]), quasi=["a"], sensitive=["s"], kinds={"s": "category"}
    )  # fmt: skip
    with pytest.raises(shoal.errors.SchemaError, match="several values"):
        shoal.models.check(table, [shoal.models.LDiversity(2)])


@pytest.mark.parametrize("engine", ENGINES)
def test_spans_of_a_frame_are_refused_too(engine):
    spans = pa.array([{"lo": 5, "hi": 6}, {"lo": 5, "hi": 7}])
    table = shoal.read(pa.table({"a": [1, 1], "s": spans}), engine=engine(), quasi=["a"], sensitive=["s"])
    with pytest.raises(shoal.errors.SchemaError, match="several values"):
        shoal.models.check(table, [shoal.models.LDiversity(2)])


@pytest.mark.parametrize("engine", ENGINES)
@pytest.mark.parametrize("cells", [["{a;b}", "a"], ["7*", "71"], ["*", "71"]])
def test_the_column_that_tells_people_apart_names_one_person_each(tmp_path, cells, engine):
    with pytest.raises(shoal.errors.DataError, match="'person' tells people apart"):
        shoal.read(written(tmp_path, cells, "person"), engine=engine(), quasi=["a"], subject="person", masked=True)


def test_exact_values_and_missing_ones_are_fine(tmp_path):
    table = shoal.read(written(tmp_path, ["5", "", "[6;6]", "7"]), quasi=["a"], sensitive=["s"])
    assert shoal.models.check(table, [shoal.models.LDiversity(3)])[0].holds
