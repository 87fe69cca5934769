"""The screen of the risk: what attackers find in a table that comes from a population of a size."""

from html import unescape

import pytest
from web.conftest import people


@pytest.fixture(scope="module")
def looked(house):
    visitor = house[1]().opened(people(60))
    visitor.get("/api/risk?wait=30")
    return lambda **asked: unescape(visitor.client.get("/risk", params=asked).text)


def test_without_a_population_the_table_is_the_worst_case(looked):
    page = looked()
    assert "Above 20%" in page
    assert "at most" in page
    assert "are alone in the population" not in page


def test_a_size_of_the_population_and_a_threshold_are_answered(looked):
    page = looked(people="6,000", threshold="public")
    assert "Above 9%" in page
    assert 'value="6,000"' in page
    assert "of 6,000 people are alone in the population" in page


@pytest.mark.parametrize(
    ("asked", "said"),
    [
        ({"people": "3"}, "at least as many people as the table has rows"),
        ({"people": "many"}, "at least as many people as the table has rows"),
        ({"threshold": "7"}, "A risk is above 0 and at most 1"),
    ],
)
def test_what_makes_no_sense_is_said_on_the_page(looked, asked, said):
    assert said in looked(**asked)
