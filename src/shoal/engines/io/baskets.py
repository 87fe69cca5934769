"""Baskets: text in which a line is a person, and what stands in it are the items that the person has."""

from __future__ import annotations

import csv
from dataclasses import replace
from itertools import chain
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa

from shoal.engines.io.compressed import is_compressed, opened
from shoal.engines.io.digests import of_file
from shoal.engines.io.text_head import ENCODINGS
from shoal.errors import DataError
from shoal.schema import ReadOptions
from shoal.table import Origin, printable

_SIGNS = ",;|\t"


def from_baskets(path: Path, options: ReadOptions) -> tuple[pa.Table, Origin]:
    """Read a file of baskets as rows of a person, numbered by line, and an item; an empty line has a row without one.

    Items are separated by what was said, or by the sign that occurs most in the file, or by blanks if there is none.
    """
    try:
        with opened(path) as file:
            raw = file.read()
    except OSError as error:
        raise DataError(f"'{path}' cannot be read: {error.strerror}.", "Check its name and folder.") from None
    text, encoding = _decoded(raw, path, options)
    baskets = text.splitlines()
    if not any(map(str.strip, baskets)):
        raise DataError(f"'{printable(path.name)}' has no items.", "Give a basket in each line.")
    sign = options.delimiter or max(_SIGNS, key=text.count)
    if sign in text:
        try:
            rows = [
                [cell.strip() for cell in row] for row in csv.reader(_each_line(baskets), delimiter=sign, strict=True)
            ]
        except csv.Error:
            raise DataError(
                f"'{printable(path.name)}' has an item whose quotes do not end.", "Mend the line, or its separators."
            ) from None
    else:
        rows = [basket.split() for basket in baskets]
    found: list[list[str | None]] = [[item for item in row if item] or [None] for row in rows]
    numbers = np.repeat(np.arange(1, len(found) + 1), [len(row) for row in found])
    columns = {options.roles.subject: pa.array(numbers), options.roles.quasi[0]: pa.array(chain.from_iterable(found))}
    written = of_file(path)
    layout = ("a basket per line", *((f"encoding {encoding}",) if encoding != "utf-8" else ()))
    origin = Origin(printable(path.name), written.sha256, "text", layout, place=str(path))
    return pa.table(columns), replace(origin, written=written, content=None if is_compressed(path) else written)


def _each_line(baskets: list[str]) -> Any:
    """Give lines one by one; an empty one is a basket too."""
    return (basket if basket.strip() else '""' for basket in baskets)


def _decoded(raw: bytes, path: Path, options: ReadOptions) -> tuple[str, str]:
    for encoding in ENCODINGS if options.encoding is None else (options.encoding,):
        try:
            return raw.decode("utf-8-sig" if encoding == "utf-8" else encoding), encoding
        except UnicodeDecodeError:
            continue
    raise DataError(f"'{printable(path.name)}' is no text in a known encoding.", "Say which it is: --encoding.")
