"""The compiled part of shoal with every compiler that is there: it builds without a warning, loads, and is complete."""

import ctypes
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

import hatch_build
from shoal import kernels

FOLDER = Path(kernels.__file__).parent
BUILD = FOLDER.parents[2] / "hatch_build.py"
STRICT = ("-O0", "-Wextra", "-Werror")


def built(compiler, target, *flags):
    """Build the kernels with a compiler, as those do who install from source."""
    asked = [sys.executable, str(BUILD), str(target), *flags]
    done = subprocess.run(asked, env={**os.environ, "CC": compiler}, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    return target


def declared():
    """Give the names of all kernels."""
    sources = (path.read_text(encoding="utf-8") for path in FOLDER.glob("*.c"))
    return {name for text in sources for name in re.findall(r"^KERNEL \w+ \*?(\w+)\(", text, re.MULTILINE)}


RELEASE = """
import hashlib, numpy as np, polars as pl, shoal
draw = np.random.default_rng(5)
columns = {"a": draw.integers(0, 90, 400), "b": draw.normal(size=400).round(2), "c": draw.choice(list("xyz"), 400)}
people = pl.DataFrame(columns)
table = shoal.read(people, quasi=["a", "b", "c"], hierarchies={"c": "prefix 1"})
for method in (shoal.methods.Hilbert(), shoal.methods.Mondrian(), shoal.methods.MDAV(), shoal.methods.SortedClusters()):
    shown = shoal.anonymize(table, method, [shoal.models.KAnonymity(5)]).to_polars(cells="text")
    print(method.name, hashlib.sha256(shown.write_csv().encode()).hexdigest())
"""


def released(**environment):
    """Make releases in a process of its own, and give what they are."""
    run = [sys.executable, "-c", RELEASE]
    return subprocess.run(run, env={**os.environ, **environment}, capture_output=True, text=True, check=True).stdout


@pytest.mark.compiler
@pytest.mark.parametrize(
    "compiler",
    ["cc", "gcc", "clang", pytest.param(f"{sys.executable} -m ziglang cc", id="ziglang", marks=pytest.mark.large)],
)
def test_every_compiler_builds_a_library_that_loads_and_gives_the_same_releases(compiler, tmp_path):
    """A function that one compiler knows and another does not would only be missed when the library is loaded."""
    found = shutil.which(compiler.split()[0])
    if found is None:
        pytest.skip(f"{compiler} is not installed")
    if compiler == "cc" and shutil.which("gcc") and Path(found).resolve() == Path(shutil.which("gcc")).resolve():
        pytest.skip("cc is gcc, which is tried by its own name")
    place = built(compiler, tmp_path / "kernels.so", *STRICT)
    library = ctypes.CDLL(str(place))
    assert [name for name in sorted(declared()) if not hasattr(library, name)] == []
    assert released(SHOAL_KERNELS=str(place)) == released()


def asked(**environment):
    """Ask for a release in a process of its own."""
    code = (
        "import polars as pl, shoal; table = shoal.read(pl.DataFrame({'a': [1, 2]}), quasi='a');"
        "shoal.anonymize(table, shoal.methods.SortedClusters(), [shoal.models.KAnonymity(2)])"
    )
    run = [sys.executable, "-c", f"import shoal\ntry:\n    {code}\nexcept shoal.errors.InternalError as e: print(e)"]
    return subprocess.run(run, env={**os.environ, **environment}, capture_output=True, text=True, check=True).stdout


def test_a_library_that_cannot_be_loaded_is_named_with_what_to_do(tmp_path):
    broken = tmp_path / "broken.so"
    broken.write_bytes(b"this is no library")
    said = asked(SHOAL_KERNELS=str(broken))
    assert said.startswith("The compiled part of shoal cannot be loaded: ")
    assert str(broken) in said
    assert "Build it again" in said


def test_a_library_that_is_not_there_is_missed(tmp_path):
    assert "is missing" in asked(SHOAL_KERNELS=str(tmp_path / "nowhere.so"))


def test_wheels_have_names_that_an_index_accepts_and_libraries_of_their_platforms():
    """An index refuses linux_x86_64, and a library under another ending is not found where it is installed."""
    accepted = r"(many|musl)linux_\d_\d+_(x86_64|aarch64)|macosx_\d\d_0_(x86_64|arm64)|win_amd64"
    assert all(re.fullmatch(accepted, tag) for tag in hatch_build.WHEELS)
    systems = {"manylinux": "linux-gnu", "musllinux": "linux-musl", "macosx": "macos", "win": "windows"}
    for tag, target in hatch_build.WHEELS.items():
        system, machine = tag.split("_")[0], tag.removeprefix("win_").split("_", 3)[-1].replace("arm64", "aarch64")
        assert target.startswith(machine.replace("amd64", "x86_64")), tag
        assert systems[system] in target
        if system == "manylinux":  # the oldest C library that the name promises is the one that is linked with
            assert target.endswith(".".join(tag.split("_")[1:3]))
    assert {hatch_build.suffix(tag) for tag in hatch_build.WHEELS} == {".so", ".dylib", ".dll"}


@pytest.mark.large
@pytest.mark.compiler
def test_the_wheel_of_this_platform_runs_where_there_is_nothing_else(tmp_path):
    done = subprocess.run(
        [sys.executable, "tools/wheels.py", "manylinux_2_28_x86_64", "--out", str(tmp_path)],
        cwd=BUILD.parent, capture_output=True, text=True,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    assert "were installed and tried" in done.stdout
