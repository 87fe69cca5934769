"""One table to study: its three forms, what is known of it, and the people behind its records."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path

from shoal.conditions import Condition
from shoal.engines import read
from shoal.engines.sources import Source
from shoal.errors import DataError, SchemaError
from shoal.measures import Measure
from shoal.measures.attribute_disclosure import AttributeDisclosure
from shoal.measures.information_loss import InformationLoss
from shoal.measures.random_reidentification import RandomReidentification
from shoal.measures.uniqueness import Uniqueness
from shoal.models.t_closeness import TCloseness, closeness_bound
from shoal.table import Table
from shoal_paper.datasets.discharges import discharges
from shoal_paper.reproduction.records import Records
from shoal_paper.reproduction.setting import CENSUS, DISCHARGES, Setting

LEVELS = (2, 3, 5, 10)
COARSENINGS = (32, 16, 8)


@dataclass(frozen=True, eq=False)
class Case:
    """A table that the paper's study is run on.

    Parameters
    ----------
    records
        The table in its three forms.
    setting
        What is known of it.
    people
        Makes the records in full with a column that tells people apart; None if nobody knows.
    made_up
        Whether the records are made up. Nothing is calibrated to records that were given.
    seed
        The seed of everything that is drawn, regeneration first.
    """

    records: Records
    setting: Setting = DISCHARGES
    people: Callable[[], Table] | None = None
    made_up: bool = False
    seed: int = 0

    def __post_init__(self) -> None:
        """Refuse at once what a later step would stumble over."""
        if self.table.rows < max(LEVELS):
            raise DataError(f"A study needs at least {max(LEVELS)} records.", "Give a longer table.")
        schema, secret = self.table.schema, self.setting.secret
        for name in (secret, *Condition.parse(self.setting.where).columns):
            if name not in schema.sensitive:
                raise SchemaError(
                    f"'{name}' is named as the secret, but is no confidential column of the table.",
                    f"Confidential are: {', '.join(schema.sensitive) or 'none'}. Mend the section [paper], or [table].",
                )
        if schema[secret].axis.nominal:
            raise SchemaError(
                f"The secret '{secret}' holds categories without an order, to which no class can be near.",
                f"Declare their order ([table.orders] {secret} = [...]), or choose a column of numbers.",
            )

    @classmethod
    def stand_in(cls, rows: int, seed: int) -> Case:
        """Give the case of made-up discharges."""
        return cls(
            Records.of(discharges(rows, seed)), people=partial(discharges, rows, seed, subject=True), made_up=True
        )

    @classmethod
    def read(cls, source: Source | Path, setting: Setting = DISCHARGES, counts: Path | None = None) -> Case:
        """Read a table that is given, in full or masked; the counts of masked values go with the latter."""
        options, subject = setting.options, setting.options.roles.subject
        table = read(source, options=replace(options, roles=replace(options.roles, subject=None)))
        people = None if subject is None else partial(read, source, options=options)
        return cls(Records.of(table, counts, setting.masking), setting, people)

    @property
    def table(self) -> Table:
        """The table on which the paper measures, SPD."""
        return self.records.spd

    @property
    def groups(self) -> tuple[str, ...]:
        """What attackers may know, census features first."""
        found = dict.fromkeys(a.knowledge for a in self.table.schema.attributes if a.knowledge)
        return CENSUS, *(name for name in found if name != CENSUS)

    def known(self, groups: Sequence[str]) -> tuple[str, ...]:
        """Give the quasi-identifiers of some groups."""
        return tuple(a.name for a in self.table.schema.attributes if a.knowledge in groups)

    @property
    def measures(self) -> tuple[Measure, ...]:
        """What the paper measures of a release."""
        return Uniqueness(), RandomReidentification(), AttributeDisclosure(self.setting.where), InformationLoss()

    def closeness(self, k: int) -> TCloseness:
        """Give the t-closeness that goes with k in Table S9.

        Eq. 6 holds under the convention that ranks records, ties broken: the paper's levels of t mean that one.
        """
        t = math.ceil(closeness_bound(self.table.rows, k) * 100 - 1e-9) / 100
        return TCloseness(max(t, 0.01), self.setting.secret, "ordered-records")
