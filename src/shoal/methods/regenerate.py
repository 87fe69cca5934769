"""Algorithm S1: plausible values for masked cells, so that the risk behind a masked table can be measured."""

from __future__ import annotations

import csv
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from shoal.arrays import Counts, Positions
from shoal.domains.axis import Axis
from shoal.domains.numerals import convert
from shoal.engines.values import Spans
from shoal.errors import DataError, ParameterError, SchemaError
from shoal.kernels import MISSING
from shoal.methods.imputation.proportional_fitting import impute_jointly
from shoal.models import PrivacyModel
from shoal.table import Table


@dataclass(frozen=True)
class Regenerate:
    """Put exact values into masked cells, each original value as often as it was masked: marginals are exact.

    The result is synthetic: it shows what risk the original carried, and is not meant to be released.

    Parameters
    ----------
    counts
        How often each value was masked: by column and value, or the path of a CSV file with the columns ``column``,
        ``value`` and ``count``. If left out, the counts that a masking step before this one kept.
    joint
        As published, values are put into masked cells at random, which weakens every association between
        attributes. True also draws each value from those that records with similar other attributes have, and keeps
        it inside the range that the masked cell still shows; marginals stay exact.

    References
    ----------
    D. Sánchez, S. Martínez, J. Domingo-Ferrer, supplement of doi:10.1126/science.aad9295, Algorithm S1.
    """

    name: ClassVar[str] = "regenerate"
    enforces: ClassVar[tuple[str, ...]] = ()
    counts: Mapping[str, Mapping[str, int]] | str | None = None
    joint: bool = False

    def files(self) -> list[Path]:
        """Give the file of the counts, if they come from one."""
        return [Path(self.counts)] if isinstance(self.counts, str) else []

    def apply(self, table: Table, models: Sequence[PrivacyModel], seed: int) -> Table:
        """Fill masked cells column by column."""
        wanted = table.masked if self.counts is None else masked_counts(table, self.counts)
        joint = self.joint
        nothing = np.empty(0, np.int32), np.empty(0, np.int64)
        columns = [(name, *wanted.get(name, nothing)) for name in table.schema.quasi]

        def kernel(rows: Spans, holes: NDArray[np.bool_], share: Share) -> Positions:
            exact = rows.lo.copy()
            draw = np.random.Generator(np.random.PCG64(share.seed))
            for j, (positions, counts) in enumerate(share.values):
                exact[np.flatnonzero(holes[:, j]), j] = draw.permutation(np.repeat(positions, counts))
            return impute_jointly(rows, exact, holes, draw) if joint else exact

        return table.fill(lambda holes: _shared(columns, holes, seed), kernel)

    def explain(self, table: Table, models: Sequence[PrivacyModel]) -> str:
        """Say what is done."""
        how = "in keeping with their other attributes" if self.joint else "at random"
        return f"Put plausible values into masked cells {how}, each as often as it was masked (Algorithm S1)."


def masked_counts(table: Table, counts: Mapping[str, Mapping[str, int]] | str) -> Mapping[str, Counts]:
    """Find counts of masked values, which are given or lie in a file, on the axes of a table."""
    given = _from_file(Path(counts)) if isinstance(counts, str) else counts
    for name in given:
        if name not in table.schema.quasi:
            raise SchemaError.missing_column(name, table.schema.quasi)
    return {name: _placed(name, table.schema[name].axis, values) for name, values in given.items()}


@dataclass(frozen=True)
class Share:
    """What is put into the masked cells of a piece of a table: positions and how often each, column by column."""

    values: Sequence[Counts]
    seed: int | Sequence[int]


def _shared(
    columns: Sequence[tuple[str, Positions, NDArray[np.int64]]], holes: Sequence[NDArray[np.int64]], seed: int
) -> list[Share]:
    """Deal the values out to the pieces of a table at random, as many to each as it has masked cells."""
    draw = np.random.Generator(np.random.PCG64([seed, len(holes)]))
    shares: list[list[Counts]] = [[] for _ in holes]
    for j, (name, positions, counts) in enumerate(columns):
        empty = sum(int(piece[j]) for piece in holes)
        if empty != counts.sum():
            raise DataError(
                f"Column '{name}' has {empty:,} masked cells, but counts for {counts.sum():,} are given.",
                "Counts must add up to the masked cells. A masking step in the same run counts by itself.",
            )
        left = counts.astype(np.int64)
        for number, piece in enumerate(holes):
            last = number == len(holes) - 1
            mine = left if last else draw.multivariate_hypergeometric(left, int(piece[j]), method="marginals")
            left = left - mine
            shares[number].append((positions[mine > 0], mine[mine > 0]))
    return [Share(values, seed if number == 0 else (seed, number)) for number, values in enumerate(shares)]


def _from_file(path: Path) -> Mapping[str, Mapping[str, int]]:
    """Read counts of masked values."""
    found: dict[str, dict[str, int]] = {}
    try:
        with path.open(newline="", encoding="utf-8-sig") as file:
            for row in csv.DictReader(file):
                column = found.setdefault(row["column"], {})
                column[row["value"]] = column.get(row["value"], 0) + int(row["count"])
    except OSError as error:
        raise DataError(f"The counts '{path}' cannot be read: {error.strerror}.", "Check the name.") from None
    except (KeyError, TypeError, ValueError, csv.Error):
        raise DataError(
            f"The counts '{path.name}' are not as expected.",
            "Write a CSV file with the columns column, value and count, and a whole number in each count.",
        ) from None
    return found


def _placed(name: str, axis: Axis, values: Mapping[str, int]) -> Counts:
    """Find the positions of values on the axis of their column."""
    texts = [str(value) for value in values]
    counts = np.array(list(values.values()), np.int64)
    if (counts < 0).any():
        raise ParameterError(f"A count of '{name}' is negative.", "Counts are whole numbers from 0.")
    if axis.numeric:
        try:
            numbers = convert(texts, axis.kind)
        except (ValueError, OverflowError):
            raise ParameterError(f"The counts of '{name}' name a value that is no {axis.kind}.", "Mend it.") from None
        places = numbers if axis.values is None else np.searchsorted(axis.values, numbers)
        known = axis.values is None or bool(np.isin(numbers, axis.values).all())
    else:
        positions = {str(value): i for i, value in enumerate(axis.values)}  # type: ignore[arg-type]
        known = all(text in positions for text in texts)
        places = np.array([positions.get(text, MISSING) for text in texts])
    if not known:
        raise ParameterError(
            f"The counts of '{name}' name a value that the column does not have.",
            f"If it holds whole numbers, declare it so (--kind {name}=integer).",
        )
    return places.astype(np.int32), counts
