"""What becomes of a direct identifier: it is dropped, gets a pseudonym or another code of its form, or is shifted."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from shoal.errors import ParameterError
from shoal.pseudonyms.forms import ALPHABETS

DROP, PSEUDONYM, FORM, SHIFT = "drop", "pseudonym", "ff1", "shift"
OFFERED = {  # what can be written, in the order in which it is listed: what it does, and what it is told
    DROP: ("Leave the column out.", ()),
    PSEUDONYM: ("Pseudonymize: 16 letters and digits for each value, under a key.", ("DOMAIN",)),
    FORM: ("Pseudonymize codes that keep their form: digits become other digits, under a key.", ("DOMAIN", "ALPHABET")),
    SHIFT: ("Shift dates: by the same number of days for all of a person, under a key.", ("DAYS", "STEP")),
}
_WRITTEN = re.compile(r"(?P<name>.+)=(?P<treatment>(?:drop|pseudonym|ff1|shift|hash|md5|sha\d*)(?::.*)?)", re.DOTALL)
_HASHES = re.compile(r"(hash|md5|sha\d*)(:|$)")
_EXAMPLES = (
    "Write drop, pseudonym:patient, ff1:patient (or ff1:patient:upper), or shift:182 (shift:182:7 keeps weekdays)."
)
_MOST_DAYS = 3_652_058  # of the calendar


@dataclass(frozen=True)
class Treatment:
    """What becomes of a column that names people.

    >>> str(Treatment.parse("shift:182:7")), Treatment.parse("pseudonym:patient").domain
    ('shift:182:7', 'patient')

    Parameters
    ----------
    kind
        ``drop``, ``pseudonym``, ``ff1`` or ``shift``.
    domain
        What kind of identifier it is: a person has one pseudonym in all tables of a domain.
    alphabet
        Which signs FF1 encrypts.
    days, step
        By how many days dates are shifted at most, and of what the shift is a multiple.
    """

    kind: str = DROP
    domain: str = ""
    alphabet: str = "digits"
    days: int = 0
    step: int = 1

    @classmethod
    def parse(cls, text: str) -> Treatment:
        """Read a treatment as it is written."""
        kind, *parts = text.split(":")
        if _HASHES.match(text):
            raise ParameterError(
                f"'{text}' would be a hash without a key: whoever tries all values there are finds everybody.",
                "Give a pseudonym under a key: pseudonym:DOMAIN, and shoal key new FILE.",
            )
        if kind == DROP and not parts:
            return cls()
        if kind == PSEUDONYM and len(parts) == 1 and parts[0]:
            return cls(PSEUDONYM, parts[0])
        if kind == FORM and len(parts) in (1, 2) and parts[0] and parts[-1] and set(parts[1:]) <= ALPHABETS.keys():
            return cls(FORM, parts[0], (parts[1:] or ["digits"])[0])
        if kind == SHIFT and len(parts) in (1, 2) and all(part.isascii() and part.isdigit() for part in parts):
            days, step = int(parts[0]), int(parts[1]) if parts[1:] else 1
            if 1 <= step <= days <= _MOST_DAYS:
                return cls(SHIFT, days=days, step=step)
            raise ParameterError(
                f"'{text}' shifts no date: the days must be at least the step, and the step at least 1.", _EXAMPLES
            )
        raise ParameterError(f"'{text}' is nothing that can become of an identifier.", _EXAMPLES)

    def __str__(self) -> str:
        """Write it as it is read."""
        if self.kind == SHIFT:
            return f"{SHIFT}:{self.days}" + (f":{self.step}" if self.step > 1 else "")
        if self.kind == FORM:
            return f"{FORM}:{self.domain}" + (f":{self.alphabet}" if self.alphabet != "digits" else "")
        return DROP if self.kind == DROP else f"{PSEUDONYM}:{self.domain}"

    @property
    def names(self) -> bool:
        """Whether a person gets another name, which is released."""
        return self.kind in (PSEUDONYM, FORM)


def treatments_of(written: Iterable[str]) -> dict[str, Treatment]:
    """Read columns and what becomes of them; a name alone is dropped.

    >>> [f"{name}: {treatment}" for name, treatment in treatments_of(["name", "id=pseudonym:patient"]).items()]
    ['name: drop', 'id: pseudonym:patient']
    """
    found: dict[str, Treatment] = {}
    for text in written:
        parts = _WRITTEN.fullmatch(text)
        name, treatment = (parts["name"].strip(), Treatment.parse(parts["treatment"])) if parts else (text, Treatment())
        if found.get(name, treatment) != treatment:
            raise ParameterError(
                f"Of '{name}' two things would become.", "Say one: --identifier NAME=pseudonym:DOMAIN."
            )
        found[name] = treatment
    return found


def written(given: Any) -> Any:
    """Give identifiers that are said by column as a list of texts; all else as it is."""
    return [f"{name}={treatment}" for name, treatment in given.items()] if isinstance(given, Mapping) else given
