"""The certificate: what was done, what holds, what is left; and its proof from the released file alone."""

from __future__ import annotations

import hashlib
import hmac
import json
import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from shoal.catalogue import build, describe
from shoal.engines import Engine, Written, default_engine
from shoal.engines.sources import Source
from shoal.errors import CertificateError, DataError, ParameterError, RoomError, SchemaError
from shoal.files import recover
from shoal.files.moving import Awaited
from shoal.hierarchy import Hierarchy
from shoal.measures import Demanding, PairMeasure, Score, score
from shoal.models import PrivacyModel, Verdict, check
from shoal.schema import RELEASED, ReadOptions, Role, Roles, Schema
from shoal.table import Origin, Table
from shoal.version import VERSION

FORMAT = 1
_SEALS = ("digest", "signature")


@dataclass(frozen=True)
class Certificate:
    """What is said of a release, as plain values that can be written as JSON.

    It carries a digest of itself, so that any change is seen; with a signing key the digest is binding, because
    nobody without the key can make it anew.

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
        original: Origin,
        rows: int,
        schema: Schema,
        released: Mapping[str, Any],
        written: Written,
        steps: Sequence[str],
        verdicts: Sequence[Verdict],
        scores: Sequence[Score],
        key: bytes | None = None,
    ) -> Certificate:
        """Put a certificate together and seal it."""
        content: dict[str, Any] = {
            "format": FORMAT,
            "software": {"shoal": VERSION, **software},
            "engine": engine,
            "recipe": dict(recipe),
            "input": {"name": original.name, "sha256": original.sha256, "records": rows, "notes": list(original.notes)},
            "output": {
                **released,
                **_other_kinds(schema, recipe),
                **_trees(schema),
                "sha256": written.sha256,
                "bytes": written.size,
                **({"sha256_in_order": written.in_order} if written.in_order else {}),
                "records": rows,
            },
            "left_out": list(schema.left_out),
            "steps": list(steps),
            "verdicts": [_verdict(verdict, schema) for verdict in verdicts],
            "scores": [_score(value) for value in scores],
        }
        content["digest"] = digest(content)
        if key is not None:
            content["signature"] = signature(content["digest"], key)
        return cls(content)

    def to_json(self) -> str:
        """Give the certificate as text."""
        return json.dumps(self.content, indent=2, ensure_ascii=False, allow_nan=False) + "\n"

    @classmethod
    def load(cls, path: str | Path) -> Certificate:
        """Read a certificate from a file."""
        try:
            text = Path(path).read_text(encoding="utf-8")
            content = json.loads(text, object_pairs_hook=_once, parse_constant=_refuse)
            json.dumps(content, ensure_ascii=False).encode()
        except FileNotFoundError:
            raise ParameterError(f"There is no certificate '{path}'.", "Check its name and folder.") from None
        except (OSError, ValueError, RecursionError):
            raise CertificateError(f"'{path}' is not a certificate.", "Check the file.") from None
        if not isinstance(content, dict) or content.get("format") != FORMAT:
            raise CertificateError(
                f"'{path}' is not a certificate of a kind this version knows.", f"It reads format {FORMAT}."
            )
        return cls(content)


def _once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    """Refuse a key that stands twice: readers differ in which one they see."""
    found = dict(pairs)
    if len(found) < len(pairs):
        raise ValueError
    return found


def _refuse(_: str) -> None:
    raise ValueError


def digest(content: Mapping[str, Any]) -> str:
    """Give the SHA-256 of a certificate's content without its seals, in a form that does not depend on layout."""
    bare = {key: value for key, value in content.items() if key not in _SEALS}
    text = json.dumps(bare, sort_keys=True, ensure_ascii=False, separators=(",", ":"), allow_nan=False)
    return hashlib.sha256(text.encode()).hexdigest()


def signature(sealed: str, key: bytes) -> str:
    """Sign a digest (HMAC-SHA-256)."""
    if len(key) < 16:
        raise ParameterError("The signing key is too short.", "Use at least 16 random bytes.")
    return hmac.new(key, sealed.encode(), hashlib.sha256).hexdigest()


def _other_kinds(schema: Schema, recipe: Mapping[str, Any]) -> dict[str, Any]:
    """Give the columns that are of another kind than in the original: means of whole numbers are floats."""
    before = recipe["table"].get("kinds", {})
    plain = [a for a in schema.attributes if a.axis.tree is None]
    kinds = {a.name: a.axis.kind for a in plain if before.get(a.name, a.axis.kind) != a.axis.kind}
    return {"kinds": kinds} if kinds else {}


def _trees(schema: Schema) -> dict[str, Any]:
    """Give the hierarchies of columns that are released as they are: distances between their values depend on them."""
    shown = [a for a in schema.attributes if a.role in RELEASED and a.role != Role.QUASI and a.axis.tree is not None]
    trees = {a.name: [list(row) for row in a.axis.tree.levels] for a in shown if a.axis.tree is not None}
    return {"hierarchies": trees} if trees else {}


