"""PRAM: categories are exchanged for others at random, by probabilities that can be published."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import ClassVar, Literal, get_args

import numpy as np

from shoal.arrays import Array, Bits, Floats, Integers
from shoal.domains.axis import Axis
from shoal.engines.packed_cells import unpacked
from shoal.errors import ParameterError, SchemaError
from shoal.kernels.controlled_rounding import round_controlled
from shoal.kernels.random_streams import random_words, uniform
from shoal.kernels.transitions import draw_transitions, running_sums
from shoal.methods.perturbation import Perturbation, column_names, number_between
from shoal.methods.perturbation.category_counts import CategoryCounts, Strata, places_of, strata_columns
from shoal.methods.perturbation.preserved import Preserved
from shoal.methods.perturbation.published_matrices import published, read_matrices, remark
from shoal.methods.perturbation.streams import Streams
from shoal.methods.perturbation.transition_matrices import even, invariant, milder
from shoal.models import PrivacyModel
from shoal.schema import Role
from shoal.table import Column, Table

PramKind = Literal["plain", "invariant", "exact"]
_MOST = 1000  # categories: who has more of them means numbers
_ENTRIES = 20_000_000  # of all matrices of a column


@dataclass(frozen=True)
class Pram(Perturbation):
    """Exchange categories for others at random, by a transition matrix (post-randomization, PRAM).

    ``plain`` applies a matrix and publishes it, so that original counts can be estimated without bias from released
    ones; where the matrix is singular or nearly so, no estimate is offered. ``invariant`` applies one that is made of
    it and of the counts (R = PQ), which leaves the counts of all categories as they are on average. ``exact`` assigns
    the same exchanges by controlled rounding, so that the released counts are the original ones. Categories that do not
    occur take no part, and cells that are missing, ranges or sets stay what they are.

    Parameters
    ----------
    columns
        The columns; if left out, the quasi-identifiers and confidential columns that hold categories. Columns of
        whole numbers that are codes can be named.
    kind
        ``invariant``, ``plain`` or ``exact``.
    stay
        The probability by which a value stays in the matrix P; the other categories then share the rest alike.
    keep
        The smallest probability of staying in what is applied. The matrix is mixed with standing still until it is
        reached. Rare categories hardly survive an invariant matrix without it.
    matrix
        Matrices of your own: by column and value the probability of each value, with rows that sum to 1. Columns
        without one have that of ``stay``.
    strata
        Columns by whose combinations records are put into strata: values change within these.

    References
    ----------
    J. M. Gouweleeuw, P. Kooiman, L. C. R. J. Willenborg, P.-P. de Wolf: Post randomisation for statistical disclosure
    control: theory and implementation, Journal of Official Statistics 14(4), 1998. A. Hundepool et al.: Statistical
    Disclosure Control, Wiley 2012, section 3.6, doi:10.1002/9781118348239.
    """

    name: ClassVar[str] = "pram"
    kind: PramKind = "invariant"
    stay: float = 0.8
    keep: float | None = None
    matrix: Mapping[str, Mapping[str, Mapping[str, float]]] | None = None
    strata: tuple[str, ...] | None = None

    def __post_init__(self) -> None:
        """Refuse probabilities that are none."""
        super().__post_init__()
        object.__setattr__(self, "strata", column_names("strata", self.strata))
        if self.kind not in get_args(PramKind):
            raise ParameterError(
                f"There is no PRAM of kind '{self.kind}'.", f"There are: {', '.join(get_args(PramKind))}."
            )
        number_between("stay", self.stay, 0, 1, "A usual one is 0.8.")
        if self.keep is not None:
            number_between("keep", self.keep, 0, 1, "Leave it out, or ask for 0.9.")
        if self.matrix is not None:
            object.__setattr__(self, "matrix", read_matrices(self.matrix))

    def suits(self, axis: Axis) -> bool:
        """Tell whether categories can be exchanged: those of any column can."""
        return True

    def changed(self, table: Table) -> tuple[str, ...]:
        """Name the columns whose values are exchanged."""
        named = self.columns
        if named is None:
            roles = Role.QUASI, Role.SENSITIVE
            named = tuple(name for name in table.schema.of(*roles) if not table.schema[name].axis.numeric)
            named = tuple(name for name in named if name not in (self.strata or ()))
            if not named:
                raise SchemaError(
                    f"{self.name} finds no column of categories.",
                    "Name columns (columns): whole numbers that are codes will do.",
                )
        found: tuple[str, ...] = self.chosen(table, named, ())
        both = set(found) & set(self.strata or ())
        if both:
            raise ParameterError(f"Column '{min(both)}' is both exchanged and a stratum.", "Name it once.")
        for name in self.matrix or {}:
            if name not in found:
                raise ParameterError(
                    f"A matrix is given for column '{name}', which is not changed.", "Name it in columns."
                )
        return found

    def perturbed(self, table: Table, names: tuple[str, ...], streams: Streams) -> Table:
        """Draw for each record and column by the row of the matrix that is its own."""
        strata = Strata.of(table, self.strata or ())
        numbers, changed, made = table.rank([]), {}, {}
        for name in names:
            found = self._transitions(table, name, strata)
            draw = self._assigned if self.kind == "exact" else self._drawn
            changed[name] = table.schema[name].axis, draw(table, name, strata, found, numbers, streams.key(name))
            made[name] = found
        released = table.put(changed)
        if self.kind != "plain":
            return released
        return released.with_remark(remark(self.name, published(table, strata, made)))

    def _transitions(self, table: Table, name: str, strata: Strata) -> Transitions:
        """Make the matrices of a column, one for each stratum."""
        found = CategoryCounts.of(table, name, strata)
        if found.cells.size > _MOST or strata.size * found.cells.size**2 > _ENTRIES:
            raise SchemaError(
                f"Column '{name}' has {found.cells.size:,} values, too many to be exchanged for each other"
                f"{f' in {strata.size:,} strata' if strata.size > 1 else ''}.",
                "Recode it first, or leave it out (columns).",
            )
        axis = table.schema[name].axis
        given = None if self.matrix is None else self.matrix.get(name)
        texts = [axis.text(position) for position in unpacked(found.cells)[0].tolist()]
        own = even(found.cells.size, self.stay) if given is None else _placed(name, texts, given)
        matrices = np.stack([self._applied(own, counts, given is None) for counts in found.counts])
        return Transitions(found.cells, found.counts, matrices)

    def _applied(self, own: Floats, counts: Integers, like_all: bool) -> Floats:
        """Make the matrix that is applied to a stratum: among the categories that occur in it, others stay."""
        here = np.flatnonzero(counts)
        matrix = np.eye(counts.size)
        if here.size > 1:
            among = even(here.size, self.stay) if like_all else _among(own[np.ix_(here, here)])
            among = among if self.kind == "plain" else invariant(counts[here], among)
            matrix[np.ix_(here, here)] = milder(among, self.keep)
        return matrix

    def _drawn(
        self, table: Table, name: str, strata: Strata, found: Transitions, numbers: Column, key: Bits
    ) -> Column:  # fmt: skip
        bounds = np.stack([running_sums(matrix) for matrix in found.matrices])
        known = found.cells

        def draw(cells: Integers, records: Array, stratum: Array | None = None) -> Integers:
            return draw_transitions(cells, known, bounds, random_words(key, records), stratum)

        return table.combine(draw, table.column(name), numbers, *strata_columns(strata))

    def _assigned(
        self, table: Table, name: str, strata: Strata, found: Transitions, numbers: Column, key: Bits
    ) -> Column:  # fmt: skip
        """Assign exchanges in whole numbers: the records of a category stand in a random order to take theirs."""
        known, size = found.cells, found.cells.size
        if not size:
            return table.column(name)
        expected = found.matrices * found.counts[:, :, None]
        cells = np.arange(size * size)
        whole = np.stack(
            [
                round_controlled(each, uniform(random_words(key, cells, draw=1 + stratum)))
                for stratum, each in enumerate(expected)
            ]
        )
        ends = np.cumsum(whole.ravel())
        before = table.rows - int(found.counts.sum())  # records without a value come first

        def chance(cells: Integers, records: Array, stratum: Array | None = None) -> Floats:
            """Give a key by which records are sorted by stratum and category, and in these by chance."""
            place = places_of(known, cells)
            group = 1 + (place if stratum is None else place + stratum.astype(np.int64) * size)
            return np.where(place < 0, 0, group) + uniform(random_words(key, records))

        def taken(cells: Integers, place: Array) -> Integers:
            other = np.searchsorted(ends, place - before, side="right") % size
            return np.where(places_of(known, cells) < 0, cells, known[other])

        column = table.column(name)
        keys = table.combine(chance, column, numbers, *strata_columns(strata))
        return table.combine(taken, column, table.rank([keys]))

    def explain(self, table: Table, models: Sequence[PrivacyModel]) -> str:
        """Say what is done."""
        how = {
            "plain": "by a matrix that is published",
            "invariant": "by a matrix that leaves counts as they are on average",
            "exact": "in exchanges that leave all counts as they are",
        }
        within = f", within strata of {', '.join(self.strata)}" if self.strata else ""
        kept = f"; a value stays with a probability of at least {self.keep:g}" if self.keep else ""
        return (
            f"Exchanged the categories of {', '.join(self.changed(table))} at random, {how[self.kind]}{within}{kept} "
            "(post-randomization)."
        )

    def preserves(self, table: Table, models: Sequence[PrivacyModel]) -> tuple[Preserved, ...]:
        """Say that counts are kept, exactly or in expectation: within strata, those of each stratum."""
        if self.kind == "plain":
            return ()
        exactly, names = self.kind == "exact", self.changed(table)
        if not self.strata:
            return (Preserved("counts", names, exactly),)
        return tuple(Preserved("joint counts", (*self.strata, name), exactly) for name in names)


@dataclass(frozen=True, eq=False)
class Transitions:
    """What is applied to a column: its categories as packed cells, their counts, and a matrix, in each stratum."""

    cells: Integers
    counts: Integers
    matrices: Floats


def _among(matrix: Floats) -> Floats:
    """Give the part of a matrix that is about some categories; rows sum to 1 again, and one that has nothing stays."""
    sums = matrix.sum(axis=1)
    found: Floats = np.where(sums[:, None] > 0, matrix / np.where(sums > 0, sums, 1.0)[:, None], np.eye(sums.size))
    return found


def _placed(name: str, texts: Sequence[str], given: Mapping[str, Mapping[str, float]]) -> Floats:
    """Find a given matrix on the categories of a column."""
    places = {text: i for i, text in enumerate(texts)}
    lacking = sum(text not in given for text in texts)
    if lacking:
        raise ParameterError(
            f"The matrix of '{name}' has no row for {lacking:,} of the {len(texts):,} values that occur.",
            "Give each value a row of probabilities.",
        )
    found = np.zeros((len(texts), len(texts)))
    for text, row in given.items():
        for other, share in row.items():
            if text in places and other in places:
                found[places[text], places[other]] = share
    return found
