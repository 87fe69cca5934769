"""The comparison of differential privacy with k-anonymity: what is kept, what must hold, and what its page says."""

import json
from itertools import pairwise
from pathlib import Path

import numpy as np
import pytest

from shoal.measures.query_error import QueryError
from shoal.private.mechanisms import NoiseMechanism
from shoal_paper.reproduction.kept_results import differences, load
from shoal_paper.reproduction.privacy import experiment
from shoal_paper.reproduction.privacy.experiment import COARSE, EPSILONS, FEW, FINE, KINDS, QUERIES, nearest, table_of
from shoal_paper.reproduction.privacy.publish import publish

pytest.importorskip("opendp")

KEPT = Path(__file__).parents[2] / "reproduction" / "privacy"
ROWS = 1500


@pytest.fixture(scope="module")
def found():
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(experiment, "ROUNDS", 1)
        patch.setattr(experiment, "QUERIES", 40)
        return experiment.results(ROWS, 2009)


def test_everything_is_asked_of_everything(found):
    rows = found["errors"]
    assert len(rows) == len(KINDS) * (2 + len(EPSILONS) * (2 + 2))
    assert {row["data"] for row in rows} >= {"hilbert, k = 5", "sorted-clusters, k = 5", "private-averages"}
    assert all(row["relative"] >= 0 and 0 <= row["of_all"] <= 1 for row in rows)


def test_answers_from_a_budget_get_worse_with_questions_and_better_with_epsilon():
    rows = load(KEPT / "study.json")[1]["errors"]
    answers = {(r["queries"], r["asked"], r["epsilon"]): r["of_all"] for r in rows if r["data"].endswith("answers")}
    for kind in KINDS:
        for low, high in pairwise(EPSILONS):
            for asked in (FEW, QUERIES):
                assert answers[kind.name, asked, low] > 3 * answers[kind.name, asked, high]
        # Noise of each of 50 times as many answers is the root of that wider.
        ratio = answers[kind.name, QUERIES, 0.1] / answers[kind.name, FEW, 0.1]
        assert 0.5 < ratio / (QUERIES / FEW) ** 0.5 < 2


def test_the_kept_errors_of_k_anonymous_releases_come_out_again():
    made, kept = load(KEPT / "study.json")
    table = table_of(made["records"], made["seed of the records"])
    classes = [row for row in kept["errors"] if row["epsilon"] is None]
    fresh = list(experiment._of_classes(table))
    assert list(differences({"errors": classes}, {"errors": fresh})) == []


def test_the_kept_errors_of_noise_come_out_again_but_for_chance():
    """Means of many draws of known scale: the expected error of Gaussian noise is its scale times the root of 2/π."""
    made, kept = load(KEPT / "study.json")
    for row in kept["errors"]:
        if row["data"] == f"{QUERIES} answers" and row["epsilon"] < 10:
            scale = (QUERIES / (2 * experiment.rho_of(row["epsilon"]))) ** 0.5
            assert row["of_all"] * made["records"] == pytest.approx(scale * (2 / np.pi) ** 0.5, rel=0.1)


def test_what_is_nearest_is_found_among_what_could_be_had():
    kept = load(KEPT / "study.json")[1]
    assert nearest(kept, "coarse", 1.0, FEW)["data"] == f"{FEW} answers"
    assert nearest(kept, "fine", 0.1, QUERIES)["data"] == "hilbert, k = 5"
    assert nearest(kept, "fine", 10.0, QUERIES)["data"] == f"{QUERIES} answers"


def test_queries_hold_about_as_many_as_they_should():
    table = table_of(3000, 2009)
    for kind in (COARSE, FINE):
        detail = kind.measure.score(table, table).detail
        assert 0.5 < detail["mean_selectivity"] / kind.selectivity < 10  # some values are frequent


def test_counts_of_the_measure_are_those_that_its_score_is_made_of():
    table = table_of(500, 1)
    measure = QueryError(queries=20)
    true, guessed = measure.counts(table, table)
    assert np.array_equal(true, guessed)
    assert true.size == 20
    assert measure.score(table, table).value == 0


def test_classes_of_private_averages_are_as_large_as_the_noise_asks_for():
    for rho in (0.005, 0.5, 50):
        size = experiment.class_size(1_000_000, rho)
        noise = (1_000_000 / size) ** 0.5 / (size * (2 * rho / len(experiment.DOMAINS)) ** 0.5)
        assert noise == pytest.approx(experiment.SPREAD, rel=0.02)


def test_the_page_says_what_was_found_and_what_both_can_sign(found, tmp_path):
    publish(found, {"records": ROWS}, tmp_path)
    page = (tmp_path / "report.html").read_text(encoding="utf-8")
    for said in (
        "What both sides can sign",
        "Only one of the two can be proved from a file",
        "private-tree",
        "ρ = ε²/2",
    ):
        assert said in page
    assert json.loads((tmp_path / "study.json").read_text(encoding="utf-8"))["made"]["records"] == ROWS
    assert (tmp_path / "figure.svg").read_text(encoding="utf-8").count("</svg>")


def test_noise_is_that_of_composition(monkeypatch):
    """Each of q answers from a budget of ρ costs ρ/q, so its noise has the variance q/2ρ."""
    scales = []
    monkeypatch.setattr(NoiseMechanism, "added", lambda self, numbers: scales.append(self.scale) or list(numbers))
    monkeypatch.setattr(experiment, "ROUNDS", 1)
    rows = list(experiment._of_answers(table_of(1000, 1)))
    assert all(row["relative"] == 0 for row in rows)
    expected = [
        (asked / (2 * experiment.rho_of(e))) ** 0.5 for _ in KINDS for e in EPSILONS for asked in (FEW, QUERIES)
    ]
    assert scales == pytest.approx(expected)
