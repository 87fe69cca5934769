"""What each column is: its role, its axis, and what an attacker may know of it."""

from __future__ import annotations

import codecs
import shlex
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, fields, replace
from pathlib import Path
from typing import Any, TypedDict

from shoal.domains.axis import KINDS, Axis, AxisKind
from shoal.domains.cell_parser import Odd
from shoal.domains.foreign_notation import ForeignColumn
from shoal.domains.hierarchy import Hierarchy
from shoal.domains.hierarchy_builders import builds
from shoal.domains.numeral_styles import DATE_ORDERS, SEPARATORS
from shoal.errors import DataError, ParameterError, SchemaError, suggest
from shoal.pseudonyms.treatments import Treatment, written
from shoal.roles import RELEASED as RELEASED  # noqa: PLC0414 - named from here by all who speak of columns
from shoal.roles import SINGLE as SINGLE  # noqa: PLC0414 - named from here by all who speak of columns
from shoal.roles import SPANNED as SPANNED  # noqa: PLC0414 - named from here by all who speak of columns
from shoal.roles import Role as Role  # noqa: PLC0414 - named from here by all who speak of columns
from shoal.roles import Roles as Roles  # noqa: PLC0414 - named from here by all who speak of columns


@dataclass(frozen=True)
class Attribute:
    """A column of a table.

    Of a column that is released as it is, ``generalized`` says whether some of its cells stand for several values, and
    ``spellings`` whether some value is written in several ways, such as 1.5 and 1.50. ``odd`` are the cells of a column
    of numbers that are none, ``treatment`` what becomes of an identifier, and ``came_as`` the type that a column had in
    Arrow, unless it was read from text.
    """

    name: str
    role: Role
    axis: Axis
    knowledge: str | None = None
    reason: str = field(default="", compare=False)
    generalized: bool = field(default=False, compare=False)
    spellings: bool = field(default=False, compare=False)
    odd: Odd | None = field(default=None, compare=False)
    treatment: Treatment | None = None
    came_as: Any = field(default=None, compare=False, repr=False)


@dataclass(frozen=True)
class Schema:
    """The columns of a table in their order, and the names of those that were left out when it was read."""

    attributes: tuple[Attribute, ...]
    left_out: tuple[str, ...] = ()

    def __getitem__(self, name: str) -> Attribute:
        """Give the column of a name."""
        for attribute in self.attributes:
            if attribute.name == name:
                return attribute
        raise SchemaError.missing_column(name, self.names)

    @property
    def names(self) -> tuple[str, ...]:
        """The names of the columns."""
        return tuple(attribute.name for attribute in self.attributes)

    def of(self, *roles: Role) -> tuple[str, ...]:
        """Give the names of the columns that have one of these roles."""
        return tuple(attribute.name for attribute in self.attributes if attribute.role in roles)

    @property
    def quasi(self) -> tuple[str, ...]:
        """The names of the quasi-identifiers."""
        return self.of(Role.QUASI)

    @property
    def sensitive(self) -> tuple[str, ...]:
        """The names of the confidential columns."""
        return self.of(Role.SENSITIVE)

    @property
    def subject(self) -> str | None:
        """The name of the column that tells people apart, if there is one."""
        return next(iter(self.of(Role.SUBJECT, Role.PSEUDONYM)), None)

    def single(self, role: Role) -> str | None:
        """Give the name of the column that has a role of which there is one at most."""
        return next(iter(self.of(role)), None)

    @property
    def person(self) -> str | None:
        """The name of the column that numbers the people of a linked release, if it is one."""
        return next(iter(self.of(Role.PERSON)), None)

    def with_axes(self, axes: Mapping[str, Axis]) -> Schema:
        """Give the same columns on other axes."""
        return replace(self, attributes=tuple(replace(a, axis=axes.get(a.name, a.axis)) for a in self.attributes))


def refuse_odd(attributes: Iterable[Attribute]) -> None:
    """Refuse columns of numbers with cells that are none, all of them at once, and say both ways to mend that."""
    found = [(each.name, each.odd) for each in attributes if each.odd is not None]
    if not found:
        return
    (name, odd), *more = found
    said = f"Column '{name}' holds {odd.among}, but {odd.cells:,} of its cells do not (the first on line {odd.line})."
    if more:
        each = (
            f"'{name}' ({odd.cells:,} cell{'s' * (odd.cells != 1)}, the first on line {odd.line})"
            for name, odd in found
        )
        what = " or ".join(dict.fromkeys(odd.among for _, odd in found))
        said = f"These columns hold {what}, but some of their cells do not: {', '.join(each)}."
    marks = ",".join(dict.fromkeys(mark for _, odd in found for mark in odd.marks)) or "…"
    kinds = " ".join(f"--kind {shlex.quote(f'{name}=category')}" for name, _ in found)
    raise DataError(
        said,
        f"Mend them; or say what stands for a missing value (--missing '{marks}'); or say that these are codes "
        f"({kinds}).",
    )


