"""Input that can be read in two ways: nothing is guessed, nobody is taken for a header, and the remedy works."""

import pytest
from cli.conftest import SECRET

BARE = "".join(f"3{i},{sex},{SECRET}\n" for i, sex in enumerate("fmfmfm"))
STUDY = """\
[table]
file = "in.csv"
quasi = ["30", "f"]
[[method]]
name = "hilbert"
[[model]]
name = "k-anonymity"
k = 2
"""
COMMANDS = {
    "anonymize": ("anonymize", "in.csv", "--quasi", "30,f", "--k", 2, "--out", "out.csv"),
    "inspect": ("inspect", "in.csv"),
    "risk": ("risk", "in.csv", "--quasi", "30,f"),
    "risk of guessed columns": ("risk", "in.csv"),
    "compare": ("compare", "in.csv", "in.csv", "--quasi", "30,f"),
    "compare methods": ("compare", "in.csv", "--methods", "hilbert", "--k", "2", "--quasi", "30,f"),
    "run": ("run", "asked.toml"),
    "study": ("study", "asked.toml", "--out", "found"),
}


@pytest.mark.parametrize("name", COMMANDS)
def test_no_command_takes_the_first_person_for_names(desk, name):
    """A file without a header is refused everywhere, also where its first cells were named as columns."""
    desk.put("in.csv", BARE)
    desk.put("asked.toml", STUDY + '[release]\nfile = "out.csv"\n' * (name == "run"))
    desk.run(*COMMANDS[name]).refused(3, "first line", "--no-header", "--header")


def test_a_file_without_a_header_goes_the_whole_way(desk):
    """What was said of the original is kept, so that its release is made again and proved without saying it again."""
    made = desk.mask(BARE, "--no-header", "--quasi", "c1,c2", "--sensitive", "c3", "--save-recipe", "again.toml")
    made.fine()
    assert desk.read("out.csv").startswith("c1,c2,c3\n")
    assert "header" not in desk.paper()["recipe"]["table"]
    desk.check("--private", "out.private.json", "--original", "in.csv").fine()
    first = desk.read("out.csv")
    desk.run("run", "--overwrite", "again.toml").fine()
    assert desk.read("out.csv") == first
    told = ("--no-header", "--quasi", "c1,c2", "--json")
    assert desk.run("risk", "in.csv", *told).json()["records"] == 6
    assert desk.run("compare", "in.csv", "out.csv", *told).json()["releases"][0]["unique"] == 0
    columns = desk.run("inspect", "in.csv", "--no-header", "--json").json()["columns"]
    assert [column["name"] for column in columns] == ["c1", "c2", "c3"]


@pytest.mark.parametrize(
    ("cells", "words", "told"),
    [
        (('"80,867"', "428"), ("--thousands", "--decimal"), ("--thousands", ",")),
        (("03/09/2024", "14/09/2024"), ("--dates",), ("--dates", "dmy")),
        (("45 %", "7 %"), ("--kind a=float",), ("--kind", "a=float")),
        (("3*", "4*"), ("--masked", "--no-masked"), ("--no-masked",)),
        (("93*", "94*"), ("--masked", "--no-masked"), ("--masked",)),
    ],
)
def test_what_can_be_read_in_two_ways_is_asked_about(desk, cells, words, told):
    """Nothing is guessed that would change what is released; the remedy works, and the release is proved."""
    text = "a,b\n" + "".join(f"{cell},{i}\n" for i, cell in enumerate(cells * 3))
    desk.mask(text, "--quasi", "a", "--sensitive", "b").refused(3, "'a'", *words)
    desk.mask(text, "--quasi", "a", "--sensitive", "b", *told).fine()
    desk.check("--private", "out.private.json", "--original", "in.csv").fine()
    desk.mask(text, "--quasi", "b", "--sensitive", "a", *told).fine()
    desk.check("--private", "out.private.json", "--original", "in.csv").fine()
