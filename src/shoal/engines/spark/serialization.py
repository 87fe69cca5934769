"""A part as bytes that Spark can keep and send: the arrays as they lie in memory, behind a list of what they are.

Java counts the bytes of one object with 31 bits. A part is therefore a fixed number of stretches of bytes, all but
the first of which are empty unless it is very large.
"""

from __future__ import annotations

import pickle
import struct
from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np

from shoal.engines.parts.pool import Part

STRETCHES = 8
LONGEST = 1 << 30  # bytes
_ALIGN = 64

Bytes = bytes | bytearray | memoryview


def pack(part: Part) -> bytearray:
    """Give a part as one row of bytes."""
    buffers: list[pickle.PickleBuffer] = []
    plain = {name: np.ascontiguousarray(column) for name, column in part.items()}
    head = pickle.dumps(plain, protocol=5, buffer_callback=buffers.append)
    raw = [buffer.raw() for buffer in buffers]
    sizes = [len(head), *(len(one) for one in raw)]
    whole = bytearray(struct.pack(f"<q{len(sizes)}q", len(sizes), *sizes))
    for piece in (memoryview(head), *raw):
        whole += bytes(-len(whole) % _ALIGN)  # kernels want numbers where the machine reads them fastest
        whole += piece
    return whole


def unpack(whole: Bytes) -> dict[str, Any]:
    """Give back the part; its arrays are views of the bytes and cannot be written to."""
    view = memoryview(whole).toreadonly()
    (count,) = struct.unpack_from("<q", view)
    sizes = struct.unpack_from(f"<{count}q", view, 8)
    at, pieces = 8 * (count + 1), []
    for size in sizes:
        at += -at % _ALIGN
        pieces.append(view[at : at + size])
        at += size
    part: dict[str, Any] = pickle.loads(pieces[0], buffers=pieces[1:])  # noqa: S301 - made by `pack`
    return part


def stretched(whole: Bytes, longest: int = LONGEST) -> Iterator[memoryview]:
    """Cut bytes into the fixed number of stretches."""
    view = memoryview(whole)
    longest = max(longest, -(-len(view) // STRETCHES))
    for number in range(STRETCHES):
        yield view[number * longest : (number + 1) * longest]


def joined(stretches: Sequence[Bytes]) -> Bytes:
    """Put stretches together again."""
    filled = [one for one in stretches if len(one)]
    return filled[0] if len(filled) == 1 else b"".join(filled)


def concatenated(parts: Sequence[Part]) -> dict[str, Any]:
    """Put parts with the same columns one behind the other."""
    if len(parts) == 1:
        return dict(parts[0])
    return {name: np.concatenate([part[name] for part in parts]) for name in parts[0]}
