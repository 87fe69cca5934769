"""A certificate of a table's risk, as an expert determination asks for it: attackers, thresholds, numbers, assumptions.

It is about a file, which it names by its SHA-256, and promises nothing: it says what was measured, by which convention,
and what was assumed. It is sealed as other certificates are, and `verify_risk` measures everything again.
"""

from __future__ import annotations

import json
import math
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from shoal.assessment.disclosure_risk import Risk, risk
from shoal.assessment.risk_conventions import numbers_of
from shoal.certification.certificate import load_json
from shoal.certification.signatures import NO_KEYS, PublicKey, Seals, check_seals
from shoal.errors import CertificateError, DataError, ParameterError
from shoal.recipe import Recipe
from shoal.schema import Schema, options_from
from shoal.version import VERSION

FORMAT = 1
KIND = "risk"
_CLOSE = 1e-9  # of a number that is measured again
# Numbers that rest on what the file does not hold.
_BY_TABLE = ("attackers.journalist", "attackers.marketer", "population_uniqueness")


@dataclass(frozen=True)
class RiskCertificate:
    """What is said of a table's risk, as plain values that can be written as JSON."""

    content: Mapping[str, Any]

    @classmethod
    def issue(cls, report: Risk, seals: Seals = NO_KEYS) -> RiskCertificate:
        """Put a certificate of a measured risk together and seal it."""
        if "threshold" not in report:
            raise ParameterError(
                "A certificate of risk needs a threshold.", "Name one: threshold='trusted' (--threshold trusted)."
            )
        table = report.table
        content: dict[str, Any] = {
            "format": FORMAT,
            "kind": KIND,
            "software": {"shoal": VERSION, "numpy": np.__version__},
            "table": {
                "sha256": table.origin.sha256,
                "records": table.rows,
                "read": dict(Recipe.of(table, (), (), (), 0).table),
            },
            "asked": dict(report.asked),
            "threshold": report["threshold"],
            "attackers": [verdict.content for verdict in verdicts(report)],
            "assumed": assumptions(table.schema, report),
            "numbers": [number.content for number in numbers_of(report)],
        }
        return cls(seals.sealed(content))

    def to_json(self) -> str:
        """Give the certificate as text."""
        return json.dumps(self.content, indent=2, ensure_ascii=False, allow_nan=False) + "\n"

    @classmethod
    def load(cls, path: str | Path) -> RiskCertificate:
        """Read a certificate from a file."""
        content = load_json(path, "certificate")
        if content.get("kind") != KIND or content.get("format") != FORMAT:
            raise CertificateError(f"'{path}' is no certificate of a risk of a kind this version knows.", "Check it.")
        return cls(content)


@dataclass(frozen=True)
class AttackerVerdict:
    """Whether what an attacker finds stays within the threshold; None if nothing is known of it."""

    attacker: str
    what: str
    value: float | None
    within: bool | None

    @property
    def content(self) -> dict[str, Any]:
        """As a certificate has it."""
        return {"attacker": self.attacker, "what": self.what, "value": self.value, "within": self.within}


def is_of_risk(path: Path) -> bool:
    """Tell whether a certificate is one of a risk; what is wrong with one that cannot be read, its proof says."""
    try:
        return load_json(path, "certificate").get("kind") == KIND
    except (CertificateError, DataError):
        return False


def verdicts(report: Mapping[str, Any]) -> list[AttackerVerdict]:
    """Tell for which attackers the risk is within the threshold: nobody is at risk, and few links are right."""
    found, limit = report["attackers"], report["threshold"]["threshold"]
    said = []
    for name, key, what in (
        ("prosecutor", "at_risk", "records at risk"),
        ("journalist", "at_risk", "records at risk"),
        ("marketer", "success", "records linked rightly"),
    ):
        value = None if found.get(name) is None else found[name][key]
        allowed = limit if key == "success" else 0.0
        said.append(AttackerVerdict(name, what, value, None if value is None else value <= allowed))
    return said


