"""What a private release costs, in ρ or in ε, and what is said of that."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction
from typing import Any, Protocol

from shoal.errors import ParameterError
from shoal.models.stated import Stated
from shoal.private.accounting import Mechanism, epsilon_of
from shoal.private.exact_numbers import positive, written
from shoal.private.mechanisms import version

_PURE = "differential-privacy"
_CONCENTRATED = "zero-concentrated-differential-privacy"
_DIGITS = 7


class Priced(Protocol):
    """A method that is asked for at a price."""

    @property
    def rho(self) -> float | None: ...  # noqa: D102
    @property
    def epsilon(self) -> float | None: ...  # noqa: D102
    @property
    def delta(self) -> float: ...  # noqa: D102


@dataclass(frozen=True)
class ReleasePrice:
    """The loss of a release: ρ with Gaussian noise, shown as ε at a δ; or ε with Laplace noise."""

    mechanism: Mechanism
    loss: Fraction
    delta: Fraction

    def claimed(self, neighbours: str, terms: Mapping[str, Any]) -> Stated:
        """Make the claim of a release that costs this."""
        size = written(self.loss)
        if self.mechanism == "laplace":
            return Stated(
                _PURE,
                f"Differential privacy with ε = {size}, between {neighbours}.",
                {"loss": {"epsilon": size}, "neighbours": neighbours, **terms},
                library(),
            )
        epsilon = float(f"{epsilon_of(self.loss, self.delta):.{_DIGITS}g}")
        return Stated(
            _CONCENTRATED,
            f"Zero-concentrated differential privacy with ρ = {size} (ε = {epsilon:.4g} at δ = {float(self.delta):g}), "
            f"between {neighbours}.",
            {
                "loss": {"rho": size, "epsilon": epsilon, "delta": written(self.delta)},
                "neighbours": neighbours,
                **terms,
            },
            library(),
        )


def price_of(method: Priced, name: str) -> ReleasePrice:
    """Read what a method may cost; just one of the two kinds is to be given."""
    if (method.rho is None) == (method.epsilon is None):
        raise ParameterError(
            f"{name} needs to know what it may cost: rho or epsilon, and not both.",
            "Give one: --param rho=0.5, or --param epsilon=1.",
        )
    delta = positive(method.delta, "delta")
    if delta >= 1:
        raise ParameterError("Delta must be above 0 and below 1.", "Usual is less than one in the number of records.")
    if method.rho is not None:
        return ReleasePrice("gaussian", positive(method.rho, "rho"), delta)
    return ReleasePrice("laplace", positive(method.epsilon, "epsilon"), delta)


def library() -> tuple[str, str]:
    """Give the name and the version of what draws noise here; who checks a release may not have it."""
    try:
        return "opendp", version()
    except ParameterError:
        return "opendp", ""
