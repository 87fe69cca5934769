"""Secret keys: drawn, kept in a file of their own or in the environment, and named by a fingerprint alone.

A key never goes into a recipe, a certificate or a log. Its fingerprint, the first 8 hexadecimal digits of its SHA-256,
tells which key was used and nothing of what it is: a key that is drawn here has 256 bits.
"""

from __future__ import annotations

import hashlib
import os
import secrets
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

from shoal.atomic_files import OutputFile, all_or_none, put
from shoal.errors import ParameterError

ENVIRONMENT, FILE_IN_ENVIRONMENT = "SHOAL_KEY", "SHOAL_KEY_FILE"
SHORTEST = 16
_FINGERPRINT = 8


@dataclass(frozen=True)
class SecretKey:
    """A key, which is never shown, and where it came from.

    >>> SecretKey(b"shoal specification key 0001")
    SecretKey(fingerprint='f052654f')
    """

    secret: bytes = field(repr=False)
    fingerprint: str = field(init=False, compare=False)

    def __post_init__(self) -> None:
        """Refuse a key that could be guessed by trying, and take its fingerprint."""
        if len(self.secret) < SHORTEST:
            raise ParameterError("The key is too short.", f"Use at least {SHORTEST} random bytes: shoal key new FILE.")
        object.__setattr__(self, "fingerprint", hashlib.sha256(self.secret).hexdigest()[:_FINGERPRINT])

    @classmethod
    def new(cls, path: str | os.PathLike[str]) -> SecretKey:
        """Draw a key and write it to a new file, which nobody else may read."""
        text = secrets.token_hex(32).encode()
        write_secret(Path(path), text + b"\n")
        return cls(text)

    @classmethod
    def load(cls, path: str | os.PathLike[str]) -> SecretKey:
        """Read a key from a file: what it holds, without white space at its ends."""
        try:
            text = Path(path).read_bytes().strip()
        except OSError as error:
            raise ParameterError(
                f"The key '{path}' cannot be read: {error.strerror}.",
                "Name another file, or make one: shoal key new FILE.",
            ) from None
        try:
            return cls(text)
        except ParameterError as error:
            raise ParameterError(f"The key '{path}' is too short.", error.remedy) from None

    @classmethod
    def named(cls, path: str | os.PathLike[str] | None) -> SecretKey:
        """Give the key of a file or, where none is named, that of the environment."""
        path = path or os.environ.get(FILE_IN_ENVIRONMENT) or None
        if path is not None:
            return cls.load(path)
        text = os.environ.get(ENVIRONMENT, "").strip()
        if not text:
            raise ParameterError(
                "Pseudonyms and shifted dates need a secret key.",
                f"Make one with 'shoal key new FILE' and name it: --pseudonym-key FILE, or give it in {ENVIRONMENT}.",
            )
        return cls(text.encode())


def key_in_environment() -> bool:
    """Tell whether the environment has a key, or names its file."""
    return bool(os.environ.get(ENVIRONMENT, "").strip() or os.environ.get(FILE_IN_ENVIRONMENT))


def write_secret(
    path: Path,
    content: bytes,
    why: str = "a key that is lost cannot be made again",
    *,
    public: Mapping[Path, bytes] | None = None,
) -> None:
    """Write a new file that nobody else may read, with what all may read beside it, or nothing at all.

    What is there already stays as it is.
    """
    beside = public or {}
    for each in (path, *beside):
        if os.path.lexists(each):
            raise ParameterError(f"'{each}' is there already, and {why}.", "Name another file.")
    outputs = [OutputFile(path, private=True, vacant=True), *(OutputFile(each, vacant=True) for each in beside)]
    with all_or_none(outputs) as drafts:
        for draft, text in zip(drafts, (content, *beside.values()), strict=True):
            put(draft, text)


def open_to_others(path: str | os.PathLike[str]) -> bool:
    """Tell whether others on this machine may read a key, where the system knows of such rights."""
    return os.name == "posix" and bool(Path(path).stat().st_mode & 0o077)
