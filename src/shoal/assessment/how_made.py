"""How a release was made: the recipe that is given, or that of the release, or that in the certificate beside it."""

from __future__ import annotations

from dataclasses import fields, replace
from pathlib import Path
from typing import Any

from shoal.certification.certificate import Certificate
from shoal.certification.papers import certificate_beside
from shoal.engines.sources import Source
from shoal.errors import ShoalError
from shoal.recipe import Recipe
from shoal.releases.release import Release
from shoal.schema import ReadOptions
from shoal.table import Table


def recipe_given(given: Recipe | str | Path | None) -> Recipe | None:
    """Give a recipe, or that in a file of TOML, or that in a certificate."""
    if given is None or isinstance(given, Recipe):
        return given
    if str(given).endswith(".json"):
        return Recipe.from_dict(Certificate.load(given).content["recipe"])
    return Recipe.load(given)


def recipe_behind(released: Any, table: Table | None) -> Recipe | None:
    """Give the recipe of a release, or that in the certificate of a file, if one of this very file lies beside it."""
    if isinstance(released, Release):
        return released.recipe
    source = Source.parse(released) if isinstance(released, str | Path | Source) else None
    if source is None or source.is_table or table is None or table.origin.written is None:
        return None
    try:
        content = Certificate.load(certificate_beside(source)).content
        same = content["output"]["sha256"] == table.origin.written.sha256
        return Recipe.from_dict(content["recipe"]) if same else None
    except (ShoalError, KeyError):
        return None


def read_as(recipe: Recipe, said: ReadOptions) -> ReadOptions:
    """Say how to read the table of a recipe: as that says, but for what is said beside it."""
    usual = ReadOptions()
    more = {each.name: getattr(said, each.name) for each in fields(said)}
    return replace(recipe.options, **{name: value for name, value in more.items() if value != getattr(usual, name)})
