"""Attacks on a release: how often each succeeds, and how often it would with people who are not in the release.

An attack that succeeds as often with people of whom no record was released has learned what the release says of
everyone, and nothing of anyone. So the rate of success stands beside a control, and what is left is the residual risk.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, ClassVar, Protocol

from shoal.attacks.residual import Rate, residual
from shoal.attacks.scene import Scene
from shoal.lazy import attach

if TYPE_CHECKING:  # The one list of what there is, in the order in which it is tried. An entry is named as its file is.
    # isort: off
    from shoal.attacks.linkability import Linkability as Linkability
    from shoal.attacks.inference import Inference as Inference
    from shoal.attacks.singling_out import SinglingOut as SinglingOut
    from shoal.attacks.record_linkage import RecordLinkage as RecordLinkage
    from shoal.attacks.membership import Membership as Membership
    from shoal.attacks.closest_rows import ClosestRows as ClosestRows
    from shoal.attacks.shared_secrets import SharedSecrets as SharedSecrets
    from shoal.attacks.range_ends import RangeEnds as RangeEnds
    from shoal.attacks.downcoding import Downcoding as Downcoding
    from shoal.attacks.row_order import OrderOfRows as OrderOfRows
    from shoal.attacks.class_order import OrderOfClasses as OrderOfClasses
    from shoal.attacks.minimality import Minimality as Minimality
    from shoal.attacks.several_rows import RowsOfOnePerson as RowsOfOnePerson
    from shoal.attacks.intersection import Intersection as Intersection
    # isort: on
else:
    __getattr__, __dir__ = attach(__name__, __file__)


@dataclass(frozen=True)
class Success:
    """How often an attack succeeded.

    Attributes
    ----------
    name
        What was attempted, in words.
    rate
        How often it succeeded with people whose records were released.
    control
        How often it succeeds with people whose records were not released; None if nobody is known to be such a one.
    residual
        What is left of the rate beyond the control, as a share of what the control leaves: (rate - control) / (1 -
        control). None if there is no control, or if it succeeds with everyone.
    low, high
        The bounds of the residual: 95 % where people were sampled, and the residual itself where it is exact.
    sentence
        What that means, in one sentence.
    detail
        The numbers behind it.
    """

    name: str
    rate: float
    control: float | None
    residual: float | None
    low: float | None
    high: float | None
    sentence: str
    detail: Mapping[str, Any] = field(default_factory=dict)

    @classmethod
    def of(cls, name: str, rate: Rate, control: Rate | None, sentence: str, detail: Mapping[str, Any]) -> Success:
        """Set a rate beside its control."""
        known = None if control is None else control.value
        return cls(name, rate.value, known, *residual(rate, control), sentence=sentence, detail=detail)


class Attack(Protocol):
    """Something that is attempted with a release.

    An attack needs more than every scene has: people who are not in the release, or a secret. What it lacks it says.
    """

    name: ClassVar[str]

    def lacks(self, scene: Scene) -> str | None:
        """Say what would have to be known for it to be attempted; None if nothing is lacking."""
        ...

    def successes(self, scene: Scene) -> tuple[Success, ...]:
        """Attempt it, and tell how often it succeeded: once for each way in which it was attempted."""
        ...
