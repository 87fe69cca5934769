"""Released columns as statistical programs keep them: numbers and texts, with what is said of each variable."""

from __future__ import annotations

from collections.abc import Container, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from shoal.domains.codebook import Code, Codebook, CodedVariable
from shoal.engines.io.labelled.moments import as_numbers, kind_of, usual_format
from shoal.engines.io.labelled.programs import Program
from shoal.engines.io.narrowing import as_floats, in_microseconds
from shoal.engines.io.ordered_categories import has_levels
from shoal.engines.io.typed_columns import is_text, levels_of, plain_column
from shoal.errors import DataError

_WHOLE = 2**53
_STORED = {pa.int8(): "int8", pa.int16(): "int16", pa.int32(): "int32", pa.float32(): "float"}


@dataclass(frozen=True)
class CodedColumn:
    """A column as it is kept: numbers or texts, and what is said of it.

    ``letters`` are the missing values that have one, by their rows; the numbers are null there.
    """

    name: str
    values: pa.Array
    variable: CodedVariable
    letters: Mapping[int, str]


def coded(
    name: str,
    column: pa.ChunkedArray,
    program: Program,
    book: Codebook | None,
    order: Sequence[str] | None,
    *,
    kept: bool,
    measured: bool,
) -> CodedColumn:
    """Give a released column as a program keeps it.

    Texts that are labels of a variable are its codes again. Others that stand among them, such as sets of labels, get
    codes of their own, behind all others, but not ranges of what is ``measured``, numbers and days. Categories with an
    order are numbered in it. Only a column that is ``kept``, released as it is, still has codes for what is missing; in
    others nothing may look like one.
    """
    said = CodedVariable() if book is None else book.of(name)
    if book is not None and book.program != program.name:
        said = replace(said, format="", storage="", width=0, missing=(), values=_codes_in(program, said))
    if not program.labels_values:
        said = replace(said, values={})
    if has_levels(column.type) and order is None:
        order = levels_of(column).to_pylist()
    column = plain_column(column)
    whole = column.combine_chunks()
    array = whole if isinstance(whole, pa.Array) else pa.concat_arrays(whole.chunks)
    kind = array.type
    if pa.types.is_boolean(kind):
        said, array = replace(said, values={}), array.cast(pa.string())
        order = ["false", "true"]
    if is_text(array.type):
        texts = array.cast(pa.string())
        if measured:
            return _as_text(name, texts, said)
        if not kept:
            said = _without_labels(said, set(pc.unique(texts).drop_null().to_pylist()))
        if said.storage == "string":
            return _coded_texts(name, texts, said, kept=kept)
        labelled = _texts(name, texts, said, order if program.labels_values else None)
        longest = max((len(label.encode()) for label in labelled.variable.values.values()), default=0)
        return labelled if longest <= program.longest_label else _as_text(name, texts, said)
    if pa.types.is_date(kind) or (pa.types.is_timestamp(kind) and kind.tz is None):
        found = "date" if pa.types.is_date(kind) else "datetime"
        same = said.format if kind_of(program, said.format) == found else usual_format(program, found)
        if found == "datetime":
            array = in_microseconds(name, array, program.name)
        numbers = as_numbers(name, array, program)
        said = said if kept else _without_codes(said, numbers)
        return CodedColumn(name, numbers, replace(said, format=same, storage="double", values={}), {})
    if pa.types.is_decimal(kind):
        array, kind = as_floats(name, array), pa.float64()
    if pa.types.is_float16(kind):
        array, kind = array.cast(pa.float32()), pa.float32()
    if not (pa.types.is_integer(kind) or pa.types.is_floating(kind)):
        raise DataError(
            f"Column '{name}' is of a type that {program.name} cannot hold ({kind}).",
            "Leave it out, or write Parquet or text.",
        )
    return _numbers(name, array, said if kept else _without_codes(said, array), program)


