"""How a server is set up."""

from __future__ import annotations

import os
import sys
from dataclasses import dataclass, field
from pathlib import Path

from shoal.engines.file_forms import COMPRESSED, TYPED

USUAL_PORT = 8642
SUFFIXES = (".csv", ".tsv", ".txt", ".dat", *COMPRESSED, *TYPED)


def kept_by_default() -> Path:
    """Give the folder for releases that are to stay: where the system keeps what programs make for their users."""
    if sys.platform == "win32":
        start = Path(os.environ.get("LOCALAPPDATA", Path.home()))
    elif sys.platform == "darwin":
        start = Path.home() / "Library" / "Application Support"
    else:
        start = Path(os.environ.get("XDG_DATA_HOME") or Path.home() / ".local" / "share")
    return start / "shoal" / "releases"


@dataclass(frozen=True)
class Settings:
    """What was said when the server was started.

    Parameters
    ----------
    host, port
        Where it listens.
    token
        What everybody must show who wants to come in; None if all on this computer may.
    folders
        Folders whose files can be opened without being sent.
    first
        A file to open at once.
    ledger
        The ledger of a budget from which questions are answered.
    kept
        Where releases go that are to outlive the server.
    most_bytes, most_columns
        The largest file, and the widest one.
    sign, seal
        The files of the pair of keys that signs certificates of risk, and of the shared key of their MAC.
    large
        The size from which a file is first looked at in part; the usual one if left out.
    """

    host: str = "127.0.0.1"
    port: int = USUAL_PORT
    token: str | None = field(default=None, repr=False)
    folders: tuple[Path, ...] = ()
    first: Path | None = None
    ledger: Path | None = None
    kept: Path = field(default_factory=kept_by_default)
    sign: Path | None = None
    seal: Path | None = None
    most_bytes: int = 4 << 30
    most_columns: int = 1000
    large: int | None = None
