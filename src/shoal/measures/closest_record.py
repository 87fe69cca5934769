"""Closest record: whether released rows are nearer to the records they were made of than to others."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import ClassVar

import numpy as np

from shoal.engines.reading import read
from shoal.errors import ParameterError
from shoal.measures import Direction, Score, nothing_to_measure
from shoal.measures.statistics.comparable_rows import CommonGround
from shoal.measures.statistics.sampling import check_sampling, sampled_rows
from shoal.parameters import settle
from shoal.schema import LAYOUT, RELEASED, ReadOptions, Role, Roles
from shoal.table import Table

_LOW = 0.05


@dataclass(frozen=True)
class ClosestRecord:
    """The share of released rows that are nearer to a record of the original than to any that was held out (DCR).

    People who were held out took no part in the release, so 0.5 says that it remembers nobody: rows that are as near to
    both count half. Cells that may stand for a value are at distance 0 from it, other categories at 1, and numbers at
    their gap in units of the column's range. It has little power, an exact copy of the original may score below 0.6
    where few were held out, and is never a guarantee. The detail gives the distance to the nearest record below which 5
    percent of rows lie, with the same for those held out, and the mean ratio of the nearest to the second nearest
    distance (NNDR).

    Parameters
    ----------
    holdout
        The file of the people who were held out, with the columns of the original. Without it nothing is measured.
    columns
        The columns that are compared; all that are released if left out.
    equal
        Whether only as many records of the original are compared as were held out, one by chance of each equal
        interval. More of them are nearer for no other reason than that they are more.
    most
        At most so many released rows are looked at, chosen by their number and the seed.
    seed
        The seed by which they are chosen.

    References
    ----------
    M. Platzer, T. Reutterer: Holdout-based empirical assessment of mixed-type synthetic data, Frontiers in Big Data 4,
    2021, doi:10.3389/fdata.2021.679939.
    """

    name: ClassVar[str] = "closest-record"
    direction: ClassVar[Direction] = "lower is safer"
    range: ClassVar[tuple[float, float]] = (0.0, 1.0)
    holdout: str | None = None
    columns: tuple[str, ...] | None = None
    equal: bool = True
    most: int = 10_000
    seed: int = 0

    def __post_init__(self) -> None:
        """Check what was asked for."""
        settle(self)
        check_sampling(self.most, self.seed)
        if self.holdout is not None and not isinstance(self.holdout, str):
            raise ParameterError("The people who were held out are named by their file.", "Give its path.")
        if not isinstance(self.equal, bool):
            raise ParameterError("'equal' is yes or no.", "Give True or False.")

    def files(self) -> list[Path]:
        """Give the file of the people who were held out."""
        return [] if self.holdout is None else [Path(self.holdout)]

    def score(self, original: Table, released: Table) -> Score:
        """Compare distances to the original with those to the people who were held out."""
        if self.holdout is None:
            return nothing_to_measure(self.name, "nobody was held out (holdout)")
        names = original.schema.of(*RELEASED) if self.columns is None else self.columns
        others = read(self.holdout, options=like_table(original))
        if not names or not original.rows or not released.rows or not others.rows:
            return nothing_to_measure(self.name, "there are no records, or no columns")
        ground = CommonGround.of((original, released, others), names)
        rows = ground.cells(released, sampled_rows(released.rows, self.most, self.seed))
        compared = min(original.rows, others.rows) if self.equal else max(original.rows, others.rows)
        of_original = ground.cells(original, sampled_rows(original.rows, compared, self.seed))
        held_out = ground.cells(others, sampled_rows(others.rows, compared, self.seed))
        least, second = ground.nearest(rows, of_original)
        beside, _ = ground.nearest(rows, held_out)
        closer = float((least < beside).mean() + (least == beside).mean() / 2)
        ratios = np.divide(least, second, out=np.ones_like(least), where=(second > 0) & np.isfinite(second))
        detail = {
            "nearest": float(np.quantile(least, _LOW)),
            "nearest_held_out": float(np.quantile(beside, _LOW)),
            "ratio": float(ratios.mean()),
            "rows": int(rows.lo.shape[0]),
            "records": int(of_original.lo.shape[0]),
            "held_out": int(held_out.lo.shape[0]),
        }
        return Score.exact(self.name, closer, detail)


def like_table(original: Table) -> ReadOptions:
    """Say how to read a file as the original was read."""
    schema, given = original.schema, original.origin.given
    shown = [each for each in schema.attributes if each.role in RELEASED]
    ordered = [each for each in shown if each.axis.kind == "ordered" and each.axis.tree is None]
    return ReadOptions(
        roles=Roles(
            quasi=schema.quasi, sensitive=schema.sensitive, plain=schema.of(Role.PLAIN),
            weight=schema.single(Role.WEIGHT), stratum=schema.single(Role.STRATUM),
        ),
        kinds={each.name: each.axis.kind for each in shown if each.axis.tree is None},
        orders={each.name: tuple(map(str, each.axis.values)) for each in ordered if each.axis.values is not None},
        hierarchies={each.name: each.axis.tree for each in shown if each.axis.tree is not None},
        missing=tuple(given.get("missing", ())),
        **{name: given[name] for name in LAYOUT if name in given and name != "missing"},
    )  # fmt: skip
