"""The Spark engine: a table spread over a cluster, part by part."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any


@dataclass(frozen=True, eq=False)
class Spark:
    """Hold tables on the workers of a Spark cluster.

    Parameters
    ----------
    given
        A Spark session. If left out, the one that runs is used, else one is started.
    master
        Where to start it: ``local[4]``, ``local-cluster[2,1,2048]``, ``spark://HOST:7077``; all cores of this machine
        if left out.
    settings
        Settings for a session that is started, by their names in Spark.
    """

    given: Any = None
    master: str | None = None
    settings: Mapping[str, str] = field(default_factory=dict)
    name: str = field(default="spark", init=False)

    @cached_property
    def session(self) -> Any:
        """The session, started when it is first needed."""
        from shoal.engines.spark.sessions import start, usable

        return start(self.master, self.settings) if self.given is None else usable(self.given)
