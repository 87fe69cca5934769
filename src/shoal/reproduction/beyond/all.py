"""Every experiment beyond the paper, in the order in which a report tells them."""

from __future__ import annotations

from shoal.reproduction.beyond import Experiment
from shoal.reproduction.beyond.attacker_errors import ATTACKER_ERRORS
from shoal.reproduction.beyond.dimensions import DIMENSIONS
from shoal.reproduction.beyond.hilbert import HILBERT
from shoal.reproduction.beyond.people import PEOPLE_BEHIND_RECORDS
from shoal.reproduction.beyond.population import POPULATION
from shoal.reproduction.beyond.subsets import SUBSETS
from shoal.reproduction.beyond.utility import UTILITY

EXPERIMENTS: tuple[Experiment, ...] = (
    HILBERT, PEOPLE_BEHIND_RECORDS, UTILITY, POPULATION, ATTACKER_ERRORS, SUBSETS, DIMENSIONS,
)  # fmt: skip
