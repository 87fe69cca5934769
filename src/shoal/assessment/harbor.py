"""Safe harbor for a table: which columns look like the eighteen kinds of identifiers, and the recipe that follows."""

from __future__ import annotations

import datetime
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any, Unpack

from shoal.assessment.zip_populations import populous_areas
from shoal.domains.harbor_groups import HERE
from shoal.errors import DataError
from shoal.findings import Findings
from shoal.methods.first_level import FirstLevel
from shoal.models.harbor_kinds import LEAST, HarborColumn, harbor_columns
from shoal.models.harbor_names import KINDS
from shoal.models.safe_harbor import SafeHarbor
from shoal.pitfalls.identifiers import identifying
from shoal.recipe import Recipe
from shoal.schema import LAYOUT, RELEASED, ReadArguments, Role, Roles, names_given, options_from
from shoal.table import Table
from shoal.table_input import table_of

_ACTIONS = {
    "zip": "truncate to 3 digits, 000 where few people live",
    "age": "band: all ages over 89 are one",
    "date": "year",
    "birth": "year, those of ages over 89 are one",
}
KNOWLEDGE = (
    "Safe harbor also asks that the publisher has no actual knowledge of how somebody could be found by what is left: "
    "no program can check that."
)


class HarborFindings(Findings):
    """The columns that look like one of the eighteen kinds, what is to become of them, and the recipe that does it.

    ``recipe`` is the recipe; ``to_toml`` of it is what ``shoal run`` carries out.
    """

    recipe: Recipe

    def caption(self) -> str:
        """Say what the table is."""
        found = len(self["columns"])
        return f"{self['file']}: {self['records']:,} records; columns that look like identifiers: {found}"

    def rows(self) -> Iterator[Sequence[str]]:
        """Give a line for each column that was found."""
        yield "column", "kind", "by", "share", "sure", "what is done"
        for each in self["columns"]:
            share = "" if each["share"] is None else f"{each['share']:.1%}"
            yield each["column"], each["kind"], each["by"], share, "yes" if each["sure"] else "", each["action"]

    def remarks(self) -> Sequence[str]:
        """Say what is kept as it is, and what nobody has checked."""
        kept = ", ".join(self["kept"]) or "none"
        return f"Kept as they are: {kept}. Look at them yourself: texts may hold names.", KNOWLEDGE


def safe_harbor(
    source: Any,
    *,
    year: int | None = None,
    population: str | Path | None = None,
    countries: Sequence[str] = (),
    **given: Unpack[ReadArguments],
) -> HarborFindings:
    """Find the eighteen kinds of identifiers of safe harbor, and make the recipe that removes or coarsens them.

    Parameters
    ----------
    source
        A file, a frame, or whatever else `read` reads. No cell of it is shown.
    year
        The year of the release, in which ages are counted; this year if left out.
    population
        A file with the people of ZIP codes, such as of a newer census; the list of the census of 2000 if left out.
    countries
        Of which other countries numbers of people and post codes are looked for: ca, de, es, fr, gb, it or nl.
    **given
        How to read it; roles are not needed.

    Examples
    --------
    >>> import polars as pl, shoal
    >>> people = pl.DataFrame({"zip": ["93711", "03601"], "age": [34, 93], "email": ["a@b.org", "c@d.org"]})
    >>> found = shoal.safe_harbor(people, year=2026)
    >>> [(each["column"], each["by"], each["action"].split(" ")[0]) for each in found["columns"]]
    [('zip', 'name', 'truncate'), ('age', 'name', 'band:'), ('email', 'name', 'remove')]
    >>> found.recipe.models[0].year
    2026
    """
    options = given.get("options")
    if not isinstance(source, Table):
        if options is not None:
            given["options"] = replace(options, roles=Roles(rest=Role.PLAIN))
        else:
            given["rest"] = given.get("rest", Role.PLAIN)
    this_year = datetime.datetime.now(datetime.UTC).year if year is None else year
    populous = () if population is None else populous_areas(population)
    where = HERE if population is None else Path(population).name
    model = SafeHarbor(this_year, where, populous=populous, countries=tuple(names_given("countries", countries)))
    table = table_of(source, given, safe_harbor)
    columns = _columns(table, model.countries)
    forms = _forms(columns)
    removed = [each.column for each in columns if each.column not in forms]
    released = table.schema.of(*RELEASED)
    kept = [name for name in released if name not in forms and name not in removed]
    found = HarborFindings(
        file=table.origin.name, records=table.rows,
        columns=[_described(each) for each in columns], kept=kept, year=model.year,
        population={"name": where, "sha256": model.sha256, **({"populous": len(populous)} if populous else {})},
        countries=list(model.countries), not_checked=KNOWLEDGE,
    )  # fmt: skip
    if not (forms or kept):
        raise DataError("Every column tells who people are: nothing is left to be released.", "Add other columns.")
    kinds = (given.get("kinds") or {}) if options is None else options.kinds
    found.recipe = _recipe(table, model, forms, kept, {name: kinds[name] for name in kept if name in kinds})
    return found


def what_may_stay(table: Table, countries: Sequence[str]) -> dict[str, str]:
    """Give the columns of a table of which something may stay, each with its form, such as ``zip``."""
    return _forms(harbor_columns(table, countries))


def _forms(columns: Sequence[HarborColumn]) -> dict[str, str]:
    return {each.column: each.form for each in columns if _stays(each)}


def _columns(table: Table, countries: Sequence[str]) -> list[HarborColumn]:
    """Give what was found, and what else would not be released as it is, in the order of the table."""
    found = {each.column: each for each in harbor_columns(table, countries)}
    for other in identifying(table):
        by = "name" if other.why.startswith("its name") else "value"
        found.setdefault(other.column, HarborColumn(other.column, "other", "", by, None, sure=False))
    return [found[name] for name in table.schema.of(*RELEASED) if name in found]


def _stays(each: HarborColumn) -> bool:
    """Tell whether something of a column can stay: it can be read as what it is."""
    return each.form == "age" or (each.form in _ACTIONS and each.share is not None and each.share >= LEAST)


def _described(each: HarborColumn) -> dict[str, Any]:
    return {
        "column": each.column, "kind": each.kind, "meaning": KINDS[each.kind], "by": each.by, "share": each.share,
        "sure": each.sure, "action": _ACTIONS[each.form] if _stays(each) else "remove",
    }  # fmt: skip


def _recipe(
    table: Table, model: SafeHarbor, forms: Mapping[str, str], kept: Sequence[str], kinds: Mapping[str, str]
) -> Recipe:
    """Write down what is read, and what of it is left; one column at least stands for what others may know."""
    quasi = list(forms) or [min(kept, key=lambda name: int(table.counts(name)[0].size))]
    said: dict[str, Any] = {"quasi": quasi}
    plain = [name for name in kept if name not in quasi]
    said |= {"plain": plain} if plain else {}
    said |= {key: value for key, value in table.origin.given.items() if key in LAYOUT}
    said |= {"kinds": dict(kinds)} if kinds else {}
    more = {"birth": f" {model.year}", "zip": " " + ",".join(model.populous) if model.populous else ""}
    trees = {name: f"safe-harbor {form}{more.get(form, '')}" for name, form in forms.items()}
    said |= {"hierarchies": trees} if trees else {}
    return Recipe(options_from(said), (FirstLevel(),), (model,), (), table=said)
