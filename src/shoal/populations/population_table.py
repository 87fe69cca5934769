"""A table of a population, beside the table that comes from it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from shoal.domains.hierarchy_builders import BUILDERS
from shoal.engines import read
from shoal.engines.io.streams import at_hand
from shoal.errors import SchemaError
from shoal.populations.matched_classes import MatchedClasses, matched_classes
from shoal.schema import ReadOptions, Roles, options_from
from shoal.table import Table


@dataclass(frozen=True, eq=False)
class Population:
    """A table of a population, and how the quasi-identifiers of a table are called in it.

    Attributes
    ----------
    table
        The table of the population.
    columns
        Its columns, in the order of the quasi-identifiers of the table that comes from it.
    subject
        Its column that says whose each record is; None where each is somebody else's.
    """

    table: Table
    columns: tuple[str, ...]
    subject: str | None = None

    @classmethod
    def beside(
        cls,
        table: Table,
        source: Any,
        columns: Mapping[str, str],
        options: ReadOptions | None = None,
        *,
        people: bool = False,
    ) -> Population:
        """Take a population that was read, or read it as a table was that comes from it.

        Parameters
        ----------
        table
            The table that comes from it.
        source
            A table, or whatever `read` reads.
        columns
            How columns are called there, where they have another name.
        options
            How the table was read, if that is known; its layout may be another one.
        people
            Whether people are counted, if the table says whose each record is; the population must say it, too.
        """
        own = table.schema.subject if people else None
        known = table.schema.quasi if own is None else (*table.schema.quasi, own)
        for name in columns:
            if name not in known:
                raise SchemaError.missing_column(name, known)
        names = tuple(columns.get(name, name) for name in table.schema.quasi)
        subject = None if own is None else columns.get(own, own)
        population = source if isinstance(source, Table) else _read(table, source, names, subject, options)
        if subject is not None and population.schema.subject != subject:
            raise SchemaError(
                f"The population does not say whose each record is, as column '{own}' of the table does.",
                "Read it with a subject column of the same name, or say how it is called there (called.…=…).",
            )
        for name in names:
            if name not in population.schema.quasi:
                raise SchemaError.missing_column(name, population.schema.quasi)
        return cls(population, names, subject)

    def matched(self, table: Table) -> MatchedClasses:
        """Count the people who fit each class of a table, or refuse a population that does not hold it."""
        found = matched_classes(table, self.table, self.columns, self.subject)
        found.insist_on_superset()
        return found


def _read(table: Table, source: Any, names: tuple[str, ...], subject: str | None, options: ReadOptions | None) -> Table:
    said = options or options_from({"missing": table.origin.given.get("missing", ())})
    attributes = [table.schema[name] for name in table.schema.quasi]
    called = dict(zip(table.schema.quasi, names, strict=True))
    plain = [each for each in attributes if each.axis.tree is None]
    trees = {
        called[each.name]: text if (text := _rule(table, said, each.name)) is not None else each.axis.tree
        for each in attributes
        if each.axis.tree is not None
    }
    orders = {called[each.name]: tuple(each.axis.values or ()) for each in plain if each.axis.kind == "ordered"}
    like = ReadOptions(
        roles=Roles(quasi=names, subject=subject),
        kinds={called[each.name]: each.axis.kind for each in plain},
        orders=orders,
        hierarchies=trees,
        missing=said.missing,
    )
    return read(at_hand(source), options=like, engine=table.engine)


def _rule(table: Table, said: ReadOptions, name: str) -> Any:
    """Give the hierarchy of a column as it was given, or the rule it was built by, which other values have, too."""
    given = said.hierarchies.get(name) or table.origin.given.get("hierarchies", {}).get(name)
    if name in said.hierarchies or (isinstance(given, str) and given.split(" ")[0] in BUILDERS):
        return given
    return None
