"""Transition matrices as recipes give them and certificates publish them, and estimates by what is published."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any, Protocol

import numpy as np

from shoal.arrays import Floats, Integers
from shoal.domains.axis import Axis
from shoal.engines.packed_cells import unpacked
from shoal.errors import DataError, ParameterError
from shoal.methods.perturbation.category_counts import Strata
from shoal.methods.perturbation.transition_matrices import Estimate, estimable, estimate
from shoal.table import Table

_SLACK = 1e-9


class Applied(Protocol):
    """What was applied to a column: its categories as packed cells, their counts, and a matrix, in each stratum."""

    @property
    def cells(self) -> Integers:
        """The categories."""
        ...

    @property
    def counts(self) -> Integers:
        """How often each occurs."""
        ...

    @property
    def matrices(self) -> Floats:
        """The probabilities."""
        ...


def read_matrices(given: Any) -> dict[str, dict[str, dict[str, float]]]:
    """Read matrices by column, value and value; refuse what is no table of probabilities."""
    try:
        found = {
            str(column): {
                str(value): {str(other): float(share) for other, share in row.items()} for value, row in rows.items()
            }
            for column, rows in given.items()
        }
    except (AttributeError, TypeError, ValueError):
        raise ParameterError(
            "A matrix gives for each column and value the probability of each value.",
            'Write matrix = {"roof": {"2": {"2": 0.8, "4": 0.2}, "4": {"2": 0.1, "4": 0.9}}}.',
        ) from None
    for column, rows in found.items():
        for row in rows.values():
            if not all(0 <= share <= 1 for share in row.values()) or abs(math.fsum(row.values()) - 1) > _SLACK:
                raise ParameterError(
                    f"A row of the matrix of '{column}' does not hold probabilities that sum to 1.", "Mend it."
                )
    return found


def published(table: Table, strata: Strata, applied: Mapping[str, Applied]) -> dict[str, Any]:
    """Give the matrices of columns as plain values, and whether counts can be estimated by each."""
    axes = [table.schema[name].axis for name in strata.names]
    return {
        name: [
            {
                **({"stratum": _texts(axes, cells)} if strata.names else {}),
                **_content(table.schema[name].axis, each.cells, counts, matrix),
            }
            for cells, counts, matrix in zip(strata.cells, each.counts, each.matrices, strict=True)
        ]
        for name, each in applied.items()
    }


def remark(method: str, matrices: Mapping[str, Any]) -> dict[str, Any]:
    """Say by which matrices values were exchanged, and which original counts can be estimated from released ones."""
    fit = [name for name, entries in matrices.items() if all(entry["estimable"] for entry in entries)]
    refused = [name for name in matrices if name not in fit]
    parts = [f"Original counts of {', '.join(fit)} can be estimated by the matrices in the certificate."] if fit else []
    if refused:
        parts.append(f"Those of {', '.join(refused)} cannot be estimated: the matrix is singular or nearly so.")
    return {"method": method, "said": " ".join(parts), "matrices": dict(matrices)}


def _content(axis: Axis, cells: Integers, counts: Integers, matrix: Floats) -> dict[str, Any]:
    here = np.flatnonzero(counts)
    among = matrix[np.ix_(here, here)]
    values = [axis.text(position) for position in unpacked(cells[here])[0].tolist()]
    return {"values": values, "matrix": among.tolist(), "estimable": estimable(among) if here.size else False}


def _texts(axes: Sequence[Axis], cells: Integers) -> list[str]:
    lo, hi = unpacked(cells)
    return [axis.render((low, high)) for axis, low, high in zip(axes, lo.tolist(), hi.tolist(), strict=True)]


def estimated_counts(content: Mapping[str, Any], counts: Mapping[str, int]) -> dict[str, tuple[float, float]]:
    """Estimate how often each value occurred before plain PRAM, by what the certificate says of the column.

    Parameters
    ----------
    content
        What the certificate has under ``remarks``, ``matrices`` and the name of the column: the entry of the table, or
        of a stratum.
    counts
        How often each value occurs in the released column, there.

    Returns
    -------
    dict
        For each value its estimated count and the standard error of that.

    Examples
    --------
    >>> matrix = {"values": ["no", "yes"], "matrix": [[0.8, 0.2], [0.2, 0.8]]}
    >>> [round(number, 6) for number in estimated_counts(matrix, {"no": 68, "yes": 32})["no"]]
    [80.0, 6.666667]
    """
    values = content["values"]
    strange = counts.keys() - set(values)
    if strange:
        raise DataError(
            f"{len(strange):,} of the counted values are none that the matrix is about.",
            "Count the values of the released column; missing cells do not take part.",
        )
    released = np.array([counts.get(value, 0) for value in values], np.float64)
    found: Estimate = estimate(released, np.array(content["matrix"], np.float64).reshape(len(values), len(values)))
    return {
        value: (round(count, 9), error)
        for value, count, error in zip(values, found.counts.tolist(), found.errors.tolist(), strict=True)
    }
