"""The page of a certificate of risk: who might attack, by which threshold, what was found, and what was assumed."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from shoal.assessment.risk_certificate import RiskCertificate
from shoal.assessment.risk_section import RiskSection
from shoal.certification.signatures import fingerprint_of
from shoal.report.page import Html, Page, PageBlock, Section, bullets, code, facts, table, verdict
from shoal.version import VERSION

_KNOWS = {
    "prosecutor": "knows that a person is in the table, and looks for this person",
    "journalist": "wants to find anybody, and does not know who is in the table",
    "marketer": "links all records to the population, and asks how many are right",
}


def risk_certificate_page(certificate: RiskCertificate, sections: Sequence[RiskSection] = ()) -> str:
    """Give a certificate of risk as one HTML page, as an expert determination asks for it. It holds no record.

    Parameters
    ----------
    certificate
        The certificate.
    sections
        The views of the risk that it rests on, for their pictures.
    """
    content = certificate.content
    pictures = [figure for section in sections for figure in section.pictures()]
    return Page(
        "Certificate of risk",
        list(_lead(content)),
        [
            Section("Attackers and threshold", *_attackers(content), id="attackers"),
            Section("What was assumed", bullets(content["assumed"]), id="assumed"),
            Section("Each number with its convention", _numbers(content), id="numbers"),
            *([Section("Pictures", *pictures, id="pictures")] if pictures else []),
            Section("The table and the seal", *_seal(content), id="seal"),
            Section("What this is not", *_limits(), id="limits"),
        ],
        f"Made by shoal {VERSION}. This page needs no network and holds no record of anyone.",
        kicker="Certificate of disclosure risk, for an expert determination",
    ).html()


def _lead(content: Mapping[str, Any]) -> Iterator[PageBlock]:
    for found in content["attackers"]:
        name, value = found["attacker"], found["value"]
        if found["within"] is None:
            yield verdict(f"Of the {name} nothing can be said: nothing is known of the population.", False, plain=True)
        else:
            stays = "stays within" if found["within"] else "is above"
            yield verdict(
                f"What the {name} finds {stays} the threshold: {value:.4%} of {found['what']}.", found["within"]
            )


def _attackers(content: Mapping[str, Any]) -> Iterator[PageBlock]:
    limit = content["threshold"]
    named = f" ({limit['name']})" if limit["name"] else ""
    yield facts(
        {
            "Threshold": f"{limit['threshold']:.4g}{named}",
            "Source": limit["source"] or "chosen by who measured",
            "Smallest group that is not at risk": limit["smallest_class"],
        }
    )
    rows = [
        {
            "who": each["attacker"], "knows": _KNOWS[each["attacker"]], "what": each["what"],
            "value": None if each["value"] is None else f"{each['value']:.4%}",
            "within": {True: "yes", False: "NO", None: "not known"}[each["within"]],
        }
        for each in content["attackers"]
    ]  # fmt: skip
    heads = {"who": "Attacker", "knows": "Who", "what": "Counted", "value": "Found", "within": "Within the threshold"}
    yield table(rows, heads, "Three attackers", numeric=["value"])


def _numbers(content: Mapping[str, Any]) -> Html:
    rows = [
        {"about": each["about"], "value": f"{each['value']:,.10g}", "convention": each["convention"]}
        for each in content["numbers"]
    ]
    return table(
        rows, {"about": "Number", "value": "Value", "convention": "Convention"}, "What was measured", numeric=["value"]
    )


def _seal(content: Mapping[str, Any]) -> Iterator[PageBlock]:
    found: dict[str, object] = {
        "Records": content["table"]["records"],
        "SHA-256 of the file": code(content["table"]["sha256"]),
        "Digest of the certificate": code(content["digest"]),
    }
    if "signed" in content:
        found["Signed with the key (Ed25519)"] = code(fingerprint_of(content))
    if "signature" in content:
        found["MAC under a shared key"] = code(content["signature"])
    found["Software"] = f"shoal {content['software']['shoal']}"
    yield facts(found)
    yield (
        "The certificate itself is the .json beside this page: shoal check FILE --certificate NAME.json measures all "
        "again."
    )


def _limits() -> Iterator[PageBlock]:
    yield (
        "A certificate of risk promises nothing: it says what was measured of one file. Whether the risk is very small "
        "for the recipients that are expected is for an expert to decide, who also weighs what no program knows: who "
        "may get the file, under which contract, and what else they know."
    )
    yield (
        "It names the file by its SHA-256. Who has a file can tell that it is the one. Give the certificate of an "
        "original to nobody who may not have the original."
    )
