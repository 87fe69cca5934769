"""Candidates: which are made next, in which slices, and which need not be tried."""

import polars as pl
import pytest
from web.conftest import people

from shoal.engines import read
from shoal.schema import Role
from shoal.web.cases.aims import AHEAD, Aim
from shoal.web.cases.search_plan import search_plan
from shoal.web.tasks import candidates
from shoal.web.tasks.estimates import SampledTable, interval
from shoal.web.tasks.messages import Candidate, CandidatesRequest, ImpossibleCandidate

CHOSEN, PINNED = Aim("mondrian", 5), Aim("hilbert", 50)
ROLES = {"patient_name": Role.IDENTIFIER, "age": Role.QUASI, "sex": Role.QUASI, "zip": Role.QUASI,
         "shoe": Role.PLAIN, "diagnosis": Role.SENSITIVE}  # fmt: skip


class Heard:
    """A reporter that keeps what it hears."""

    def __init__(self):
        self.steps, self.found = [], []

    def step(self, what, done=0, of=0, left=None):
        self.steps.append((done, of, left))

    def partial(self, found):
        self.found.append(found.candidate)


@pytest.fixture
def asking(tmp_path):
    """A way to ask for candidates of a small table."""
    (tmp_path / "people.csv").write_bytes(people(60))

    def ask(**more):
        return CandidatesRequest(
            file=tmp_path / "people.csv", name="people.csv", folder=tmp_path, roles=ROLES, **more
        )  # fmt: skip

    return ask


def test_what_is_on_the_screen_is_made_first_and_exactly():
    plan = search_plan(CHOSEN, [PINNED], {}, large=False)
    assert plan.now.exact == (CHOSEN, PINNED)
    assert {each.method for each in plan.ahead.exact[:2]} == set(AHEAD) - {"mondrian"}
    assert not plan.now.estimates
    assert not {CHOSEN, PINNED} & set(plan.ahead.exact)
    assert len(plan.ahead.exact) == len(CHOSEN.nearby()) - 2


def test_of_a_large_file_an_estimate_is_never_the_last_word_on_what_is_shown():
    known = {aim.key: {"sampled": 50_000} for aim in CHOSEN.nearby()}
    plan = search_plan(CHOSEN, [PINNED], known, large=True)
    assert plan.now.exact == (CHOSEN, PINNED)
    assert not plan.now.estimates
    assert not plan.ahead.estimates
    assert {each.method for each in plan.ahead.exact} == {"mondrian"}
    exact = {key: {"sampled": None} for key in known}
    assert not search_plan(CHOSEN, [PINNED], exact, large=True).ahead


def test_a_search_that_stops_for_others_goes_on_where_it_stopped(asking):
    wanted = [Aim(method, k) for k in (2, 3) for method in AHEAD]
    request, heard, slices = asking(exact=tuple(aim.asked for aim in wanted), seconds=1e-9), Heard(), 0
    while request is not None:
        request = request.rest(candidates.search(request, heard))
        slices += 1
    assert slices == len(wanted)
    assert [each.key for each in heard.found] == [aim.key for aim in wanted]
    assert [step[:2] for step in heard.steps if step[1]] == [(done, 6) for done in range(6)]
    assert [step[2] is None for step in heard.steps if step[1]] == [True] * 3 + [False] * 3


def test_more_different_values_than_there_are_need_not_be_tried(asking, monkeypatch):
    monkeypatch.setattr(candidates, "anonymize", None)
    aims = [Aim("hilbert", 2, "l-diversity", 4, "diagnosis")]
    heard = Heard()
    candidates.search(asking(exact=tuple(aim.asked for aim in aims)), heard)
    (found,) = heard.found
    assert isinstance(found, ImpossibleCandidate)
    assert found.impossible == "'diagnosis' has only 3 different values."


def test_estimates_are_made_of_a_sample_and_exact_ones_of_all_rows(asking, tmp_path):
    heard = Heard()
    (tmp_path / "people.csv").write_bytes(people(9000))
    one = (Aim("hilbert", 3).asked,)
    candidates.search(asking(estimates=one, exact=one, large=1, sample_rows=3000), heard)
    assert all(isinstance(each, Candidate) for each in heard.found)
    assert [each.sampled is None for each in heard.found] == [False, True]


@pytest.mark.parametrize("method", AHEAD)
@pytest.mark.parametrize("k", [2, 5, 10])
def test_intervals_of_estimates_hold_what_is_found_of_all_rows(asking, tmp_path, method, k):
    heard = Heard()
    (tmp_path / "people.csv").write_bytes(people(12_000))
    one = (Aim(method, k).asked,)
    candidates.search(asking(estimates=one, exact=one, large=1, sample_rows=3000), heard)
    estimate, exact = heard.found
    for name in ("guess", "kept"):
        low, high = getattr(estimate, f"{name}_interval")
        assert low <= getattr(estimate, name) <= high
        assert low <= getattr(exact, name) <= high
        assert getattr(exact, f"{name}_interval") is None


def test_an_average_risk_falls_where_a_larger_table_has_more_equal_people():
    """Of 64 people all are alike in eights; with eight times the rows, 64 of each hide in one group of their own."""
    sample = SampledTable(read(pl.DataFrame({"number": [n % 8 for n in range(64)]}), quasi=["number"]), 8 * 64)
    assert sample.equal == [(64, 1.0)]
    (low, high), kept = sample.intervals(0.2, 0.21, 0.4, lambda part: (0.2, 0.4))
    assert (low, high) == pytest.approx((0.9 / 64, 0.21), abs=1e-6)
    assert kept == (0.4, 1.0)


def test_an_estimate_has_no_interval_where_a_part_of_the_sample_has_too_few_rows(asking, tmp_path):
    heard = Heard()
    (tmp_path / "people.csv").write_bytes(people(300))
    candidates.search(asking(estimates=(Aim("mondrian", 80).asked,), large=1), heard)
    assert [(each.sampled > 0, each.kept_interval) for each in heard.found] == [(True, None)]


def test_parts_of_a_sample_are_made_of_pieces_from_all_over_it():
    table = read(pl.DataFrame({"number": range(640)}), quasi=["number"])
    parts = [part.to_arrow()["number"].to_pylist() for part in SampledTable(table, 640).parts]
    assert sorted(number for part in parts for number in part) == list(range(640))
    assert parts[1] == [number for number in range(640) if number // 10 % 5 == 1]


def test_intervals_are_wider_the_more_parts_differ_and_the_more_rows_there_are():
    even, uneven = interval(0.5, [0.5] * 5, 3.0), interval(0.5, [0.45, 0.5, 0.5, 0.5, 0.55], 3.0)
    assert even == (0.5, 0.5)
    half = 2.776 * (0.005 / 4) ** 0.5 / 5**0.5
    assert uneven == pytest.approx((0.5 - half, 0.5 + half), abs=1e-5)
    assert interval(0.4, [0.5] * 4, 3.0) == pytest.approx((0.25, 0.4))  # it went down by 0.05 a doubling
    assert interval(0.99, [0.5] * 5, 9.0)[1] == 1