def usable_delimiter(text: str) -> bool:
    """Tell whether a text can separate cells: one sign that no number, range, set or wildcard is made of."""
    sign = text.isascii() and text.isprintable() and not text.isalnum() and text not in "\"'[]{}*\\.+-_ "
    return len(text) == 1 and (text == "\t" or sign)


_PLACES = ("sheet", "range", "at_version")  # what part of a source is the table
# How a source is laid out: to read it again, or another like it, the same is said.
LAYOUT = ("delimiter", "encoding", "decimal", "thousands", "dates", "header", "masked", "missing", *_PLACES)


@dataclass(frozen=True)
class ReadOptions:
    """How a table is to be read. What is not given is found out from the data."""

    roles: Roles = field(default_factory=Roles)
    kinds: Mapping[str, AxisKind] = field(default_factory=dict)
    orders: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    hierarchies: Mapping[str, str | Hierarchy] = field(default_factory=dict)
    knowledge: Mapping[str, str] = field(default_factory=dict)
    # What some texts of a release stand for, by column: 90+ for 90.
    stands_for: Mapping[str, Mapping[str, str]] = field(default_factory=dict)
    # Of a release that another tool may have made, what its original says of columns.
    foreign: Mapping[str, ForeignColumn] = field(default_factory=dict)
    delimiter: str | None = None
    encoding: str | None = None
    decimal: str | None = None
    thousands: str | None = None
    dates: str | None = None
    # Of a workbook, which sheet and which cells of it; of a lakehouse, which version.
    sheet: str | None = None
    range: str | None = None
    at_version: str | None = None
    missing: tuple[str, ...] = ()
    # Whether the first line of a text names its columns, and whether cells that end in asterisks are masked values:
    # yes, no, or not said.
    header: bool | None = None
    masked: bool | None = None
    # Whether the rows of a person belong together (see `shoal.linked`), and whether a line of text has all of a person.
    linked: bool = False
    baskets: bool = False
    # Whether it is a release that is read; of that, columns in which only empty cells are missing, and whether every
    # cell must be as a release has it.
    released: bool = False
    unmarked: tuple[str, ...] = ()
    canonical: bool = False
    # Columns of a release that are shown by both ends of their ranges.
    bounds: tuple[str, ...] = ()
    # Columns of a file of a statistical program that are read as codes, not as the labels of these.
    coded: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        """Check what can be checked without the data."""
        for name, kind in self.kinds.items():
            if kind not in KINDS:
                near = suggest(kind, KINDS)
                hint = f"Did you mean '{near}'? " if near else ""
                raise ParameterError(
                    f"'{kind}' is not a kind of column (given for '{name}').", f"{hint}Kinds are: {', '.join(KINDS)}."
                )
        for name, order in self.orders.items():
            if len(set(order)) < len(order):
                raise ParameterError(f"The order of '{name}' names a category twice.", "Name each once, low to high.")
        if self.delimiter is not None and not usable_delimiter(self.delimiter):
            raise ParameterError(
                "A delimiter is one character, and none that cells are made of.", "Try --in-delimiter ';'."
            )
        if self.encoding is not None:
            try:
                codecs.lookup(self.encoding)
            except LookupError:
                raise ParameterError(f"There is no encoding '{self.encoding}'.", "Try utf-8 or windows-1252.") from None
        if self.decimal not in (None, ".", ","):
            raise ParameterError("The decimal sign is '.' or ','.", "Try --decimal ','.")
        if self.thousands not in (None, *SEPARATORS):
            raise ParameterError("Thousands are separated by ',', '.', an apostrophe or a blank.", "Try --thousands ,.")
        if self.thousands is not None and self.thousands == self.decimal:
            raise ParameterError(
                "One sign cannot separate both decimals and thousands.", "Try --thousands , --decimal '.'."
            )
        for name in ("header", "masked", "linked", "baskets"):
            if not isinstance(getattr(self, name), bool | None):
                raise ParameterError(f"'{name}' is yes, no or not said.", "Give True, False or None.")
        if self.baskets:
            object.__setattr__(self, "linked", True)
            object.__setattr__(self, "roles", self.roles.of_baskets())
        if self.linked and not self.roles.subject and not self.released:
            raise ParameterError(
                "Nothing says which rows belong to one person.", "Name the column: --subject p, subject='p'."
            )
        if self.dates not in (None, *DATE_ORDERS):
            raise ParameterError(f"'{self.dates}' is no order of day, month and year.", "Use dmy, mdy or ymd.")

    def given(self) -> dict[str, Any]:
        """Give what was said about the layout of the source, so that it can be read in the same way again.

        Files of hierarchies are named without their folders: they are looked for beside a recipe.
        """
        files = {
            name: text if builds(text) else text.replace("\\", "/").rpartition("/")[2]
            for name, text in self.hierarchies.items()
            if isinstance(text, str)
        }
        names = ("delimiter", "encoding", "decimal", "thousands", "dates", *_PLACES, "header", "masked")
        said = {name: getattr(self, name) for name in names}
        return (
            {name: value for name, value in said.items() if value is not None}
            | ({"missing": list(self.missing)} if self.missing else {})
            | ({"hierarchies": files} if files else {})
            | ({"linked": True} if self.linked else {})
            | ({"baskets": True} if self.baskets else {})
        )

    def files(self) -> list[Path]:
        """Give the files that are read along with the table: those of hierarchies."""
        texts = [text for text in self.hierarchies.values() if isinstance(text, str)]
        return [Path(text) for text in texts if not builds(text)]

    def check_names(self, header: Iterable[str]) -> None:
        """Check that every column for which something is declared exists."""
        names = list(header)
        for name in (*self.kinds, *self.orders, *self.hierarchies, *self.knowledge):
            if name not in names:
                raise SchemaError.missing_column(name, names)


