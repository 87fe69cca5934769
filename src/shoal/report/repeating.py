"""How a release can be made and proved again: its recipe, versions and hashes, and the commands."""

from __future__ import annotations

import platform
from collections.abc import Iterator, Mapping
from dataclasses import replace
from shlex import quote
from typing import Any

import numpy as np

from shoal.certification.certificate import Certificate
from shoal.certification.papers import certificate_beside
from shoal.engines.io.file_extensions import delimiter_for
from shoal.engines.sources import Source
from shoal.methods.perturbation.preserved import changes_values, draws
from shoal.recipe import Recipe, without_values
from shoal.releases.release import Release
from shoal.releases.stated_release import table_for_all
from shoal.report.discretion import Discretion
from shoal.report.page import PageBlock, code, facts, listing
from shoal.version import VERSION

_PYTHON = """\
import shoal

recipe = shoal.Recipe.load({recipe!r})
table = shoal.read(recipe.source, options=recipe.options)
release = shoal.anonymize(table, recipe.methods, recipe.models, measures=recipe.measures{known})
release.write(recipe.target)
"""


def repeating(
    release: Release, certificate: Certificate | None, discretion: Discretion, files: Mapping[str, str]
) -> Iterator[PageBlock]:
    """Say what is needed to do it again; ``files`` names the recipe and the certificate as they were written."""
    content: Mapping[str, Any] = certificate.content if certificate else {}
    output = content.get("output", {})
    target = output.get("name", "release.csv")
    source = "original.csv" if discretion.external or not release.origin.place else release.origin.name
    software = content.get("software", {"shoal": VERSION, "python": platform.python_version(), "numpy": np.__version__})
    facts_of_run: dict[str, object] = {
        "Software": ", ".join(f"{name} {version}" for name, version in software.items()),
        "Engine": release.table.engine.name,
    }
    repeats = release.people is None and not draws(release.recipe.methods)
    if repeats:
        facts_of_run["Seed"] = str(release.recipe.seed)
    if discretion.external and content:
        facts_of_run["Input, as the certificate commits to it"] = code(content["input"]["commitment"])
    elif not discretion.external:
        facts_of_run |= {"Input": release.origin.name, "Input SHA-256": code(release.origin.sha256)}
    facts_of_run["Output"] = target if output else "not written yet"
    if output:
        facts_of_run |= {"Output SHA-256": code(output["sha256"]), "Certificate digest": code(content["digest"])}
    yield facts(facts_of_run)
    saved = files.get("recipe", "recipe.toml")
    where = f"It is in {saved}:" if "recipe" in files else f"Saved as {saved} beside the table:"
    if draws(release.recipe.methods):
        what = "changes values" if changes_values(release.recipe.methods) else "forms classes"
        yield (
            f"The same recipe on the same table {what} in the same way, but by other random numbers each time: "
            f"those of this release are kept nowhere, so that nobody can take them off again. {where}"
        )
    elif release.people is None:
        yield f"The same recipe on the same table gives the same file, byte for byte. {where}"
    else:
        yield (
            "The same recipe on the same table publishes the same points and keeps the same promises, but people are "
            f"numbered anew each time, so that no two files can be linked. {where}"
        )
    recipe = replace(_discreet(release, discretion), source=source, target=target)
    place = Source.parse(target)
    written = output.get("delimiter", ",")
    recipe = replace(recipe, delimiter=None if written == delimiter_for(place) else written)
    yield listing(recipe.to_toml(), "The recipe")
    if discretion.external:
        yield "The name of the original was replaced, and what the recipe lists of its values was left out."
    beside = files.get("certificate") or ("certificate.json" if place.is_table else certificate_beside(place).name)
    yield "On the command line, to make it again and to prove it from the released file alone:"
    yield listing(
        f"shoal run {quote(saved)}\nshoal check {quote(target)} --certificate {quote(beside)}\n", "The commands"
    )
    yield "In Python:"
    known = (*(["seed"] if repeats or release.people is not None else []), "no_promise", "allow_identifiers")
    said = "".join(f", {name}=recipe.{name}" for name in known if name == "seed" or getattr(recipe, name))
    yield listing(_PYTHON.format(known=said, recipe=saved), "The same in Python")


def _discreet(release: Release, discretion: Discretion) -> Recipe:
    """Take the folders of files from a recipe and, for readers outside, the values that occur in the original."""
    recipe = release.recipe
    methods = tuple(without_values(method, listed=not discretion.external) for method in recipe.methods)
    table = dict(recipe.table)
    if discretion.external:
        table.pop("orders", None)
        table = table if release.stated is None else table_for_all(table, release.table.schema)
    seed = None if draws(methods) else recipe.seed
    return replace(recipe, methods=methods, table=table, seed=seed)
