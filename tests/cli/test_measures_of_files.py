"""Measures asked for on the command line: of files that other tools changed, and of a file by itself."""

import numpy as np
import pyarrow as pa
import pyarrow.csv
import pytest
from golden.test_perturbation_measures import KNOWN, in_runs
from property.independent import columns_of


def test_a_file_of_means_is_compared_with_the_same_numbers(desk, public_file):
    """Its original has whole numbers only."""
    path = public_file("census/census.csv")
    columns = columns_of(path)
    changed = in_runs(np.array([list(map(float, cells)) for cells in columns.values()]).T)
    table = pa.table({name: changed[:, j] for j, name in enumerate(columns)})
    pyarrow.csv.write_csv(table, desk.folder / "runs.csv")
    measures = [
        f"--measure={name}" for name in ("distance-linkage", "eigenvalue-shift", "interval-disclosure deviations=0.01")
    ]
    asked = ["compare", str(path), "runs.csv", "--quasi", ",".join(columns), "--same-order"]
    (found,) = desk.run(*asked, *measures, "--json").json()["releases"]
    assert found["distance_linkage"] == pytest.approx(1079 / 1080)
    assert found["eigenvalue_shift"] == pytest.approx(KNOWN["runs"]["eigen"], abs=1e-7)
    assert found["interval_disclosure"] == pytest.approx(KNOWN["runs"]["narrow"], abs=5.1e-7)
    text = desk.run(*asked, *measures).fine().out
    assert "linked to their own record (nearest)" in text
    assert "99.91%" in text


def test_a_table_too_large_for_a_measure_is_refused_before_it_is_masked(desk):
    desk.put("people.csv", "age\n" + "\n".join(str(age) for age in range(5001)))
    done = desk.run(
        "anonymize", "people.csv", "--out", "out.csv", "--quasi", "age", "--k", "3", "--measure", "assignment-linkage"
    )
    done.refused(2, "at most 5,000 records", "distance-linkage")


def test_the_risk_of_a_file_names_the_few_columns_that_single_people_out(desk):
    desk.put("five.csv", "age,sex,state\n20,F,CA\n30,F,CA\n40,F,TX\n20,M,NY\n40,M,CA\n")
    asked = ["risk", "five.csv", "--quasi", "age,sex,state", "--measure", "column-screening threshold=0.5"]
    (found,) = desk.run(*asked, "--json").json()["scores"]
    assert found["value"] == 1
    assert sorted(each["columns"] for each in found["detail"]["minimal"]) == [
        ["age", "sex"], ["age", "state"], ["sex", "state"],
    ]  # fmt: skip
    assert "age, sex (100.00%)" in desk.run(*asked).fine().out
