"""Whether what a certificate claims and what was found agree."""

from __future__ import annotations

import json
import math
from collections.abc import Mapping
from typing import Any

from shoal.certification.certificate import exact_score, rounded
from shoal.errors import CertificateError
from shoal.measures import Score


def alike(found: Any, claimed: Any) -> bool:
    """Tell whether two measurements agree; sums may be taken in another order, which changes their last digits."""
    if isinstance(found, Mapping) and isinstance(claimed, Mapping):
        return found.keys() == claimed.keys() and all(alike(found[key], claimed[key]) for key in found)
    if isinstance(found, float) and isinstance(claimed, float):
        return math.isclose(found, claimed, rel_tol=1e-9, abs_tol=1e-12)
    if isinstance(found, list) and isinstance(claimed, list):
        return len(found) == len(claimed) and all(map(alike, found, claimed))
    return bool(found == claimed)


def same(what: str, found: Any, claimed: Any) -> None:
    """Insist that something was found as it is claimed."""
    if not alike(found, claimed):
        raise CertificateError(f"The certificate does not say what the file shows: {what}.", "Do not rely on either.")


def rounds_to(found: Score, claim: Mapping[str, Any]) -> bool:
    """Compare with a rounded score. What lies on the edge between two may have been rounded either way."""
    if "detail" in claim:  # of the first version, which did not round
        return alike(json.loads(json.dumps(exact_score(found))), claim)
    parts = ("value",) if found.lower == found.upper else ("value", "lower", "upper")
    if sorted(claim) != sorted(("measure", *parts)) or any(type(claim[part]) not in (int, float) for part in parts):
        return False
    for part in parts:
        value = float(getattr(found, part))
        near = {rounded(value * (1 + nudge)) for nudge in (-1e-9, 0.0, 1e-9)}
        if not any(alike(each, float(claim[part])) for each in near):
            return False
    return True
