"""Certificates of the first version tell more than they should, but what they say can still be proved."""

import json
import shutil
from pathlib import Path

import pytest

import shoal
from shoal.certification.certificate import Certificate
from shoal.certification.signatures import digest

HERE = Path(__file__).parents[1] / "property" / "format1"
PAIRS = sorted(path.with_name(path.name.replace(".certificate.json", "")) for path in HERE.glob("*.certificate.json"))


@pytest.fixture(params=PAIRS, ids=[path.name for path in PAIRS])
def pair(request, tmp_path):
    """Give a release and its certificate, as they were written by the first version."""
    for suffix in (".csv", ".certificate.json"):
        shutil.copy(f"{request.param}{suffix}", tmp_path / f"out{suffix}")
    return tmp_path / "out.csv", tmp_path / "out.certificate.json"


def test_there_are_some():
    assert PAIRS


def test_they_are_proved_and_said_to_tell_too_much(pair):
    proof = shoal.verify(*pair)
    assert "version 1, which tells more than it should" in proof.remarks[0]
    assert "order of the input" in proof.remarks[1]
    assert any("at least" in sentence for sentence in proof.proved)


def resealed(path, change):
    content = json.loads(path.read_text(encoding="utf-8"))
    change(content)
    return Certificate(content | {"digest": digest(content)})


@pytest.mark.parametrize(
    "change",
    [
        lambda content: content["verdicts"][0].update(level=99.0),
        lambda content: content["scores"][0].update(value=0.5),
        lambda content: content["recipe"]["table"]["quasi"].pop(),
    ],
    ids=["level", "score", "role"],
)
def test_they_are_not_believed_more_than_new_ones(pair, change):
    path, certificate = pair
    with pytest.raises(shoal.errors.CertificateError):
        shoal.verify(path, resealed(certificate, change))


def test_marks_for_missing_values_make_no_quasi_identifiers_equal(pair):
    path, certificate = pair
    cells = {cell for line in path.read_text(encoding="utf-8").splitlines()[1:] for cell in line.split(",")}
    marked = resealed(certificate, lambda content: content["recipe"]["table"].update(missing=sorted(cells)))
    assert shoal.verify(path, marked).verdicts[0].classes == shoal.verify(*pair).verdicts[0].classes
