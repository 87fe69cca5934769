"""Libraries that not everyone needs, and how they are installed where this runs."""

from __future__ import annotations

import re
import shlex
import sys
from importlib.util import find_spec
from pathlib import Path

from shoal.errors import ParameterError

_NEED = re.compile(r"(?P<need>[^;]+);(?P<when>.*\bextra == ['\"](?P<extra>[\w-]+)['\"].*)")


def missing(what: str, extra: str, otherwise: str = "") -> ParameterError:
    """Say that something needs a library that is not installed, and what installs it here."""
    return ParameterError(f"{what}, which is not installed.", f"{how_to_install(extra)}\n{otherwise}".strip())


def how_to_install(extra: str) -> str:
    """Give what installs the libraries of an extra for the Python that runs this.

    A checkout has its own way, which takes versions that were tried. shoal is in no index of packages, so elsewhere the
    libraries are named.
    """
    checkout = Path(__file__).parents[2]
    own = checkout / ".venv"
    if (checkout / "Makefile").is_file() and own.is_dir() and own.samefile(sys.prefix):
        place = "" if Path.cwd() == checkout else f"-C {shlex.quote(str(checkout))} "
        return f"Run: make {place}install EXTRAS={extra}"
    needs = _needs(extra)
    if not needs:
        return f"Install what 'shoal[{extra}]' needs for {sys.executable}"
    if extra == "paper":  # in no index either: who asks one for it may be given something else under that name
        found = "the folder 'paper' of shoal's checkout, or the wheel that 'make wheels' makes of it"
        return f"Install {found}, for {sys.executable}"
    if find_spec("pip") is None:
        return f"Install {' and '.join(needs)} for {sys.executable}"
    return f"Run: {shlex.join([sys.executable, '-m', 'pip', 'install', *needs])}"


def _needs(extra: str) -> list[str]:
    """Give the libraries of an extra, as the package says."""
    from importlib.metadata import PackageNotFoundError, requires  # only who lacks one needs it

    try:
        found = [_NEED.fullmatch(need) for need in requires("shoal") or ()]
    except PackageNotFoundError:
        return []
    here = [need for need in found if need and need["extra"] == extra]
    return [need["need"].strip() for need in here if sys.platform != "win32" or "win32" not in need["when"]]
