"""What a study says it was made from: the same records, code and seeds are told by the same words everywhere."""

import hashlib
import json

import numpy as np
import pytest

import shoal
from shoal_paper.datasets.discharges import discharges, write
from shoal_paper.reproduction import provenance as told
from shoal_paper.reproduction.case import Case
from shoal_paper.reproduction.experiments import Experiments
from shoal_paper.reproduction.records import Records
from shoal_paper.reproduction.setting import DISCHARGES

ROWS = 300


@pytest.fixture(scope="module")
def records():
    return Records.of(discharges(ROWS))


def test_a_table_is_told_by_its_records_and_not_by_its_file(records, tmp_path):
    write(tmp_path / "one.csv", ROWS)
    write(tmp_path / "other.parquet", ROWS)
    for name in ("one.csv", "other.parquet"):
        again = Records.of(shoal.read(tmp_path / name, options=DISCHARGES.options))
        assert again.sha256 == records.sha256
    assert records.sha256["truth"] == hashlib.sha256((tmp_path / "one.csv").read_bytes()).hexdigest()
    assert len(set(records.sha256.values())) == 3
    assert Records.of(discharges(ROWS), seed=1).sha256["SPD"] != records.sha256["SPD"]


def test_a_study_says_all_that_its_numbers_depend_on(records):
    found = told.provenance(Case(records, made_up=True), 2009)
    assert found["records"] == ROWS
    assert (found["data"], found["seed"], found["seed of regeneration"]) == ("stand-in", 2009, 0)
    assert (found["kind of table"], found["secret"]) == ("discharges", "charge > 100000")
    assert told.provenance(Case(records), 2009)["seed"] is None  # nothing was drawn of records that are given
    assert [found[f"SHA-256 of {name}"] for name in ("truth", "PD", "SPD")] == list(records.sha256.values())
    assert f"numpy {np.__version__}" in str(found["libraries"]).split(", ")
    assert all(isinstance(value, (str, int, type(None))) for value in found.values())
    assert json.loads(json.dumps(found)) == found


def test_the_digest_of_the_code_is_that_of_a_list_of_its_files(tmp_path, monkeypatch):
    monkeypatch.setattr(told, "_PACKAGES", (tmp_path / "src" / "fish", tmp_path / "paper" / "sea"))
    sources = ("fish/b.py", "fish/kernels/a.c", "sea/a.py")
    for name in (*sources, "fish/kernels/_native.so", "fish/__pycache__/b.pyc"):
        path = tmp_path / ("src" if name.startswith("fish") else "paper") / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(name)
    lines = [f"{hashlib.sha256(name.encode()).hexdigest()}  {name}\n" for name in sources]
    assert told.code_sha256.__wrapped__() == hashlib.sha256("".join(lines).encode()).hexdigest()


def test_code_outside_a_checkout_names_no_commit(tmp_path, monkeypatch):
    monkeypatch.setattr(told, "_PACKAGES", (tmp_path / "site-packages" / "shoal",))
    assert told._commit() is None


def test_results_of_other_code_or_other_records_are_not_taken_for_these(records, tmp_path, monkeypatch):
    """Numbers that were kept once and are no longer what the code gives would be wrong without a sign of it."""
    monkeypatch.setattr(Experiments, "steps", property(lambda self: {"masking": (1, self.masking)}))
    first = Experiments(Case(records), tmp_path)
    found = first.results()
    kept = next(tmp_path.glob("masking-*.json"))
    kept.write_text(json.dumps([{"spoilt": True}]))
    assert first.results()["masking"] == [{"spoilt": True}]  # as long as nothing has changed
    assert Experiments(Case(Records.of(discharges(ROWS), seed=1)), tmp_path).results()["masking"] != [{"spoilt": True}]
    monkeypatch.setattr("shoal_paper.reproduction.experiments.code_sha256", lambda: "other code")
    assert first.results() == found
