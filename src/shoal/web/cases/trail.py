"""The trail of a case: what was decided, confirmed and written, and when."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import pairwise
from operator import itemgetter
from typing import Any

from shoal.languages import _
from shoal.web.cases.changes import changes
from shoal.web.cases.history import Version


def trail(versions: Sequence[Version], releases: Mapping[str, Mapping[str, Any]]) -> list[tuple[str, str]]:
    """Give moments and what happened then, the last first."""
    steps = [(after.at, "; ".join(changes(before.decisions, after.decisions))) for before, after in pairwise(versions)]
    steps += [(each["written"], release_line(each)) for each in releases.values()]
    known = [(at, what) for at, what in reversed(steps) if what]
    return sorted(known, key=itemgetter(0), reverse=True)  # of one moment, what came last stays first


def release_line(release: Mapping[str, Any]) -> str:
    """Say what was written, and who confirmed what.

    >>> release_line({"label": "hilbert, k = 5", "approver": "Ada", "confirmations": ["I have looked."]})
    'Written: hilbert, k = 5. Approved by Ada. Confirmed: I have looked.'
    """
    said = [_("Written: %(choice)s.", choice=release["label"])]
    if release.get("approver"):
        said.append(_("Approved by %(name)s.", name=release["approver"]))
    if release.get("confirmations"):
        said.append(_("Confirmed: %(what)s", what=" ".join(map(_, release["confirmations"]))))
    return " ".join(said)
