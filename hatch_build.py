"""Compile the kernels when the package is built: one shared library from the C files beside them."""

from __future__ import annotations

import importlib.util
import os
import platform
import shlex
import shutil
import subprocess
import sys
import sysconfig
import tempfile
from pathlib import Path
from typing import Any

from hatchling.builders.hooks.plugin.interface import BuildHookInterface

FOLDER = Path(__file__).parent / "src" / "shoal" / "kernels"
# Results must not depend on the machine: no fused multiply-add, no instructions that only some processors have.
FLAGS = (
    "-O3", "-std=c11", "-shared", "-fPIC", "-fvisibility=hidden", "-ffp-contract=off", "-fno-math-errno", "-Wall",
    # A function that a compiler does not know would be looked for when the library is loaded, and not be found.
    "-Werror=implicit-function-declaration",
)  # fmt: skip


def compiler() -> list[str]:
    """Give the user's compiler (CC), or the one that comes as a Python package, or one that is installed."""
    if os.environ.get("CC"):
        return shlex.split(os.environ["CC"])
    if importlib.util.find_spec("ziglang"):
        # On this architecture NumPy itself asks for processors of the second level.
        level = "x86_64_v2" if platform.machine().lower() in ("x86_64", "amd64") else "baseline"
        return [sys.executable, "-m", "ziglang", "cc", f"-mcpu={level}"]
    for name in ("cc", "gcc", "clang"):
        if shutil.which(name):
            return [name]
    raise SystemExit("shoal needs a C compiler to be built. Install one, or: pip install ziglang")


def build(target: Path, *flags: str) -> None:
    """Compile and link all kernels, under a temporary name first; further flags are for those who look for faults."""
    sources = sorted(str(path) for path in FOLDER.glob("*.c"))
    with tempfile.TemporaryDirectory() as scratch:
        draft = Path(scratch) / target.name
        places = {"ZIG_GLOBAL_CACHE_DIR": scratch, "ZIG_LOCAL_CACHE_DIR": scratch}
        libraries = [] if os.name == "nt" else ["-lm"]
        command = [*compiler(), *FLAGS, *flags, *sources, "-o", str(draft), *libraries]
        subprocess.run(command, check=True, env={**places, **os.environ})
        shutil.copy(draft, target.with_suffix(".part"))
        target.with_suffix(".part").replace(target)


class KernelHook(BuildHookInterface):  # type: ignore[type-arg]
    """Put the compiled library into the package."""

    def initialize(self, version: str, build_data: dict[str, Any]) -> None:
        """Compile before the files are gathered; the wheel is for this platform, and for any Python."""
        suffix = {"nt": ".dll"}.get(os.name, ".dylib" if sys.platform == "darwin" else ".so")
        build(FOLDER / f"_native{suffix}")
        build_data["pure_python"] = False
        build_data["tag"] = f"py3-none-{sysconfig.get_platform().replace('-', '_').replace('.', '_')}"


if __name__ == "__main__":
    target, *further = sys.argv[1:] or [str(FOLDER / "_native.so")]
    build(Path(target), *further)
