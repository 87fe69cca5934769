"""Parameters of models, methods and measures: numbers of any library as plain ones."""

from __future__ import annotations

from dataclasses import fields
from typing import Any

import numpy as np

from shoal.errors import ParameterError


def settle(value: Any) -> None:
    """Make numbers of NumPy among the parameters of a frozen value plain ones, which can be written into recipes."""
    for field in fields(value):
        given = getattr(value, field.name)
        if isinstance(given, np.generic):
            object.__setattr__(value, field.name, given.item())


def seed_of(given: Any) -> int:
    """Give a seed as a plain number, or refuse what is none."""
    seed = given.item() if isinstance(given, np.generic) else given
    if isinstance(seed, bool) or not isinstance(seed, int) or seed < 0:
        raise ParameterError("A seed is a whole number, at least 0.", "Leave it out for the usual one.")
    return seed
