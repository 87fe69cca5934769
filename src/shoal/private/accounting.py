"""What privacy costs: budgets in ρ of zero-concentrated differential privacy, and what they mean as (ε, δ).

Losses are exact fractions and add up. ε for a δ is only shown: whatever order α it is computed at, it holds.

References
----------
M. Bun, T. Steinke: Concentrated differential privacy: simplifications, extensions, and lower bounds, TCC 2016,
doi:10.1007/978-3-662-53641-4_24. C. Canonne, G. Kamath, T. Steinke: The discrete Gaussian for differential privacy,
NeurIPS 2020, Proposition 12.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from decimal import ROUND_FLOOR, Context, Decimal
from fractions import Fraction
from typing import Any, Literal

from shoal.errors import ParameterError
from shoal.private.exact_numbers import at_least, exact, positive, root_at_least, written

Mechanism = Literal["gaussian", "laplace", "noisy-maximum"]
MECHANISMS: tuple[Mechanism, ...] = ("gaussian", "laplace", "noisy-maximum")
_DIGITS = Context(prec=12, rounding=ROUND_FLOOR)
_GOLDEN = (math.sqrt(5) - 1) / 2


def epsilon_of(rho: Fraction | float, delta: Fraction | float) -> float:
    """Give the ε that ρ means at a δ.

    >>> round(epsilon_of(Fraction(1, 18), 1e-5), 6), round(epsilon_of(Fraction(1, 18), 1e-6), 6)
    (1.385744, 1.557656)
    """
    cost, least = float(rho), math.log(delta)
    if cost == 0:
        return 0.0

    def at(x: float) -> float:
        alpha = 1 + math.exp(x)
        return alpha * cost + (alpha * -math.log1p(1 / (alpha - 1)) - x - least) / (alpha - 1)

    return max(0.0, at(_lowest(at)))


def delta_of(rho: Fraction | float, epsilon: Fraction | float) -> float:
    """Give the δ that ρ means at an ε.

    >>> round(delta_of(Fraction(1, 18), epsilon_of(Fraction(1, 18), 1e-5)) * 1e5, 6)
    1.0
    """
    cost, loss = float(rho), float(epsilon)
    if cost == 0:
        return 0.0

    def at(x: float) -> float:
        alpha = 1 + math.exp(x)
        return (alpha - 1) * (alpha * cost - loss) - alpha * math.log1p(1 / (alpha - 1)) - x

    return min(1.0, math.exp(min(0.0, at(_lowest(at)))))


def _lowest(curve: Callable[[float], float]) -> float:
    """Find the logarithm of α − 1 at which a curve with one valley is lowest."""
    grid = [step / 2 for step in range(-40, 100)]
    best = min(grid, key=curve)
    low, high = best - 0.5, best + 0.5
    for _ in range(80):
        width = _GOLDEN * (high - low)
        if curve(high - width) < curve(low + width):
            high = low + width
        else:
            low = high - width
    return (low + high) / 2


def rho_of(epsilon: Fraction, delta: Fraction) -> Fraction:
    """Give the largest ρ, to twelve digits, that means no more than ε at δ."""
    if not 0 < delta < 1:
        raise ParameterError("Delta must be above 0 and below 1.", "Usual is less than one in the number of people.")
    low, high = 0.0, float(epsilon) + float(epsilon) ** 2
    for _ in range(200):
        middle = (low + high) / 2
        low, high = (middle, high) if epsilon_of(middle, delta) <= epsilon else (low, middle)
    found = Fraction(_DIGITS.create_decimal(Decimal(low)))
    if found <= 0:
        raise ParameterError("So small a budget buys nothing.", "Give a larger epsilon, or a larger delta.")
    return found


@dataclass(frozen=True)
class Budget:
    """What all answers together may cost.

    Parameters
    ----------
    rho
        The limit of the sum of all losses.
    delta
        The δ at which ε is shown; None if only ρ was given.
    epsilon
        The ε that was asked for; None if ρ was.
    """

    rho: Fraction
    delta: Fraction | None = None
    epsilon: Fraction | None = None

    @classmethod
    def of(cls, *, epsilon: Any = None, delta: Any = None, rho: Any = None) -> Budget:
        """Make a budget of what was said: ε and δ, or ρ with or without a δ at which ε is to be shown."""
        if (epsilon is None) == (rho is None):
            raise ParameterError(
                "A budget is given either as epsilon and delta, or as rho.", "Write --epsilon 1 --delta 1e-6."
            )
        shown_at = None if delta is None else positive(delta, "delta")
        if shown_at is not None and shown_at >= 1:
            raise ParameterError("Delta must be above 0 and below 1.", "Write --delta 1e-6.")
        if rho is not None:
            return cls(positive(rho, "rho of the budget"), shown_at)
        asked = positive(epsilon, "epsilon of the budget")
        if shown_at is None:
            raise ParameterError(
                "Answers are accounted for as zCDP, which gives an epsilon only together with a delta.",
                "Add --delta 1e-6: less than one in the number of people.",
            )
        return cls(rho_of(asked, shown_at), shown_at, asked)

    def epsilon_at(self, rho: Fraction) -> float | None:
        """Give the ε that some of the budget means, if a δ was given."""
        return None if self.delta is None else epsilon_of(rho, self.delta)

    def plain(self) -> dict[str, str]:
        """Give the budget as texts."""
        named = {"rho": self.rho, "epsilon": self.epsilon, "delta": self.delta}
        return {name: written(value) for name, value in named.items() if value is not None}

    @classmethod
    def from_plain(cls, said: dict[str, str]) -> Budget:
        """Read what `plain` gave."""
        values = {name: exact(text, name) for name, text in said.items()}
        return cls(values["rho"], values.get("delta"), values.get("epsilon"))


@dataclass(frozen=True)
class Price:
    """What one answer is to cost: ρ, or an ε of pure differential privacy, of which ρ is ε²/2.

    >>> Price.of(epsilon="0.1").rho_of_parts(1)
    Fraction(1, 200)
    """

    rho: Fraction | None = None
    epsilon: Fraction | None = None

    @classmethod
    def of(cls, *, rho: Any = None, epsilon: Any = None) -> Price:
        """Make a price of one of the two."""
        if (rho is None) == (epsilon is None):
            raise ParameterError("An answer costs either rho or epsilon.", "Write --rho 0.01, or --epsilon 0.1.")
        if rho is not None:
            return cls(rho=positive(rho, "rho of an answer"))
        return cls(epsilon=positive(epsilon, "epsilon of an answer"))

    def plain(self) -> dict[str, str]:
        """Give the price as texts."""
        return {"rho": written(self.rho)} if self.rho is not None else {"epsilon": written(self.epsilon or Fraction(0))}

    def mechanism(self, *, selecting: bool) -> Mechanism:
        """Say which noise has this price."""
        return "noisy-maximum" if selecting else "gaussian" if self.rho is not None else "laplace"

    def scale(self, sensitivity: int, parts: int, *, selecting: bool) -> float:
        """Give the smallest scale of the noise with which one of several equal parts costs no more than its share."""
        if sensitivity == 0:
            return 0.0
        if self.rho is not None:
            return root_at_least(Fraction(sensitivity**2 * parts) / (2 * self.rho))
        assert self.epsilon is not None
        return at_least(Fraction(sensitivity * parts * (2 if selecting else 1)) / self.epsilon)

    def rho_of_parts(self, parts: int, *, selecting: bool = False) -> Fraction:
        """Give the ρ that the answer costs: a pure ε costs ε²/2, and a noisy maximum ε²/8."""
        if self.rho is not None:
            return self.rho
        assert self.epsilon is not None
        return (self.epsilon / parts) ** 2 / (8 if selecting else 2) * parts


def loss(mechanism: str, sensitivity: int, scale: float) -> Fraction:
    """Give the ρ that noise of a scale costs, exactly.

    >>> loss("gaussian", 1, 3.0), loss("laplace", 1, 2.0), loss("noisy-maximum", 1, 2.0)
    (Fraction(1, 18), Fraction(1, 8), Fraction(1, 8))
    """
    if mechanism not in MECHANISMS:
        raise ParameterError(f"There is no mechanism '{mechanism}'.", f"Known are: {', '.join(MECHANISMS)}.")
    if sensitivity == 0:
        return Fraction(0)
    if not scale > 0:
        raise ParameterError("Noise has a scale above 0.", "Check the scale.")
    return Fraction(sensitivity) ** 2 / (2 * Fraction(scale) ** 2)
