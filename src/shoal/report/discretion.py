"""What a report may show to whom: small counts and rare values may point to single people."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal, cast

from shoal.certification.certificate import rounded
from shoal.charts.numerals import Format
from shoal.errors import ParameterError
from shoal.models import PrivacyModel

Audience = Literal["internal", "external"]
AUDIENCES: tuple[Audience, ...] = ("internal", "external")
_PERCENT = Format(percent=True)
_LEAST = 5


@dataclass(frozen=True)
class Discretion:
    """How much is shown, and to whom.

    No version shows a value that fewer records than the threshold have. The external one also shows no count of
    original records below it, and no share that such a count could be worked out from.

    Parameters
    ----------
    audience
        ``internal``, for those who may see the original, or ``external``.
    threshold
        The smallest count that tells nothing of single people.
    """

    audience: Audience
    threshold: int

    def __post_init__(self) -> None:
        """Refuse an audience or a threshold that makes no sense."""
        if self.audience not in AUDIENCES:
            raise ParameterError(
                f"'{self.audience}' is no audience of a report.", f"Choose one of: {', '.join(AUDIENCES)}."
            )
        if self.threshold < 2:
            raise ParameterError("A threshold below 2 protects nobody.", "Leave it out, or choose 5 or more.")

    @classmethod
    def towards(cls, audience: str, models: Sequence[PrivacyModel], threshold: int | None = None) -> Discretion:
        """Choose the threshold if none is given: at least 5, and the k that was thought necessary for the release."""
        sizes = [int(getattr(model, "k", 0)) for model in models]
        return cls(cast(Audience, audience), max([_LEAST, *sizes]) if threshold is None else threshold)

    @property
    def external(self) -> bool:
        """Whether the reader may not see the original."""
        return self.audience == "external"

    def hides(self, count: float) -> bool:
        """Tell whether a count of original records is not to be shown. That there are none points to nobody."""
        return self.external and 0 < count < self.threshold

    def count(self, count: int) -> str:
        """Write a count of original records.

        >>> Discretion("external", 5).count(3), Discretion("internal", 5).count(3)
        ('fewer than 5', '3')
        """
        return f"fewer than {self.threshold}" if self.hides(count) else f"{count:,}"

    def part(self, count: int, total: int) -> str:
        """Write how many of all records something holds for, unless it tells how few it does not hold for.

        >>> Discretion("external", 5).part(18_344, 20_000), Discretion("internal", 5).part(18_344, 20_000)
        ('about 18,300', '18,344')
        """
        if self.hides(total - count):
            return f"more than {total - self.threshold:,}"
        near = int(rounded(count))
        return f"about {near:,}" if self.external and near != count else self.count(count)

    def share(self, count: float, total: int) -> str:
        """Write a share of original records, unless it tells how few there are, or how few there are not."""
        if not total:
            return "–"
        if self.hides(count):
            return f"under {_PERCENT(min(1.0, self.threshold / total))}"
        if self.hides(total - count):
            return f"over {_PERCENT(max(0.0, 1 - self.threshold / total))}"
        return _PERCENT(count / total)

    def drawn(self, count: float, total: int) -> float | None:
        """Give a share for a drawing: None where it is hidden, and 1 where hardly any record is left."""
        if not total or self.hides(count):
            return None
        return 1.0 if self.hides(total - count) else count / total


def percent(share: float) -> str:
    """Write a share of one."""
    return _PERCENT(share)
