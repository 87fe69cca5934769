"""How risky a table is as it stands: who stands alone, which columns drive that, and what an attacker must know."""

from __future__ import annotations

import itertools
import random
import time
from collections.abc import Iterator, Sequence
from typing import Any

from shoal.assessment.disclosure_risk import of_people
from shoal.measures import Measure, Score, score
from shoal.measures.class_sizes import ClassSizes
from shoal.measures.homogeneity import Homogeneity
from shoal.measures.random_reidentification import RandomReidentification
from shoal.measures.uniqueness import Uniqueness
from shoal.table import Table
from shoal.web.tasks.messages import RiskOfKnowledge, RiskRequest, RiskSummary, RiskWithout
from shoal.web.tasks.reading import evenly, options_of, stages
from shoal.web.tasks.registry import Reporter

_ALL_SETS = 1023  # of known attributes, as ten have: so many are all looked at
_SETS = 120  # that are drawn by lot if there are more
_SETS_OF_MANY_ROWS = 40
_MANY_ROWS = 500_000
_SIZES = 20  # of such sets, if there are more attributes than that
_SECONDS = 30.0  # after which no further set is looked at


def measure(request: RiskRequest, report: Reporter) -> RiskSummary:
    """Measure the risk of a table for those who know all quasi-identifiers, all but one, or only some."""
    sets: tuple[RiskOfKnowledge, ...] = ()  # of a sample, until those of the whole table are there
    for table, part in stages(request, options_of(request), report):
        found = _whole(table).model_copy(
            update={
                "sampled": table.rows if part else None,
                "in_file": part.rows_in_file if part else table.rows,
                "sets": sets,
                "sets_sampled": bool(sets),
            }
        )
        report.partial(found)
        found = found.model_copy(update={"without": tuple(_without(table, report))})
        report.partial(found)
        sets = tuple(_sets(table, report))
        found = found.model_copy(update={"sets": sets, "sets_sampled": part is not None})
        report.partial(found)
    return found.model_copy(update={"complete": True})


def _whole(table: Table) -> RiskSummary:
    measures: list[Measure] = [Uniqueness(), RandomReidentification(), ClassSizes(), Homogeneity()]
    alone, guess, sizes, secrets = score(table, measures=measures)
    return RiskSummary(
        quasi=tuple(table.schema.quasi),
        records=alone.detail["records"],
        unique=alone.detail["unique"],
        uniqueness=float(alone.value),
        groups=alone.detail["classes"],
        smallest=alone.detail["smallest_class"],
        sizes=sizes.detail["classes_by_size"],
        secrets=shared_secrets(secrets),
        **({"guess": float(guess.value)} | people_risk(table)),
        in_file=table.rows,
    )


def people_risk(table: Table) -> dict[str, Any]:
    """Count people and not records, where a column tells them apart: many records of one person are a crowd of one."""
    if table.schema.subject is None:
        return {}
    found = of_people(table)
    return {
        "of_one_person": found["of_one_person"],
        "fewest_people": found["fewest_people"],
        "guess": float(found["person_reidentification"]),
    }


def shared_secrets(found: Score) -> dict[str, float]:
    """Give the share of people who share a confidential value with everybody in their class, by column."""
    return {name: float(each["share"]) for name, each in found.detail.get("per_column", {}).items()}


def _without(table: Table, report: Reporter) -> Iterator[RiskWithout]:
    """Tell how many would stand alone if one column were not known."""
    quasi = table.schema.quasi
    if len(quasi) < 2:
        return
    for name in evenly(report, "Which columns drive the risk", quasi):
        others = tuple(other for other in quasi if other != name)
        yield RiskWithout(column=name, uniqueness=float(score(table, measures=[Uniqueness(others)])[0].value))


def _sets(table: Table, report: Reporter) -> Iterator[RiskOfKnowledge]:
    quasi = table.schema.quasi
    many = table.rows > _MANY_ROWS
    chosen = _chosen(quasi, *((_SETS_OF_MANY_ROWS,) * 2 if many else (_ALL_SETS, _SETS)))
    end = time.monotonic() + _SECONDS
    for names in evenly(report, "Trying choices of columns", chosen):
        yield RiskOfKnowledge(known=names, uniqueness=float(score(table, measures=[Uniqueness(names)])[0].value))
        if time.monotonic() > end:
            return


def _chosen(quasi: Sequence[str], every: int, most: int) -> list[tuple[str, ...]]:
    """Choose sets of attributes: all of them if they are no more than `every`, else `most`, of each size as many.

    Sets of all sizes take turns, and those of one size come by lot, so that what was looked at is a fair part of all
    however early one has to stop.
    """
    count = len(quasi)
    lot = random.Random(count)  # noqa: S311 - nothing secret hangs on which sets are drawn
    if 2**count - 1 <= every:
        sizes = [list(itertools.combinations(quasi, size)) for size in range(1, count + 1)]
        for each in sizes:
            lot.shuffle(each)
    else:
        steps = min(count, _SIZES)
        wanted = sorted({round(1 + step * (count - 1) / (steps - 1)) for step in range(steps)})
        sizes = [_drawn(quasi, size, max(1, most // len(wanted)), lot) for size in wanted]
    turns = itertools.zip_longest(*reversed(sizes))
    return [names for turn in turns for names in turn if names is not None]


def _drawn(quasi: Sequence[str], size: int, most: int, lot: random.Random) -> list[tuple[str, ...]]:
    drawn = {tuple(sorted(lot.sample(range(len(quasi)), size))) for _ in range(4 * most)}
    return [tuple(quasi[place] for place in places) for places in sorted(drawn)[:most]]
