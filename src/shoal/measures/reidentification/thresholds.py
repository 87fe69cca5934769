"""Thresholds of risk: how likely a record may be found, as those who publish data have settled it, with their sources.

A threshold is a risk: records above it are at risk. A group of f people has the risk 1/f, so that a threshold asks for
the smallest whole f with 1/f at most as large: 12 for 0.09, since 1/11 is 0.0909. Custom reads 0.09 as groups of 11,
and has a name of its own here.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

from shoal.errors import ParameterError, suggest

_SLACK = 1e-12  # what people are expected to be is a quotient: only its rounding makes them fewer


@dataclass(frozen=True)
class Threshold:
    """A risk above which a record is at risk, and who says so.

    Attributes
    ----------
    risk
        The highest risk that is acceptable, above 0 and at most 1.
    name
        What it is called, if it has a name.
    meant
        For what it is meant.
    source
        Who says so.
    """

    risk: float
    name: str = ""
    meant: str = ""
    source: str = ""

    @property
    def smallest(self) -> int:
        """The smallest size of a group whose records are not at risk.

        >>> Threshold(0.09).smallest, Threshold(1 / 11).smallest, Threshold(0.2).smallest, Threshold(0.33).smallest
        (12, 11, 5, 4)
        """
        size = max(1, math.ceil(1 / self.risk) - 1)
        while 1 / size > self.risk:
            size += 1
        return size

    def above(self, people: float) -> bool:
        """Tell whether one in so many people is above the risk; they need not be whole, and rounding is no risk.

        >>> Threshold(0.04).above(7 / 0.28), Threshold(0.04).above(24.9)
        (False, True)
        """
        return people * self.risk < 1 - _SLACK


_EMA = "EMA Policy 0070, external guidance (2016); Health Canada, Public Release of Clinical Information (2019)"
_GUIDE = "K. El Emam: Guide to the De-Identification of Personal Health Information (2013)"
PRESETS = (
    Threshold(0.09, "public", "for everybody to take", _EMA),
    Threshold(1 / 11, "customary", "for everybody to take, as groups of 11", f"how 0.09 is usually read ({_EMA})"),
    Threshold(0.2, "trusted", "for known recipients under contract", _GUIDE),
    Threshold(0.33, "inside", "for use inside a protected place", _GUIDE),
)


def threshold_of(given: float | str | Threshold) -> Threshold:
    """Give a threshold by its name, or by its number.

    >>> threshold_of("public").risk, threshold_of("0.05").risk, threshold_of(0.2).name
    (0.09, 0.05, 'trusted')
    """
    if isinstance(given, Threshold):
        return given
    names = {each.name: each for each in PRESETS}
    if isinstance(given, str) and given in names:
        return names[given]
    try:
        risk = math.nan if isinstance(given, bool) else float(given)
    except (TypeError, ValueError):
        risk = math.nan
    if not 0 < risk <= 1:
        near = suggest(given, names) if isinstance(given, str) else None
        raise ParameterError(
            "A threshold of risk is above 0 and at most 1, or has a name.",
            f"{f'Did you mean {near!r}? ' if near else ''}Names are: "
            f"{', '.join(f'{each.name} ({each.risk:.3g})' for each in PRESETS)}.",
        )
    return next((each for each in PRESETS if each.risk == risk), Threshold(risk))
