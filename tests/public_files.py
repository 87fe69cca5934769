"""Public tables: small ones come with the tests, packed; others lie in a folder beside the checkout."""

import gzip
import os
from pathlib import Path

import pytest

DATA = Path(__file__).parent / "data"
CODED = "adult/adult_int.csv"


def find(place: str, scratch: Path) -> Path:
    """Give a file that comes with the tests, unpacked, or one that lies beside the checkout; else skip the test."""
    if (DATA / place).is_file():
        return DATA / place
    packed = DATA / f"{place}.gz"
    if packed.is_file() or place == CODED:
        content = coded(find("adult/adult.csv", scratch)) if place == CODED else gzip.decompress(packed.read_bytes())
        target = scratch / place
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_bytes(content)
        return target
    named = os.environ.get("SHOAL_SHARED_DATA")
    folder = Path(named) if named else Path(__file__).resolve().parents[2] / "shared" / "data"
    if not (folder / place).is_file():
        pytest.skip(f"{place} is not here: put it in ../shared/data, or name its folder in SHOAL_SHARED_DATA")
    return folder / place


def coded(path: Path) -> bytes:
    """Give Adult as whole numbers: each value but age by the order in which values first appear in its column."""
    head, *rows = (line.split(";") for line in path.read_text(encoding="utf-8").splitlines())
    columns = dict(zip(head, zip(*rows, strict=True), strict=True))
    for name in columns.keys() - {"age"}:
        code = {value: str(number) for number, value in enumerate(dict.fromkeys(columns[name]))}
        columns[name] = tuple(map(code.__getitem__, columns[name]))
    return "".join(f"{';'.join(line)}\n" for line in (head, *zip(*columns.values(), strict=True))).encode()
