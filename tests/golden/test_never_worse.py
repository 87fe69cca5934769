"""On real tables, the default method loses no more than others, and no more when it is asked for less.

The first records of UCI Adult and of the US hospital discharges of 2010, with secrets of few ordered values.
"""

from itertools import pairwise

import polars as pl
import pytest

import shoal

ROWS = 800


@pytest.fixture(scope="module")
def adult(public_file):
    frame = pl.read_csv(public_file("adult/adult_int.csv"), separator=";").head(ROWS)
    return shoal.read(frame, quasi=["sex", "age", "race", "marital-status", "occupation"], sensitive=["education"])


@pytest.fixture(scope="module")
def stays(public_file):
    path = public_file("hospital/nhds2010_sample20k.csv")
    frame = pl.read_csv(path, infer_schema_length=None).head(ROWS).with_columns(pl.col("care_days").clip(0, 9))
    return shoal.read(frame, quasi=["age", "sex", "race", "dc_month", "region"], sensitive=["care_days"])


def lost(table, method, k, model):
    released = method.apply(table, [shoal.models.KAnonymity(k), model], 0)
    return shoal.score(table, released, measures=[shoal.measures.InformationLoss()])[0].value


@pytest.mark.parametrize("name", ["adult", "stays"])
@pytest.mark.parametrize(
    "model", [shoal.models.TCloseness(0.15), shoal.models.TCloseness(0.25), shoal.models.LDiversity(3)], ids=repr
)
def test_others_lose_more_and_asking_for_less_loses_less(name, model, request):
    table = request.getfixturevalue(name)
    losses = [lost(table, shoal.methods.Hilbert(), k, model) for k in (2, 5, 10)]
    assert all(less <= 1.005 * more for less, more in pairwise(losses))
    others = (
        shoal.methods.Mondrian(),
        shoal.methods.MDAV(),
        shoal.methods.KAnonymityFirst(),
        shoal.methods.TClosenessFirst(),
    )
    assert losses[1] <= 1.01 * min(lost(table, method, 5, model) for method in others)
