"""The made-up discharges of California in 2009 against the figures of the paper and of the state, at full length."""

import pytest

from shoal.datasets.discharges import ROWS, describe

pytestmark = pytest.mark.xdist_group("discharges")  # made once, however many processes there are


@pytest.fixture(scope="module")
def goals():
    return {goal.what: goal for goal in describe()}


def test_published_figures_are_near(goals):
    assert [goal for goal in goals.values() if goal.holds is False] == []
    assert len([goal for goal in goals.values() if goal.holds]) == 77


def test_the_goals_are_those_of_the_paper(goals):
    assert ROWS == 1_183_718 + 1_201_553 + 1_599_895
    assert len([what for what in goals if what.startswith("correlation of ")]) == 36
    assert goals["correlation of oshpd_id and patcnty"].goal == "0.811 ± 0.05"
    assert goals["unique by census, spatial, temporal features"].goal == "0.75 ± 0.02"
    assert goals["masked: race"].goal == "0.2691 ± 0.02"
    assert goals["masked: mean over nine columns"].goal == "0.2115 ± 0.03"
    assert goals["masked: still unique in the worst case"].measured < 0.006


def test_other_keys_do_not_lead_to_the_masked_counts(goals):
    """Table S3 does not say in which columns a record had to be unique: with fewer than nine, too few are masked."""
    races = [
        goal for what, goal in goals.items() if what.startswith("masked, key without ") and what.endswith(": race")
    ]
    assert len(races) == 3
    assert all(goal.holds is None and goal.measured < 0.2 for goal in races)


def test_whoever_knows_more_finds_more(goals):
    """Fig. S3."""
    shares = {what: goal.measured for what, goal in goals.items() if what.startswith("unique by ")}
    assert len(shares) == 7
    for what, share in shares.items():
        known = set(what.removeprefix("unique by ").removesuffix(" features").split(", "))
        for other, less in shares.items():
            if set(other.removeprefix("unique by ").removesuffix(" features").split(", ")) < known:
                assert less < share, (other, what)
