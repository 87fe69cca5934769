"""What is kept of a sequence of releases, with the original: which values everybody's classes have shown so far.

It stands in the private record of each release of the sequence. People are named by a keyed digest of what tells them
apart, with one key for all releases, so that the record names nobody by itself.
"""

from __future__ import annotations

import base64
import hmac
import json
import secrets
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Self

import numpy as np

from shoal.arrays import Bits, Integers
from shoal.errors import DataError, ParameterError
from shoal.kernels.grouping import distinct

_BYTES = 8


@dataclass(frozen=True, eq=False)
class SequenceMemory:
    """The signatures of people in all releases so far.

    Attributes
    ----------
    key
        The key of the digests.
    people
        The digests of those of the latest release, in the order of its input, and then of others from before.
    rows
        How many of them are of the latest release.
    signature_of
        The number of each one's signature, or -1 if nothing of the person was released so far.
    signatures
        The values of each signature, as texts.
    column
        The confidential column.
    release
        The SHA-256 of the latest release; empty before the first.
    """

    key: bytes = field(default_factory=lambda: secrets.token_bytes(32))
    people: Bits = field(default_factory=lambda: np.empty(0, np.uint64))
    rows: int = 0
    signature_of: Integers = field(default_factory=lambda: np.empty(0, np.int64))
    signatures: tuple[tuple[str, ...], ...] = ()
    column: str = ""
    release: str = ""

    @classmethod
    def load(cls, path: str | Path, method: str) -> Self:
        """Read it from the private record of an earlier release."""
        wrong = ParameterError(
            f"'{Path(path).name}' is not the private record of an earlier release of such a sequence.",
            "Name that of the latest one, NAME.private.json; leave it out for the first release.",
        )
        try:
            content = json.loads(Path(path).read_text("utf-8"))
        except OSError as error:
            raise DataError(f"'{path}' cannot be read: {error.strerror}.", "Check the path.") from None
        except ValueError:
            raise wrong from None
        try:
            (found,) = (each for each in content["remarks"] if each["method"] == method)
            return cls.of(found, content["output"]["sha256"])
        except (LookupError, TypeError, ValueError, AttributeError):
            raise wrong from None

    @classmethod
    def of(cls, content: Mapping[str, Any], release: str) -> Self:
        """Read plain values."""
        people = np.frombuffer(base64.b64decode(content["people"], validate=True), "<u8")
        signature_of = np.frombuffer(base64.b64decode(content["signature_of"], validate=True), "<i8")
        signatures = tuple(tuple(map(str, each)) for each in content["signatures"])
        rows = int(content["rows"])
        key = bytes.fromhex(content["series"])
        if not (
            people.size == signature_of.size >= rows >= 0
            and distinct(people).size == people.size
            and (signature_of >= -1).all()
            and (signature_of < len(signatures)).all()
            and len(key) == 32
        ):
            raise ValueError
        return cls(key, people, rows, signature_of, signatures, str(content["column"]), release)

    @property
    def content(self) -> dict[str, Any]:
        """Give it as plain values, for the private record."""
        return {
            "series": self.key.hex(),
            "column": self.column,
            "rows": self.rows,
            "signatures": [list(each) for each in self.signatures],
            "people": base64.b64encode(self.people.astype("<u8").tobytes()).decode(),
            "signature_of": base64.b64encode(self.signature_of.astype("<i8").tobytes()).decode(),
        }

    def digests(self, people: Sequence[str]) -> Bits:
        """Give the digests of people by what tells them apart."""
        found = b"".join(hmac.digest(self.key, each.encode(), "sha256")[:_BYTES] for each in people)
        return np.frombuffer(found, "<u8")

    def known(self, people: Bits) -> Integers:
        """Give the number of each one's signature, or -1."""
        if not self.people.size:
            return np.full(people.size, -1, np.int64)
        order = np.argsort(self.people)
        place = np.minimum(np.searchsorted(self.people, people, sorter=order), order.size - 1)
        at = order[place]
        found: Integers = np.where(self.people[at] == people, self.signature_of[at], -1)
        return found

    def then(self, people: Bits, shown: Sequence[tuple[str, ...]], shown_of: Integers, column: str) -> SequenceMemory:
        """Remember a release: the values that it shows of each of some people, by number, or -1 where it shows none."""
        numbers = {each: number for number, each in enumerate(self.signatures)}
        for each in shown:
            numbers.setdefault(each, len(numbers))
        moved = np.array([numbers[each] for each in shown], np.int64)
        before = self.known(people)
        now = np.where(shown_of >= 0, moved[np.maximum(shown_of, 0)] if moved.size else -1, before)
        gone = ~np.isin(self.people, people)
        return SequenceMemory(
            self.key, np.concatenate([people, self.people[gone]]), people.size,
            np.concatenate([now, self.signature_of[gone]]), tuple(numbers), column,
        )  # fmt: skip
