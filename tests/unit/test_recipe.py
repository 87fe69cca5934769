"""Recipes: TOML to the values and back, and what is said of keys that mean nothing."""

import polars as pl
import pytest

import shoal
from shoal.recipe import Recipe

FULL = """
[table]
file = "in.csv"
quasi = ["age", "post code"]
sensitive = ["charge"]
plain = ["note"]
identifier = ["name"]
subject = "person"
weight = "w"
delimiter = ";"
encoding = "latin-1"
decimal = ","
missing = ["NA", "-9"]
kinds = {age = "integer", "post code" = "category"}
orders = {stage = ["early", "späte"]}
knowledge = {age = "census"}

[[method]]
name = "coarsen"
resolution = {age = 4, "post code" = 16}
by = "width"

[[method]]
name = "stratified-clusters"

[[model]]
name = "k-anonymity"
k = 5

[[model]]
name = "t-closeness"
t = 0.1
column = "charge"
distance = "ordered-records"

[[measure]]
name = "uniqueness"
known = ["age"]

[[measure]]
name = "attribute-disclosure"
where = "charge > 100000"

[release]
file = "out.csv"
certificate = "out.json"
delimiter = "|"
seed = 7
"""


def test_a_recipe_holds_what_the_file_says():
    recipe = Recipe.from_toml(FULL)
    assert recipe.methods == (
        shoal.methods.Coarsen({"age": 4, "post code": 16}, "width"),
        shoal.methods.StratifiedClusters(),
    )
    assert recipe.models == (shoal.models.KAnonymity(5), shoal.models.TCloseness(0.1, "charge", "ordered-records"))
    assert recipe.measures == (
        shoal.measures.Uniqueness(("age",)),
        shoal.measures.AttributeDisclosure("charge > 100000"),
    )
    assert (recipe.source, recipe.target, recipe.certificate) == ("in.csv", "out.csv", "out.json")
    assert (recipe.seed, recipe.delimiter) == (7, "|")
    assert recipe.options.roles.quasi == ("age", "post code")
    assert recipe.options.roles.subject == "person"
    assert recipe.options.orders == {"stage": ("early", "späte")}
    assert recipe.options.missing == ("NA", "-9")


def test_values_to_toml_and_back_are_the_same_values():
    recipe = Recipe.from_toml(FULL)
    again = Recipe.from_toml(recipe.to_toml())
    assert again == recipe
    assert again.to_toml() == recipe.to_toml()


@pytest.mark.parametrize(
    "name", ['say "x"', "back\\slash", "tab\tand\nline", "dotted.name", "ключ", "", " ", "\x7f\x01"]
)
def test_any_column_name_survives_toml(name):
    given = {"table": {"quasi": [name], "kinds": {name: "integer"}}, "method": [{"name": "sorted-clusters"}]}
    recipe = Recipe.from_dict(given)
    assert Recipe.from_toml(recipe.to_toml()) == recipe


def test_a_recipe_of_a_release_does_the_same_again():
    table = shoal.read(pl.DataFrame({"a": [1, 2, 3, 4], "s": [1, 1, 2, 2]}), quasi=["a"], sensitive=["s"])
    models = [shoal.models.KAnonymity(2), shoal.models.TCloseness(0.5)]
    release = shoal.anonymize(table, shoal.methods.StratifiedClusters(), models, seed=3)
    again = Recipe.from_toml(release.recipe.to_toml())
    assert again.methods == (shoal.methods.StratifiedClusters(),)
    assert again.models == tuple(models)
    assert again.seed == 3
    assert again.measures == release.recipe.measures
    assert again.options.kinds == {"a": "integer", "s": "integer"}


def test_asking_for_no_measures_is_not_asking_for_the_standard_ones():
    recipe = Recipe.from_dict({"method": {"name": "sorted-clusters"}, "measure": []})
    assert recipe.measures == ()
    assert Recipe.from_toml(recipe.to_toml()).measures == ()
    assert Recipe.from_toml('method = {name = "sorted-clusters"}').measures is None


