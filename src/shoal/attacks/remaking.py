"""A release made again by its recipe, of the same people with other secrets: whose cells change."""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from typing import Self

import numpy as np

from shoal.arrays import Flags, Integers
from shoal.errors import ShoalError
from shoal.kernels.grouping import label_rows
from shoal.recipe import Recipe
from shoal.table import Table


@dataclass(frozen=True, eq=False)
class Remaking:
    """What a recipe makes of the people of an original, by what they are given for a secret.

    Attributes
    ----------
    original, recipe, secret, quasi
        The original, how it is masked, and the columns that matter.
    own
        Everybody's secret.
    made
        The release as it is made of these.
    """

    original: Table
    recipe: Recipe
    secret: str
    quasi: tuple[str, ...]
    own: Integers
    made: Table

    @classmethod
    def of(
        cls, original: Table, released: Table, recipe: Recipe, secret: str, quasi: tuple[str, ...]
    ) -> Self | None:  # fmt: skip
        """Make a release again; None where that gives another one. Its rows may stand in any order."""
        own = original.collect(np.asarray, original.column(secret))[0]
        made = _made(original, recipe, secret, own)
        if made is None or made.rows != released.rows:
            return None
        mine, theirs = (zip(*_texts(each, quasi), strict=True) for each in (made, released))
        return cls(original, recipe, secret, quasi, own, made) if sorted(mine) == sorted(theirs) else None

    @property
    def classes(self) -> Integers:
        """Number the people by what is published of them."""
        every = np.arange(self.made.rows)
        lo, hi = (np.ascontiguousarray(ends) for ends in self.made.cells(self.quasi, every))
        return label_rows(lo, hi, np.arange(lo.shape[1]))[0].astype(np.int64)

    def changed(self, secrets: Integers) -> Flags:
        """Tell of whom something else would be published if people had these secrets."""
        other, every = _made(self.original, self.recipe, self.secret, secrets), np.arange(self.made.rows)
        if other is None:
            return np.ones(every.size, np.bool_)
        found = np.zeros(every.size, np.bool_)
        for name in self.quasi:
            cells = [table.cells((name,), every) for table in (self.made, other)]
            axes = [table.schema[name].axis for table in (self.made, other)]
            if axes[0].groups == axes[1].groups:  # a position is the same cell in both
                found |= (cells[0][0] != cells[1][0])[:, 0] | (cells[0][1] != cells[1][1])[:, 0]
            else:
                texts = [axis.render_all(lo[:, 0], hi[:, 0]) for axis, (lo, hi) in zip(axes, cells, strict=True)]
                found |= np.array(texts[0], object) != np.array(texts[1], object)
        return found


def _made(original: Table, recipe: Recipe, secret: str, secrets: Integers) -> Table | None:
    """Mask people who have these secrets as a recipe says; None if a promise could not be kept then."""
    column = original.combine(partial(_given, secrets), original.column(secret))
    table = original.put({secret: (original.schema[secret].axis, column)})
    try:
        for method in recipe.methods:
            table = method.apply(table, recipe.models, recipe.seed or 0)
    except ShoalError:
        return None
    return table


def _given(secrets: Integers, before: Integers) -> Integers:
    return secrets


def _texts(table: Table, names: tuple[str, ...]) -> list[list[str]]:
    """Give what is published of everybody."""
    lo, hi = table.cells(names, np.arange(table.rows))
    return [table.schema[name].axis.render_all(lo[:, j], hi[:, j]) for j, name in enumerate(names)]
