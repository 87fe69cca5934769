"""Made-up hospital discharges that stand in for those of California in 2009. Nobody in them exists.

The paper works on 3,985,166 discharges that cannot be had any more. The table made here has the same columns and codes,
the published margins of the same year, and nearly the same risk and correlations; `describe` measures how nearly.

Records come in blocks. What is in a block depends on the seed and on the number of the block alone, so a short table is
the beginning of every longer one with the same seed, and a table of any length can be written in little memory. Random
bits are those of the Philox generator, which NumPy keeps for good, and all that follows is arithmetic on integers: the
same seed gives the same table everywhere.
"""

from __future__ import annotations

from collections.abc import Iterator
from os import PathLike
from typing import Any

import numpy as np
from numpy.typing import NDArray

from shoal.arrays import Integers
from shoal.engines import read
from shoal.engines.io.file_extensions import delimiter_for
from shoal.engines.sources import Source
from shoal.errors import ParameterError
from shoal.progress import along
from shoal.table import Table
from shoal_paper.datasets import discharge_goals
from shoal_paper.datasets.assumptions import Assumptions
from shoal_paper.datasets.catchment import FAR, HOME
from shoal_paper.datasets.discharge_goals import Goal
from shoal_paper.datasets.discharge_model import (
    CELL,
    DIAGNOSIS,
    FIRST_DAYS,
    HISPANIC,
    HOSPITAL,
    NO_CHARGE,
    NORMAL,
    NOT_REPORTED,
    QUARTER,
    SEX,
    SMALL,
    STAY,
    YEAR,
    Model,
    model,
)  # fmt: skip
from shoal_paper.datasets.published import FULL
from shoal_paper.datasets.slots import Reals
from shoal_paper.datasets.writing import draft_of, target_at

ROWS, SEED = FULL, 2009
BLOCK = 1 << 16
QUASI = ("oshpd_id", "age_yrs", "sex", "ethncty", "race", "patzip", "patcnty", "los", "adm_qtr")
SENSITIVE = ("charge", "diag_p")
SUBJECT = "patient"
KNOWLEDGE = {
    **dict.fromkeys(("age_yrs", "sex", "ethncty", "race", "patzip", "patcnty"), "census"),
    "oshpd_id": "spatial", "los": "temporal", "adm_qtr": "temporal",
}  # fmt: skip

WITHIN = 14  # bits: how many records before the return of a patient the earlier stay is looked for
CHANCE = 16  # bits that decide whether something happens
ASSUMED = Assumptions()

Columns = dict[str, NDArray[Any]]


class _Bits:
    """Random bits, one row of 64-bit words per record, handed out from the top of each word."""

    def __init__(self, seed: int, number: int, words: int) -> None:
        generator = np.random.Philox(key=np.array([seed, number], np.uint64))
        self._words = generator.random_raw(words * BLOCK).reshape(words, BLOCK)
        self._word, self._left = 0, 64

    def take(self, bits: int) -> Integers:
        """Give a number of so many fresh bits for each record."""
        if bits > self._left:
            self._word, self._left = self._word + 1, 64
        self._left -= bits
        fresh: Integers = (self._words[self._word] >> np.uint64(self._left) & np.uint64((1 << bits) - 1)).astype(
            np.int64
        )
        return fresh


