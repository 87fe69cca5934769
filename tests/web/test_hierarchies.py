"""Hierarchies in the workbench: built or sent, merged, used by the methods, and written down."""

import csv
import io
import shlex
from itertools import groupby

import pytest
from hypothesis import given
from hypothesis import strategies as st
from web.conftest import people

from shoal.certification.verification import verify
from shoal.domains.hierarchy import Hierarchy
from shoal.errors import ShoalError
from shoal.recipe import Recipe
from shoal.web import code_export
from shoal.web.cases.hierarchies import ColumnHierarchy, HierarchyNode

SIZES = "".join(f"{size};{'small' if size < 41 else 'large'};*\n" for size in range(36, 46)).encode()


@pytest.fixture(scope="module")
def planted(house):
    """Somebody whose ages are in bands, and whose sizes of shoes are in a tree that was sent."""
    someone = house[1]().opened(people(150))
    job = someone.post("/api/hierarchy/build?wait=30", json={"column": "age", "how": "bands 5,20"}).json()
    assert job["state"] == "done", job
    job = someone.client.put("/api/hierarchy?column=shoe&wait=30", content=SIZES).json()
    assert job["state"] == "done", job
    return someone


def decisions_of(visitor):
    return visitor.session.case.decisions


def test_people_are_counted_in_every_group(planted):
    told = planted.get("/api/hierarchy?column=age").json()
    assert told["how"] == "bands 5,20"
    ages = [int(line.split(b",")[1]) for line in people(150).splitlines()[1:]]
    assert {row[0]: n for row, n in zip(told["levels"], told["people"], strict=True)} == {
        str(age): ages.count(age) for age in set(ages)
    }
    text = planted.get("/hierarchies?of=age").text
    band = sum(20 <= age < 25 for age in ages)
    assert '<span dir="auto">20-24</span> <svg' in text
    assert f"<small>{band} people," in text
    assert "What belongs together?" in text
    assert set(planted.get("/api/hierarchies").json()) == {"age", "shoe"}
    assert "With 2 hierarchies" in planted.get("/protect").text


def test_a_tree_comes_back_as_the_file_that_was_sent(planted):
    answer = planted.get("/hierarchies/file?of=shoe")
    assert answer.content == SIZES
    assert "shoe.hierarchy.csv" in answer.headers["content-disposition"]
    assert planted.get("/hierarchies/file?of=zip").status_code == 404


@pytest.mark.parametrize("method", ["hilbert", "mondrian", "sorted-clusters"])
def test_releases_hold_only_groups_of_the_tree_and_all_ways_write_the_same(planted, method, tmp_path, monkeypatch):
    from shoal.cli import application

    job = planted.post("/api/anonymize?wait=30", json={"method": method, "k": 4}).json()
    assert job["state"] == "done", job
    told = next(each for each in planted.get("/api/releases").json() if each["id"] == job["id"])
    names = {kind: each["name"] for kind, each in told["files"].items()}
    assert names["hierarchy of shoe"] == "shoe.hierarchy.csv"
    for name in names.values():
        (tmp_path / name).write_bytes(planted.get(f"/api/releases/{job['id']}/{name}").content)
    (tmp_path / "people.csv").write_bytes(people(150))
    places = {kind: tmp_path / names[kind] for kind in ("table", "certificate", "private")}
    private, original = places["private"], tmp_path / "people.csv"
    assert verify(places["table"], places["certificate"], private=private, original=original).proved
    trees = {
        column: {text for row in planted.get(f"/api/hierarchy?column={column}").json()["levels"] for text in row}
        for column in ("age", "shoe")
    }
    released = list(csv.DictReader(io.StringIO((tmp_path / names["table"]).read_text(encoding="utf-8"))))
    for column, nodes in trees.items():
        assert {row[column] for row in released} <= nodes
    recipe = Recipe.load(tmp_path / names["recipe"])
    assert recipe.options.hierarchies == {"age": "bands 5,20", "shoe": str(tmp_path / "shoe.hierarchy.csv")}
    monkeypatch.chdir(tmp_path)
    files = {"table": "again.csv", "recipe": "again.toml", "report": "again.html"}
    words = shlex.split(code_export.command("people.csv", decisions_of(planted), files).replace("\\\n", " "))
    application()(words[1:], standalone_mode=False)
    exec(code_export.python("people.csv", decisions_of(planted), {"table": "python.csv", "recipe": "p.toml"}), {})
    wanted = (tmp_path / names["table"]).read_bytes()
    assert (tmp_path / "again.csv").read_bytes() == (tmp_path / "python.csv").read_bytes() == wanted
    shown = planted.get("/release").text
    assert "--hierarchy" in shown
    assert "shoe.hierarchy.csv" in shown


