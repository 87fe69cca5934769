"""Hierarchies on the page: every way to build one, looked at first; groups changed by hand, undone, and sent on."""

from web.conftest import people


def form(visitor, **fields):
    return {"version": visitor.session.case.version} | fields


def built(visitor, column, how):
    answer = visitor.client.post("/api/hierarchy/build?wait=30", json={"column": column, "how": how})
    assert answer.json()["state"] == "done", answer.text
    return levels(visitor, column)


def levels(visitor, column):
    found = visitor.get("/api/hierarchy", params={"column": column}).json()
    return {row[0]: row[1:] for row in found["levels"]}


def test_a_way_to_build_is_looked_at_before_it_is_taken(visitor):
    visitor.opened()
    seen = visitor.post("/hierarchies/preview", data={"column": "age", "kind": "cuts", "numbers": "30,50"}).text
    assert "30-49" in seen
    assert "2 levels" not in seen
    assert visitor.get("/api/hierarchies").json() == {}
    wrong = visitor.post("/hierarchies/preview", data={"column": "age", "kind": "bands", "numbers": "2,7,30"}).text
    assert "7 is no multiple of 2" in wrong
    visitor.post("/hierarchies/build", data=form(visitor, column="age", kind="cuts", numbers="30,50"))
    visitor.session.case.jobs.wait("tree", 20)
    assert levels(visitor, "age")["35"][0] == "30-49"


def test_groups_come_from_another_column(visitor):
    visitor.opened()
    seen = visitor.post("/hierarchies/preview", data={"column": "zip", "kind": "columns", "numbers": "age"}).text
    assert "with several of" in seen
    file = "city,county,ill\n" + "Voss,West,flu\nBergen,West,none\nOslo,East,flu\n" * 3
    visitor.opened(file.encode())
    assert built(visitor, "city", "columns county") == {
        "Voss": ["West", "*"],
        "Bergen": ["West", "*"],
        "Oslo": ["East", "*"],
    }


def test_a_tree_is_made_by_hand_and_undone(visitor):
    """As a tree of countries is: every value by itself, then put into groups."""
    visitor.opened()
    visitor.post("/hierarchies/build", data=form(visitor, column="sex", kind="alone", numbers=""))
    visitor.session.case.jobs.wait("tree", 20)
    given = form(visitor, column="sex", level="0", action="move", group=["f", "m"], name="people")
    assert "people" in visitor.post("/hierarchies/edit", data=given).text
    assert levels(visitor, "sex") == {"f": ["people", "*"], "m": ["people", "*"]}
    visitor.post("/undo", data=form(visitor))
    assert levels(visitor, "sex") == {"f": ["f", "*"], "m": ["m", "*"]}


def test_a_group_is_split_or_given_up_for_its_parts(visitor):
    visitor.opened()
    built(visitor, "age", "bands 10,50")

    def edit(action, level, *groups, name=""):
        given = {"version": visitor.state()["version"], "column": "age", "level": str(level), "action": action}
        return visitor.post("/hierarchies/edit", data=given | {"group": groups, "name": name})

    edit("split", 1, "20-29", "30-39", name="younger")
    assert levels(visitor, "age")["25"] == ["20-29", "younger", "*"]
    assert levels(visitor, "age")["46"] == ["40-49", "0-49", "*"]
    edit("dissolve", 2, "younger")
    assert levels(visitor, "age")["25"] == ["20-29", "20-29", "*"]
    assert edit("split", 1, "20-29", "40-49", name="of two").status_code == 422
    assert edit("dissolve", 2, "20-29", "30-39").status_code == 422
    visitor.post("/undo")
    assert levels(visitor, "age")["25"] == ["20-29", "younger", "*"]


def test_groups_are_changed_by_programs_too(visitor):
    visitor.opened()
    built(visitor, "age", "bands 10,20")

    def edit(action, level, groups=(), name=""):
        given = {"column": "age", "action": action, "level": level, "groups": list(groups), "name": name}
        return visitor.client.post("/api/hierarchy/edit", json=given)

    assert edit("rename", 1, ["20-29"], "young").status_code == 200
    assert edit("borders", 2, name="40").status_code == 200
    assert levels(visitor, "age")["25"] == ["young", "under 40", "*"]
    assert edit("merge", 1, ["young", "30-39"], "under forty").status_code == 200
    assert edit("remove", 2).status_code == 200
    assert levels(visitor, "age")["35"] == ["under forty", "*"]
    assert edit("rename", 1, ["nobody"], "x").status_code == 422
    assert edit("rename", 1, ["under forty", "40-49"], "x").status_code == 422
    assert visitor.tried()  # what was changed can be used


def test_a_stale_form_changes_nothing(visitor):
    visitor.opened(people())
    built(visitor, "age", "bands 10")
    stale = form(visitor, column="age", level="1", action="rename", group="20-29", name="young")
    visitor.post("/roles", data=form(visitor, **{"role of shoe": "plain"}))
    assert visitor.post("/hierarchies/edit", data=stale).status_code == 409
    assert levels(visitor, "age")["25"] == ["20-29", "*"]
    strange = form(visitor, column="age", level="1", action="burn")
    assert visitor.post("/hierarchies/edit", data=strange).status_code == 422
