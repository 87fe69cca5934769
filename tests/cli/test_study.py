"""The paper's study of a table that is given: in full, masked already, or of another kind."""

import json
from pathlib import Path

import pytest

import shoal
from shoal_paper.datasets.discharges import QUASI, SENSITIVE, write

ROLES = ("--quasi", ",".join(QUASI), "--sensitive", ",".join(SENSITIVE))
SETTINGS = Path(__file__).parents[2] / "reproduction"
PART = 2000  # records of a public table
OWN = """
[paper]
name = "own"
secret = "{secret}"
where = "{where}"
[table]
file = "own.csv"
quasi = ["age", "job"]
sensitive = ["pay", "ill"]
knowledge = {{age = "census", job = "work"}}
[method]
name = "mask-uniques"
order = ["age -> *"]
"""


@pytest.fixture
def paper_alone(monkeypatch):
    """Leave out what goes beyond the paper, which takes longer than all of it."""
    monkeypatch.setattr("shoal_paper.reproduction.experiments.EXPERIMENTS", ())


@pytest.mark.usefixtures("paper_alone")
def test_records_in_full_and_as_the_state_masks_them_are_studied_from_the_command_line(desk):
    """Whoever has only the masked file finds what whoever has the records finds, but for the truth."""
    desk.run("data", "discharges", "--rows", 30_000, "--out", "full.csv").fine()
    masking = ("--method", "mask-uniques", "--masked-counts", "counts.csv", "--no-promise")
    desk.run("anonymize", "full.csv", "--out", "pd.csv", *ROLES, *masking).fine()
    full = desk.run("study", "--data", "full.csv", "--out", "F", "--json").json()
    masked = desk.run("study", "--data", "pd.csv", "--counts", "counts.csv", "--out", "D", "--json").json()
    assert (full["data"], masked["data"]) == ("full.csv", "pd.csv")
    before, after = full["uniqueness"], masked["uniqueness"]
    assert 0 < before["pd"] < before["spd"] < before["truth"] <= 1
    assert after["truth"] is None
    assert after["pd"] == before["pd"]
    assert after["spd"] == pytest.approx(before["spd"], abs=0.003)  # rows of a release stand in another order
    assert masked["SHA-256 of truth"] is None
    for name in ("F", "D"):
        content = json.loads(desk.read(f"{name}/study.json"))
        assert content["made"]["records"] == 30_000
        assert all(content["results"][step] for step in ("masking", "knowledge", "comparison", "closeness", "surfaces"))
        assert content["made"]["SHA-256 of SPD"] in desk.read(f"{name}/report.html")
    told = [{claim["id"] for claim in found["claims"]} for found in (full, masked)]
    assert told[0] - told[1] >= {"margins-kept"}  # which nobody can tell without the truth
    assert {"unique-spd", "one-in-k"} <= told[1]


@pytest.fixture(scope="module")
def given(tmp_path_factory):
    """Give a small table in full, the same masked, and how often each value was."""
    folder = tmp_path_factory.mktemp("given")
    write(folder / "full.csv", 400)
    table = shoal.read(folder / "full.csv", quasi=QUASI, sensitive=SENSITIVE)
    release = shoal.anonymize(table, shoal.methods.MaskUniques(), no_promise=True, measures=())
    release.write(folder / "pd.csv", masked_counts=folder / "counts.csv")
    return {name: (folder / f"{name}.csv").read_text(encoding="utf-8") for name in ("full", "pd", "counts")}


def doubled(counts: str) -> str:
    first, second, *others = counts.splitlines()
    return "\n".join([first, second, second, *others])


@pytest.mark.parametrize(
    ("data", "counts", "code", "said"),
    [
        ("full", lambda text: text, 2, ("no cell of the table is masked", "--counts")),
        ("pd", None, 3, ("is masked", "--counts FILE")),
        ("pd", doubled, 3, ("'age_yrs'", "masked cells, but counts for", "add up")),
        ("pd", lambda text: text.splitlines()[0], 3, ("masked cells, but counts for 0", "add up")),
        ("pd", lambda text: text.replace("column,value", "name,cell"), 3, ("'counts.csv'", "column, value and")),
        ("pd", lambda text: text.replace("\nage_yrs", "\nage_years"), 2, ("no column 'age_years'", "'age_yrs'")),
        ("pd", lambda text: text + "race,SECRET-123,1\n", 2, ("'race'", "no integer")),
        ("pd", lambda text: text + "race,1,some\n", 3, ("'counts.csv'", "whole number")),
        ("pd", lambda text: text + "race,99,-1\n", 2, ("'race'", "negative")),
    ],
    ids=[
        "nothing masked", "no counts", "too many", "none", "other columns", "unknown column", "no number", "no count",
        "negative",
    ],
)  # fmt: skip
def test_counts_that_do_not_go_with_a_table_are_refused(desk, given, data, counts, code, said):
    desk.put("data.csv", given[data])
    more = () if counts is None else ("--counts", desk.put("counts.csv", counts(given["counts"])).name)
    desk.run("study", "--data", "data.csv", *more, "--out", "D").refused(code, *said)
    assert not (desk.folder / "D").exists()


