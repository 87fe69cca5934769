"""m-invariance: release after release of the same people, who come and go, and classes that always show the same."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import ClassVar

import numpy as np

from shoal.arrays import Array, Integers
from shoal.engines.packed_cells import packed, unpacked
from shoal.errors import GuaranteeError, ParameterError, SchemaError
from shoal.kernels import MISSING
from shoal.kernels.grouping import distinct
from shoal.methods import required_model
from shoal.methods.partitioning.hilbert_order import hilbert_keys
from shoal.methods.sequence.buckets import WITHHELD, Buckets
from shoal.methods.sequence.memory import SequenceMemory
from shoal.models import PrivacyModel
from shoal.models.confidential import confidential
from shoal.models.k_anonymity import KAnonymity
from shoal.models.m_invariance import MInvariance
from shoal.models.people import refuse_nobody
from shoal.parameters import settle
from shoal.schema import RELEASED, Role
from shoal.table import Column, Table

_FIRST = "This is the first release of a sequence: later ones show the same values of everybody."
_FOLLOWS = "Classes show of everybody the values that those of earlier releases of the sequence showed."


@dataclass(frozen=True)
class SameSignatures:
    """Release people again who come and go, in classes that show the same confidential values of them each time.

    Every class has one record of each of m values or more. Who was in an earlier release of the sequence comes into a
    class of the same values as then, the signature; who knows in which classes a person is, in however many
    releases, is left with all of these values. People who are new fill up such classes, or begin others with the values
    that most of them have. No record is invented where none is to be had: those that would find no class are withheld,
    and stand in the release as rows that show nothing. They may find one next time. So is a record whose value is none
    of its signature any more, because its class would show that it changed.

    It needs the column that tells people apart (``subject``), one record of each, and no released columns but
    quasi-identifiers and the confidential one. Who goes with whom is drawn, and the draw is kept nowhere. What the
    releases so far have shown of everybody stands in the private record, which the next release needs.

    Parameters
    ----------
    after
        The private record of the latest release of the sequence; left out for the first.

    References
    ----------
    X. Xiao, Y. Tao: m-Invariance: towards privacy preserving re-publication of dynamic datasets, SIGMOD 2007,
    doi:10.1145/1247480.1247556.
    """

    name: ClassVar[str] = "same-signatures"
    enforces: ClassVar[tuple[str, ...]] = ("m-invariance",)
    repeatable: ClassVar[bool] = False
    keeps_values: ClassVar[bool] = True
    after: str | Path | None = None

    def __post_init__(self) -> None:
        """Take a path as text."""
        settle(self)
        if isinstance(self.after, Path):
            object.__setattr__(self, "after", str(self.after))

    def files(self) -> list[Path]:
        """Give the file that is read."""
        return [] if self.after is None else [Path(self.after)]

    def apply(self, table: Table, models: Sequence[PrivacyModel], seed: int) -> Table:
        """Put everybody into a class with the signature of before, publish the classes, and remember what they show."""
        model = required_model(models, MInvariance, self.name)
        least = max([model.m, *(each.k for each in models if isinstance(each, KAnonymity))])
        secret, subject = self._columns(table, model)
        memory = SequenceMemory() if self.after is None else SequenceMemory.load(self.after, self.name)
        if memory.column not in ("", secret):
            raise ParameterError(
                "The earlier releases of this sequence have another confidential column.", "Begin a new sequence."
            )
        positions = _whole(table, table.column(secret))
        values, places = np.unique(positions, return_inverse=True)
        texts = dict(enumerate(table.schema[secret].axis.texts(values[values != MISSING])))
        place_of = places - int((values == MISSING).any())  # -1 where there is no value
        people = self._people(table, subject, memory)
        codes = {text: number for number, text in texts.items()}
        for text in (each for signature in memory.signatures for each in signature):
            codes.setdefault(text, len(codes))
        names = list(codes)
        signatures = [tuple(sorted(codes[each] for each in signature)) for signature in memory.signatures]
        buckets = Buckets(place_of, memory.known(people), signatures, np.random.default_rng(seed))
        buckets.fill(least)
        along = _whole(table, table.rank(hilbert_keys(table, table.moments())))
        labels, groups = buckets.classes(along)
        labels, groups = _hidden_in_a_crowd(labels, groups, least)
        withheld = labels == WITHHELD
        if withheld.all():
            raise GuaranteeError(
                f"No class of {least} different values can be formed of these records.", "Lower m, or release later."
            )
        released = _published(table, labels, groups + int(withheld.any()), secret)
        order = np.argsort(labels, kind="stable")[int(withheld.sum()) :]
        shown = [
            tuple(sorted(names[each] for each in part))
            for part in np.split(place_of[order], np.flatnonzero(np.diff(labels[order])) + 1)
        ]
        then = memory.then(people, shown, labels, secret)
        again = int((buckets.before >= 0).sum())
        public = {
            "method": self.name,
            "said": _FOLLOWS if memory.release else _FIRST,
            **({"after": memory.release} if memory.release else {}),
        }
        said = f"{public['said']} Withheld are {int(withheld.sum()):,} of {table.rows:,} records"
        if memory.release:
            hidden = int((withheld & (buckets.before >= 0)).sum())
            said += f"; of the {again:,} people who were released before, {hidden:,}"
        private = public | {"said": f"{said}."}
        return released.with_remark(public, private | then.content)

    def _columns(self, table: Table, model: MInvariance) -> tuple[str, str]:
        """Name the confidential column and the one that tells people apart; refuse others, which would join rows."""
        schema = table.schema
        secret = confidential(schema, model.column, model.name)
        if schema.subject is None:
            raise SchemaError(
                f"{self.name} has to know who is who in several releases.",
                "Name the column that tells: --subject id, subject='id'.",
            )
        others = [name for name in schema.of(*RELEASED) if name != secret and schema[name].role is not Role.QUASI]
        if others:
            raise SchemaError(
                f"Column '{others[0]}' would be released as it is, and join a person's rows in several releases.",
                "Leave it out, or name it a quasi-identifier.",
            )
        return secret, schema.subject

    def _people(self, table: Table, subject: str, memory: SequenceMemory) -> Array:
        """Give the digest of the person of each record."""
        refuse_nobody(table)
        positions, counts = table.counts(subject)
        model = MInvariance(2)
        model.demand(table.rows, int(counts.size) if (counts == 1).all() else 0)
        digests = memory.digests(table.schema[subject].axis.texts(positions))
        if distinct(digests).size < digests.size:
            raise GuaranteeError("Two people have the same digest, by chance.", "Begin a new sequence.")
        found: Array = digests[np.searchsorted(positions, _whole(table, table.column(subject)))]
        return found

    def explain(self, table: Table, models: Sequence[PrivacyModel]) -> str:
        """Say what is done."""
        m = required_model(models, MInvariance, self.name).m
        return (
            f"Formed classes of at least {m} records whose confidential values all differ, each of the same values as "
            "the classes of its people in earlier releases of the sequence, withheld records that found no such class, "
            "and replaced each quasi-identifier by its range within the class."
        )


def _whole(table: Table, column: Column) -> Integers:
    """Give a column as an array: the lower ends of cells, or whole numbers."""
    parts = table.collect(lambda found: unpacked(found)[0] if found.dtype == np.int64 else found, column)
    return np.concatenate(parts).astype(np.int64)


def _hidden_in_a_crowd(labels: Integers, groups: int, least: int) -> tuple[Integers, int]:
    """Withhold a class more if so few records are withheld that they would stand out."""
    few = int((labels == WITHHELD).sum())
    while 0 < few < least and groups:
        groups -= 1
        few += int((labels == groups).sum())
        labels = np.where(labels == groups, WITHHELD, labels)
    return labels, groups


def _published(table: Table, labels: Integers, groups: int, secret: str) -> Table:
    """Publish the ranges of the classes, and nothing of records that are withheld.

    A value is written in one way in all rows: else 1.50 would be known again among others' 1.5.
    """
    row = table.rank([])
    numbers = np.where(labels == WITHHELD, groups - 1, labels).astype(np.int32)
    withheld = labels == WITHHELD
    released = table.generalize(table.combine(lambda at: numbers[at], row), groups)
    if withheld.any():
        every = (1 << len(table.schema.quasi)) - 1
        released = released.hide(table.schema.quasi, table.combine(lambda at: np.where(withheld[at], every, 0), row))
    nothing = packed(np.array([MISSING], np.int32), np.array([MISSING], np.int32))[0]
    cells = table.combine(lambda old, at: np.where(withheld[at], nothing, old), table.column(secret), row)
    return released.put({secret: (table.schema[secret].axis, cells)})
