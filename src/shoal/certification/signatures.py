"""Seals of certificates: a MAC under a shared key, and signatures that everybody can check (Ed25519).

A digest of the content shows any change of it. Who makes a new content can make its digest, too; so it may be sealed.
A *message authentication code* (MAC) convinces those who share its key, each of whom could have made it. A *signature*
is made with a key that one alone has, and checked with its public half, which everybody may know.
"""

from __future__ import annotations

import hashlib
import hmac
import json
import os
import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

from shoal.errors import CertificateError, ParameterError
from shoal.extras import missing
from shoal.secret_keys import write_secret

if TYPE_CHECKING:
    from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey, Ed25519PublicKey

SEALS = ("digest", "signature", "signed")  # what stands beside the content, and is not part of its digest
SCHEME = "Ed25519"
_PURPOSE = "shoal certificate "  # so that a signature of it is none of anything else
_FINGERPRINT = 16
_HEX = re.compile(r"[0-9a-f]{64}")
_NEW = "Make a pair of keys with 'shoal key new FILE --sign'."


def digest(content: Mapping[str, Any]) -> str:
    """Give the SHA-256 of a certificate's content without its seals, in a form that does not depend on layout."""
    bare = {key: value for key, value in content.items() if key not in SEALS}
    text = json.dumps(bare, sort_keys=True, ensure_ascii=False, separators=(",", ":"), allow_nan=False)
    return hashlib.sha256(text.encode()).hexdigest()


def mac(digested: str, key: bytes) -> str:
    """Give the message authentication code of a digest (HMAC-SHA-256)."""
    if len(key) < 16:
        raise ParameterError("The key of the MAC is too short.", "Use at least 16 random bytes.")
    return hmac.new(key, digested.encode(), hashlib.sha256).hexdigest()


@dataclass(frozen=True)
class PublicKey:
    """The half of a pair of keys that everybody may know: it checks signatures."""

    raw: bytes

    @property
    def fingerprint(self) -> str:
        """The first 16 hexadecimal digits of its SHA-256, to be compared over another way."""
        return hashlib.sha256(self.raw).hexdigest()[:_FINGERPRINT]

    @classmethod
    def load(cls, path: str | os.PathLike[str]) -> PublicKey:
        """Read it from a file in PEM; of a pair of keys, its public half."""
        from_private = _loaded(path, "public")
        return cls(from_private.public_bytes_raw())

    def pem(self) -> bytes:
        """Give it as a file holds it."""
        from cryptography.hazmat.primitives.serialization import Encoding, PublicFormat

        found: bytes = self._key().public_bytes(Encoding.PEM, PublicFormat.SubjectPublicKeyInfo)
        return found

    def holds(self, digested: str, signature: str) -> bool:
        """Tell whether a digest was signed with the other half."""
        from cryptography.exceptions import InvalidSignature

        try:
            self._key().verify(bytes.fromhex(signature), _message(digested))
        except (InvalidSignature, ValueError):
            return False
        return True

    def _key(self) -> Ed25519PublicKey:
        _insist()
        from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PublicKey

        return Ed25519PublicKey.from_public_bytes(self.raw)


@dataclass(frozen=True)
class SigningKey:
    """A pair of keys, whose secret half is never shown."""

    _key: Ed25519PrivateKey = field(repr=False)

    @classmethod
    def new(cls, path: str | os.PathLike[str]) -> SigningKey:
        """Draw a pair of keys, and write it to a new file that nobody else may read, and its public half beside it."""
        _insist()
        from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
        from cryptography.hazmat.primitives.serialization import Encoding, NoEncryption, PrivateFormat

        made = cls(Ed25519PrivateKey.generate())
        content = made._key.private_bytes(Encoding.PEM, PrivateFormat.PKCS8, NoEncryption())
        write_secret(Path(path), content, public={public_beside(path): made.public.pem()})
        return made

    @classmethod
    def load(cls, path: str | os.PathLike[str]) -> SigningKey:
        """Read a pair of keys from a file in PEM."""
        return cls(_loaded(path, "private"))

    @property
    def public(self) -> PublicKey:
        """Its public half."""
        return PublicKey(self._key.public_key().public_bytes_raw())

    def signed(self, digested: str) -> dict[str, str]:
        """Sign a digest, and say with which key."""
        signature = self._key.sign(_message(digested)).hex()
        return {"scheme": SCHEME, "public_key": self.public.raw.hex(), "signature": signature}


