"""Top and bottom coding: which values become one, what is published for them, and how a release is read again."""

import datetime

import polars as pl
import pytest
from engines.pools import Memory
from engines.tiny import Tiny

import shoal
from shoal.engines.parts.engine import PartsEngine
from shoal.errors import ParameterError
from shoal.methods import CodeExtremes, Hilbert

AGES = [18, 19, 20, 20, 21, 90, 95, None]


def coded(method, values=AGES, **read):
    frame = pl.DataFrame({"age": values})
    release = shoal.anonymize(frame, method, [], no_promise=True, quasi="age", allow_identifiers="age", **read)
    shown = release.table.to_polars(cells="text")["age"].to_list()
    return ["" if cell is None else str(cell) for cell in shown]


@pytest.mark.parametrize(
    ("method", "shown"),
    [
        (CodeExtremes(top={"age": 90}), "18 19 20 20 21 [90;95] [90;95] "),
        (CodeExtremes(top={"age": 88}), "18 19 20 20 21 [88;95] [88;95] "),
        (CodeExtremes({"age": 90}, {"age": 19}, publish="value"), "19 19 20 20 21 90 90 "),
        (CodeExtremes({"age": 88}, {"age": 19}, publish="value"), "19 19 20 20 21 88 88 "),
        (CodeExtremes({"age": 90}, {"age": 19}, publish="mean"), "18 18 20 20 21 92 92 "),  # 92.5, to even
        (CodeExtremes({"age": 21}, publish="mean"), "18 19 20 20 69 69 69 "),  # 206 / 3
        (CodeExtremes({"age": 90}, {"age": 19}, publish="text"), "up_to_19 up_to_19 20 20 21 90+ 90+ "),
        (
            CodeExtremes({"age": 90}, publish="text", top_text={"age": "very old"}),
            "18 19 20 20 21 very_old very_old ",
        ),
        (CodeExtremes(least=3), "[18;20] [18;20] [18;20] [18;20] [21;95] [21;95] [21;95] "),
        (CodeExtremes(least=3, publish="text"), "up_to_20 up_to_20 up_to_20 up_to_20 21+ 21+ 21+ "),
        (CodeExtremes(least=7), "[18;95] [18;95] [18;95] [18;95] [18;95] [18;95] [18;95] "),
    ],
)
def test_ends_of_a_column_are_coded(method, shown):
    assert [cell.replace(" ", "_") for cell in coded(method)] == shown.split(" ")


def test_numbers_and_days_have_limits_that_nobody_has():
    numbers = [0.5, 1.25, 2.0, 7.5, 9.25]
    assert coded(CodeExtremes({"age": 3}, publish="value"), numbers) == ["0.5", "1.25", "2.0", "3.0", "3.0"]
    assert coded(CodeExtremes({"age": 3}, publish="mean"), numbers) == ["0.5", "1.25", "2.0", "8.375", "8.375"]
    assert coded(CodeExtremes({"age": 3}, publish="text"), numbers) == ["0.5", "1.25", "2.0", "3+", "3+"]
    days = [datetime.date(2020, 1, 1), datetime.date(2020, 3, 1), datetime.date(2021, 5, 1), datetime.date(2021, 5, 3)]
    top = {"age": "2021-01-01"}
    assert coded(CodeExtremes(top, publish="text", top_text={"age": "later"}), days)[1:] == [
        "2020-03-01",
        "later",
        "later",
    ]
    assert coded(CodeExtremes(top, publish="mean"), days)[2] == "2021-05-02"
    many = [3_000_000_000 + i for i in range(4)]
    assert coded(CodeExtremes({"age": 3_000_000_002}, publish="text"), many)[2:] == ["3000000002+"] * 2


@pytest.mark.parametrize(
    "wrong",
    [
        {"top": {"age": "old"}}, {"top": {"age": 19}, "bottom": {"age": 30}}, {"top": 3}, {"least": 1},
        {"publish": "median"}, {"least": 7, "publish": "mean"}, {"top": {"age": 90}, "top_text": {"age": "90+"}},
        {"top": {"age": 90}, "publish": "text", "top_text": {"age": "90-"}},
        {"top": {"age": 90}, "publish": "text", "top_text": {"age": "[90"}},
        {"top": {"age": 90}, "publish": "text", "top_text": {"age": " 90+"}},
    ],
)  # fmt: skip
def test_ends_that_make_no_sense_are_refused(wrong):
    with pytest.raises(ParameterError):
        coded(CodeExtremes(**wrong))


def test_categories_have_no_mean_and_no_text():
    read = {"orders": {"age": ["low", "middle", "high"]}}
    values = ["low", "low", "middle", "high"]
    assert coded(CodeExtremes({"age": "middle"}), values, **read)[2:] == ["[middle;high]"] * 2
    assert coded(CodeExtremes({"age": "middle"}, publish="value"), values, **read)[2:] == ["middle"] * 2
    for publish in ("mean", "text"):
        with pytest.raises(ParameterError, match="categories"):
            coded(CodeExtremes({"age": "middle"}, publish=publish), values, **read)


@pytest.fixture
def patients():
    return pl.DataFrame(
        {
            "age": [34, 35, 36, 61, 62, 63, 90, 91, 97, 103, 88, 89],
            "pay": [1.5, 2.5, 80.0, 3.5, 4.5, 5.5, 6.5, 7.5, 8.5, 9.5, 90.0, 100.5],
            "ill": ["flu", "cold", "none"] * 4,
        }
    )


METHODS = (
    CodeExtremes({"age": 90, "pay": 50}, {"age": 35}, publish="text", bottom_text={"age": "under 36"}),
    Hilbert(),
)


@pytest.mark.parametrize("suffix", ["csv", "parquet"])
def test_a_release_with_texts_is_proved_from_its_file(patients, tmp_path, suffix):
    patients.write_csv(tmp_path / "in.csv")
    release = shoal.anonymize(tmp_path / "in.csv", METHODS, k=2, quasi=["age", "pay"], sensitive=["ill"])
    place, papers = tmp_path / f"out.{suffix}", (tmp_path / "out.json", tmp_path / "private.json")
    written = release.write(place, certificate=papers[0], private=papers[1])
    assert written.content["output"]["stands_for"] == {
        "age": {"90+": "90", "under 36": "35"}, "pay": {"50+": "50.0"},
    }  # fmt: skip
    assert shoal.verify(place, papers[0]).holds
    assert shoal.verify(place, papers[0], private=papers[1], original=tmp_path / "in.csv").holds
    shown = release.to_polars(cells="text")["age"].to_list()
    assert any("90+" in cell for cell in shown)
    assert any("under 36" in cell for cell in shown)
    assert not any(old in cell for cell in shown for old in ("91", "97", "103", "34"))


def test_coded_ends_are_the_same_on_every_engine(patients):
    tables = [
        shoal.read(patients, quasi=["age", "pay"], sensitive=["ill"], **more)
        for more in ({}, {"engine": Tiny()}, {"engine": PartsEngine(Memory(), 5)})
    ]
    for publish in ("value", "mean", "text"):
        ways = (CodeExtremes({"age": 90}, {"pay": 3}, publish=publish), Hilbert())
        texts = [shoal.anonymize(table, ways, k=3).to_polars(cells="text").rows() for table in tables]
        assert texts[0] == texts[1] == texts[2]
