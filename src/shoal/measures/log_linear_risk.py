"""Log-linear risk: how many who stand alone in a sample do so in the population, by a model of the cross-table."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from shoal.arrays import Floats
from shoal.errors import ParameterError
from shoal.measures import Direction, Score, nothing_to_measure
from shoal.measures.reidentification.linkage_cells import attacked
from shoal.measures.statistics.log_linear import EASY, MOST, LogLinear, main_effects, two_way
from shoal.models.record_risks import RecordClasses
from shoal.models.survey_weights import weights_of
from shoal.parameters import settle
from shoal.table import Table

_MODELS = ("main effects", "two-way interactions")


@dataclass(frozen=True)
class LogLinearRisk:
    """The share of records expected to be alone in the population, by a log-linear model of what is known.

    The model gives the mean μ of each cell of the sample's cross-table, and λ = μ/π that of the population, where π is
    the fraction of the population in the sample: of a record, one in its weight. A record that stands alone in the
    sample does so in the population with chance exp(−λ(1 − π)), and a match with it is right with chance
    (1 − exp(−λ(1 − π)))/(λ(1 − π)); the sums of both are ``alone_in_population`` and ``expected`` in the detail.
    Too simple a model overstates the risk, and too rich a one understates it: the detail has deviance and parameters of
    main effects and of all interactions of two columns, and ``used`` says which counts: the one with the lower
    Schwarz criterion, unless one is asked for. A missing cell is a value of its own.

    Parameters
    ----------
    known
        The attributes that are looked at; all quasi-identifiers if left out.
    fraction
        The fraction of the population that is in the sample; from the weights if left out, or 1 without weights.
    model
        ``main effects`` or ``two-way interactions``; the one that fits better if left out, where interactions of so
        many cells can be fitted in a second or so.

    References
    ----------
    C. J. Skinner, N. Shlomo: Assessing identification risk in survey microdata using log-linear models, Journal of the
    American Statistical Association 103(483), 2008, doi:10.1198/016214507000001328. G. Schwarz: Estimating the
    dimension of a model, Annals of Statistics 6(2), 1978, doi:10.1214/aos/1176344136.
    """

    name: ClassVar[str] = "log-linear-risk"
    direction: ClassVar[Direction] = "lower is safer"
    range: ClassVar[tuple[float, float]] = (0.0, 1.0)
    known: tuple[str, ...] | None = None
    fraction: float | None = None
    model: str | None = None

    def __post_init__(self) -> None:
        """Refuse what cannot be meant."""
        settle(self)
        given = self.fraction
        if given is not None and (isinstance(given, bool) or not isinstance(given, int | float) or not 0 < given <= 1):
            raise ParameterError("A sampling fraction is above 0 and at most 1.", "One record in a hundred is 0.01.")
        if self.model not in (None, *_MODELS):
            raise ParameterError("There is no such log-linear model.", f"Use {' or '.join(_MODELS)}, or leave it out.")

    def look(self, released: Table) -> Score:
        """Fit the models, and sum the risks of those who stand alone."""
        names = attacked(released.schema, self.known)
        if not released.rows:
            return nothing_to_measure(self.name, "there are no records")
        classes = RecordClasses.of(released, names)
        codes = classes.codes(*released.cells(names, classes.first))
        models = [main_effects(codes, classes.sizes)]
        second = two_way(codes, classes.sizes, EASY if self.model is None else MOST)
        models += [] if second is None else [second]
        used = self._used(models, released.rows)
        alone = classes.sizes == 1
        mean = used.expected[alone]
        fraction = self._fractions(released, classes, alone)
        sole, found = population_risks(mean, fraction)
        in_population = float(sole.sum())
        detail = {
            "records": released.rows,
            "alone": int(np.count_nonzero(alone)),
            "alone_in_population": in_population,
            "expected": float(found.sum()),
            "used": used.name,
            "models": [
                {
                    "model": each.name, "deviance": each.deviance, "parameters": each.parameters,
                    "converged": each.converged,
                }
                for each in models
            ],
        }  # fmt: skip
        if second is None:
            detail["left_out"] = "two-way interactions: there are too many cells, or one column only"
        return Score.exact(self.name, in_population / released.rows, detail)

    def _used(self, models: list[LogLinear], records: int) -> LogLinear:
        for each in models:
            if each.name == self.model:
                return each
        if self.model is not None:
            raise ParameterError(
                "Interactions of two columns cannot be fitted: there are too many cells, or one column only.",
                "Name fewer columns (known=…), or use main effects.",
            )
        return min((each for each in models if each.converged), key=lambda each: each.information(records))

    def _fractions(self, released: Table, classes: RecordClasses, alone: Any) -> Floats:
        if self.fraction is not None:
            return np.full(int(np.count_nonzero(alone)), float(self.fraction))
        weights = weights_of(released)
        of_alone = np.ones(int(np.count_nonzero(alone))) if weights is None else weights[classes.first[alone]]
        found: Floats = 1 / np.maximum(of_alone, 1.0)
        return found

    @staticmethod
    def sentence(detail: Mapping[str, Any]) -> str:
        """Say how many are expected to be alone in the population."""
        return (
            f"Of {detail['alone']:,} records that stand alone, {detail['alone_in_population']:,.3g} are expected to do "
            f"so in the population, by a log-linear model of {detail['used']}."
        )


def population_risks(mean: Floats, fraction: Floats) -> tuple[Floats, Floats]:
    """Give for records alone in a sample the chance to be so in the population, and that a match with them is right.

    Parameters
    ----------
    mean
        The expected count of their cells in the sample.
    fraction
        The fraction of the population that is in the sample.
    """
    others = mean / fraction * (1 - fraction)
    shown = np.where(others > 0, others, 1.0)
    return np.exp(-others), np.where(others > 0, -np.expm1(-shown) / shown, 1.0)
