"""What is asked and given of attacks on a candidate."""

from __future__ import annotations

from shoal.web.tasks.messages import CandidateSpec, Message, RolesRequest


class AttackRequest(RolesRequest):
    """Attack a candidate, made from all rows but those of some people who are set aside."""

    candidate: CandidateSpec


class AttackSuccess(Message):
    """How often an attack succeeds: see `shoal.attacks.Success`."""

    name: str
    rate: float
    control: float | None
    residual: float | None
    low: float | None
    high: float | None


class AttackSummary(Message):
    """How a candidate was attacked.

    Attributes
    ----------
    key
        The name of the candidate.
    attacks
        How often each attack succeeds.
    problem
        Why nothing was attacked.
    """

    key: str
    attacks: tuple[AttackSuccess, ...] = ()
    problem: str = ""
