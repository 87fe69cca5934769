"""What the page calls things and says of them, from the files of texts that translators read too."""

from __future__ import annotations

import tomllib
from functools import cache
from importlib.resources import files
from typing import Any

from shoal.languages import _


@cache
def words(file: str) -> dict[str, Any]:
    """Give the texts of a file."""
    return tomllib.loads(files("shoal.web").joinpath(f"texts/{file}.toml").read_text(encoding="utf-8"))


def names(kind: str) -> dict[str, Any]:
    """Give the texts for all things of a kind."""
    found: dict[str, Any] = words("names")[kind]
    return found


def named(kind: str, name: str) -> tuple[str, str]:
    """Give the name of a thing and what is said of it; what has no name here is called as programs call it.

    >>> named("methods", "mdav"), named("methods", "my-own")
    (('Groups around the farthest', 'microaggregation; slow for large tables'), ('my-own', ''))
    """
    title, meaning = names(kind).get(name, ("", ""))
    return (_(title), _(meaning) if meaning else "") if title else (name, "")
