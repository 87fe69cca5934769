"""Dates shifted by a number of days that is each person's own, and never none.

Intervals between the dates of a person stay as they are, so a long sequence of distinctive intervals still tells who
it is. Steps of 7 days keep the days of the week.

G. Hripcsak, P. Mirhaji, A. F. H. Low, B. A. Malin: Preserving temporal relations in clinical data while maintaining
privacy, JAMIA 23(6), 2016, doi:10.1093/jamia/ocw001.
"""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np

from shoal.arrays import Integers
from shoal.pseudonyms.names import keyed, texts_hashed
from shoal.secret_keys import SecretKey

_PREFIX = b"date-shift\x00"
_BYTES = 8


def shifts(people: Iterable[str], key: SecretKey, days: int, step: int = 1) -> Integers:
    """Give the shift of each person: a multiple of the step, at most so many days either way, and never 0.

    >>> key = SecretKey(b"shoal specification key 0001")
    >>> shifts(["p1", "p2", "p3"], key, 182).tolist(), shifts(["p1", "p2", "p3"], key, 182, 7).tolist()
    ([171, -102, -24], [105, 21, -168])
    """
    digest = keyed(key, _PREFIX)
    steps = days // step
    drawn = np.frombuffer(b"".join(digest(person)[:_BYTES] for person in texts_hashed(people)), ">u8")
    found = (drawn % np.uint64(2 * steps)).astype(np.int64) - steps
    return (found + (found >= 0)) * step