@dataclass(frozen=True)
class Seals:
    """With what a certificate is sealed, beside its digest: a shared key for a MAC, a pair of keys for a signature."""

    key: bytes | None = field(default=None, repr=False)
    signing: SigningKey | None = None

    @classmethod
    def of(cls, key: bytes | None, sign: str | os.PathLike[str] | SigningKey | None) -> Seals:
        """Take keys as they are given: a pair of keys may be named by its file."""
        return cls(key, sign if isinstance(sign, SigningKey | None) else SigningKey.load(sign))

    def sealed(self, content: Mapping[str, Any]) -> dict[str, Any]:
        """Give a content with its seals."""
        found = {name: value for name, value in content.items() if name not in SEALS}
        found["digest"] = digest(found)
        if self.key is not None:
            found["signature"] = mac(found["digest"], self.key)
        if self.signing is not None:
            found["signed"] = self.signing.signed(found["digest"])
        return found


NO_KEYS = Seals()


def check_seals(
    content: Mapping[str, Any], key: bytes | None, public: PublicKey | None = None
) -> tuple[list[str], list[str]]:
    """Insist that a certificate was not changed since it was issued, and with keys that their holders issued it.

    Gives what was shown, and what was not.
    """
    if not hmac.compare_digest(digest(content), str(content.get("digest"))):
        raise CertificateError(
            "The certificate was changed after it was issued: its digest does not match.", "Ask for the original."
        )
    said = []
    if key is not None:
        _check_mac(content, key)
        said.append("The certificate was issued by a holder of the key and not changed since (MAC).")
    if public is not None:
        _check_signature(content, public)
        said.append(f"The certificate was signed with the key {public.fingerprint} and not changed since (Ed25519).")
    open_question = [] if public is not None else _unchecked(content)
    return said or ["The certificate has not been changed since its digest was made."], open_question


def fingerprint_of(content: Mapping[str, Any]) -> str:
    """Give the fingerprint of the key that a certificate names as the one it was signed with; nothing if none is."""
    signed = content.get("signed")
    named = str(signed.get("public_key")) if isinstance(signed, Mapping) else ""
    return PublicKey(bytes.fromhex(named)).fingerprint if _HEX.fullmatch(named) else ""


def _unchecked(content: Mapping[str, Any]) -> list[str]:
    """Say that nobody looked at who signed a certificate, if someone did."""
    fingerprint = fingerprint_of(content)
    if not fingerprint:
        return []
    return [f"who signed it: it names the key {fingerprint} (--public-key FILE checks that, with a key you trust)"]


def _check_mac(content: Mapping[str, Any], key: bytes) -> None:
    given = content.get("signature")
    if given is None:
        raise CertificateError("The certificate is not sealed with a MAC.", "Leave the key out, or ask for one.")
    if not hmac.compare_digest(mac(str(content["digest"]), key), str(given)):
        raise CertificateError("The certificate was not sealed with this key.", "Check the key, or who issued it.")


def _check_signature(content: Mapping[str, Any], public: PublicKey) -> None:
    given = content.get("signed")
    if not isinstance(given, Mapping) or given.get("scheme") != SCHEME:
        raise CertificateError("The certificate is not signed.", "Leave the public key out, or ask for a signed one.")
    if given.get("public_key") != public.raw.hex() or not public.holds(
        str(content["digest"]), str(given.get("signature"))
    ):
        raise CertificateError("The certificate was not signed with this key.", "Check the key, or who issued it.")


def public_beside(path: str | os.PathLike[str]) -> Path:
    """Give where the public half of a pair of keys lies."""
    return Path(path).with_name(f"{Path(path).name}.pub")


def _message(digested: str) -> bytes:
    return f"{_PURPOSE}{digested}".encode()


def _insist() -> None:
    try:
        import cryptography as cryptography  # noqa: PLC0414 - only whether it is there
    except ImportError:
        raise missing("Signatures need cryptography", "crypto", "Or seal with a shared key: --key FILE.") from None


def _loaded(path: str | os.PathLike[str], half: str) -> Any:
    """Read a key of one of the two kinds from a file."""
    _insist()
    from cryptography.exceptions import UnsupportedAlgorithm
    from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey, Ed25519PublicKey
    from cryptography.hazmat.primitives.serialization import load_pem_private_key, load_pem_public_key

    try:
        text = Path(path).read_bytes()
    except OSError as error:
        raise ParameterError(f"The key '{path}' cannot be read: {error.strerror}.", _NEW) from None
    try:
        found: Any = load_pem_public_key(text) if b"PUBLIC KEY" in text else load_pem_private_key(text, password=None)
    except (ValueError, TypeError, UnsupportedAlgorithm):
        found = None
    if half == "public" and isinstance(found, Ed25519PrivateKey):
        return found.public_key()
    if not isinstance(found, Ed25519PublicKey if half == "public" else Ed25519PrivateKey):
        what = "a public key" if half == "public" else "a pair of keys without a password"
        raise ParameterError(f"'{path}' is not {what} for Ed25519 in PEM.", _NEW)
    return found
