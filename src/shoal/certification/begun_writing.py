"""What a run that was killed had begun to write: finished before a release is checked."""

from __future__ import annotations

from pathlib import Path

from shoal.atomic_files import recover
from shoal.atomic_files.moving import Awaited
from shoal.certification.certificate import Certificate
from shoal.engines.protocol import AnyEngine
from shoal.engines.sources import Source
from shoal.errors import DataError


def finish_writing(source: Source, certificate: str | Path | Certificate, engine: AnyEngine) -> None:
    """Finish what a run that was killed had begun to put in place of a release, so that its parts belong together."""

    def committed(awaited: Awaited) -> bool | None:
        if awaited.table != source.identity():
            return None
        try:
            return engine.digest(source).sha256 == awaited.sha256
        except DataError:  # no such table, or no answer
            return None

    paths = [] if isinstance(certificate, Certificate) else [Path(certificate)]
    paths += [] if source.kind == "postgresql" else [source.path]
    for folder in dict.fromkeys(path.parent for path in paths):
        recover(folder, committed)
