"""The users of `make test-large` and of the benchmarks, on a small table: they do what browsers do, and are let in."""

import pytest
from load import loaded
from workbench import measured

from shoal.datasets.patients import write_patients


@pytest.mark.slow
def test_who_walks_to_a_release_of_a_large_file_gets_there_with_a_small_one(tmp_path):
    write_patients(tmp_path / "patients.csv")
    found = measured(str(tmp_path / "patients.csv"))
    assert {"columns exactly", "k = 5 exactly", "release"} <= found.seconds.keys()
    assert found.slider > 0


@pytest.mark.slow
def test_users_at_once_are_refused_nothing():
    found = loaded(2, 0.1)
    assert not found.seen.errors
    assert found.seen.seconds
