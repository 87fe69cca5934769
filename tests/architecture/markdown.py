"""Documents as programs: the code blocks of a Markdown page, run from top to bottom, and what they show."""

import contextlib
import io
import os
import re
import shlex
import subprocess
import sys
from dataclasses import dataclass, field
from pathlib import Path

from architecture.source import PACKAGE, PAPER

BLOCK = re.compile(r"^```(\w*)\n(.*?)^```$", re.MULTILINE | re.DOTALL)
COMMAND = re.compile(r"^\$ (.*(?:\\\n.*)*)\n?", re.MULTILINE)
ANYTHING = "…"


@dataclass(frozen=True)
class Block:
    """A piece of code on a page."""

    language: str
    text: str
    line: int


def blocks(page: str) -> list[Block]:
    return [Block(found[1], found[2], page[: found.start()].count("\n") + 1) for found in BLOCK.finditer(page)]


def tables(page: str) -> list[list[list[str]]]:
    """Give the tables of a page, each with its head and rows."""
    found = re.findall(r"(?:^\|.*\|\n)+", page, re.MULTILINE)
    rows = [[[cell.strip() for cell in line.strip("|").split("|")] for line in text.splitlines()] for text in found]
    return [[table[0], *table[2:]] for table in rows]


def matches(shown: str, found: str) -> bool:
    """Compare what a page shows with what came out; a line with only an ellipsis stands for any lines."""
    parts: list[list[str]] = [[]]
    for line in shown.strip("\n").splitlines():
        if line.strip() == ANYTHING:
            parts.append([])
        else:
            parts[-1].append(line.rstrip())
    pattern = r"(?:.*\n)*?".join("".join(re.escape(line) + r"\n" for line in part) for part in parts)
    lines = [line.rstrip() for line in found.strip("\n").splitlines()]
    return re.fullmatch(pattern, "".join(f"{line}\n" for line in lines)) is not None


@dataclass
class Page:
    """A page that is being run: its Python names, the last exit code, and what its last block printed."""

    path: Path
    names: dict = field(default_factory=lambda: {"__name__": "page"})
    code: int = 0
    printed: str | None = None

    def run(self) -> int:
        """Run all blocks in the present folder and give their number."""
        ran = 0
        for block in blocks(self.path.read_text(encoding="utf-8")):
            where = f"{self.path.name}, line {block.line}"
            if block.language == "python":
                self.printed = self._python(block, where)
                ran += 1
                continue
            if block.language == "text" and self.printed is not None:
                self._expect(where, block.text, self.printed)
            elif block.language == "console":
                ran += self._console(block, where)
            self.printed = None
        return ran

    def _python(self, block: Block, where: str) -> str:
        out = io.StringIO()
        with contextlib.redirect_stdout(out):
            exec(compile("\n" * block.line + block.text, where, "exec"), self.names)
        return out.getvalue()

    def _console(self, block: Block, where: str) -> int:
        pieces = COMMAND.split(block.text)
        assert not pieces[0], f"{where}: a console block begins with a command"
        for line, shown in zip(pieces[1::2], pieces[2::2], strict=True):
            self._expect(f"{where}: {line}", shown, self._command(line))
        return len(pieces) // 2

    def _command(self, line: str) -> str:
        if line == "echo $?":
            return f"{self.code}\n"
        name, *arguments = shlex.split(line.replace("\\\n", " "))
        if name == "cat":
            return Path(arguments[0]).read_text(encoding="utf-8")
        if name == "head":
            lines = Path(arguments[1]).read_text(encoding="utf-8").splitlines(keepends=True)
            return "".join(lines[: -int(arguments[0])])
        assert name == "shoal", f"a page may run shoal, cat, head and echo, not {name}"
        done = shoal_command(*arguments)
        self.code = done.returncode
        return done.stdout

    def _expect(self, where: str, shown: str, found: str) -> None:
        assert matches(shown, found), f"{where}\n--- the page shows\n{shown}\n--- what came out\n{found}"


def shoal_command(*arguments: str) -> subprocess.CompletedProcess[str]:
    """Run a command for real; errors stand among the results, as on a screen."""
    places = [str(PACKAGE.parent), str(PAPER.parent), *filter(None, [os.environ.get("PYTHONPATH")])]
    surroundings = {**os.environ, "PYTHONPATH": os.pathsep.join(places), "PYTHONIOENCODING": "utf-8"}
    return subprocess.run(
        [sys.executable, "-m", "shoal", *arguments],
        env=surroundings,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        encoding="utf-8",
        timeout=300,
    )
