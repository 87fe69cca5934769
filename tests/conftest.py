"""What all tests share: how hypothesis searches, where the public data are, and which tests may be left out."""

import contextlib
import gc
import os
import re
import signal
from collections.abc import Callable, Generator, Iterator
from functools import cache
from pathlib import Path

import pytest
from cli.server import NoServerError, running
from hypothesis import HealthCheck, settings
from public_files import find
from scratch import give_back, take_memory
from skips import judge

from shoal.atomic_files.stopping import STOPPING

# The same examples at every run: a failure is a defect of the code, never bad luck.
settings.register_profile(
    "suite",
    max_examples=20,
    deadline=None,
    derandomize=True,
    database=None,
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large],
)
settings.register_profile(
    "search",
    parent=settings.get_profile("suite"),
    max_examples=1000,
    derandomize=False,
    print_blob=True,
)
settings.register_profile("quick", parent=settings.get_profile("suite"), max_examples=10)
settings.load_profile(os.environ.get("SHOAL_HYPOTHESIS", "suite"))


# Where Java starts for a test, it compiles its code quickly rather than well.
os.environ.setdefault("JDK_JAVA_OPTIONS", "-XX:TieredStopAtLevel=1 -XX:+UseSerialGC")

# Lines about progress, which come only where a command takes ten seconds, are for tests that ask for them.
os.environ.setdefault("SHOAL_PROGRESS", "off")

# What starts something large of its own does so once, however many processes the tests are spread over.
TOGETHER = {
    "test_spark": "cluster",
    "test_pools": "cluster",
    "test_barriers": "browser",
    "test_browser": "browser",
    "test_entry": "browser",
    "test_hierarchies_by_mouse": "browser",
    "test_questions_browser": "browser",
    "test_release_browser": "browser",
    "test_review": "browser",
    "test_steps": "browser",
    "test_tabs": "browser",
    "test_databases": "server",
    "test_killed_databases": "server",
    "test_sanitizers": "compiler",
    "test_discharges": "discharges",
}


ON_CLUSTER = re.compile(r"[\[-](spark|cluster\.md)[\]-]")

MARKS = {"cluster": "spark", "browser": "browser", "server": "database", "compiler": "compiler"}


def group_of(nodeid: str) -> str | None:
    """Give what a test shares with others: a cluster, a browser, a server or a library of their own."""
    path, _, name = nodeid.partition("::")
    return "cluster" if ON_CLUSTER.search(name) else TOGETHER.get(Path(path).stem)


def pytest_xdist_auto_num_workers() -> int:
    """Use a process more than there are cores: tests with a browser or a cluster wait for much of their time."""
    return len(os.sched_getaffinity(0)) + 1 if hasattr(os, "sched_getaffinity") else (os.cpu_count() or 1) + 1


def pytest_xdist_make_scheduler(config: pytest.Config, log: object) -> object:
    """Keep the tests of a group, or else of a file, in one process, where they share what they made.

    (The groups of pytest-xdist itself are not seen with pytest 9.2.)
    """
    from xdist.scheduler import LoadGroupScheduling

    class Together(LoadGroupScheduling):
        def _split_scope(self, nodeid: str) -> str:
            return group_of(nodeid) or nodeid.partition("::")[0]

    config.option.loadscopereorder = False
    return Together(config, log)


def pytest_configure(config: pytest.Config) -> None:
    """Let tests write into memory; but those that are about tables larger than that onto the disk."""
    gc.disable()  # until all is collected: nothing of twelve thousand tests is garbage
    folder = take_memory() if "not large" in config.getoption("markexpr") else None
    if folder is not None:
        config.add_cleanup(lambda: give_back(folder))


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Mark tests by what they need, and begin with the groups, which take longest, where others go on beside them."""
    if hasattr(config, "workerinput"):
        items.sort(key=lambda item: group_of(item.nodeid) is None)
    for item in items:
        group = group_of(item.nodeid)
        if group in MARKS:
            item.add_marker(MARKS[group])
        if item.path.parent.name == "golden" or "public_file" in getattr(item, "fixturenames", ()):
            item.add_marker("golden")


def pytest_collection_finish() -> None:
    """Look for garbage among what tests make, and not again and again among the tests."""
    gc.freeze()
    gc.enable()


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport() -> Generator[None, pytest.TestReport, pytest.TestReport]:
    """Let tests that are left out for a reason that nobody expects fail, where all are to run."""
    report = yield
    judge(report)
    return report


@pytest.hookimpl(wrapper=True)
def pytest_make_collect_report() -> Generator[None, pytest.CollectReport, pytest.CollectReport]:
    """Let whole files fail likewise."""
    report = yield
    judge(report)
    return report


@pytest.fixture(scope="session")
def public_file(tmp_path_factory: pytest.TempPathFactory) -> Callable[[str], Path]:
    """Give public files by their place, as in ``public_file("adult/adult.csv")``."""
    scratch = tmp_path_factory.mktemp("public")
    return cache(lambda place: find(place, scratch))


@pytest.fixture
def stoppable() -> Iterator[None]:
    """Let requests to stop be heard also where whoever started the tests ignores them, as nohup does."""
    ignored = [number for number in STOPPING if signal.getsignal(number) == signal.SIG_IGN]
    for number in ignored:
        signal.signal(number, signal.default_int_handler if number == signal.SIGINT else signal.SIG_DFL)
    yield
    for number in ignored:
        signal.signal(number, signal.SIG_IGN)


@pytest.fixture(scope="session")
def server() -> Iterator[int]:
    """Give the port of a PostgreSQL server that is started for the tests."""
    with contextlib.ExitStack() as stack:
        try:
            port = stack.enter_context(running())
        except NoServerError as reason:
            pytest.skip(f"no PostgreSQL server can be started here: {reason}")
        yield port