_LISTED = {"quasi", "sensitive", "plain", "identifier", "missing"}
_BY_COLUMN = {"kinds", "orders", "hierarchies", "knowledge"}
_TEXTS = {
    "subject",
    "weight",
    "household",
    "stratum",
    "person",
    "delimiter",
    "encoding",
    "decimal",
    "thousands",
    *_PLACES,
    "dates",
}


def names_given(what: str, given: Any) -> tuple[str, ...]:
    """Give names of columns, of which one may be given by itself, or say that some are no texts."""
    names = (
        () if given is None else (given,) if isinstance(given, str) or not isinstance(given, Iterable) else tuple(given)
    )
    for name in names:
        if not isinstance(name, str):
            raise ParameterError(
                f"The name of a column is a text, not a {type(name).__name__} (given as {what}).",
                f"Write {what}=['NAME'], with the name that the column has in the table, as a text.",
            )
    return names


class ReadArguments(TypedDict, total=False):
    """What can be said of a table that is to be read, by name, as `read` takes it."""

    quasi: str | Iterable[str]
    sensitive: str | Iterable[str]
    plain: str | Iterable[str]
    identifier: str | Iterable[str] | Mapping[str, str]
    subject: str | None
    weight: str | None
    household: str | None
    stratum: str | None
    last_sensitive: bool
    rest: Role | None
    kinds: Mapping[str, AxisKind]
    orders: Mapping[str, Sequence[str]]
    hierarchies: Mapping[str, str | Hierarchy]
    knowledge: Mapping[str, str]
    delimiter: str | None
    encoding: str | None
    decimal: str | None
    thousands: str | None
    dates: str | None
    sheet: str | None
    range: str | None
    at_version: str | None
    missing: str | Iterable[str]
    header: bool | None
    masked: bool | None
    linked: bool
    baskets: bool
    person: str | None
    engine: Any
    memory: str | int | None
    target: Any
    options: ReadOptions


def options_from(given: Mapping[str, Any], beside: Iterable[str] = ()) -> ReadOptions:
    """Make read options from names and values, or say which name is not one, and which of all names may be meant."""
    names = {f.name for f in fields(Roles)}
    known = names | {f.name for f in fields(ReadOptions)} - {
        "roles",
        "released",
        "unmarked",
        "canonical",
        "bounds",
        "coded",
    }
    for name in given:
        if name not in known:
            near = suggest(name, [*known, *beside])
            raise ParameterError(
                f"'{name}' is not something that can be said of a table.",
                f"Did you mean '{near}'?" if near else f"Known are: {', '.join(sorted(known))}.",
            )

    def plain(name: str, value: Any) -> Any:
        if name in _LISTED:
            return names_given(name, written(value))
        if name in _BY_COLUMN and not isinstance(value, Mapping):
            raise ParameterError(
                f"'{name}' is said by column, not as a {type(value).__name__}.", f"Write {name}={{'COLUMN': …}}."
            )
        if name in _TEXTS and not isinstance(value, str | None):
            raise ParameterError(f"'{name}' is a text, not a {type(value).__name__}.", f"Write {name}='…'.")
        return {column: tuple(order) for column, order in value.items()} if name == "orders" else value

    values = {name: plain(name, value) for name, value in given.items()}
    roles = Roles(**{name: values.pop(name) for name in list(values) if name in names})
    return ReadOptions(roles=roles, **values)
