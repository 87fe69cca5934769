"""The original of a release, shown to be the one, and the release row by row beside it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from shoal.certification.agreement import same
from shoal.certification.private_record import PrivateRecord
from shoal.certification.read_options import nodes_of, original_options, release_options, with_trees
from shoal.domains.hierarchy import Hierarchy
from shoal.engines.protocol import AnyEngine
from shoal.engines.sources import Source
from shoal.errors import CertificateError
from shoal.table import Table


@dataclass(frozen=True, eq=False)
class Original:
    """An original that was named beside a release, and what there is to compare the two by.

    Parameters
    ----------
    content
        That of the certificate.
    record
        The private record, if there is one.
    place
        The original: whatever can be read.
    engine
        Where the data are held.
    """

    content: Mapping[str, Any]
    record: PrivateRecord | None
    place: Any
    engine: AnyEngine

    def read(self, proved: list[str]) -> Table:
        """Read the original, which must be the one that was released."""
        content, record = self.content, self.record
        before = self.engine.read(self.place, with_trees(original_options(content, self._layout), self._trees))
        if record is None:
            same("the SHA-256 of the original", before.origin.sha256, content["input"]["sha256"])
        elif not record.commits_to(before.origin.sha256, content["input"]["commitment"]):
            raise CertificateError(
                "The certificate does not commit to this original.", "Check the original and the private record."
            )
        else:
            proved.append("The certificate commits to this original.")
        return before

    @property
    def comparable(self) -> bool:
        """Whether it is known where the nodes lie of which the release shows names."""
        return self._trees.keys() == set(nodes_of(self.content))

    def beside(self, source: Source, released: Table) -> Table:
        """Give the release with its rows in the order of the original, and its nodes where they lie."""
        if self._trees:
            read = released.origin.written
            released = self.engine.read(source, with_trees(release_options(self.content, ()), self._trees))
            same("the release, read again", released.origin.written, read)
        if released.schema.person is not None:  # whose rows are no rows of the original
            return released
        order = None if self.record is None else self.record.order(released.rows)
        return released if order is None else released.rearranged(order)

    @cached_property
    def _trees(self) -> dict[str, Hierarchy]:
        return {} if self.record is None else self.record.hierarchies(nodes_of(self.content))

    @property
    def _layout(self) -> Mapping[str, Any]:
        """What was said of the layout of the original."""
        found: Mapping[str, Any] = self.content["recipe"]["table"]
        return found if self.record is None else self.record.content["input"]["read"]
