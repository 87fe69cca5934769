"""A file of sealed lines: each seal covers the line and, through the seal before it, all lines before.

A line is ``{"body":{…},"seal":"…"}``; its seal is a MAC of the seal before it and the bytes of the body. So a
line that was edited, moved, put in or taken out is found by who has the key. Lines that are cut off at the end are not:
for that, who was given an answer keeps its receipt.

M. Bellare, B. Yee: Forward integrity for secure audit logs, UCSD technical report, 1997; B. Schneier, J. Kelsey:
Secure audit logs to support computer forensics, TISSEC 2(2), 1999, doi:10.1145/317087.317089.
"""

from __future__ import annotations

import hashlib
import hmac
import json
import os
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, NamedTuple

from shoal.atomic_files.held import lock_at_once
from shoal.errors import CertificateError, DataError, ParameterError
from shoal.secret_keys import SecretKey, write_secret

BEGIN, MIDDLE, END = b'{"body":', b',"seal":"', b'"}'
_SEAL = 64
_TAIL = len(MIDDLE) + _SEAL + len(END)
_PATIENCE = 600.0  # seconds: another question may be about a large table
_BINARY = getattr(os, "O_BINARY", 0)


class SealedLine(NamedTuple):
    """A line: what it says, and its seal."""

    body: Mapping[str, Any]
    seal: str


@dataclass
class OpenChain:
    """A chain that is locked and was verified, to which lines can be added."""

    path: Path
    key: bytes = field(repr=False)
    opened: int
    lines: list[SealedLine]
    size: int

    def append(self, body: Mapping[str, Any]) -> SealedLine:
        """Add a line. When this returns it is on the disk; if it fails the file is as it was."""
        text = canonical(body)
        seal = sealed(self.key, self.lines[-1].seal if self.lines else "", text)
        line = BEGIN + text + MIDDLE + seal.encode() + END + b"\n"
        try:
            done = 0
            while done < len(line):
                done += os.write(self.opened, line[done:])
            os.fsync(self.opened)
        except OSError as error:
            with suppress(OSError):
                os.ftruncate(self.opened, self.size)
            raise DataError(
                f"'{self.path}' cannot be written: {error.strerror}.", "Check the space left and its permissions."
            ) from None
        self.size += len(line)
        self.lines.append(SealedLine(body, seal))
        return self.lines[-1]


def canonical(body: Mapping[str, Any]) -> bytes:
    """Write plain values in the one form that is sealed."""
    return json.dumps(body, sort_keys=True, ensure_ascii=True, separators=(",", ":"), allow_nan=False).encode()


def sealed(key: bytes, before: str, body: bytes) -> str:
    """Give the seal of a body after another seal."""
    return hmac.digest(key, before.encode() + body, "sha256").hex()


@dataclass(frozen=True)
class _Verified:
    """What this process verified last of a file: what begins with these bytes need not be verified again."""

    key: bytes = field(repr=False)
    content: bytes = field(repr=False)
    lines: list[SealedLine] = field(repr=False)


_last: dict[Path, _Verified] = {}


def verified(path: Path, content: bytes, key: bytes) -> list[SealedLine]:
    """Give the lines of a chain, or refuse it: say at which line it breaks."""
    if content and not content.endswith(b"\n"):
        raise CertificateError(
            f"The last line of '{path}' is torn: it was written only in part, or cut.",
            "No answer was given for it. Put back a copy that is whole, or run: shoal budget mend.",
        )
    last = _last.get(path)
    if last is None or last.key != key or not content.startswith(last.content):
        last = _Verified(key, b"", [])
    before = last.lines[-1].seal.encode() if last.lines else b""
    texts, bodies, seals = content[len(last.content) :].split(b"\n")[:-1], [], []
    keyed = hmac.new(key, digestmod="sha256")  # to prepare the key takes longer than to seal a line
    for number, text in enumerate(texts, len(last.lines) + 1):
        body = text[len(BEGIN) : -_TAIL]
        seal = keyed.copy()
        seal.update(before + body)
        found = seal.hexdigest().encode()
        if not text.startswith(BEGIN) or not hmac.compare_digest(text[-_TAIL:], MIDDLE + found + END):
            raise CertificateError(
                f"The chain of '{path}' breaks at line {number}: it was changed, a line before it is missing, or the "
                "key is another.",
                "Put back the ledger as it was, or name its key with --key. Nothing was answered.",
            )
        bodies.append(body)
        seals.append(found.decode())
        before = found
    try:
        said = json.loads(b"[" + b",".join(bodies) + b"]")
    except ValueError:
        raise CertificateError(f"'{path}' holds what is no ledger.", "Check the file.") from None
    lines = last.lines + [SealedLine(body, seal) for body, seal in zip(said, seals, strict=True)]
    _last.clear()  # one ledger is enough
    _last[path] = _Verified(key, content, list(lines))
    return lines


