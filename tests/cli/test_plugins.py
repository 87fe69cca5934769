"""What an outside package adds through entry points, in Python, in recipes and on the command line."""

import zipfile
from pathlib import Path

import pytest
from hatchling.builders.wheel import WheelBuilder

import shoal
from shoal import catalogue, plugins

POND = Path(__file__).parents[1] / "plugin"
RECIPE = """
[table]
file = "fish.csv"
quasi = ["length", "depth"]
[[method]]
name = "by-turns"
[[model]]
name = "crowd"
k = 3
[[measure]]
name = "largest-class"
times = 2
[release]
file = "out.csv"
"""
GRID = """
[table]
file = "people.csv"
quasi = ["age", "zip"]
[[method]]
name = "sorted-clusters"
[[model]]
name = "k-anonymity"
k = [2, 3]
"""


@pytest.fixture(scope="module")
def site(tmp_path_factory):
    """Give a folder into which the package is installed as pip does it: built, and its wheel unpacked."""
    place = tmp_path_factory.mktemp("site")
    (wheel,) = WheelBuilder(str(POND)).build(directory=str(tmp_path_factory.mktemp("dist")), versions=["standard"])
    zipfile.ZipFile(wheel).extractall(place)
    return place


@pytest.fixture
def pond(site, desk, monkeypatch):
    """Install the package, and give a desk with its table."""
    monkeypatch.syspath_prepend(site)
    catalogue.entries.cache_clear()
    desk.run("data", "fish", "--out", "fish.csv").fine()
    yield desk
    catalogue.entries.cache_clear()


@pytest.mark.usefixtures("pond")
def test_in_python_they_are_found_by_name():
    table = shoal.read("fish.csv", quasi=["length", "depth"])
    model = catalogue.build("models", {"name": "crowd", "k": 3})
    release = shoal.anonymize(table, "by-turns", model, measures=["largest-class"])
    assert release.holds
    assert release.scores["largest-class"].value == 3


def test_in_recipes_they_have_their_names_and_parameters_and_are_proved_again(pond):
    pond.put("way.toml", RECIPE)
    pond.run("run", "way.toml").fine()
    assert '"crowd"' in pond.read("out.certificate.json")
    assert pond.read("out.csv").splitlines()[1] == "[20;28],[0;2]"
    pond.check().fine()
    pond.put("way.toml", RECIPE.replace("times = 2", "time = 2"))
    pond.run("run", "way.toml", "--overwrite").refused(2, "'time'", "Did you mean 'times'?")


def test_on_the_command_line_they_are_listed_and_can_be_asked_for(pond):
    for shelf, name in (("methods", "by-turns"), ("models", "crowd"), ("measures", "largest-class")):
        assert name in pond.run("list", shelf).fine().out
    asked = (
        "--quasi",
        "length,depth",
        "--method",
        "by-turns",
        "--k",
        4,
        "--measure",
        "largest-class times=3",
        "--json",
    )
    made = pond.run("anonymize", "fish.csv", "--out", "out.csv", *asked).json()
    assert {score["measure"]: score["value"] for score in made["scores"]}["largest-class"] == 12


def test_commands_and_tables_are_run_and_shown_beside_those_of_shoal(pond):
    assert pond.run("wave", "--times", 2).fine().out == "wave wave\n"
    pond.run("wave", "--times", 2, "--times", 3).refused(2, "more than once")  # as with any command
    shown = pond.run("--help").fine().out
    assert "Wave." in shown
    assert "anonymize" in shown
    assert "fish" in pond.run("data", "--help").fine().out


def test_commands_of_shoal_stay_its_own(pond):
    assert "depth" in pond.run("inspect", "fish.csv").fine().out


def test_a_package_that_cannot_be_loaded_is_named_and_in_nobodys_way(pond, site, tmp_path, monkeypatch):
    torn = tmp_path / "torn"
    (torn / "torn_net-1.0.dist-info").mkdir(parents=True)
    (torn / "torn_net-1.0.dist-info" / "METADATA").write_text("Metadata-Version: 2.1\nName: torn-net\nVersion: 1.0\n")
    groups = [f"[shoal.{group}]\nnet = torn_net:net\n" for group in ("commands", "datasets", "methods")]
    (torn / "torn_net-1.0.dist-info" / "entry_points.txt").write_text("\n".join(groups))
    monkeypatch.syspath_prepend(torn)
    catalogue.entries.cache_clear()
    for typed in ("net", "net --of rope", "data net", "list methods"):
        pond.run(*typed.split()).refused(2, "'net'", "torn-net", "ModuleNotFoundError")
    assert "torn-net" in pond.run("--help").fine().out
    pond.run("anonymize", "fish.csv", "--out", "out.csv", "--quasi", "length,depth", "--k", 3).fine()


@pytest.mark.parametrize(
    "typed", ["study", "study --rows 600", "study paper.toml", "data", "data discharges --rows 5 --out d.csv"]
)
def test_without_the_papers_package_its_commands_say_what_to_install(desk, monkeypatch, typed):
    monkeypatch.setattr(plugins, "added", lambda _: {})
    desk.put("paper.toml", '[paper]\nname = "own"\n')
    desk.run(*typed.split()).refused(2, "shoal-paper", "not installed")
    assert "shoal-paper" in desk.run(typed.split()[0], "--help").fine().out


def test_without_the_papers_package_studies_of_ones_own_are_run(desk, people, monkeypatch):
    monkeypatch.setattr(plugins, "added", lambda _: {})
    desk.put("people.csv", people)
    desk.put("my.toml", GRID)
    done = desk.run("study", "my.toml").fine()
    assert "sorted-clusters k=3" in done.out
    assert desk.read("study/study.csv").startswith("method,parameters,models,seed,measure,value")
    desk.run("study", "my.toml", "--out", "-").refused(2, "stdout")