def test_candidates_belong_to_the_trees_they_were_made_with(visitor):
    visitor.opened(people(80))
    plain = visitor.tried()
    visitor.post("/hierarchies/build", data={"column": "age", "kind": "bands", "numbers": "10,30"})
    visitor.get("/hierarchies?of=age")
    with_hierarchy = visitor.tried()
    assert plain.keys() == with_hierarchy.keys()
    assert plain != with_hierarchy
    visitor.post("/hierarchies/remove", data={"column": "age"})
    assert visitor.tried() == plain
    visitor.post("/undo")
    assert visitor.tried() == with_hierarchy
    visitor.client.put("/api/roles", json={"roles": {"age": "plain"}})
    assert visitor.get("/api/hierarchies").json() == {}


def test_small_groups_are_merged_where_someone_asks_for_it(visitor):
    visitor.opened(people(60))
    visitor.post("/api/hierarchy/build?wait=30", json={"column": "age", "how": "bands 5,10,20"})
    before = visitor.get("/api/hierarchy?column=age").json()
    merged = visitor.post("/api/hierarchy/merge", json={"column": "age", "least": 12}).json()
    assert merged["how"] == ""
    assert sum(merged["people"]) == sum(before["people"]) == 60
    visitor.post("/hierarchies/merge", data={"column": "age", "least": 40, "into": "parent"})
    assert visitor.get("/api/hierarchy?column=age").json()["levels"] != merged["levels"]
    assert visitor.post("/api/hierarchy/merge", json={"column": "age", "least": 1}).status_code == 422
    assert visitor.post("/api/hierarchy/merge", json={"column": "zip", "least": 9}).status_code == 404
    assert visitor.tried()


@pytest.mark.parametrize(
    ("content", "what"),
    [
        (SIZES.replace(b"36;small;*\n", b""), "does not cover"),
        (SIZES.replace(b"37;small", b"37;tiny").replace(b"38;small;*", b"38;tiny;other"), "no tree"),
        (SIZES.replace(b"37;small;*", b"37;*"), "levels on line"),
        (SIZES + b"36;large;*\n", "disagrees with line"),
        (SIZES.replace(b"small", b"=cmd()"), "formulas"),
        (b"", "empty"),
    ],
)
def test_what_is_no_tree_over_the_values_changes_nothing(planted, content, what):
    before = planted.state(), planted.get("/api/hierarchy?column=shoe").json()
    job = planted.client.put("/api/hierarchy?column=shoe&wait=30", content=content).json()
    assert job["state"] == "failed"
    assert what in job["error"]
    assert job["remedy"]
    text = planted.get("/hierarchies?of=shoe").text
    assert "✗" in text
    assert what in text
    after = planted.state(), planted.get("/api/hierarchy?column=shoe").json()
    assert {**after[0], "jobs": 0} == {**before[0], "jobs": 0}
    assert after[1] == before[1]


@pytest.mark.parametrize(
    ("way", "path", "body", "status"),
    [
        ("post", "/api/hierarchy/build", {"column": "age", "how": "/etc/passwd"}, 422),
        ("post", "/api/hierarchy/build", {"column": "age", "how": ""}, 422),
        ("post", "/api/hierarchy/build", {"column": "diagnosis", "how": "prefix 1"}, 422),
        ("post", "/api/hierarchy/build", {"column": "nothing", "how": "dates"}, 422),
        ("delete", "/api/hierarchy?column=nothing", None, 422),
        ("get", "/api/hierarchy?column=nothing", None, 404),
    ],
)
def test_what_cannot_be_built_is_refused(planted, way, path, body, status):
    answer = planted.client.request(way, path, json=body)
    assert answer.status_code == status
    assert answer.json()["remedy"]


