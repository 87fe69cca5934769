"""What a study was made from: its tables, the code, the libraries, the machine and the seeds."""

from __future__ import annotations

import hashlib
import platform
import subprocess
import sys
from functools import cache
from importlib.metadata import version
from importlib.resources import files
from pathlib import Path

from shoal.version import VERSION
from shoal_paper.reproduction.case import Case

# What computes: shoal, and what the study adds to it.
_PACKAGES = tuple(Path(str(files(name))).resolve() for name in ("shoal", "shoal_paper"))
# What computes, by the name of its module and the one it is installed by. The engine loads what a study needs of them.
_LIBRARIES = {
    "numpy": "numpy", "pyarrow": "pyarrow", "polars": "polars", "pandas": "pandas", "duckdb": "duckdb",
    "scipy": "scipy", "sklearn": "scikit-learn", "pyspark": "pyspark",
}  # fmt: skip


def provenance(case: Case, seed: int) -> dict[str, str | int | None]:
    """Tell what is needed to make a study again and get the same numbers.

    Parameters
    ----------
    case
        The table that was studied.
    seed
        The seed of made-up records.
    """
    return {
        "data": "stand-in" if case.made_up else case.records.pd.origin.name,
        "records": case.table.rows,
        "kind of table": case.setting.name,
        "secret": case.setting.where,
        "seed": seed if case.made_up else None,
        "seed of regeneration": case.seed,
        **{f"SHA-256 of {name}": digest for name, digest in case.records.sha256.items()},
        **software(),
    }


def software() -> dict[str, str | int | None]:
    """Tell what computes here."""
    return {
        "shoal": VERSION,
        "SHA-256 of the code": code_sha256(),
        "commit": _commit(),
        "Python": f"{platform.python_implementation()} {platform.python_version()}",
        "libraries": ", ".join(f"{name} {version(name)}" for name in _loaded()),
        "machine": f"{platform.system()} {platform.machine()}",
    }


@cache
def code_sha256() -> str:
    """Give the SHA-256 of all files of both packages but what is compiled, whatever their version says.

    It is that of a list as `sha256sum` writes it: for each file, in the order of their paths byte by byte, the SHA-256
    of its content, two spaces and its path, which begins with its package. A package that was installed has no C files,
    and so another digest than its source.
    """
    found = {
        path.relative_to(package.parent).as_posix(): path
        for package in _PACKAGES
        for path in package.rglob("*")
        if _is_source(path)
    }
    lines = (f"{hashlib.sha256(found[name].read_bytes()).hexdigest()}  {name}\n" for name in sorted(found))
    return hashlib.sha256("".join(lines).encode()).hexdigest()


def _is_source(path: Path) -> bool:
    compiled = path.name.startswith(("_native.", ".")) or path.suffix in (".pyc", ".pyo", ".part")
    return path.is_file() and not compiled and "__pycache__" not in path.parts


def _loaded() -> list[str]:
    return [name for module, name in _LIBRARIES.items() if module in sys.modules]


def _commit() -> str | None:
    """Give the commit of the code, and whether the code differs from it; None where it is not in a checkout."""
    root = _PACKAGES[0].parents[1]
    if not (root / ".git").exists() or not (root / "pyproject.toml").exists():  # and not in a checkout of others
        return None
    try:
        head, changes = (
            subprocess.run(["git", "-C", root, *asked], capture_output=True, text=True, check=True).stdout.strip()
            for asked in (("rev-parse", "HEAD"), ("status", "--porcelain", "--", "src", "paper"))
        )
    except (OSError, subprocess.CalledProcessError):
        return None
    return f"{head} with changes" if changes else head