def _block(tables: Model, seed: int, number: int) -> Columns:
    """Make one whole block: persons and where they live, who of them comes again, then stays and charges."""
    bits, assumed = _Bits(seed, number, 5), tables.assumed
    hospital = tables.hospital.take(bits.take(HOSPITAL)).astype(np.int64)
    groups = tables.by_race.shape[1]
    age_group, origin = np.divmod(tables.cell.take((hospital << CELL) + bits.take(CELL)).astype(np.int64), groups)
    age = tables.first_age.take(age_group) + tables.year.take((age_group << YEAR) + bits.take(YEAR))
    sex = _sex(tables, age, bits.take(SEX))
    of_hispanic = tables.hispanic_race.take((hospital << SMALL) + bits.take(SMALL))
    race = np.where(origin == HISPANIC, of_hispanic, origin + 1)
    ethnicity = tables.ethnicity.take((origin << SMALL) + bits.take(SMALL))
    place = _place(tables, hospital, origin, bits)
    diagnosis = tables.diagnosis.take(((tables.illness.take(age) + (sex == 2)) << DIAGNOSIS) + bits.take(DIAGNOSIS))

    ill = tables.kind.take(diagnosis) > 1
    first = _first_stays(ill & _happens(bits, assumed.returns), ill, bits.take(WITHIN))
    returns = first != np.arange(BLOCK)
    age, sex, race, ethnicity, place, diagnosis, hospital = (
        column.take(first) for column in (age, sex, race, ethnicity, place, diagnosis, hospital)
    )
    elsewhere = tables.neighbours.take((hospital << 2) + bits.take(2))
    hospital = np.where(returns & ~_happens(bits, assumed.loyal), elsewhere, hospital)
    quarter = tables.quarter.take((tables.season.take(diagnosis) << QUARTER) + bits.take(QUARTER))
    quarter = np.where(_happens(bits, assumed.same_quarter), quarter.take(first), quarter)

    kind = tables.kind.take(diagnosis)
    days = _days(tables, hospital, kind, bits)
    return {
        SUBJECT: first + number * BLOCK,
        "oshpd_id": tables.hospitals.take(hospital),
        "age_yrs": age,
        "sex": sex,
        "ethncty": ethnicity,
        "race": race,
        "patzip": tables.zips.take(place),
        "patcnty": tables.counties.take(place),
        "los": days,
        "adm_qtr": quarter,
        "charge": _charge(tables, hospital, kind, days, bits),
        "diag_p": tables.codes.take(diagnosis),
    }


def _happens(bits: _Bits, share: float | Reals) -> NDArray[np.bool_]:
    """Decide for each record whether something happens that happens to a given share."""
    happens: NDArray[np.bool_] = bits.take(CHANCE) < share * (1 << CHANCE)
    return happens


def _normal(factors: Integers, bits: _Bits) -> Integers:
    """Draw a factor by its place on the normal distribution, between two of those that are tabled."""
    place, part = bits.take(NORMAL), bits.take(8)
    return (factors.take(place) * (256 - part) + factors.take(place + 1) * part) >> 8


def _sex(tables: Model, age: Integers, chance: Integers) -> Integers:
    """Draw the sex by age; one in some thousands is of another one, and as many of an unknown one."""
    sex = 1 + (chance < tables.women.take(age))
    sex[chance == 0] = 3
    sex[chance == (1 << SEX) - 1] = 4
    return sex


def _place(tables: Model, hospital: Integers, origin: Integers, bits: _Bits) -> Integers:
    """Draw the place of residence, near the hospital or far; some have no ZIP code, and some Hispanics live abroad."""
    group = origin * len(tables.hospitals) + hospital
    near, far = (
        tables.home.near.take((group << HOME) + bits.take(HOME)),
        tables.home.far.take((hospital << FAR) + bits.take(FAR)),
    )
    place = np.where(_happens(bits, tables.home.scattered.take(hospital)), far, near).astype(np.int64)
    last = len(tables.zips) - 1
    place[_happens(bits, tables.assumed.no_zip)] = last
    place[(origin == HISPANIC) & _happens(bits, tables.assumed.abroad)] = last - 1
    return place


def _first_stays(returns: NDArray[np.bool_], ill: NDArray[np.bool_], back: Integers) -> Integers:
    """Give for each record the first stay of the same patient, which is the record itself for most."""
    own = np.arange(BLOCK)
    earlier = own - 1 - back
    returns = returns & (earlier >= 0) & ill.take(np.maximum(earlier, 0))
    first = np.where(returns, earlier, own)
    while not np.array_equal(first, further := first.take(first)):
        first = further
    return first


def _days(tables: Model, hospital: Integers, kind: Integers, bits: _Bits) -> Integers:
    """Draw usual days and stretch them to the hospital's mean; long care has its own. Parts of days by chance."""
    usual = tables.stay.take((kind << STAY) + bits.take(STAY)) * tables.stretch.take(hospital)
    mean, chance, part = tables.long.take(hospital), bits.take(NORMAL), bits.take(20)
    factor = np.where(mean > 0, tables.long_factor.take(chance), tables.stay_factor.take(chance))
    days: Integers = 1 + ((np.where(mean > 0, mean, usual) * factor + part) >> 20)
    return days


def _charge(tables: Model, hospital: Integers, kind: Integers, days: Integers, bits: _Bits) -> NDArray[Any]:
    """Charge for the admission and for each day, as dollars; nothing is known where a hospital does not report."""
    early = np.minimum(days, FIRST_DAYS)
    admission, first_days, later_days = (rate.take(kind) for rate in tables.charges)
    amount = admission + first_days * early + later_days * (days - early)
    price = tables.price.take(hospital)
    dollars = np.clip(amount * price * _normal(tables.charge_factor, bits) >> 24, 2, 9_999_999)
    return np.ma.masked_array(np.where(price == NO_CHARGE, 0, dollars), price == NOT_REPORTED)


