"""Proof of promises about people whom a release does not tell apart: its rows beside those of the original do."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from shoal.certification.agreement import same
from shoal.certification.proof import promise_in_short
from shoal.certification.read_options import counts_unseen_people
from shoal.errors import CertificateError
from shoal.models import PrivacyModel, check
from shoal.models.across_rows import AcrossRows
from shoal.models.alpha_k import AlphaK
from shoal.models.k_anonymity import KAnonymity
from shoal.models.l_diversity import LDiversity
from shoal.models.outside_population import OutsidePopulation
from shoal.models.people import of_records
from shoal.models.t_closeness import TCloseness
from shoal.table import Table

COUNTING = (KAnonymity, LDiversity, TCloseness, AlphaK, AcrossRows, OutsidePopulation)  # people, not records
UNSEEN = "people are counted by a column that is not released"


def shown_by_records(model: PrivacyModel) -> bool:
    """Tell whether records show something of a promise about people: who have no more of them than there are records.

    A class has at most as many people as records, and at most as many values that different people have as values.
    """
    if isinstance(model, OutsidePopulation):
        return not model.outside
    return isinstance(model, KAnonymity) or (isinstance(model, LDiversity) and model.kind == "distinct")


@dataclass(frozen=True, eq=False)
class PeopleProof:
    """Promises of a certificate about people of whom the release shows only records.

    Attributes
    ----------
    content
        That of the certificate.
    models
        What is promised.
    population
        The population that was given, or None.
    """

    content: Mapping[str, Any]
    models: Sequence[PrivacyModel]
    population: Any

    def prove(self, beside: tuple[Table, Table] | None, not_proved: list[str], by_original: list[str]) -> None:
        """Measure promises on the released rows of each person, given the original with the release row by row."""
        given = self.content["recipe"]["table"]
        if beside is None or not counts_unseen_people(given) or given.get("linked"):
            return
        original, released = beside
        whose = original.put(
            {
                name: (released.schema[name].axis, released.column(name))
                for name in (*released.schema.quasi, *released.schema.sensitive)
            }
        )
        for claim, model in zip(self.content["verdicts"], self.models, strict=True):
            if not isinstance(model, COUNTING) or of_records(model):
                continue
            if isinstance(model, OutsidePopulation) and model.outside:
                if self.population is None:
                    continue
                model = model.with_population(whose, self.population)
                line = f"{promise_in_short(model)} ({UNSEEN})"
            else:
                line = f"{claim['sentence']} ({UNSEEN})"
            (found,) = check(whose, model)
            if not found.holds:
                raise CertificateError(
                    f"{model.name} does not hold: people are fewer than records.", "Do not use this release."
                )
            same(f"{model.name}, convention", found.convention, claim["convention"])
            same(f"{model.name}, classes", found.classes, claim["classes"])
            if isinstance(model, OutsidePopulation) and model.outside:  # of others this was compared without people
                same(f"{model.name}, level", model.promised, claim["level"])
                same(f"{model.name}, sentence", model.sentence(model.promised, whose.schema), claim["sentence"])
            not_proved[:] = [each for each in not_proved if each != line]
            by_original.append(f"{claim['sentence']} People were counted in the original.")
