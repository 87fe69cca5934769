"""The file of a case that is opened again: only the one that it was decided about will do."""

from __future__ import annotations

import hashlib
from pathlib import Path

from shoal.errors import DataError, ParameterError
from shoal.languages import _
from shoal.web.cases.library import CaseLibrary
from shoal.web.cases.opened_file import Opened
from shoal.web.cases.store import CaseStore
from shoal.web.file_access import on_this_computer
from shoal.web.settings import Settings


def file_of(
    store: CaseStore, library: CaseLibrary, settings: Settings, current: Opened | None, sent: Path | None
) -> Opened:
    """Give the file of a case: the one that was sent for it, that is open, that was kept with it, or at its path.

    Parameters
    ----------
    store
        The case.
    library
        Where files are kept with cases.
    settings
        Which files of this computer may be opened.
    current
        The file that is open now, if it is the same.
    sent
        A file that was sent for it.
    """
    info, wanted = store.info, store.profile.sha256
    kept = library.original(info.id) / info.file
    if sent is not None:
        opened = Opened(sent, info.file, sent=True)
    elif current is not None:
        return current
    elif kept.is_file():
        opened = Opened(kept, info.file, sent=False)
    elif info.path:
        opened = Opened(on_this_computer(settings, info.path), info.file, sent=False)
    else:
        raise ParameterError(
            _("The file of this case was sent, and removed when the case was closed."), _("Send it once more.")
        )
    if wanted is not None and sha256(opened.path) != wanted:
        opened.remove()
        raise DataError(
            _("This is not the file that the case is about: its fingerprint is another one."),
            _("Take the file as it was, or open this one as a new case."),
        )
    return opened


def sha256(path: Path) -> str:
    """Give the digest of a file."""
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()
