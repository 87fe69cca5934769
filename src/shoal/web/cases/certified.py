"""Certificates of the risk of a case, and the pair of keys that signs them, which stays in its owner's folder."""

from __future__ import annotations

from pathlib import Path

from shoal.certification.signatures import PublicKey, SigningKey, public_beside
from shoal.errors import ParameterError
from shoal.web.cases.findings import Found
from shoal.web.cases.sheltered import ShelteredCase
from shoal.web.errors import NotThereError
from shoal.web.file_access import make_private
from shoal.web.tasks.job import Job
from shoal.web.tasks.risk_messages import CertificateRequest


class CertifiedCase(ShelteredCase):
    """A case whose risk is certified."""

    @property
    def signing_key(self) -> Path | None:
        """Where the pair of keys lies that signs: the one that the server was started with, or the owner's own."""
        own = self.library.signing_key
        return self.settings.sign or (own if own.is_file() else None)

    @property
    def public_key(self) -> PublicKey | None:
        """The half of it that everybody may know."""
        place = self.signing_key
        return None if place is None else PublicKey.load(place)

    def make_signing_key(self) -> None:
        """Draw a pair of keys into the owner's folder, where nobody else can read it."""
        if self.signing_key is not None:
            raise ParameterError("There is a pair of keys already.", "Sign with it.")
        place = self.library.signing_key
        make_private(place.parent)
        public_beside(place).unlink(missing_ok=True)  # of a pair that was taken away
        SigningKey.new(place)

    def certify(self, *, sign: bool) -> Job:
        """Write a certificate of what is asked of the risk."""
        self._ready()
        if sign and self.signing_key is None:
            raise ParameterError("There is no pair of keys to sign with.", "Make one first.")
        request = CertificateRequest(
            **self._sections_request().model_dump(),
            sign=self.signing_key if sign else None,
            seal=self.settings.seal,
            digest=self.decisions.asked_digest,
        )
        return self._start("certificate", request, about=self.id, stays=True)

    @property
    def known_certificate(self) -> Found:
        """The certificate that was written last in this case."""
        return self.jobs.result("certificate", self.id)

    def certificate_file(self, kind: str) -> Path:
        """Give a file of it: the certificate, or its page."""
        found, job = self.known_certificate, self.jobs.of("certificate")
        if not found or job is None:
            raise NotThereError("There is no certificate of the risk.", "Write it first.")
        place: Path = self.folder / job.id / found[kind]
        return place
