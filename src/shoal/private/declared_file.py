"""What is declared of a table, in a file: TOML, whose numbers are read as they are written."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from decimal import Decimal
from pathlib import Path
from typing import Any

from shoal.errors import DataError, ParameterError, suggest
from shoal.private.declarations import Said

_NAMES = ("epsilon", "delta", "rho", "price", "subject", "rows-per-person", "columns")
_OF_COLUMNS = ("kind", "bounds", "categories", "groups")


@dataclass(frozen=True)
class DeclaredFile:
    """What a file says: of columns, and of the budget and of people by name."""

    said: Said = field(default_factory=Said)
    others: Mapping[str, Any] = field(default_factory=dict)

    @classmethod
    def load(cls, path: Path) -> DeclaredFile:
        """Read a file such as this one.

        .. code:: toml

            epsilon = 1
            delta = 1e-6
            subject = "id"
            rows-per-person = 5

            [columns.charge]
            bounds = "0..100000 step 1"

            [columns.sex]
            categories = ["female", "male"]

            [columns.age]
            groups = [0, 18, 65, 120]
        """
        import tomllib

        try:
            content = tomllib.loads(path.read_text(encoding="utf-8"), parse_float=Decimal)
        except OSError as error:
            raise DataError(f"'{path}' cannot be read: {error.strerror}.", "Check its name.") from None
        except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
            raise ParameterError(f"'{path}' is not TOML: {error}.", "See docs/private.md for an example.") from None
        _refuse_unknown(content, _NAMES, "a file of declarations")
        columns = content.pop("columns", {})
        if not isinstance(columns, dict) or not all(isinstance(column, dict) for column in columns.values()):
            raise ParameterError("What is said of columns stands below [columns.NAME].", "Write [columns.age].")
        for name, column in columns.items():
            _refuse_unknown(column, _OF_COLUMNS, f"column '{name}'")
        return cls(
            Said(*({n: _said(n, c[key], key) for n, c in columns.items() if key in c} for key in _ORDER)), content
        )


_ORDER = ("bounds", "categories", "groups", "kind")


def _said(name: str, given: Any, key: str) -> Any:
    """Give a text, or a list of texts, as options of a command give them."""
    if key in ("categories", "groups"):
        if not isinstance(given, list):
            raise ParameterError(f"The {key} of column '{name}' are a list.", f"Write {key} = [ … ].")
        return tuple(str(each) for each in given)
    if not isinstance(given, str):
        raise ParameterError(f"The {key} of column '{name}' is a text.", f'Write {key} = "…".')
    return given


def _refuse_unknown(content: Mapping[str, Any], known: tuple[str, ...], what: str) -> None:
    for name in content:
        if name not in known:
            near = suggest(name, known)
            raise ParameterError(
                f"'{name}' is nothing that can be said of {what}.",
                f"Did you mean '{near}'?" if near else f"Known are: {', '.join(known)}.",
            )
