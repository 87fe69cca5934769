"""What is asked and given of a certificate of risk."""

from __future__ import annotations

from pathlib import Path

from shoal.web.tasks.messages import Message
from shoal.web.tasks.section_messages import SectionsRequest


class CertificateRequest(SectionsRequest):
    """Write a certificate of the risk.

    Attributes
    ----------
    sign, seal
        The file of the pair of keys that signs it, and of the shared key of its MAC: where they lie, never what they
        are.
    digest
        A name of what was asked.
    """

    sign: Path | None = None
    seal: Path | None = None
    digest: str


class CertifiedAttacker(Message):
    """Whether what an attacker finds is within the threshold; None if nothing is known of it."""

    attacker: str
    value: float | None
    within: bool | None


class CertificateDone(Message):
    """A certificate that was written: its file and its page, what it says, and with which key it was signed, if any."""

    file: str
    page: str
    attackers: tuple[CertifiedAttacker, ...]
    signed: str
    sealed: bool
    digest: str
