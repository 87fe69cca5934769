"""One door to the data: tables have every verb of engines, and what is above them knows no other way."""

import inspect
import re

from architecture.source import MODULES, stage

from shoal.engines import protocol
from shoal.table import Table

# What an engine is asked before there is a table, and its name.
BEFORE = {"name", "read", "digest"}


def verbs() -> set[str]:
    groups = (protocol.Storage, protocol.Rows, protocol.Groups)
    return {name for group in groups for name in vars(group) if not name.startswith("_")}


def test_tables_hand_every_verb_to_their_engine():
    handed = set(re.findall(r"self\._engine\.(\w+)\(", inspect.getsource(Table)))
    assert handed == verbs() - BEFORE


def test_methods_models_and_measures_speak_to_tables_only():
    above = [module for module in MODULES if stage(module) in ("methods", "models", "measures")]
    assert len(above) > 50
    reaching = [m for m in above if re.search(r"\.(engine|data)\b", MODULES[m].read_text(encoding="utf-8"))]
    assert not reaching, f"use the verbs of Table: {reaching}"


def test_whatever_the_contract_leaves_untyped_says_why():
    lines = [line.strip() for line in inspect.getsource(protocol).splitlines()]
    untyped = [i for i, line in enumerate(lines) if re.search(r"\bAny\b", line) and not re.match("#|from ", line)]
    assert 0 < len(untyped) <= 5
    assert all(lines[i - 1].startswith("# Any") for i in untyped)
