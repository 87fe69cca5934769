"""Where tests write: thousands of small files, which are made and synced much faster in memory, where there is room."""

import os
import shutil
import tempfile
from pathlib import Path

MEMORY = Path("/dev/shm")
ROOM = 6 << 30  # bytes that must be free; the tests need less than one


def take_memory():
    """Let temporary files lie in memory, unless TMPDIR says where, and give the folder, which is to be removed."""
    if "TMPDIR" in os.environ or not os.access(MEMORY, os.W_OK) or shutil.disk_usage(MEMORY).free < ROOM:
        return None
    folder = tempfile.mkdtemp(prefix="shoal-tests-", dir=MEMORY)
    Path(folder).chmod(0o711)  # tests also act for other accounts, whose files lie in folders of their own below
    os.environ["TMPDIR"], tempfile.tempdir = folder, None
    return folder


def give_back(folder):
    """Remove the folder, and let temporary files lie where they usually do."""
    del os.environ["TMPDIR"]
    tempfile.tempdir = None
    shutil.rmtree(folder, ignore_errors=True)
