"""The certificate of the risk, on its screen: written, signed, and given to those who are to rely on it."""

from __future__ import annotations

from typing import Any

from fastapi.responses import FileResponse, Response
from pydantic import BaseModel, Field

from shoal.web.cases.case import Case
from shoal.web.errors import NotThereError
from shoal.web.routes.shared import Here, Shown, Wait, after, file_to_keep, routers

api, pages = routers()
_WHERE = "/risk#certificate"


class GivenSigning(BaseModel):
    """How a certificate is sealed beside its digest."""

    sign: bool = Field(False, description="Sign it with the pair of keys of its owner, or of the server.")


class SigningKeyState(BaseModel):
    """The fingerprint of the pair of keys that signs; None if there is none."""

    fingerprint: str | None


@api.get("/risk/certificate")
def certificate(case: Here, wait: Wait = 0) -> dict[str, Any]:
    """Tell what the certificate says that was written last, and with which key it was signed."""
    return after(case, "certificate", wait, lambda: case.known_certificate)


@api.post("/risk/certificate")
def certify(case: Here, shown: Shown, given: GivenSigning, wait: Wait = 0) -> dict[str, Any]:
    """Write a certificate of what is asked of the risk."""
    with case.changing(shown):
        case.certify(sign=given.sign)
    return certificate(case, wait)


@api.get("/risk/certificate.json", response_class=FileResponse)
def certificate_file(case: Here) -> FileResponse:
    """Give the certificate, which `shoal check` proves beside the file."""
    return file_to_keep(case.certificate_file("file"))


@api.get("/risk/certificate.html", response_class=FileResponse)
def certificate_page(case: Here) -> FileResponse:
    """Give the page of the certificate, for people."""
    return file_to_keep(case.certificate_file("page"))


@api.get("/signing-key")
def signing_key(case: Here) -> SigningKeyState:
    """Tell whether there is a pair of keys to sign with; the secret half is never given."""
    public = case.public_key
    return SigningKeyState(fingerprint=None if public is None else public.fingerprint)


@api.post("/signing-key")
def make_signing_key(case: Here, shown: Shown) -> SigningKeyState:
    """Draw a pair of keys, which stays in the folder of its owner on the server's computer."""
    with case.changing(shown):
        case.make_signing_key()
    return signing_key(case)


@api.get("/signing-key.pub", response_class=Response)
def public_key(case: Here) -> Response:
    """Give the half of the pair that everybody may know: it checks signatures."""
    public = case.public_key
    if public is None:
        raise NotThereError("There is no pair of keys to sign with.", "Make one first.")
    headers = {"Content-Disposition": 'attachment; filename="signing.key.pub"'}
    return Response(public.pem(), media_type="application/x-pem-file", headers=headers)


pages.by_form("/risk/certificate", certify, _WHERE)
pages.by_form("/risk/signing-key", make_signing_key, _WHERE)


def certificate_part(case: Case) -> dict[str, Any]:
    """Give what this part of the screen shows."""
    return {
        "certificate": case.known_certificate,
        "certificate_job": case.jobs.of("certificate", case.id),
        "signing": case.public_key,
    }
