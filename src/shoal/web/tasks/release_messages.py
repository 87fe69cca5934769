"""What is asked and given when a release is written."""

from __future__ import annotations

from typing import Literal

from shoal.certification.approval import Approval
from shoal.web.tasks.messages import CandidateSpec, Message, RolesRequest


class ReleaseRequest(RolesRequest):
    """Write a release.

    Attributes
    ----------
    candidate, files, audience, cells
        What was chosen, the names of its files by kind, for whom the report is, and how ranges are shown.
    like
        Which files beside the table are earlier releases of the same people, with their papers beside them.
    identifiers
        Which columns name people, and what becomes of them, as recipes have it.
    approval, sha256
        Who let it go out, and the digest of the file that they decided about: another one is refused.
    """

    candidate: CandidateSpec
    files: dict[str, str]
    audience: Literal["internal", "external"] = "internal"
    cells: Literal["text", "bounds", "middle"] | None = None
    like: tuple[str, ...] = ()
    identifiers: tuple[str, ...] = ()
    approval: Approval
    sha256: str | None = None


class ReleaseFile(Message):
    """A file that was written."""

    name: str
    bytes: int


class ReleaseVerdict(Message):
    """A promise, and whether the released table keeps it."""

    sentence: str
    holds: bool


class ReleaseDone(Message):
    """A release that was written and proved: its files by kind, what was proved, what of it only by the original.

    What it tells together with earlier releases is among what was proved, or was not, and in ``together``.
    """

    files: dict[str, ReleaseFile]
    rows: int
    verdicts: tuple[ReleaseVerdict, ...]
    scores: dict[str, float]
    proved: tuple[str, ...]
    not_proved: tuple[str, ...]
    by_original: tuple[str, ...] = ()
    together: tuple[str, ...] = ()
    sha256: str
    digest: str
