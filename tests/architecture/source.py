"""Both packages as files: every module, what it imports and from where."""

import ast
import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from pathlib import Path

import shoal
import shoal_paper

PACKAGE = Path(shoal.__file__).parent
PAPER = Path(shoal_paper.__file__).parent
ROOT = Path(__file__).parents[2]
LOADERS = ("__import__", "import_module", "importlib.import_module")


@dataclass(frozen=True)
class Import:
    """A module that another imports; and whether only the type checker sees it, or only a function that is called."""

    importer: str
    imported: str
    line: int
    typing_only: bool
    when_called: bool


def dotted(path: Path, package: Path) -> str:
    parts = path.relative_to(package.parent).with_suffix("").parts
    return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)


MODULES = {dotted(path, package): path for package in (PACKAGE, PAPER) for path in sorted(package.rglob("*.py"))}


def stage(module: str) -> str:
    """Give the part of the house that a module belongs to: the first name below `shoal`, or `shoal_paper.` and it."""
    parts = module.split(".")[:2]
    if len(parts) == 1:
        return "__init__"
    return parts[1] if parts[0] == PACKAGE.name else ".".join(parts)


@cache
def imports() -> list[Import]:
    """Give every import of every module, wherever it stands: at the top, in a function, for the type checker."""
    return [found for module, path in MODULES.items() for found in _imports_of(module, path)]


def _imports_of(module: str, path: Path) -> Iterator[Import]:
    waiting: list[tuple[ast.AST, bool, bool]] = [(ast.parse(path.read_text(encoding="utf-8")), False, False)]
    while waiting:
        node, hidden, inside = waiting.pop()
        for name in _imported(node, module, is_package=path.name == "__init__.py"):
            yield Import(module, name, getattr(node, "lineno", 0), hidden, inside)
        hidden = hidden or (isinstance(node, ast.If) and "TYPE_CHECKING" in ast.unparse(node.test))
        inside = inside or isinstance(node, ast.FunctionDef)
        waiting += [(child, hidden, inside) for child in ast.iter_child_nodes(node)]


def _imported(node: ast.AST, module: str, *, is_package: bool) -> Iterator[str]:
    if isinstance(node, ast.Import):
        yield from (alias.name for alias in node.names)
    elif isinstance(node, ast.ImportFrom):
        start = node.module or ""
        if node.level:
            parts = module.split(".")
            home = parts[: len(parts) - node.level + (1 if is_package else 0)]
            start = ".".join([*home, *([start] if start else [])])
        for alias in node.names:  # "from shoal.cli import terminal" imports the module of that name, if there is one
            whole = f"{start}.{alias.name}"
            yield whole if whole in MODULES else start
    elif isinstance(node, ast.Call):
        match node.args:
            case [ast.Constant(name), *_] if ast.unparse(node.func) in LOADERS:
                yield str(name)


def stated_order() -> list[str]:
    """Read the order from CONTRIBUTING.md, so that what is said and what is enforced are one."""
    text = (ROOT / "CONTRIBUTING.md").read_text(encoding="utf-8")
    (paragraph,) = re.findall(
        r"Imports point one way, in this order; a test enforces it:\n\n(.+?)\n\n", text, re.DOTALL
    )
    return re.findall(r"`([\w.]+)`", paragraph)


OWN = [name for name in stated_order() if "." not in name]
ORDER = list(dict.fromkeys([*OWN, "__init__", "__main__", *stated_order()]))
