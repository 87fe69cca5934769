"""Keyed pseudonyms: 80 bits of HMAC-SHA-256, in base32.

Who has the key can compute the pseudonym of anybody, and nobody else can: of a hash without a key, anybody tries all
numbers of patients there are in seconds. The domain names the kind of identifier, so that a person has one name in all
tables of a domain, and names of two domains cannot be linked.

H. Krawczyk, M. Bellare, R. Canetti: HMAC: keyed-hashing for message authentication, RFC 2104, 1997; S. Josefsson: The
base16, base32, and base64 data encodings, RFC 4648, 2006.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterable
from itertools import islice
from typing import Any
from unicodedata import is_normalized, normalize

import numpy as np
from numpy.typing import NDArray

from shoal.arrays import Positions
from shoal.errors import DataError
from shoal.kernels.radix import order_by_lengths
from shoal.secret_keys import SecretKey

BITS = 80
_BYTES = BITS // 8
_LETTERS = np.frombuffer(b"abcdefghijklmnopqrstuvwxyz234567", np.uint8)
_WIDTH = 16  # letters of five bits
_BLOCK = 64
_AT_ONCE = 1 << 16


def pseudonyms(values: Iterable[str], domain: str, key: SecretKey) -> NDArray[np.bytes_]:
    """Give the pseudonym of each value, 16 letters and digits; those of different values are different.

    >>> key = SecretKey(b"shoal specification key 0001")
    >>> pseudonyms(["380929", "Zoë"], "patient", key).tolist()
    [b'3cvvjlinbbyftled', b'rfsm4mrzb74tik7d']
    >>> pseudonyms(["380929"], "hospital", key).tolist()
    [b'gwl2b5dvidanvrdb']
    """
    digest = keyed(key, domain.encode() + b"\x00")
    pieces, rest = [], iter(values)
    while some := list(islice(rest, _AT_ONCE)):
        digests = b"".join([digest(value)[:_BYTES] for value in texts_hashed(some)])
        pieces.append(base32(np.frombuffer(digests, np.uint8).reshape(-1, _BYTES)))
    return np.concatenate(pieces) if pieces else np.empty(0, f"S{_WIDTH}")


def texts_hashed(values: Iterable[str]) -> Iterable[bytes]:
    """Give the bytes of values that are hashed: UTF-8 of their composed form (NFC): Zoë is Zoë however typed."""
    return (
        (value if value.isascii() or is_normalized("NFC", value) else normalize("NFC", value)).encode("utf-8")
        for value in values
    )


def keyed(key: SecretKey, prefix: bytes) -> Callable[[bytes], bytes]:
    """Give HMAC-SHA-256 of a prefix and what follows it.

    What the key and the prefix do to the state of the hash is computed once and copied for each value: a fourth of the
    time that a new HMAC takes.
    """
    secret = hashlib.sha256(key.secret).digest() if len(key.secret) > _BLOCK else key.secret
    padded = np.frombuffer(secret.ljust(_BLOCK, b"\x00"), np.uint8)
    inner, outer = (hashlib.sha256((padded ^ np.uint8(pad)).tobytes()) for pad in (0x36, 0x5C))
    inner.update(prefix)
    begin, end = inner.copy, outer.copy

    def digest(value: bytes) -> bytes:
        inside: Any = begin()
        inside.update(value)
        outside: Any = end()
        outside.update(inside.digest())
        found: bytes = outside.digest()
        return found

    return digest


def base32(rows: NDArray[np.uint8]) -> NDArray[np.bytes_]:
    """Write rows of ten bytes as sixteen letters and digits.

    >>> base32(np.frombuffer(b"shoal-fish", np.uint8).reshape(1, 10)).tolist()
    [b'onug6ylmfvtgs43i']
    """
    fives = rows.reshape(-1, 5).astype(np.uint64)
    whole = np.zeros(fives.shape[0], np.uint64)
    for place in range(5):
        whole = (whole << np.uint64(8)) | fives[:, place]
    signs = np.empty((whole.size, 8), np.uint8)
    for place in range(8):
        signs[:, place] = _LETTERS[(whole >> np.uint64(35 - 5 * place)) & np.uint64(31)]
    return signs.reshape(-1).view(f"S{_WIDTH}")


def numbered_names(names: NDArray[np.bytes_]) -> tuple[NDArray[np.bytes_], NDArray[np.int32]]:
    """Give the different pseudonyms in ascending order, and the place of each among them."""
    order = order_of_signs(names)
    listed = names[order]
    new = np.append(np.ones(min(1, listed.size), bool), listed[1:] != listed[:-1])
    places = np.empty(names.size, np.int32)
    places[order] = np.cumsum(new) - 1
    return listed[new], places


def order_of_signs(texts: NDArray[np.bytes_]) -> Positions:
    """Give the ascending order of texts of ASCII whose width is a multiple of eight, as that of numbers of 64 bits.

    >>> order_of_signs(np.array(["b1", "a2", "a10"], "S8")).tolist()
    [2, 1, 0]
    """
    eights = np.ascontiguousarray(texts).view(">u8").reshape(texts.size, texts.itemsize // 8)
    eights = eights.astype(np.uint64).view(np.float64)
    order = np.arange(texts.size, dtype=np.int32)
    for eight in reversed(eights.T):
        order = order[order_by_lengths(eight[order])]
    return order


def refuse_collisions(names: int, values: int, column: str) -> None:
    """Refuse two people with one pseudonym: of four million that happens once in 150 thousand million tables."""
    if names < values:
        raise DataError(
            f"{values - names + 1:,} values of '{column}' have pseudonyms that are not all different.",
            "Use another key: shoal key new FILE.",
        )
