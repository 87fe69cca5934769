"""Recipes: what was asked for, written down, done again, and refused when it makes no sense."""

import json
import tomllib

import pytest

RECIPE = """\
[table]
file = "in.csv"
quasi = ["age", "zip"]
sensitive = ["charge"]

[[method]]
name = "sorted-clusters"

[[model]]
name = "k-anonymity"
k = 2

[release]
file = "out.csv"
"""


@pytest.fixture
def kitchen(desk, people):
    desk.put("in.csv", people)
    return desk


def cook(desk, text):
    desk.put("recipe.toml", text)
    return desk.run("run", "recipe.toml")


def test_a_recipe_does_what_the_command_does(kitchen):
    assert cook(kitchen, RECIPE).fine().left == ("out.certificate.json", "out.csv", "out.private.json")
    by_recipe = kitchen.read("out.csv"), kitchen.paper()
    kitchen.run("anonymize", "in.csv", "--out", "out.csv", "--quasi", "age,zip", "--sensitive", "charge", "--k", 2,
                "--method", "sorted-clusters")  # fmt: skip
    assert (kitchen.read("out.csv"), kitchen.paper()) == by_recipe


def test_a_recipe_for_machines_says_what_anonymize_says(kitchen):
    kitchen.put("recipe.toml", RECIPE)
    found = kitchen.run("run", "recipe.toml", "--json").json()
    assert found["verdicts"][0]["holds"] is True
    assert found["out"].endswith("out.csv")


def test_files_are_looked_for_beside_the_recipe(kitchen, tmp_path, monkeypatch):
    kitchen.put("recipe.toml", RECIPE + 'certificate = "paper.json"\n')
    elsewhere = tmp_path / "elsewhere"
    elsewhere.mkdir()
    monkeypatch.chdir(elsewhere)
    assert kitchen.run("run", "../recipe.toml").fine().left == ("out.csv", "out.private.json", "paper.json")


def test_a_recipe_can_ask_for_a_delimiter_a_key_and_measures(kitchen):
    kitchen.put("key", "correct horse battery staple")
    kitchen.put("recipe.toml", RECIPE + 'delimiter = ";"\n[[measure]]\nname = "uniqueness"\nknown = ["age"]\n')
    kitchen.run("run", "recipe.toml", "--key", "key").fine()
    assert kitchen.read("out.csv").splitlines()[0] == "age;zip;charge"
    content = json.loads(kitchen.read("out.certificate.json"))
    assert [score["measure"] for score in content["scores"]] == ["uniqueness"]
    kitchen.check("--key", "key").fine()


def test_a_recipe_whose_model_is_not_met_ends_with_1_and_writes_nothing(kitchen):
    cook(kitchen, RECIPE.replace("sorted-clusters", "coarsen").replace("k = 2", "k = 6")).refused(1, "k-anonymity")


NAMED = ("--quasi", "age,zip,sex", "--sensitive", "charge")
WITH_SUBJECT = "pid,age,charge\nA,30,5\nB,31,6\nC,50,7\nD,51,8\n"
LATIN = "a,ville\n1,Œuf\n2,Œuf\n3,Nîmes\n4,Nîmes\n".encode("cp1252")


