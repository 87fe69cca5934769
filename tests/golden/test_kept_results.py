"""The numbers of the paper's study that are kept here against those of a fresh run."""

from pathlib import Path

import pytest

from shoal_paper.reproduction.case import Case
from shoal_paper.reproduction.experiments import Experiments
from shoal_paper.reproduction.kept_results import differences, load
from shoal_paper.reproduction.setting import Setting

KEPT = Path(__file__).parents[2] / "reproduction"
RENEWED = "where this is meant, `make study` keeps the new ones"


def compare(folder: str, public: Path | None = None) -> None:
    """Make a study afresh from what the kept one was made from, and fail where a number differs."""
    made, kept = load(KEPT / folder / "study.json")
    if public is None:
        case = Case.stand_in(made["records"], made["seed"])
    else:
        case = Case.read(public, Setting.load(KEPT / f"{folder}.toml"))
    told = {name: made[f"SHA-256 of {name}"] for name in case.records.sha256}
    assert case.records.sha256 == told, f"these are not the records that the kept numbers are about; {RENEWED}"
    kept.pop("repeats", None)  # what tables drawn anew gave, which takes many times as long
    found = list(differences(kept, Experiments(case).results()))
    assert not found, "\n".join([f"{len(found)} numbers are not those that are kept; {RENEWED}", *found[:20]])


def test_the_reduced_study_gives_the_numbers_that_are_kept():
    compare("reduced")


@pytest.mark.large
def test_the_whole_study_gives_the_numbers_that_are_kept():
    compare("proper_anonymization")


@pytest.mark.large
@pytest.mark.parametrize(("name", "place"), [("adult", "adult/adult.csv"), ("nhds", "hospital/nhds2010_sample20k.csv")])
def test_public_tables_give_the_numbers_that_are_kept(public_file, name, place):
    compare(name, public_file(place))
