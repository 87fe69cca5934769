"""Noise: whole numbers go to OpenDP, noisy ones come back. No noise is made here, and no data get there.

Every number that is noised is whole, and lies within 64 bits: larger sums are brought to the nearest end first, which
moves no two neighbours further apart.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache
from importlib.metadata import version as installed
from typing import Any

from shoal.errors import InternalError, ParameterError
from shoal.extras import missing
from shoal.private.accounting import Mechanism, loss

LARGEST = 1 << 62
MOST_SENSITIVE = 1 << 40  # units that one person may change a sum by
SURE = 0.95


@dataclass(frozen=True)
class NoiseMechanism:
    """How numbers are noised: what one person may change at most, all of them together, and the scale of the noise."""

    mechanism: Mechanism
    sensitivity: int
    scale: float

    @property
    def rho(self) -> Fraction:
        """What it costs."""
        return loss(self.mechanism, self.sensitivity, self.scale)

    def added(self, numbers: Sequence[int]) -> list[int]:
        """Give whole numbers with noise; where nobody can change anything there is none."""
        if self.sensitivity == 0:
            return [0 for _ in numbers]
        if not numbers:
            return []
        within = [min(max(int(number), -LARGEST), LARGEST) for number in numbers]
        found: list[int] = _measurement(self)(within)
        return found

    def best(self, scores: Sequence[int]) -> int:
        """Give the place of a score that is nearly the highest."""
        if self.mechanism != "noisy-maximum":
            raise InternalError("Only a noisy maximum chooses.")
        return int(_measurement(self)([min(max(int(score), -LARGEST), LARGEST) for score in scores]))

    def half_width(self, share: float = SURE) -> int:
        """Give the smallest whole number within which the noise stays with a probability.

        >>> NoiseMechanism("laplace", 1, 2.0).half_width(), NoiseMechanism("gaussian", 1, 3.0).half_width()
        (6, 6)
        """
        if self.sensitivity == 0:
            return 0
        if self.mechanism == "laplace":
            # P(|X| > h) = 2 a^(h+1) / (1 + a) with a = exp(-1/b)
            a = math.exp(-1 / self.scale)
            return max(0, math.ceil(math.log((1 - share) * (1 + a) / 2) / math.log(a) - 1 - 1e-12))
        return _gaussian_half_width(self.scale, share)


def _gaussian_half_width(scale: float, share: float) -> int:
    from statistics import NormalDist

    if scale > 200:  # the discrete one is as wide, to a millionth
        return math.ceil(NormalDist().inv_cdf((1 + share) / 2) * scale)
    reach = math.ceil(12 * scale) + 2
    weights = [math.exp(-(x**2) / (2 * scale**2)) for x in range(reach)]
    whole, inside = 2 * math.fsum(weights) - 1, weights[0]
    for half, weight in enumerate(weights):
        inside += 2 * weight if half else 0.0
        if inside >= share * whole:
            return half
    return reach


@lru_cache(maxsize=64)
def _measurement(noise: NoiseMechanism) -> Any:
    """Give OpenDP's measurement, which must account for itself as it is accounted for here."""
    core = _core()
    numbers = core.vector_domain(core.atom_domain(T="i64"))
    if noise.mechanism == "gaussian":
        made = core.make_gaussian(numbers, core.l2_distance(T=float), scale=noise.scale)
        said, expected = made.map(float(noise.sensitivity)), float(noise.rho)
    elif noise.mechanism == "laplace":
        made = core.make_laplace(numbers, core.l1_distance(T="i64"), scale=noise.scale)
        said, expected = made.map(noise.sensitivity), noise.sensitivity / noise.scale
    else:
        measure = core.zero_concentrated_divergence()
        made = core.make_noisy_max(numbers, core.linf_distance(T="i64"), measure, scale=noise.scale)
        said, expected = made.map(noise.sensitivity), float(noise.rho)
    if not said <= expected * (1 + 1e-9):
        raise InternalError(f"OpenDP accounts for {said}, and {expected} was reckoned with.")
    return made


@dataclass(frozen=True)
class _Core:
    """The parts of OpenDP that are used."""

    atom_domain: Any
    vector_domain: Any
    l1_distance: Any
    l2_distance: Any
    linf_distance: Any
    zero_concentrated_divergence: Any
    make_gaussian: Any
    make_laplace: Any
    make_noisy_max: Any
    version: str


@lru_cache(maxsize=1)
def _core() -> _Core:
    try:
        from opendp import domains, measurements, measures, metrics
        from opendp.mod import enable_features
    except ImportError:
        raise missing("Noise is made by OpenDP", "private") from None
    enable_features("contrib")
    return _Core(
        domains.atom_domain, domains.vector_domain, metrics.l1_distance, metrics.l2_distance, metrics.linf_distance,
        measures.zero_concentrated_divergence, measurements.make_gaussian, measurements.make_laplace,
        measurements.make_noisy_max, installed("opendp"),
    )  # fmt: skip


def version() -> str:
    """Give the version of OpenDP, or say that it is missing."""
    return _core().version


def sensible(sensitivity: int, step: str) -> int:
    """Refuse a step so fine that sums of it might not fit."""
    if sensitivity > MOST_SENSITIVE:
        raise ParameterError(
            "The step is too fine for these bounds: one person may change a sum by more steps than can be counted.",
            f"Give a larger step than {step}, or narrower bounds.",
        )
    return sensitivity
