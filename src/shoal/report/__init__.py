"""Reports for people: one page that says what was done to a table, what holds, what is left, and what it cost."""

from shoal.report.page import write_page
from shoal.report.release_report import release_report
from shoal.report.risk_report import risk_report

__all__ = ["release_report", "risk_report", "write_page"]
