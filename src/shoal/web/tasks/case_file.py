"""A file of a case, which may come from other people: its name leads nowhere but into the folder that it lies in."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

from pydantic import AfterValidator, Field

from shoal.web.tasks.messages import Message


def _within_a_folder(name: str) -> str:
    """Refuse what would lead out of the folder that a file of this name lies in."""
    if name == ".." or name != Path(name).name or "\0" in name:
        raise ValueError("no name of a file")
    return name


NameOfFile = Annotated[str, AfterValidator(_within_a_folder)]


class CaseFile(Message):
    """A file beside the table of a case: what it is called, its digest, and where it lies if it was opened."""

    name: NameOfFile
    sha256: Annotated[str, Field(pattern="^[0-9a-f]{64}$")]
    path: str = ""
