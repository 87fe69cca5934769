"""Proof of a sequence of releases of the same people, from their files and private records: m-invariance over time."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from shoal.certification.private_record import PrivateRecord
from shoal.engines.packed_cells import has_value, unpacked
from shoal.errors import CertificateError
from shoal.methods.same_signatures import SameSignatures
from shoal.methods.sequence.memory import SequenceMemory
from shoal.table import Table

ValuesOfClass = tuple[str, ...]


@dataclass(frozen=True, eq=False)
class ReleaseOfSequence:
    """One of several releases: its rows as they stand in the file, and its private record."""

    name: str
    table: Table
    record: PrivateRecord

    @property
    def memory(self) -> SequenceMemory:
        """What the record says of everybody."""
        found = _remark(self.record.content)
        if found is None:
            raise CertificateError(f"The private record of {self.name} says nothing of a sequence.", "Check the names.")
        try:
            return SequenceMemory.of(found, self.record.content["output"]["sha256"])
        except (LookupError, TypeError, ValueError, AttributeError):
            raise CertificateError(
                f"What the private record of {self.name} says of a sequence is damaged.",
                "Use the one that was written.",
            ) from None

    @property
    def after(self) -> str:
        """The digest of the release before it, or nothing."""
        found = _remark(self.record.content)
        return str(found.get("after", "")) if found else ""

    def shown(self, memory: SequenceMemory) -> Iterator[tuple[int, ValuesOfClass]]:
        """Give everybody whose value is shown, by digest, with the signature; insist that classes are made of those.

        The people of a class who have one signature must have each of its values equally often: then they can be
        divided into groups that show just these.
        """
        rows, order = self.table.rows, self.record.order(self.table.rows)
        at = np.arange(rows) if order is None else np.concatenate([np.empty(0, np.int64), *order()])
        if memory.rows != rows:
            raise _broken(self.name, "the private record is of other people")
        people, numbers = memory.people[:rows][at], memory.signature_of[:rows][at]
        cells = np.concatenate(self.table.collect(lambda found: found, self.table.column(memory.column)))
        classes = np.concatenate(self.table.collect(lambda found: found, self.table.number(self.table.schema.quasi)))
        seen = has_value(cells)
        if (numbers[seen] < 0).any():
            raise _broken(self.name, "somebody is shown who has no signature")
        positions, codes = np.unique(unpacked(cells[seen])[0], return_inverse=True)
        texts = self.table.schema[memory.column].axis.texts(positions)
        kinds, counts = np.unique(np.stack([classes[seen], numbers[seen], codes]), axis=1, return_counts=True)
        groups: dict[tuple[int, int], dict[str, int]] = {}
        for (label, number, code), count in zip(kinds.T.tolist(), counts.tolist(), strict=True):
            groups.setdefault((label, number), {})[texts[code]] = count
        for (_, number), values in groups.items():
            if set(values) != set(memory.signatures[number]) or len(set(values.values())) > 1:
                raise _broken(self.name, "a class does not show just the values of the signatures of its people")
        for person, number in zip(people[seen].tolist(), numbers[seen].tolist(), strict=True):
            yield person, memory.signatures[number]


def proved_over_time(releases: Sequence[ReleaseOfSequence], m: int) -> tuple[str, int]:
    """Insist that everybody's classes show the same values in all releases; say so, and how many are not at hand.

    The first of them is the one that is checked.
    """
    key, known = releases[0].memory.key, dict[int, ValuesOfClass]()
    for release in releases:
        memory = release.memory
        if memory.key != key:
            raise _broken(release.name, "it is of another sequence")
        for person, signature in release.shown(memory):
            if len(signature) < m:
                raise _broken(release.name, f"a signature has fewer than {m} values")
            if known.setdefault(person, signature) != signature:
                raise _broken(release.name, "somebody's class shows other values than in another release")
    given = {str(release.record.content["output"]["sha256"]) for release in releases}
    lacking = sum(bool(release.after) and release.after not in given for release in releases)
    return (
        f"In {len(releases)} releases everybody's classes show the same {m} or more values of "
        f"'{releases[0].memory.column}': of {len(known):,} people.",
        lacking,
    )


def is_of_sequence(content: Mapping[str, Any]) -> bool:
    """Tell whether a certificate is of a release of such a sequence."""
    return _remark(content) is not None


def _remark(content: Mapping[str, Any]) -> Mapping[str, Any] | None:
    return next((each for each in content.get("remarks", ()) if each.get("method") == SameSignatures.name), None)


def _broken(name: str, why: str) -> CertificateError:
    return CertificateError(f"The sequence is broken at {name}: {why}.", "Do not use these releases together.")
