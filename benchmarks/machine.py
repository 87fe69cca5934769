"""Where figures come from: the machine and the versions of what was measured."""

from __future__ import annotations

import os
import platform
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path


def machine() -> dict[str, str]:
    """Describe where the figures come from, by kind and version and never by name."""
    memory = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")
    facts = {
        "CPU": cpu_model(),
        "cores": str(os.cpu_count()),
        "memory": f"{memory / 1e9:.0f} GB",
        "system": platform.system(),
        "Python": platform.python_version(),
    }
    for package in ("shoal", "polars", "numpy", "pyarrow", "numba"):
        try:
            facts[package] = version(package)
        except PackageNotFoundError:
            continue
    return facts


def cpu_model() -> str:
    """Return the processor's name as the system gives it."""
    information = Path("/proc/cpuinfo")
    if information.exists():
        for line in information.read_text().splitlines():
            if line.startswith("model name"):
                return line.partition(":")[2].strip()
    return platform.processor() or platform.machine()
