"""Models as kernels count them while classes are formed."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from shoal.engines.values import Piece
from shoal.kernels.constraints import Kind, Promise, Promises
from shoal.kernels.grouping import numbered
from shoal.models import PrivacyModel
from shoal.models.alpha_k import AlphaK
from shoal.models.confidential import bins_of, confidential, places_among
from shoal.models.l_diversity import ROUNDING, LDiversity
from shoal.models.people import values_had
from shoal.models.t_closeness import TCloseness
from shoal.table import Table

_KINDS = {"distinct": Kind.DISTINCT, "entropy": Kind.ENTROPY, "recursive": Kind.RECURSIVE}
MOST_BINS = 4096  # beyond, counting them for every class that is tried would take too long


@dataclass(frozen=True, eq=False)
class Sought:
    """What is promised of confidential columns, where kernels can count it: the columns, their values, the promises."""

    columns: tuple[str, ...] = ()
    values: tuple[NDArray[np.int32], ...] = ()
    promises: tuple[Promise, ...] = ()

    @classmethod
    def of(cls, table: Table, models: Sequence[PrivacyModel]) -> Sought:
        """Take those models that say how often values may occur in a class; others are left to be mended."""
        found = [_promise(table, model) for model in models]
        kept = [item for item in found if item is not None and item[1].size <= MOST_BINS]
        return cls(*(tuple(part) for part in zip(*kept, strict=True))) if kept else cls()

    def within(self, piece: Piece, k: int, subject: str | None) -> Promises:
        """Say what is promised of the rows of a piece."""
        n = piece.rows.lo.shape[0]
        codes = np.empty((n, len(self.promises)), np.int32)
        for p, (name, values, promise) in enumerate(zip(self.columns, self.values, self.promises, strict=True)):
            column = piece.columns[name]
            places = places_among(values, column)
            if promise.kind is not Kind.VARIATION:
                places = bins_of(values, column)
                places[places < 0] = promise.counts.size - 1
            codes[:, p] = places
        persons = None
        if subject is not None:
            people, numbers = numbered(piece.columns[subject])
            persons = numbers.astype(np.int32) if people.size < n else None  # each row is somebody else's
        return Promises(k, persons, self.promises, codes)


def _promise(table: Table, model: PrivacyModel) -> tuple[str, NDArray[np.int32], Promise] | None:
    if isinstance(model, TCloseness) and model.chosen_distance(table.schema) == "variation":
        column = model.confidential(table.schema)
        values, counts = values_had(table, column)
        return column, values, Promise(Kind.VARIATION, model.t, counts)
    if isinstance(model, (AlphaK, LDiversity)):
        column = confidential(table.schema, model.column, model.name)
        values, counts = table.counts(column)
        counts = np.append(counts, 0)
        if isinstance(model, AlphaK):
            return column, values, Promise(Kind.SHARE, model.alpha, counts)
        level = model.l * (1 - ROUNDING) if model.kind == "entropy" else model.l
        return column, values, Promise(_KINDS[model.kind], float(level), counts, float(model.c))
    return None
