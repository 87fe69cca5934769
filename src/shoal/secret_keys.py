"""Secret keys: drawn, kept in a file of their own or in the environment, and named by a fingerprint alone.

A key never goes into a recipe, a certificate or a log. Its fingerprint, the first 8 hexadecimal digits of its SHA-256,
tells which key was used and nothing of what it is: a key that is drawn here has 256 bits.
"""

from __future__ import annotations

import hashlib
import os
import secrets
from dataclasses import dataclass, field
from pathlib import Path

from shoal.errors import DataError, ParameterError

ENVIRONMENT, FILE_IN_ENVIRONMENT = "SHOAL_KEY", "SHOAL_KEY_FILE"
SHORTEST = 16
_FINGERPRINT = 8
_BINARY = getattr(os, "O_BINARY", 0)


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
                "Name another with --key, or make one: shoal key new FILE.",
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


def write_secret(path: Path, content: bytes, why: str = "a key that is lost cannot be made again") -> None:
    """Write a new file that nobody else may read; one that is there stays as it is."""
    try:
        handle = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL | _BINARY, 0o600)
    except FileExistsError:
        raise ParameterError(f"'{path}' is there already, and {why}.", "Name another file.") from None
    except OSError as error:
        raise DataError(f"'{path}' cannot be written: {error.strerror}.", "Check the folder.") from None
    with os.fdopen(handle, "wb") as file:
        file.write(content)
        file.flush()
        os.fsync(file.fileno())


def open_to_others(path: str | os.PathLike[str]) -> bool:
    """Tell whether others on this machine may read a key, where the system knows of such rights."""
    return os.name == "posix" and bool(Path(path).stat().st_mode & 0o077)
