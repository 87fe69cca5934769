"""Several rows of one person, where nobody said which column tells people apart: k then counts records, not people."""

from __future__ import annotations

from dataclasses import dataclass

from shoal.column_names import as_option, tells_people_apart
from shoal.engines.io.sampling import count_at_beginning
from shoal.engines.io.streams import at_hand
from shoal.engines.sources import Source
from shoal.errors import ShoalError
from shoal.kernels import MISSING
from shoal.schema import ReadOptions, Role, Roles
from shoal.table import Table


@dataclass(frozen=True)
class SeveralRows:
    """A column that tells people apart by its name, and how many people and records it was seen to name.

    Attributes
    ----------
    column
        The column.
    people, records
        How many people it names, in how many records.
    all_records
        Whether all records were looked at, or only the first of a long file.
    """

    column: str
    people: int
    records: int
    all_records: bool

    @property
    def sentence(self) -> str:
        """Say what it means."""
        which = "" if self.all_records else "the first "
        return (
            f"'{self.column}' names {self.people:,} people in {which}{self.records:,} records: some have several rows, "
            "but every promise counts records, not people."
        )

    @property
    def remedy(self) -> str:
        """Say what to do."""
        return f"Count people: --subject {as_option([self.column])}."


def several_rows(table: Table) -> SeveralRows | None:
    """Find a column that shows several rows per person, released or left out, unless one was named as the subject."""
    schema = table.schema
    if schema.subject is not None:
        return None
    named = {a.name for a in schema.attributes if a.treatment is not None and a.treatment.names}
    for name in (each for each in schema.of(Role.SENSITIVE, Role.PLAIN) if each in named or tells_people_apart(each)):
        found = _counted(table, name)
        if found is not None:
            return found
    for name in filter(tells_people_apart, schema.left_out):
        found = _left_out(table, name)
        if found is not None:
            return found
    return None


def _counted(table: Table, name: str) -> SeveralRows | None:
    positions, counts = table.counts(name)
    filled = positions != MISSING
    return _several(name, int(filled.sum()), int(counts[filled].sum()), whole=True)


def _several(name: str, people: int, records: int, *, whole: bool) -> SeveralRows | None:
    return SeveralRows(name, people, records, whole) if people < records else None


def _left_out(table: Table, name: str) -> SeveralRows | None:
    """Look at a column that was not read: as it was counted in passing, or where the table came from."""
    origin = table.origin
    if name in origin.people:
        return _several(name, *origin.people[name], whole=True)
    if origin.place is None:
        return None
    layout = {part: origin.given.get(part) for part in ("delimiter", "encoding")}
    try:
        source = Source.parse(at_hand(origin.place))
        if source.is_text:
            people, records, whole = count_at_beginning(source.path, name, layout["delimiter"], layout["encoding"])
            return _several(name, people, records, whole=whole)
        alone = ReadOptions(roles=Roles(plain=(name,)), kinds={name: "category"})
        return _counted(table.engine.read(source, alone), name)
    except (ShoalError, OSError):  # it is a hint: what cannot be looked at any more is not spoken of
        return None