def test_a_builder_that_does_not_suit_the_values_is_told(planted):
    job = planted.post("/api/hierarchy/build?wait=30", json={"column": "sex", "how": "bands 5"}).json()
    assert (job["state"], "does not suit" in job["error"]) == ("failed", True)
    assert planted.client.put("/api/hierarchy?column=sex", content=b"\xff\xfe").status_code == 422
    assert planted.client.put("/api/hierarchy?column=sex", content=b"a" * (17 << 20)).status_code == 413
    sent = planted.post("/hierarchies/upload?of=zip", files={"file": ("t.csv", b"90000;x;*\n")})
    assert "does not cover" in sent.text


@st.composite
def trees(draw):
    """Draw a tree of up to five levels over numbered values, with people on each."""
    height, values = draw(st.integers(2, 5)), draw(st.integers(1, 25))
    rows = [[f"v{n}"] for n in range(values)]
    for level in range(1, height):
        number = 0
        for place, row in enumerate(rows):
            below = place and row[level - 1] == rows[place - 1][level - 1]
            number += bool(place and not below and draw(st.booleans()))
            row.append(f"n{level}.{number}")
    found = Hierarchy.of([(*row, "*") for row in rows], "x").levels
    return ColumnHierarchy("", found, tuple(draw(st.lists(st.integers(0, 30), min_size=values, max_size=values))))


@given(trees(), st.integers(2, 60), st.sampled_from(["neighbour", "parent"]))
def test_after_merging_no_group_that_has_a_neighbour_is_too_small(tree, least, into):
    try:
        merged = tree.merged(least, into)
    except ShoalError:
        merged = tree
    assert dict(zip((row[0] for row in merged.rows), merged.counts, strict=True)) == dict(
        zip((row[0] for row in tree.rows), tree.counts, strict=True)
    )
    people = {row[0]: count for row, count in zip(merged.rows, merged.counts, strict=True)}
    for level in range(1, len(merged.rows[0]) - 1):
        for _, under in groupby(merged.rows, key=lambda row: row[level + 1]):
            sizes = [sum(people[row[0]] for row in part) for _, part in groupby(under, key=lambda row: row[level])]
            assert len(sizes) == 1 or min(sizes) >= least
    assert merged.root.people == sum(merged.counts)
    assert merged.root.values == len(merged.rows)
    told = [node for node in walked(merged.root) if not node.inside]
    assert [node.name for node in told] == [row[0] for row in merged.rows]


def walked(node: HierarchyNode):
    yield node
    for each in node.inside:
        yield from walked(each)


def test_of_a_large_tree_the_page_draws_the_levels_that_it_can_show(visitor):
    codes = [f"{code:04}" for code in range(10_000)]
    visitor.opened(b"zip,sex\n" + "".join(f"{code},{code[3]}\n" for code in codes).encode())
    visitor.client.put("/api/roles", json={"roles": {"zip": "quasi"}})
    job = visitor.post("/api/hierarchy/build?wait=30", json={"column": "zip", "how": "prefix 3,2,1"}).json()
    assert job["state"] == "done", job
    text = visitor.get("/hierarchies?of=zip").text
    assert '<span dir="auto">937*</span>' in text
    assert "10 people, 10 values" in text
    assert '<span dir="auto">9371</span>' not in text
    assert text.count("<li>") < 1500


@pytest.mark.parametrize("values", [1, 2, 39, 900, 5000])
def test_a_tree_of_one_level_is_drawn(values):
    tree = ColumnHierarchy("", tuple((str(value), "*") for value in range(values)), (1,) * values)
    assert tree.depth_drawn == int(values > 1)
