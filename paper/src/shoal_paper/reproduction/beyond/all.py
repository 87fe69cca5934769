"""Every experiment beyond the paper, in the order in which a report tells them."""

from __future__ import annotations

from shoal_paper.reproduction.beyond import Experiment
from shoal_paper.reproduction.beyond.attacker_errors import ATTACKER_ERRORS
from shoal_paper.reproduction.beyond.dimensions import DIMENSIONS
from shoal_paper.reproduction.beyond.hilbert import HILBERT
from shoal_paper.reproduction.beyond.people import PEOPLE_BEHIND_RECORDS
from shoal_paper.reproduction.beyond.population import POPULATION
from shoal_paper.reproduction.beyond.subsets import SUBSETS
from shoal_paper.reproduction.beyond.utility import UTILITY

EXPERIMENTS: tuple[Experiment, ...] = (
    HILBERT, PEOPLE_BEHIND_RECORDS, UTILITY, POPULATION, ATTACKER_ERRORS, SUBSETS, DIMENSIONS,
)  # fmt: skip
