"""Where the papers of a release lie when nobody says: beside the table, or beside each other."""

from __future__ import annotations

from pathlib import Path

from shoal.engines.sources import COMPRESSED, Source
from shoal.errors import ParameterError


def certificate_beside(target: Source) -> Path:
    """Give the place of a certificate."""
    if target.is_table:
        raise ParameterError(
            "A table in a database has no folder for its certificate.",
            "Say where it goes: --certificate release.certificate.json.",
        )
    return _beside(target.path, ".certificate.json")


def private_beside(target: Source, certificate: Path) -> Path:
    """Give the place of a private record."""
    if not target.is_table:
        return _beside(target.path, ".private.json")
    name = certificate.name.removesuffix(".json").removesuffix(".certificate")
    return certificate.with_name(f"{name}.private.json")


def _beside(table: Path, suffix: str) -> Path:
    path = table.with_suffix("") if table.suffix.lower() in COMPRESSED else table
    return path.with_suffix(suffix) if path.name else path