def assumptions(schema: Schema, report: Mapping[str, Any]) -> list[str]:
    """Say what was assumed, in sentences."""
    known = report["threshold"]["population"]
    said = [
        f"The attacker knows {', '.join(schema.quasi)} of people, exactly, and nothing else of them.",
        "A record in a group of f equal ones is found with a chance of one in f.",
    ]
    if schema.sensitive:
        said.append(f"Confidential, and not known to the attacker: {', '.join(schema.sensitive)}.")
    said.append(
        "Nothing is known of the population that the table comes from."
        if known is None
        else f"The population is known by {_BY[known]}."
    )
    if report.get("guessed"):
        said.append("Which attributes are known was guessed by the names of columns.")
    return said


_BY = {
    "table": "a table of all people, which is not part of this certificate",
    "size": "its size: every record stands for as many people",
    "fraction": "the share of it that is in the table: every record stands for as many people",
    "weights": "survey weights: a record stands for as many people as its weight says",
}


def verify_risk(
    source: Any,
    certificate: str | Path | RiskCertificate,
    *,
    key: bytes | None = None,
    public_key: str | Path | PublicKey | None = None,
    population: Any = None,
    **engine: Any,
) -> tuple[list[str], list[str]]:
    """Measure the risk of a file again, and insist that the certificate says the same.

    Parameters
    ----------
    source
        The file.
    certificate
        Its certificate, or the path of it.
    key, public_key
        The shared key of the MAC, and the public key of the signature (or its file), when they are to be checked.
    population
        The table of the population, if the certificate rests on one; without it those numbers are not shown.
    **engine
        Where the data are held, and how much memory may be used, as for `read`.

    Returns
    -------
    tuple
        What was shown, and what was not, in sentences.
    """
    held = certificate if isinstance(certificate, RiskCertificate) else RiskCertificate.load(certificate)
    public = PublicKey.load(public_key) if isinstance(public_key, str | Path) else public_key
    shown, left = check_seals(held.content, key, public)
    try:
        asked, read = dict(held.content["asked"]), dict(held.content["table"]["read"])
        by_table = held.content["threshold"]["population"] == "table"
        if by_table and population is not None:
            asked["population"] = population
        again = risk(source, options=options_from(read), **asked, **engine)
        if not isinstance(again, Risk):
            raise CertificateError("The certificate is about a linked table.", "Check the file.")
        if again.table.origin.sha256 != held.content["table"]["sha256"]:
            raise CertificateError("The certificate is about another file.", "Check the file, or ask for its own.")
        shown.append("It is about this file.")
        left += _compared(
            held.content["numbers"], again, shown, skipped=_BY_TABLE if by_table and not population else ()
        )
        if not (by_table and population is None):
            _insist_on_verdicts(held.content, again)
    except (KeyError, TypeError, AttributeError, ValueError):
        raise CertificateError("The certificate makes no sense.", "Ask for the one that was issued.") from None
    return shown, left


def _insist_on_verdicts(content: Mapping[str, Any], again: Risk) -> None:
    """Insist that the threshold is what it is called, and that what attackers find is as stated."""
    found = [(each.attacker, each.what, each.within) for each in verdicts(again)]
    stated = [(each["attacker"], each["what"], each["within"]) for each in content["attackers"]]
    values = [(mine.value, each["value"]) for mine, each in zip(verdicts(again), content["attackers"], strict=False)]
    same = found == stated and all(one is other is None or _same(one, other) for one, other in values)
    if not same or content["threshold"] != again["threshold"]:
        raise CertificateError("What attackers find is not what the certificate says.", "Do not rely on it.")


def _compared(numbers: Any, again: Mapping[str, Any], shown: list[str], *, skipped: tuple[str, ...]) -> list[str]:
    found = {number.about: number for number in numbers_of(again)}
    left, right = [], 0
    for number in numbers:
        about = number["about"]
        if about.startswith(skipped):
            left.append(f"{about}: it rests on a table of the population (--population)")
            continue
        mine = found.get(about)
        if mine is None or mine.convention != number["convention"] or not _same(mine.value, number["value"]):
            raise CertificateError(f"The certificate states another {about} than the file has.", "Do not rely on it.")
        right += 1
    shown.append(f"{right} numbers were measured again and are as stated.")
    return left


def _same(one: Any, other: Any) -> bool:
    return isinstance(other, int | float) and math.isclose(one, other, rel_tol=_CLOSE, abs_tol=1e-15)
