"""A release laid beside earlier ones of the same people: what of that can be proved."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from shoal.catalogue import look_up
from shoal.certification.certificate import Certificate
from shoal.certification.overlapping_classes import left_together
from shoal.certification.papers import certificate_beside, private_beside
from shoal.certification.preservation import insist_on_remarks
from shoal.certification.private_record import PrivateRecord
from shoal.certification.read_options import nodes_of, release_options
from shoal.certification.sequence_proof import ReleaseOfSequence, is_of_sequence, proved_over_time
from shoal.certification.signatures import check_seals
from shoal.direct_identifiers import treated_columns
from shoal.engines.protocol import AnyEngine
from shoal.engines.sources import Source
from shoal.errors import CertificateError
from shoal.models import PrivacyModel
from shoal.models.m_invariance import MInvariance
from shoal.schema import RELEASED, Role
from shoal.table import Table


@dataclass(frozen=True, eq=False)
class EarlierRelease:
    """A release that went before, with its papers beside it, which must be its own."""

    source: Source
    certificate: Certificate
    table: Table
    record: PrivateRecord | None

    @classmethod
    def read(cls, source: Source, engine: AnyEngine) -> EarlierRelease:
        """Read it, and what lies beside it."""
        paper = certificate_beside(source)
        certificate = Certificate.load(paper)
        check_seals(certificate.content, None)
        table = engine.read(source, release_options(certificate.content, ()))
        written = table.origin.written
        if written is None or written.sha256 != certificate.content["output"]["sha256"]:
            raise CertificateError(
                f"'{source.name}' is not what its certificate is of.", "Name the file as it was released."
            )
        private = private_beside(source, paper)
        record = PrivateRecord.load(private) if Path(private).exists() else None
        if record is not None and record.content["certificate"] != certificate.content["digest"]:
            raise CertificateError(f"The private record beside '{source.name}' is another's.", "Put its own there.")
        insist_on_remarks(certificate.content, record)
        return cls(source, certificate, table, record)


def sources_of(given: Sequence[str | Path | Source] | str | Path | Source) -> list[Source]:
    """Give what is named: one release or several."""
    several = [given] if isinstance(given, str | Path | Source) else list(given)
    return [Source.parse(each) for each in several]


def prove_beside(
    content: Mapping[str, Any],
    name: str,
    table: Table,
    record: PrivateRecord | None,
    models: Sequence[PrivacyModel],
    earlier: Sequence[EarlierRelease],
    proved: list[str],
    not_proved: list[str],
) -> None:
    """Say what several releases tell together."""
    followed = next((each.get("earlier") for each in content.get("remarks", ()) if "earlier" in each), None)
    others = {each.certificate.content["digest"]: each for each in earlier}
    others.pop(content["digest"], None)
    earlier = list(others.values())  # each once, and not the release itself; two may be alike to the byte
    named = [each.source.name for each in earlier if each.certificate.content["output"]["sha256"] == followed]
    if named:
        proved.append(f"Its classes follow those of {named[0]}, as its certificate says.")
    elif followed is not None:
        not_proved.append(f"what it tells together with the release that it follows (--like; SHA-256 {followed})")
    for each in earlier:
        if is_of_sequence(content) and is_of_sequence(each.certificate.content):
            continue  # of which more can be proved
        _lay_beside(table, each, content, proved, not_proved)
    asked = [model for model in models if isinstance(model, MInvariance)]
    if not is_of_sequence(content) or not asked:
        return
    needed = "that everybody's classes show the same values in all releases of the sequence"
    records = [each.record for each in earlier]
    if not earlier or record is None or None in records:
        not_proved.append(f"{needed} (needs the earlier ones, --like, and the private records of all)")
        return
    releases = [ReleaseOfSequence(name, table, record)]
    releases += [ReleaseOfSequence(each.source.name, each.table, each.record) for each in earlier if each.record]
    sentence, lacking = proved_over_time(releases, asked[0].m)
    proved.append(sentence)
    if lacking:
        not_proved.append(f"{needed}: {lacking} of them follow one that was not named (--like)")


def _covers(content: Mapping[str, Any]) -> bool:
    """Tell whether cells hold the values of everybody in them: classes do, unless they show means or the like."""
    given = content["recipe"]
    towards = [look_up("methods", each["name"]).enforces for each in given["method"]]
    return (
        all({"k-anonymity", "m-invariance", "rounded-ends"} & set(each) for each in towards)
        and all(each.get("publish", "range") == "range" for each in given["method"])
        and given["release"].get("cells") != "middle"
    )


def _lay_beside(
    table: Table, earlier: EarlierRelease, content: Mapping[str, Any], proved: list[str], not_proved: list[str]
) -> None:
    """Say what is left to everybody who is in both releases with the same values, from the two files alone."""
    name, before = earlier.source.name, earlier.table
    what = f"what it tells together with {name}"
    if set(before.schema.quasi) != set(table.schema.quasi):
        not_proved.append(f"{what} (they have other quasi-identifiers)")
        return
    if nodes_of(content) or nodes_of(earlier.certificate.content):
        not_proved.append(f"{what} (they show names of nodes, and nothing here tells where they lie)")
        return
    if not (_covers(content) and _covers(earlier.certificate.content)):
        not_proved.append(f"{what} (their cells need not hold the values of their people)")
        return
    renamed = [*treated_columns(table.schema), *treated_columns(before.schema)]
    if any(each in table.schema.of(*RELEASED) and each in before.schema.of(*RELEASED) for each in renamed):
        not_proved.append(
            f"{what} (both have columns of other names or shifted dates, which may join rows of a person)"
        )
        return
    secrets = [each for each in table.schema.sensitive if each in before.schema.sensitive]
    if not secrets:
        not_proved.append(f"{what} (they have no confidential column in common)")
    shared = [each for each in _beside(table) if each in _beside(before)]
    for secret in secrets:
        others = [each for each in shared if each != secret]
        found = left_together(table, before, secret, others)
        if found is None:
            not_proved.append(f"{what} (there are too many classes to be compared)")
        elif not found.pairs:
            proved.append(f"Nobody can be in it and in {name} with the same values, '{secret}' among them.")
        else:
            values = "one value" if found.values == 1 else f"{found.values:,} values"
            rows = "one row" if found.rows == 1 else f"{found.rows:,} rows"
            proved.append(
                f"Who is in it and in {name} with the same values is left with at least {values} of '{secret}', and "
                f"with {rows} here and {found.earlier_rows:,} there that show one of these{_with_the_same(others)}."
            )
            not_proved.append(f"{what} of people whose values changed in between")


def _beside(table: Table) -> tuple[str, ...]:
    """Name the columns of a release that are released as they are."""
    return table.schema.of(*(role for role in RELEASED if role is not Role.QUASI))


def _with_the_same(others: Sequence[str]) -> str:
    if not others:
        return ""
    return " with the same " + " and ".join(f"'{each}'" for each in others)
