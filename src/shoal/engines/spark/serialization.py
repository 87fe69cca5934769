"""Serialization of parts: the bytes of their arrays behind a header, which Spark can store and send.

A Java array has at most 2³¹ bytes. A part is therefore a fixed number of chunks, all but the first of which are empty
unless it is very large.
"""

from __future__ import annotations

import pickle
import struct
from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np

from shoal.engines.parts.pool import Part

CHUNKS = 8
LARGEST_CHUNK = 1 << 30  # bytes
_ALIGN = 64

Buffer = bytes | bytearray | memoryview


def serialize(part: Part) -> bytearray:
    """Give a part as bytes."""
    buffers: list[pickle.PickleBuffer] = []
    plain = {name: np.ascontiguousarray(column) for name, column in part.items()}
    header = pickle.dumps(plain, protocol=5, buffer_callback=buffers.append)
    raw = [buffer.raw() for buffer in buffers]
    sizes = [len(header), *(len(one) for one in raw)]
    whole = bytearray(struct.pack(f"<q{len(sizes)}q", len(sizes), *sizes))
    for piece in (memoryview(header), *raw):
        whole += bytes(-len(whole) % _ALIGN)  # kernels want aligned arrays
        whole += piece
    return whole


def deserialize(whole: Buffer) -> dict[str, Any]:
    """Give back the part; its arrays are read-only views of the bytes."""
    view = memoryview(whole).toreadonly()
    (count,) = struct.unpack_from("<q", view)
    sizes = struct.unpack_from(f"<{count}q", view, 8)
    at, pieces = 8 * (count + 1), []
    for size in sizes:
        at += -at % _ALIGN
        pieces.append(view[at : at + size])
        at += size
    part: dict[str, Any] = pickle.loads(pieces[0], buffers=pieces[1:])  # noqa: S301 - made by `serialize`
    return part


def chunked(whole: Buffer, largest: int = LARGEST_CHUNK) -> Iterator[memoryview]:
    """Split bytes into the fixed number of chunks."""
    view = memoryview(whole)
    size = max(largest, -(-len(view) // CHUNKS))
    for number in range(CHUNKS):
        yield view[number * size : (number + 1) * size]


def join_chunks(chunks: Sequence[Buffer]) -> Buffer:
    """Join chunks again."""
    filled = [one for one in chunks if len(one)]
    return filled[0] if len(filled) == 1 else b"".join(filled)


def concatenated(parts: Sequence[Part]) -> dict[str, Any]:
    """Concatenate parts with the same columns."""
    if len(parts) == 1:
        return dict(parts[0])
    return {name: np.concatenate([part[name] for part in parts]) for name in parts[0]}
