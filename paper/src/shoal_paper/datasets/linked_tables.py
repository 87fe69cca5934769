"""Public tables in which people have many records, read from a folder that has them."""

from __future__ import annotations

from itertools import chain
from pathlib import Path

import pyarrow as pa
import pyarrow.compute as pc
from pyarrow import csv

from shoal.domains.hierarchy import Hierarchy
from shoal.engines import read
from shoal.errors import DataError
from shoal.table import Table

HOUSEHOLDS = "completejourney_transactions.csv.gz"
SESSIONS = "BMS1.dat"
_FAN_OUT = 5


def households(folder: Path) -> Table:
    """Read purchases of households (84.51°, Complete Journey): a point is the store and the day of a basket."""
    path = _there(folder, HOUSEHOLDS)
    wanted = ("household_id", "basket_id", "store_id", "transaction_timestamp")
    with pa.input_stream(str(path), compression="gzip") as stream:
        types = csv.ConvertOptions(column_types=dict.fromkeys(wanted, pa.string()), include_columns=list(wanted))
        rows = csv.read_csv(stream, convert_options=types)
    # No basket is of two stores. Its day is that of its earliest time.
    baskets = rows.group_by(list(wanted[:2])).aggregate([(name, "min") for name in wanted[2:]])
    found = pa.table(
        {
            "household": pc.cast(baskets["household_id"], pa.int64()),
            "store": pc.cast(baskets["store_id_min"], pa.int64()),
            "day": pc.cast(pc.utf8_slice_codeunits(baskets["transaction_timestamp_min"], 0, 10), pa.date32()),
        }
    ).sort_by([("household", "ascending"), ("day", "ascending"), ("store", "ascending")])
    return read(found, subject="household", quasi=["store", "day"], linked=True)


def sessions(folder: Path) -> Table:
    """Read the sessions of a web shop (BMS-WebView-1, KDD Cup 2000): a point is an item, in a tree of fan-out 5."""
    path = _there(folder, SESSIONS)
    lines = path.read_text(encoding="ascii").splitlines()
    items = sorted(set(chain.from_iterable(map(str.split, lines))), key=int)
    height = 1
    while _FAN_OUT**height < len(items):
        height += 1
    rows = [[item, *(_node(items, rank, level) for level in range(1, height))] for rank, item in enumerate(items)]
    tree = Hierarchy.of(rows, "item")
    return read(path, baskets=True, hierarchies={"item": tree})


def _node(items: list[str], rank: int, level: int) -> str:
    """Name the node above an item by its first and last item."""
    size = _FAN_OUT**level
    first = rank // size * size
    return f"{items[first]}-{items[min(first + size, len(items)) - 1]}"


def _there(folder: Path, name: str) -> Path:
    path = folder / name
    if not path.is_file():
        raise DataError(
            f"'{name}' is not in the folder '{folder.name}'.", "Put it there, or name another: --traces FOLDER."
        )
    return path
