"""The claims of the paper on a page: those that could have failed first, and apart from them those that could not."""

from __future__ import annotations

from collections.abc import Sequence

from shoal.report.page import Html, Section, verdict
from shoal_paper.reproduction.claims import COUNTED, KINDS, Claim, count


def claim_section(claims: Sequence[Claim]) -> Section:
    """Tell each claim with the published number, the measured one, its interval, the rule, and why it fails."""
    held, counted = count(claims)
    order = [*COUNTED, *(kind for kind in KINDS if kind not in COUNTED)]
    parts = [
        Section(
            kind.capitalize(),
            f"{KINDS[kind].capitalize()}." + ("" if kind in COUNTED else " Not counted."),
            *(_described(claim) for claim in claims if claim.kind == kind),
        )
        for kind in order
        if any(claim.kind == kind for claim in claims)
    ]
    said = f"{held} of {counted} statements that could have failed hold here." if counted else "None counts here."
    return Section("The claims, checked", said, *parts)


def _number(value: float) -> str:
    """Write a number of any kind.

    >>> _number(51), _number(0.2115), _number(1072350)
    ('51', '0.2115', '1,072,350')
    """
    return f"{value:,.0f}" if value == int(value) else f"{value:.4g}"


def _described(claim: Claim) -> Html:
    published = "" if claim.published is None else f"Published: {_number(claim.published)}. "
    measured = _number(claim.measured)
    more = [f"{published}Measured: {measured if measured == claim.shown else f'{measured} ({claim.shown})'}."]
    if claim.low is not None and claim.high is not None:
        more.append(f"In tables made anew: {_number(claim.low)} to {_number(claim.high)}.")
    more.append(f"Holds if: {claim.rule}.")
    if claim.reason:
        more.append(f"Why not: {claim.reason}")
    if claim.kind in COUNTED and not claim.counted:
        more.append("It does not count here, because it is about another number of records.")
    return verdict(claim.text, claim.holds, *more, plain=not claim.counted)
