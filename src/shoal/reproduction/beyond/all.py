"""Every experiment beyond the paper, in the order in which a report tells them."""

from __future__ import annotations

from shoal.reproduction.beyond import Experiment
from shoal.reproduction.beyond.hilbert import HILBERT
from shoal.reproduction.beyond.people import PEOPLE_BEHIND_RECORDS
from shoal.reproduction.beyond.utility import UTILITY

EXPERIMENTS: tuple[Experiment, ...] = (HILBERT, PEOPLE_BEHIND_RECORDS, UTILITY)
