"""The other files of a case: earlier releases with their papers, and what else methods read beside the table."""

from __future__ import annotations

from typing import Annotated

from fastapi import Query
from fastapi.responses import HTMLResponse
from pydantic import BaseModel

from shoal.certification.papers import certificate_beside, private_beside
from shoal.engines.sources import Source
from shoal.languages import _
from shoal.web.cases.decisions import certificate_of
from shoal.web.file_access import offered, on_this_computer
from shoal.web.page_templates import page
from shoal.web.routes.data import FilePath
from shoal.web.routes.shared import BYTES, Here, SentOther, Shown, routers

api, pages = routers()


class OtherFile(BaseModel):
    """A file beside the table."""

    name: str
    sha256: str
    there: bool
    kind: str


def _kind(name: str, among: set[str]) -> str:
    """Say what a file is by its name, and by those beside it."""
    if name.endswith(".certificate.json"):
        return _("a certificate")
    if name.endswith(".private.json"):
        return _("a private record")
    if certificate_of(name) in among:
        return _("an earlier release")
    return _("a file; a release if you add its certificate")


@api.get("/files")
def files(case: Here) -> list[OtherFile]:
    """List the files beside the table, and whether they are still there."""
    there, names = case.files_there, {each.name for each in case.decisions.files}
    return [
        OtherFile(name=each.name, sha256=each.sha256, there=each.name in there, kind=_kind(each.name, names))
        for each in case.decisions.files
    ]


@api.put("/files", openapi_extra={"requestBody": BYTES})
def send(case: Here, shown: Shown, sent: SentOther) -> list[OtherFile]:
    """Send a file that lies beside the table, as the bytes of the request: an earlier release, or one of its papers."""
    with case.changing(shown):
        case.take_files([sent], sent=True)
    return files(case)


@api.post("/files/open")
def open_file(case: Here, shown: Shown, given: FilePath) -> list[OtherFile]:
    """Take a file that lies on this computer, in a folder named when the server was started, with papers beside it."""
    place = on_this_computer(case.settings, given.path)
    papers = [certificate_beside(Source("file", place))]
    papers.append(private_beside(Source("file", place), papers[0]))
    there = [each for each in papers if each.is_file() and not each.is_symlink()]
    with case.changing(shown):
        case.take_files([place, *there], sent=False)
    return files(case)


@api.post("/files/releases/{id}")
def lay_beside(case: Here, shown: Shown, id: str) -> list[OtherFile]:
    """Take a release that was written, or is kept, as an earlier one: its table, certificate and private record."""
    with case.changing(shown):
        case.lay_beside(id)
    return files(case)


@api.delete("/files/{name}", status_code=204)
def drop(case: Here, shown: Shown, name: str) -> None:
    """Let a file lie beside the table no more."""
    with case.changing(shown):
        case.drop_file(name)


pages.by_form("/files/send", send, "/files")
pages.by_form("/files/remove", drop, "/files")
pages.by_form("/files/open", open_file, "/files")
pages.by_form("/files/releases/{id}", lay_beside, "/files?back=release")


@pages.get("/files")
def show(case: Here, back: Annotated[str, Query(max_length=20)] = "protect") -> HTMLResponse:
    """Show the files beside the table."""
    others = files(case) if case.file else []
    on_disk = offered(case.settings)
    written = [each for each in reversed(case.releases.values()) if not case.lies_beside(each)] if case.file else []
    back = "release" if back == "release" else "protect"
    return page(case, "files", others=others, on_disk=on_disk, written=written, back=back)
