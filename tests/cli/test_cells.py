"""How ranges are shown is said by an option, kept in recipes, and understood by check and compare."""

import json

import pytest

ROWS = "age,town,ill\n" + "".join(f"{20 + n // 2 * 3 + n % 2},{'ab'[n // 6]},{'xyz'[n % 3]}\n" for n in range(12))
ASK = ("--quasi", "age,town", "--sensitive", "ill", "--k", 2)


@pytest.mark.parametrize(("cells", "header"), [("bounds", "age_lo,age_hi,town,ill"), ("middle", "age,town,ill")])
def test_the_option_goes_the_whole_way(desk, cells, header):
    desk.put("in.csv", ROWS)
    desk.run("anonymize", "in.csv", *ASK, "--out", "out.csv", "--cells", cells, "--save-recipe", "recipe.toml").fine()
    assert desk.read("out.csv").splitlines()[0] == header
    assert "[" not in desk.read("out.csv")
    desk.run("check", "out.csv", "--private", "out.private.json", "--original", "in.csv").fine()
    found = json.loads(desk.run("compare", "in.csv", "out.csv", *ASK[:4], "--json").fine().out)
    assert found["releases"][0]["records"] == 12
    first = desk.read("out.csv")
    desk.run("run", "recipe.toml", "--overwrite").fine()
    assert desk.read("out.csv") == first


def test_another_way_is_refused_before_anything_is_read(desk):
    desk.run("anonymize", "none.csv", *ASK, "--out", "out.csv", "--cells", "bound").refused(
        2, "no way to show", "bounds"
    )
