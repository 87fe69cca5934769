"""The file of a case that is opened again: only the one that it was decided about will do."""

from __future__ import annotations

from pathlib import Path

from shoal.atomic_files.lakehouses import lakehouse_at
from shoal.engines.io.digests import of_file, of_folder
from shoal.errors import DataError, ParameterError
from shoal.languages import _
from shoal.web.cases.library import CaseLibrary
from shoal.web.cases.opened_file import Opened
from shoal.web.cases.store import CaseStore
from shoal.web.file_access import on_this_computer
from shoal.web.settings import Settings
from shoal.web.tasks.messages import Layout


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
        opened = Opened(on_this_computer(settings, info.path, folders=True), info.file, sent=False)
    else:
        raise ParameterError(
            _("The file of this case was sent, and removed when the case was closed."), _("Send it once more.")
        )
    if wanted is not None and sha256(opened.path, store.versions()[-1].decisions.layout) != wanted:
        opened.remove()
        raise DataError(
            _("This is not the file that the case is about: its fingerprint is another one."),
            _("Take the file as it was, or open this one as a new case."),
        )
    return opened


def sha256(path: Path, layout: Layout) -> str:
    """Give the digest of a file, of the files in a folder, or of the rows of a lakehouse in a version."""
    if lakehouse_at(path) is not None:
        from shoal.engines.io.lakehouse_reader import digest_of_lakehouse

        return digest_of_lakehouse(path, layout.at_version)
    return (of_folder(path) if path.is_dir() else of_file(path)).sha256
