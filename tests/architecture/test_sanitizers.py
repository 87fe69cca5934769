"""Kernels under sanitizers: no read or write outside an array, no overflow and no other undefined behaviour."""

import os
import platform
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from architecture.test_compilers import built

ROOT = Path(__file__).parents[2]
# Where the runtime of a compiler's sanitizer lies, which must be loaded before Python is, and how it is asked for.
RUNTIMES = {"gcc": ("libasan.so", ()), "clang": (f"libclang_rt.asan-{platform.machine()}.so", ("-shared-libasan",))}
FLAGS = ("-O0", "-g1", "-fsanitize=address,undefined", "-fno-sanitize-recover=all")
# Tests that lead kernels to their edges, one that calls every kernel, and odd tables.
SHARE = (
    "tests/unit/test_kernels.py",
    "tests/unit/test_edges.py",
    "tests/unit/test_lattice.py",
    "tests/architecture/test_kernels.py",
    "tests/property/test_degenerate.py::test_no_table_is_too_odd",
)


@pytest.fixture(scope="module")
def checked(tmp_path_factory):
    """Give the environment in which kernels are those that check themselves."""
    for compiler, (name, further) in RUNTIMES.items():
        if sys.platform != "linux" or shutil.which(compiler) is None:
            continue
        asked = [compiler, f"-print-file-name={name}"]
        runtime = Path(subprocess.run(asked, capture_output=True, text=True, check=True).stdout.strip())
        if runtime.is_absolute() and runtime.exists():
            library = built(compiler, tmp_path_factory.mktemp("checked") / "kernels.so", *FLAGS, *further)
            return {
                **os.environ,
                "SHOAL_KERNELS": str(library),
                "LD_PRELOAD": str(runtime.resolve()),
                "ASAN_OPTIONS": "detect_leaks=0",  # Python frees much of its own only when it ends, or never
                "PYTHONMALLOC": "malloc",
            }
    pytest.skip("no sanitizer is installed: gcc or clang on Linux has one")


def test_a_fault_would_be_seen(checked):
    code = (
        "import numpy as np; from shoal.kernels import call;"
        "call('put_at', np.array([1000], np.int32), 1, np.array([7], np.int32), np.zeros(1000, np.int32))"
    )
    done = subprocess.run([sys.executable, "-c", code], env=checked, capture_output=True, text=True)
    assert done.returncode != 0
    assert "heap-buffer-overflow" in done.stderr


@pytest.mark.parametrize("tables", [20, pytest.param(600, marks=pytest.mark.large)])
def test_kernels_stay_inside_their_arrays(checked, tables):
    checked = {**checked, "SHOAL_DEGENERATE": str(tables)}
    run = [sys.executable, "-m", "pytest", "-q", "-x", "--numprocesses=0", "--assert=plain", *SHARE]
    done = subprocess.run(run, cwd=ROOT, env=checked, capture_output=True, text=True)
    assert done.returncode == 0, done.stdout[-4000:] + done.stderr[-8000:]
