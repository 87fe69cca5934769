"""What a notebook hands over by habit is understood, or refused in words: numbers of NumPy, names, odd frames."""

import json

import numpy as np
import pandas as pd
import polars as pl
import pytest

import shoal
from shoal.engines.local import Local
from shoal.schema import ReadOptions

TABLE = shoal.read(pl.DataFrame({"age": [30, 31, 50, 51], "ill": ["a", "b", "a", "b"]}), quasi="age", sensitive="ill")


def test_numbers_of_numpy_are_numbers(tmp_path):
    models = [
        shoal.models.KAnonymity(np.int64(2)),
        shoal.models.TCloseness(np.float64(0.9)),
        shoal.models.LDiversity(np.int32(2)),
    ]
    measures = [shoal.measures.Uniqueness(effort=np.int64(1000))]
    release = shoal.anonymize(
        TABLE, shoal.methods.Hilbert(quality=np.int8(1)), models, measures=measures, seed=np.int64(3)
    )
    assert [type(value) for value in (models[0].k, models[1].t, models[2].l, release.recipe.seed)] == [
        int,
        float,
        int,
        int,
    ]
    release.write(tmp_path / "out.csv")  # as text: a number of NumPy would not be written into a certificate
    assert json.loads((tmp_path / "out.certificate.json").read_text())["recipe"]["model"][0]["k"] == 2


@pytest.mark.parametrize(
    "make",
    [
        lambda: shoal.models.KAnonymity(np.bool_(True)),
        lambda: shoal.models.KAnonymity(True),
        lambda: shoal.models.KAnonymity("5"),
        lambda: shoal.models.TCloseness("0.1"),
        lambda: shoal.models.AlphaK(np.bool_(True)),
        lambda: shoal.methods.Coarsen(True),
        lambda: shoal.anonymize(TABLE, shoal.methods.Hilbert(), [shoal.models.KAnonymity(2)], seed="x"),
        lambda: shoal.anonymize(TABLE, shoal.methods.Hilbert(), [shoal.models.KAnonymity(2)], seed=True),
        lambda: shoal.anonymize(TABLE, "hilbret", [shoal.models.KAnonymity(2)]),
        lambda: shoal.anonymize(TABLE, shoal.methods.Hilbert, [shoal.models.KAnonymity(2)]),
        lambda: shoal.anonymize(TABLE, shoal.methods.Hilbert(), shoal.models.KAnonymity),
        lambda: shoal.anonymize(TABLE, shoal.methods.Hilbert(), 5),
        lambda: shoal.anonymize(TABLE, shoal.methods.Hilbert(), ["k-anonymity"]),
        lambda: shoal.anonymize(TABLE, None),
        lambda: shoal.read(pl.DataFrame({"a": [1]}), quasi=[("a", "b")]),
        lambda: shoal.read(pl.DataFrame({"a": [1]}), quasi=0),
        lambda: shoal.read(pl.DataFrame({"a": [1]}), quasi=["a"], subject=("a", "b")),
        lambda: shoal.read(pl.DataFrame({"a": [1]}), quasi=["a"], engine=5),
        lambda: shoal.read(pl.DataFrame({"a": [1]}), quasi=["a"], engine=Local),
        lambda: shoal.read(pl.DataFrame({"a": [1]}), options=5),
        lambda: shoal.read(pl.DataFrame({"a": [1]}), options=ReadOptions(), quasi=["a"]),
    ],
)
def test_what_is_none_is_refused_in_words(make):
    with pytest.raises(shoal.errors.ParameterError) as refused:
        make()
    assert refused.value.remedy


def test_a_method_may_be_named_and_a_model_may_stand_alone():
    named = shoal.anonymize(TABLE, "hilbert", shoal.models.KAnonymity(2))
    full = shoal.anonymize(TABLE, [shoal.methods.Hilbert()], [shoal.models.KAnonymity(2)])
    assert named.to_polars().equals(full.to_polars())
    assert named.recipe.to_toml() == full.recipe.to_toml()


@pytest.mark.parametrize(
    ("frame", "words"),
    [
        (pd.DataFrame({"n": [1, 2], "a": pd.arrays.SparseArray([7777, 0])}), "'a' is sparse"),
        (pd.DataFrame({"n": [1], "a": np.array([7777 + 2j])}), "'a' is of a type that Arrow does not have"),
        (pd.DataFrame({"a": pd.period_range("7777", periods=2)}), "'a' is of a type of pandas alone"),
        (pd.DataFrame({"a": pd.interval_range(7777, 7779)}), "'a' is of a type of pandas alone"),
        (pd.DataFrame({"n": [1, 2], "a": [1, "7777"]}), "'a' has values of several types"),
        (pd.DataFrame([[1, 2]], columns=pd.MultiIndex.from_tuples([("a", "b"), ("a", "c")])), "several parts"),
        (
            pl.DataFrame({"n": [1], "a": pl.Series([7777], dtype=pl.Int128)}),
            "'a' is of a type that Arrow does not have",
        ),
        (pl.DataFrame({"a": pl.Series([object()], dtype=pl.Object)}), "'a' holds objects of Python"),
    ],
)
def test_what_is_wrong_with_a_frame_is_said_of_the_column(frame, words):
    with pytest.raises(shoal.ShoalError, match=words) as refused:
        shoal.read(frame, quasi=["a"])
    assert refused.value.remedy
    assert "7777" not in str(refused.value)


def test_it_is_noted_that_row_labels_stay_behind():
    frame = pd.DataFrame({"a": range(10)})
    assert shoal.read(frame, quasi="a").origin.notes == ()
    for labelled in (frame.iloc[3:7], frame.set_index(pd.Index(list("abcdefghij"))), frame[::-1]):
        assert shoal.read(labelled, quasi="a").origin.notes == ("row labels of the frame left out",)
