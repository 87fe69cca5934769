"""Where a table goes that is made or read to be tried: to a file that appears when it is complete, or to stdout."""

from __future__ import annotations

import contextlib
import os
from collections.abc import Iterable, Iterator
from pathlib import Path

from shoal.atomic_files import OutputFile, all_or_none, refuse_overwriting
from shoal.engines.io.file_extensions import refuse_other_formats
from shoal.engines.io.streams import to_stdout
from shoal.engines.sources import Source
from shoal.errors import ParameterError


def target_at(path: str | os.PathLike[str] | Source, needed: Iterable[Path] = (), *, overwrite: bool = False) -> Source:
    """Give the place that a name stands for; refuse one that cannot be written to, or must not be."""
    target = Source.parse(path)
    if target.is_table or target.kind == "folder":
        raise ParameterError("This table is written as one file.", "Name a file that ends in .csv or .parquet.")
    refuse_other_formats(target)
    if target.kind == "file":
        refuse_overwriting([target.path], needed, overwrite=overwrite)
    return target


@contextlib.contextmanager
def draft_of(target: Source, *, overwrite: bool = False) -> Iterator[Path]:
    """Give a file to write, which goes to its place when it is complete."""
    if target.kind == "stream":
        with to_stdout() as draft:
            yield draft
        return
    with all_or_none([OutputFile(target.path, vacant=not overwrite)]) as (draft,):
        yield draft
