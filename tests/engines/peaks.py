"""The peak memory of a whole process."""

import subprocess
import sys

# A process counts the memory of the one it was made from, so one that is small starts it.
_SMALL = (
    "import resource, subprocess, sys; done = subprocess.run(sys.argv[1:], stdout=subprocess.DEVNULL); "
    "print(resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss); sys.exit(done.returncode)"
)


def peak_of(*arguments):
    """Run Python with these arguments and give its peak memory in bytes, its start included."""
    command = [sys.executable, "-c", _SMALL, sys.executable, *map(str, arguments)]
    done = subprocess.run(command, check=False, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    return int(done.stdout) * (1 if sys.platform == "darwin" else 1024)
