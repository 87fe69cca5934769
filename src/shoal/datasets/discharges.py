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

from shoal.datasets import discharge_goals
from shoal.datasets.discharge_goals import Goal
from shoal.datasets.discharge_model import (
    BANDS,
    DAYS,
    FIRST_DAYS,
    HISPANIC,
    LINES,
    LONGEST,
    PLACE,
    ROLL,
    SEX,
    SMALL,
    STAY,
    Block,
    Columns,
    Model,
    Numbers,
    Slots,
    model,
)  # fmt: skip
from shoal.datasets.writing import draft_of, target_at
from shoal.engines import read
from shoal.engines.endings import delimiter_for
from shoal.engines.sources import Source
from shoal.errors import ParameterError
from shoal.progress import along
from shoal.table import Table

ROWS, SEED = 3_985_166, 2009
BLOCK = 1 << 16
BLOCKS = LINES // BLOCK  # that share a roll
HALF, ROUNDS = ROLL // 2, 4  # of the network that shuffles the roll
START = 10  # bits: where in a stratum the deal begins
FIRST_AGE, YEARS = np.array(BANDS[:-1]), np.diff(BANDS)
QUASI = ("oshpd_id", "age_yrs", "sex", "ethncty", "race", "patzip", "patcnty", "los", "adm_qtr")
SENSITIVE = ("charge", "diag_p")
SUBJECT = "patient"
KNOWLEDGE = {
    **dict.fromkeys(("age_yrs", "sex", "ethncty", "race", "patzip", "patcnty"), "census"),
    "oshpd_id": "spatial", "los": "temporal", "adm_qtr": "temporal",
}  # fmt: skip

# Some who are ill come back, with the same illness, mostly to the same hospital and often in the same quarter.
RETURNS = 190  # of 1024, among those who may: neither newborns nor women in childbed
LOYAL = 820  # of 1024 of those who return: to the hospital where they were first
WITHIN = 14  # bits: how many records before the return the earlier stay is looked for


class _Bits:
    """Random bits, one row of 64-bit words per record, handed out from the top of each word."""

    def __init__(self, seed: int, number: int, words: int) -> None:
        generator = np.random.Philox(key=np.array([seed, number], np.uint64))
        self._words = generator.random_raw(words * BLOCK).reshape(words, BLOCK)
        self._word, self._left = 0, 64

    def take(self, bits: int) -> Numbers:
        """Give a number of so many fresh bits for each record."""
        if bits > self._left:
            self._word, self._left = self._word + 1, 64
        self._left -= bits
        fresh: Numbers = (self._words[self._word] >> np.uint64(self._left) & np.uint64((1 << bits) - 1)).astype(
            np.int64
        )
        return fresh


class _Roll:
    """The roll of a year in the order of a seed: which line each record takes, and where the deal begins."""

    def __init__(self, tables: Model, seed: int, number: int) -> None:
        # Blocks have numbers below 2**15: the bits of a roll are those of no block.
        generator = np.random.Philox(key=np.array([seed, (1 << 32) + number], np.uint64))
        self._rounds = (generator.random_raw(ROUNDS << HALF) >> np.uint64(64 - HALF)).astype(np.int64)
        self.start = (generator.random_raw(len(tables.first)) >> np.uint64(64 - START)).astype(np.int64)

    def lines(self, records: Numbers) -> Numbers:
        """Shuffle the lines: a Feistel network, which gives a different line for each record."""
        left, right = records >> HALF, records & ((1 << HALF) - 1)
        for turn in range(ROUNDS):
            left, right = right, left ^ self._rounds.take((turn << HALF) + right)
        lines = (left << HALF) + right
        beyond = np.flatnonzero(lines >= LINES)
        if beyond.size:
            lines[beyond] = self.lines(lines[beyond])
        return lines


