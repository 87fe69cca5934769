"""Who let a release go out stands in certificate and report, is shown by `shoal check`, and is not changed unseen."""

import json

import pytest

import shoal
from shoal.certification.approval import Approval
from shoal.certification.signatures import digest
from shoal.certification.verification import verify
from shoal.errors import CertificateError, ParameterError
from shoal.report.release_report import release_report

ADA = Approval("2026-11-18", "Ada <b>", ("I have looked.",))


@pytest.fixture(scope="module")
def written(tmp_path_factory):
    folder = tmp_path_factory.mktemp("approved")
    (folder / "in.csv").write_text("age,ill\n" + "".join(f"{20 + n % 7},{'ab'[n % 2]}\n" for n in range(40)))
    release = shoal.anonymize(folder / "in.csv", quasi=["age"], sensitive=["ill"], k=3)
    certificate = release.write(folder / "out.csv", approval=ADA)
    return folder, release, certificate


def test_it_stands_in_the_certificate_and_in_what_is_proved(written):
    folder, _, certificate = written
    proof = verify(folder / "out.csv", folder / "out.certificate.json")
    assert proof.approval == ADA == Approval.of(certificate.content)


def test_check_shows_it(written, capsys):
    from shoal.cli import application

    folder, _, _ = written
    application()(["check", str(folder / "out.csv"), "--certificate", str(folder / "out.certificate.json")],
                  standalone_mode=False)  # fmt: skip
    text = capsys.readouterr().out
    assert "Approved by Ada <b> on 2026-11-18. Said by a person, not proved:" in text
    assert "– I have looked." in text


def test_the_report_says_it(written):
    folder, release, certificate = written
    original = shoal.read(folder / "in.csv", quasi=["age"], sensitive=["ill"])
    text = release_report(release, original, certificate=certificate)
    assert "Approved by Ada &lt;b&gt; on 2026-11-18." in text
    assert "I have looked." in text
    assert "Prepared by, date" in release_report(release, original)


def test_a_certificate_without_one_is_proved_as_before(written, tmp_path):
    _, release, _ = written
    release.write(tmp_path / "out.csv")
    assert "approval" not in json.loads((tmp_path / "out.certificate.json").read_text())
    assert verify(tmp_path / "out.csv", tmp_path / "out.certificate.json").approval is None


@pytest.mark.parametrize(
    "change", [{"approver": "Bob"}, {"date": "tomorrow"}, {"confirmations": 5}, {"approver": "\x1b[2J"}]
)
def test_one_that_was_changed_or_makes_no_sense_is_refused(written, tmp_path, change):
    folder, _, certificate = written
    content = {**certificate.content, "approval": {**ADA.content, **change}}
    if change != {"approver": "Bob"}:  # made anew, with a digest that fits
        content["digest"] = digest(content)
    (tmp_path / "c.json").write_text(json.dumps(content))
    with pytest.raises(CertificateError):
        verify(folder / "out.csv", tmp_path / "c.json")


def test_an_approval_needs_a_day():
    with pytest.raises(ParameterError, match="no date"):
        Approval("18.11.2026")