@contextmanager
def opened(path: Path, key: bytes) -> Iterator[OpenChain]:
    """Open a chain for this process alone, and verify all of it. Others wait."""
    handle = _locked(path)
    try:
        content = _whole(handle)
        yield OpenChain(path, key, handle, verified(path, content, key), len(content))
    finally:
        os.close(handle)


def _whole(handle: int) -> bytes:
    os.lseek(handle, 0, os.SEEK_SET)
    size, found = os.fstat(handle).st_size, bytearray()
    while len(found) < size and (some := os.read(handle, size - len(found))):
        found += some
    return bytes(found)


def _locked(path: Path) -> int:
    """Open a file and lock it, however long others take; the file that lies there when it is locked."""
    until = time.monotonic() + _PATIENCE
    while True:
        try:
            handle = os.open(path, os.O_RDWR | os.O_APPEND | _BINARY)
        except FileNotFoundError:
            raise DataError(f"There is no ledger '{path}'.", "Check its name, or make one: shoal budget new.") from None
        except OSError as error:
            raise DataError(f"'{path}' cannot be opened: {error.strerror}.", "Check its permissions.") from None
        try:
            os.lseek(handle, 1 << 40, os.SEEK_SET)  # where Windows locks, which nobody reads
            lock_at_once(handle)
            with suppress(FileNotFoundError):
                if path.stat().st_ino == os.fstat(handle).st_ino:
                    return handle
        except BlockingIOError:
            if time.monotonic() > until:
                os.close(handle)
                raise DataError(f"Another program keeps '{path}' locked.", "Let it finish.") from None
        except OSError:
            os.close(handle)
            raise DataError(
                f"'{path}' lies where files cannot be locked, so two askers could spend the same budget.",
                "Keep the ledger on a disk of this computer.",
            ) from None
        os.close(handle)
        time.sleep(0.005)


def created(path: Path, key: bytes, bodies: Sequence[Mapping[str, Any]]) -> None:
    """Begin a chain in a new file, which nobody else may read; never in the place of one that is there."""
    before, lines = "", b""
    for body in bodies:
        text = canonical(body)
        before = sealed(key, before, text)
        lines += BEGIN + text + MIDDLE + before.encode() + END + b"\n"
    write_secret(path, lines, "what is there may know of spending")


def new_key(path: Path) -> bytes:
    """Draw a key and write it to a new file, which nobody else may read."""
    return SecretKey.new(path).secret


def key_in(path: Path) -> bytes:
    """Read a key from a file."""
    return SecretKey.load(path).secret


def cut_torn_line(path: Path, key: bytes) -> None:
    """Remove a last line without an end, if what stands before it is whole, and write down that it was there."""
    handle = _locked(path)
    try:
        content = _whole(handle)
        whole = content.rpartition(b"\n")[0] + b"\n"
        if len(whole) == len(content) or not whole.strip():
            raise ParameterError(f"'{path}' has no torn line.", "Put back a copy that is whole.")
        held = OpenChain(path, key, handle, verified(path, whole, key), len(whole))
        os.ftruncate(handle, len(whole))
        held.append({"kind": "mended", "sha256": hashlib.sha256(content[len(whole) :]).hexdigest()})
    finally:
        os.close(handle)
