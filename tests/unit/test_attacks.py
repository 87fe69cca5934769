"""Attacks on releases: brute force on small random tables, and what they say and lack."""

import numpy as np
import polars as pl
import pytest
from engines.pools import Memory

import shoal
from shoal.attacks.residual import Rate, residual
from shoal.engines.parts.engine import PartsEngine
from shoal.errors import DataError, ParameterError, SchemaError


def test_an_interval_is_that_of_wilson_and_its_error_goes_into_the_residual():
    rate, control = Rate(0.23, 100), Rate(0.1, 400)
    assert (rate.middle, rate.half) == pytest.approx((0.23998824451588613, 0.08155558571285167), abs=1e-15)
    left, low, high = residual(rate, control)
    error = ((rate.half / 0.9) ** 2 + (control.half * (0.23 - 1) / 0.81) ** 2) ** 0.5
    assert (left, low, high) == pytest.approx((0.13 / 0.9, 0.13 / 0.9 - error, 0.13 / 0.9 + error))
    assert residual(rate, None) == residual(rate, Rate(1.0)) == (None, None, None)


def test_distances_that_differ_by_rounding_alone_are_ties():
    """0.3 + 0.3 is as far as 0.2 + 0.3 + 0.1: nobody is told from somebody else by the order of a sum."""
    people = pl.DataFrame({"age": [0, 0, 10], "stay": [3, 0, 10], "day": [3, 0, 10]})
    other = pl.DataFrame({"age": [2], "stay": [3], "day": [1]})
    release = pl.DataFrame({"age": [0], "stay": [0], "day": [0]})
    quasi = ["age", "stay", "day"]
    found = shoal.attack(people, release, quasi=quasi, holdout=other, attacks="membership").successes[0]
    assert found.rate == pytest.approx((0.5 + 1 + 0) / 3)


def test_what_an_attack_lacks_is_said_and_not_guessed():
    people = pl.DataFrame({"age": [34, 35, 61, 62]})
    found = shoal.attack(people, shoal.anonymize(people, quasi="age", k=2))
    lacking = [
        "linkability",
        "inference",
        "membership",
        "closest-rows",
        "shared-secrets",
        "downcoding",
        "minimality",
        "several-rows",
        "intersection",
    ]
    assert [each["name"] for each in found["not_tried"]] == lacking

    single = found["attacks"][0]
    assert single["name"] == "singling out"
    assert single["control"] is single["residual"] is single["low"] is None


@pytest.fixture(scope="module")
def stays():
    draw = np.random.default_rng(3)
    columns = {"age": (18, 90), "los": (1, 30), "zip": (0, 40), "ill": (0, 6)}
    frame = pl.DataFrame({name: draw.integers(*ends, 900) for name, ends in columns.items()})
    return frame[:700], frame[700:]


def test_records_are_linked_only_where_it_is_known_which_row_is_whose(stays, tmp_path):
    people, others = stays
    roles = {"quasi": ["age", "los", "zip"], "sensitive": "ill"}
    release = shoal.anonymize(people, k=5, **roles)
    release.write(tmp_path / "out.csv")
    linked = {"holdout": others, "attacks": "record-linkage", **roles}
    by_itself = shoal.attack(people, release, **linked)
    from_file = shoal.attack(people, tmp_path / "out.csv", **linked)
    assert by_itself["attacks"] == from_file["attacks"]
    names = ["nearest record", "distance linkage", "assignment linkage", "probabilistic linkage", "rank linkage"]
    assert [each["name"] for each in by_itself["attacks"]] == names
    assert all(0 < each["rate"] <= 0.5 and each["control"] == 1 / 700 for each in by_itself["attacks"])
    (tmp_path / "out.private.json").unlink()
    assert shoal.attack(people, tmp_path / "out.csv", **linked)["not_tried"][0]["name"] == "record-linkage"
    with pytest.raises(ParameterError, match="700"):
        shoal.attack(people, others, same_order=True, **linked)


def test_who_errs_finds_fewer_and_who_knows_less_too(stays):
    people, others = stays
    roles = {"quasi": ["age", "los", "zip"], "sensitive": "ill", "same_order": True, "holdout": others}
    sure, wrong, less = (
        {each.name: each for each in shoal.attack(people, people, **roles, **more).successes}
        for more in ({}, {"errors": {"los": 0.5}}, {"known": ["age", "los"]})
    )
    assert sure["nearest record"].low == sure["nearest record"].high
    assert sure["nearest record"].rate > 0.9
    for name in ("nearest record", "inference draw", "membership"):
        assert sure[name].rate > wrong[name].rate > wrong[name].control
        assert wrong[name].low < wrong[name].residual < wrong[name].high
    assert sure["nearest record"].rate > less["nearest record"].rate
    with pytest.raises(SchemaError, match="ill"):
        shoal.attack(people, people, **roles, errors={"ill": 0.5})