@pytest.mark.parametrize(
    ("old", "new", "said", "meant"),
    [
        ("[table]", "[tabel]", "tabel", "'table'"),
        ("quasi =", "quasy =", "quasy", "'quasi'"),
        ("seed = 7", "sead = 7", "sead", "'seed'"),
        ("k = 5", "kk = 5", "kk", "'k'"),
        ("resolution =", "resolutoin =", "resolutoin", "'resolution'"),
        ('"stratified-clusters"', '"stratified-cluster"', "stratified-cluster", "'stratified-clusters'"),
        ('"t-closeness"', '"t-closness"', "t-closness", "'t-closeness'"),
        ('"uniqueness"', '"uniquness"', "uniquness", "'uniqueness'"),
        ('known = ["age"]', 'knwon = ["age"]', "knwon", "'known'"),
        ('age = "integer"', 'age = "intger"', "intger", "'integer'"),
    ],
)
def test_a_key_that_means_nothing_is_an_error_with_a_suggestion(old, new, said, meant):
    with pytest.raises(shoal.errors.ParameterError) as error:
        Recipe.from_toml(FULL.replace(old, new))
    assert f"'{said}'" in error.value.what
    assert f"Did you mean {meant}?" in error.value.remedy
    assert error.value.exit_code == 2


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("method = ", "not TOML"),
        ("[table]\nquasi = ['a']", "names no method"),
        ('method = {name = "sorted-clusters"}\nmodel = {name = "k-anonymity"}', "needs 'k'"),
        ('method = {name = "sorted-clusters"}\nmodel = {name = "k-anonymity", k = 1}', "at least 2"),
        ('method = {name = "sorted-clusters"}\nmodel = {name = "t-closeness", t = 2}', "at most 1"),
        ("method = {resolution = 4}", "have names"),
        ('method = {name = "coarsen", resolution = 0}', "at least 1"),
        ('method = {name = "coarsen", by = "length"}', "not by 'length'"),
    ],
)
def test_recipes_that_cannot_be_done_are_refused(text, words):
    with pytest.raises(shoal.errors.ParameterError, match=words):
        Recipe.from_toml(text)


@pytest.mark.parametrize(
    "text",
    [
        'method = "sorted-clusters"',
        "method = 5",
        'table = 3\nmethod = {name = "coarsen"}',
        'method = {name = "coarsen"}\nrelease = {seed = "x"}',
    ],
)
def test_values_of_the_wrong_shape_are_refused_as_mistakes_of_the_recipe(text):
    with pytest.raises(shoal.errors.ParameterError):
        Recipe.from_toml(text)


def test_files_are_looked_for_beside_the_recipe(tmp_path):
    (tmp_path / "r.toml").write_text(FULL, encoding="utf-8")
    recipe = Recipe.load(tmp_path / "r.toml")
    assert recipe.source == str(tmp_path / "in.csv")
    assert recipe.target == str(tmp_path / "out.csv")
    assert recipe.certificate == str(tmp_path / "out.json")
    with pytest.raises(shoal.errors.ParameterError, match="cannot be read"):
        Recipe.load(tmp_path / "none.toml")


def test_the_limit_of_memory_goes_into_a_section_of_its_own_and_comes_back():
    text = 'method = {name = "coarsen"}\n[engine]\nmemory = "2GB"\n'
    recipe = Recipe.from_toml(text)
    assert recipe.memory == "2GB"
    assert Recipe.from_toml(recipe.to_toml()) == recipe
    assert recipe.to_dict()["engine"] == {"memory": "2GB"}
    assert "engine" not in Recipe.from_toml('method = {name = "coarsen"}').to_dict()


@pytest.mark.parametrize(
    ("line", "words"),
    [
        ("memori = '2GB'", "Did you mean 'memory'"),
        ("memory = 2", "must be a text"),
        ("memory = 'much'", "not an amount of memory"),
    ],
)
def test_a_limit_of_memory_that_is_none_is_refused(line, words):
    with pytest.raises(shoal.errors.ParameterError, match=words):
        Recipe.from_toml(f'method = {{name = "coarsen"}}\n[engine]\n{line}\n')
