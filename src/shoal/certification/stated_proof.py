"""What can be proved of a stated promise: not that it was kept, but that its arithmetic is right and its values fit."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from shoal.catalogue import build
from shoal.certification.agreement import same
from shoal.errors import CertificateError
from shoal.methods.private.stating import StatingMethod
from shoal.models import PrivacyModel
from shoal.models.stated import STATED, Stated, kind_of
from shoal.table import Table


def proved_of_stated(
    content: Mapping[str, Any], table: Table, models: Sequence[PrivacyModel], proved: list[str]
) -> Stated | None:
    """Work out anew what a certificate states, from its recipe and the file, and insist that it is the same."""
    claim = content.get("stated")
    if claim is None:
        return None
    same("the kind of what is stated", kind_of(claim), STATED)
    methods = [build("methods", given) for given in content["recipe"]["method"]]
    if len(methods) != 1 or not isinstance(methods[0], StatingMethod):
        raise CertificateError(
            "What is stated follows from none of the methods of the certificate.", "Do not rely on it."
        )
    ((name, version),) = claim["software"].items()
    found = replace(methods[0].stated(table.schema, table.rows, models), software=(str(name), str(version)))
    same("what is stated", found.content, claim)
    fits = methods[0].insist(table, models)
    proved.append("What is stated follows from the sensitivity and the scale of the noise, worked out anew.")
    proved.append(fits)
    return found