def _block(tables: Model, roll: _Roll, seed: int, number: int) -> Columns:
    """Make one whole block: persons and where they live, who of them comes again, then stays and charges."""
    bits = _Bits(seed, number, 3)
    line = roll.lines(np.arange(BLOCK) + number % BLOCKS * BLOCK)
    stratum = tables.stratum.take(line)
    begin, start = tables.first.take(stratum), roll.start.take(stratum)
    rank, size = line - begin, tables.first.take(stratum + 1) - begin
    hospital, origin, band = (mine.take(stratum) for mine in (tables.hospital, tables.origin, tables.age_band))
    years = YEARS.take(band)
    turn, year = np.divmod(rank + start, years)
    age, quarter = FIRST_AGE.take(band) + year, 1 + (turn & 3)
    sex = _sex(tables.sex.take(stratum), bits.take(SEX))
    of_hispanic = tables.hispanic_race.take((hospital << SMALL) + bits.take(SMALL))
    race = np.where(origin == HISPANIC, of_hispanic, origin + 1)
    ethnicity = tables.ethnicity.take((origin << SMALL) + bits.take(SMALL))
    place = _place(tables, tables.place.take(stratum), hospital, bits.take(PLACE))

    illness = (tables.band.take(age) << 1) + (sex == 2)
    sorted_by_stay = ((rank << STAY) + (start << STAY >> START)) // size
    usual = tables.stay.take((illness << STAY) + sorted_by_stay)
    gravity = (illness * DAYS + np.minimum(usual, DAYS - 1)) << SMALL
    diagnosis = tables.diagnosis.take(gravity + bits.take(SMALL)).astype(np.int64)

    first = _first_stays(tables.kind.take(diagnosis) > 1, bits.take(WITHIN), bits.take(10))
    returns = first != np.arange(BLOCK)
    age, sex, race, ethnicity, place, diagnosis, hospital, illness = (
        column.take(first) for column in (age, sex, race, ethnicity, place, diagnosis, hospital, illness)
    )
    moved, same_quarter = bits.take(10), bits.take(2) == 0
    elsewhere = tables.neighbours.take((hospital << 2) + (moved & 3))
    hospital = np.where(returns & (moved >= LOYAL), elsewhere, hospital)
    quarter = np.where(returns & same_quarter, quarter.take(first), quarter)

    kind = tables.kind.take(diagnosis)
    usual = tables.stay.take((illness << STAY) + sorted_by_stay)
    days = _days(tables, hospital, usual, bits.take(16))
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
        "charge": _charge(tables, hospital, kind, days, bits.take(18)),
        "diag_p": tables.codes.take(diagnosis),
    }


def _sex(usual: Numbers, chance: Numbers) -> Numbers:
    """Let one in some thousands be of another sex, and as many of an unknown one."""
    usual[chance == 0] = 3
    usual[chance == 1] = 4
    return usual


def _place(tables: Model, home: Numbers, hospital: Numbers, chance: Numbers) -> Numbers:
    """Give those who live scattered a place."""
    who = np.flatnonzero(home == len(tables.zips))
    home[who] = tables.scattered.take((hospital[who] << PLACE) + chance[who])
    return home


def _first_stays(ill: NDArray[np.bool_], back: Numbers, chance: Numbers) -> Numbers:
    """Give for each record the first stay of the same patient, which is the record itself for most."""
    own = np.arange(BLOCK)
    earlier = own - 1 - back
    returns = ill & (chance < RETURNS) & (earlier >= 0)
    returns &= ill.take(np.maximum(earlier, 0))
    first = np.where(returns, earlier, own)
    while not np.array_equal(first, further := first.take(first)):
        first = further
    return first


def _days(tables: Model, hospital: Numbers, usual: Slots, chance: Numbers) -> Numbers:
    """Stretch usual days to the hospital's mean, where long care takes half to one and a half of it; then favour."""
    usual = (usual * tables.stretch.take(hospital) + 128) >> 8
    mean = tables.long.take(hospital)
    days = 1 + np.where(mean > 0, ((mean << 15) + chance * (mean + 256)) >> 24, usual)
    planned: Numbers = tables.favoured.take((hospital << LONGEST) + days).astype(np.int64)
    return planned


