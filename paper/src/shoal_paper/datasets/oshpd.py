"""California's public patient discharge files of 2009, read as the paper uses them: the eleven attributes of Table S1.

The state gave them out as comma-delimited text in three parts of the state, with about 38 columns. Every cell is a
code, and some are masked (Table S3): an age to one of two ranges that have columns of their own, a ZIP code to its
first three digits, anything to ``*``. Each distinct text is looked at once, however many records have it.

Ages, ZIP codes and hospital numbers go to axes of whole numbers, on which a masked cell is a stretch. Patients from
abroad and without a home have letters for a ZIP code; they get the numbers 99998 and 99999, which no place has.
"""

from __future__ import annotations

import contextlib
import hashlib
import os
import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Literal, get_args

import numpy as np
from numpy.typing import NDArray

from shoal.domains.axis import NOTHING, STAR, Axis, Span
from shoal.domains.cell_parser import Vocabulary, parse
from shoal.domains.texts import Reading
from shoal.engines import Layout
from shoal.engines.io.file_extensions import delimiter_for
from shoal.engines.io.streams import at_hand
from shoal.engines.io.text_head import ENCODINGS, Head, read_head
from shoal.engines.io.text_reader import RawText, read_text
from shoal.engines.sources import Source
from shoal.errors import DataError, ParameterError, SchemaError, ShoalError, suggest
from shoal.schema import Role
from shoal.table import Origin, Table, printable
from shoal_paper.datasets.assembling import NewColumn, assemble
from shoal_paper.datasets.discharges import KNOWLEDGE, QUASI, SENSITIVE
from shoal_paper.datasets.writing import draft_of, target_at

Charges = Literal["dollars", "codes"]
Codes = NDArray[np.int32]

FOREIGN, HOMELESS = 99_998, 99_999
OLDEST = 85  # stands for all who are older
_RANGES = ("agecat20", "agecat5")  # from fine to coarse: what is left of an age when its years are masked
_LONGEST_LIFE = 130
_LARGEST = 2**31 - 2  # the ends of the 32-bit range are reserved
_ZIP = re.compile(r"([0-9]{3})([0-9]{2}|\*\*)?")
# Letters stand where there is no ZIP code: X for one that is not known. They may be cut to three, too.
_NO_ZIP = {
    letter * 3 + rest: span
    for letter, span in (("X", NOTHING), ("Y", (FOREIGN, FOREIGN)), ("Z", (HOMELESS, HOMELESS)))
    for rest in ("", "**", letter * 2)
}


@dataclass(frozen=True)
class _Field:
    """How the codes of a column are read (None: there is no such code), and what to say they are."""

    read: Callable[[str], Span | None]
    allowed: str


def _whole(text: str) -> int:
    """Give a whole number that may have leading zeros, or -1."""
    return int(text) if text.isascii() and text.isdigit() and len(text) <= 10 else -1


def _numbers(lowest: int, highest: int, allowed: str | None = None) -> _Field:
    def read(text: str) -> Span | None:
        number = _whole(text)
        return (number, number) if lowest <= number <= highest else None

    return _Field(read, allowed or f"a code from {lowest} to {highest}")


def _bands(*lows: int) -> _Field:
    """Read the numbers of age ranges from 1; 0 says that the age is not known."""
    highs = (*(low - 1 for low in lows[1:]), OLDEST)
    spans = dict(enumerate([NOTHING, *zip(lows, highs, strict=True)]))
    return _Field(lambda text: spans.get(_whole(text)), f"a code from 0 to {len(lows)}")


def _hospital(text: str) -> Span | None:
    number = _whole(text)
    return (number, number) if len(text) == 6 and 1 <= number // 10_000 <= 58 else None


def _age(text: str) -> Span | None:
    years = _whole(text)
    return (min(years, OLDEST),) * 2 if 0 <= years <= _LONGEST_LIFE else None


def _zip(text: str) -> Span | None:
    """Read a ZIP code, whole or its first three digits."""
    if text.upper() in _NO_ZIP:
        return _NO_ZIP[text.upper()]
    found = _ZIP.fullmatch(text)
    if found is None:
        return None
    first, rest = int(found[1]) * 100, found[2]
    return (first, first + 99) if rest in (None, "**") else (first + int(rest), first + int(rest))


def _days(text: str) -> Span | None:
    days = _whole(text)
    return (max(days, 1),) * 2 if 0 <= days <= _LARGEST else None  # the state, too, counts no days as one


def _dollars(text: str) -> Span | None:
    """Read an amount; 0 is the code for one that was not reported, and 1 for none."""
    amount = _whole(text)
    if not 0 <= amount <= _LARGEST:
        return None
    return NOTHING if amount == 0 else (0, 0) if amount == 1 else (amount, amount)


