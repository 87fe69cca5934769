"""Declared columns of a table as whole numbers, and the table that is released in its place."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from shoal.arrays import Counts, Integers
from shoal.domains.axis import Axis
from shoal.engines.values import Spans
from shoal.errors import CertificateError, DataError, ParameterError, SchemaError
from shoal.kernels import MISSING
from shoal.methods.private.declared_domains import DeclaredDomain, Steps
from shoal.schema import RELEASED, Schema
from shoal.table import Table


@dataclass(frozen=True, eq=False)
class UnitsOf:
    """What gives the declared columns of records as whole numbers, wherever the records are: below 0 is no value."""

    columns: tuple[tuple[DeclaredDomain, Axis], ...]

    @classmethod
    def of(cls, domains: Mapping[str, DeclaredDomain], schema: Schema) -> UnitsOf:
        """Take the quasi-identifiers, in their order."""
        return cls(tuple((domains[name], schema[name].axis) for name in schema.quasi))

    def __call__(self, rows: Spans) -> NDArray[np.int64]:
        """Give one column of whole numbers for each column that was declared."""
        found = [domain.units(rows.lo[:, j], axis) for j, (domain, axis) in enumerate(self.columns)]
        return np.stack(found, axis=1)


def refuse_other_columns(table: Table, method: str) -> None:
    """Refuse tables of which something would be released as it is, or of which a person may have several rows."""
    schema = table.schema
    if table.rows == 0:
        raise DataError("The table has no records.", "There is nothing to release.")
    others = [name for name in schema.of(*RELEASED) if name not in schema.quasi]
    if others:
        raise SchemaError(
            f"{method} gives noise to every column that it releases, and '{others[0]}' would be released as it is.",
            "Differential privacy knows no confidential columns: name all columns that are to be released as "
            "quasi-identifiers (--quasi), and leave out the others.",
        )
    if schema.subject is not None:
        raise SchemaError(
            f"{method} protects records, and '{schema.subject}' says that a person may have several.",
            "Bring the table to one record for each person, and leave the subject out.",
        )


def exact_counts(table: Table) -> dict[str, Counts]:
    """Count the values of each column, which are to be single ones."""
    found = {}
    for name in table.schema.quasi:
        axis = table.schema[name].axis
        try:
            found[name] = table.counts(name)
            known = len(axis.values) if axis.nominal and axis.values is not None else None
            sets = known is not None and bool((found[name][0] >= known).any())
        except ParameterError:
            sets = True
        if sets:
            raise SchemaError(
                f"Column '{name}' holds ranges or sets.", "Noise is given to exact values: take the original."
            )
    return found


def insist_on_domains(domains: Mapping[str, DeclaredDomain], released: Table, *, gaps: bool) -> None:
    """Insist that a release holds only values of its declared domains, and no gaps unless they are allowed."""
    for name, domain in domains.items():
        axis = released.schema[name].axis
        domain.refuse_other(name, axis)
        positions, _ = released.counts(name)
        shown = positions[positions != MISSING]
        units = domain.units(shown, axis)
        strange = bool((units < 0).any()) or (shown.size < positions.size and not gaps)
        if isinstance(domain, Steps) and not strange:
            numbers = shown if axis.values is None else axis.values[shown]
            strange = not np.array_equal(numbers, domain.values(units))
        if strange:
            raise CertificateError(
                f"Column '{name}' holds what is not in its declared domain.", "Do not rely on the certificate."
            )


def middle_for_missing(units: Integers, domains: Mapping[str, DeclaredDomain]) -> Integers:
    """Put the middle of its domain in the place of a value that is not there: it depends on nobody."""
    middles = np.array([(domain.size - 1) // 2 for domain in domains.values()])
    return np.where(units < 0, middles, units)
