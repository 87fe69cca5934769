"""Numbers and codes by which countries know their people, and their post codes: patterns by country.

References
----------
NHS numbers: modulus 11 (NHS data dictionary). Canada: social insurance numbers, Luhn. Spain: Real Decreto 1553/2005.
France: numéro d'inscription au répertoire, key modulo 97 (INSEE). Netherlands: burgerservicenummer, eleven test.
Germany: Steuerliche Identifikationsnummer, ISO/IEC 7064 MOD 11,10. Italy: codice fiscale, D.M. 23 December 1976.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping

CellTest = Callable[[str], object]
# Kind of safe harbor, what cells look like, and whether check digits confirm it.
Pattern = tuple[str, CellTest, bool]

_DNI_LETTERS = "TRWAGMYFPDXBNJZSQVHLCKE"
_ODD = dict(zip("0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ", (
    1, 0, 5, 7, 9, 13, 15, 17, 19, 21, 1, 0, 5, 7, 9, 13, 15, 17, 19, 21, 2, 4, 18, 20, 11, 3, 6, 8, 12, 14, 16, 10,
    22, 25, 24, 23,
), strict=True))  # fmt: skip


def _digits(text: str, number: int) -> list[int]:
    """Give the digits of a number of so many, with or without blanks; else none."""
    plain = re.sub(r"[ .-]", "", text)
    return [int(sign) for sign in plain] if plain.isascii() and plain.isdecimal() and len(plain) == number else []


def is_nhs_number(text: str) -> bool:
    """Tell whether a text is an NHS number of the United Kingdom.

    >>> is_nhs_number("943 476 5919"), is_nhs_number("943 476 5918")
    (True, False)
    """
    found = _digits(text, 10)
    check = -sum(digit * weight for digit, weight in zip(found[:9], range(10, 1, -1), strict=False)) % 11
    return bool(found) and check == found[9]


def is_canadian_number(text: str) -> bool:
    """Tell whether a text is a social insurance number of Canada.

    >>> is_canadian_number("046 454 286"), is_canadian_number("046 454 287")
    (True, False)
    """
    found = _digits(text, 9)
    doubled = [sum(divmod(2 * digit, 10)) if place % 2 else digit for place, digit in enumerate(found)]
    return bool(found) and sum(doubled) % 10 == 0


def is_spanish_number(text: str) -> bool:
    """Tell whether a text is a DNI or NIE of Spain.

    >>> is_spanish_number("12345678Z"), is_spanish_number("X1234567L"), is_spanish_number("12345678A")
    (True, True, False)
    """
    match = re.fullmatch(r"([XYZ]?)(\d{7,8})-?([A-Z])", text.upper().replace(" ", ""))
    if match is None or len(match[1]) + len(match[2]) != 8:
        return False
    first = {"": "", "X": "0", "Y": "1", "Z": "2"}[match[1]]
    return _DNI_LETTERS[int(first + match[2]) % 23] == match[3]


def is_french_number(text: str) -> bool:
    """Tell whether a text is a social security number of France, with its key.

    >>> is_french_number("2 55 08 14 168 025 38"), is_french_number("2 55 08 14 168 025 39")
    (True, False)
    """
    plain = text.upper().replace(" ", "")
    match = re.fullmatch(r"([1-478]\d{4}(?:\d{2}|2A|2B)\d{6})(\d{2})", plain)
    if match is None:
        return False
    number = int(match[1].replace("2A", "19").replace("2B", "18"))
    return 97 - number % 97 == int(match[2])


def is_dutch_number(text: str) -> bool:
    """Tell whether a text is a burgerservicenummer of the Netherlands.

    >>> is_dutch_number("111222333"), is_dutch_number("111222334")
    (True, False)
    """
    found = _digits(text, 9)
    weighed = sum(digit * weight for digit, weight in zip(found, (9, 8, 7, 6, 5, 4, 3, 2, -1), strict=False))
    return any(found) and weighed % 11 == 0


def is_german_tax_number(text: str) -> bool:
    """Tell whether a text is a tax identification number of Germany.

    >>> is_german_tax_number("86 095 742 719"), is_german_tax_number("86 095 742 718")
    (True, False)
    """
    found = _digits(text, 11)
    if not found or found[0] == 0:
        return False
    product = 10
    for digit in found[:10]:
        product = 2 * ((digit + product) % 10 or 10) % 11
    return (11 - product) % 10 == found[10]


def is_codice_fiscale(text: str) -> bool:
    """Tell whether a text is a codice fiscale of Italy.

    >>> is_codice_fiscale("RSSMRA85T10A562S"), is_codice_fiscale("RSSMRA85T10A562T")
    (True, False)
    """
    plain = text.upper().replace(" ", "")
    if not re.fullmatch(r"[A-Z]{6}[\dL-NP-V]{2}[A-EHLMPRST][\dL-NP-V]{2}[A-Z][\dL-NP-V]{3}[A-Z]", plain):
        return False
    total = sum(
        _ODD[sign] if place % 2 == 0 else int(sign) if sign.isdecimal() else ord(sign) - ord("A")
        for place, sign in enumerate(plain[:15])
    )
    return chr(ord("A") + total % 26) == plain[15]


def _looks(pattern: str) -> CellTest:
    return re.compile(pattern, re.IGNORECASE).fullmatch


COUNTRIES: Mapping[str, tuple[Pattern, ...]] = {
    "ca": (
        ("ssn", is_canadian_number, True),
        ("geography", _looks(r"[ABCEGHJ-NPRSTVXY]\d[ABCEGHJ-NPRSTV-Z] ?\d[ABCEGHJ-NPRSTV-Z]\d"), False),
    ),
    "de": (("ssn", is_german_tax_number, True), ("ssn", _looks(r"\d{2} ?\d{6} ?[A-Z] ?\d{3}"), False)),
    "es": (("ssn", is_spanish_number, True),),
    "fr": (("ssn", is_french_number, True),),
    "gb": (
        ("record", is_nhs_number, True),
        ("ssn", _looks(r"(?!BG|GB|KN|NK|NT|TN|ZZ)[A-CEGHJ-PR-TW-Z][A-CEGHJ-NPR-TW-Z] ?(?:\d{2} ?){3}[A-D]"), False),
        ("geography", _looks(r"[A-Z]{1,2}\d[A-Z\d]? ?\d[ABD-HJLNP-UW-Z]{2}"), False),
    ),
    "it": (("ssn", is_codice_fiscale, True),),
    "nl": (("ssn", is_dutch_number, True), ("geography", _looks(r"[1-9]\d{3} ?[A-Z]{2}"), False)),
}  # fmt: skip
OF_NUMBERS = (is_nhs_number, is_canadian_number, is_dutch_number, is_german_tax_number)  # whole numbers as well
