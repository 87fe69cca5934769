"""A real Spark cluster of several processes on this machine, started once for all tests."""

import os
from functools import cache

import pytest
from engines.pools import Memory

# Two workers with one core each: parts travel between processes, as they would between machines.
MASTER = os.environ.get("SHOAL_TEST_MASTER", "local-cluster[2,1,1024]")
SETTINGS = {
    "spark.default.parallelism": "2",
    "spark.python.worker.reuse": "true",
    # Small jobs then take two thirds of the time; commands in processes of their own use the usual sockets.
    "spark.python.unix.domain.socket.enabled": "true",
    # Nothing begins before both workers are there, however slowly they start.
    "spark.cores.max": "2",
    "spark.scheduler.minRegisteredResourcesRatio": "1.0",
    "spark.scheduler.maxRegisteredResourcesWaitingTime": "120s",
}


@cache
def cluster():
    """Give the engine that all tests share, or say why there is none."""
    pytest.importorskip("pyspark", reason="PySpark is not installed: make install EXTRAS=spark")
    import shoal
    from shoal.engines.spark.java import java_home

    try:
        java_home()
    except shoal.errors.ParameterError as error:
        pytest.skip(str(error))
    return shoal.Spark(master=MASTER, settings=SETTINGS, rows_per_part=12)


def killing(work, mark):
    """Give the same work, which the first time that it runs kills the executor that it runs on."""

    def once(number, *parts):
        import os
        import signal
        import subprocess
        from pathlib import Path

        done = work(number, *parts)
        try:
            Path(mark).touch(exist_ok=False)  # of several executors, one
        except FileExistsError:
            return done
        daemon = os.getppid()
        executor = int(subprocess.run(["ps", "-o", "ppid=", "-p", str(daemon)], capture_output=True, check=True).stdout)
        os.kill(executor, signal.SIGKILL)
        return done

    return once


class Blank(Memory):
    """Parts in memory, and some that hold nothing."""

    def blank(self, parts):
        return self.put({} for _ in range(parts))
