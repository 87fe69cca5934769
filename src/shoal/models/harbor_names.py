"""The eighteen kinds of identifiers of safe harbor by the names of columns: words, with a slip in longer ones.

A word of a name, or two or three that follow each other, are compared with the words of each kind: exactly, or with one
edit where both have five letters or more. A word that means something else in tables is never taken for a slip.
"""

from __future__ import annotations

from shoal.column_names import role_by_name, words

# The kinds of 45 CFR 164.514(b)(2)(i), in the order of its letters (A) to (R).
KINDS = {
    "name": "names",
    "geography": "geography smaller than a state",
    "date": "dates finer than a year, and ages over 89",
    "phone": "phone numbers",
    "fax": "fax numbers",
    "email": "e-mail addresses",
    "ssn": "social security numbers",
    "record": "medical record numbers",
    "plan": "health plan beneficiary numbers",
    "account": "account numbers",
    "licence": "certificate and licence numbers",
    "vehicle": "vehicle identifiers, serial numbers and plates",
    "device": "device identifiers and serial numbers",
    "url": "web addresses",
    "ip": "IP addresses",
    "biometric": "biometric identifiers",
    "photograph": "photographs and comparable images",
    "other": "other unique numbers, characteristics and codes",
}
_NUMBER = ("number", "num", "no", "nr", "nbr", "id")


def _numbers(stems: str) -> str:
    """Give the names of numbers of something: accountnumber, accountno, accountid and so on."""
    return " ".join(f"{stem}{number}" for stem in stems.split() for number in _NUMBER)


# What has numbers, by kind.
_NUMBERED = {
    "record": "medicalrecord record chart patientrecord hospitalrecord",
    "plan": "healthplan plan policy beneficiary member subscriber insurance medicare medicaid",
    "account": "account acct card bank customeraccount",
    "vehicle": "vehicle plate chassis vehicleidentification",
    "licence": "certificate cert licence license passport dea",
    "device": "device serial implant pacemaker deviceserial",
}
# Kind, form and words. What is left of a column is nothing, or what `harbor_groups` says of its form.
_WORDS: tuple[tuple[str, str, str], ...] = (
    ("date", "birth", "dob birthdate birthday birthdt dateofbirth birthyear yearofbirth geburtsdatum geburtsjahr"),
    ("date", "age", "age ages ageyrs ageyears alter"),
    ("geography", "zip", "zip zipcode zipcodes zip5 zip9 zip3 postcode postalcode postal plz patzip"),
    ("email", "", "email emails emailaddress mailaddress"),
    ("ip", "", "ip ipaddress ipv4 ipv6"),
    ("url", "", "url urls website webpage homepage weblink uri"),
    ("fax", "", "fax telefax facsimile faxnumber"),
    ("phone", "", "phone phones telephone phonenumber tel mobile cellphone telefon handy"),
    ("ssn", "", "ssn socialsecurity socialsecuritynumber socsec"),
    ("record", "", "mrn medrec medrecno " + _numbers(_NUMBERED["record"])),
    ("plan", "", "hicn mbi beneficiary " + _numbers(_NUMBERED["plan"])),
    ("account", "", "iban creditcard debitcard cardnumber acct " + _numbers(_NUMBERED["account"])),
    ("vehicle", "", "vin licenseplate licenceplate numberplate " + _numbers(_NUMBERED["vehicle"])),
    ("licence", "", "license licence passport driverslicense " + _numbers(_NUMBERED["licence"])),
    ("device", "", "imei udi macaddress deviceserial " + _numbers(_NUMBERED["device"])),
    (
        "biometric", "",
        "biometric biometrics fingerprint fingerprints retina voiceprint retinascan irisscan faceprint "
        "dnaprofile",
    ),
    ("photograph", "", "photo photos photograph photographs picture portrait headshot selfie faceimage mugshot"),
    (
        "geography", "",
        "address addr street city town county cnty patcnty precinct parish borough tract geocode "
        "latitude longitude lat lon lng municipality neighborhood neighbourhood village birthplace hometown "
        "adresse strasse ort kreis gemeinde",
    ),
    (
        "name", "",
        "surname firstname lastname givenname familyname fullname middlename maidenname forename "
        "nickname username patientname personname mothername fathername membername physicianname "
        "doctorname vorname nachname",
    ),
    ("date", "date", "date dates datetime timestamp datum"),
    ("other", "", "uuid guid pseudonym barcode patientid personid subjectid studyid participantid"),
)  # fmt: skip
# What is such only as the whole name: a drug has a name, too.
_WHOLE = {
    "name": ("name", ""), "names": ("name", ""), "initials": ("name", ""), "account": ("account", ""),
    "id": ("other", ""), "born": ("date", "birth"), "birth": ("date", "birth"), "plate": ("vehicle", ""),
    "image": ("photograph", ""),
}  # fmt: skip
_PARTS = frozenset(["month", "quarter", "qtr", "week", "weekday", "monat", "quartal"])
# Words one edit away from those above that mean something else.
_APART = frozenset(
    ["count", "counts", "country", "countries", "track", "tracks", "trace", "traces", "place", "months", "phase"]
)
_LONG = 5


def form_by_name(name: str) -> tuple[str, str] | None:
    """Give the kind of identifiers that a name speaks of, and its form; a part of a date has the form ``part``.

    >>> [form_by_name(name) for name in ("Patient_Nmae", "e-mail", "adress", "zip_code", "BirthDate", "amount")]
    [None, ('email', ''), ('geography', ''), ('geography', 'zip'), ('date', 'birth'), None]
    >>> form_by_name("month"), form_by_name("country"), form_by_name("telephne"), form_by_name("drug_name")
    (('date', 'part'), None, ('phone', ''), None)
    """
    tokens = words(name)
    joined = "".join(tokens)
    if joined in _WHOLE:
        return _WHOLE[joined]
    grams = [("".join(tokens[i : i + n]), n) for n in (3, 2, 1) for i in range(len(tokens) - n + 1)]
    for kind, form, listed in _WORDS:
        known = listed.split()
        if any(gram in known for gram, _ in grams):
            return kind, form
    if _PARTS.intersection(tokens):
        return "date", "part"
    for kind, form, listed in _WORDS:
        for gram, size in grams:
            if len(gram) < _LONG or (size == 1 and _means_something_else(gram)):
                continue
            if any(len(word) >= _LONG and one_edit(gram, word) for word in listed.split()):
                return kind, form
    return None


def _means_something_else(word: str) -> bool:
    return word in _APART or role_by_name(word, "category") is not None


def one_edit(one: str, other: str) -> bool:
    """Tell whether two words differ by one letter that is other, missing, or too many.

    >>> one_edit("adress", "address"), one_edit("phoen", "phone"), one_edit("street", "streat")
    (True, False, True)
    """
    if len(one) > len(other):
        one, other = other, one
    if len(other) - len(one) > 1:
        return False
    same = next((i for i, sign in enumerate(one) if sign != other[i]), len(one))
    return one[same + (len(one) == len(other)) :] == other[same + 1 :]
