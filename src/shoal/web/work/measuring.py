"""How risky a table is as it stands: who stands alone, which columns drive that, and what an attacker must know."""

from __future__ import annotations

import itertools
import random
import time
from collections.abc import Iterator, Sequence
from typing import Any

from shoal.measures import score
from shoal.measures.class_sizes import ClassSizes
from shoal.measures.random_reidentification import RandomReidentification
from shoal.measures.uniqueness import Uniqueness
from shoal.table import Table
from shoal.web.work import Found, Request, Tell, options_of, stages

_SETS = 120  # of known attributes; more are drawn by lot
_SETS_OF_MANY_ROWS = 40
_MANY_ROWS = 500_000
_SIZES = 20  # of such sets, if there are more attributes than that
_SECONDS = 30.0  # after which no further set is looked at


def measure(request: Request, tell: Tell) -> Found:
    """Measure the risk of a table for whoever knows all quasi-identifiers, all but one, or only some."""
    found: Found = {}
    for table, part in stages(request, options_of(request), tell):
        known = found.get("sets", []) if part is None else []
        found = _whole(table) | {"sampled": table.rows if part else None, "sets": known, "sets_sampled": bool(known)}
        found["in_file"] = part.rows_in_file if part else table.rows
        tell.found(found)
        found |= {"without": list(_without(table, tell))}
        tell.found(found)
        found |= {"sets": list(_sets(table, tell)), "sets_sampled": part is not None}
        tell.found(found)
    return found


def _whole(table: Table) -> Found:
    alone, guess, sizes = score(table, measures=[Uniqueness(), RandomReidentification(), ClassSizes()])
    return {
        "quasi": list(table.schema.quasi),
        "records": alone.detail["records"],
        "unique": alone.detail["unique"],
        "uniqueness": float(alone.value),
        "groups": alone.detail["classes"],
        "smallest": alone.detail["smallest_class"],
        "guess": float(guess.value),
        "sizes": sizes.detail["classes_by_size"],
        "without": [],
    }


def _without(table: Table, tell: Tell) -> Iterator[dict[str, Any]]:
    """Tell how many would stand alone if one column were not known."""
    quasi = table.schema.quasi
    if len(quasi) < 2:
        return
    for number, name in enumerate(quasi):
        tell.step("Which columns drive the risk", number, len(quasi))
        others = tuple(other for other in quasi if other != name)
        yield {"column": name, "uniqueness": float(score(table, measures=[Uniqueness(others)])[0].value)}


def _sets(table: Table, tell: Tell) -> Iterator[dict[str, Any]]:
    quasi = table.schema.quasi
    chosen = _chosen(quasi, _SETS_OF_MANY_ROWS if table.rows > _MANY_ROWS else _SETS)
    end = time.monotonic() + _SECONDS
    for number, names in enumerate(chosen):
        tell.step("What an attacker must know", number, len(chosen))
        yield {"known": list(names), "uniqueness": float(score(table, measures=[Uniqueness(names)])[0].value)}
        if time.monotonic() > end:
            return


def _chosen(quasi: Sequence[str], most: int) -> list[tuple[str, ...]]:
    """Choose sets of attributes: all of them if they are few, else of each size as many, drawn by lot.

    Sets of all sizes take turns, so that there are some of each however early one has to stop.
    """
    count = len(quasi)
    if 2**count - 1 <= most:
        sizes = [list(itertools.combinations(quasi, size)) for size in range(1, count + 1)]
    else:
        lot = random.Random(count)  # noqa: S311 - nothing secret hangs on which sets are drawn
        steps = min(count, _SIZES)
        wanted = sorted({round(1 + step * (count - 1) / (steps - 1)) for step in range(steps)})
        sizes = [_drawn(quasi, size, max(1, most // len(wanted)), lot) for size in wanted]
    turns = itertools.zip_longest(*reversed(sizes))
    return [names for turn in turns for names in turn if names is not None]


def _drawn(quasi: Sequence[str], size: int, most: int, lot: random.Random) -> list[tuple[str, ...]]:
    drawn = {tuple(sorted(lot.sample(range(len(quasi)), size))) for _ in range(4 * most)}
    return [tuple(quasi[place] for place in places) for places in sorted(drawn)[:most]]
