"""What a certificate says of pseudonyms and shifted dates: what the file shows of it, and what is taken on trust.

No file shows that a pseudonym is that of a person under some key, or by how many days a date was shifted: who released
it attests that. What can be seen is seen: pseudonyms have their form, and none is a name that the original has. Who
has the original and the key computes all of it again.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Any
from unicodedata import normalize

from shoal.certification.agreement import same
from shoal.certification.computed_names import names_computed
from shoal.direct_identifiers import hashed_texts, sentence_of, treated_columns
from shoal.errors import CertificateError
from shoal.joined_rows import joined_rows
from shoal.kernels import MISSING
from shoal.models.stated import ATTESTED
from shoal.pseudonyms.treatments import PSEUDONYM, Treatment
from shoal.secret_keys import SecretKey
from shoal.table import Table

_FORM = re.compile(r"[a-z2-7]{16}")
_FINGERPRINT = re.compile(r"[0-9a-f]{8}")


def insist_on_identifiers(
    content: Mapping[str, Any], table: Table, before: tuple[Table, Table] | None, proved: list[str],
    not_proved: list[str], by_original: list[str], key: SecretKey | None = None,
) -> Sequence[str]:  # fmt: skip
    """Insist that what is said of identifiers is what was asked for, and fits the file; give what is attested.

    With the key and the original it is computed again, and attested no longer.
    """
    said, treated = content.get("identifiers", ()), treated_columns(table.schema)
    same("what became of identifiers", [(each["column"], each["treatment"]) for each in said],
         [(name, str(treatment)) for name, treatment in treated.items()])  # fmt: skip
    computed = set[str]() if key is None or before is None else names_computed(said, content, *before, key)
    sentences = []
    for claim, (name, treatment) in zip(said, treated.items(), strict=True):
        same("the kind of a claim on identifiers", claim["kind"], ATTESTED)
        if not _FINGERPRINT.fullmatch(claim["key"]):
            raise CertificateError("The fingerprint of a key is none.", "Do not rely on the certificate.")
        same("what is said of identifiers", claim["sentence"], sentence_of(name, treatment, claim["key"]))
        if name in computed:
            by_original += [claim["sentence"], f"'{name}' holds in every row what the key makes of the original."]
            proved += by_original[-2:]
        else:
            sentences.append(claim["sentence"])
        if treatment.names:
            _insist_on_names(name, treatment, table, before, proved, by_original)
    found = joined_rows(table)
    same("what pseudonyms join", [each.content() for each in found], content.get("joined", []))
    proved += [line for each in found for line in each.sentences]
    not_proved += [f"{each['sentence']} (needs the other release)" for each in content.get("joined_tables", ())]
    return sentences


def _insist_on_names(
    name: str, treatment: Treatment, table: Table, before: tuple[Table, Table] | None, proved: list[str],
    by_original: list[str],
) -> None:  # fmt: skip
    shown = names_in(table, name)
    if treatment.kind == PSEUDONYM:
        if not all(map(_FORM.fullmatch, shown)):
            raise CertificateError(f"'{name}' holds something that is no pseudonym.", "Do not use this release.")
        proved.append(f"Every value of '{name}' has the form of a pseudonym.")
    if before is None:
        return
    true = names_in(before[0], name)
    if treatment.kind == PSEUDONYM and not shown.isdisjoint(true):
        raise CertificateError(f"'{name}' shows identifiers of the original.", "Do not use this release.")
    people = {normalize("NFC", text) for text in true} if treatment.kind == PSEUDONYM else true
    same(f"how many people '{name}' names", len(people), len(shown))  # a name is one person's, however it was typed
    proved.append(f"'{name}' names as many as the original does" + (
        ", none of them as it does." if treatment.kind == PSEUDONYM else "."
    ))  # fmt: skip
    by_original.append(proved[-1])


def names_in(table: Table, name: str) -> set[str]:
    """Give the distinct names in a column."""
    positions = table.counts(name)[0]
    return set(hashed_texts(table.schema[name].axis, positions[positions != MISSING]))
