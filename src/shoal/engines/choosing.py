"""Which engine on this machine holds a table: memory if it fits, files if not."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from shoal.engines import Engine, default_engine
from shoal.engines.memory import MOST_RECORDS, limit_of, need_of, need_to_write
from shoal.engines.scratch import clear_what_is_left
from shoal.schema import ReadOptions


def on_this_machine(
    sources: Sequence[Any], options: ReadOptions, memory: str | int | None, target: Any = None
) -> Engine:
    """Give the engine that can hold all of some tables at once within a limit of memory, and write a release of one."""
    clear_what_is_left()
    limit = limit_of(memory)
    needs = [need_of(source, options) for source in sources]
    writing = 0 if target is None else need_to_write(target, limit)
    known = [need for need in needs if need is not None]
    few = all(need.records <= MOST_RECORDS for need in known)
    if few and sum(need.memory for need in known) + writing <= limit:
        return default_engine()
    from shoal.engines.disk.engine import Disk

    return Disk(limit=limit)
