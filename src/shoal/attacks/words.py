"""How often an attack succeeds, in words."""

from __future__ import annotations

from shoal.attacks.residual import Rate


def share(value: float) -> str:
    """Write a share.

    >>> share(0.25), share(0.00012)
    ('25.00%', '0.012%')
    """
    return f"{value:.2%}" if value == 0 or abs(value) >= 0.0005 else f"{value * 100:.2g}%"


def beside(sentence: str, control: Rate | None) -> str:
    """Set what happens to people who are not in the release beside a sentence."""
    if control is None:
        return f"{sentence}; how often with people who are not in the release is not known."
    return f"{sentence}, and for {share(control.value)} of people who are not in the release."