@pytest.mark.parametrize(
    ("text", "arguments"),
    [
        pytest.param(None, NAMED, id="names"),
        pytest.param(None, ("--roles", "last-sensitive"), id="place"),
        pytest.param(None, (*NAMED, "--where", "charge > 250"), id="condition"),
        pytest.param(None, (*NAMED, "--delimiter", "\\t"), id="delimiter"),
        pytest.param(None, (*NAMED, "--t", "0.4", "--t-distance", "ordered-records", "--t-column", "charge"), id="t"),
        pytest.param(None, ("--quasi", "age", "--plain", "sex", "--seed", "7"), id="seed"),
        pytest.param(None, ("--quasi", "age,zip", "--kind", "zip=category"), id="kind"),
        pytest.param("a,b\n1,x\n1,x\n1,x\n", ("--quasi", "a,b", "--method", "coarsen", "--param", "resolution.a=2",
                     "--param", "by=width"), id="method"),
        pytest.param(WITH_SUBJECT, ("--quasi", "age", "--sensitive", "charge", "--subject", "pid"), id="subject"),
        pytest.param("s,c\nS,1\nL,2\nM,3\nM,4\n", ("--quasi", "s", "--plain", "c", "--order", "s=S,M,L"), id="order"),
        pytest.param("a,c\nNA,1\n5,2\n-9,3\n6,4\n", ("--quasi", "a", "--missing", "NA,-9"), id="missing"),
        pytest.param('"a ""b"" [x]","ü,c\\"\n1,2\n2,3\n', ("--quasi", '"a ""b"" [x]","ü,c\\"'), id="odd names"),
        pytest.param("a:b\n1:2\n3:4\n", ("--quasi", "a,b", "--in-delimiter", ":"), id="input delimiter"),
        pytest.param(LATIN, ("--quasi", "a,ville", "--encoding", "cp1252"), id="encoding"),
        pytest.param("w;c\n1,5;1\n2,5;2\n", ("--quasi", "w", "--sensitive", "c", "--decimal", ","), id="decimal"),
    ],
)  # fmt: skip
def test_a_saved_recipe_gives_the_same_bytes_again(desk, people, text, arguments):
    desk.put("in.csv", people if text is None else text)
    made = desk.run("anonymize", "in.csv", "--out", "out.csv", "--k", 2, "--save-recipe", "recipe.toml", *arguments)
    assert made.fine().left == ("out.certificate.json", "out.csv", "out.private.json", "recipe.toml")
    first = desk.read("out.csv"), desk.paper()
    for name in ("out.csv", "out.certificate.json", "out.private.json"):
        (desk.folder / name).unlink()
    assert desk.run("run", "recipe.toml").fine().left == ("out.certificate.json", "out.csv", "out.private.json")
    assert (desk.read("out.csv"), desk.paper()) == first
    desk.check("--private", "out.private.json", "--original", "in.csv").fine()


def test_a_saved_recipe_also_knows_where_the_certificate_goes(kitchen):
    places = ("--out", "out.csv", "--certificate", "paper.json", "--save-recipe", "recipe.toml")
    kitchen.run("anonymize", "in.csv", *NAMED, "--k", 2, *places).fine()
    for name in ("out.csv", "paper.json", "out.private.json"):
        (kitchen.folder / name).unlink()
    assert kitchen.run("run", "recipe.toml").fine().left == ("out.csv", "out.private.json", "paper.json")


def test_a_saved_recipe_keeps_the_limit_of_memory_and_a_certificate_does_not(kitchen):
    places = ("--out", "out.csv", "--save-recipe", "recipe.toml")
    kitchen.run("anonymize", "in.csv", *NAMED, "--k", 2, "--memory", "1GB", *places).fine()
    assert tomllib.loads(kitchen.read("recipe.toml"))["engine"] == {"memory": "1GB"}
    assert "1GB" not in kitchen.read("out.certificate.json")
    kitchen.run("run", "recipe.toml", "--overwrite").fine()


def test_a_saved_recipe_names_files_from_where_it_lies(kitchen):
    (kitchen.folder / "recipes").mkdir()
    (kitchen.folder / "results").mkdir()
    places = ("--out", "results/out.csv", "--save-recipe", "recipes/r.toml")
    kitchen.run("anonymize", "in.csv", *NAMED, "--k", 2, *places).fine()
    content = tomllib.loads(kitchen.read("recipes/r.toml"))
    assert content["table"]["file"] == "../in.csv"
    (kitchen.folder / "results" / "out.csv").unlink()
    assert "results/out.csv" in kitchen.run("run", "recipes/r.toml", "--overwrite").fine().left


@pytest.mark.parametrize(
    ("name", "code"),
    [
        ("missing/recipe.toml", 3),
        ("in.csv/recipe.toml", 3),
        ("in.csv", 2),
        ("out.csv", 2),
        ("out.certificate.json", 2),
        (".", 3),
    ],
)
def test_a_recipe_that_cannot_be_saved_there_leaves_nothing_behind(kitchen, name, code):
    made = kitchen.run("anonymize", "in.csv", "--out", "out.csv", *NAMED, "--k", 2, "--save-recipe", name)
    made.refused(code)


# Recipes that make no sense


