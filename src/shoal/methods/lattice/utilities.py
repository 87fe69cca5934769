"""Utility models by name: what a search over the lattice makes least."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Literal, get_args

from shoal.errors import ParameterError
from shoal.kernels.roll_up import Tuples
from shoal.methods.lattice.aggregates import AGGREGATES, Aggregation, shares_of
from shoal.methods.lattice.class_losses import (
    Ambiguity,
    Divergence,
    GivenLoss,
    LogShareLoss,
    MeanSize,
    Misclassification,
    SquaredSizes,
)
from shoal.methods.lattice.column_losses import EntropyLoss, Factors, Height, LevelLoss, ShareLoss
from shoal.methods.lattice.lattice import Lattice, LevelVector
from shoal.methods.lattice.objective import NodeLoss
from shoal.parameters import shown

Utility = Literal[
    "loss", "precision", "height", "entropy", "discernibility", "average-class-size", "ambiguity", "entropy-loss",
    "kl-divergence", "classification", "given",
]  # fmt: skip
UTILITIES: tuple[str, ...] = get_args(Utility)
# The same by the longer names that are also used.
ALSO = {"non-uniform-entropy": "entropy", "entropy-based-loss": "entropy-loss", "class-size": "average-class-size"}
_BY_COLUMN = ("loss", "precision", "height", "entropy")


@dataclass(frozen=True)
class Wanted:
    """What is to be least: a utility model with its parameters, as `shoal.methods.FullDomain` has them."""

    utility: str
    aggregate: str | None
    factor: float
    weights: Mapping[str, float]
    margins_only: bool
    normalized: bool
    target: str | None
    given: Mapping[str, float]

    def __post_init__(self) -> None:
        """Refuse what does not exist, and parameters that the utility model does not have."""
        if self.utility not in UTILITIES:
            raise ParameterError(
                f"There is no utility model {shown(self.utility)}.", f"There are: {', '.join(UTILITIES)}."
            )
        if self.aggregate is not None and self.aggregate not in AGGREGATES:
            raise ParameterError(
                f"There is no aggregate {shown(self.aggregate)}.", f"There are: {', '.join(AGGREGATES)}."
            )
        if isinstance(self.factor, bool) or not isinstance(self.factor, int | float) or not 0 <= self.factor <= 1:
            raise ParameterError(
                "'factor' must be from 0 to 1.", "One half counts suppression like generalization to *."
            )
        if self.utility not in _BY_COLUMN and (self.aggregate is not None or self.weights):
            raise ParameterError(
                f"The utility model '{self.utility}' is not made of columns, so it has no aggregate and no weights.",
                f"Leave them out, or choose one of {', '.join(_BY_COLUMN)}.",
            )
        if (self.margins_only or self.normalized) and self.utility != "entropy":
            raise ParameterError("'margins_only' and 'normalized' are about entropy.", "Leave them out.")
        if (self.target is not None) != (self.utility == "classification"):
            raise ParameterError("Classification, and nothing else, has a target column.", "Name it, or leave it out.")
        if bool(self.given) != (self.utility == "given"):
            raise ParameterError(
                "Losses of nodes are given for the utility 'given', and only there.", "Give them by node."
            )
        if self.utility == "given":
            nodes_of(self.given)

    @property
    def how(self) -> str:
        """The name of the aggregate: where none is asked for, bits and levels are added up."""
        return self.aggregate or (
            "sum" if self.utility == "height" or (self.utility == "entropy" and not self.normalized) else "geometric"
        )

    def objective(self, lattice: Lattice, most: int) -> NodeLoss:
        """Give what is to be least on a lattice, if at most so many records may be suppressed."""
        names = [column.name for column in lattice.columns]
        aggregation = Aggregation(self.how, shares_of(self.weights, names))
        factors = Factors(self.factor)
        made: dict[str, Any] = {
            "loss": lambda: ShareLoss(lattice, aggregation, factors),
            "precision": lambda: LevelLoss(lattice, aggregation, factors, most),
            "height": lambda: Height(lattice, aggregation),
            "entropy": lambda: EntropyLoss(
                lattice, aggregation, factors, margins_only=self.margins_only, normalized=self.normalized
            ),
            "discernibility": lambda: SquaredSizes(lattice),
            "average-class-size": lambda: MeanSize(lattice),
            "ambiguity": lambda: Ambiguity(lattice),
            "entropy-loss": lambda: LogShareLoss(lattice),
            "kl-divergence": lambda: Divergence(lattice, _tuples(lattice).counts.astype(float)),
            "classification": lambda: Misclassification(lattice, str(self.target)),
            "given": lambda: GivenLoss(lattice, nodes_of(self.given, lattice)),
        }
        found: NodeLoss = made[self.utility]()
        return found


def nodes_of(given: Mapping[str, float], lattice: Lattice | None = None) -> dict[LevelVector, float]:
    """Read losses by node, such as ``{"0,3,1": 0.25}``.

    >>> nodes_of({"0,1": 0.5})
    {(0, 1): 0.5}
    """
    found = {}
    for text, loss in given.items():
        parts = str(text).split(",")
        good = not isinstance(loss, bool) and isinstance(loss, int | float) and not math.isnan(loss) and loss >= 0
        if not all(part.strip().isdecimal() for part in parts) or not good:
            raise ParameterError(
                "A given loss is a number of at least 0 for a node.", 'Write it as given={"0,3,1": 0.25}.'
            )
        if lattice is not None and len(parts) != len(lattice.columns):
            raise ParameterError(
                f"A node of this table has {len(lattice.columns)} levels; one is given with {len(parts)}.",
                "Give the level of each quasi-identifier, in the order of the table.",
            )
        found[tuple(int(part) for part in parts)] = float(loss)
    return found


def _tuples(lattice: Lattice) -> Tuples:
    """Give the distinct tuples of a lattice without what is carried."""
    if not lattice.carried:
        return lattice.finest
    keys = lattice.finest.keys.copy()
    word, shift = int(lattice.fields.word[-1]), int(lattice.fields.shift[-1])
    keys[:, word] &= ~keys.dtype.type((1 << int(lattice.fields.width[-1])) - 1 << shift)
    return Tuples(keys, lattice.finest.counts).in_order()