def test_a_sample_comes_near_to_what_is_exact(stays):
    people, others = stays
    tried = ["linkability", "inference", "singling-out", "record-linkage", "membership", "closest-rows"]
    roles = {"quasi": ["age", "los", "zip"], "sensitive": "ill", "holdout": others, "attacks": tried}
    release = shoal.anonymize(people, k=4, quasi=roles["quasi"], sensitive="ill")
    whole, some = (shoal.attack(people, release, most=most, **roles).successes for most in (900, 250))
    for exact, found in zip(whole, some, strict=True):
        assert exact.low == exact.high == exact.residual
        assert found.low < found.residual < found.high or found.name in ("rank linkage", "assignment linkage")
        assert found.low - 0.1 <= exact.residual <= found.high + 0.1


def test_engines_agree(stays):
    people, others = stays
    roles = {"quasi": ["age", "los", "zip"], "sensitive": "ill"}
    release = shoal.anonymize(people, k=3, **roles).to_arrow(cells="text")
    found = []
    for engine in ("local", PartsEngine(Memory(), 64)):
        original, outside = (shoal.read(each, engine=engine, **roles) for each in (people, others))
        kinds = dict.fromkeys(roles["quasi"], "integer")
        released = shoal.read(release, engine=engine, masked=True, kinds=kinds, **roles)
        found.append(shoal.attack(original, released, holdout=outside, errors={"age": 0.2}, same_order=True))
    assert found[0]["attacks"] == found[1]["attacks"]
    assert "memory" not in found[0]
    assert "in memory, whatever --memory says: up to about 819KB" in " ".join(found[1].remarks())  # 1,600 rows of four


@pytest.mark.parametrize(
    ("kind", "own", "shown", "tolerance", "right"),
    [
        ("integer", 12, "[10;13]", 0, 1 / 4),
        ("integer", 12, "[10;13]", 1, 3 / 4),
        ("integer", 12, "14", 2, 1),
        ("integer", 12, "15", 2, 0),
        ("integer", 12, "[1;9]", 0, 0),
        ("integer", -10, "-11", 1, 1),  # how far off a guess is has no sign
        ("integer", -10, "-12", 1, 0),
        ("integer", 10, "-100", 1, 0),
        ("float", 2.5, "[2.0;4.0]", 0.25, 1 / 4),
        ("float", 2.5, "[2.0;4.0]", 1, 3 / 4),
        ("float", 2.5, "2.5", 0, 1),
        ("date", "2001-02-03", "[2001-02-01;2001-02-10]", 0, 1 / 10),
    ],
)
def test_a_range_of_a_secret_is_right_as_far_as_it_lies_in_the_tolerance(kind, own, shown, tolerance, right):
    people = pl.DataFrame({"age": ["30", "30"], "pay": [str(own)] * 2})
    rows = pl.DataFrame({"age": ["30", "*"], "pay": [shown] * 2})
    kinds = {"age": "integer", "pay": kind}
    guess = shoal.attacks.Inference(tolerance=tolerance)
    found = shoal.attack(people, rows, quasi="age", sensitive="pay", kinds=kinds, attacks=guess, masked=True)
    assert [each["rate"] for each in found["attacks"]] == pytest.approx([right, right])


def test_nodes_of_a_secrets_hierarchy_count_as_many_values_as_they_hold(tmp_path):
    (tmp_path / "ill.csv").write_text("flu;cold;*\nrhinitis;cold;*\nhiv;other;*\n")
    people = pl.DataFrame({"age": [30, 30, 40, 40], "ill": ["flu", "hiv", "rhinitis", "flu"]})
    rows = pl.DataFrame({"age": [30, 30, 40, 40], "ill": ["cold", "hiv", "cold", "cold"]})
    trees = {"ill": str(tmp_path / "ill.csv")}
    found = shoal.attack(people, rows, quasi="age", secret="ill", hierarchies=trees, attacks="inference")
    assert found["attacks"][0]["rate"] == pytest.approx((1 / 4 + 1 / 2 + 1 / 2 + 1 / 2) / 4)