_AMOUNT = "a whole number of dollars"
_FIELDS = {
    "oshpd_id": _Field(_hospital, "six digits, of which the first two are a county from 01 to 58"),
    "age_yrs": _Field(_age, f"a whole number of years up to {_LONGEST_LIFE}"),
    "agecat20": _bands(0, 1, *range(5, 86, 5)),
    "agecat5": _bands(0, 1, 18, 35, 65),
    "sex": _numbers(1, 4),
    "ethncty": _numbers(1, 3),
    "race": _numbers(1, 6),
    "patzip": _Field(_zip, "five digits, three digits with or without **, XXXXX, YYYYY or ZZZZZ"),
    "patcnty": _numbers(0, 58),
    "los": _Field(_days, "a whole number of days"),
    "adm_qtr": _numbers(1, 4),
    "charge": _Field(_dollars, _AMOUNT),
}


@dataclass(frozen=True, eq=False)
class _Coded:
    """Some cells, which are spans or texts, and, record by record, the number of one of them."""

    cells: Sequence[Span | str]
    codes: Codes

    def distinct(self) -> _Coded:
        """Keep each cell once."""
        known: dict[Span | str, int] = {}
        move = np.array([known.setdefault(cell, len(known)) for cell in self.cells], np.int32)
        return _Coded(list(known), move[self.codes])


def _behind(parts: Sequence[_Coded]) -> _Coded:
    """Put the records of several files one behind the other."""
    starts = np.cumsum([0, *(len(part.cells) for part in parts)]).tolist()
    codes = [part.codes + np.int32(start) for part, start in zip(parts, starts, strict=False)]
    return _Coded([cell for part in parts for cell in part.cells], np.concatenate(codes)).distinct()


def _unless_masked(fine: _Coded, coarse: _Coded) -> _Coded:
    """Take the coarse cell where the fine one is masked, by way of all pairs of distinct cells: there are few."""
    cells = [b if a == STAR else a for a in fine.cells for b in coarse.cells]
    return _Coded(cells, fine.codes * np.int32(len(coarse.cells)) + coarse.codes).distinct()


@dataclass(frozen=True, eq=False)
class _File:
    """One of the files: its columns of Table S1, by name, and what else is known of it."""

    columns: dict[str, _Coded]
    left_out: tuple[str, ...]
    sha256: str


def _read_file(path: Path, fields: dict[str, _Field]) -> _File:
    with _naming(path):
        head = read_head(path, None, None, header=True)
        names = _names(head)
        needed = list(names.values())
        # As text from the start: most columns have codes with leading zeros, or stars, and are read once this way.
        raw = read_text(path, head, needed, [], needed, ENCODINGS)
        found = {name: _coded(raw, name, names[name], j, fields) for j, name in enumerate(names)}
        for name in _RANGES:
            if name in found:
                found["age_yrs"] = _unless_masked(found["age_yrs"], found.pop(name))
    left_out = tuple(name for name in head.header if name not in needed)
    return _File({name: found[name] for name in (*QUASI, *SENSITIVE)}, left_out, raw.written.sha256)


@contextlib.contextmanager
def _naming(path: Path) -> Iterator[None]:
    """Say of which file an error speaks, where it does not."""
    try:
        yield
    except ShoalError as error:
        if f"'{path}'" in error.what:
            raise
        raise type(error)(f"'{path}': {error.what}", error.remedy) from None


def _names(head: Head) -> dict[str, str]:
    """Find how the header writes the names of the needed columns."""
    written: dict[str, list[str]] = {}
    for name in head.header:
        written.setdefault(name.strip().casefold(), []).append(name)
    for name in (*QUASI, *SENSITIVE):
        if name not in written:
            raise SchemaError.missing_column(name, head.header)
    names = {name: written[name] for name in (*QUASI, *SENSITIVE, *_RANGES) if name in written}
    for name, ways in names.items():
        if len(ways) > 1:
            raise SchemaError(f"Several columns are named '{name}'.", "Give each column a name of its own.")
    return {name: ways[0] for name, ways in names.items()}


def _coded(raw: RawText, name: str, written: str, j: int, fields: dict[str, _Field]) -> _Coded:
    """Look at each distinct text of a column once."""
    texts = [text.strip() for text in raw.texts[written].texts]
    codes = np.ascontiguousarray(raw.cells[:, j])
    if name not in fields:
        return _Coded([text.upper() if text.strip("*") or not text else "*" for text in texts], codes).distinct()
    # Of an age that is left empty a range may still be known, as of one that is masked.
    empty = STAR if name in ("age_yrs", *_RANGES) else NOTHING
    read = fields[name].read
    cells = [read(text) if text.strip("*") else STAR if text else empty for text in texts]
    bad = [line for line, cell in zip(raw.texts[written].lines, cells, strict=True) if cell is None]
    if bad:
        raise DataError(
            f"Column '{name}' has a cell that is no code of these files (line {min(bad)}).",
            f"It must be {fields[name].allowed}; or * where it is masked, or empty. Mend it.",
        )
    return _Coded([cell for cell in cells if cell is not None], codes).distinct()


