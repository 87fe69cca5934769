"""The identifiers of safe harbor: all rows are read, as the command does, so that both write the same recipe."""

from __future__ import annotations

from dataclasses import replace
from pathlib import PurePath

from shoal.assessment.harbor import safe_harbor
from shoal.catalogue import describe
from shoal.web.tasks.harbor_messages import HarborMatch, HarborPopulation, HarborRequest, HarborSummary
from shoal.web.tasks.registry import Reporter


def find(request: HarborRequest, report: Reporter) -> HarborSummary:
    """Find the eighteen kinds of identifiers, and make the recipe that removes or coarsens them."""
    report.step(f"Reading all of {request.name}")
    place = request.folder / request.people_file if request.people_file else None
    if place is not None:
        place.write_text(request.people, encoding="utf-8")
    found = safe_harbor(
        request.file,
        year=request.year,
        population=place,
        countries=request.countries,
        options=request.layout.options(),
    )
    target = f"{PurePath(request.name).stem}.harbor.release.csv"
    recipe = replace(found.recipe, source=request.name, target=target)
    ways = recipe.options.hierarchies
    named = ("column", "kind", "by", "share", "sure")
    return HarborSummary(
        year=found["year"],
        countries=tuple(found["countries"]),
        columns=tuple(
            HarborMatch(**{name: each[name] for name in named}, how=str(ways.get(each["column"], "")))
            for each in found["columns"]
        ),
        kept=tuple(found["kept"]),
        population=HarborPopulation(name=found["population"]["name"], sha256=found["population"]["sha256"]),
        recipe=recipe.to_toml(),
        rule=describe(recipe.models[0]),
    )
