"""Two tabs in any order: what is written is byte for byte what was shown where it was confirmed, or nothing is."""

import tempfile
from functools import cache
from pathlib import Path

import pytest
from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, rule, run_state_machine_as_test
from web.conftest import Visitor, people, serving

import shoal
from shoal.schema import Role

FILES = {"first.csv": people(24, seed=1), "second.csv": people(26, seed=2)}
TABS = st.sampled_from([0, 1])
SHOWN = [Role.QUASI, Role.SENSITIVE, Role.PLAIN]


@cache
def released(name, roles, method, k):
    """Give the bytes that the library writes, without a workbench."""
    with tempfile.TemporaryDirectory() as place:
        original, target = Path(place) / name, Path(place) / "out.csv"
        original.write_bytes(FILES[name])
        columns = {role.value: [column for column, given in roles if given == role] for role in SHOWN}
        shoal.anonymize(original, method=method, k=k, **columns).write(target)
        return target.read_bytes()


class TwoTabs(RuleBasedStateMachine):
    """Two tabs of one browser, each with what it showed last."""

    visitor: Visitor

    @initialize()
    def begin(self):
        self.written = len(self.visitor.get("/api/releases").json())
        self.shown = {}
        self.open("first.csv")
        for tab in (0, 1):
            self.look(tab)

    def open(self, name):
        self.visitor.client.put("/api/file", params={"name": name, "wait": 30}, content=FILES[name])
        self.visitor.client.put("/api/roles", json={"roles": {"shoe": "quasi"}})

    @rule(tab=TABS)
    def look(self, tab):
        if self.visitor.state()["undecided"]:  # the file as it was opened: what follows needs all roles
            self.visitor.client.put("/api/roles", json={"roles": {"shoe": "quasi"}})
        state = self.visitor.state()
        roles = {each["name"]: Role(each["decided"]) for each in self.visitor.get("/api/roles").json()}
        self.shown[tab] = state["version"], state["file"], tuple(roles.items()), state["aim"]["key"]

    @rule(name=st.sampled_from(sorted(FILES)))
    def open_elsewhere(self, name):
        self.open(name)

    def changed(self, tab, path, **data):
        """Change something in a tab, which then shows what holds; or it is stale, and nothing is changed."""
        now = self.visitor.state()["version"]
        fresh = self.shown[tab][0] == now
        answer = self.visitor.post(path, data={"version": self.shown[tab][0], **data})
        assert (answer.status_code == 409) == (not fresh)
        if fresh:
            self.look(tab)
        else:
            assert self.visitor.state()["version"] == now

    @rule(tab=TABS, k=st.sampled_from([2, 3, 4]), method=st.sampled_from(["hilbert", "mondrian"]))
    def choose(self, tab, k, method):
        self.changed(tab, "/protect/choose", method=method, k=k)

    @rule(tab=TABS, column=st.sampled_from(["zip", "sex"]), role=st.sampled_from(["quasi", "plain"]))
    def give_role(self, tab, column, role):
        self.changed(tab, "/roles", **{f"role of {column}": role})

    @rule(tab=TABS, way=st.sampled_from(["/undo", "/redo"]))
    def go_back(self, tab, way):
        self.changed(tab, way)

    @rule(tab=TABS)
    def write(self, tab):
        version, name, roles, key = self.shown[tab]
        fresh = version == self.visitor.state()["version"]
        confirmed = {"version": version, "key": key, "looked": "true", "others": "true"}
        answer = self.visitor.post("/release/write", data=confirmed)
        assert answer.status_code == (200 if fresh else 409)
        if fresh:
            job = next(each for each in self.visitor.state()["jobs"] if each["task"] == "publish")
            assert self.visitor.get(f"/api/jobs/{job['id']}?wait=30").json()["state"] == "done"
            self.written += 1
            method, k, *_ = key.split("~")
            table = self.visitor.get(f"/api/releases/{job['id']}/{name.removesuffix('.csv')}_release.csv")
            assert table.content == released(name, roles, method, int(k))
        assert len(self.visitor.get("/api/releases").json()) == self.written


def test_nothing_is_released_that_was_not_confirmed(tmp_path, monkeypatch):
    with serving(tmp_path) as (visitor, _):
        monkeypatch.setattr(TwoTabs, "visitor", visitor, raising=False)
        # Candidates are not looked at here: only what is written counts.
        monkeypatch.setattr("shoal.web.cases.case.Case.candidates", lambda _: {})
        quiet = settings(max_examples=6, stateful_step_count=14, deadline=None)
        run_state_machine_as_test(TwoTabs, settings=quiet)


@pytest.mark.large
def test_nothing_is_released_that_was_not_confirmed_in_many_orders(tmp_path, monkeypatch):
    with serving(tmp_path) as (visitor, _):
        monkeypatch.setattr(TwoTabs, "visitor", visitor, raising=False)
        run_state_machine_as_test(TwoTabs, settings=settings(max_examples=60, stateful_step_count=40, deadline=None))
