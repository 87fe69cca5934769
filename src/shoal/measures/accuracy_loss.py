"""Accuracy loss: how much worse a model predicts that learned from the release."""

from __future__ import annotations

import warnings
from collections.abc import Mapping
from dataclasses import dataclass
from importlib.util import find_spec
from typing import Any, ClassVar, Literal, get_args

import numpy as np
from numpy.typing import NDArray

from shoal.arrays import Floats, Integers
from shoal.errors import ParameterError, SchemaError
from shoal.extras import missing
from shoal.measures import Direction, Score
from shoal.measures.statistics.design_matrix import design, middles
from shoal.measures.statistics.paired_columns import single_categories
from shoal.measures.statistics.sampling import chances, check_sampling, sampled_rows
from shoal.measures.statistics.uniformity import ORIGINAL, RELEASED, Categories, Line
from shoal.parameters import settle
from shoal.schema import RELEASED as RELEASED_ROLES
from shoal.schema import Schema
from shoal.table import Table

Learner = Literal["tree", "forest", "logistic"]
# A number with more values than these is predicted as below or above its median.
_VALUES = 20


@dataclass(frozen=True)
class AccuracyLoss:
    """The accuracy of a model that learned from the original less that of one that learned from the release.

    Both predict the same column of the same original records, which are held out: neither these nor their released
    form is learned from. 0 if the release is as good to learn from, 1 if everything is lost; it may be a little below
    0 by chance. Attributes are the other quasi-identifiers: numbers with their value and ranges with their middle, a
    column for each of the 20 most frequent categories, of which sets have equal shares. A number with more than 20
    values is predicted as below or above its median. Records whose released target is a set, ``*`` or missing cannot be
    learned from. The detail gives both accuracies, the ``majority`` (always predicting the most frequent value), and
    how many records were learned from and held out. It needs scikit-learn (``make install EXTRAS=learn``).

    Parameters
    ----------
    target
        The column to predict: a quasi-identifier, or one that is released as it is.
    model
        ``tree`` (a decision tree), ``forest`` (50 of them) or ``logistic`` (regression).
    held_out
        The share of records that are predicted, chosen by their number and the seed.
    most
        At most so many records are looked at, chosen in the same way.
    seed
        The seed of both choices and of the model.

    References
    ----------
    V. S. Iyengar: Transforming data to satisfy privacy constraints, KDD 2002, doi:10.1145/775047.775089. K. LeFevre,
    D. J. DeWitt, R. Ramakrishnan: Workload-aware anonymization, KDD 2006, doi:10.1145/1150402.1150435. J. Brickell, V.
    Shmatikov: The cost of privacy, KDD 2008, doi:10.1145/1401890.1401904.
    """

    name: ClassVar[str] = "accuracy-loss"
    direction: ClassVar[Direction] = "lower is more useful"
    range: ClassVar[tuple[float, float]] = (-1.0, 1.0)
    target: str
    model: Learner = "tree"
    held_out: float = 0.3
    most: int = 50_000
    seed: int = 0

    def __post_init__(self) -> None:
        """Check what was asked for."""
        settle(self)
        check_sampling(self.most, self.seed)
        if self.model not in get_args(Learner):
            raise ParameterError(f"There is no model '{self.model}'.", f"There are: {', '.join(get_args(Learner))}.")
        if not 0 < self.held_out < 1:
            raise ParameterError("What is held out is a share of the records.", "Give a number between 0 and 1.")

    def demand(self, schema: Schema) -> None:
        """Refuse before any work is done what cannot be measured."""
        if find_spec("sklearn") is None:
            raise missing("A model needs scikit-learn", "learn")
        if self.target not in schema.of(*RELEASED_ROLES):
            raise SchemaError.missing_column(self.target, schema.of(*RELEASED_ROLES))
        if not [name for name in schema.quasi if name != self.target]:
            raise SchemaError(
                f"There is nothing to predict '{self.target}' from.",
                "Name another quasi-identifier, or another target.",
            )

    def score(self, original: Table, released: Table) -> Score:
        """Fit both models and let them predict what was held out."""
        self.demand(original.schema)
        rows = sampled_rows(original.rows, self.most, self.seed)
        names = [name for name in original.schema.quasi if name != self.target]
        before, after = design(original, released, names, rows)
        true, shown = _labels(original, released, self.target, rows)
        held = chances(rows, self.seed + 1) < self.held_out
        test, learned = held & (true >= 0), ~held & (true >= 0)
        if not test.any() or not learned.any():
            raise ParameterError(
                f"Too few records have a value of '{self.target}' to learn from some and predict others.",
                "Choose another target, or another share to hold out.",
            )
        right = {
            "original": self._right(before[learned], true[learned], before[test], true[test]),
            "released": self._right(after[~held & (shown >= 0)], shown[~held & (shown >= 0)], before[test], true[test]),
        }
        most_frequent = np.bincount(true[learned]).argmax()
        detail: Mapping[str, Any] = {
            **right,
            "majority": float((true[test] == most_frequent).mean()),
            "learned_from": int(np.count_nonzero(~held & (shown >= 0))),
            "held_out": int(test.sum()),
            "model": self.model,
        }
        return Score.exact(self.name, right["original"] - right["released"], detail)

    @staticmethod
    def sentence(detail: Mapping[str, Any]) -> str:
        """Say how often the models are right."""
        model = _IN_WORDS[detail["model"]]
        return (
            f"{model} that learned from the release is right in {detail['released']:.1%} of the {detail['held_out']:,} "
            f"records held out, one that learned from the original in {detail['original']:.1%}, and always saying the "
            f"most frequent value in {detail['majority']:.1%}."
        )

    def _right(self, known: Floats, labels: Integers, asked: Floats, true: Integers) -> float:
        """Give the share of right predictions of a model; without anything to learn from, that of a blind guess."""
        if not labels.size:
            return 1 / np.unique(true).size
        if (labels == labels[0]).all():
            return float((true == labels[0]).mean())
        model = _made(self.model, self.seed)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # that a regression stopped early is nothing the user can mend
            return float((model.fit(known, labels).predict(asked) == true).mean())