def _vocabulary(name: str, cells: Sequence[Span | str]) -> Vocabulary:
    if name not in _FIELDS:
        return parse([str(cell) for cell in cells], Reading("category"), name)
    lo, hi = np.array(cells, np.int32).T.copy()
    return Vocabulary(Axis("integer"), lo, hi, ranged=False, reason="codes of the state")


def _listed(paths: Sequence[str | Path] | str | Path) -> list[Path]:
    listed = [Path(path) for path in ([paths] if isinstance(paths, str | Path) else paths)]
    if not listed:
        raise ParameterError("No file is named.", "Name one or more of the files of the state.")
    if len({os.path.realpath(path) for path in listed}) < len(listed):
        raise ParameterError("A file is named twice, so its records would count twice.", "Name each file once.")
    return listed


def read_oshpd(paths: Sequence[str | Path], *, charges: Charges = "dollars") -> Table:
    """Read the state's files, one behind the other, as a table with roles and with what an attacker may know.

    Parameters
    ----------
    paths
        The files, such as ``PDD_LA_comma_2009.csv``. Each has a header; its names may be in any order and case, and
        other columns may stand between them.
    charges
        What charges mean: ``dollars`` leaves a charge of 0, the code for one that was not reported, without a value
        and takes 1, the code for none, as 0; ``codes`` keeps the numbers as they are. A charge of 9999999 is a
        limit: it may have been more.

    Returns
    -------
    Table
        The eleven attributes in the order of Table S1. An age that is masked is the range that is left of it, and a
        ZIP code of three digits all codes that begin so. Stays of no days count as one day, as in the state's own
        adjusted length of stay.

    Raises
    ------
    DataError
        If a file cannot be read, or has a cell that is no code: file, column and line are named.
    SchemaError
        If a file has no column of a name that is needed.

    References
    ----------
    D. Sánchez, S. Martínez, J. Domingo-Ferrer, supplement of doi:10.1126/science.aad9295, Tables S1 and S3.
    """
    if charges not in get_args(Charges):
        near = suggest(str(charges), get_args(Charges))
        hint = f"Did you mean '{near}'? " if near else ""
        raise ParameterError("Charges are read as dollars or as codes.", f"{hint}Say dollars or codes.")
    fields = _FIELDS if charges == "dollars" else {**_FIELDS, "charge": _numbers(0, _LARGEST, _AMOUNT)}
    listed = _listed(paths)
    files = [_read_file(Source.parse(at_hand(path)).path, fields) for path in listed]
    columns = []
    for name in (*QUASI, *SENSITIVE):
        whole = _behind([file.columns.pop(name) for file in files])  # what is put together is not kept twice
        role = Role.QUASI if name in QUASI else Role.SENSITIVE
        columns.append(NewColumn(name, role, KNOWLEDGE.get(name), _vocabulary(name, whole.cells), whole.codes))
    left_out = tuple(dict.fromkeys(name for file in files for name in file.left_out))
    return assemble(columns, _origin(listed, files, charges), left_out)


def _origin(paths: Sequence[Path], files: Sequence[_File], charges: Charges) -> Origin:
    """Tell where the table came from. Several files have the digest of their digests, one on each line.

    Plain reading would not give the same table again, so no place is given that a recipe could name as its source.
    """
    digests = [file.sha256 for file in files]
    digest = digests[0] if len(files) == 1 else hashlib.sha256("\n".join(digests).encode()).hexdigest()
    names = ", ".join(printable(path.name) for path in paths)
    return Origin(names, digest, "text", (f"discharge files of California, charges as {charges}",))


def write_oshpd(
    paths: Sequence[str | Path], out: str | Path | Source, *, charges: Charges = "dollars", overwrite: bool = False
) -> Table:
    """Read the state's files and write the eleven attributes as one file.

    Parameters
    ----------
    paths
        The files, as for `read_oshpd`.
    out
        The file to write: Parquet if the name ends in ``.parquet``, delimited text otherwise; ``-`` for stdout. It
        appears when it is complete.
    charges
        What charges mean, as for `read_oshpd`.
    overwrite
        Whether a file that is there may be replaced.

    Returns
    -------
    Table
        The table that was written.
    """
    target = target_at(out, _listed(paths), overwrite=overwrite)
    table = read_oshpd(paths, charges=charges)
    layout = Layout(delimiter_for(target))
    with draft_of(target, overwrite=overwrite) as draft, table.write(Source("file", draft), layout) as stored:
        stored.commit()
    return table