def _verdict(verdict: Verdict, schema: Schema) -> dict[str, Any]:
    return {
        "model": describe(verdict.model),
        "holds": verdict.holds,
        "level": verdict.level,
        "classes": verdict.classes,
        "failing_classes": verdict.failing,
        "sentence": verdict.sentence,
        "convention": verdict.convention,
        "provable_from_file": not _attested(verdict.model, schema.subject),
    }


def _attested(model: PrivacyModel, subject: str | None) -> bool:
    """Tell whether people are counted, by a column that is not released: the file alone shows only records."""
    return model.name == "k-anonymity" and subject is not None


def _score(value: Score) -> dict[str, Any]:
    return {"measure": value.measure, "value": value.value, "lower": value.lower, "upper": value.upper} | {
        "detail": dict(value.detail)
    }


@dataclass(frozen=True)
class Proof:
    """What was shown about a file and its certificate."""

    verdicts: tuple[Verdict, ...]
    scores: tuple[Score, ...]
    proved: tuple[str, ...]
    not_proved: tuple[str, ...]


def verify(
    path: str | Path | Source,
    certificate: str | Path | Certificate,
    *,
    key: bytes | None = None,
    original: str | Path | Source | None = None,
    engine: Engine | None = None,
) -> Proof:
    """Prove every verdict of a certificate again, from the released file alone.

    Parameters
    ----------
    path
        The released file, folder or table in a database.
    certificate
        Its certificate, or the path of it.
    key
        The signing key, when the signature is to be checked.
    original
        The original: with it, the measures that compare with the original are proved too.
    engine
        Where the data are held.

    Raises
    ------
    CertificateError
        If the file or the certificate was changed, they do not belong together, or a claim does not hold.
    """
    source, held_by = Source.parse(path), engine or default_engine()
    finish_writing(source, certificate, held_by)
    held = certificate if isinstance(certificate, Certificate) else Certificate.load(certificate)
    found = held_by.digest(source)
    try:
        return _prove(source, found, held.content, key, original, held_by)
    except (CertificateError, RoomError):
        raise
    except (SchemaError, ParameterError, DataError) as error:
        raise CertificateError(f"The certificate does not fit the file: {error.what}", "Do not rely on it.") from None
    except (KeyError, TypeError, AttributeError, ValueError, IndexError):
        raise CertificateError("The certificate makes no sense.", "Ask for the one that was issued.") from None


def finish_writing(source: Source, certificate: str | Path | Certificate, engine: Engine) -> None:
    """Finish what a run that was killed had begun to put in place of a release, so that its parts belong together."""

    def committed(awaited: Awaited) -> bool | None:
        if awaited.table != source.identity():
            return None
        try:
            return engine.digest(source).sha256 == awaited.sha256
        except DataError:  # no such table, or no answer
            return None

    paths = [] if isinstance(certificate, Certificate) else [Path(certificate)]
    paths += [] if source.kind == "postgresql" else [source.path]
    for folder in dict.fromkeys(path.parent for path in paths):
        recover(folder, committed)


def _prove(
    source: Source,
    found: Written,
    content: Mapping[str, Any],
    key: bytes | None,
    original: str | Path | Source | None,
    engine: Engine,
) -> Proof:
    proved = _check_seals(content, key)
    output, recipe = content["output"], content["recipe"]
    thing = "table" if source.is_table else "folder" if source.is_folder else "file"
    if found.sha256 != output["sha256"]:
        raise CertificateError(
            f"'{source.name}' is not the {thing} this certificate was issued for, or it was changed.",
            f"The certificate is for '{output['name']}'; its SHA-256 does not match.",
        )
    _same("the number of bytes", found.size, output["bytes"])
    how = "cell for cell" if source.is_table else "byte for byte"
    proved.append(f"The {thing} is the one that was released, {how}.")
    table = engine.read(source, _options(content))
    if source.is_table and table.origin.sha256 != found.in_order:
        raise CertificateError("The table was changed while it was read.", "Check it again when nobody writes to it.")
    _same("the number of records", table.rows, output["records"])
    _same("the models", [claim["model"] for claim in content["verdicts"]], recipe["model"])
    verdicts, not_proved = _check_verdicts(table, content, proved)
    before = engine.read(original, _options(content, original=True)) if original is not None else None
    if before is not None:
        _same("the SHA-256 of the original", before.origin.sha256, content["input"]["sha256"])
    if set(recipe["table"].get("hierarchies", ())) & set(recipe["table"]["quasi"]):
        before = None  # a release shows names of nodes, not where they lie: distances cannot be taken from it
    lacking = "needs the original"
    if before is not None and found.in_order != output.get("sha256_in_order", ""):
        before, lacking = None, "the rows of the table are no longer in the order of the original"
    scores = _check_scores(table, before, content, proved, not_proved, lacking)
    return Proof(verdicts, scores, tuple(proved), tuple(not_proved))


