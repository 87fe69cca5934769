"""What a cell looks like: an e-mail address, a phone number, a number with check digits."""

from __future__ import annotations

import re

EMAIL = re.compile(r"[^@\s]+@[^@\s]+\.[A-Za-z]{2,}")
PHONE = re.compile(r"\+\d[\d ()./-]{6,18}\d|\(?\d{3}\)?[ .-]\d{3}[ .-]\d{4}|\(?0\d{1,5}\)?[ /-]\d{3,}(?: ?\d{2,})*")
SECURITY = re.compile(r"\d{3}-\d{2}-\d{4}")
UUID = re.compile(r"\{?[0-9a-fA-F]{8}-(?:[0-9a-fA-F]{4}-){3}[0-9a-fA-F]{12}\}?")
URL = re.compile(r"(?:https?://|www\.)\S+")
IP = re.compile(r"(?:\d{1,3}\.){3}\d{1,3}|(?:[0-9A-Fa-f]{0,4}:){3,7}[0-9A-Fa-f]{1,4}")
MAC = re.compile(r"(?:[0-9A-Fa-f]{2}[:-]){5}[0-9A-Fa-f]{2}")
# As MD5, SHA-1 and the others are written: so many hexadecimal digits, with letters of one kind.
HASH = re.compile("|".join(f"[0-9a-f]{{{n}}}|[0-9A-F]{{{n}}}" for n in (32, 40, 56, 64, 96, 128)))
ZIP = re.compile(r"\d{5}(?:-\d{4})?")
STREET = re.compile(
    r"\d+[A-Za-z]?\s+(?:\S+\s+){1,5}?(?:street|st|avenue|ave|road|rd|boulevard|blvd|lane|ln|drive|dr|court|ct|way|"
    r"place|pl|terrace|square|highway|hwy)\b\.?.*",
    re.IGNORECASE,
)
_IBAN = re.compile(r"[A-Z]{2}\d{2}[0-9A-Z]{11,30}")
_CARD = re.compile(r"\d{13,19}")
_VIN = re.compile(r"[A-HJ-NPR-Z0-9]{17}")
_VIN_VALUES = dict(zip("ABCDEFGHJKLMNPRSTUVWXYZ", map(int, "12345678123457923456789"), strict=True))
_VIN_WEIGHTS = (8, 7, 6, 5, 4, 3, 2, 10, 0, 9, 8, 7, 6, 5, 4, 3, 2)


def is_iban(text: str) -> bool:
    """Tell whether a text is the number of a bank account, with its check digits (ISO 13616)."""
    plain = text.replace(" ", "").upper()
    if not _IBAN.fullmatch(plain):
        return False
    return int("".join(str(int(sign, 36)) for sign in plain[4:] + plain[:4])) % 97 == 1


def is_card(text: str) -> bool:
    """Tell whether a text is the number of a card, with its check digit (Luhn, ISO/IEC 7812)."""
    plain = re.sub(r"[ -]", "", text)
    if not _CARD.fullmatch(plain):
        return False
    digits = [int(sign) for sign in reversed(plain)]
    return (sum(digits[::2]) + sum(sum(divmod(2 * digit, 10)) for digit in digits[1::2])) % 10 == 0


def is_vin(text: str) -> bool:
    """Tell whether a text is the number of a vehicle, with its check digit (49 CFR 565.15).

    >>> is_vin("1M8GDM9AXKP042788"), is_vin("1M8GDM9A1KP042788")
    (True, False)
    """
    plain = text.upper()
    if not _VIN.fullmatch(plain):
        return False
    values = (int(sign) if sign.isdigit() else _VIN_VALUES[sign] for sign in plain)
    return plain[8] == "0123456789X"[sum(v * w for v, w in zip(values, _VIN_WEIGHTS, strict=True)) % 11]