@pytest.mark.parametrize(
    ("old", "new", "said", "meant"),
    [
        ("quasi =", "quazi =", "'quazi'", "'quasi'"),
        ("[release]", "[relese]", "'relese'", "'release'"),
        ("[[model]]", "[[modell]]", "'modell'", "'model'"),
        ('file = "out.csv"', 'file = "out.csv"\ndelimeter = ","', "'delimeter'", "'delimiter'"),
        ("k = 2", "k = 2\nkk = 3", "'kk'", "'k'"),
        ('"sorted-clusters"', '"sorted-cluster"', "'sorted-cluster'", "'sorted-clusters'"),
        ('"k-anonymity"', '"k-anonimity"', "'k-anonimity'", "'k-anonymity'"),
        ('["age", "zip"]', '["age", "zipp"]', "'zipp'", "'zip'"),
        ("[[method]]", 'kinds = {age = "intger"}\n[[method]]', "'intger'", "'integer'"),
        ("[[method]]", 'kinds = {agee = "integer"}\n[[method]]', "'agee'", "'age'"),
        ("[release]", '[[measure]]\nname = "uniquenes"\n[release]', "'uniquenes'", "'uniqueness'"),
        ('"sorted-clusters"', '"coarsen"\nresolutoin = 4', "'resolutoin'", "'resolution'"),
    ],
)
def test_what_means_nothing_is_refused_with_a_suggestion(kitchen, old, new, said, meant):
    assert old in RECIPE
    cook(kitchen, RECIPE.replace(old, new)).refused(2, said, f"Did you mean {meant}?")


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ('["age", "zip"]', "5"),
        ('["age", "zip"]', "[5]"),
        ("[[method]]", 'kinds = "integer"\n[[method]]'),
        ("[[method]]", "kinds = {age = 5}\n[[method]]"),
        ("[[method]]", 'orders = "low"\n[[method]]'),
        ("[[method]]", "orders = {age = 5}\n[[method]]"),
        ("[[method]]", "subject = 5\n[[method]]"),
        ("[[method]]", "delimiter = 5\n[[method]]"),
        ("[[method]]", "encoding = 5\n[[method]]"),
        ('"in.csv"', "5"),
        ('"out.csv"', "5"),
        ('"out.csv"', '"out.csv"\ncertificate = 5'),
        ('"out.csv"', '"out.csv"\nseed = "x"'),
        ('"out.csv"', '"out.csv"\nseed = [1]'),
        ('"out.csv"', '"out.csv"\ndelimiter = 5'),
        ("k = 2", 'k = "2"'),
        ("k = 2", ""),
        ("k = 2", "k = true"),
        ("[release]", '[[model]]\nname = "t-closeness"\nt = 0.5\ncolumn = 5\n[release]'),
        ("[release]", '[[model]]\nname = "t-closeness"\nt = nan\n[release]'),
        ("[release]", '[[measure]]\nname = "uniqueness"\nknown = 5\n[release]'),
        ("[release]", '[[measure]]\nname = "uniqueness"\nknown = ["agee"]\n[release]'),
        ("[release]", '[[measure]]\nname = "attribute-disclosure"\nwhere = 5\n[release]'),
        ("[release]", '[[measure]]\nname = "attribute-disclosure"\n[release]'),
        ('file = "out.csv"', ""),
        ('file = "in.csv"', ""),
        ('[[method]]\nname = "sorted-clusters"\n', ""),
        ('[[model]]\nname = "k-anonymity"\nk = 2\n', ""),
        ('"out.csv"', '"in.csv"'),
        ('"out.csv"', '"recipe.toml"'),
        ('"out.csv"', '"out.csv"\ncertificate = "recipe.toml"'),
        ('"out.csv"', '"out.csv"\ncertificate = "out.csv"'),
    ],
)
def test_a_value_of_the_wrong_kind_is_wrong_use_and_writes_nothing(kitchen, old, new):
    assert old in RECIPE
    cook(kitchen, RECIPE.replace(old, new)).refused(2)


@pytest.mark.parametrize(
    "text",
    [
        "",
        "table = 3\nmethod = {name = 'coarsen'}",
        "release = 3\nmethod = {name = 'coarsen'}",
        "method = 'coarsen'",
        "method = ['coarsen']",
        "model = 5\nmethod = {name = 'coarsen'}",
        "this is no recipe",
        b"\xff\xfe\x00",
        "# caf\xe9\n".encode("latin-1"),
    ],
)
def test_what_is_no_recipe_is_wrong_use(kitchen, text):
    cook(kitchen, text).refused(2)


def test_a_recipe_that_is_not_toml_is_refused_by_its_line(kitchen, secret):
    cook(kitchen, RECIPE + f"x = {secret}\n").refused(2, "line 15")


@pytest.mark.parametrize("name", ["nothing.toml", "."])
def test_a_recipe_that_is_not_there_is_wrong_use(kitchen, name):
    kitchen.run("run", name).refused(2)
