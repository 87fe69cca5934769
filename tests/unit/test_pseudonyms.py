"""Pseudonyms, FF1 and shifts of dates: known answers to the character, and what must hold for every value."""

import base64
import hashlib
import hmac
import unicodedata

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from shoal.errors import DataError, ParameterError
from shoal.pseudonyms.ff1 import FF1
from shoal.pseudonyms.forms import ALPHABETS, CodeCipher, numbered_codes
from shoal.pseudonyms.names import pseudonyms, refuse_collisions
from shoal.pseudonyms.shifts import shifts
from shoal.pseudonyms.treatments import Treatment, treatments_of
from shoal.secret_keys import SecretKey

KEY = SecretKey(b"shoal specification key 0001")
TEXTS = st.lists(st.text(st.characters(codec="utf-8"), max_size=80), max_size=30, unique=True)


def by_definition(value: str, domain: str, key: SecretKey) -> str:
    message = domain.encode() + b"\0" + unicodedata.normalize("NFC", value).encode()
    return base64.b32encode(hmac.digest(key.secret, message, "sha256")[:10]).decode().lower()


def test_known_pseudonyms():
    assert pseudonyms(["380929", "Zoë"], "patient", KEY).tolist() == [b"3cvvjlinbbyftled", b"rfsm4mrzb74tik7d"]
    assert pseudonyms(["380929"], "hospital", KEY).tolist() == [b"gwl2b5dvidanvrdb"]


def test_a_name_is_one_however_it_was_typed():
    composed, taken_apart = (unicodedata.normalize(form, "Zoë") for form in ("NFC", "NFD"))
    assert composed != taken_apart
    one, other = pseudonyms([composed, taken_apart], "patient", KEY)
    assert one == other


@pytest.mark.parametrize("length", [16, 63, 64, 65, 200])
@given(values=TEXTS, domain=st.text(min_size=1, max_size=70).filter(lambda text: text.isprintable()))
def test_pseudonyms_are_those_of_the_standard_library(length, values, domain):
    key = SecretKey(bytes(range(33, 33 + min(length, 90))) * 3)
    found = [name.decode() for name in pseudonyms(values, domain, key)]
    assert found == [by_definition(value, domain, key) for value in values]


def test_keys_longer_than_a_block_are_hashed_first():
    key = SecretKey(b"k" * 100)
    assert pseudonyms(["x"], "d", key)[0].decode() == by_definition("x", "d", key)


def test_two_people_with_one_pseudonym_are_refused():
    refuse_collisions(3, 3, "id")
    with pytest.raises(DataError, match="another key"):
        refuse_collisions(2, 3, "id")


def test_known_shifts():
    people = ["p1", "p2", "p3"]
    assert shifts(people, KEY, 182).tolist() == [171, -102, -24]
    assert shifts(people, KEY, 182, 7).tolist() == [105, 21, -168]
    day = np.datetime64("2009-03-14")
    assert [str(day + int(days)) for days in shifts(people, KEY, 182)] == ["2009-09-01", "2008-12-02", "2009-02-18"]


@given(people=TEXTS, step=st.integers(1, 40), more=st.integers(0, 400), secret=st.binary(min_size=16, max_size=32))
def test_no_shift_is_zero_or_beyond_its_limit(people, step, more, secret):
    found = shifts(people, SecretKey(secret), step + more, step)
    assert (found != 0).all()
    assert (found % step == 0).all()
    assert (np.abs(found) <= step + more).all()


def test_all_shifts_there_may_be_occur_about_equally_often():
    found = shifts([str(number) for number in range(20_000)], KEY, 5)
    values, counts = np.unique(found, return_counts=True)
    assert values.tolist() == [-5, -4, -3, -2, -1, 1, 2, 3, 4, 5]
    assert counts.min() > 1_800
    assert counts.max() < 2_200


SAMPLES = [  # of the standard: key, radix, tweak, before, after
    ("2B7E151628AED2A6ABF7158809CF4F3C", 10, "", "0123456789", "2433477484"),
    ("2B7E151628AED2A6ABF7158809CF4F3C", 10, "39383736353433323130", "0123456789", "6124200773"),
    ("2B7E151628AED2A6ABF7158809CF4F3C", 36, "3737373770717273373737", "0123456789abcdefghi", "a9tv40mll9kdu509eum"),
    ("2B7E151628AED2A6ABF7158809CF4F3CEF4359D8D580AA4F7F036D6F04FC6A94", 10, "", "0123456789", "6657667009"),
    (
        "2B7E151628AED2A6ABF7158809CF4F3CEF4359D8D580AA4F7F036D6F04FC6A94", 36, "3737373770717273373737",
        "0123456789abcdefghi", "xs8a0azh2avyalyzuwd",
    ),
]  # fmt: skip


@pytest.mark.parametrize(("key", "radix", "tweak", "before", "after"), SAMPLES)
def test_samples_of_the_standard(key, radix, tweak, before, after):
    pytest.importorskip("cryptography")
    signs, cipher = ALPHABETS["lower"], FF1(bytes.fromhex(key), radix)
    digits, wanted = (np.array([[signs.index(sign) for sign in text]] * 3, np.uint16) for text in (before, after))
    tweaks = np.frombuffer(bytes.fromhex(tweak) * 3, np.uint8).reshape(3, -1)
    assert (cipher.encrypt(digits, tweaks) == wanted).all()
    assert (cipher.decrypt(wanted, tweaks) == digits).all()


