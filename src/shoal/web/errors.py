"""Errors of the workbench, each with the status that HTTP has for it."""

from __future__ import annotations

from collections.abc import Sequence

from shoal.errors import ShoalError
from shoal.languages import _

USUAL_STATUS = 422  # of errors that know nothing of HTTP: what was asked for cannot be done


class WebError(ShoalError):
    """An error that knows its status."""

    status = USUAL_STATUS


class NotThereError(WebError):
    """What was asked for is not there."""

    status = 404


class StaleError(Exception):
    """A page shows what no longer holds, so that nobody can have meant what it asks for: not that it cannot be done.

    Parameters
    ----------
    changed
        What has changed since, in sentences.
    """

    status = 409

    def __init__(self, changed: Sequence[str]) -> None:
        self.what, self.remedy = _("This changed in another tab; look again."), _("Nothing was done.")
        if changed:
            self.remedy = _("Nothing was done. What changed: %(changes)s.", changes="; ".join(changed))
        super().__init__(self.what)


class TooLargeError(WebError):
    """More was sent than is taken."""

    status = 413