@pytest.mark.parametrize(
    ("change", "code", "said"),
    [
        (lambda text: text.replace("age_yrs", "years", 1), 2, ("no column 'age_yrs'",)),
        (lambda text: text.replace(",charge,", ",price,", 1), 2, ("no column 'charge'",)),
        (lambda text: text.splitlines()[0], 3, ("no records",)),
        (lambda text: "\n".join(text.splitlines()[:4]), 3, ("at least 10 records",)),
        (lambda text: text + text.splitlines()[1].replace(",", ",SECRET-123", 1), 3, ("'age_yrs'", "integer")),
    ],
    ids=["unknown column", "no secret", "no records", "too few records", "no number"],
)
def test_tables_that_are_no_discharges_are_refused(desk, given, change, code, said):
    desk.put("data.csv", change(given["full"]))
    desk.run("study", "--data", "data.csv", "--out", "D").refused(code, *said)
    assert not (desk.folder / "D").exists()


def test_files_that_are_not_there_are_named(desk, given):
    desk.put("pd.csv", given["pd"])
    desk.run("study", "--data", "pd.csv", "--counts", "none.csv", "--out", "D").refused(3, "none.csv")
    desk.run("study", "--data", "none.csv", "--out", "D").refused(3, "none.csv")
    desk.run("study", "--counts", "none.csv", "--out", "D").refused(2, "--data FILE")
    desk.run("study", "none.toml", "--out", "D").refused(2, "none.toml")


@pytest.mark.usefixtures("paper_alone")
def test_cells_without_a_value_stay_so_and_are_studied(desk, given):
    """The state's files have gaps beside what is masked."""
    head, *lines = given["full"].splitlines()
    cells = [line.split(",") for line in lines]
    for number, row in enumerate(cells):
        row[(1, 4, 5, 9, 10)[number % 5]] = ""
    desk.put("full.csv", "\n".join([head, *map(",".join, cells)]))
    masking = ("--method", "mask-uniques", "--masked-counts", "counts.csv", "--no-promise")
    desk.run("anonymize", "full.csv", "--out", "pd.csv", *ROLES, *masking).fine()
    full = desk.run("study", "--data", "full.csv", "--out", "F", "--json").json()
    masked = desk.run("study", "--data", "pd.csv", "--counts", "counts.csv", "--out", "D", "--json").json()
    assert masked["uniqueness"]["pd"] == full["uniqueness"]["pd"]
    kept = next(claim for claim in full["claims"] if claim["id"] == "margins-kept")
    assert kept["holds"]
    found = {(row["data"], row["what"]): row["value"] for row in _rows(desk, "F", "regeneration")}
    assert found["truth", "childbirths of men or outside 10-55 years"] == 0
    assert found["truth", "ZIP codes outside their county"] == 0


@pytest.mark.parametrize(
    ("name", "place", "groups"),
    [
        ("adult", "adult/adult.csv", {"census", "work"}),
        ("nhds", "hospital/nhds2010_sample20k.csv", {"census", "spatial", "temporal", "financial"}),
    ],
)
def test_other_public_tables_are_studied_by_a_setting_alone(desk, public_file, name, place, groups):
    with public_file(place).open(encoding="utf-8") as file:
        desk.put("part.csv", "".join(line for line, _ in zip(file, range(PART + 1), strict=False)))
    setting = SETTINGS / f"{name}.toml"
    found = desk.run("study", setting, "--data", "part.csv", "--out", "found", "--json").json()
    assert (found["data"], found["records"], found["seed"]) == ("part.csv", PART, None)
    assert 0 < found["uniqueness"]["pd"] < found["uniqueness"]["truth"] <= 1
    claims = {claim["id"]: claim for claim in found["claims"]}
    assert {claim["kind"] for claim in claims.values()} == {"by construction", "tested"}
    assert all(claim["holds"] for claim in claims.values() if claim["kind"] == "by construction")
    assert not {"unique-spd", "spatiotemporal-costs-more"} & set(claims)  # which are about the discharges alone
    known = {row["known"] for row in _rows(desk, "found", "knowledge")}
    assert len(known) == 2 ** len(groups) - 1
    assert {group for groups in known for group in groups.split(" + ")} == groups


@pytest.mark.parametrize(
    ("secret", "where", "code", "said"),
    [
        ("wage", "wage > 3", 2, ("'wage'", "no confidential column", "pay, ill")),
        ("age", "age > 30", 2, ("'age'", "no confidential column")),
        ("pay", "age > 30", 2, ("'age'", "no confidential column")),
        ("ill", "ill = flu", 2, ("'ill'", "without an order", "[table.orders]")),
    ],
    ids=["unknown", "known", "condition on what is known", "no order"],
)
def test_a_secret_that_is_none_is_refused_before_anything_is_measured(desk, secret, where, code, said):
    desk.put("own.toml", OWN.format(secret=secret, where=where))
    lines = [f"{20 + row},{'ab'[row % 2]},{row * 100},{('flu', 'cold')[row % 2]}" for row in range(12)]
    desk.put("own.csv", "\n".join(["age,job,pay,ill", *lines]))
    desk.run("study", "own.toml", "--out", "D").refused(code, *said)
    assert not (desk.folder / "D").exists()


def test_a_known_attribute_without_a_group_is_refused(desk):
    """It would be left out of what an attacker knows, and nobody would see it."""
    desk.put("own.toml", OWN.format(secret="pay", where="pay > 1").replace(', job = "work"', ', pay = "work"'))
    desk.run("study", "own.toml", "--out", "D").refused(2, "'job'", "[table.knowledge]")


def _rows(desk, folder, step):
    return json.loads(desk.read(f"{folder}/study.json"))["results"][step]
