"""Bytes to a file, a little at a time."""

from __future__ import annotations

from typing import Any

# The system keeps what is written in pages as large as what comes at once. Large ones may have to be made first, or be
# fetched from the host of a virtual machine, which costs several times as much as writing does.
AT_ONCE = 1 << 18


def write_all(file: Any, content: bytes | memoryview) -> None:
    """Write all bytes, also to a file that may take fewer than it is given."""
    rest = memoryview(content)
    while rest:
        rest = rest[file.write(rest[:AT_ONCE]) :]
