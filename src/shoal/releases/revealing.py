"""Who is behind the names of a release: for those alone who hold the key under which these were made.

Codes of FF1 are turned back by the key. A pseudonym is a hash: whose it is shows a table of those who may be meant,
whose pseudonyms are computed and looked up.
"""

from __future__ import annotations

import os
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from shoal.certification.certificate import Certificate
from shoal.certification.identifier_proof import names_in
from shoal.certification.papers import certificate_beside
from shoal.certification.read_options import release_options
from shoal.engines.factory import engine_for
from shoal.engines.reading import read
from shoal.engines.sources import Source
from shoal.errors import CertificateError, ParameterError
from shoal.progress import stage
from shoal.pseudonyms.forms import CodeCipher
from shoal.pseudonyms.names import pseudonyms
from shoal.pseudonyms.treatments import FORM, Treatment, treatments_of
from shoal.schema import ReadOptions
from shoal.secret_keys import SecretKey


def reveal(
    release: str | os.PathLike[str] | Source,
    key: SecretKey,
    *,
    column: str | None = None,
    original: Any = None,
    certificate: str | Path | None = None,
) -> tuple[dict[str, str], int]:
    """Give the true name behind each name in a release, in the order of the latter, and how many are not known.

    Parameters
    ----------
    release
        The released file, folder or table, with its certificate beside it.
    key
        The key under which it was released.
    column
        Which column; may be left out if only one has other names.
    original
        For pseudonyms, a table that has those who may be meant in a column of the same name.
    certificate
        The certificate, if it is not beside the release.
    """
    source = Source.parse(release)
    content = Certificate.load(certificate_beside(source) if certificate is None else certificate).content
    name, treatment = _named(content, key, column)
    if treatment.kind != FORM and original is None:
        raise ParameterError(
            f"'{name}' holds pseudonyms, which no key turns back.",
            "Name a table that has the people who may be meant: --original FILE.",
        )
    held_by = engine_for([source], ReadOptions())
    stage(f"reading {source.name}")
    table = held_by.read(source, release_options(content, ()))
    if table.origin.written is None or table.origin.written.sha256 != content["output"]["sha256"]:
        raise CertificateError(
            f"'{source.name}' is not what this certificate was issued for, or it was changed.",
            "Use the certificate that was written with it.",
        )
    shown = sorted(names_in(table, name))
    if treatment.kind == FORM:
        codes = CodeCipher(key, treatment.domain, treatment.alphabet).decrypt(shown, name)
        return dict(zip(shown, codes, strict=True)), 0
    stage("computing the pseudonyms of those who may be meant")
    people = sorted(names_in(read(original, identifier={name: str(treatment)}), name))
    made = [pseudonym.decode() for pseudonym in pseudonyms(people, treatment.domain, key).tolist()]
    known = dict(zip(made, people, strict=True))
    found = {pseudonym: known[pseudonym] for pseudonym in shown if pseudonym in known}
    return found, len(shown) - len(found)


def _named(content: Mapping[str, Any], key: SecretKey, column: str | None) -> tuple[str, Treatment]:
    """Give the column that has other names, and how they were made: under this key."""
    treated = treatments_of(content["recipe"]["table"].get("identifier", ()))
    named = {name: treatment for name, treatment in treated.items() if treatment.names}
    if not named:
        raise ParameterError(
            "The release gives nobody another name.", "Name a release with pseudonyms or codes of FF1."
        )
    if column is None and len(named) == 1:
        column = next(iter(named))
    if column not in named:
        raise ParameterError(
            "More than one column has other names." if column is None else f"'{column}' has no other names.",
            f"Name one: --column, of {', '.join(named)}.",
        )
    (under,) = (each["key"] for each in content["identifiers"] if each["column"] == column)
    if under != key.fingerprint:
        raise ParameterError(
            f"'{column}' was released under the key {under}, and this one is {key.fingerprint}.",
            "Give that key: shoal key show FILE tells which one a file holds.",
        )
    return column, named[column]
