"""The peak memory of a whole process."""

import subprocess
import sys

# A process counts the memory of the one it was made from, so one that is small starts it.
_SMALL = (
    "import resource, subprocess, sys; done = subprocess.run(sys.argv[1:], check=True, capture_output=True); "
    "print(resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss)"
)


def peak_of(*arguments):
    """Run Python with these arguments and give its peak memory in bytes, its start included."""
    command = [sys.executable, "-c", _SMALL, sys.executable, *map(str, arguments)]
    found = int(subprocess.run(command, check=True, capture_output=True).stdout)
    return found * (1 if sys.platform == "darwin" else 1024)
