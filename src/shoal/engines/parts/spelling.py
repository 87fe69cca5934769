"""Releases as text: the cells of a class are spelled once, where they were published, and the text goes to records."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from shoal.engines.local.data import LocalData
from shoal.engines.local.text_writer import Spelled, SpelledGroups
from shoal.engines.parts.arranging import Arrays, Pieces
from shoal.engines.parts.data import PartedData
from shoal.engines.parts.keys import cells_there
from shoal.engines.parts.pool import Part, Pool
from shoal.engines.parts.publishing import Published, in_order
from shoal.kernels.grouping import starts_of
from shoal.kernels.radix import places_in
from shoal.kernels.rendering import Texts
from shoal.schema import Schema


def spelled(pool: Pool, data: PartedData, schema: Schema, delimiter: str) -> Iterator[Spelled] | None:
    """Give the parts of a release as text; None if its cells lie with their records already."""
    published = data.held
    if not isinstance(published, Published) or published.is_home:
        return None
    shape, bounds = data.shape.bare, data.bounds

    def send(number: int, part: Part) -> Pieces:
        index, row = in_order(part)
        texts = SpelledGroups(cells_there(shape, part), schema, delimiter)
        cuts = np.searchsorted(row, bounds.astype(row.dtype)).tolist()

        def make(target: int) -> Arrays:
            here = slice(cuts[target], cuts[target + 1])
            text, lengths = texts.of(index[here])
            return {"text": text, "length": lengths, "seat": (row[here] - bounds[target]).astype(np.int32)}

        return Pieces(len(cuts) - 1, make)

    texts = pool.exchange(send, len(data.sizes), published.classes)
    return _parts(pool, data, pool.stream(texts))


def _parts(pool: Pool, data: PartedData, texts: Iterator[Part]) -> Iterator[Spelled]:
    shape, words, none = data.shape, data.whole_words(), np.empty((0, len(data.shape.quasi)), np.int32)
    for part, beside in zip(texts, pool.stream(data.codes), strict=True):
        lengths, places = part["length"], places_in(part["seat"])
        codes = beside["codes"] if shape.carried else np.empty((places.size, 0), np.int32)
        records = LocalData(shape.quasi, none, none, places, shape.ranged, shape.carried, codes, words)
        yield Spelled(records, Texts(part["text"], starts_of(lengths.reshape(-1)), lengths.shape[1]))
