"""Tests that are left out: why they may be, where every test is to run."""

import os

import pytest

# How the reason of a test that may be left out begins. What `make test` installs is not among these, nor what `.ci/run`
# can install everywhere; whatever else is left out is a gap that nobody has seen.
EXPECTED = (
    # libraries that are too large to install for every run: `make install EXTRAS=lake,report`
    "deltalake is not installed", "pyiceberg is not installed", "moto is not installed", "WeasyPrint makes PDFs",
    # programs and rights that a machine may lack
    "no Chromium", "no PostgreSQL server can be started here", "no sanitizer is installed", "make is not installed",
    "cc is ", "gcc is not installed", "clang is not installed", "no process can be set apart here",
    "files cannot be made immutable here", "only the superuser can give files to others",
    "only the superuser can act for another account",
    "the superuser may write everywhere",
    # tables that do not come with the tests
    "adult/", "california/", "census/", "codes/", "hospital/", "transactions/",
    # what only some systems have
    "there are no named pipes here", "there is no device that is always full here", "standard input has no name here",
    "names are always text here", "what a descriptor stands for is looked up in /proc", "could not import 'pty'",
    "could not import 'resource'", "it is done with what this system's library has",
)  # fmt: skip


def strict() -> bool:
    """Whether a test that is left out for another reason is to fail."""
    return os.environ.get("CI") == "true" or os.environ.get("SHOAL_STRICT_SKIPS") == "1"


def judge(report: pytest.TestReport | pytest.CollectReport) -> None:
    """Let a test, or a file of them, fail that was left out for a reason that nobody expects."""
    if not strict() or not report.skipped or hasattr(report, "wasxfail"):
        return
    reason = str(report.longrepr[2] if isinstance(report.longrepr, tuple) else report.longrepr).removeprefix(
        "Skipped: "
    )
    if not reason.startswith(EXPECTED):
        report.outcome = "failed"
        report.longrepr = f"{report.nodeid} was left out, which tests/skips.py does not expect: {reason}"
