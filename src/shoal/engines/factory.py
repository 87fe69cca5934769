"""Which engine holds a table: the one that is named; on this machine memory if it fits, files if not."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from shoal.engines.memory import MOST_RECORDS, estimate, estimate_writing, limit_of
from shoal.engines.protocol import AnyEngine
from shoal.engines.sources import Source
from shoal.engines.workspace import sweep_leftovers
from shoal.errors import ParameterError
from shoal.schema import ReadOptions


def default_engine() -> AnyEngine:
    """Give the engine that is used when none is named."""
    from shoal.engines.local import Local

    return Local()


def engine_for(
    sources: Sequence[Any],
    options: ReadOptions,
    *,
    engine: AnyEngine | str | None = None,
    memory: str | int | None = None,
    target: Any = None,
) -> AnyEngine:
    """Give the engine for some tables that are read in the same way: the one named, or one on this machine.

    Parameters
    ----------
    sources
        What will be read.
    options
        How.
    engine
        An engine, ``local`` or ``spark``; the one on this machine if left out.
    memory
        How much memory may be used on this machine, such as ``2GB``; a share of what is free if left out. Tables that
        would need more are kept on disk and worked on part by part.
    target
        Where a release will be written, if that is known: Parquet and databases need memory for that too.
    """
    if engine is not None and not isinstance(engine, str):
        if isinstance(engine, type) or not hasattr(engine, "read"):
            raise ParameterError(
                f"A {type(engine).__name__} is no engine.", "Name one, local or spark, or leave it out."
            )
        return engine
    name = engine or "local"
    if name not in ENGINES:
        raise ParameterError(f"There is no engine '{name}'.", f"There are: {', '.join(ENGINES)}.")
    return ENGINES[name](sources, options, memory, target)


def on_this_machine(
    sources: Sequence[Any], options: ReadOptions, memory: str | int | None, target: Any = None
) -> AnyEngine:
    """Give the engine that can hold all of some tables at once within a limit of memory, and write a release of one."""
    sweep_leftovers()
    limit = limit_of(memory)
    needs = [estimate(source, options) for source in sources]
    writing = 0 if target is None else estimate_writing(target, limit)
    known = [need for need in needs if need is not None]
    few = all(need.records <= MOST_RECORDS for need in known)
    if few and sum(need.memory for need in known) + writing <= limit:
        return default_engine()
    from shoal.engines.disk.engine import Disk

    found = {source: need for source, need in zip(sources, needs, strict=True) if isinstance(source, Source) and need}
    return Disk(limit=limit, estimated=found)


def on_a_cluster(
    sources: Sequence[Any], options: ReadOptions, memory: str | int | None, target: Any = None
) -> AnyEngine:
    """Give the engine of the Spark session that runs, or of a new one."""
    from shoal.engines.spark import from_environment

    return from_environment(memory)


# Engines that can be named, and what makes each: from sources, how to read them, a limit of memory and a target.
ENGINES = {"local": on_this_machine, "spark": on_a_cluster}
