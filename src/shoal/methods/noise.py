"""Noise addition: to each number a random one, for each column on its own or in keeping with the others."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import ClassVar, Literal, get_args

import numpy as np

from shoal.arrays import Array, Bits, Flags, Floats
from shoal.errors import ParameterError
from shoal.kernels.row_products import times
from shoal.methods.perturbation import Perturbation, enough_records, number_between
from shoal.methods.perturbation.exact_moments import JointMoments, moments_of
from shoal.methods.perturbation.joint_noise import Root, adding, normals, picking
from shoal.methods.perturbation.numbers import numbers_of, present, put_numbers, some_missing
from shoal.methods.perturbation.preserved import Preserved
from shoal.methods.perturbation.robust_distance import outlying
from shoal.methods.perturbation.streams import Streams
from shoal.methods.perturbation.stretches import by_stretches
from shoal.models import PrivacyModel
from shoal.table import Column, Table

NoiseKind = Literal["independent", "correlated", "exact", "mixture", "outliers"]
_SAID = {
    "independent": "noise of {alpha:g} times its variance to each of {names}, each on its own",
    "correlated": "noise of {alpha:g} times their covariances to {names}{rescaled}",
    "exact": "noise of {alpha:g} times their covariances to {names}, and gave them their means and covariances back",
    "mixture": "normal numbers with the means and covariances of {names} to these, with the share {alpha:g} of the "
    "variance, and took as much from them",
    "outliers": "noise of {alpha:g} times their covariances to {names}, of records that lie far from the others only",
}


@dataclass(frozen=True)
class Noise(Perturbation):
    """Add a random number to each number.

    Noise alone hides no record whose value is far from all others', and with little noise most records can still be
    linked: measure it.

    Parameters
    ----------
    columns
        The columns of numbers and dates that get noise. If left out, all such quasi-identifiers and confidential
        columns.
    kind
        ``independent`` adds noise to each column on its own, which weakens correlations. ``correlated`` adds noise
        with the covariances of the columns. ``exact`` then gives them the means and covariances that they had.
        ``mixture`` replaces a share of each number by a normal one, which keeps both in expectation. ``outliers`` adds
        correlated noise to records only that lie far from the others.
    alpha
        The variance of the noise in units of the variance of the column; of a ``mixture``, the share of the
        variance that is new (δ²), at most 1. Not in percent: 0.1 is a tenth.
    rescale
        Whether ``correlated`` noise is followed by shrinking, so that covariances stay what they were in expectation.

    References
    ----------
    J. J. Kim: A method for limiting disclosure in microdata based on random noise and transformation, Proceedings of
    the Survey Research Methods Section, ASA, 1986; R. Brand: Microdata protection through noise addition, Inference
    Control in Statistical Databases, 2002, doi:10.1007/3-540-47804-3_8. Mixture: K. Muralidhar, R. Sarathy: A
    theoretical basis for perturbation methods, Statistics and Computing 13, 2003, doi:10.1023/A:1025610705286.
    """

    name: ClassVar[str] = "noise"
    kind: NoiseKind = "independent"
    alpha: float = 0.1
    rescale: bool = False

    def __post_init__(self) -> None:
        """Refuse noise that is none, or of no kind."""
        super().__post_init__()
        if self.kind not in get_args(NoiseKind):
            raise ParameterError(f"Noise is {', '.join(get_args(NoiseKind))}, not '{self.kind}'.", "Choose one.")
        most = 1.0 if self.kind == "mixture" else float("inf")
        number_between("alpha", self.alpha, 0.0, most, "Usual shares of the variance are 0.05 to 0.5.")
        if not isinstance(self.rescale, bool):
            raise ParameterError("'rescale' is true or false.", "Leave it out for no shrinking.")
        if self.rescale and self.kind != "correlated":
            raise ParameterError("Only correlated noise is rescaled.", "Leave rescale out, or say kind=correlated.")

    def perturbed(self, table: Table, names: tuple[str, ...], streams: Streams) -> Table:
        """Add the noise, record by record."""
        matrix = numbers_of(table, names)
        moments = moments_of(table, matrix)
        active = tuple(names[j] for j in moments.varying)
        if not active:  # constant columns stay
            return table
        if len(active) < len(names):
            matrix = table.combine(picking(moments.varying), matrix)
            moments = moments_of(table, matrix)
        factor = self._factor(moments, active)
        keys = [streams.key("noise", name) for name in active]
        far = None
        if self.kind == "outliers":
            far = outlying(table, matrix, moments, streams.key("sample"))
        noisy = self._noisy(table, matrix, moments, factor, keys, far)
        return put_numbers(table, active, noisy)

    def _factor(self, moments: JointMoments, names: Sequence[str]) -> Floats:
        """Give what turns independent numbers into noise with the variances or covariances of the columns."""
        if self.kind == "independent":
            return np.diag(moments.deviation)
        needed = len(names) + 2
        enough_records(moments.complete, needed, f"noise of kind {self.kind}", names)
        return Root.of(moments.spread()).spread()

    def _noisy(
        self, table: Table, matrix: Column, moments: JointMoments, factor: Floats, keys: list[Bits], far: Column | None
    ) -> Column:
        records, used = table.rank([]), keys[: factor.shape[0]]
        if self.kind == "mixture":
            kept = float(np.sqrt(1.0 - self.alpha))
            return table.combine(_mixing(used, factor, kept, self.alpha**0.5, moments.mean), records, matrix)
        noisy = table.combine(adding(used, factor * self.alpha**0.5), records, matrix)
        if self.kind == "exact":
            return _recoloured(table, noisy, moments)
        if self.rescale:
            shrink = 1.0 / float(np.sqrt(1.0 + self.alpha))
            return table.combine(_shrinking(shrink, moments.mean), noisy)
        return noisy if far is None else table.combine(_where, far, noisy, matrix)

    def preserves(self, table: Table, models: Sequence[PrivacyModel]) -> tuple[Preserved, ...]:
        """Say which moments are kept."""
        names = self.changed(table)
        if self.kind == "exact":
            some = some_missing(table, names)
            return tuple(Preserved(each, names, exactly=True, complete=some) for each in ("means", "covariances"))
        if self.kind == "outliers":
            return (Preserved("other records", names, exactly=True),)
        means = Preserved("means", names, exactly=False)
        if self.kind == "mixture" or self.rescale:
            return means, Preserved("covariances", names, exactly=False)
        return (means, Preserved("correlations", names, exactly=False)) if self.kind == "correlated" else (means,)

    def explain(self, table: Table, models: Sequence[PrivacyModel]) -> str:
        """Say what is done."""
        rescaled = ", and shrank them to the covariances that they had" if self.rescale else ""
        said = _SAID[self.kind].format(alpha=self.alpha, names=", ".join(self.changed(table)), rescaled=rescaled)
        return f"Added {said}."


def _mixing(
    keys: Sequence[Bits], factor: Floats, kept: float, share: float, mean: Floats
) -> Callable[[Array, Floats], Floats]:
    return by_stretches(
        lambda records, matrix: kept * matrix + (1 - kept) * mean + share * times(normals(keys, records), factor)
    )


def _shrinking(factor: float, mean: Floats) -> Callable[[Floats], Floats]:
    return by_stretches(lambda noisy: mean + (noisy - mean) * factor)


def _where(far: Flags, noisy: Floats, matrix: Floats) -> Floats:
    return np.where(far[:, None], noisy, matrix)


def _recoloured(table: Table, noisy: Column, before: JointMoments) -> Column:
    """Give noisy columns the means and covariances that they had, over the records that lack no value."""
    root, after = Root.of(before.covariance), moments_of(table, noisy)
    pivots = root.pivots
    white = np.linalg.inv(np.linalg.cholesky(after.covariance[np.ix_(pivots, pivots)]))
    change = white.T @ root.lower.T @ root.weights
    mean, centre = before.centre, after.centre[pivots]

    def work(matrix: Floats) -> Floats:
        changed = mean + times(matrix[:, pivots] - centre, change)
        complete = present(matrix)
        return changed if complete.all() else np.where(complete[:, None], changed, matrix)

    return table.combine(by_stretches(work), noisy)
