"""The three tables of the paper: the records in full, as the state masks them, and as Algorithm S1 makes them whole."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path

import numpy as np

from shoal.domains.axis import Axis
from shoal.engines import Boxes, Layout
from shoal.errors import DataError, ParameterError
from shoal.kernels import MISSING
from shoal.methods.mask_uniques import MaskUniques
from shoal.methods.regenerate import Regenerate, masked_counts
from shoal.table import Table


@dataclass(frozen=True, eq=False)
class Records:
    """A table in its three forms.

    Parameters
    ----------
    truth
        The records in full, if they are known. They are not to those who have only what the state published.
    pd
        The records as the state publishes them: those that stood alone are masked (Table S3).
    spd
        The records that Algorithm S1 makes of the masked ones. The paper measures everything on these.
    """

    truth: Table | None
    pd: Table
    spd: Table

    @classmethod
    def of(cls, table: Table, counts: Path | None = None, masking: MaskUniques | None = None, seed: int = 0) -> Records:
        """Mask a table in full and make it whole again, or make one whole that is masked already.

        Parameters
        ----------
        table
            The records, in full or masked.
        counts
            Of masked records, how often each value was masked, as CSV with the columns column, value and count.
        masking
            How records in full are masked; by Table S3 if left out.
        seed
            The seed of Algorithm S1.
        """
        if not is_masked(table):
            if counts is not None:
                raise ParameterError(
                    "There are counts of masked values, but no cell of the table is masked.",
                    "Leave --counts out for records in full, or give the masked table.",
                )
            pd = (masking or MaskUniques()).apply(table, (), seed)
            return cls(table, pd, Regenerate().apply(pd, (), seed))
        if counts is None:
            raise DataError(
                "The table is masked, and it is not known how often each value was.",
                "Give the counts too (--counts FILE: column, value, count), as published with the records.",
            )
        pd = replace(table, masked=masked_counts(table, str(counts)))
        return cls(None, pd, Regenerate().apply(pd, (), seed))

    @cached_property
    def sha256(self) -> dict[str, str | None]:
        """The SHA-256 of each table, written as CSV: wherever it came from, the same records have the same."""
        return {
            name: None if table is None else table.text_digest(Layout()).sha256
            for name, table in {"truth": self.truth, "PD": self.pd, "SPD": self.spd}.items()
        }


def is_masked(table: Table) -> bool:
    """Tell whether a quasi-identifier has cells that stand for several values."""
    return any(any(table.boxes(_several(table.schema[name].axis), (name,))) for name in table.schema.quasi)


def _several(axis: Axis) -> Callable[[Boxes], bool]:
    """Find cells that are ranges, or on a nominal axis sets and patterns, which have positions after its values."""
    values = len(axis.values) if axis.nominal and axis.values is not None else np.iinfo(np.int32).max

    def found(cells: Boxes) -> bool:
        low, high = cells.lo[:, 0], cells.hi[:, 0]
        return bool(((low != high) | (low >= values)).any())

    return found


def different_counts(first: Table, second: Table) -> int:
    """Count the values of quasi-identifiers that do not occur equally often in two tables of exact values."""
    different = 0
    for name in first.schema.quasi:
        before, after = (_frequencies(table, name) for table in (first, second))
        different += sum(before.get(value) != after.get(value) for value in before.keys() | after.keys())
    return different


def _frequencies(table: Table, name: str) -> dict[str, int]:
    positions, counts = table.counts(name)
    axis = table.schema[name].axis
    texts = ("" if position == MISSING else axis.text(position) for position in positions.tolist())
    return dict(zip(texts, counts.tolist(), strict=True))
