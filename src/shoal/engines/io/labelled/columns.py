"""What a variable of a statistical program is as a column: its labels, days, or numbers of the type that it has."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from shoal.domains.codebook import Code, CodedVariable
from shoal.engines.io.labelled.moments import as_arrow, as_moments, kind_of
from shoal.engines.io.labelled.programs import Program
from shoal.errors import DataError

_WHOLE = 2**53  # up to which floats hold every whole number
_DAY = 86_400_000_000
_STORED = {"int8": pa.int8(), "int16": pa.int16(), "int32": pa.int32(), "float": pa.float32()}


class LabelledColumn:
    """A variable that is read: first all of its values are seen, then they are made into a column.

    Parameters
    ----------
    name
        Its name.
    variable
        What the file says of it.
    program
        The program that the file is of.
    keep
        Whether codes for what is missing stay as they are.
    kind
        What was said of the column, if anything was.
    wide
        Whether numbers have the widest type, whatever the file keeps them in, as in a release that is checked.
    coded
        Whether codes are read, whatever labels they have.
    """

    def __init__(
        self,
        name: str,
        variable: CodedVariable,
        program: Program,
        *,
        keep: bool,
        kind: str | None,
        wide: bool = False,
        coded: bool = False,
    ) -> None:
        self._wide = wide
        self.name, self.variable, self._program, self._keep, self._kind = name, variable, program, keep, kind
        self.sealed = False
        self._texts = {} if coded else variable.texts()
        self._labelled, self._whole, self._days, self._large = bool(self._texts), True, True, False
        self._moments = kind_of(program, variable.format) if variable.storage != "string" else None

    def see(self, values: Sequence[Any]) -> None:
        """Look at some values, to know what all of them are."""
        if self.variable.storage == "string":
            if self._labelled:
                self._labelled = all(code == "" or code in self._texts for code in self._found(set(values)))
            return
        numbers, letters = self._split(values)
        known = numbers[~np.isnan(numbers)]
        if self._labelled:
            codes = [*self._found(np.unique(known).tolist()), *(set(letters.values()) if self._keep else ())]
            self._labelled = all(code in self._texts for code in codes)
        if self._moments is not None:
            self._days = self._days and not (as_moments(known, self._program, self._moments) % _DAY).any()
        whole = bool((known == np.rint(known)).all())
        self._whole = self._whole and whole and bool((np.abs(known) < _WHOLE).all())

    def _found(self, codes: Any) -> list[Code]:
        return [code for code in codes if self._keep or not self.variable.is_missing(code)]

    @property
    def partly_labelled(self) -> bool:
        """Whether some values have labels and others have none, so that the column shows none."""
        return not self._labelled and any(not self.variable.is_missing(code) for code in self.variable.values)

    @property
    def type(self) -> pa.DataType:
        """The type of the column, once all values were seen."""
        if self._labelled:
            ordered = self.variable.measure == "ordinal"
            return pa.dictionary(pa.int32(), pa.string(), ordered=True) if ordered else pa.string()
        if self.variable.storage == "string":
            return pa.string()
        if self._moments is not None:
            return pa.date32() if self._moments == "date" and self._days else pa.timestamp("us")
        if self.variable.storage in _STORED and not self._wide:
            return _STORED[self.variable.storage]
        return pa.int64() if self._whole and self._kind != "float" else pa.float64()

    def converted(self, values: Sequence[Any]) -> pa.Array:
        """Give some values as a column."""
        if self.variable.storage == "string":
            return self._of_texts(values)
        numbers, letters = self._split(values)
        if not self._keep and self.variable.missing:
            numbers = self._without_missing(numbers)
        if self._labelled:
            return self._of_codes(numbers, letters)
        if self._moments is not None:
            return as_arrow(numbers, self._program, self._moments, days=pa.types.is_date(self.type))
        gone = np.isnan(numbers)
        if pa.types.is_integer(self.type):
            return pa.array(np.where(gone, 0, numbers).astype(np.int64), mask=gone).cast(self.type)
        return pa.array(numbers, mask=gone).cast(self.type)

    def taken(self, values: Sequence[Any]) -> Any:
        """Give values in the form in which they are looked at and converted: to do it once is faster."""
        return values if self.variable.storage == "string" else self._split(values)

    def _split(self, values: Any) -> tuple[NDArray[np.float64], dict[int, str]]:
        """Give numbers, and where letters stand among them, which are the missing values of Stata and SAS."""
        if isinstance(values, tuple):
            return values
        try:
            return np.array(values, np.float64), {}
        except (TypeError, ValueError):
            letters = {place: value for place, value in enumerate(values) if isinstance(value, str)}
            try:
                plain = [None if isinstance(value, str) else value for value in values]
                return np.array(plain, np.float64), letters
            except (TypeError, ValueError):
                raise DataError(
                    f"Column '{self.name}' has values of several types.", "Mend it in the program that wrote the file."
                ) from None

    def _without_missing(self, numbers: NDArray[np.float64]) -> NDArray[np.float64]:
        gone = np.zeros(numbers.size, bool)
        for low, high in self.variable.missing:
            if not isinstance(low, str) and not isinstance(high, str):
                gone |= (numbers >= low) & (numbers <= high)
        return np.where(gone, np.nan, numbers)

    def _of_codes(self, numbers: NDArray[np.float64], letters: dict[int, str]) -> pa.Array:
        found, places = np.unique(numbers, return_inverse=True)
        listed = list(self._texts)
        ranks = {code: rank for rank, code in enumerate(listed)}
        codes = np.array([ranks.get(code, -1) for code in found.tolist()], np.int32)[places.reshape(-1)]
        if self._keep:
            for place, letter in letters.items():
                codes[place] = ranks.get(letter, -1)
        return self._labels(pa.array(codes, mask=codes < 0))

    def _of_texts(self, values: Sequence[Any]) -> pa.Array:
        texts = pa.array(values, pa.string())
        if not self._keep and self.variable.missing:
            gone = [value is not None and self.variable.is_missing(value) for value in values]
            texts = pa.array([None if lost else value for lost, value in zip(gone, values, strict=True)], pa.string())
        if not self._labelled:
            # These programs keep a text that is not there as an empty one.
            return texts if self._keep else pc.if_else(pc.equal(texts, ""), pa.scalar(None, pa.string()), texts)
        ranks = {code: rank for rank, code in enumerate(self._texts)}
        return self._labels(
            pa.array([None if text is None else ranks.get(text) for text in texts.to_pylist()], pa.int32())
        )

    def _labels(self, ranks: pa.Array) -> pa.Array:
        """Give the labels of codes by their rank."""
        listed = list(self._texts.values())
        if not pa.types.is_dictionary(self.type):
            return pa.array(listed, pa.string()).take(ranks)
        return pa.DictionaryArray.from_arrays(ranks.cast(pa.int32()), pa.array(listed, pa.string()), ordered=True)
