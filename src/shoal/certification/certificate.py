"""The certificate of a release, for everyone: what was done, what holds, and what is left.

It lies beside the release, so it tells nothing that helps to undo it. The original stands in it only as a commitment
under a secret key, measures are rounded to what a reader needs, and it says nothing of single attributes. The key, the
exact numbers and the order of the rows are in the private record (`shoal.certification.private_record`).
"""

from __future__ import annotations

import json
import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from shoal.catalogue import describe
from shoal.certification.approval import Approval
from shoal.certification.signatures import NO_KEYS, Seals
from shoal.certification.signatures import digest as digest  # noqa: PLC0414 - named from here by those who speak of certificates
from shoal.errors import CertificateError, DataError, ParameterError
from shoal.measures import Measure, PairMeasure, Score
from shoal.methods.perturbation.preserved import KeptStep
from shoal.models import Verdict
from shoal.models.people import of_records
from shoal.models.stated import ATTESTED, PROVED, Stated
from shoal.schema import RELEASED, Role, Schema
from shoal.table import Written
from shoal.version import VERSION

FORMAT = 2
# Certificates of the first version tell more than they should, but they can still be proved.
READABLE = (1, FORMAT)
DIGITS = 3
_LARGEST = 64 << 20


@dataclass(frozen=True)
class Certificate:
    """What is said of a release to everyone, as plain values that can be written as JSON.

    It carries a digest of itself, so that any change is seen. It may be sealed under a shared key (a MAC), or signed:
    then nobody without the key can make it anew.

    Parameters
    ----------
    content
        The values by name: recipe, input, output, steps, verdicts, scores, software, digest.
    """

    content: Mapping[str, Any]

    @classmethod
    def issue(
        cls,
        *,
        recipe: Mapping[str, Any],
        software: Mapping[str, str],
        engine: str,
        commitment: str,
        rows: int,
        people: int | None = None,
        schema: Schema,
        released: Mapping[str, Any],
        written: Written,
        steps: Sequence[str],
        verdicts: Sequence[Verdict],
        measures: Sequence[Measure],
        scores: Sequence[Score],
        seals: Seals = NO_KEYS,
        approval: Approval | None = None,
        stated: Stated | None = None,
        preserved: Sequence[KeptStep] = (),
        remarks: Sequence[Mapping[str, Any]] = (),
        identifiers: Sequence[Mapping[str, Any]] = (),
        joined: Sequence[Mapping[str, Any]] = (),
        joined_tables: Sequence[Mapping[str, Any]] = (),
    ) -> Certificate:
        """Put a certificate together and seal it."""
        # Of an original behind a stated promise the claim tells how many records it had, if that is public.
        counted = {"records": rows} if people is None else {"people": people}
        content: dict[str, Any] = {
            "format": FORMAT,
            "software": {"shoal": VERSION, **software},
            "engine": engine,
            "recipe": dict(recipe),
            "input": {"commitment": commitment, **({} if stated else counted)},
            "output": {
                **released,
                **_other_kinds(schema, recipe),
                **_trees(schema),
                **_called(schema),
                "sha256": written.sha256,
                "bytes": written.size,
                **({"sha256_in_order": written.in_order} if written.in_order else {}),
                "records": rows,
            },
            "left_out": list(schema.left_out),
            "steps": list(steps),
            **({"preserved": [each.content() for each in preserved]} if preserved else {}),
            **({"remarks": [dict(each) for each in remarks]} if remarks else {}),
            **({"identifiers": [dict(each) for each in identifiers]} if identifiers else {}),
            **({"joined": [dict(each) for each in joined]} if joined else {}),
            **({"joined_tables": [dict(each) for each in joined_tables]} if joined_tables else {}),
            "verdicts": [_public_verdict(verdict, schema) for verdict in verdicts],
            "scores": [
                public_score(value, public=not tells_too_much(measure, schema, stated=stated is not None))
                for measure, value in zip(measures, scores, strict=True)
            ],
        }
        if stated is not None:
            content["stated"] = stated.content
        if approval is not None:
            content["approval"] = approval.content
        return cls(seals.sealed(content))

    @property
    def version(self) -> int:
        """The version of its format."""
        found: int = self.content["format"]
        return found

    def to_json(self) -> str:
        """Give the certificate as text."""
        return json.dumps(self.content, indent=2, ensure_ascii=False, allow_nan=False) + "\n"

    @classmethod
    def load(cls, path: str | Path) -> Certificate:
        """Read a certificate from a file."""
        content = load_json(path, "certificate")
        if content.get("format") not in READABLE or isinstance(content["format"], bool):
            raise CertificateError(
                f"'{path}' is not a certificate of a kind this version knows.",
                f"It reads format {' and '.join(map(str, READABLE))}.",
            )
        return cls(content)