@pytest.mark.parametrize(("radix", "length"), [(10, 6), (10, 28), (10, 29), (36, 4), (2, 20), (2, 97), (65536, 7)])
def test_ff1_can_be_undone_in_arrays_and_in_numbers_of_any_length(radix, length):
    pytest.importorskip("cryptography")
    drawn = np.random.default_rng(7).integers(0, radix, (40, length)).astype(np.uint16)
    cipher = FF1(KEY.secret[:16], radix)
    hidden = cipher.encrypt(drawn)
    assert (cipher.decrypt(hidden) == drawn).all()
    assert (hidden != drawn).any(axis=1).all()
    assert hidden.max() < radix


def test_both_ways_of_computing_ff1_agree(monkeypatch):
    pytest.importorskip("cryptography")
    drawn = np.random.default_rng(7).integers(0, 10, (40, 12)).astype(np.uint16)
    fast = FF1(KEY.secret[:16], 10).encrypt(drawn)
    monkeypatch.setattr("shoal.pseudonyms.ff1._FAST", 0)
    assert (FF1(KEY.secret[:16], 10).encrypt(drawn) == fast).all()


def test_ff1_is_not_for_few_values():
    pytest.importorskip("cryptography")
    with pytest.raises(ParameterError, match="pseudonym"):
        FF1(KEY.secret[:16], 10).encrypt(np.zeros((1, 5), np.uint16))
    with pytest.raises(DataError, match="pseudonym:ward"):
        CodeCipher(KEY, "ward").encrypt(["123456", "AB-12345"], "code")


@given(st.lists(st.from_regex(r"[A-Z]{0,2}-?[0-9]{6,9}/?[ÄÖ]?", fullmatch=True), unique=True, max_size=40))
def test_codes_keep_their_form_stay_different_and_can_be_had_again(codes):
    pytest.importorskip("cryptography")
    cipher = CodeCipher(KEY, "patient")
    hidden = cipher.encrypt(codes)

    def form(code):
        return "".join("0" if sign in "0123456789" else sign for sign in code)

    assert [form(code) for code in hidden] == [form(code) for code in codes]
    assert len(set(hidden)) == len(codes)
    assert cipher.decrypt(hidden) == codes
    assert CodeCipher(KEY, "hospital").encrypt(codes) != hidden or not codes


def test_what_is_kept_of_a_code_is_its_tweak():
    pytest.importorskip("cryptography")
    one, other = CodeCipher(KEY, "patient").encrypt(["A-1234567", "B-1234567"])
    assert (one[0], other[0]) == ("A", "B")
    assert one[1:] != other[1:]


def test_capital_letters_stay_capital_letters():
    pytest.importorskip("cryptography")
    (code,) = CodeCipher(KEY, "patient", "upper").encrypt(["DE12-AB34"])
    assert code != "DE12-AB34"
    assert code[4] == "-"
    assert code == code.upper()


@pytest.mark.parametrize(
    "text", ["drop", "pseudonym:patient", "ff1:patient", "ff1:patient:upper", "shift:182", "shift:182:7"]
)
def test_treatments_are_written_as_they_are_read(text):
    assert str(Treatment.parse(text)) == text


@pytest.mark.parametrize(
    "text",
    ["pseudonym", "pseudonym:", "ff1:", "ff1:x:klingon", "shift", "shift:0", "shift:6:7", "shift:-3", "shift:1:0", "?"],
)
def test_what_cannot_become_of_an_identifier_is_refused(text):
    with pytest.raises(ParameterError):
        Treatment.parse(text)


@pytest.mark.parametrize("text", ["hash", "sha256", "sha256:patient", "md5"])
def test_hashes_without_a_key_are_refused(text):
    with pytest.raises(ParameterError, match="without a key"):
        treatments_of([f"id={text}"])


def test_a_name_may_hold_a_sign_of_equality():
    assert list(treatments_of(["x=y", "a=b=pseudonym:p"])) == ["x=y", "a=b"]


def test_of_a_column_one_thing_becomes():
    with pytest.raises(ParameterError, match="two things"):
        treatments_of(["id", "id=pseudonym:p"])


def test_a_fingerprint_is_the_beginning_of_a_digest():
    assert KEY.fingerprint == hashlib.sha256(KEY.secret).hexdigest()[:8]
    assert "specification" not in repr(KEY)


@given(
    st.lists(
        st.one_of(st.from_regex(r"[A-Z]{0,12}-?[0-9]{0,20}", fullmatch=True), st.text("aÄ😀7", max_size=70)),
        unique=True,
    )
)
def test_codes_are_numbered_in_the_order_of_their_signs(codes):
    listed, places = numbered_codes(codes)
    assert listed.tolist() == sorted(codes)
    assert [listed[place] for place in places.tolist()] == codes
