"""What a class shows, and what that costs, on tables small enough to be worked by hand."""

import datetime

import numpy as np
import pyarrow as pa
import pytest

import shoal

# Two classes in the order of the table: rows 0 to 2 and rows 3 to 5.
COLUMNS = {
    "age": [10, 11, 15, 40, 44, 44],
    "share": [0.1, 0.1, 0.1, 0.5, 0.25, 0.75],
    "day": [datetime.date(2020, 1, day) for day in (1, 2, 9, 11, 12, 12)],
    "stage": ["low", "high", "low", "middle", "high", "high"],
    "town": ["b", "a", "b", "c", "a", "b"],
    "gap": [1, None, 3, None, None, None],
}
SHOWN = {
    "range": [
        ["[10;15]", "[0.1;0.1]", "[2020-01-01;2020-01-09]", "[low;high]", "{a;b}", "*"],
        ["[40;44]", "[0.25;0.75]", "[2020-01-11;2020-01-12]", "[middle;high]", "{a;b;c}", None],
    ],
    "mean": [
        ["12.0", "0.1", "2020-01-04", "low", "b", "*"],
        ["42.666666666666664", "0.5", "2020-01-12", "high", "a", None],
    ],
    "median": [["11.0", "0.1", "2020-01-02", "low", "b", "*"], ["44.0", "0.5", "2020-01-12", "high", "a", None]],
    "mode": [["10", "0.1", "2020-01-01", "low", "b", "*"], ["44", "0.25", "2020-01-12", "high", "a", None]],
}  # fmt: skip


def table_of(columns):
    orders = {"stage": ("low", "middle", "high")} if "stage" in columns else {}
    return shoal.read(pa.table(columns), quasi=list(columns), orders=orders)


@pytest.mark.parametrize("publish", SHOWN)
def test_what_a_class_shows(publish):
    table = table_of(COLUMNS)
    labels = np.array([0, 0, 0, 1, 1, 1], np.int32)
    released = table.generalize(labels, 2, publish)
    columns = released.to_arrow(cells="text").columns
    rows = list(zip(*(map(text, column.to_pylist()) for column in columns), strict=True))
    assert rows == [tuple(SHOWN[publish][row // 3]) for row in range(6)]


def text(value):
    return value if value is None or isinstance(value, str) else repr(value) if isinstance(value, float) else str(value)


def test_ranges_that_were_there_before_become_ranges_of_means():
    table = shoal.read(pa.table({"age": ["[10;20]", "[20;40]"]}), quasi="age")
    frame = shoal.anonymize(table, shoal.methods.MDAV("mean"), [shoal.models.KAnonymity(2)]).to_pandas(
        row_order="input"
    )
    assert frame["age"].tolist() == ["[15.0;30.0]"] * 2


def test_what_means_cost():
    """Ages 0, 2, 10, 12 shown as 1 and 11: each is 1 off; their variance is 104/3, and they are 104 from their mean."""
    table = table_of({"age": [0, 2, 10, 12]})
    measures = [
        shoal.measures.SumOfSquares(), shoal.measures.IL1s(), shoal.measures.InformationLoss(),
        shoal.measures.Discernibility(), shoal.measures.AverageClassSize(),
    ]  # fmt: skip
    release = shoal.anonymize(table, shoal.methods.MDAV("mean"), [shoal.models.KAnonymity(2)], measures=measures)
    spread = (104 / 3) ** 0.5
    assert [score.value for score in release.scores] == pytest.approx(
        [100 * 4 / 104, 1 / (2**0.5 * spread), 1 / spread, 8, 2]
    )


def test_what_categories_cost():
    """Of four records one shows another town than its own; showing the most frequent for all would cost two."""
    table = table_of({"town": ["a", "a", "b", "c"], "age": [1, 1, 9, 9]})
    measures = [shoal.measures.SumOfSquares(), shoal.measures.IL1s()]
    release = shoal.anonymize(table, shoal.methods.MDAV("mode"), [shoal.models.KAnonymity(2)], measures=measures)
    squares, absolute = release.scores
    assert squares.detail["per_attribute"] == {"town": 50.0, "age": 0.0}
    assert absolute.detail["per_attribute"] == {"town": 0.25, "age": 0.0}


def test_one_value_for_all_costs_everything():
    table = table_of({"age": [0, 2, 10, 12], "town": ["a", "a", "b", "c"]})
    release = shoal.anonymize(
        table, shoal.methods.MDAV("mean"), [shoal.models.KAnonymity(4)], measures=[shoal.measures.SumOfSquares()]
    )
    assert release.scores[0].value == pytest.approx(100)


def test_a_mean_that_is_written_like_a_mark_for_missing_values_is_still_a_mean(tmp_path):
    """Marks say what is missing in the original; in a release only the empty cell is."""
    (tmp_path / "in.csv").write_text("q,s\n4.0,1\n6.0,2\n,3\n,4\n", "utf-8")
    table = shoal.read(tmp_path / "in.csv", quasi="q", sensitive="s", missing=("5.0",))
    release = shoal.anonymize(table, shoal.methods.SortedClusters("mean"), [shoal.models.KAnonymity(2)])
    release.write(tmp_path / "out.csv")
    assert sorted((tmp_path / "out.csv").read_text("utf-8").split()) == [",3", ",4", "5.0,1", "5.0,2", "q,s"]
    shoal.verify(tmp_path / "out.csv", tmp_path / "out.certificate.json")