def load_json(path: str | Path, what: str) -> dict[str, Any]:
    """Read one JSON object in which every key stands once and every number is a number."""
    if not isinstance(path, str | os.PathLike):
        raise ParameterError(f"A {type(path).__name__} is no {what}.", "Give the path of one.")
    try:
        if what == "certificate" and Path(path).stat().st_size > _LARGEST:
            raise ValueError
        text = Path(path).read_text(encoding="utf-8")
        content = json.loads(text, object_pairs_hook=_once, parse_constant=_refuse)
        json.dumps(content, ensure_ascii=False).encode()
    except FileNotFoundError:
        raise DataError(f"There is no {what} '{path}'.", "Check its name and folder.") from None
    except (OSError, ValueError, RecursionError):
        raise CertificateError(f"'{path}' is not a {what}.", "Check the file.") from None
    if not isinstance(content, dict):
        raise CertificateError(f"'{path}' is not a {what}.", "Check the file.")
    return content


def _once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    """Refuse a key that stands twice: readers differ in which one they see."""
    found = dict(pairs)
    if len(found) < len(pairs):
        raise ValueError
    return found


def _refuse(_: str) -> None:
    raise ValueError


def _other_kinds(schema: Schema, recipe: Mapping[str, Any]) -> dict[str, Any]:
    """Give the columns that are of another kind than in the original: means of whole numbers are floats."""
    before = recipe["table"].get("kinds", {})
    plain = [a for a in schema.attributes if a.axis.tree is None]
    kinds = {a.name: a.axis.kind for a in plain if before.get(a.name, a.axis.kind) != a.axis.kind}
    return {"kinds": kinds} if kinds else {}


def _called(schema: Schema) -> dict[str, Any]:
    """Give what texts stand for that are published in the place of numbers, such as 90+ for 90."""
    found = {name: schema[name].axis.stands_for() for name in schema.quasi if schema[name].axis.called}
    return {"stands_for": found} if found else {}


def _trees(schema: Schema) -> dict[str, Any]:
    """Give the hierarchies of columns that are released as they are: distances between their values depend on them.

    Of quasi-identifiers, only which show nodes: the names of these are in the release, and that is all it tells.
    """
    shown = [a for a in schema.attributes if a.role in RELEASED and a.role != Role.QUASI and a.axis.tree is not None]
    trees = {a.name: [list(row) for row in a.axis.tree.levels] for a in shown if a.axis.tree is not None}
    nodes = [a.name for a in schema.attributes if a.role == Role.QUASI and a.axis.tree is not None]
    return ({"hierarchies": trees} if trees else {}) | ({"nodes": nodes} if nodes else {})


def attested(schema: Schema) -> bool:
    """Tell whether people are counted, by a column that is not released: the file alone shows only records."""
    return bool(schema.of(Role.SUBJECT))


def exact_verdict(verdict: Verdict, schema: Schema) -> dict[str, Any]:
    """Give a verdict as plain values, as it was found."""
    return {
        "model": describe(verdict.model),
        "holds": verdict.holds,
        "level": verdict.level,
        "classes": verdict.classes,
        "failing_classes": verdict.failing,
        "sentence": verdict.sentence,
        "convention": verdict.convention,
        "kind": ATTESTED if attested(schema) and not of_records(verdict.model) else PROVED,
    }


def _public_verdict(verdict: Verdict, schema: Schema) -> dict[str, Any]:
    """Give a verdict to everyone: the level that was found if the file shows it, else the one that was promised."""
    found = exact_verdict(verdict, schema)
    if found["kind"] == ATTESTED:
        level = verdict.model.promised
        found |= {"level": level, "sentence": verdict.model.sentence(level, schema)}
    return found


def exact_score(value: Score) -> dict[str, Any]:
    """Give a score as plain values, as it was measured."""
    return {"measure": value.measure, "value": value.value, "lower": value.lower, "upper": value.upper} | {
        "detail": dict(value.detail)
    }


def tells_too_much(measure: Measure, schema: Schema, *, stated: bool) -> bool:
    """Tell whether a measure of the whole is not for everyone.

    Of a single column values could be worked out; and beside differential privacy nothing may be said of the original
    that was not given noise.
    """
    return isinstance(measure, PairMeasure) and (stated or len(schema.quasi) == 1)


def public_score(value: Score, *, public: bool = True) -> dict[str, Any]:
    """Give a score to everyone: rounded, with its bounds if it is an estimate, without what it is made of.

    Of the counts behind a score those of the release can be counted in it, and others might point to someone. A score
    that is not public has no value.
    """
    if not public:
        return {"measure": value.measure, "value": None}
    bounds = {} if value.lower == value.upper else {"lower": rounded(value.lower), "upper": rounded(value.upper)}
    return {"measure": value.measure, "value": rounded(value.value)} | bounds


def rounded(value: float) -> float:
    """Round to as many digits as a reader needs.

    >>> rounded(0.3095324), rounded(41253.7)
    (0.31, 41300.0)
    """
    return float(f"{value:.{DIGITS}g}")