def blocks(
    rows: int = ROWS, seed: int = SEED, *, subject: bool = False, assumptions: Assumptions = ASSUMED
) -> Iterator[Columns]:
    """Make the table block by block.

    Parameters
    ----------
    rows
        How many records to make.
    seed
        Which table to make: same seed, same table.
    subject
        Whether to give the number of the patient too, as the first column.
    assumptions
        The constants that nobody published.

    Yields
    ------
    dict
        Columns by name, as NumPy arrays of equal length: 32-bit integers, and texts for the diagnosis. Charges that
        were not reported are masked.
    """
    if not 1 <= rows < 1 << 31:  # patients are numbered with 32 bits
        raise ParameterError("A table needs at least one record, and fewer than 2**31.", "Try --rows 10000.")
    if not 0 <= seed < 1 << 64:
        raise ParameterError("A seed is a whole number from 0 to 2**64 - 1.", "Choose another (--seed 2009).")
    tables = model(assumptions)
    for number in along(range(-(-rows // BLOCK))):
        kept = min(BLOCK, rows - number * BLOCK)
        made = _block(tables, seed, number)
        if not subject:
            del made[SUBJECT]
        yield {
            name: column[:kept] if column.dtype.kind == "U" else column[:kept].astype(np.int32)
            for name, column in made.items()
        }


def discharges(
    rows: int = ROWS, seed: int = SEED, *, subject: bool = False, assumptions: Assumptions = ASSUMED
) -> Table:
    """Make the table in memory, with its roles and with what an attacker may know of each column.

    Parameters
    ----------
    rows
        How many records to make.
    seed
        Which table to make: same seed, same table.
    subject
        Whether the table says which records belong to the same patient.
    assumptions
        The constants that nobody published; `Assumptions.drawn` gives others that are possible.

    Examples
    --------
    >>> discharges(1000).schema.quasi
    ('oshpd_id', 'age_yrs', 'sex', 'ethncty', 'race', 'patzip', 'patcnty', 'los', 'adm_qtr')
    """
    from shoal_paper.datasets.streaming import frame_of

    roles: dict[str, Any] = {"quasi": QUASI, "sensitive": SENSITIVE, "knowledge": KNOWLEDGE}
    if subject:  # read as numbers: as texts, millions of patients would take long
        roles |= {"subject": SUBJECT, "kinds": {SUBJECT: "integer"}}
    return read(frame_of(blocks(rows, seed, subject=subject, assumptions=assumptions)), **roles)


def write(
    path: str | PathLike[str] | Source,
    rows: int = ROWS,
    seed: int = SEED,
    *,
    subject: bool = False,
    assumptions: Assumptions = ASSUMED,
    overwrite: bool = False,
) -> None:
    """Write the table block by block, as Parquet if the name ends so and as delimited text otherwise.

    Parameters
    ----------
    path
        The file to write, which appears when it is complete; ``-`` for stdout.
    rows
        How many records to make.
    seed
        Which table to make: same seed, same table.
    subject
        Whether to write the number of the patient too, as the first column.
    assumptions
        The constants that nobody published.
    overwrite
        Whether a file that is there may be replaced.
    """
    from shoal_paper.datasets.streaming import write_blocks

    target = target_at(path, overwrite=overwrite)
    parts = blocks(rows, seed, subject=subject, assumptions=assumptions)
    with draft_of(target, overwrite=overwrite) as draft:
        write_blocks(draft, parts, delimiter_for(target))


def describe(table: Table | None = None, *, rows: int = ROWS, seed: int = SEED) -> list[Goal]:
    """Compare a table with the published figures that it should come near.

    Parameters
    ----------
    table
        The table; if left out, one is made.
    rows, seed
        What to make if no table is given.

    Returns
    -------
    list of Goal
        What was measured, the goal, the figure, whether the goal holds, and its kind. What depends on how many records
        are unique has goals for a table of full length only, and says so.
    """
    patients = None
    if table is None:  # a table does not give away its patients
        patients = np.concatenate([part[SUBJECT] for part in blocks(rows, seed, subject=True)])
        table = discharges(rows, seed)
    return discharge_goals.compare(table, KNOWLEDGE, patients)
