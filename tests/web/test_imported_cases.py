"""Cases that somebody else made: whatever they say, no file is read or written but those of the case."""

import json

import pytest
from web.conftest import people, serving

from shoal.web.cases.transfer import _digest

UP = "../" * 20


def named(place):
    """Let the file of a case, of which no digest is known, lie somewhere else."""

    def change(case):
        case["info"] |= {"file": str(place), "sha256": None}
        case["profile"]["sha256"] = None

    return change


def beside(name, sha256="0" * 64):
    def change(case):
        for version in case["versions"]:
            version["files"] = [{"name": str(name), "sha256": str(sha256)}]

    return change


def built(place):
    def change(case):
        for hierarchy in case["hierarchies"].values():
            hierarchy["how"] = str(place)

    return change


def promised(place):
    def change(case):
        for version in case["versions"]:
            version["rule"] = {"name": "k-map", "k": 2, "population": str(place)}

    return change


def written(release):
    def change(case):
        case["written"] = [{"id": "x", "release": {"label": "hilbert, k = 5"} | release}]

    return change


def decided(name, value):
    def change(case):
        case["versions"][-1][name] = value

    return change


def seen(name, value):
    def change(case):
        case["profile"]["columns"][0][name] = value

    return change


@pytest.mark.parametrize(
    "change",
    [
        named,
        lambda place: named(f"{UP}{place}"),
        lambda place: named(".."),
        beside,
        lambda place: beside(f"{UP}{place}"),
        lambda place: beside(place.name, place.parent),
        lambda place: beside(place.name, f"{UP}{place.parent}"),
        lambda place: beside("a\0b"),
        built,
        promised,
        lambda _: written({}),
        lambda _: written({"written": "yesterday"}),
        lambda _: decided("at", "yesterday"),
        lambda _: decided("at", "0001-01-01T00:00:00+14:00"),
        lambda _: decided("roles", {"age": "person"}),
        lambda _: seen("kind", "number"),
        lambda _: seen("role", "pseudonym"),
    ],
)
def test_a_case_that_names_files_elsewhere_or_lacks_what_it_needs_is_damaged(tmp_path, change):
    place = tmp_path / "elsewhere" / "private.csv"
    place.parent.mkdir()
    place.write_bytes(people(70))
    with serving(tmp_path / "server") as (visitor, _):
        visitor.opened()
        visitor.post("/api/hierarchy/build?wait=30", json={"column": "age", "how": "bands 5,20"})
        visitor.client.put("/api/files?name=x.json", content=b"{}")
        whole = visitor.get(f"/api/cases/{visitor.state()['case']}.json").json()
        assert whole["case"]["hierarchies"]
        for wrong in (False, True):
            if wrong:
                change(place)(whole["case"])
            whole["sha256"] = _digest(whole["case"])
            answer = visitor.client.put("/api/cases/import", content=json.dumps(whole).encode())
            assert answer.status_code == (422 if wrong else 200)
        assert str(place) not in answer.text
        assert len(visitor.get("/api/cases").json()) == 2
