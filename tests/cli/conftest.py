"""A desk to work at: a folder of its own, files put there, commands run there as a user would."""

import io
import json
import os
import subprocess
import sys
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from shoal.cli import main

SECRET = "SECRET-123"
TABLE = f"age,zip,note\n34,93701,{SECRET}\n35,93702,x\n61,93711,y\n62,93712,z\n"
ROLES = ("--quasi", "age,zip", "--sensitive", "note")

PEOPLE = """\
age,zip,sex,charge
34,93701,m,100
35,93702,f,200
61,93711,m,300
62,93712,f,400
33,93705,m,150
64,93799,f,900
"""


@dataclass(frozen=True)
class Outcome:
    """What a command gave back, and which files it made or changed."""

    code: int
    out: str
    err: str
    left: tuple[str, ...]

    def json(self) -> Any:
        """Give the one JSON object on stdout; anything beside it is an error."""
        assert self.code == 0, self.err
        assert self.err == ""
        return json.loads(self.out)

    def fine(self) -> "Outcome":
        assert self.code == 0, self.err
        return self

    def refused(self, code: int, *words: str) -> None:
        """Check that nothing was done, and that what went wrong and what to do next was said without showing a cell."""
        assert self.code == code, self.err
        assert self.left == ()
        assert self.out == ""
        what, *remedy = self.err.splitlines()
        assert what.startswith("✗ ")
        assert remedy
        assert all(line.strip() for line in remedy)
        assert "Traceback" not in self.err
        assert SECRET not in self.err
        for word in words:
            assert word in self.err, f"{word!r} is not said: {self.err}"


class Desk:
    """A folder with files in it, which is where commands are run."""

    def __init__(self, folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        self.folder, self._monkeypatch = folder, monkeypatch
        monkeypatch.chdir(folder)

    def put(self, name: str, content: str | bytes) -> Path:
        path = self.folder / name
        path.write_bytes(content if isinstance(content, bytes) else content.encode())
        return path

    def read(self, name: str) -> str:
        return (self.folder / name).read_bytes().decode()

    def paper(self, name: str = "out.certificate.json") -> Mapping[str, Any]:
        """Give a certificate but for what is drawn anew in every release: the commitment, and so the digest."""
        content = json.loads(self.read(name))
        assert content["input"].pop("commitment")
        assert content.pop("digest")
        return content

    def _look(self) -> Mapping[str, bytes | None]:
        inside = [path for path in self.folder.rglob("*") if path.is_symlink() or not path.is_dir()]
        return {str(path.relative_to(self.folder)): path.read_bytes() if path.is_file() else None for path in inside}

    def run(self, *arguments: object, stdin: bytes | None = None) -> Outcome:
        """Run a command in this process."""
        before = self._look()
        out, err = (io.TextIOWrapper(io.BytesIO(), encoding="utf-8", write_through=True) for _ in range(2))
        with self._monkeypatch.context() as patch:
            patch.setattr(sys, "argv", ["shoal", *map(str, arguments)])
            patch.setattr(sys, "stdout", out)
            patch.setattr(sys, "stderr", err)
            if stdin is not None:
                patch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(stdin)))
            with pytest.raises(SystemExit) as end:
                main()
        after = self._look()
        left = tuple(sorted(name for name in after if name not in before or after[name] != before[name]))
        shown = [stream.buffer.getvalue().decode() for stream in (out, err)]
        return Outcome(int(end.value.code or 0), *shown, left)

    def start(self, *arguments: object, **settings: Any) -> subprocess.CompletedProcess[bytes]:
        """Run a command in a process of its own."""
        settings = {"capture_output": True, "timeout": 60, "cwd": self.folder, **settings}
        return subprocess.run([sys.executable, "-m", "shoal", *map(str, arguments)], **settings)

    row_order = "released"

    def mask(self, text: str | bytes, *arguments: object, k: int = 2) -> Outcome:
        """Anonymize a table from in.csv to out.csv by the paper's algorithms, whose releases are known.

        What an earlier one wrote is replaced.
        """
        self.put("in.csv", text)
        way = "stratified-clusters" if "--t" in arguments else "sorted-clusters"
        method = () if "--method" in arguments else ("--method", way)
        order = ("--row-order", self.row_order)
        return self.run("anonymize", "in.csv", "--out", "out.csv", "--overwrite", "--k", k, *method, *order, *arguments)

    def check(self, *arguments: object) -> Outcome:
        """Check out.csv against the certificate that lies beside it."""
        return self.run("check", "out.csv", "--certificate", "out.certificate.json", *arguments)


@pytest.fixture
def desk(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Desk:
    for name in ("SHOAL_DEBUG", "FORCE_COLOR", "COLUMNS"):
        monkeypatch.delenv(name, raising=False)
    return Desk(tmp_path, monkeypatch)


@pytest.fixture
def people() -> str:
    """Give a small table of four columns: age, zip, sex and the confidential charge."""
    return PEOPLE


@pytest.fixture
def secret() -> str:
    """Give a cell that no message may show."""
    return SECRET


@pytest.fixture
def not_root() -> None:
    if hasattr(os, "geteuid") and os.geteuid() == 0:
        pytest.skip("the superuser may write everywhere")