def test_who_has_no_secret_is_guessed_rightly_only_where_none_is_shown():
    """What stands for anything is a guess among values, and none of these is right."""
    for kind, value in (("category", "flu"), ("integer", "3"), ("ordered", "flu")):
        people = pl.DataFrame({"age": [1, 2], "ill": [value, None]})
        orders = {"ill": (value,)} if kind == "ordered" else {}
        for shown, right in (("*", 0.5), ("", 0.5), (value, 0.5)):
            rows = pl.DataFrame({"age": ["1", "2"], "ill": [shown or None, shown or None]})
            found = shoal.attack(
                people, rows, quasi="age", sensitive="ill", attacks="inference", masked=True,
                kinds={"age": "integer", "ill": kind}, orders=orders,
            )  # fmt: skip
            if shown == "*" and kind == "integer":
                continue  # nothing that is shown says what it may be
            assert found["attacks"][0]["rate"] == right, (kind, shown)


def test_a_table_that_was_read_takes_its_trees_along(tmp_path):
    """Others are read by its trees, though their files lie elsewhere by now."""
    (tmp_path / "ill.csv").write_text("flu;cold;*\nrhinitis;cold;*\nhiv;other;*\n")
    people = pl.DataFrame({"age": [30, 30, 40, 40], "ill": ["flu", "hiv", "rhinitis", "flu"]})
    table = shoal.read(people, quasi="age", sensitive="ill", hierarchies={"ill": str(tmp_path / "ill.csv")})
    rows = pl.DataFrame({"age": [30, 30, 40, 40], "ill": ["cold", "hiv", "cold", "cold"]})
    found = shoal.attack(table, rows, holdout=people[:1], attacks="inference")["attacks"][0]
    assert (found["rate"], found["control"]) == pytest.approx(((1 / 4 + 3 * 1 / 2) / 4, 1 / 4))


@pytest.mark.parametrize("how", ["bands 4,12", "quantiles 4,2", "prefix 1"])
def test_people_outside_may_have_values_that_a_built_hierarchy_never_saw(how):
    people = pl.DataFrame({"age": [10 + i % 9 for i in range(36)], "ill": ["abc"[i % 3] for i in range(36)]})
    others = pl.DataFrame({"age": [11, 30, 44], "ill": ["a", "b", "c"]})
    table = shoal.read(people, quasi="age", sensitive="ill", hierarchies={"age": how})
    found = shoal.attack(table, shoal.anonymize(table, "full-domain", k=4), holdout=others)
    assert found["control"] == {"records": 3, "set_aside": None}


def test_codes_behind_asterisks_may_be_those_that_no_row_shows():
    """Of codes with leading zeros 016** may be any of the original or the holdout that begins so and is as long."""
    people = pl.DataFrame({"zip": ["01614", "01615", "93727", "93611"]})
    others = pl.DataFrame({"zip": ["01699", "016", "94110"]})
    release = pl.DataFrame({"zip": ["016**", "016**", "93727"]})
    found = shoal.attack(people, release, quasi="zip", holdout=others, attacks="membership").successes[0]
    assert (found.detail["fit"], found.detail["fit_control"]) == (3 / 4, 1 / 3)


@pytest.mark.parametrize(
    ("shown", "fit"),
    [
        ("2024", 3 / 4), ("2024-02", 1 / 4), ("2024-Q1", 2 / 4), ("2023Q4", 1 / 4), ("< 2024-01-05", 1 / 4),
        (">=2025-01-01", 0), ("<2000-01-01", 0),
    ],
)  # fmt: skip
def test_years_quarters_and_months_of_another_tool_are_the_days_they_hold(shown, fit):
    people = pl.DataFrame({"day": ["2023-12-31", "2024-01-05", "2024-02-29", "2024-11-02"]})
    release = pl.DataFrame({"day": [shown, shown]})
    found = shoal.attack(people, release, quasi="day", kinds={"day": "date"}, holdout=people[:1], attacks="membership")
    assert found.successes[0].detail["fit"] == fit


@pytest.mark.parametrize("shown", ["(2024-02-30, 2024-12-31]", ">9999-12-31", "0000", "2024-13"])
def test_days_of_another_tool_that_are_none_are_refused(shown):
    people = pl.DataFrame({"day": ["2023-12-31", "2024-01-05"]})
    release = pl.DataFrame({"day": [shown, shown]})
    with pytest.raises(DataError, match="'day'"):
        shoal.attack(people, release, quasi="day", kinds={"day": "date"})
