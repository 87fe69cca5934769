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


# The wheels that an index accepts: what the compiler is told of each platform. One wheel serves every Python there.
WHEELS = {
    "manylinux_2_28_x86_64": "x86_64-linux-gnu.2.28",
    "manylinux_2_28_aarch64": "aarch64-linux-gnu.2.28",
    "musllinux_1_2_x86_64": "x86_64-linux-musl",
    "musllinux_1_2_aarch64": "aarch64-linux-musl",
    "macosx_11_0_x86_64": "x86_64-macos.11.0",
    "macosx_11_0_arm64": "aarch64-macos.11.0",
    "win_amd64": "x86_64-windows-gnu",
}


def compiler(target: str | None = None) -> list[str]:
    """Give the compiler for a platform of `WHEELS`.

    For this one it is the user's (CC), or the one that comes as a Python package, or one that is installed.
    """
    if target is None and os.environ.get("CC"):
        return shlex.split(os.environ["CC"])
    if importlib.util.find_spec("ziglang"):
        # On this architecture NumPy itself asks for processors of the second level.
        machine = platform.machine() if target is None else target
        level = "x86_64_v2" if machine.lower().startswith(("x86_64", "amd64")) else "baseline"
        across = [] if target is None else ["-target", target]
        return [sys.executable, "-m", "ziglang", "cc", f"-mcpu={level}", *across]
    for name in ("cc", "gcc", "clang"):
        if target is None and shutil.which(name):
            return [name]
    raise SystemExit("shoal needs a C compiler to be built. Install one, or: pip install ziglang")


def build(library: Path, *flags: str, target: str | None = None) -> None:
    """Compile and link all kernels, under a temporary name first; further flags are for those who look for faults."""
    sources = sorted(str(path) for path in FOLDER.glob("*.c"))
    with tempfile.TemporaryDirectory() as scratch:
        draft = Path(scratch) / library.name
        places = {"ZIG_GLOBAL_CACHE_DIR": scratch, "ZIG_LOCAL_CACHE_DIR": scratch}
        libraries = [] if library.suffix == ".dll" else ["-lm"]
        command = [*compiler(target), *FLAGS, *flags, *sources, "-o", str(draft), *libraries]
        subprocess.run(command, check=True, env={**places, **os.environ})
        shutil.copy(draft, library.with_suffix(".part"))
        library.with_suffix(".part").replace(library)


class KernelHook(BuildHookInterface):  # type: ignore[type-arg]
    """Put the compiled library into the package."""

    def initialize(self, version: str, build_data: dict[str, Any]) -> None:
        """Compile before the files are gathered, for this platform or for the one that SHOAL_WHEEL names."""
        wanted = os.environ.get("SHOAL_WHEEL")
        if wanted is not None and wanted not in WHEELS:
            raise SystemExit(f"There is no wheel '{wanted}'. There are: {', '.join(WHEELS)}")
        tag = wanted or sysconfig.get_platform().replace("-", "_").replace(".", "_")
        library = FOLDER / f"_native{suffix(tag)}"
        if wanted is None:
            build(library)
        else:  # not where the library of this platform lies, which may be in use
            library = Path(self.directory) / tag / library.name
            library.parent.mkdir(parents=True, exist_ok=True)
            build(library, target=WHEELS[wanted])
        build_data["pure_python"] = False
        build_data["tag"] = f"py3-none-{tag}"
        if version != "editable":  # there it is found where it was built
            build_data["force_include"][str(library)] = f"shoal/kernels/{library.name}"


def suffix(tag: str) -> str:
    """Give the ending of a shared library on a platform, by the tag of its wheels."""
    return ".dll" if tag.startswith("win") else ".dylib" if tag.startswith("macosx") else ".so"


if __name__ == "__main__":
    library, *further = sys.argv[1:] or [str(FOLDER / "_native.so")]
    build(Path(library), *further)
