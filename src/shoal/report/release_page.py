"""The report of a release as a file."""

from __future__ import annotations

from pathlib import Path

from shoal.certification.certificate import Certificate
from shoal.releases.release import Release
from shoal.report.discretion import Discretion
from shoal.report.page import usable, write_page
from shoal.report.release_report import release_report
from shoal.table import Table


def write_release_report(
    release: Release, original: Table, path: Path, audience: str, certificate: Certificate | None, *, overwrite: bool
) -> None:
    """Write the report of a release; what cannot work is refused before any work is done."""
    needed = [] if original.origin.place is None else [Path(original.origin.place)]
    usable(path, needed, overwrite=overwrite)
    reader = Discretion.towards(audience, ()).audience  # type: ignore[arg-type]
    write_page(path, release_report(release, original, audience=reader, certificate=certificate), overwrite=overwrite)
