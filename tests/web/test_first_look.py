"""What the first screen shows of the example is what the workbench makes of it."""

import numpy as np
import pytest

import shoal
from shoal.datasets.patients import QUASI, SENSITIVE, write_patients
from shoal.measures.granularity import Granularity
from shoal.measures.random_reidentification import RandomReidentification
from shoal.measures.uniqueness import Uniqueness
from shoal.web.first_look import ALONE, CANDIDATES, COLUMNS, ROWS


@pytest.fixture(scope="module")
def patients(tmp_path_factory):
    file = tmp_path_factory.mktemp("example") / "patients.csv"
    write_patients(file)
    return shoal.read(file, quasi=QUASI, sensitive=SENSITIVE)


@pytest.mark.parametrize("method", CANDIDATES)
def test_candidates_of_the_first_screen_are_those_of_the_example(patients, method):
    for k, kept, risk in (CANDIDATES[method][3], CANDIDATES[method][-1]):
        release = shoal.anonymize(patients, method, k=k, measures=[RandomReidentification(), Granularity()])
        guess, coarse = release.scores
        assert (coarse.detail["utility"], guess.value) == pytest.approx((kept, risk), abs=5e-5)


def test_rows_and_risk_of_the_first_screen_are_those_of_the_example(patients):
    (alone,) = shoal.measures.score(patients, measures=[Uniqueness()])
    assert alone.value == ALONE
    released = shoal.anonymize(patients, "hilbert", k=5).table
    rows = np.arange(len(ROWS))
    for table, place in ((patients, 0), (released, 1)):
        cells = []
        for name in COLUMNS:
            low, high = table.cells((name,), rows)
            cells.append(table.schema[name].axis.render_all(low[:, 0], high[:, 0]))
        assert list(zip(*cells, strict=True)) == [row[place] for row in ROWS]
