"""What was found out for a case, from risks to attacks, each by the decisions that it hangs on."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import Any

from shoal.web.tasks.candidate_messages import CandidateScore

Found = dict[str, Any]
_KINDS = ("risk", "sections", "unicity", "candidate", "spread", "score", "attack")


def _keep_nothing(kind: str, digest: str, key: str, content: Found) -> None:
    """Keep it nowhere else."""


class Findings:
    """What was found out. What is exact is never replaced by what is of a sample.

    Parameters
    ----------
    keep
        Is given all that is new.
    """

    def __init__(self, keep: Callable[[str, str, str, Found], None] = _keep_nothing) -> None:
        self._keep = keep
        self._known: dict[tuple[str, str, str], Found] = {}

    @classmethod
    def restored(
        cls, found: Iterable[tuple[str, str, str, Found]], keep: Callable[[str, str, str, Found], None] = _keep_nothing
    ) -> Findings:
        """Give what was found out on earlier days."""
        findings = cls(keep)
        findings._known = {(kind, digest, key): content for kind, digest, key, content in found if kind in _KINDS}
        return findings

    def take(self, kind: str, digest: str, key: str, content: Found) -> None:
        """Take what was found out."""
        before = self._known.get((kind, digest, key))
        if before is None or content.get("sampled") is None or before["sampled"] is not None:
            self._known[kind, digest, key] = content
            if kind in _KINDS:  # reasons list rows by their numbers: these are kept nowhere, and exported with no case
                self._keep(kind, digest, key, content)

    def known(self, kind: str, digest: str, key: str = "") -> Found:
        """Give what is known of a kind; nothing if it was not found out yet."""
        return self._known.get((kind, digest, key), {})

    def all(self, kind: str, digest: str) -> Mapping[str, Found]:
        """Give all that is known of a kind, by its keys."""
        return {key: each for (name, of, key), each in self._known.items() if (name, of) == (kind, digest)}

    def candidates(self, digest: str) -> Mapping[str, Found]:
        """Give all candidates that are known."""
        return self.all("candidate", digest)

    def scores(self, digest: str) -> dict[tuple[str, str], CandidateScore]:
        """Give what was measured of candidates, by the names of measure and candidate."""
        found = map(CandidateScore.model_validate, self.all("score", digest).values())
        return {(each.measure, each.key): each for each in found}
