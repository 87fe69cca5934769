"""Scores of a certificate, measured again from the released file and, if it is there, from the original."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import zip_longest
from typing import Any

from shoal.atomic_files import files_read_by
from shoal.certification.agreement import rounds_to, same
from shoal.certification.certificate import exact_score, rounded, tells_too_much
from shoal.certification.linked_proof import compared_again, point_columns
from shoal.certification.people_proof import UNSEEN
from shoal.certification.private_record import PrivateRecord
from shoal.certification.read_options import counts_unseen_people, nodes_of
from shoal.measures import (
    BoxMeasure,
    Demanding,
    Measure,
    PairMeasure,
    Score,
    Scores,
    TableMeasure,
    asks_for_nodes,
    score,
)
from shoal.measures.distance_linkage import DistanceLinkage
from shoal.measures.homogeneity import Homogeneity
from shoal.measures.order_leak import EFFORT as EFFORT_OF_A_RECORD
from shoal.measures.order_leak import OrderLeak
from shoal.measures.probabilistic_linkage import ProbabilisticLinkage
from shoal.measures.query_error import QueryError
from shoal.measures.rank_linkage import RankLinkage
from shoal.measures.traces.linked_measure import LinkedMeasure
from shoal.measures.uniqueness import EFFORT
from shoal.schema import Schema
from shoal.table import Table

_MOST_EFFORT = 16 * EFFORT  # a certificate may not ask for any amount of work
_QUERIES = 2000  # that are about as much work


@dataclass(frozen=True, eq=False)
class Remeasured:
    """What a certificate claims, and how it can be measured again.

    Parameters
    ----------
    content
        That of the certificate.
    exact
        The scores as they were measured, if they are known.
    kept
        Whether rows stand as they were released.
    lacking
        Why release and original cannot be compared, if they cannot.
    record
        The private record, if there is one: it says who is who in a linked release.
    """

    content: Mapping[str, Any]
    exact: Sequence[Mapping[str, Any]]
    kept: bool
    lacking: str
    record: PrivateRecord | None = None

    def scores(
        self,
        table: Table,
        beside: tuple[Table, Table] | None,
        measures: Sequence[Measure],
        proved: list[str],
        not_proved: list[str],
        by_original: list[str],
    ) -> Scores:
        """Measure again what can be measured, insist that it is as claimed, and say what was proved and what not.

        What is proved only by the original is said twice. ``beside`` are the original and the release, row by row, if
        they can be compared.
        """
        claims = self.content["scores"]
        same("the scores", [claim["measure"] for claim in claims], [measure.name for measure in measures])
        scores, left = list[Score](), _MOST_EFFORT
        for measure, claim, exact in zip_longest(measures, claims, self.exact):
            left -= _effort(measure)
            reason = self._beyond_measuring(measure, beside) if left >= 0 else "it is too much work"
            if reason is not None:
                not_proved.append(f"{measure.name} ({reason})")
                continue
            compared = isinstance(measure, PairMeasure | LinkedMeasure) or asks_for_nodes(
                measure, nodes_of(self.content)
            )
            original, released = beside if beside is not None and compared else (None, table)
            if isinstance(measure, LinkedMeasure):
                assert beside is not None
                found = compared_again(measure, *beside, self.record, point_columns(self.content, beside[0]))
            else:
                (found,) = score(original, released, measures=[measure])
            scores.append(found)
            if isinstance(measure, BoxMeasure) and measure.boxed and not rounds_to(found, claim):
                # Values that a release hides may be more that fit nobody else: a file shows at most what is claimed.
                same(f"{measure.name}, at least", rounded(found.lower) <= claim["value"], True)
                proved.append(f"{measure.name} is at least {found.lower:.6g}.")
                not_proved.append(f"{measure.name} is {claim['value']:g} (it depends on values that are not released)")
                continue
            self._insist(measure, found, claim, exact, table.schema)
            proved.append(f"{measure.name} is {found.value:.6g}.")
            by_original += proved[-1:] if compared else []
        return Scores(scores)

    def _insist(self, measure: Measure, found: Score, claim: Mapping[str, Any], exact: Any, schema: Schema) -> None:
        if self.content["format"] > 1:
            public = not tells_too_much(measure, schema, stated="stated" in self.content)
            same(measure.name, rounds_to(found, claim) if public else claim["value"] is None, True)
        if exact is not None:
            same(measure.name, json.loads(json.dumps(exact_score(found))), exact)

    def _beyond_measuring(self, measure: Measure, beside: tuple[Table, Table] | None) -> str | None:
        """Say why something cannot be measured again; None if it can."""
        if isinstance(measure, PairMeasure | LinkedMeasure) and beside is None:
            return self.lacking
        if list(files_read_by([measure])):
            return "it depends on a file that is not released"
        if isinstance(measure, TableMeasure) and not self.kept:
            return "the rows of the table are no longer in the order in which they were released"
        if isinstance(measure, Homogeneity) and counts_unseen_people(self.content["recipe"]["table"]):
            return UNSEEN
        if isinstance(measure, Demanding):
            return "it depends on the versions of other software"
        if asks_for_nodes(measure, nodes_of(self.content)) and beside is None:
            return "a release names the nodes of a hierarchy, not what they cover"
        return None


def _effort(measure: Any) -> int:
    """Give how much work a measure may be, in comparisons, if that is said of it."""
    if isinstance(measure, OrderLeak):  # which counts those of each record
        return EFFORT * (measure.effort or EFFORT_OF_A_RECORD) // EFFORT_OF_A_RECORD
    if isinstance(measure, QueryError):
        return EFFORT * measure.queries // _QUERIES
    if isinstance(measure, DistanceLinkage | RankLinkage | ProbabilisticLinkage):
        return EFFORT * measure.most // type(measure).most
    if not hasattr(measure, "effort") or getattr(measure, "matching", "fit") != "fit":
        return 0
    return EFFORT if measure.effort is None else int(measure.effort)