def _check_seals(content: Mapping[str, Any], key: bytes | None) -> list[str]:
    if not hmac.compare_digest(digest(content), str(content.get("digest"))):
        raise CertificateError(
            "The certificate was changed after it was issued: its digest does not match.", "Ask for the original."
        )
    signed = content.get("signature")
    if key is None:
        return ["The certificate has not been changed since its digest was made."]
    if signed is None:
        raise CertificateError("The certificate is not signed.", "Leave the key out, or ask for a signed one.")
    if not hmac.compare_digest(signature(str(content["digest"]), key), str(signed)):
        raise CertificateError("The certificate was not signed with this key.", "Check the key, or who issued it.")
    return ["The certificate was issued by a holder of the key and not changed since."]


def _check_verdicts(
    table: Table, content: Mapping[str, Any], proved: list[str]
) -> tuple[tuple[Verdict, ...], list[str]]:
    """Measure each model again and compare with what is claimed."""
    not_proved = []
    claims = content["verdicts"]
    verdicts = check(table, [build("models", claim["model"]) for claim in claims])
    for claim, found in zip(claims, verdicts, strict=True):
        name = found.model.name
        if not found.holds or claim["holds"] is not True:
            raise CertificateError(f"{name} does not hold: {found.sentence}", "Do not use this release.")
        attested = _attested(found.model, content["recipe"]["table"].get("subject"))
        _same(f"{name}, what the file can prove", not attested, claim["provable_from_file"])
        _same(f"{name}, classes", found.classes, claim["classes"])
        _same(f"{name}, failing classes", found.failing, claim["failing_classes"])
        if attested:
            # As many people as claimed need at least as many records.
            _same(f"{name}, level", found.level >= claim["level"] >= found.model.k, True)  # type: ignore[attr-defined]
            not_proved.append(f"{claim['sentence']} (people are counted by a column that is not released)")
        else:
            for part in ("level", "sentence", "convention"):
                _same(f"{name}, {part}", getattr(found, part), claim[part])
        proved.append(found.sentence)
    return verdicts, not_proved


def _check_scores(
    table: Table,
    before: Table | None,
    content: Mapping[str, Any],
    proved: list[str],
    not_proved: list[str],
    lacking: str,
) -> tuple[Score, ...]:
    """Measure again what can be measured and compare with what is claimed."""
    measures = [build("measures", given) for given in content["recipe"]["measure"]]
    claims = content["scores"]
    _same("the scores", [claim["measure"] for claim in claims], [measure.name for measure in measures])
    scores = []
    for measure, claim in zip(measures, claims, strict=True):
        if isinstance(measure, PairMeasure) and before is None:
            not_proved.append(f"{measure.name} ({lacking})")
            continue
        if isinstance(measure, Demanding):
            not_proved.append(f"{measure.name} (it depends on the versions of other software)")
            continue
        (found,) = score(table, [measure], before)
        _same(measure.name, json.loads(json.dumps(_score(found))), claim)
        proved.append(f"{measure.name} is {found.value:.6g}.")
        scores.append(found)
    return tuple(scores)


def _alike(found: Any, claimed: Any) -> bool:
    """Tell whether two measurements agree; sums may be taken in another order, which changes their last digits."""
    if isinstance(found, Mapping) and isinstance(claimed, Mapping):
        return found.keys() == claimed.keys() and all(_alike(found[key], claimed[key]) for key in found)
    if isinstance(found, float) and isinstance(claimed, float):
        return math.isclose(found, claimed, rel_tol=1e-9, abs_tol=1e-12)
    if isinstance(found, list) and isinstance(claimed, list):
        return len(found) == len(claimed) and all(map(_alike, found, claimed))
    return bool(found == claimed)


def _same(what: str, found: Any, claimed: Any) -> None:
    if not _alike(found, claimed):
        raise CertificateError(f"The certificate does not say what the file shows: {what}.", "Do not rely on either.")


def _options(content: Mapping[str, Any], *, original: bool = False) -> ReadOptions:
    """Give the way to read the released file, or the original, that the certificate tells."""
    given = content["recipe"]["table"]
    kinds = given["kinds"] | ({} if original else content["output"].get("kinds", {}))
    roles = Roles(
        quasi=tuple(given["quasi"]),
        sensitive=tuple(given.get("sensitive", ())),
        plain=tuple(given.get("plain", ())),
        weight=given.get("weight"),
        subject=given.get("subject") if original else None,
    )
    return ReadOptions(
        roles=roles,
        kinds={name: kind for name, kind in kinds.items() if original or name != given.get("subject")},
        orders={name: tuple(order) for name, order in given.get("orders", {}).items()},
        hierarchies={
            name: Hierarchy.of([tuple(row) for row in rows], name)
            for name, rows in content["output"].get("hierarchies", {}).items()
        },
        delimiter=given.get("delimiter") if original else content["output"].get("delimiter"),
        encoding=given.get("encoding") if original else "utf-8",
        decimal=given.get("decimal") if original else ".",
        missing=tuple(given.get("missing", ())),
    )
