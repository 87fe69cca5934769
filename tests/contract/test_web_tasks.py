"""What every task of the workbench must do: give the same wherever its table is held, and prove what it has written."""

import pytest
from engines.tiny import Tiny
from web.conftest import people

from shoal.engines.disk.pool import DiskPool
from shoal.engines.factory import ENGINES
from shoal.engines.local import Local
from shoal.errors import InternalError
from shoal.web.cases.aims import Aim
from shoal.web.tasks.registry import TASKS, task_kind

ROLES = {"age": "quasi", "sex": "quasi", "zip": "quasi", "shoe": "plain", "diagnosis": "sensitive"}
NAMES = {
    "table": "out.csv", "certificate": "out.certificate.json", "private": "out.private.json",
    "recipe": "out.recipe.toml", "report": "out.report.html",
}  # fmt: skip
ASKED = [aim.asked for aim in (Aim(k=3), Aim("mondrian", 3), Aim("sorted-clusters", 4))]
MORE = {
    "tree": {"column": "zip", "how": "prefix 4,2"},
    "tree-preview": {"column": "zip", "how": "prefix 4,2"},
    "unicity": {"roles": ROLES | {"shoe": "subject"}},
    "attack": {"candidate": ASKED[0]},
    "levels": {"models": ({"name": "k-anonymity", "k": 3},)},
    "search": {"exact": ASKED},
    "spread": {"candidates": ASKED[:1]},
    "scores": {"candidates": ASKED[:2], "measures": ({"name": "discernibility"}, {"name": "sse"})},
    "rows": {"candidate": ASKED[0], "count": 4},
    "reasons": {"fewer": 2},
    "sections": {"asked": {"suda": True}},
    "certificate": {"asked": {}, "digest": "of what was asked"},
    "publish": {"candidate": ASKED[0], "files": NAMES, "approval": {"date": "2026-11-18"}},
}


class Told:
    """What a task says while it works, and what it has found."""

    def __init__(self):
        self.parts = []

    def step(self, what, done=0, of=0, left=None):
        pass

    def partial(self, found):
        self.parts.append(found.plain())


def done(task, folder, held_by, monkeypatch, hierarchies):
    """Do a task with the engine that a table of some size would get."""
    folder.mkdir()
    (folder / "people.csv").write_bytes(people(70).replace(b",f,", b",,", 5))
    engines = []

    def chosen(*_):
        engines.append(held_by(folder))
        return engines[-1]

    monkeypatch.setitem(ENGINES, "local", chosen)
    request = {
        "file": str(folder / "people.csv"), "name": "people.csv", "folder": str(folder),
    } | MORE.get(task, {})  # fmt: skip
    if task == "look":
        request["most_columns"] = 20
    elif task not in ("preview", "tree", "tree-preview", "harbor", "population"):
        request = {"roles": ROLES, "hierarchies": hierarchies} | request
    kind = task_kind(task)
    told = Told()
    result = kind.load()(kind.request.model_validate(request), told)
    assert isinstance(result, kind.result)
    # Attacks set people aside, which two more hold; a release is attacked for its report, and proved by one of its own.
    assert len(engines) == {"attack": 3, "publish": 4}.get(task, 1)
    return [{name: value for name, value in result.plain().items() if name != "costs"}, told.parts]


def alike(one, other):
    """Insist on the same, but for what sums of parts round differently."""
    if isinstance(one, dict):
        assert one.keys() == other.keys()
        one, other = list(one.values()), list(other.values())
    if isinstance(one, list):
        for mine, theirs in zip(one, other, strict=True):
            alike(mine, theirs)
    else:
        assert other == (pytest.approx(one, rel=1e-12, abs=1e-12) if isinstance(one, float) else one)


@pytest.mark.parametrize(("task", "hierarchies"), [*((name, {}) for name in TASKS), ("search", {"zip": "prefix 4,2"})])
def test_a_task_gives_the_same_for_a_table_in_memory_and_for_one_on_disk(task, hierarchies, tmp_path, monkeypatch):
    ways = {"memory": lambda _: Local(), "disk": lambda folder: Tiny(DiskPool(folder), 9)}
    found = {name: done(task, tmp_path / name, held_by, monkeypatch, hierarchies) for name, held_by in ways.items()}
    if task == "publish":  # certificates name the engine, and are salted
        for name, (result, _) in found.items():
            del result["digest"], result["files"]["certificate"], result["files"]["private"], result["files"]["report"]
            assert result["proved"]
            assert result["sha256"]
            assert (tmp_path / name / "out.csv").read_bytes() == (tmp_path / "memory" / "out.csv").read_bytes()
    alike(found["memory"], found["disk"])


def test_a_task_that_does_not_exist_is_refused():
    with pytest.raises(InternalError, match="no task 'pubish'"):
        task_kind("pubish")
