"""The numbers of the paper's study that are kept here against those of a fresh run."""

from pathlib import Path

import pytest

from shoal.reproduction.case import Case
from shoal.reproduction.experiments import Experiments
from shoal.reproduction.keeping import differences, load

KEPT = Path(__file__).parents[2] / "reproduction"
RENEWED = "where this is meant, `make study` keeps the new numbers"


def compare(folder: str) -> None:
    """Make a study afresh from what the kept one was made from, and fail where a number differs."""
    made, kept = load(KEPT / folder / "study.json")
    case = Case.stand_in(made["records"], made["seed"])
    told = {name: made[f"SHA-256 of {name}"] for name in case.records.sha256}
    assert case.records.sha256 == told, f"other records are made than the kept numbers are about; {RENEWED}"
    kept.pop("repeats", None)  # which tables drawn anew gave, for twenty times as long
    found = list(differences(kept, Experiments(case).results()))
    assert not found, "\n".join([f"{len(found)} kept numbers differ; {RENEWED}", *found[:20]])


def test_the_reduced_study_gives_the_numbers_that_are_kept():
    compare("reduced")


@pytest.mark.large
def test_the_whole_study_gives_the_numbers_that_are_kept():
    compare("proper_anonymization")
