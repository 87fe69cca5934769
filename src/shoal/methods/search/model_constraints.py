"""Models as constraints that kernels count while classes are formed."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from shoal.engines.values import Piece
from shoal.kernels.constraints import Constraint, ConstraintKind, Constraints
from shoal.kernels.grouping import numbered
from shoal.models import PrivacyModel
from shoal.models.alpha_k import AlphaK
from shoal.models.confidential import bins_of, confidential, places_among
from shoal.models.l_diversity import ROUNDING, LDiversity
from shoal.models.people import values_had
from shoal.models.t_closeness import TCloseness
from shoal.table import Table

_KINDS = {"distinct": ConstraintKind.DISTINCT, "entropy": ConstraintKind.ENTROPY, "recursive": ConstraintKind.RECURSIVE}
MOST_BINS = 4096  # beyond, counting them for every class that is tried would take too long


@dataclass(frozen=True, eq=False)
class ModelConstraints:
    """Constraints on confidential columns that kernels can count: the columns, their values, the constraints."""

    columns: tuple[str, ...] = ()
    values: tuple[NDArray[np.int32], ...] = ()
    constraints: tuple[Constraint, ...] = ()

    @classmethod
    def of(cls, table: Table, models: Sequence[PrivacyModel]) -> ModelConstraints:
        """Take those models that say how often values may occur in a class; others are left to be repaired."""
        found = [_constraint(table, model) for model in models]
        kept = [item for item in found if item is not None and item[1].size <= MOST_BINS]
        return cls(*(tuple(part) for part in zip(*kept, strict=True))) if kept else cls()

    def within(self, piece: Piece, k: int, subject: str | None) -> Constraints:
        """Give the constraints on the rows of a piece."""
        n = piece.rows.lo.shape[0]
        codes = np.empty((n, len(self.constraints)), np.int32)
        for p, (name, values, constraint) in enumerate(zip(self.columns, self.values, self.constraints, strict=True)):
            column = piece.columns[name]
            places = places_among(values, column)
            if constraint.kind is not ConstraintKind.VARIATION:
                places = bins_of(values, column)
                places[places < 0] = constraint.counts.size - 1
            codes[:, p] = places
        persons = None
        if subject is not None:
            people, numbers = numbered(piece.columns[subject])
            persons = numbers.astype(np.int32) if people.size < n else None  # each row is somebody else's
        return Constraints(k, persons, self.constraints, codes)


def _constraint(table: Table, model: PrivacyModel) -> tuple[str, NDArray[np.int32], Constraint] | None:
    if isinstance(model, TCloseness) and model.chosen_distance(table.schema) == "variation":
        column = model.confidential(table.schema)
        values, counts = values_had(table, column)
        return column, values, Constraint(ConstraintKind.VARIATION, model.t, counts)
    if isinstance(model, (AlphaK, LDiversity)):
        column = confidential(table.schema, model.column, model.name)
        values, counts = table.counts(column)
        counts = np.append(counts, 0)
        if isinstance(model, AlphaK):
            return column, values, Constraint(ConstraintKind.SHARE, model.alpha, counts)
        level = model.l * (1 - ROUNDING) if model.kind == "entropy" else model.l
        return column, values, Constraint(_KINDS[model.kind], float(level), counts, float(model.c))
    return None