def _charge(tables: Model, hospital: Numbers, kind: Numbers, days: Numbers, chance: Numbers) -> Numbers:
    """Charge for the admission and for each day; a price below 2 is the state's code for none reported, or none."""
    early = np.minimum(days, FIRST_DAYS)
    admission, first_days, later_days = (rate.take(kind) for rate in tables.charges)
    amount = admission + first_days * early + later_days * (days - early)
    slot, part = chance >> 8, chance & 255
    noise = (tables.noise.take(slot) * (256 - part) + tables.noise.take(slot + 1) * part) >> 8
    price = tables.price.take(hospital)
    return np.where(price < 2, price, np.clip(amount * price * noise >> 20, 2, 9_999_999))


def blocks(rows: int = ROWS, seed: int = SEED, *, subject: bool = False) -> Iterator[Block]:
    """Make the table block by block.

    Parameters
    ----------
    rows
        How many records to make.
    seed
        Which table to make: same seed, same table.
    subject
        Whether to give the number of the patient too, as the first column.

    Yields
    ------
    dict
        Columns by name, as NumPy arrays of equal length: 32-bit integers, and texts for the diagnosis.
    """
    if not 1 <= rows < 1 << 31:  # patients are numbered with 32 bits
        raise ParameterError("A table needs at least one record, and fewer than 2**31.", "Try --rows 10000.")
    if not 0 <= seed < 1 << 64:
        raise ParameterError("A seed is a whole number from 0 to 2**64 - 1.", "Choose another (--seed 2009).")
    tables = model()
    for number in along(range(-(-rows // BLOCK))):
        kept = min(BLOCK, rows - number * BLOCK)
        if number % BLOCKS == 0:
            roll = _Roll(tables, seed, number // BLOCKS)
        made = _block(tables, roll, seed, number)
        if not subject:
            del made[SUBJECT]
        yield {
            name: column[:kept] if column.dtype.kind == "U" else column[:kept].astype(np.int32)
            for name, column in made.items()
        }


def discharges(rows: int = ROWS, seed: int = SEED, *, subject: bool = False) -> Table:
    """Make the table in memory, with its roles and with what an attacker may know of each column.

    Parameters
    ----------
    rows
        How many records to make.
    seed
        Which table to make: same seed, same table.
    subject
        Whether the table says which records belong to the same patient.

    Examples
    --------
    >>> discharges(1000).schema.quasi
    ('oshpd_id', 'age_yrs', 'sex', 'ethncty', 'race', 'patzip', 'patcnty', 'los', 'adm_qtr')
    """
    from shoal.engines.local.streaming import frame_of

    roles: dict[str, Any] = {"quasi": QUASI, "sensitive": SENSITIVE, "knowledge": KNOWLEDGE}
    if subject:  # read as numbers: as texts, millions of patients would take long
        roles |= {"subject": SUBJECT, "kinds": {SUBJECT: "integer"}}
    return read(frame_of(blocks(rows, seed, subject=subject)), **roles)


def write(
    path: str | PathLike[str] | Source,
    rows: int = ROWS,
    seed: int = SEED,
    *,
    subject: bool = False,
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
    overwrite
        Whether a file that is there may be replaced.
    """
    from shoal.engines.local.streaming import write_blocks

    target = target_at(path, overwrite=overwrite)
    parts = blocks(rows, seed, subject=subject)
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
        What was measured, the goal, the figure, and whether the goal holds. Shares of unique and of masked records
        have goals for a table of full length only, and say so.
    """
    patients = None
    if table is None:  # a table does not give away its patients
        patients = np.concatenate([part[SUBJECT] for part in blocks(rows, seed, subject=True)])
        table = discharges(rows, seed)
    return discharge_goals.compare(table, KNOWLEDGE, patients)
