"""Signatures that everybody can check, from the pair of keys to the certificate and back."""

import json
import stat

import pytest

import shoal
from shoal.certification.certificate import Certificate
from shoal.certification.signatures import PublicKey, SigningKey, digest, mac
from shoal.errors import CertificateError, ParameterError

ROWS = "age,sex\n" + "".join(f"{30 + i % 4},{'mf'[i % 2]}\n" for i in range(24))
# RFC 8032, 7.1, the first test: the pair of keys, and what it signs.
SECRET = "9d61b19deffd5a60ba844af492ec2cc44449c5697b326919703bac031cae7f60"
PUBLIC = "d75a980182b10ab7d54bfed3c964073a0ee172f3daa62325af021a68f707511a"


@pytest.fixture
def signed(desk):
    desk.put("people.csv", ROWS)
    desk.run("key", "new", "mine.key", "--sign").fine()
    asked = ["--quasi", "age,sex", "--k", "3", "--sign", "mine.key"]
    desk.run("anonymize", "people.csv", "--out", "out.csv", *asked).fine()
    return desk


def test_a_signed_certificate_is_checked_with_the_public_key(signed):
    assert stat.S_IMODE((signed.folder / "mine.key").stat().st_mode) == 0o600
    fingerprint = PublicKey.load(signed.folder / "mine.key.pub").fingerprint
    told = signed.run("check", "out.csv", "--public-key", "mine.key.pub").fine().out
    assert f"signed with the key {fingerprint}" in told
    found = signed.run("check", "out.csv", "--json").json()
    assert found["verified"]
    assert any(fingerprint in line for line in found["not_proved"])
    content = json.loads((signed.folder / "out.certificate.json").read_text(encoding="utf-8"))
    assert content["signed"]["scheme"] == "Ed25519"
    secret = (signed.folder / "mine.key").read_text(encoding="utf-8").splitlines()[1]
    assert secret not in json.dumps(content) + told


def test_another_key_another_content_and_no_signature_are_refused(signed):
    signed.run("key", "new", "other.key", "--sign").fine()
    signed.run("check", "out.csv", "--public-key", "other.key.pub").refused(1, "not signed with this key")
    place = signed.folder / "out.certificate.json"
    content = json.loads(place.read_text(encoding="utf-8"))
    forged = content | {"left_out": ["nothing"]}
    place.write_text(json.dumps(forged | {"digest": digest(forged)}), encoding="utf-8")
    signed.run("check", "out.csv", "--public-key", "mine.key.pub").refused(1, "not signed with this key")
    place.write_text(json.dumps({k: v for k, v in content.items() if k != "signed"}), encoding="utf-8")
    signed.run("check", "out.csv", "--public-key", "mine.key.pub").refused(1, "not signed")
    signed.run("check", "out.csv").fine()


def test_a_recipe_is_signed_too_and_a_mac_stands_beside_the_signature(signed):
    signed.put("shared", "sixteen random bytes or more")
    (signed.folder / "r.toml").write_text(
        '[table]\nfile = "people.csv"\nquasi = ["age", "sex"]\n[[method]]\nname = "hilbert"\n'
        '[[model]]\nname = "k-anonymity"\nk = 3\n[release]\nfile = "again.csv"\n', encoding="utf-8",
    )  # fmt: skip
    signed.run("run", "r.toml", "--sign", "mine.key", "--key", "shared").fine()
    told = signed.run("check", "again.csv", "--public-key", "mine.key.pub", "--key", "shared").fine().out
    assert "(MAC)" in told
    assert "(Ed25519)" in told


def test_keys_that_are_none_are_refused_before_any_work(signed):
    signed.put("none.key", "-----BEGIN NOTHING-----\n")
    asked = ["anonymize", "people.csv", "--out", "new.csv", "--quasi", "age", "--k", "3", "--sign"]
    signed.run(*asked, "none.key").refused(2, "is not a pair of keys", "shoal key new")
    signed.run(*asked, "mine.key.pub").refused(2, "is not a pair of keys")
    signed.run(*asked, "nowhere.key").refused(2, "cannot be read")
    assert not (signed.folder / "new.csv").exists()
    signed.run("key", "new", "mine.key", "--sign").refused(2, "is there already")


def test_signatures_are_those_of_the_standard(tmp_path):
    from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

    key = SigningKey(Ed25519PrivateKey.from_private_bytes(bytes.fromhex(SECRET)))
    assert key.public.raw.hex() == PUBLIC
    made = key.signed("0" * 64)
    assert key.public.holds("0" * 64, made["signature"])
    assert not key.public.holds("1" * 64, made["signature"])
    assert not key.public.holds("0" * 64, "no signature")
    assert key.signed("0" * 64) == made
    path = tmp_path / "key.pub"
    path.write_bytes(key.public.pem())
    assert PublicKey.load(path) == key.public


def test_from_python_a_pair_of_keys_or_its_file_signs(tmp_path, monkeypatch):
    import polars as pl

    monkeypatch.chdir(tmp_path)
    key = SigningKey.new("k")
    made = shoal.anonymize(pl.DataFrame({"age": [1, 1, 2, 2]}), quasi="age", k=2)
    for sign in (key, "k"):
        made.write("out.csv", sign=sign, overwrite=True)
        assert shoal.verify("out.csv", public_key="k.pub").holds
        assert shoal.verify("out.csv", public_key=key.public).holds
    content = Certificate.load("out.certificate.json").content
    with pytest.raises(CertificateError, match="not signed"):
        shoal.verify("out.csv", Certificate({k: v for k, v in content.items() if k != "signed"}), public_key=key.public)
    with pytest.raises(ParameterError, match="too short"):
        mac("0" * 64, b"short")
