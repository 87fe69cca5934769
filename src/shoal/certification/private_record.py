"""The private record of a release, for its holder: what the certificate must not tell.

It holds the key of the commitment to the original, exact scores, names of files, hierarchies, and which row of the
original each released row came from. Together with the release it undoes much of the masking: it is kept with
the original.
"""

from __future__ import annotations

import base64
import binascii
import hashlib
import hmac
import json
import re
import secrets
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, BinaryIO

import numpy as np
from numpy.typing import NDArray

from shoal.certification.certificate import Certificate, exact_score, exact_verdict, load_json
from shoal.domains.hierarchy import Hierarchy
from shoal.engines.io.direct_io import write_all
from shoal.errors import CertificateError, DataError
from shoal.kernels.ordering import lowest_bytes
from shoal.measures import Score
from shoal.models import Verdict
from shoal.schema import Schema
from shoal.table import Origin, RowOrder

FORMAT = 1
UNPAIRED = "none"  # the order of rows of which none is a row of the original
ADVICE = "Keep this with the original. Never publish it: with it, much of the masking can be undone."
_STRETCH = 3 << 16  # rows whose numbers are written or read at once; base64 takes bytes by threes


def fresh_key() -> bytes:
    """Draw the key of a commitment."""
    return secrets.token_bytes(32)


def commitment(key: bytes, sha256: str) -> str:
    """Commit to an original by its digest (HMAC-SHA-256): without the key nobody can tell which one it was."""
    return hmac.new(key, bytes.fromhex(sha256), hashlib.sha256).hexdigest()


@dataclass(frozen=True)
class PrivateRecord:
    """What the holder of the original keeps of a release.

    Parameters
    ----------
    content
        The values by name: certificate (the digest of the public one), key, input, output, verdicts, scores, row_order;
        of linked releases also steps, and remarks where methods say more to the holder.
    """

    content: Mapping[str, Any]

    @classmethod
    def issue(
        cls,
        *,
        certificate: Certificate,
        key: bytes,
        origin: Origin,
        schema: Schema,
        row_order: str,
        verdicts: Sequence[Verdict],
        scores: Sequence[Score],
        steps: Sequence[str] = (),
        read: Mapping[str, Any] | None = None,
        remarks: Sequence[Mapping[str, Any]] = (),
    ) -> PrivateRecord:
        """Put the record of a certificate together."""
        output = certificate.content["output"]
        return cls(
            {
                "format": FORMAT,
                "about": ADVICE,
                "certificate": certificate.content["digest"],
                "key": key.hex(),
                "input": {
                    "name": origin.name,
                    "sha256": origin.sha256,
                    "notes": list(origin.notes),
                    "read": {**origin.given, **(read or {})},
                    **_trees(schema),
                },
                "output": {"name": output["name"], "sha256": output["sha256"]},
                "verdicts": [exact_verdict(verdict, schema) for verdict in verdicts],
                "scores": [exact_score(value) for value in scores],
                **({"steps": list(steps)} if steps else {}),
                **({"remarks": [dict(each) for each in remarks]} if remarks else {}),
                "row_order": row_order,
            }
        )

    def write(self, file: BinaryIO, order: RowOrder, rows: int) -> None:
        """Write the record as JSON. The order of the rows comes last and a little at a time: it may be large."""
        head = json.dumps(self.content, indent=2, ensure_ascii=False, allow_nan=False)
        file.write(head.removesuffix("\n}").encode())
        if self.content["row_order"] == "released":
            file.write(b',\n  "rows": "')
            for some in _packed(order(), width_of(rows)):
                write_all(file, binascii.b2a_base64(some, newline=False))
            file.write(b'"')
        file.write(b"\n}\n")

    @classmethod
    def load(cls, path: str | Path) -> PrivateRecord:
        """Read a private record from a file."""
        content = load_json(path, "private record")
        if content.get("format") != FORMAT or not _is_whole(content):
            raise CertificateError(f"'{path}' is not a private record.", "It is named NAME.private.json.")
        return cls(content)

    def commits_to(self, sha256: str, claimed: str) -> bool:
        """Tell whether a commitment is to just this original."""
        return hmac.compare_digest(commitment(bytes.fromhex(self.content["key"]), sha256), claimed)

    def hierarchies(self, columns: Sequence[str]) -> dict[str, Hierarchy]:
        """Give the hierarchies of some columns, if the record has them."""
        found = self.content["input"].get("hierarchies", {})
        try:
            return {name: Hierarchy.of([tuple(row) for row in found[name]], name) for name in columns if name in found}
        except (DataError, TypeError, AttributeError):
            raise CertificateError(
                "A hierarchy in the private record is none.", "Use the one that was written."
            ) from None

    def order(self, rows: int) -> RowOrder | None:
        """Give the number of the input row that each released row came from.

        None if rows stand as in the input, or are not those of the input.
        """
        if self.content["row_order"] != "released":
            return None
        wide = np.zeros((rows, 8), np.uint8)
        try:
            packed = np.frombuffer(base64.b64decode(self.content["rows"], validate=True), np.uint8)
            wide[:, : width_of(rows)] = packed.reshape(rows, width_of(rows))
        except ValueError:
            raise _not_every_row() from None
        numbers = wide.view("<i8").reshape(-1)
        if numbers.size and (numbers.max() >= rows or not (np.bincount(numbers, minlength=rows) == 1).all()):
            raise _not_every_row()
        return lambda: (numbers[start : start + _STRETCH] for start in range(0, rows, _STRETCH))


def _trees(schema: Schema) -> dict[str, Any]:
    """Give the hierarchies of quasi-identifiers, of which the release shows only names of nodes."""
    trees = {name: schema[name].axis.tree for name in schema.quasi}
    levels = {name: [list(row) for row in tree.levels] for name, tree in trees.items() if tree is not None}
    return {"hierarchies": levels} if levels else {}


def _not_every_row() -> CertificateError:
    return CertificateError("The private record does not name every row once.", "Use the one that was written.")


def _is_whole(content: Mapping[str, Any]) -> bool:
    """Tell whether all parts of a record are there, each of the form that it was written in."""
    source, target = content.get("input"), content.get("output")
    if not isinstance(source, dict) or not isinstance(target, dict) or not isinstance(content.get("scores"), list):
        return False
    texts = [content.get("certificate"), source.get("sha256"), target.get("sha256")]
    texts += [content.get("rows")] if content.get("row_order") == "released" else []
    return (
        content.get("row_order") in ("released", "input", UNPAIRED)
        and all(isinstance(text, str) for text in texts)
        and isinstance(source.get("read"), dict)
        and re.fullmatch(r"[0-9a-f]{64}", str(content.get("key"))) is not None
    )


def width_of(rows: int) -> int:
    """Tell how many bytes the numbers of so many rows need."""
    return max(1, ((rows - 1).bit_length() + 7) // 8)


def _packed(order: Iterator[NDArray[np.int64]], width: int) -> Iterator[bytes]:
    """Give row numbers as bytes, the lowest first, in stretches of three bytes or a multiple but for the last."""
    left = b""
    for numbers in order:
        for start in range(0, numbers.size, _STRETCH):
            left += lowest_bytes(numbers[start : start + _STRETCH], width)
            whole = len(left) // 3 * 3
            yield left[:whole]
            left = left[whole:]
    yield left
