"""The forms of files that a release can be written in: each by one ending of its name, and what writing it needs."""

from __future__ import annotations

from collections.abc import Hashable
from dataclasses import dataclass
from functools import cache
from importlib.util import find_spec
from pathlib import Path

from shoal.engines.file_forms import COMPRESSED, TYPED, FileForm, FileKind, form_of
from shoal.engines.io.file_extensions import TEXTS, delimiter_for, is_written, refuse_other_formats
from shoal.engines.sources import Source
from shoal.errors import ParameterError, suggest
from shoal.extras import missing

_PACKED: tuple[FileKind, ...] = ("text", "json lines")  # all others are compressed in themselves
# What brings the libraries that write files of a form, and read them again to prove a release.
_EXTRAS: dict[FileKind, tuple[str, tuple[str, ...]]] = {
    "labelled": ("stats", ("pyreadstat", "polars")),
    "excel": ("excel", ("xlsxwriter", "fastexcel")),
}


@dataclass(frozen=True)
class WrittenForm:
    """A form that a release can be written in.

    Attributes
    ----------
    ending
        How the name of such a file ends.
    form
        What it is.
    """

    ending: str
    form: FileForm

    @property
    def extra(self) -> str:
        """What has to be installed to write it and to prove it; empty if nothing has."""
        return _EXTRAS.get(self.form.form, ("", ()))[0]

    @property
    def installed(self) -> bool:
        """Whether it can be written and proved here."""
        return all(find_spec(library) is not None for library in _EXTRAS.get(self.form.form, ("", ()))[1])


@cache
def written_forms() -> tuple[WrittenForm, ...]:
    """Give all forms that files are written in; of endings that mean the same, the first.

    >>> [each.ending for each in written_forms()][:7]
    ['.csv', '.csv.gz', '.csv.zst', '.csv.bz2', '.csv.xz', '.csv.zip', '.tsv']
    """
    found: dict[Hashable, WrittenForm] = {}
    for bare in (*TEXTS, *TYPED):
        form = form_of(Path(f"release{bare}"))
        for packed in ("", *COMPRESSED) if form.form in _PACKED else ("",):
            path = Path(f"release{bare}{packed}")
            own = bare if form.form == "labelled" else delimiter_for(Source("file", path))
            if is_written(path):
                found.setdefault((form, own, packed), WrittenForm(bare + packed, form))
    return tuple(found.values())


def written_form(ending: str) -> WrittenForm:
    """Give the form of files whose names have this ending, if it is written and what that needs is installed."""
    known = {each.ending: each for each in written_forms()}
    if ending not in known:
        refuse_other_formats(Source("file", Path(f"release{ending}")))
        near = suggest(ending, known)
        raise ParameterError(
            f"A release is not written as '{ending}'.",
            f"Did you mean '{near}'?" if near else f"Choose one of: {', '.join(known)}.",
        )
    found = known[ending]
    if not found.installed:
        raise missing(f"A release as {ending} needs other libraries", found.extra, "Or choose .csv or .parquet.")
    return found
