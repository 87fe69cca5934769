"""Files of SPSS, Stata and SAS in: values that all have labels as these, and what else the file says beside.

What a column is depends on all of its values, so a file that is read a few rows at a time is read twice.
"""

from __future__ import annotations

import io
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

import pyarrow as pa

from shoal.domains.codebook import Code, Codebook, CodedVariable, CodeSpan
from shoal.engines.io.labelled.columns import LabelledColumn
from shoal.engines.io.labelled.programs import Program, in_words, library, program_of
from shoal.engines.io.labelled.sas_catalogues import Catalogue, catalogue_beside
from shoal.engines.io.sealed_files import Sealed
from shoal.errors import DataError
from shoal.schema import ReadOptions
from shoal.table import Origin, printable

KeptValues = dict[str, Sequence[Any]]


@dataclass(frozen=True, eq=False)
class LabelledFile:
    """A file of a statistical program: what it says of itself, and its values as they are kept."""

    sealed: Sealed
    encoding: str | None = None

    @property
    def program(self) -> Program:
        """The program that the file is of."""
        return program_of(self.sealed.path)

    @cached_property
    def metadata(self) -> Any:
        """What the library tells of the file."""
        return self._read(metadataonly=True)[1]

    @cached_property
    def codebook(self) -> Codebook:
        """What the file says of its variables."""
        said, labels = self.metadata, {name: self._labels_of(name) for name in self.metadata.column_names}
        made = {
            name: CodedVariable(
                label or "",
                labels[name],
                _intervals(said, name, self.program, labels[name]),
                measure if (measure := said.variable_measure.get(name, "")) != "unknown" else "",
                said.original_variable_types.get(name) or "",
                said.readstat_variable_types.get(name) or "",
                said.variable_display_width.get(name) or 0,
            )
            for name, label in said.column_names_to_labels.items()
        }
        return Codebook(self.program.name, made)

    @cached_property
    def catalogue(self) -> Catalogue | None:
        """What says beside a file of SAS what its values mean."""
        return catalogue_beside(self.sealed.path, self.encoding)

    def _labels_of(self, name: str) -> Mapping[Code, str]:
        own: Mapping[Code, str] = self.metadata.variable_value_labels.get(name, {})
        if own or self.catalogue is None:
            return own
        return self.catalogue.labels_for(self.metadata.original_variable_types.get(name) or "")

    @property
    def remarks(self) -> str | None:
        """Name what the file says beside its rows and its variables; None if there is nothing."""
        return "a title or notes" if self.metadata.file_label or self.metadata.notes else None

    def values(self, names: Sequence[str] | None = None, rows: int | None = None) -> Iterator[KeptValues]:
        """Give the values of variables as they are kept, all at once or so many rows at a time."""
        asked = {} if names is None else {"usecols": list(names)}
        if rows is None:
            yield self._read(**asked)[0]
            return
        start = 0
        while True:
            some: KeptValues = self._read(**asked, row_offset=start, row_limit=rows)[0]
            there = len(next(iter(some.values()), ()))
            if there:
                yield some
            if there < rows:
                return
            start += there

    def _read(self, **asked: Any) -> tuple[KeptValues, Any]:
        program = self.program
        read = getattr(library(f"Reading '{self.sealed.path.name}'"), program.reads)
        if program.knows_letters:
            asked["user_missing"] = True
        if self.encoding is not None:
            asked["encoding"] = self.encoding
        # The library asks for a row at a time: most of them are at hand.
        with in_words(self.sealed.path), io.BufferedReader(self.sealed.open(), _BUFFER) as file:
            found: tuple[KeptValues, Any] = read(
                file, output_format="dict", disable_datetime_conversion=True, **asked
            )  # fmt: skip
        return found


def _intervals(said: Any, name: str, program: Program, labels: Mapping[Code, str]) -> tuple[CodeSpan, ...]:
    """Give what is declared to be missing; in Stata and SAS that are the letters, whatever is labelled."""
    if program.name != "SPSS":
        texts = said.readstat_variable_types.get(name) == "string"
        return () if texts else tuple((code, code) for code in labels if isinstance(code, str))
    given = said.missing_ranges.get(name, ())
    return tuple((each["lo"], each["hi"]) if isinstance(each, dict) else (each, each) for each in given)


@dataclass(frozen=True, eq=False)
class LabelledTable:
    """The table in a file of a statistical program, whole or a few rows at a time."""

    file: LabelledFile
    columns: dict[str, LabelledColumn]

    @property
    def origin(self) -> Origin:
        """Where it comes from, and what it says of its variables."""
        path, written = self.file.sealed.path, self.file.sealed.written
        partly = [name for name, column in self.columns.items() if column.partly_labelled]
        notes = tuple(f"labels of only some values of '{name}' left out" for name in partly)
        catalogue = self.file.catalogue
        if catalogue is not None:
            notes = (f"labels of values from '{printable(catalogue.path.name)}'", *notes)
        return Origin(
            printable(path.name), written.sha256, "statistics", notes, place=str(path), written=written,
            codebook=self.file.codebook, beside=() if catalogue is None else (str(catalogue.path),),
        )  # fmt: skip

    @property
    def schema(self) -> pa.Schema:
        """The columns, once all values were seen."""
        for name, column in self.columns.items():
            if not column.sealed:
                self._see([name for name in self.columns if not self.columns[name].sealed])
                break
        return pa.schema([pa.field(name, column.type) for name, column in self.columns.items()])

    def whole(self) -> pa.Table:
        """Give all rows."""
        (values,) = self.file.values()
        found = {}
        for name, column in self.columns.items():
            taken = column.taken(values.pop(name))
            column.see(taken)
            column.sealed = True
            found[name] = column.converted(taken)
        return pa.table(found)

    def batches(self, names: Sequence[str], rows: int) -> Iterator[pa.Table]:
        """Give some columns, so many rows at a time."""
        _ = self.schema
        for values in self.file.values(names, rows):
            yield pa.table({name: self.columns[name].converted(values[name]) for name in names})

    def _see(self, names: Sequence[str]) -> None:
        for values in self.file.values(names, _AT_ONCE):
            for name in names:
                self.columns[name].see(values[name])
        for name in names:
            self.columns[name].sealed = True


_AT_ONCE = 1 << 17
_BUFFER = 1 << 20


def opened_labelled(path: Path, options: ReadOptions) -> LabelledTable:
    """Find what is in a file of SPSS, Stata or SAS.

    Codes that the file declares to be missing are, but for columns that are said to be released as they are, of which
    no model looks at the cells: there they stay.
    """
    library(f"Reading '{path.name}'")
    file = LabelledFile(Sealed.of(path), options.encoding)
    if file.sealed.written.size % file.program.block:
        raise DataError(f"'{path}' is cut off.", "Get it again.")
    names = file.metadata.column_names
    if not names or not all(names):
        raise DataError(f"'{path}' has no variables, or some without a name.", "Check the file.")
    kept = options.roles.passed_on
    book = file.codebook
    columns = {
        name: LabelledColumn(
            name,
            book.of(name),
            file.program,
            keep=name in kept,
            kind=options.kinds.get(name),
            wide=options.canonical and name in options.roles.quasi,
            coded=name in options.coded,
        )
        for name in names
    }
    return LabelledTable(file, columns)


def size_of(path: Path) -> tuple[int | None, int]:
    """Tell how many rows, if the file says it, and columns there are. Nothing of what is read here is relied on."""
    program = program_of(path)
    read = getattr(library(f"Reading '{path.name}'"), program.reads)
    with in_words(path):
        said = read(str(path), metadataonly=True)[1]
    return said.number_rows, len(said.column_names)
