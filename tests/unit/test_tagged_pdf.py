"""PDFs for those who do not see them: a validator looks for what PDF/UA-1 forbids, as far as a program can judge it."""

import re
import zlib
from itertools import pairwise

import page as validator
import pytest
from public_files import find

import shoal
from shoal.assessment.disclosure_risk import risk_of
from shoal.report import release_report, risk_report
from shoal.report.pdf import pdf

pytest.importorskip("weasyprint", reason="WeasyPrint makes PDFs: make install EXTRAS=report", exc_type=ImportError)

QUASI = ["sex", "age", "race", "marital-status", "education", "native-country", "workclass", "occupation"]


def failures(content):
    """Give what the validator finds wrong with a PDF."""
    report = validator.validate_pdf_bytes(content, profile=validator.ValidationProfile.PDF_UA_1)
    return sorted({(each.rule_id, each.message) for each in report.failures})


def parts(content):
    """Give the parts of a PDF that are compressed in it, as they are written out."""
    found = re.findall(rb"stream\r?\n(.*?)\r?\nendstream", content, re.DOTALL)
    return content + b"".join(zlib.decompressobj().decompress(part) for part in found if part[:1] == b"x")


@pytest.fixture(scope="module")
def adult(tmp_path_factory):
    path = find("adult/adult.csv", tmp_path_factory.mktemp("public"))
    return shoal.read(path, quasi=QUASI, sensitive=["salary-class"])


@pytest.mark.slow
def test_the_report_of_a_release_is_accessible(adult):
    page = release_report(shoal.anonymize(adult, k=5), adult)
    content = pdf(page)
    assert failures(content) == []
    written = parts(content)
    heads = len(re.findall(rb"/S\s*/TH\b", written))
    assert len(re.findall(rb"/Scope\s*/(?:Column|Row)\b", written)) == heads > 20
    assert b"/Scope /Row" in written
    assert b"/Scope /Column" in written
    pages = len(re.findall(rb"/Type\s*/Page\b", written))
    numbered = re.findall(rb"/Artifact\s*<<\s*/Type /Pagination\s*>>\s*BDC", written)
    assert len(numbered) == pages  # the number of a page is not read aloud amid its sentences
    levels = [int(level) for level in re.findall(r"<h([1-6])[ >]", page)]
    assert levels[0] == 1
    assert all(after <= before + 1 for before, after in pairwise(levels))


def test_the_report_of_a_risk_is_accessible(adult):
    assert failures(pdf(risk_report(adult, risk_of(adult)))) == []


def test_the_validator_sees_what_is_wrong():
    found = pdf("<!DOCTYPE html><html lang='en'><title>A list</title><dl><div id='x'><dt>a</dt><dd>b</dd></div></dl>")
    assert [rule for rule, _ in failures(found)] == ["PDFUA1-L-KIDS-001", "PDFUA1-LI-PARENT-001"]
