"""Public names that are loaded when they are first used, so that a command loads only what it needs.

What a module imports for the type checker, each under its own name (``from a import b as b``), is the one list of what
it offers. At run time the list is read from the source of the module, as SPEC 1 of Scientific Python does with stubs.
"""

from __future__ import annotations

import sys
from importlib import import_module

TYPE_CHECKING = False  # typing itself takes a while to load
if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from typing import Any

_known: dict[str, Mapping[str, str]] = {}  # as functools would keep it, which takes longer to load than all the rest


def offered(file: str) -> Mapping[str, str]:
    """Give the names that a module offers, in their order, and the module that each is imported from.

    >>> from pathlib import Path
    >>> offered(str(Path(__file__).parent / "methods" / "__init__.py"))["Hilbert"]
    'shoal.methods.hilbert'
    """
    if file in _known:
        return _known[file]
    import ast  # importing shoal does without it

    with open(file, encoding="utf-8") as source:  # noqa: PTH123 - pathlib takes longer to load than this to run
        tree = ast.parse(source.read())
    _known[file] = {
        alias.name: str(node.module)
        for block in tree.body
        if isinstance(block, ast.If) and ast.unparse(block.test) == "TYPE_CHECKING"
        for node in block.body
        if isinstance(node, ast.ImportFrom)
        for alias in node.names
        if alias.asname == alias.name
    }
    return _known[file]


def attach(module: str, file: str) -> tuple[Callable[[str], Any], Callable[[], list[str]]]:
    """Give the ``__getattr__`` and the ``__dir__`` of a module that offers names."""

    def fetch(name: str) -> Any:
        homes = offered(file)
        if name == "__all__":
            return listed()
        if name not in homes:
            raise AttributeError(f"module '{module}' has no attribute '{name}'", name=name, obj=sys.modules[module])
        home = homes[name]
        value = import_module(f"{home}.{name}") if home == module else getattr(import_module(home), name)
        setattr(sys.modules[module], name, value)
        return value

    def listed() -> list[str]:
        """List what is offered, and what the module itself defines for others."""
        own = {
            name
            for name, value in vars(sys.modules[module]).items()
            if isinstance(value, type | type(attach)) and value.__module__ == module and name[0] != "_"
        }
        return sorted({*own, *offered(file)})

    return fetch, listed
