"""The certificate of a risk: measured anew, signed and written beside its page, both or none."""

from __future__ import annotations

from pathlib import PurePath

from shoal.assessment.risk_certificate import RiskCertificate
from shoal.atomic_files import OutputFile, all_or_none, put
from shoal.certification.signatures import Seals, fingerprint_of
from shoal.report.risk_certificate_page import risk_certificate_page
from shoal.web.tasks.registry import Reporter
from shoal.web.tasks.risk_messages import CertificateDone, CertificateRequest, CertifiedAttacker
from shoal.web.tasks.sections import risk_of


def write(request: CertificateRequest, report: Reporter) -> CertificateDone:
    """Write a certificate of what was asked of the risk."""
    seals = Seals.of(None if request.seal is None else request.seal.read_bytes().strip(), request.sign)
    found = risk_of(request, report)
    made = RiskCertificate.issue(found, seals)
    stem = PurePath(request.name).stem
    names = f"{stem}.risk.json", f"{stem}.risk.html"
    with all_or_none([OutputFile(request.folder / name) for name in names]) as drafts:
        for draft, text in zip(drafts, (made.to_json(), risk_certificate_page(made, found.sections)), strict=True):
            put(draft, text)
    return CertificateDone(
        file=names[0],
        page=names[1],
        attackers=tuple(
            CertifiedAttacker(**{name: each[name] for name in CertifiedAttacker.model_fields})
            for each in made.content["attackers"]
        ),
        signed=fingerprint_of(made.content),
        sealed=seals.key is not None,
        digest=request.digest,
    )
