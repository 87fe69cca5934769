"""Minimality: what shoal's methods tell by which classes they merge, and a method that tells nothing."""

import itertools

import numpy as np
import polars as pl
import pytest

import shoal
from shoal.errors import GuaranteeError, ParameterError
from shoal.models import KAnonymity, LDiversity, TCloseness

# Eight people of whom two with the same value have the rare secret.
PEOPLE = pl.DataFrame({"a": [1, 1, 2, 2, 3, 3, 4, 4], "ill": ["no", "no", "no", "no", "hiv", "no", "hiv", "hiv"]})
ROLES = {"quasi": ["a"], "sensitive": ["ill"], "kinds": {"a": "integer"}}


def attacked(method, people=PEOPLE, **more):
    table = shoal.read(people, **ROLES)
    release = shoal.anonymize(table, method, [KAnonymity(2), LDiversity(2)])
    found = shoal.attack(table, release, attacks=shoal.attacks.Minimality(worlds=1000), **more)
    return table, release, found["attacks"]


def test_merging_only_what_fails_tells_who_failed():
    """Classes show a third where the worlds that give them leave certainty."""
    _, release, (guess, certain) = attacked("hilbert")
    assert sorted(release.to_polars(cells="text")["a"].unique()) == ["[1;4]", "[3;3]"]
    assert guess["detail"]["worlds"] == 15 * 2
    assert certain["rate"] == 6 / 8  # the two with a 4, and so the four with 1 and 2 who have nothing
    assert certain["control"] == 0
    assert guess["rate"] == pytest.approx((6 * 1 + 2 / 2) / 8)
    assert guess["control"] == pytest.approx((2 * 2 / 6 + 4 * 4 / 6 + 2 / 2) / 8)


def test_classes_that_do_not_see_secrets_tell_no_more_than_they_show():
    for rare in itertools.combinations(range(8), 3):
        people = PEOPLE.with_columns(pl.Series("ill", ["hiv" if i in rare else "no" for i in range(8)]))
        _, release, (guess, certain) = attacked("secret-blind", people)
        assert release.holds
        assert certain["rate"] == certain["control"] == 0
        assert abs(guess["rate"] - guess["control"]) < 0.15


@pytest.mark.parametrize("method", ["hilbert", "mondrian", "mdav", "sorted-clusters"])
def test_it_keeps_every_promise_by_size_alone(method):
    generator = np.random.default_rng(1)
    frame = pl.DataFrame({"a": generator.integers(0, 50, 200), "ill": generator.integers(0, 6, 200)})
    table = shoal.read(frame, **ROLES)
    blind = shoal.methods.SecretBlind(method)
    release = shoal.anonymize(table, blind, [KAnonymity(3), LDiversity(3), TCloseness(0.4)])
    assert release.holds
    # Whatever the secrets are, classes of that size are the same.
    size = int(release.verdicts[0].level)
    assert size >= 3
    other = shoal.read(frame.with_columns(pl.col("ill").shuffle(seed=4)), **ROLES)
    again = shoal.anonymize(other, blind, [KAnonymity(3), LDiversity(3), TCloseness(0.4)])
    if int(again.verdicts[0].level) == size:
        assert again.table.to_polars(cells="text")["a"].equals(release.table.to_polars(cells="text")["a"])


def test_what_cannot_be_kept_is_refused():
    with pytest.raises(GuaranteeError, match="l-diversity cannot be kept"):
        shoal.anonymize(PEOPLE, "secret-blind", LDiversity(3), k=2, **ROLES)
    for method in ("coarsen", "secret-blind", "no-method", 3):
        with pytest.raises(ParameterError):
            shoal.methods.SecretBlind(method)
    with pytest.raises(ParameterError):
        shoal.attacks.Minimality(worlds=0)


def test_it_needs_to_know_how_a_release_was_made():
    table = shoal.read(PEOPLE, **ROLES)
    release = shoal.anonymize(table, k=2)
    (lacking,) = shoal.attack(table, release.to_polars(cells="text"), attacks="minimality")["not_tried"]
    assert "how the release was made" in lacking["why"]


def test_where_worlds_are_too_many_classes_are_assigned_anew_one_by_one():
    """Of the example above fewer runs than worlds: who has a 4 has the rare secret in all that are possible."""
    table = shoal.read(PEOPLE, **ROLES)
    release = shoal.anonymize(table, "hilbert", [KAnonymity(2), LDiversity(2)])
    guess = shoal.attack(table, release, attacks=shoal.attacks.Minimality(worlds=29)).successes[0]
    assert guess.detail["runs"] == 29
    assert guess.rate == pytest.approx(7 / 8, abs=0.1)
    assert guess.rate > guess.control + 0.2


@pytest.mark.parametrize(("method", "models", "tells"), [
    ("mondrian", [KAnonymity(2), LDiversity(2)], True),
    ("hilbert", [KAnonymity(3)], False),
    ("secret-blind", [KAnonymity(3), LDiversity(2)], False),
])  # fmt: skip
def test_what_classes_tell_of_larger_tables_is_found_within_bounds(method, models, tells):
    """Classes that do not see secrets are possible however these are assigned, so that nothing more is learned."""
    draw = np.random.default_rng(5)
    people = pl.DataFrame({"a": draw.integers(0, 200, 600), "ill": draw.choice(list("xxxxxxxxy"), 600)})
    table = shoal.read(people, **ROLES)
    release = shoal.anonymize(table, method, models)
    found = shoal.attack(table, release, attacks=shoal.attacks.Minimality(worlds=100))["attacks"]
    guess = found[0]
    assert guess["low"] <= guess["residual"] <= guess["high"]
    if tells:
        assert guess["low"] > 0.01
    else:
        assert guess["detail"]["classes"] == guess["detail"]["of_classes"]
        assert abs(guess["residual"]) < 0.02
        assert found[1]["residual"] < 0.02
