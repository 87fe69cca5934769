"""The other files of a case: what methods and proofs read beside its table, such as an earlier release.

A file that was sent lies in the private folder of the session, under its digest, while the case is open: so a decision
that is taken back finds it again. It is kept with the case if that is asked for, and never passed on with it. One that
lies on this computer is copied there, so that nobody changes it meanwhile. A table of the population is such a file,
too, but stays where it lies.
"""

from __future__ import annotations

import shutil
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path
from tempfile import mkdtemp

from shoal.engines.io.digests import of_file
from shoal.errors import ShoalError
from shoal.languages import N_
from shoal.web.cases.decided import OF_CANDIDATES
from shoal.web.cases.decisions import Decisions
from shoal.web.cases.findings import Found
from shoal.web.cases.opening import OpenedCase
from shoal.web.file_access import on_this_computer
from shoal.web.tasks.case_file import CaseFile

_FOLDER = "beside"


class FiledCase(OpenedCase):
    """A case beside whose table other files lie."""

    def take_files(self, paths: Sequence[Path], *, sent: bool) -> None:
        """Decide that files lie beside the table, or copies if they were not sent; of the same name there is one."""
        self._need_file()
        ours = [each if sent else Path(shutil.copy(each, mkdtemp(dir=self.folder))) for each in paths]
        found = [CaseFile(name=each.name, sha256=of_file(each).sha256) for each in ours]
        decided = self.decisions.with_files(found)
        for place, each in zip(ours, found, strict=True):
            self._put_away(place, each)
        self._decide_files(decided)

    def drop_file(self, name: str) -> None:
        """Decide that a file lies beside the table no more."""
        self._need_file()
        self._decide_files(self.decisions.without_file(name))

    def _decide_files(self, decided: Decisions) -> None:
        self.history.decide(N_("other files"), decided)
        self.jobs.cancel(*OF_CANDIDATES)

    def place_of(self, given: CaseFile) -> Path | None:
        """Give where a file lies, if it is still there."""
        with suppress(ShoalError):
            if given.path:
                return on_this_computer(self.settings, given.path)
        places = (folder / _FOLDER / given.sha256 / given.name for folder in (self.folder, self._kept))
        return next((place for place in places if place.is_file()), None)

    @property
    def files_there(self) -> dict[str, Path]:
        """Where the other files lie, those that are still there."""
        places = ((each.name, self.place_of(each)) for each in self.decisions.files)
        return {name: place for name, place in places if place is not None}

    def _reading(self) -> Found:
        """Give what requests say of a table that is protected, and where what lies beside it is."""
        return {**super()._reading(), "beside": self.files_there}

    @property
    def _kept(self) -> Path:
        return self.library.original(self.id)

    def _put_away(self, path: Path, found: CaseFile) -> None:
        """Move a file that was sent to where it stays while the case is open."""
        place = self.folder / _FOLDER / found.sha256 / found.name
        place.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        shutil.move(path, place)
        with suppress(OSError):
            path.parent.rmdir()  # it was made for this file alone

    def _bring_along(self) -> None:
        """Copy what is kept with the case to where a copy of the case finds it while that is open."""
        for each in self.decisions.other_files:
            place = self.place_of(each)
            if place is not None and place.is_relative_to(self._kept):
                target = self.folder / _FOLDER / each.sha256
                target.mkdir(mode=0o700, parents=True, exist_ok=True)
                shutil.copy(place, target)

    def _leave(self, *, keep: bool = False) -> None:
        """Put the case away, and remove the files beside its table, unless they are kept with it and still there."""
        held, gone, kept = self.decisions.other_files, self.file is not None, self._kept
        places = [place for each in held if (place := self.place_of(each)) is not None]
        super()._leave(keep=keep)
        for place in places:
            if keep and place.is_relative_to(self.folder) and self.library.has(kept.stem):
                target = kept / _FOLDER / place.parent.name
                target.mkdir(mode=0o700, parents=True, exist_ok=True)
                shutil.move(place, target / place.name)
        for folder in kept.joinpath(_FOLDER).glob("*"):
            if folder.name not in {each.sha256 for each in held}:  # someone took it away
                shutil.rmtree(folder, ignore_errors=True)
        if gone:  # else the file stays open, and the case with which it is opened next may be about the same people
            shutil.rmtree(self.folder / _FOLDER, ignore_errors=True)
