"""What the name of a column says: whether it names people, tells them apart, is confidential, or known to others.

A name is cut into words first (``DischargeDate``, ``discharge_date`` and ``DISCHARGE-DATE`` are the same two), and
words are compared whole: a discharge is no charge.
"""

from __future__ import annotations

import csv
import io
import re
import shlex
import unicodedata
from collections.abc import Sequence

from shoal.schema import Role

_PERSON = (
    r"patient(?:s|en|in)?|pat|persons?|personen|people|subject|subj|usubj|participant|respondent|proband(?:en)?|member|"
    r"customer|cust|client|clnt|user|insured|insurant|insuree|beneficiary|enrollee|donor|employee|student|pupil|citizen|"
    r"taxpayer|versicherten?|kunden?|mitglieds?|teilnehmer|klienten?|medical_?record|social_?security|national|insurance"
)
_KEY = r"ids?|ident|identifier|identification|no|nr|nbr|num|number|nummer|key|uuid|guid|hash|pseudonym|token"
_SUBJECT = re.compile(
    rf"(?:^|_)(?:{_PERSON})_?(?:{_KEY})(?:_|$)|"
    r"(?:^|_)(?:pid|rln|mrn|pnr|medrec|medrecno|kvnr|versnr|svnr|patnr|personnummer|nhs|nhsno|nino|cpr|empi|hicn|mbi)(?:_|$)"
)
_OF_PEOPLE = (
    r"first|last|given|family|full|middle|maiden|birth|sur|fore|nick|user|patient|person|customer|client|member|mother|"
    r"father|parent|child|spouse|contact|employee|student|doctor|physician|nurse|owner|login"
)
_IDENTIFIER = re.compile(
    rf"^names?$|(?:^|_)(?:{_OF_PEOPLE})_?names?(?:_|$)|(?:^|_)names?_?(?:{_OF_PEOPLE})(?:_|$)|"
    r"(?:^|_)(?:vor|nach|familien|zu|geburts)namen?(?:_|$)|"
    r"(?:^|_)(?:surname|ssn|sin|passport|reisepass|e_?mail|phone|telephone|tel|telefon|mobile|handy|fax|"
    r"address|addr|adresse|anschrift|street|strasse|iban|kontonummer|kontonr|licen[cs]e|plate|steuerid|"
    r"sozialversicherungsnummer|ausweis|personalausweis|cpf|curp|dni|bsn|pesel|aadhaar|login|twitter|url|ip)(?:_|$)|"
    r"(?:^|_)(?:account|acct|card|credit_card|passport|phone|tax)_?(?:id|no|nr|nbr|num|number)(?:_|$)|(?:uu|gu)id(?:_|$)"
)
_RECORD = re.compile(rf"(?:^|_)(?:{_KEY}|rowid|index|serial|barcode|accession)\d*(?:_|$)|(?:nummer|nr)(?:_|$)")
_HOUSEHOLD = re.compile(
    r"(?:^|_)(?:hid|hhid|hhno|hhnr)(?:_|$)|(?:^|_)(?:household|hh|haushalts?)_?(?:" + _KEY + r")(?:_|$)"
)
_WEIGHT = re.compile(
    r"(?:^|_)(?:pweight|wgt|wgtp|pwgtp|finalwt|fnlwgt|perwt|hhwt|sampwt|wtfa|sampweight|weighting|gewichtung|hochrechnungsfaktor)"
    r"(?:_|$)|(?:^|_)(?:survey|sampling|sample|person|household|final|design|replicate|expansion|discharge|analysis)_?"
    r"(?:weight|wgt|wt|factor)s?(?:_|$)|^wt_?(?:int|mec|saf|ph|dr)"
)
_WEIGHT_OR_MASS = re.compile(r"^(?:wts?|weights?|gewicht)(?:_\d+)?$")
# Several of a kind, numbered: diagnoses and procedures of one stay, as in files of discharges.
_NUMBERED_CODE = re.compile(r"(?:^|_)(?:dx|px|pc|pr|sx|op|ops|prc|diag|proc|icd|cpt)_\d+$")
# Words that outweigh those of what is confidential: the date of a diagnosis is a date.
_KNOWN_WORDS = (
    "age alter sex gender geschlecht race ethnicity ethnic zip zipcode postcode postal plz postleitzahl birth born "
    "birthdate birthday birthplace birthyear dob geburtsdatum geburtsjahr geburtstag date datum year yr jahr month "
    "monat quarter qtr county city town ort wohnort region state bundesland country nation nationality fips tract "
    "district borough parish province municipality community kreis landkreis gemeinde bezirk puma msa cbsa nuts "
    "urban rural urbrur relat relation relationship newborn"
)
_SENSITIVE_WORDS = (
    "charge charges salary salaries income incomes wage wages gehalt einkommen lohn pay debt loan balance price "
    "cost costs amount amounts revenue profit profits turnover sales spent paid payment payments fee fees tax taxes "
    "value values sum total deposit savings assets expenses donation premium credit diagnosis diagnoses diagnose "
    "diagnosen diag diags dx icd icd9 icd10 icd9cm icd10cm icd10gm drg msdrg aprdrg mdc ccs cpt hcpcs snomed atc "
    "ndc rx payer payor payors insurer copay expend expenditure expenditures spending disease illness "
    "krankheit drug drugs medication medications hiv religion religious politics political party sexual orientation "
    "score result results grade grades lab a1c hba1c glucose insulin bmi blood test procedure procedures proc procs "
    "treatment therapy surgery outcome mortality death died dead expired readmission readmitted disability pregnant "
    "pregnancy smoker smoking alcohol crime offence offense conviction severity"
)
_QUASI_WORDS = (
    "marital marriage married education school occupation job profession beruf work employer hospital facility "
    "clinic klinik provider ward oshpd admission admissions admitted admit adm discharge discharged los stay "
    "ownership beds bedsize dc dispo disposition npi days stratum strata psu cluster segment "
    "duration week weekday day time language sprache household children height location latitude longitude lat lon "
    "gps residence veteran citizenship veh vehicle"
)
_KNOWN = frozenset(_KNOWN_WORDS.split())
_SENSITIVE = frozenset(_SENSITIVE_WORDS.split())
_QUASI = _KNOWN | frozenset(_QUASI_WORDS.split())


