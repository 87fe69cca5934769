"""A release written by the workers: each part a Parquet file of its own, numbered in the order of the records."""

from __future__ import annotations

import hashlib
import uuid
from pathlib import Path

from shoal.engines.io.arrow import to_arrow
from shoal.engines.io.digests import of_file
from shoal.engines.io.parquet_writer import groups_of, write_groups
from shoal.engines.io.released_categories import with_lists
from shoal.engines.parts.data import PartsTable
from shoal.engines.parts.pool import Part, Pool
from shoal.engines.parts.whole_table import WholeTable
from shoal.errors import DataError
from shoal.schema import Schema
from shoal.table import Written


def write_folder(pool: Pool, data: PartsTable, schema: Schema, folder: Path, whole: WholeTable) -> Written:
    """Write a folder of Parquet files, and give its digest as the local engine would."""
    folder, read = folder.absolute(), data.reader()
    folder.mkdir()

    def work(number: int, *parts: Part) -> tuple[str, str, int]:
        path = folder / f"part-{number:05d}.parquet"
        if not folder.is_dir():
            raise DataError(
                f"A worker of the cluster does not see the folder '{folder}'.",
                "Name a place that all workers share, or a single file, which the driver writes.",
            )
        # A task may run twice at the same time: each writes a file of its own, and the last one stays.
        draft = folder / f".{path.name}.{uuid.uuid4().hex}"
        try:
            table = to_arrow(read(*parts), schema, "struct", whole.exact)
            write_groups(
                groups_of([table], whole.lists) if table.num_rows else iter([with_lists(table, whole.lists)]), draft
            )
            written = of_file(draft)
            draft.replace(path)
        except OSError as error:
            raise DataError(f"'{path}' cannot be written: {error.strerror}.", "Check the space left.") from None
        finally:
            draft.unlink(missing_ok=True)
        return path.name, written.sha256, written.size

    found = pool.collect(work, data.cells, data.codes)
    missing = [name for name, _, _ in found if not (folder / name).is_file()]
    if missing:
        raise DataError(
            f"The files that workers wrote to '{folder}' are not seen here.", "Name a place that all machines share."
        )
    lines = "".join(f"{sha256}  {name}\n" for name, sha256, _ in found)
    return Written(hashlib.sha256(lines.encode()).hexdigest(), sum(size for _, _, size in found))
