"""Codes that keep their form: signs of an alphabet are encrypted by FF1, and all others stay where they stand.

What stays is the tweak: codes that differ in it, as A-1234567 and B-1234567 do, are encrypted each in its own way.
Codes of one form stay different from each other, and who has the key can undo it.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from string import ascii_lowercase, ascii_uppercase, digits

import numpy as np
from numpy.typing import NDArray

from shoal.arrays import Positions
from shoal.errors import DataError, ParameterError
from shoal.kernels.radix import places_in
from shoal.pseudonyms.ff1 import FF1, LEAST_VALUES
from shoal.pseudonyms.names import keyed, order_of_signs
from shoal.secret_keys import SecretKey

ALPHABETS = {"digits": digits, "lower": digits + ascii_lowercase, "upper": digits + ascii_uppercase}
_PREFIX = b"ff1\x00"
_NONE = 255
_WIDEST = 64  # codes that are longer are sorted as texts: a table of them all would have the width of the longest

Signs = NDArray[np.uint32]  # rows of code points


@dataclass(frozen=True)
class CodeCipher:
    """Encryption of the codes of a domain.

    Parameters
    ----------
    key
        The secret key. Each domain has a key of AES of its own: HMAC-SHA-256 of ``ff1``, a zero byte and the domain.
    domain
        What kind of code it is.
    alphabet
        Which signs are encrypted: ``digits``, ``lower`` (digits and small letters) or ``upper`` (and capital letters).
    """

    key: SecretKey
    domain: str
    alphabet: str = "digits"
    _cipher: FF1 = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        """Refuse an alphabet that does not exist."""
        if self.alphabet not in ALPHABETS:
            raise ParameterError(f"'{self.alphabet}' is no alphabet of FF1.", f"There are: {', '.join(ALPHABETS)}.")
        secret = keyed(self.key, _PREFIX)(self.domain.encode())
        object.__setattr__(self, "_cipher", FF1(secret, len(ALPHABETS[self.alphabet])))

    def encrypt(self, codes: Sequence[str], column: str = "") -> list[str]:
        """Give each code another of the same form."""
        return self._changed(codes, column, back=False)

    def decrypt(self, codes: Sequence[str], column: str = "") -> list[str]:
        """Give the codes that became these."""
        return self._changed(codes, column, back=True)

    def _changed(self, codes: Sequence[str], column: str, *, back: bool) -> list[str]:
        found: NDArray[np.object_] = np.empty(len(codes), object)
        lengths = np.fromiter(map(len, codes), np.int64, len(codes))
        for length in np.unique(lengths).tolist():
            mine = np.flatnonzero(lengths == length)
            signs = np.array([codes[i] for i in mine.tolist()], f"U{max(length, 1)}").view(np.uint32)
            signs = signs.reshape(mine.size, -1).copy()
            self._change(signs, column, back=back)
            found[mine] = signs.view(f"U{max(length, 1)}").reshape(-1).tolist()
        made: list[str] = found.tolist()
        return made

    def _change(self, signs: Signs, column: str, *, back: bool) -> None:
        """Encrypt codes of one length in their place, those together whose signs of the alphabet stand alike."""
        letters = np.frombuffer(ALPHABETS[self.alphabet].encode(), np.uint8)
        values = np.full(256, _NONE, np.uint8)
        values[letters] = np.arange(letters.size)
        read = values[np.minimum(signs, 255)]
        stand = read != _NONE
        places = np.zeros(signs.shape[0], np.int64)
        if (stand != stand[0]).any():  # mostly they all stand alike, and need not be sorted for that
            places = np.unique(np.packbits(stand, axis=1), axis=0, return_inverse=True)[1].reshape(-1)
        for rows in np.split(np.argsort(places, kind="stable"), np.cumsum(np.bincount(places))[:-1]):
            inside = read[rows[0]] != _NONE
            if self._cipher.radix ** int(inside.sum()) < LEAST_VALUES:
                raise self._too_short(column, rows.size)
            tweaks = np.empty((rows.size, 0), np.uint8)
            if not inside.all():
                tweaks = np.where(inside, 0, signs[rows]).astype(">u4").view(np.uint8)
            given = read[np.ix_(rows, inside)].astype(np.uint16)
            made = (self._cipher.decrypt if back else self._cipher.encrypt)(given, tweaks)
            signs[np.ix_(rows, inside)] = letters[made]

    def _too_short(self, column: str, some: int) -> DataError:
        return DataError(
            f"{some:,} codes of '{column}' have so few signs to encrypt ({self.alphabet}) that there are fewer than "
            f"{LEAST_VALUES:,} of their form: whoever knows some could tell the others.",
            f"Give them pseudonyms, which have no form: --identifier {column}=pseudonym:{self.domain}.",
        )


def numbered_codes(codes: Sequence[str]) -> tuple[NDArray[np.object_], Positions]:
    """Give different codes in ascending order, and the place of each among them.

    >>> [found.tolist() for found in numbered_codes(["B-2", "A-1", "B-1"])]
    [['A-1', 'B-1', 'B-2'], [2, 0, 1]]
    """
    width = max(map(len, codes), default=0)
    if width > _WIDEST or not all(map(str.isascii, codes)):
        order = np.array(sorted(range(len(codes)), key=codes.__getitem__), np.int32)
        listed = [codes[i] for i in order.tolist()]
    else:
        table = np.array(codes, f"S{max(-(-width // 8), 1) * 8}")
        order = order_of_signs(table)
        listed = table[order].astype("U").tolist()  # anew, one behind the other in memory, where they are read fast
    return np.array(listed, object), places_in(order)