UNDECIDED = "; decide"  # how a reason ends that does not decide by itself


def words(name: str) -> tuple[str, ...]:
    """Cut the name of a column into its words, in small letters without accents.

    >>> words("DischargeDate"), words("patient_nbr"), words("CustomerID"), words("DIAG1")
    (('discharge', 'date'), ('patient', 'nbr'), ('customer', 'id'), ('diag', '1'))
    """
    plain = unicodedata.normalize("NFKD", name.replace("ß", "ss"))
    plain = "".join(sign for sign in plain if not unicodedata.combining(sign))
    apart = re.sub(r"(?<=[a-z0-9])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])", "_", plain).lower()
    found = [part for part in re.split(r"[^0-9a-z]+", apart) if part]
    return tuple(part for word in found for part in (_numbered(word) if word not in _SENSITIVE else [word]))


def _numbered(word: str) -> Sequence[str]:
    """Part the number at the end of a word from it."""
    stem = word.rstrip("0123456789")
    return (stem, word[len(stem) :]) if stem and stem != word else (word,)


def as_option(names: Sequence[str]) -> str:
    r"""Give names as an option takes them: separated by commas, those with a comma in quotes, safe in a shell.

    >>> as_option(["age", "height, cm"])
    '\'age,"height, cm"\''
    """
    text = io.StringIO()
    csv.writer(text, lineterminator="").writerow(names)
    return shlex.quote(text.getvalue())


def names_people(name: str) -> bool:
    """Tell whether a column is called as those are that name people, or say how to reach them."""
    return _IDENTIFIER.search("_".join(words(name))) is not None


def tells_people_apart(name: str) -> bool:
    """Tell whether a column is called as those are that number people.

    >>> [tells_people_apart(name) for name in ("patient_nbr", "CustomerID", "Versichertennummer", "hospital_id")]
    [True, True, True, False]
    """
    return _SUBJECT.search("_".join(words(name))) is not None


def numbers_records(name: str) -> bool:
    """Tell whether a column is called as those are that number something: visits, cases, rows."""
    return _RECORD.search("_".join(words(name))) is not None


def role_by_name(name: str, kind: str) -> tuple[Role, str] | None:
    """Suggest a role by the name of a column, if that says anything.

    >>> [role_by_name(name, "category")[0].value for name in ("discharge_date", "DISCHARGE", "admission_diagnosis")]
    ['quasi', 'quasi', 'sensitive']
    >>> role_by_name("body_weight", "float") is None
    True
    """
    mine = words(name)
    joined = "_".join(mine)
    if (found := _IDENTIFIER.search(joined)) is not None:
        return Role.IDENTIFIER, _because(found, "as that of a column that names people, or says how to reach them")
    if (found := _SUBJECT.search(joined)) is not None:
        return Role.SUBJECT, _because(found, "as that of a column that tells people apart")
    if (found := _HOUSEHOLD.search(joined)) is not None:
        return Role.HOUSEHOLD, _because(found, "as that of a number of households, which links their members")
    if kind in ("integer", "float") and (found := _WEIGHT.search(joined)) is not None:
        return Role.WEIGHT, _because(found, "as that of a survey weight")
    if kind in ("integer", "float") and (found := _WEIGHT_OR_MASS.search(joined)) is not None:
        return Role.WEIGHT, f"{_because(found, 'as that of a survey weight, or of a mass')}{UNDECIDED}"
    if (found := _NUMBERED_CODE.search(joined)) is not None and not _KNOWN.intersection(mine):
        return Role.SENSITIVE, _because(found, "as that of a diagnosis or procedure")
    for role, others, meaning in (
        (Role.QUASI, _KNOWN, "others may know it"),
        (Role.SENSITIVE, _SENSITIVE, "something confidential"),
        (Role.QUASI, _QUASI, "others may know it"),
    ):
        for word in mine:
            if word in others:
                return role, f"its name has the word '{word}': {meaning}"
    return None


def _because(found: re.Match[str], meaning: str) -> str:
    """Say which words of a name were recognized, and as what."""
    return f"its name has '{found[0].strip('_').replace('_', ' ')}', {meaning}"
