"""Tests that are left out without a reason that is expected turn a run red where all are to run, and nowhere else."""

import pytest
from skips import EXPECTED, judge


def left_out(reason: str, kind: str) -> pytest.TestReport | pytest.CollectReport:
    where = ("tests/unit/test_fish.py", 3, f"Skipped: {reason}")
    if kind == "file":
        return pytest.CollectReport("tests/unit/test_fish.py", "skipped", where, None)
    return pytest.TestReport("tests/unit/test_fish.py::test_fins", where, {}, "skipped", where, "setup")


@pytest.fixture
def everywhere(monkeypatch):
    monkeypatch.delenv("CI", raising=False)
    monkeypatch.setenv("SHOAL_STRICT_SKIPS", "1")


@pytest.mark.usefixtures("everywhere")
@pytest.mark.parametrize("kind", ["test", "file"])
def test_a_test_that_is_left_out_for_a_new_reason_fails_by_name(kind):
    report = left_out("the moon is not full", kind)
    judge(report)
    assert report.failed
    assert report.nodeid in report.longrepr
    assert "the moon is not full" in report.longrepr


@pytest.mark.usefixtures("everywhere")
def test_what_is_expected_and_what_is_known_to_fail_stay_as_they_are():
    known = left_out("the moon is not full", "test")
    known.wasxfail = "known"
    reports = [known, *(left_out(f"{reason} and more", "test") for reason in EXPECTED)]
    for report in reports:
        judge(report)
    assert all(report.skipped for report in reports)


@pytest.mark.parametrize(("ci", "fails"), [("true", True), ("", False)])
def test_a_service_that_tests_everything_says_so_itself(ci, fails, monkeypatch):
    monkeypatch.delenv("SHOAL_STRICT_SKIPS", raising=False)
    monkeypatch.setenv("CI", ci)
    report = left_out("the moon is not full", "test")
    judge(report)
    assert report.failed is fails
