"""The made-up patients of the first screen and of the tutorial: what everybody sees first must be believable."""

import polars as pl

from shoal.datasets.patients import write_patients


def test_only_women_of_an_age_to_do_so_give_birth(tmp_path):
    write_patients(path := tmp_path / "patients.csv")
    births = pl.read_csv(path).filter(pl.col("diagnosis") == "birth")
    assert births.height > 20
    assert set(births["sex"]) == {"female"}
    assert births["age"].is_between(15, 49).all()
