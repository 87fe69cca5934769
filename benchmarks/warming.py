"""Touch memory and let it go, so that the program that runs next finds it there.

A virtual machine that was idle may have given its free memory back to its host. Whoever touches it first then pays
for fetching it page by page, which can cost more than the work that is measured.
"""

from __future__ import annotations

import mmap
import sys

PAGE = 4096


def touch(size: int) -> None:
    """Write to every page of so much memory, in large pages where the system has them."""
    if not hasattr(mmap, "MAP_PRIVATE"):
        return
    with mmap.mmap(-1, size, flags=mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS) as memory:
        if hasattr(mmap, "MADV_HUGEPAGE"):
            memory.madvise(mmap.MADV_HUGEPAGE)
        for place in range(0, size, PAGE):
            memory[place] = 1


if __name__ == "__main__":
    touch(int(sys.argv[1]))
