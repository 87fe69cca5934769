"""Random orthogonal matrix masking: records are rotated around their mean, a block of them at a time."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from shoal.arrays import Array, Floats, Integers, Positions
from shoal.errors import ParameterError
from shoal.kernels.random_streams import normal_quantiles, random_words, uniform
from shoal.kernels.rotation import rotated_around_mean
from shoal.methods.perturbation import Perturbation, enough_records, number_between
from shoal.methods.perturbation.exact_moments import moments_of
from shoal.methods.perturbation.joint_noise import Root, adding, picking
from shoal.methods.perturbation.numbers import numbers_of, present, put_numbers, some_missing
from shoal.methods.perturbation.preserved import Preserved
from shoal.methods.perturbation.streams import Streams
from shoal.models import PrivacyModel
from shoal.parameters import shown
from shoal.table import Column, Table

_MOST = 500  # records of a block: the work grows with the square of it for each record


@dataclass(frozen=True)
class ROMM(Perturbation):
    """Multiply columns by a random orthogonal matrix that keeps sums, so that means and covariances stay as they are.

    Records are put into blocks at random, and each is mixed with the others of its block. A record that lacks a value
    in one of the columns cannot be: it gets noise with the covariances of the columns, and what is kept is kept of the
    other records.

    Parameters
    ----------
    columns
        The columns of numbers and dates that are rotated. If left out, all such quasi-identifiers and confidential
        columns.
    alpha
        How far records move, as the variance of noise that would move them about as far, in units of the variance of
        the column: 0.1 is a tenth. Above a half they move farther than by such noise.
    block
        How many records are mixed with each other, at most 500.

    References
    ----------
    D. Ting, S. E. Fienberg, M. Trottini: Random orthogonal matrix masking methodology for microdata release,
    International Journal of Information and Computer Security 2(1), 2008, doi:10.1504/IJICS.2008.016823.
    """

    name: ClassVar[str] = "romm"
    alpha: float = 0.1
    block: int = 200

    def __post_init__(self) -> None:
        """Refuse a rotation that is none, and blocks in which nothing could be mixed."""
        super().__post_init__()
        number_between("alpha", self.alpha, 0.0, float("inf"), "Usual shares of the variance are 0.05 to 0.5.")
        if isinstance(self.block, bool) or not isinstance(self.block, int) or not 10 <= self.block <= _MOST:
            raise ParameterError(
                f"A block has 10 to {_MOST} records, not {shown(self.block)}.", "Leave it out for 200."
            )

    def perturbed(self, table: Table, names: tuple[str, ...], streams: Streams) -> Table:
        """Rotate the records of each block."""
        matrix = numbers_of(table, names)
        moments = moments_of(table, matrix)
        active = tuple(names[j] for j in moments.varying)
        if not active:  # constant columns stay
            return table
        if len(active) < len(names):
            matrix = table.combine(picking(moments.varying), matrix)
            moments = moments_of(table, matrix)
        enough_records(moments.complete, max(len(active) + 2, 4), self.name, active)
        blocks = -(-moments.complete // self.block)
        labels = self._labels(table, matrix, moments.complete, blocks, streams)
        turned = table.map_groups(labels, _turning(self.alpha, blocks, streams), [matrix], len(active))
        if moments.complete < table.rows:
            factor = Root.of(moments.spread()).spread() * self.alpha**0.5
            keys = [streams.key("noise", name) for name in active[: factor.shape[0]]]
            turned = table.combine(
                _else_noisy, matrix, turned, table.combine(adding(keys, factor), table.rank([]), matrix)
            )
        return put_numbers(table, active, turned)

    def _labels(self, table: Table, matrix: Column, complete: int, blocks: int, streams: Streams) -> Column:
        """Put records into blocks at random: of equal sizes, or one more; those that lack a value into others."""
        key, size = streams.key("blocks"), self.block

        def lacking(matrix: Floats) -> Positions:
            return (~present(matrix)).astype(np.int32)

        def chance(records: Array) -> Floats:
            return uniform(random_words(key, records))

        def label(places: Array) -> Positions:
            whole: Integers = places.astype(np.int64)
            return np.where(whole < complete, whole * blocks // complete, blocks + (whole - complete) // size).astype(
                np.int32
            )

        places = table.rank([table.combine(lacking, matrix), table.combine(chance, table.rank([]))])
        return table.combine(label, places)

    def preserves(self, table: Table, models: Sequence[PrivacyModel]) -> tuple[Preserved, ...]:
        """Say that means and covariances are kept."""
        names = self.changed(table)
        some = some_missing(table, names)
        return tuple(Preserved(each, names, exactly=True, complete=some) for each in ("means", "covariances"))

    def explain(self, table: Table, models: Sequence[PrivacyModel]) -> str:
        """Say what is done."""
        return (
            f"Rotated records around their mean at random in {', '.join(self.changed(table))}, up to {self.block:,} at "
            f"a time and about as far as noise of {self.alpha:g} times their variances moves them."
        )


def _turning(alpha: float, blocks: int, streams: Streams) -> Callable[[int, Sequence[Array]], Floats]:
    """Give what rotates the records of a block; those of further ones stay."""

    def turned(number: int, columns: Sequence[Array]) -> Floats:
        rows: Floats = np.ascontiguousarray(columns[0])
        n = rows.shape[0]
        if number >= blocks or n < 2:
            return rows
        drawn = normal_quantiles(random_words(streams.key("rotation", number), np.arange((n - 1) ** 2)))
        square = (alpha / (n - 1)) ** 0.5 * drawn.reshape(n - 1, n - 1)
        square[np.diag_indices(n - 1)] += 1.0
        return rotated_around_mean(rows, square)

    return turned


def _else_noisy(matrix: Floats, turned: Floats, noisy: Floats) -> Floats:
    return np.where(present(matrix)[:, None], turned, noisy)
