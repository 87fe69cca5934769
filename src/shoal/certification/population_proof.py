"""Proof of promises about a population, for who has a table of it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from shoal.certification.people_proof import UNSEEN
from shoal.certification.private_record import PrivateRecord
from shoal.certification.proof import promise_in_short
from shoal.certification.read_options import counts_unseen_people, nodes_of, release_options, with_trees
from shoal.domains.hierarchy import Hierarchy
from shoal.engines.protocol import AnyEngine
from shoal.engines.sources import Source
from shoal.errors import DataError
from shoal.models import PrivacyModel, Verdict, check
from shoal.models.outside_population import OutsidePopulation
from shoal.table import Table

# What a certificate claims of a promise, and what was measured of it again.
ClaimedVerdict = tuple[Mapping[str, Any], Verdict]


@dataclass(frozen=True, eq=False)
class GivenPopulation:
    """A population that was given beside a release, and the hierarchies by which its nodes are understood.

    Attributes
    ----------
    source
        The table of the population, or whatever is read as one; None if there is none.
    hierarchies
        Files of the hierarchies of columns of which a release shows names of nodes.
    """

    source: Any = None
    hierarchies: Mapping[str, str] = field(default_factory=dict)

    def verdicts(
        self,
        models: Sequence[PrivacyModel],
        released: Table,
        place: Source,
        content: Mapping[str, Any],
        record: PrivateRecord | None,
        engine: AnyEngine,
        not_proved: list[str],
    ) -> list[ClaimedVerdict]:
        """Measure promises again, each beside what is claimed of it; those that lack a population are only named."""
        models, seen, lacking = self._beside(models, released, place, content, record, engine)
        apart = [model for model in models if about_population(model)]
        there = iter(check(seen, apart) if apart and not lacking else ())
        here = iter(check(released, [model for model in models if model not in apart]))
        not_proved += [f"{promise_in_short(model)} ({lacking})" for model in apart if lacking]
        return [
            (claim, next(there if model in apart else here))
            for claim, model in zip(content["verdicts"], models, strict=True)
            if not (lacking and model in apart)
        ]

    def _beside(
        self,
        models: Sequence[PrivacyModel],
        released: Table,
        place: Source,
        content: Mapping[str, Any],
        record: PrivateRecord | None,
        engine: AnyEngine,
    ) -> tuple[list[PrivacyModel], Table, str]:
        """Give the promises with the population, the release with its nodes where they lie, and what lacks to prove."""
        if not any(about_population(model) for model in models):
            return list(models), released, ""
        if counts_unseen_people(content["recipe"]["table"]):
            return list(models), released, UNSEEN
        if self.source is None:
            return list(models), released, "needs the table of the population (--population)"
        names = nodes_of(content)
        trees = {} if record is None else dict(record.hierarchies(names))
        trees |= {name: Hierarchy.read(text, name) for name, text in self.hierarchies.items()}
        if not set(names) <= trees.keys():
            lacking = ", ".join(name for name in names if name not in trees)
            return list(models), released, f"needs the hierarchies of {lacking} (--hierarchy, or the private record)"
        if trees:
            released = engine.read(place, with_trees(release_options(content, ()), trees))
        there, found = self.source, list[PrivacyModel]()
        for model in models:
            if isinstance(model, OutsidePopulation) and model.outside:
                try:
                    model = model.with_population(released, there)
                except DataError as error:  # which says nothing against the release
                    return list(models), released, f"the population cannot be read beside it: {error.what.rstrip('.')}"
                there = model.people_of(released).table
            found.append(model)
        return found, released, ""


def about_population(model: PrivacyModel) -> bool:
    """Tell whether a promise is about a population of which a table is needed."""
    return isinstance(model, OutsidePopulation) and model.outside
