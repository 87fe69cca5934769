"""An attacker whose knowledge errs: how often he claims to have found somebody, and how often that is right.

He knows some attributes of a person and claims a match when exactly one record of the table has just these values. Of
each person he has every value wrong with a given probability, independently of all others (see `attacker_errors`). If
any is wrong, the record that he finds is not the person's, because that one has other values. So he is right about
those who stand alone and of whom nothing is wrong, and wrong about all whom he takes for someone else who stands alone.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from shoal.engines import Boxes
from shoal.errors import ParameterError, SchemaError
from shoal.kernels import MISSING
from shoal.measures.reidentification.attacker_errors import Entries, ErrorModel
from shoal.measures.statistics.sampling import chances, sampled_rows
from shoal.populations.record_matches import MatchedBoxes, RowLookup
from shoal.progress import stage
from shoal.table import Classes, Table

ATTEMPTS = 100_000


@dataclass(frozen=True)
class Matches:
    """What an attacker who errs claims.

    Attributes
    ----------
    errors
        How likely each attribute is wrong.
    right, wrong
        Of all people, the share about whom he claims a match and is right, or wrong.
    standard_error
        That of ``wrong``, where it was found by drawing; 0 where all is exact. ``right`` is always exact.
    """

    errors: Mapping[str, float]
    right: float
    wrong: float
    standard_error: float

    @property
    def claimed(self) -> float:
        """The share of people about whom he claims a match."""
        return self.right + self.wrong

    @property
    def right_of_claimed(self) -> float | None:
        """The share of his claims that is right; None if he claims nothing."""
        return self.right / self.claimed if self.claimed else None


@dataclass(frozen=True, eq=False)
class ErringAttacker:
    """Somebody who knows some attributes of people in a table, and errs in some of these.

    Parameters
    ----------
    table
        The table, with exact cells in the attributes that err.
    known
        The attributes that the attacker knows; all quasi-identifiers if left out.
    codes
        Attributes that are read as numbers, but whose numbers are codes: they err as categories do.
    seed
        The seed of what is drawn.

    Examples
    --------
    >>> import polars as pl
    >>> from shoal import read
    >>> stays = read(pl.DataFrame({"age": [34, 34, 51, 60], "days": [2, 3, 2, 9]}), quasi=["age", "days"])
    >>> found = ErringAttacker(stays).matches({"days": 0.5})
    >>> found.right, found.wrong  # if wrong, the first is taken for the second, and this for it every other time
    (0.5, 0.1875)
    """

    table: Table
    known: Sequence[str] | None = None
    codes: Collection[str] = ()
    seed: int = 0
    _error_models: dict[str, ErrorModel] = field(default_factory=dict, init=False, repr=False)

    def matches(self, errors: Mapping[str, float]) -> Matches:
        """Give what he claims if each of some attributes is wrong with a probability from 0 to 1.

        With one attribute that errs, both shares are exact expectations. With several, what is wrong is drawn, 50,000
        to 100,000 times in all, for people all over the table.
        """
        names = tuple(self.table.schema.quasi if self.known is None else self.known)
        rates = {name: _rate(self.table, names, name, rate) for name, rate in errors.items()}
        if not rates:
            raise ParameterError("No attribute errs.", "Name at least one: --error age=0.3.")
        stage("measuring errors of attackers")
        for name in rates:
            if name not in self._error_models:
                self._error_models[name] = ErrorModel.of(self.table, name, as_code=name in self.codes)
        erring = {name: rate for name, rate in rates.items() if rate} or dict([*rates.items()][:1])
        if len(erring) == 1:
            [(name, rate)] = erring.items()
            others = tuple(each for each in names if each != name)
            return Matches(rates, *_exact(self.table, others, name, self._error_models[name], rate), 0.0)
        return Matches(rates, *_drawn(self.table, names, self._error_models, erring, self.seed))


def _rate(table: Table, names: Sequence[str], name: str, rate: float) -> float:
    if name not in (*table.schema.names, *table.schema.left_out):
        raise SchemaError.missing_column(name, table.schema.quasi)
    if name not in table.schema.quasi:
        raise SchemaError(
            f"Column '{name}' is no quasi-identifier, so no attacker goes by it.",
            f"Name it with --quasi too, or one of these with --error: {', '.join(table.schema.quasi)}.",
        )
    if name not in names:
        raise ParameterError(f"The attacker does not know '{name}'.", "Add it to what is known, or let another err.")
    return checked_rate(name, rate)


def checked_rate(name: str, rate: float) -> float:
    """Give how likely an attribute is wrong, or refuse what is no probability."""
    if isinstance(rate, bool) or not isinstance(rate, int | float | np.number) or not 0 <= rate <= 1:
        raise ParameterError(f"How likely '{name}' is wrong is a number from 0 to 1.", f"Write --error {name}=0.3.")
    return float(rate)


def _exact(table: Table, others: tuple[str, ...], name: str, model: ErrorModel, rate: float) -> tuple[float, float]:
    """Give both shares where one attribute errs: records that differ in nothing else may be taken for each other."""

    def found(classes: Classes) -> tuple[int, int, float]:
        mine = classes.columns[name]
        numbers = np.repeat(np.arange(classes.sizes.size), classes.sizes)
        there = mine != MISSING
        lacking = int((np.bincount(numbers[~there]) == 1).sum())
        keys, counts = np.unique(numbers[there] * (model.last + 1) + model.places(mine[there]), return_counts=True)
        entries = Entries(*np.divmod(keys, model.last + 1), counts)
        return lacking, *_alone(model, entries)

    if others:
        parts = table.classes(found, others, (name,))
    else:
        positions, counts = table.counts(name)
        there = positions != MISSING
        places = model.places(positions[there])
        entries = Entries(np.zeros_like(places), places, counts[there])
        parts = [(int((counts[~there] == 1).sum()), *_alone(model, entries))]
    lacking, alone, arriving = (math.fsum(part[i] for part in parts) for i in range(3))
    right = lacking + alone * (1 - rate if model.last else 1)
    return right / table.rows, rate * arriving / table.rows


def _alone(model: ErrorModel, entries: Entries) -> tuple[int, float]:
    """Count the records that stand alone, and how many others are expected to be taken for them if all slip."""
    alone = entries.counts == 1
    arriving = float(model.arriving(entries)[alone].sum()) if model.last and entries.counts.size else 0.0
    return int(alone.sum()), arriving


def _drawn(
    table: Table, names: tuple[str, ...], models: Mapping[str, ErrorModel], rates: Mapping[str, float], seed: int
) -> tuple[float, float, float]:
    """Give both shares and the standard error of the second: beliefs with something wrong are drawn and looked for."""
    rows = sampled_rows(table.rows, ATTEMPTS, seed)
    lo, hi = (np.repeat(ends, max(1, ATTEMPTS // table.rows), axis=0) for ends in table.cells(names, rows))
    erring = [(names.index(name), models[name], rate) for name, rate in rates.items()]
    likely = np.stack([slip.able(lo[:, j]) * rate for j, slip, rate in erring], axis=1)
    # From each attribute on, the chance that none of the rest is wrong.
    spared = np.cumprod((1 - likely)[:, ::-1], axis=1)[:, ::-1]
    some = np.zeros(lo.shape[0], bool)
    for number, (j, slip, _) in enumerate(erring):
        with np.errstate(invalid="ignore", divide="ignore"):
            # Something is wrong in every belief: if nothing was so far, the rest is the more likely to be.
            chance = np.where(some, likely[:, number], likely[:, number] / (1 - spared[:, number]))
        wrong = np.flatnonzero(_fresh(lo.shape[0], 2 * number + 1, seed) < np.nan_to_num(chance))
        lo[wrong, j] = slip.slipped(lo[wrong, j], _fresh(lo.shape[0], 2 * number + 2, seed)[wrong])
        hi[wrong, j] = lo[wrong, j]
        some[wrong] = True
    sought = RowLookup(lo, hi)
    parts = table.boxes(_finding(sought, erring), names)
    right = math.fsum(part[0] for part in parts) / table.rows
    claimed = sought.counts([part[1] for part in parts]) == 1
    weighed = (1 - spared[:, 0]) * (claimed & some)
    return right, float(weighed.mean()), float(weighed.std() / math.sqrt(max(1, weighed.size - 1)))


def _fresh(size: int, stream: int, seed: int) -> NDArray[np.float64]:
    return chances(np.arange(size, dtype=np.int64) + stream * ATTEMPTS, seed)


def _finding(
    sought: RowLookup, erring: Sequence[tuple[int, ErrorModel, float]]
) -> Callable[[Boxes], tuple[float, MatchedBoxes]]:
    """Give what counts those about whom the attacker is right, and finds the records that beliefs may fit."""
    among = sought.among()
    rates = [(j, rate) for j, model, rate in erring if model.last]

    def found(boxes: Boxes) -> tuple[float, MatchedBoxes]:
        alone = boxes.lo[boxes.counts == 1]
        right = np.ones(alone.shape[0])
        for j, rate in rates:
            right *= 1 - rate * (alone[:, j] != MISSING)
        return float(right.sum()), among(boxes)

    return found
