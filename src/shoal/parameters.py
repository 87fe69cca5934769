"""Parameters of models, methods and measures: numbers of any library as plain ones."""

from __future__ import annotations

import operator
from dataclasses import fields
from numbers import Integral, Real
from typing import Any

import numpy as np

from shoal.errors import ParameterError


def settle(value: Any) -> None:
    """Make numbers of NumPy among the parameters of a frozen value plain ones, which can be written into recipes."""
    for field in fields(value):
        object.__setattr__(value, field.name, _plain(getattr(value, field.name)))


def _plain(given: Any) -> Any:
    if isinstance(given, np.generic) or (isinstance(given, np.ndarray) and given.ndim == 0):
        return given.item()
    if isinstance(given, bool | int | float) or not isinstance(given, Real):
        return given
    return operator.index(given) if isinstance(given, Integral) else float(given)


def shown(given: Any) -> str:
    """Give a parameter as an error may show it: a number or a short text, and of all else what it is."""
    plain = given is None or isinstance(given, bool | int | float) or (isinstance(given, str) and len(given) < 20)
    return repr(given) if plain else f"a {type(given).__name__}"


def seed_of(given: Any) -> int:
    """Give a seed as a plain number, or refuse what is none."""
    seed = _plain(given)
    if isinstance(seed, bool) or not isinstance(seed, int) or seed < 0:
        raise ParameterError("A seed is a whole number, at least 0.", "Leave it out for the usual one.")
    return seed
