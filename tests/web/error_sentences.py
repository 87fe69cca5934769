"""What errors say, read from the code that raises them: each sentence as it may come, with something in its places."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path

NUMBER, TEXT = "1,234", "something"


def sentences(path: Path, but: str = "") -> Iterator[str]:
    """Give what the errors of a module say and what is to be done, as far as it is written where they are made.

    To these belong what models say could be asked for, and why measures had nothing to measure. A function may be left
    out, by its name.
    """
    for node in _nodes(ast.parse(path.read_text(encoding="utf-8")), but):
        if isinstance(node, ast.Call) and _name(node.func).endswith(("Error", "failure")):
            for given in node.args[:2]:
                yield from (text for text in _texts(given) if text.endswith((".", "?")))
        elif isinstance(node, ast.Call) and _name(node.func) == "nothing_to_measure":
            yield from _texts(node.args[1])
        elif isinstance(node, ast.FunctionDef) and node.name == "nearest":
            returned = (each.value for each in ast.walk(node) if isinstance(each, ast.Return) and each.value)
            yield from (text for value in returned for text in _texts(value) if text.endswith("."))


def _nodes(node: ast.AST, but: str) -> Iterator[ast.AST]:
    yield node
    for each in ast.iter_child_nodes(node):
        if not (isinstance(each, ast.FunctionDef) and each.name == but):
            yield from _nodes(each, but)


def _name(called: ast.expr) -> str:
    return called.id if isinstance(called, ast.Name) else called.attr if isinstance(called, ast.Attribute) else ""


def _texts(given: ast.expr) -> Iterator[str]:
    if isinstance(given, ast.IfExp):
        yield from _texts(given.body)
        yield from _texts(given.orelse)
    elif isinstance(given, ast.Constant) and isinstance(given.value, str):
        yield given.value
    elif isinstance(given, ast.JoinedStr):
        whole = [""]
        for part in given.values:
            ways = list(_texts(part)) if isinstance(part, ast.Constant) else list(_filled(part))
            whole = [before + way for before in whole for way in ways]
        yield from whole


def _filled(part: ast.expr) -> Iterator[str]:
    """Give what may stand in a place: a text that is written there, a plural's ending, a number, or anything."""
    assert isinstance(part, ast.FormattedValue)
    value = part.value
    if isinstance(value, ast.BinOp) and isinstance(value.op, ast.Mult) and _is_text(value.left):
        yield from ("", *_texts(value.left))
    else:
        written = list(_texts(value)) if isinstance(value, ast.IfExp) else []
        yield from written or [NUMBER if part.format_spec is not None else TEXT]


def _is_text(value: ast.expr) -> bool:
    return isinstance(value, ast.Constant) and isinstance(value.value, str)
