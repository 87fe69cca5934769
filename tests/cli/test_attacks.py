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
    assert alone.sum() == 1304
    assert nodes.filter(~alone).select(*LEVELS).n_unique() == 349
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


def test_what_others_write_for_no_value_is_none(desk):
    desk.put("t.csv", "age,town,ill\n20,NA,flu\n,b,hiv\n41,,flu\n")
    found = []
    for name, none in (("ours.csv", ""), ("theirs.csv", "NA"), ("others.csv", "NULL")):
        desk.put(name, f"age,town,ill\n20,NA,flu\n{none},b,hiv\n41,{none if none != 'NA' else ''},{none}\n")
        asked = ("--quasi", "age,town", "--secret", "ill", "--same-order", "--json")
        found.append(desk.run("attack", "t.csv", name, *asked).json()["attacks"])
    assert found[0] == found[1] == found[2]
    assert found[0][1]["name"] == "inference draw"
    assert found[0][1]["rate"] == pytest.approx(2 / 3)


def test_a_release_is_made_again_without_some_people_who_are_the_control(desk):
    """By its recipe, by its certificate, or with its certificate beside it: all the same numbers."""
    rows = "".join(f"{20 + i * 7 % 50};{i * 13 % 20}\t;{'abc'[i % 3]};p{i // 2}\n" for i in range(300))
    desk.put("in.csv", f"age;zip;ill;who\n{rows}")
    asked = ("--quasi", "age,zip", "--sensitive", "ill", "--subject", "who", "--in-delimiter", ";")
    desk.run("anonymize", "in.csv", "--out", "out.csv", *asked, "--k", "3", "--save-recipe", "made.toml").fine()
    found = []
    for way in (
        ("in.csv", "--recipe", "made.toml"),
        ("in.csv", "--recipe", "out.certificate.json", *asked),
        ("in.csv", "out.csv", *asked),
    ):
        told = desk.run("attack", *way, "--set-aside", "0.2", "--json").json()
        assert told["control"]["set_aside"] == 0.2
        assert told["control"]["records"] + told["records"] == 300
        found.append(told["attacks"])
    assert found[0] == found[1] == found[2]
    assert {"membership", "dcr", "inference draw"} <= {each["name"] for each in found[0]}
    assert all(each["control"] is not None for each in found[0])
    text = desk.run("attack", "in.csv", "--recipe", "made.toml", "--set-aside", "0.2").fine().out
    assert "made again by the recipe" in text
    without = desk.run("attack", "in.csv", "out.csv", *asked).fine().out
    assert "--set-aside 0.2" in without
    desk.run("attack", "in.csv", *asked).refused(2, "No release is named")
    desk.run("attack", "in.csv", "--set-aside", "0.2", *asked).refused(2, "how is not known")


def test_a_release_with_other_columns_is_attacked_by_those_that_it_has(desk):
    """Columns in another order, by both ends, left out or added: what is there is compared."""
    desk.put("t.csv", "age,zip,sex,ill\n20,1,f,flu\n33,2,m,hiv\n41,3,f,flu\n87,4,m,tb\n")
    desk.put("h.csv", "ill;zip;age;sex\ntb;2;30;f\nflu;9;50;m\n")
    desk.put(
        "r.csv",
        "ill,more,zip_lo,zip_hi,age\nflu,1,1,2,[20;33]\nhiv,2,1,2,[20;33]\nflu,3,3,4,[41;87]\ntb,4,3,4,[41;87]\n",
    )
    desk.put("s.csv", "age,zip,ill\n[20;33],[1;2],flu\n[20;33],[1;2],hiv\n[41;87],[3;4],flu\n[41;87],[3;4],tb\n")
    found = []
    for name, quasi in (("r.csv", "age,zip,sex"), ("s.csv", "age,zip")):
        asked = ("--quasi", quasi, "--secret", "ill", "--holdout", "h.csv", "--known", "age,zip", "--json")
        found.append(desk.run("attack", "t.csv", name, *asked).json())
    assert found[0]["attacks"] == found[1]["attacks"]
    assert found[0]["known"] == ["age", "zip"]
    for asked, words in (((), "no column 'sex'"), (("--quasi", "age,sex", "--known", "sex"), "none of the columns")):
        desk.run("attack", "t.csv", "s.csv", *(asked or ("--quasi", "sex")), "--secret", "ill").refused(2, words)


def test_minimality_is_attempted_by_the_certificate_or_the_recipe(desk):
    """Rows stand in the released order, and who has which is found by masking the original again."""
    desk.put("t.csv", "a,ill\n1,no\n1,no\n2,no\n2,no\n3,hiv\n3,no\n4,hiv\n4,hiv\n")
    asked = ("--quasi", "a", "--sensitive", "ill")
    made = ("--kind", "a=integer", "--method", "hilbert", "--k", "2", "--l", "2", "--save-recipe", "r.toml")
    desk.run("anonymize", "t.csv", "--out", "o.csv", *asked, *made).fine()
    tried = ("--attack", "minimality worlds=1000", "--json")
    found = [
        desk.run("attack", "t.csv", "o.csv", *way, *tried).json()["attacks"]
        for way in (asked, ("--recipe", "r.toml"), ("--recipe", "o.certificate.json"))
    ]
    assert found[0] == found[1] == found[2]
    assert [each["name"] for each in found[0]] == ["minimality guess", "minimality certain"]
    assert found[0][0]["rate"] == pytest.approx(7 / 8)
    assert (found[0][1]["rate"], found[0][1]["control"]) == (0.75, 0)
    desk.put("other.csv", "a,ill\n1,no\n1,no\n2,no\n2,no\n3,hiv\n3,no\n5,hiv\n5,hiv\n")
    lacking = desk.run("attack", "other.csv", "o.csv", "--recipe", "r.toml", *tried).json()["not_tried"]
    assert "does not give this release" in lacking[0]["why"]
