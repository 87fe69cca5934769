"""Data shuffling: confidential values change places so that all that is left of them is how they go with the others."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from shoal.arrays import Array, Bits, Floats, Positions
from shoal.domains.axis import Axis
from shoal.errors import ParameterError, SchemaError
from shoal.kernels.random_streams import quantiles_at
from shoal.kernels.row_products import times
from shoal.methods.perturbation import Perturbation, column_names, enough_records
from shoal.methods.perturbation.exact_moments import moments_of
from shoal.methods.perturbation.joint_noise import normals
from shoal.methods.perturbation.preserved import Preserved
from shoal.methods.perturbation.ranks import ValueOrder, in_order_of_bits
from shoal.methods.perturbation.streams import Streams
from shoal.models import PrivacyModel
from shoal.schema import Role
from shoal.table import Table

_LEAST = 1e-8  # eigenvalue of a matrix of correlations
_PER_COLUMN = 10  # records: correlations of fewer tell where single ones stand


@dataclass(frozen=True)
class Shuffle(Perturbation):
    """Give the values of confidential columns to other records, by ranks drawn at random given the other columns.

    Once the other columns are known, the new ranks tell nothing more of the old ones. Columns keep their values, each
    as often, and the rank correlations, which stay as they are in expectation, with each other and with those others.

    Parameters
    ----------
    columns
        The columns of numbers, dates and ordered categories that are shuffled. If left out, the confidential ones.
    given
        The columns that stay, by which it goes. If left out, all quasi-identifiers that have an order.

    References
    ----------
    K. Muralidhar, R. Sarathy: Data shuffling - a new masking approach for numerical data, Management Science 52(5),
    2006, doi:10.1287/mnsc.1050.0503.
    """

    name: ClassVar[str] = "shuffle"
    given: tuple[str, ...] | None = None

    def __post_init__(self) -> None:
        """Refuse what names no columns."""
        super().__post_init__()
        object.__setattr__(self, "given", column_names("given", self.given))
        both = set(self.columns or ()) & set(self.given or ())
        if both:
            raise ParameterError(f"'{min(both)}' cannot both change and stay.", "Name it in columns or in given.")

    def suits(self, axis: Axis) -> bool:
        """Tell whether the values of an axis have an order."""
        return not axis.nominal

    def changed(self, table: Table) -> tuple[str, ...]:
        """Name the columns that are shuffled."""
        return self.chosen(table, self.columns, (Role.SENSITIVE,))

    def _given(self, table: Table) -> tuple[str, ...]:
        changed = self.changed(table)
        if self.given is not None:
            found = self.chosen(table, self.given, (), "given")
            if set(found) & set(changed):
                raise SchemaError("A column cannot both change and stay.", "Name it in columns or in given.")
            return found
        quasi = (name for name in table.schema.quasi if self.suits(table.schema[name].axis))
        return tuple(name for name in quasi if name not in changed)

    def perturbed(self, table: Table, names: tuple[str, ...], streams: Streams) -> Table:
        """Draw new ranks, and give each record the value of its own."""
        stay = self._given(table)
        orders = [ValueOrder.of(table, name) for name in (*names, *stay)]
        shares = table.combine(_shares([order.size for order in orders]), *(order.ranks for order in orders))
        moments = moments_of(table, shares)
        enough_records(moments.complete, _PER_COLUMN * len(orders), self.name, (*names, *stay))
        weights, root = _conditional(_correlations(moments.covariance), len(names))
        keys = [streams.key("ranks", name) for name in names]
        drawn = table.combine(_drawing(keys, weights, root), table.rank([]), shares)
        changed = {}
        for j, (name, order) in enumerate(zip(names, orders[: len(names)], strict=True)):
            lacking, key = (table.combine(_of(j, what), drawn, order.ranks) for what in (_lacking, _sorted_by))
            places = table.rank([lacking, key])
            ranks = table.combine(_kept_out, places, order.ranks)
            changed[name] = table.schema[name].axis, order.with_ranks(table, ranks)
        return table.put(changed)

    def preserves(self, table: Table, models: Sequence[PrivacyModel]) -> tuple[Preserved, ...]:
        """Say that columns keep their values, and in expectation their rank correlations."""
        names = self.changed(table)
        return (
            Preserved("margins", names, exactly=True),
            Preserved("rank correlations", (*names, *self._given(table)), exactly=False),
        )

    def explain(self, table: Table, models: Sequence[PrivacyModel]) -> str:
        """Say what is done."""
        stay = self._given(table)
        by = f" in keeping with {', '.join(stay)}" if stay else ""
        return f"Gave the values of {', '.join(self.changed(table))} to other records at random{by}."


def _shares(sizes: Sequence[int]) -> Callable[..., Floats]:
    """Give what turns ranks into shares of the values below, NaN where there is none."""

    def shares(*ranks: Array) -> Floats:
        columns = [
            np.where(rank >= 0, (rank + 0.5) / max(size, 1), np.nan) for rank, size in zip(ranks, sizes, strict=True)
        ]
        return np.stack(columns, axis=1)

    return shares


def _correlations(covariance: Floats) -> Floats:
    """Give the correlations of normal scores that have these covariances of their ranks: the nearest that can be."""
    scale = np.sqrt(np.diag(covariance))
    ranks = np.divide(
        covariance, np.outer(scale, scale), out=np.zeros_like(covariance), where=np.outer(scale, scale) > 0
    )
    found = 2 * np.sin(np.pi * ranks / 6)
    np.fill_diagonal(found, 1.0)
    values, vectors = np.linalg.eigh(found)
    if values.min(initial=1.0) < _LEAST:
        found = vectors * np.maximum(values, _LEAST) @ vectors.T
        scale = np.sqrt(np.diag(found))
        found = found / np.outer(scale, scale)
    return np.asarray(found, np.float64)


def _conditional(correlations: Floats, changed: int) -> tuple[Floats, Floats]:
    """Give how scores that change follow from those that stay, and the root of what is left to chance."""
    own, cross, others = (
        correlations[:changed, :changed], correlations[changed:, :changed], correlations[changed:, changed:]
    )  # fmt: skip
    weights = np.linalg.solve(others, cross) if others.size else np.zeros((0, changed))
    values, vectors = np.linalg.eigh(own - cross.T @ weights)
    root = np.sqrt(np.maximum(values, 0.0))[:, None] * vectors.T
    return np.asarray(weights, np.float64), np.asarray(root, np.float64)


def _drawing(keys: Sequence[Bits], weights: Floats, root: Floats) -> Callable[[Array, Floats], Floats]:
    """Give what draws scores for each record, given those that stay: where one of these lacks, its mean stands in."""

    def drawn(records: Array, shares: Floats) -> Floats:
        stay = shares[:, len(keys) :]
        scores = np.zeros_like(stay)
        known = ~np.isnan(stay)
        scores[known] = quantiles_at(stay[known])
        return times(scores, weights) + times(normals(keys, records), root)

    return drawn


def _of(j: int, what: Callable[[Floats, Array], Array]) -> Callable[[Floats, Array], Array]:
    return lambda drawn, ranks: what(np.ascontiguousarray(drawn[:, j]), ranks)


def _lacking(drawn: Floats, ranks: Array) -> Positions:
    return (ranks < 0).astype(np.int32)


def _sorted_by(drawn: Floats, ranks: Array) -> Floats:
    return in_order_of_bits(drawn)


def _kept_out(places: Array, ranks: Array) -> Array:
    """Give the new rank of each record with a value: these come before all others."""
    return np.where(ranks >= 0, places, -1)
