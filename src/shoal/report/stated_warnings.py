"""What attackers can still try on a release whose promise is stated, such as differential privacy, in numbers."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from typing import Any

from shoal.models.stated import Stated
from shoal.report.method_warnings import section_of
from shoal.report.page import Html, Section, code, joined

_FIRM = 20  # to one: beyond such odds a guess is nearly knowledge


def stated_method_section(stated: Stated) -> Section | None:
    """Give the section of a report about attacks by people who know the mechanism."""
    return section_of(stated_warnings(stated))


def stated_warnings(stated: Stated) -> Iterator[Html]:
    """Give one sentence for each attack that applies, with the option that prevents it."""
    loss: Mapping[str, Any] = stated.terms["loss"]
    epsilon = float(loss["epsilon"])
    price = code("--param rho=…") if "rho" in loss else code("--param epsilon=…")
    beyond = f", but for a chance of {float(loss['delta']):g}" if "delta" in loss else ""
    last = "what the last one says" if "replaced" in stated.terms["neighbours"] else "whether the last one is there"
    weak = " That is hardly a bound: " if math.exp(min(epsilon, 700.0)) > _FIRM else " "
    yield joined(
        f"Somebody who knows all records but one can still guess {last}: the odds of such a guess rise at most by a "
        f"factor of e^{epsilon:.4g}, {_odds(epsilon)}{beyond}.",
        weak,
        price,
        " lower makes them rise less.",
    )
    yield joined(
        f"Who has two of the records, or shares what they say with a relative, is protected by half of that: the "
        f"odds rise by up to e^{2 * epsilon:.4g}. One row for each person, put together before (",
        code("--quasi"),
        " of people, not of visits), keeps the factor.",
    )
    yield joined(
        "Each further release of the same people, and each answer about them, multiplies the odds again: ",
        code("shoal budget"),
        " keeps account of answers, and a release has to be booked there by hand.",
    )


def _odds(epsilon: float) -> str:
    """Say how many times as high odds may become, in words that a large number does not blur."""
    return f"or {math.exp(epsilon):,.3g} times" if epsilon < 14 else "more than a million times"
