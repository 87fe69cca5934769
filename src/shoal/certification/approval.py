"""Who let a release go out, when, and what they confirmed: what no program can check, as someone said it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import date
from typing import Any

from shoal.errors import ParameterError


@dataclass(frozen=True)
class Approval:
    """Someone's word for a release.

    Parameters
    ----------
    date
        The day on which it was given (ISO 8601).
    approver
        Who gave it; nothing if they did not say.
    confirmations
        What they confirmed, in sentences.
    """

    date: str
    approver: str = ""
    confirmations: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        """Refuse what is no approval."""
        texts = [self.date, self.approver, *self.confirmations]
        if not all(isinstance(text, str) and text.isprintable() for text in texts):
            raise ParameterError("An approval consists of a day, a name and sentences.", "Leave signs that move out.")
        try:
            date.fromisoformat(self.date)
        except ValueError:
            raise ParameterError("The day of an approval is no date.", "Write it as 2026-11-18.") from None

    @property
    def content(self) -> dict[str, Any]:
        """The approval as plain values, as it stands in a certificate."""
        return {"date": self.date, "approver": self.approver, "confirmations": list(self.confirmations)}

    @classmethod
    def of(cls, content: Mapping[str, Any]) -> Approval | None:
        """Give the approval that stands in a certificate, if there is one.

        >>> Approval.of({"approval": {"date": "2026-11-18", "approver": "Ada", "confirmations": []}}).sentence
        'Approved by Ada on 2026-11-18.'
        """
        given = content.get("approval")
        if given is None:
            return None
        return cls(given["date"], given["approver"], tuple(given["confirmations"]))

    @property
    def sentence(self) -> str:
        """Who approved it and when, in words."""
        return f"Approved{f' by {self.approver}' if self.approver else ''} on {self.date}."