def _without_labels(said: CodedVariable, texts: Container[str]) -> CodedVariable:
    """Leave out labels of missing codes that some cell shows, as it may be *, which stands for any value."""
    shown = {code for code, label in said.values.items() if label.strip() in texts and said.is_missing(code)}
    return replace(said, values={code: label for code, label in said.values.items() if code not in shown})


def _without_codes(said: CodedVariable, numbers: pa.Array) -> CodedVariable:
    """Declare nothing missing that some cell shows, as a mean may be the code of what is missing."""
    spans = tuple(span for span in said.missing if not _shows(numbers, *span))
    left = replace(said, missing=spans)
    known = {code: label for code, label in said.values.items() if left.is_missing(code) or not said.is_missing(code)}
    return replace(left, values=known)


def _shows(numbers: pa.Array, low: Code, high: Code) -> bool:
    """Tell whether some number lies in a span of codes; a letter is none."""
    if isinstance(low, str) or isinstance(high, str):
        return False
    found = pc.any(pc.and_(pc.greater_equal(numbers, low), pc.less_equal(numbers, high)))
    return bool(found.as_py())


def _codes_in(program: Program, said: CodedVariable) -> Mapping[Code, str]:
    """Give the codes of another program that have the same meaning in this one, with their labels.

    SAS has missing values of letters as Stata has, in capitals; SPSS has none. Codes that are texts are not numbers.
    """
    if said.storage == "string":
        return {}
    letters: dict[Code, Code] = {code: code.lower() for code in said.values if isinstance(code, str)}
    kept = {code for code in letters if program.name == "Stata" and str(code).isalpha()}
    return {letters.get(code, code): text for code, text in said.values.items() if code not in letters or code in kept}


def _numbers(name: str, array: pa.Array, said: CodedVariable, program: Program) -> CodedColumn:
    if pa.types.is_integer(array.type):
        limits = pc.min_max(array).as_py()
        if max(abs(limits["min"] or 0), abs(limits["max"] or 0)) > _WHOLE:
            raise DataError(
                f"Column '{name}' has integers beyond 2^53, which {program.name} keeps as other numbers.",
                "Write Parquet or text, or read them as codes (--kind NAME=category).".replace("NAME", name),
            )
    else:
        _insist_on_size(name, array, program)
    shown = said.format if said.format and not said.format.upper().startswith("A") else ""
    if not shown and program.name == "SPSS" and pa.types.is_integer(array.type):
        shown = "F8.0"
    storage = said.storage if said.storage not in ("", "string") else _STORED.get(array.type, "")
    if not storage:
        storage = "int32" if pa.types.is_integer(array.type) and _fits(array) else "double"
    codes = {float(code) for code in pc.unique(array).drop_null().to_pylist()} if said.values else set()
    return CodedColumn(name, array, replace(said.with_values_of(codes), format=shown, storage=storage), {})


def _insist_on_size(name: str, array: pa.Array, program: Program) -> None:
    """Refuse numbers that a program keeps as others, or not at all."""
    sizes = pc.unique(pc.abs(array.cast(pa.float64()))).drop_null().to_numpy(zero_copy_only=False)
    sizes = sizes[~np.isnan(sizes) & (sizes != 0)]
    if ((sizes < program.smallest) | (sizes > program.largest)).any():
        raise DataError(
            f"Column '{name}' has numbers beyond those that {program.name} keeps.",
            "Mend them, leave the cells empty, or write Parquet or text.",
        )


def _fits(array: pa.Array) -> bool:
    limits = pc.min_max(array).as_py()
    return (limits["min"] or 0) > -(2**31) and (limits["max"] or 0) <= 2_147_483_620