_IN_WORDS = {"tree": "A decision tree", "forest": "A forest of 50 trees", "logistic": "A logistic regression"}


def _made(kind: Learner, seed: int) -> Any:
    if kind == "logistic":
        from sklearn.linear_model import LogisticRegression

        return LogisticRegression(max_iter=200)
    if kind == "forest":
        from sklearn.ensemble import RandomForestClassifier

        return RandomForestClassifier(50, min_samples_leaf=5, random_state=seed % 2**32)
    from sklearn.tree import DecisionTreeClassifier

    return DecisionTreeClassifier(min_samples_leaf=10, random_state=seed % 2**32)


def _labels(original: Table, released: Table, name: str, rows: NDArray[np.int64]) -> tuple[Integers, Integers]:
    """Give what is to be predicted as numbers of classes, before and after; -1 where that is not known."""
    axes = original.schema[name].axis, released.schema[name].axis
    before, after = ((lo[:, 0], hi[:, 0]) for lo, hi in (original.cells([name], rows), released.cells([name], rows)))
    if axes[ORIGINAL].nominal:
        ground = Categories.between(axes)
        return single_categories(ground, ORIGINAL, before[0]), single_categories(ground, RELEASED, after[0])
    line = Line.between(axes, None)
    numbers = middles(line, ORIGINAL, *before), middles(line, RELEASED, *after)
    cuts = _cuts(numbers[0][~np.isnan(numbers[0])])
    first, second = (np.where(np.isnan(side), -1, np.searchsorted(cuts, side)) for side in numbers)
    return first, second


def _cuts(numbers: Floats) -> Floats:
    """Say where one class ends and the next begins: between all values, or above the median if they are many."""
    values = np.unique(numbers)
    between: Floats = (values[1:] + values[:-1]) / 2
    if values.size <= _VALUES:
        return between
    middle = min(int(np.searchsorted(values, np.median(numbers), "right")) - 1, between.size - 1)
    return between[middle : middle + 1]
