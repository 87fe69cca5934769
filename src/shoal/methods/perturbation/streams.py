"""Random streams of a step of masking, found again by nothing but its seed: one for each column and purpose.

A number depends on the seed, the column and the record alone, so every engine, and every division into parts, has the
same ones.
"""

from __future__ import annotations

import hashlib
import secrets
from dataclasses import dataclass

import numpy as np

from shoal.arrays import Bits

_BITS = 128


def fresh_seed() -> int:
    """Draw a seed that nobody can guess. It is forgotten when the run ends: who knows it undoes the noise."""
    return secrets.randbits(_BITS)


def seed_of_step(seed: int, number: int) -> int:
    """Give the seed of one of several steps: two that draw for the same column must not draw the same numbers."""
    return int.from_bytes(_digest(seed, "step", number), "little")


@dataclass(frozen=True)
class Streams:
    """The random streams of a step, each under the key of its name: of a column, or of what it is drawn for."""

    seed: int

    def key(self, *name: str | int) -> Bits:
        """Give the key of a stream."""
        return np.frombuffer(_digest(self.seed, *name), np.uint64).copy()


def _digest(seed: int, *name: str | int) -> bytes:
    parts = [seed.to_bytes((seed.bit_length() + 7) // 8 or 1, "little"), *(str(part).encode() for part in name)]
    framed = b"".join(len(part).to_bytes(8, "little") + part for part in parts)
    return hashlib.blake2b(framed, digest_size=_BITS // 8, person=b"shoal streams").digest()
