"""FF1: encryption that keeps the form of a code, as NIST specifies it: digits stay digits, and as many of them.

All codes of one length are worked on together: a round is one call of AES for all of them, and numbers below 2^48 are
computed in arrays; longer halves are whole numbers of Python.

M. Dworkin: Recommendation for block cipher modes of operation: methods for format-preserving encryption, NIST SP
800-38G, 2016, doi:10.6028/NIST.SP.800-38G. FF3 is not offered: later drafts of its revision drop it.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from shoal.arrays import Bytes
from shoal.errors import ParameterError
from shoal.extras import missing

LEAST_VALUES = 1_000_000  # with fewer, who has some codes and their encryptions can tell the others
_ROUNDS = 10
_BLOCK = 16
_FAST = 1 << 48  # numbers below can be multiplied by 2^16 in 64 bits
_AT_ONCE = 1 << 16

Digits = NDArray[np.uint16]
HalfNumbers = NDArray[Any]  # 64-bit whole numbers, or those of Python where they may be larger


@dataclass(frozen=True)
class FF1:
    """The cipher under a key of AES, for digits below a radix.

    >>> cipher = FF1(bytes.fromhex("2B7E151628AED2A6ABF7158809CF4F3C"), 10)
    >>> digits = np.arange(10, dtype=np.uint16).reshape(1, 10)
    >>> cipher.encrypt(digits).tolist()
    [[2, 4, 3, 3, 4, 7, 7, 4, 8, 4]]
    """

    key: bytes = field(repr=False)
    radix: int

    def __post_init__(self) -> None:
        """Refuse what the standard does not know."""
        if len(self.key) not in (16, 24, 32) or not 2 <= self.radix <= 1 << 16:
            raise ParameterError("FF1 takes a key of AES and a radix of 2 to 65,536.", "Give 16, 24 or 32 bytes.")

    def encrypt(self, digits: Digits, tweaks: Bytes | None = None) -> Digits:
        """Encrypt rows of digits, each under its tweak."""
        return self._by_stretches(digits, tweaks, self._forth)

    def decrypt(self, digits: Digits, tweaks: Bytes | None = None) -> Digits:
        """Undo it."""
        return self._by_stretches(digits, tweaks, self._back)

    def _by_stretches(
        self, digits: Digits, tweaks: Bytes | None, work: Callable[[_Halves, HalfNumbers, HalfNumbers], Any]
    ) -> Digits:
        rows, length = digits.shape
        if length < 2 or self.radix**length < LEAST_VALUES:
            raise ParameterError(
                f"There are only {self.radix**length:,} codes of this form, and FF1 is for at least {LEAST_VALUES:,}.",
                "Give these codes a pseudonym instead.",
            )
        tweaks = np.empty((rows, 0), np.uint8) if tweaks is None else tweaks
        found = np.empty_like(digits)
        for start in range(0, rows, _AT_ONCE):
            some = slice(start, start + _AT_ONCE)
            halves = _Halves(_aes(self.key), self.radix, length, tweaks[some])
            cut = halves.u
            first, second = halves.number(digits[some, :cut]), halves.number(digits[some, cut:])
            first, second = work(halves, first, second)
            found[some, :cut], found[some, cut:] = halves.string(first, cut), halves.string(second, length - cut)
        return found

    @staticmethod
    def _forth(halves: _Halves, a: HalfNumbers, b: HalfNumbers) -> tuple[HalfNumbers, HalfNumbers]:
        for i in range(_ROUNDS):
            a, b = b, (a + halves.drawn(i, b)) % halves.modulus(i)
        return a, b

    @staticmethod
    def _back(halves: _Halves, a: HalfNumbers, b: HalfNumbers) -> tuple[HalfNumbers, HalfNumbers]:
        for i in reversed(range(_ROUNDS)):
            modulus = halves.modulus(i)
            a, b = (b + (modulus - halves.drawn(i, a))) % modulus, a
        return a, b


class _Halves:
    """What the rounds need to know of rows of one length: the names are those of the standard."""

    def __init__(self, encrypt: Callable[[bytes], bytes], radix: int, length: int, tweaks: Bytes) -> None:
        self._encrypt, self._radix, self._tweaks = encrypt, radix, tweaks
        self.u, self.v = length // 2, length - length // 2
        self._kind: Any = np.uint64 if radix**self.v < _FAST else object
        self._b = ((radix**self.v - 1).bit_length() + 7) // 8
        self._d = 4 * -(-self._b // 4) + 4
        t = tweaks.shape[1]
        whole = bytes([1, 2, 1]) + radix.to_bytes(3, "big") + bytes([10, self.u % 256])
        self._first = encrypt(whole + length.to_bytes(4, "big") + t.to_bytes(4, "big"))
        self._padding = (-t - self._b - 1) % _BLOCK

    def modulus(self, i: int) -> int:
        """The number of values of the half that a round changes."""
        found: int = self._radix ** (self.v if i % 2 else self.u)
        return found

    def drawn(self, i: int, half: HalfNumbers) -> HalfNumbers:
        """Give the number that a round adds, reduced by its modulus."""
        rows, t = self._tweaks.shape
        q = np.zeros((rows, t + self._padding + 1 + self._b), np.uint8)
        q[:, :t], q[:, -self._b - 1], q[:, -self._b :] = self._tweaks, i, self._bytes(half)
        r = np.broadcast_to(np.frombuffer(self._first, np.uint8), (rows, _BLOCK))
        for start in range(0, q.shape[1], _BLOCK):
            r = self._enciphered(r ^ q[:, start : start + _BLOCK])
        blocks = [r]
        for j in range(1, -(-self._d // _BLOCK)):
            counter = np.frombuffer(j.to_bytes(_BLOCK, "big"), np.uint8)
            blocks.append(self._enciphered(r ^ counter))
        s = np.concatenate(blocks, axis=1)[:, : self._d] if len(blocks) > 1 else r[:, : self._d]
        modulus = self.modulus(i)
        y: HalfNumbers = np.zeros(rows, self._kind)
        for word in np.ascontiguousarray(s).view(">u2").astype(self._kind).T:
            y = (y * (1 << 16) + word) % modulus
        return y

    def _enciphered(self, blocks: Bytes) -> Bytes:
        return np.frombuffer(self._encrypt(blocks.tobytes()), np.uint8).reshape(-1, _BLOCK)

    def _bytes(self, numbers: HalfNumbers) -> Bytes:
        if self._kind is np.uint64:
            return numbers.astype(">u8").view(np.uint8).reshape(-1, 8)[:, -self._b :]
        joined = b"".join(number.to_bytes(self._b, "big") for number in numbers.tolist())
        return np.frombuffer(joined, np.uint8).reshape(-1, self._b)

    def number(self, digits: Digits) -> HalfNumbers:
        """Give the number that digits write, the first of which counts most."""
        found: HalfNumbers = np.zeros(digits.shape[0], self._kind)
        for column in digits.T:
            found = found * self._radix + column.astype(self._kind)
        return found

    def string(self, numbers: HalfNumbers, length: int) -> Digits:
        """Write numbers in so many digits."""
        found = np.empty((numbers.shape[0], length), np.uint16)
        for place in reversed(range(length)):
            found[:, place] = (numbers % self._radix).astype(np.uint16)
            numbers = numbers // self._radix
        return found


def _aes(key: bytes) -> Callable[[bytes], bytes]:
    """Give what enciphers blocks by AES."""
    try:
        from cryptography.hazmat.primitives.ciphers import Cipher, algorithms, modes
    except ImportError:
        raise missing("FF1 needs cryptography", "crypto", "Or use pseudonyms, which need nothing more.") from None
    encryptor = Cipher(algorithms.AES(key), modes.ECB()).encryptor()  # noqa: S305 - a block at a time, as FF1 says
    update: Callable[[bytes], bytes] = encryptor.update
    return update
