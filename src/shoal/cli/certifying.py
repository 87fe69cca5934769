"""Certificates of risk on the command line: written with a risk, and checked again."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

import typer

from shoal.assessment.disclosure_risk import Risk
from shoal.assessment.risk_certificate import RiskCertificate, verify_risk
from shoal.atomic_files import OutputFile, all_or_none, put, refuse_overwriting
from shoal.certification.signatures import Seals
from shoal.cli.options import print_json
from shoal.engines.io.streams import at_hand
from shoal.engines.sources import Source
from shoal.errors import CertificateError, ParameterError
from shoal.progress.display import in_command


def insist_on_certificate(path: Path, needed: Iterable[Path], *, overwrite: bool) -> None:
    """Refuse a name for a certificate that could not be written, before any work is done for it."""
    if path.suffix.lower() not in (".json", ".html", ".htm"):
        raise ParameterError("A certificate of risk is JSON, or a page.", "Give it a name that ends in .json or .html.")
    refuse_overwriting(_places(path), needed, overwrite=overwrite)


def write_certificate(
    report: Risk, path: Path, seals: Seals, needed: Iterable[Path], *, overwrite: bool
) -> Sequence[Path]:
    """Write a certificate of a risk, and its page if that was asked for, all or none; gives where they are."""
    insist_on_certificate(path, needed, overwrite=overwrite)
    made = RiskCertificate.issue(report, seals)
    texts = [made.to_json()]
    if path.suffix.lower() != ".json":
        from shoal.report.risk_certificate_page import risk_certificate_page

        texts.append(risk_certificate_page(made, report.sections))
    places = _places(path)
    with all_or_none([OutputFile(each, vacant=not overwrite) for each in places]) as drafts:
        for draft, text in zip(drafts, texts, strict=True):
            put(draft, text)
    return places


def _places(path: Path) -> list[Path]:
    """Give where the certificate goes, and its page."""
    return [path] if path.suffix.lower() == ".json" else [path.with_suffix(".json"), path]


def check_certificate(
    file: Source, certificate: Path, key: bytes | None, public_key: Path | None, population: Source | None,
    *, as_json: bool, **engine: Any,
) -> None:  # fmt: skip
    """Measure the risk of a file again, and show whether the certificate says the same."""
    try:
        with in_command(f"checking {file.name}"):
            shown, left = verify_risk(
                at_hand(file), certificate, key=key, public_key=public_key, population=population, **engine
            )
    except CertificateError as error:
        if as_json:
            print_json({"verified": False, "reason": error.what})
        raise
    if as_json:
        print_json({"verified": True, "proved": shown, "not_proved": left})
        return
    typer.echo(f"✓ The certificate says of {file.name} what was measured again.")
    for line in shown:
        typer.echo(f"  ✓ {line}")
    for line in left:
        typer.echo(f"  – not shown by the file alone: {line}")
