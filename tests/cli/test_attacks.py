"""`shoal attack`: the known answers on Adult, and what is refused."""

import polars as pl
import pytest

LEVELS = {
    "sex": 0, "age": 3, "race": 0, "marital-status": 0, "education": 2, "native-country": 1, "workclass": 1,
    "salary-class": 0,
}  # fmt: skip
KNOWN = {
    "linkability": (0.0001399256, 0.0001406111),
    "inference draw": (0.11981194, 0.11938897),
    "inference mode": (0.24508910, 0.24568966),
    "singling out": (0.33304042, 433 / 2276),
    "membership": (0.50096172, 0.5),
    "dcr": (0.50547037, None),
}


@pytest.fixture(scope="module")
def adult(public_file, tmp_path_factory):
    """Write Adult without every fifth record, those, and a full-domain release at k = 5 by the nodes of its trees."""
    folder = tmp_path_factory.mktemp("adult")
    whole = pl.read_csv(public_file("adult/adult.csv"), separator=";", infer_schema=False)
    held = pl.arange(whole.height, eager=True) % 5 == 4
    nodes = kept = whole.filter(~held)
    trees = []
    for name, level in LEVELS.items():
        path = public_file(f"adult/adult_hierarchy_{name}.csv")
        lines = (line.split(";") for line in path.read_text(encoding="utf-8").splitlines())
        nodes = nodes.with_columns(pl.col(name).replace_strict({row[0]: row[level] for row in lines}))
        trees += ["--hierarchy", f"{name}={path}"]
    alone = nodes.select(pl.len().over(*LEVELS)).to_series() < 5
    shown = nodes.with_columns(pl.when(alone).then(pl.lit("*")).otherwise(name).alias(name) for name in LEVELS)
    for name, frame in (("kept", kept), ("held", whole.filter(held)), ("shown", shown)):
        frame.write_csv(folder / f"{name}.csv", separator=";")
    return folder, trees


def test_the_known_answers_on_adult_hold(adult, desk):
    folder, trees = adult
    files = [str(folder / "kept.csv"), str(folder / "shown.csv")]
    asked = ["--quasi", ",".join(LEVELS), "--secret", "occupation", "--holdout", str(folder / "held.csv"), "--json"]
    found = {each["name"]: each for each in desk.run("attack", *files, *asked, *trees).json()["attacks"]}
    assert list(found)[: len(KNOWN)] == list(KNOWN)
    for name, (rate, control) in KNOWN.items():
        mine = found[name]
        assert mine["rate"] == pytest.approx(rate, abs=6e-9)
        assert control is None or mine["control"] == pytest.approx(control, abs=6e-9)
        left = (mine["rate"] - mine["control"]) / (1 - mine["control"])
        assert mine["residual"] == mine["low"] == mine["high"] == pytest.approx(left)
    assert found["membership"]["detail"]["fit"] == pytest.approx(0.94595939, abs=6e-9)
    assert found["membership"]["detail"]["fit_control"] == pytest.approx(0.94064987, abs=6e-9)
    assert found["inference draw"]["detail"]["baseline"] == pytest.approx(0.13344385, abs=6e-9)
    single = found["singling out"]["detail"]
    assert (single["descriptions"], single["isolating"], single["isolating_others"]) == (2276, 758, 433)
    assert single["without_secret"]["isolating"] == 0


def test_what_makes_no_sense_is_refused(desk):
    desk.put("t.csv", "age,ill\n34,SECRET-123\n35,x\n")
    for asked, words in (
        ((), "No quasi-identifier is named"),
        (("--quasi", "age", "--known", "zip"), "no column 'zip'"),
        (("--quasi", "age", "--secret", "zip"), "no column 'zip'"),
        (("--quasi", "age", "--attack", "linkabilty"), "linkability"),
        (("--quasi", "age", "--most", "0"), "above 0"),
    ):
        desk.run("attack", "t.csv", "t.csv", *asked).refused(2, words)


def test_cells_of_other_tools_are_understood(desk):
    """What stands for the same gives the same numbers, however it is written."""
    desk.put(
        "t.csv",
        "age,town,born,ill\n20,a,2001-02-03,flu\n33,b,2001-02-09,hiv\n41,a,2003-01-01,flu\n87,c,2004-01-01,tb\n",
    )
    ours = "[20;33],{a;b},[2001-02-03;2001-02-09],flu\n[20;33],{a;b},[2001-02-03;2001-02-09],hiv\n"
    ours += "[41;87],{a;c},*,flu\n[41;87],{a;c},*,{flu;tb}\n"
    theirs = '20-33,"{a, b}",2001-02-03 - 2001-02-09,flu\n"(19, 33]",a|b,2001-02-03..2001-02-09,hiv\n'
    theirs += ">=41,\"['a', 'c']\",*,flu\n41 and over,a/c,*,flu or tb\n"
    found = []
    for rows in (ours, theirs):
        desk.put("r.csv", f"age,town,born,ill\n{rows}")
        asked = ("--quasi", "age,town,born", "--secret", "ill", "--holdout", "t.csv", "--same-order", "--json")
        found.append(desk.run("attack", "t.csv", "r.csv", *asked).json()["attacks"])
    assert found[0] == found[1]
    assert found[0][0]["rate"] == pytest.approx(0.375)