def _texts(name: str, texts: pa.Array, said: CodedVariable, order: Sequence[str] | None) -> CodedColumn:
    numbered = {code: text for code, text in said.texts().items() if not isinstance(code, str) or len(code) == 1}
    if not numbered and order is None:
        return _as_text(name, texts, said)
    found = pc.unique(texts).drop_null().to_pylist()
    if not numbered:
        assert order is not None
        numbered = dict(enumerate((text for text in order if text in found), 1))
        said = replace(said, measure="ordinal", storage="int32", format="", missing=())
        labels: dict[Code, str] = dict(numbered)
    else:
        labels = dict(said.values)
    codes = {text: code for code, text in numbered.items()}
    free = _free_codes(said, [code for code in labels if not isinstance(code, str)])
    for text in found:
        if text not in codes:
            codes[text] = next(free)
            labels[codes[text]] = text
    chosen = [codes.get(text) for text in found]
    values = np.array([np.nan if isinstance(code, str) else float(code) for code in chosen])  # type: ignore[arg-type]
    places = pc.index_in(texts, pa.array(found, pa.string()))
    numbers = pa.array(values, from_pandas=True).take(places)
    by_letter = {place: code for place, code in enumerate(chosen) if isinstance(code, str)}
    letters = {} if not by_letter else {
        row: by_letter[place] for row, place in enumerate(places.to_pylist()) if place in by_letter
    }  # fmt: skip
    kept = replace(said, values=labels).with_values_of({code for code in chosen if code is not None})
    return CodedColumn(name, numbers, replace(kept, storage=_wide(kept.storage, values)), letters)


def _wide(storage: str, codes: Any) -> str:
    """Give a type that has room for new codes too."""
    most = np.nanmax(np.abs(codes), initial=0)
    room = {"int8": 100, "int16": 32_740, "int32": 2_147_483_620}
    if storage not in room:
        return storage or ("int32" if most <= room["int32"] else "double")
    return next((kind for kind in list(room)[list(room).index(storage) :] if most <= room[kind]), "double")


def _free_codes(said: CodedVariable, known: Sequence[float]) -> Any:
    """Give whole numbers behind all codes that are known, none of which is declared to be missing."""
    highest = int(max([0, *(code for code in known if not said.is_missing(code))]))
    number = highest
    open_end = any(not isinstance(high, str) and high > 2**31 for _, high in said.missing)
    step = 1
    if open_end and said.is_missing(highest + 1):
        number, step = min(0, int(min(known, default=0))), -1
    while True:
        number += step
        if number not in known and not said.is_missing(number):
            yield number


def _as_text(name: str, texts: pa.Array, said: CodedVariable) -> CodedColumn:
    """Give texts as they are, of which nothing but what the variable is called is said."""
    return CodedColumn(name, texts, CodedVariable(said.label, storage="string", width=said.width), {})


def _coded_texts(name: str, texts: pa.Array, said: CodedVariable, *, kept: bool) -> CodedColumn:
    """Give texts whose codes are texts too; where a cell has no code, labels stand in the cells.

    A column that is kept has codes in its cells where only some of them have labels.
    """
    codes = {text: code for code, text in said.texts().items()}
    found = pc.unique(texts).drop_null().to_pylist()
    if not codes or not all(text in codes for text in found):
        return CodedColumn(name, texts, said.with_values_of(found), {}) if kept else _as_text(name, texts, said)
    places = pc.index_in(texts, pa.array(found, pa.string()))
    values = pa.array([str(codes[text]) for text in found], pa.string()).take(places)
    return CodedColumn(name, values, said.with_values_of({codes[text] for text in found}), {})


def as_kept(name: str, values: Sequence[Any], variable: CodedVariable) -> CodedColumn:
    """Give a column as a file keeps it, to be written anew."""
    if variable.storage == "string":
        found = {value for value in set(values) if value is not None}
        return CodedColumn(name, pa.array(values, pa.string()), variable.with_values_of(found), {})
    letters = {row: value for row, value in enumerate(values) if isinstance(value, str)}
    plain = [None if isinstance(value, str) else value for value in values] if letters else values
    numbers = pa.array(np.array(plain, np.float64), from_pandas=True)
    codes = {*pc.unique(numbers).drop_null().to_pylist(), *letters.values()} if variable.values else set()
    return CodedColumn(name, numbers, variable.with_values_of(codes), letters)
