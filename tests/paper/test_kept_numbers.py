"""Kept numbers of a study against others: nothing that differs is overlooked, and nothing else is told."""

import json

import pytest

from shoal.errors import DataError
from shoal_paper.reproduction.kept_results import as_json, differences, load

LOSS = {"label": "k = 2", "family": "k-anonymity", "measure": "information-loss", "value": 0.3140425}
KEPT = {"comparison": [LOSS, LOSS | {"label": "k = 3"}], "masking": [{"column": "race", "value": None, "total": 3}]}


def changed(step: str, number: int, **cells: object) -> dict[str, list[dict[str, object]]]:
    found = json.loads(json.dumps(KEPT))
    found[step][number] |= cells
    return found


def test_what_is_written_is_read_again_and_does_not_differ(tmp_path):
    made = {"data": "Spitäler", "seed": None, "records": 3}
    (tmp_path / "study.json").write_text(as_json(made, {**KEPT, "none": []}), encoding="utf-8")
    assert load(tmp_path / "study.json") == (made, {**KEPT, "none": []})
    assert list(differences(KEPT, load(tmp_path / "study.json")[1])) == ["none: not kept"]


def test_a_number_that_moved_is_told_by_its_step_and_row():
    (told,) = differences(KEPT, changed("comparison", 1, value=0.3140431))
    assert told == (
        "comparison, row 2 (k = 3, k-anonymity, information-loss): value is kept as 0.3140425 and was measured as "
        "0.3140431"
    )


@pytest.mark.parametrize(
    "cells",
    [
        {"value": 0.3140425 * (1 + 2e-9)}, {"value": None}, {"value": "0.3140425"}, {"value": float("nan")},
        {"value": True}, {"label": "k = 5"}, {"more": 1},
    ],
)  # fmt: skip
def test_whatever_else_is_measured_differs(cells):
    assert len(list(differences(KEPT, changed("comparison", 0, **cells)))) == 1
    assert len(list(differences(changed("comparison", 0, **cells), KEPT))) == 1


@pytest.mark.parametrize("cells", [{"value": 0.3140425 * (1 + 1e-10)}, {"seconds": 7}, {"detail": None}])
def test_last_digits_and_times_do_not_count(cells):
    assert list(differences(KEPT, changed("comparison", 0, **cells))) == []


def test_numbers_inside_a_cell_count_too():
    inside = {"ci": [0.5, {"low": 0.1}]}
    assert list(differences(changed("masking", 0, **inside), changed("masking", 0, **inside))) == []
    other = {"ci": [0.5, {"low": 0.2}]}
    assert len(list(differences(changed("masking", 0, **inside), changed("masking", 0, **other)))) == 1


def test_rows_and_steps_that_are_missing_are_told():
    fewer = {"comparison": KEPT["comparison"][:1], "people": []}
    assert list(differences(KEPT, fewer)) == [
        "comparison: 2 rows are kept, 1 were measured", "masking: no longer measured", "people: not kept",
    ]  # fmt: skip


@pytest.mark.parametrize("content", ["", "[]", '{"made": {}}', "\xff"])
def test_what_is_no_study_is_refused(tmp_path, content):
    (tmp_path / "study.json").write_bytes(content.encode("latin-1"))
    with pytest.raises(DataError, match="is not the study"):
        load(tmp_path / "study.json")
    with pytest.raises(DataError, match="cannot be read"):
        load(tmp_path / "missing.json")
