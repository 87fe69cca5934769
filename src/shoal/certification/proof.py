"""Proof: what was shown about a released file and its certificate."""

from __future__ import annotations

from dataclasses import dataclass

from shoal.certification.approval import Approval
from shoal.measures import Scores
from shoal.models import PrivacyModel, Verdict
from shoal.models.km_anonymity import KmAnonymity


@dataclass(frozen=True)
class Proof:
    """What was shown about a file and its certificate.

    Attributes
    ----------
    verdicts, scores
        What was found in the file.
    proved, not_proved
        What the file shows, and what it cannot show, in words.
    by_original
        Those of what was proved that the file alone does not show: they need the private record and the original.
    stated
        What is promised that no file can show, such as differential privacy, and what that rests on.
    protected, unprotected
        The quasi-identifiers, and the other columns, which no promise hides.
    changed
        The columns that have other values than the true ones, as the certificate says.
    promised
        The models and their levels; nothing if no promise was made.
    remarks
        What a reader should know before relying on it.
    attested
        What became of identifiers, as who released them says: no file can show whose pseudonym is whose.
    approval
        Who let it go out, as the certificate says; None if it says nothing.
    """

    verdicts: tuple[Verdict, ...]
    scores: Scores
    proved: tuple[str, ...]
    not_proved: tuple[str, ...]
    protected: tuple[str, ...] = ()
    unprotected: tuple[str, ...] = ()
    promised: tuple[str, ...] = ()
    remarks: tuple[str, ...] = ()
    approval: Approval | None = None
    by_original: tuple[str, ...] = ()
    stated: tuple[str, ...] = ()
    changed: tuple[str, ...] = ()
    attested: tuple[str, ...] = ()

    @property
    def holds(self) -> bool:
        """Whether something was promised, and every model holds on the released file."""
        return bool(self.verdicts or self.stated) and all(verdict.holds for verdict in self.verdicts)


def promise_in_short(model: PrivacyModel) -> str:
    """Name a model and its level."""
    beyond = f", m = {model.m}" if isinstance(model, KmAnonymity) else getattr(model, "beyond", "")
    return f"{model.name} ({model.promised:g}{beyond})"
