"""What released rows show of a secret, and how likely a guess from it is right."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from shoal.arrays import Bytes, Floats, Integers, Positions
from shoal.attacks.scene import Crowd, Scene
from shoal.kernels.nearest_rows import NOMINAL, ORDERED

_SLACK = 1 + 1e-12  # a difference at the border is inside, whatever its rounding


@dataclass(frozen=True, eq=False)
class Secrets:
    """The different cells that a release shows of a secret.

    A cell of m values is right about each of them with a chance of 1/m; one of a stretch of numbers by the share of it
    that lies within the tolerance. ``*`` is one of all categories, or of the stretch of numbers that is shown. A
    missing cell is right about people who have no value.

    Attributes
    ----------
    shown
        The cells, and how many rows have each.
    labels
        Which cell each kind of released rows has.
    """

    shown: Crowd
    labels: Positions
    kind: int
    whole: bool
    lo: Floats
    hi: Floats
    sets: Bytes
    sizes: Floats
    tolerance: float

    @classmethod
    def of(cls, scene: Scene, tolerance: float = 0.0) -> Secrets:
        """Look at the secret of a scene."""
        assert scene.secret is not None
        shown, labels = scene.rows.by((scene.secret,))
        cells, ground = scene.cells(shown), scene.ground.among((scene.secret,))
        lo, hi, kind = cells.lo[:, 0].copy(), cells.hi[:, 0].copy(), int(ground.kinds[0])
        whole = scene.original.schema[scene.secret].axis.kind in ("integer", "date")
        anything = np.isinf(lo)
        if kind == NOMINAL:
            sizes = np.ones(lo.size)
            chosen = (lo < 0) & ~anything
            sizes[chosen] = cells.sets[hi[chosen].astype(np.int64)].sum(axis=1)
            sizes[anything] = len(ground.places[scene.secret])
        else:
            known = np.isfinite(lo)
            lo[anything], hi[anything] = lo[known].min(initial=np.inf), hi[known].max(initial=-np.inf)
            if kind == ORDERED:
                lo[anything], hi[anything] = 0, len(ground.places[scene.secret]) - 1
            with np.errstate(over="ignore"):  # of what is wider than any number, no guess is right
                sizes = hi - lo + (kind == ORDERED or whole)
        return cls(shown, labels, kind, whole, lo, hi, cells.sets, np.maximum(sizes, 1e-300), tolerance)

    def right(self, own: Floats, cells: Integers) -> Floats:
        """Give how likely a guess from each of some cells is right about somebody whose own value is given."""
        lo, hi, sizes = self.lo[cells], self.hi[cells], self.sizes[cells]
        missing = np.isnan(own) & np.isnan(lo)
        if self.kind == NOMINAL:
            found = (lo == own) / 1.0
            anything = np.isinf(lo) & ~np.isnan(own)
            found[anything] = 1 / sizes[anything]
            among = np.flatnonzero((lo < 0) & np.isfinite(lo) & ~np.isnan(own))
            found[among] = self.sets[hi[among].astype(np.int64), own[among].astype(np.int64)] / sizes[among]
        elif self.kind == ORDERED:
            found = ((lo <= own) & (own <= hi)) / sizes
        else:
            least, most = own - self.tolerance * _SLACK, own + self.tolerance * _SLACK
            if self.whole:
                overlap = np.minimum(hi, np.floor(most)) - np.maximum(lo, np.ceil(least)) + 1
            else:
                with np.errstate(over="ignore"):
                    overlap = np.minimum(hi, most) - np.maximum(lo, least)
            alone = ((least <= lo) & (lo <= most)) / 1.0
            found = np.where(lo == hi, alone, np.maximum(overlap, 0) / sizes)
        return np.where(missing, 1.0, np.nan_to_num(found))
