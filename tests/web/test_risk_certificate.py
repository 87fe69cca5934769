"""The certificate of a risk from the page: signed with a key that stays where it is, and proved by the command."""

import stat

import pytest
from web.conftest import serving
from web.test_sections import asked, command, opened  # noqa: F401 - a fixture

from shoal.certification.signatures import SigningKey

pytest.importorskip("cryptography", reason="signatures need the extra crypto")


def downloaded(holder, tmp_path):
    """Put the certificate and the public key beside the file, as its owner does."""
    for place, name in (("risk/certificate.json", "people.risk.json"), ("signing-key.pub", "signing.pub")):
        answer = holder.get(f"/api/{place}")
        assert answer.status_code == 200
        (tmp_path / name).write_bytes(answer.content)


def test_a_certificate_is_signed_and_proved_by_the_command(tmp_path, command):  # noqa: F811
    with serving(tmp_path) as (holder, _):
        opened(holder)
        assert holder.get("/api/signing-key").json() == {"fingerprint": None}
        assert holder.post("/api/risk/certificate", json={"sign": True}).status_code == 422
        assert holder.get("/api/risk/certificate.json").status_code == 404
        asked(holder, threshold="public", suda=True)
        holder.post("/risk/signing-key")
        assert holder.post("/api/signing-key").status_code == 422
        fingerprint = holder.get("/api/signing-key").json()["fingerprint"]
        holder.post("/risk/certificate", data={"sign": "true"})
        found = holder.get("/api/risk/certificate?wait=30").json()
        assert (found["signed"], found["sealed"]) == (fingerprint, False)
        assert found["attackers"][0] == {"attacker": "prosecutor", "value": 1.0, "within": False}
        page = holder.get("/risk").text
        assert "Signed (Ed25519) with the key" in page
        assert "Certificate of risk" in holder.get("/api/risk/certificate.html").text

        (secret,) = (tmp_path / "kept").rglob("signing.key")
        assert stat.S_IMODE(secret.stat().st_mode) == 0o600
        given = [holder.get(place).text for place in ("/risk", "/api/risk/certificate.json", "/api/signing-key.pub")]
        assert not any("PRIVATE" in each or secret.read_text().splitlines()[1] in each for each in given)

        downloaded(holder, tmp_path)
        more = ("--certificate", "people.risk.json", "--public-key", "signing.pub", "--population", "all.csv")
        proved = command("check", "people.csv", *more, "--json")
        assert proved["verified"] is True
        assert proved["not_proved"] == []
        assert any(fingerprint in each for each in proved["proved"])
        asked(holder, threshold="inside")
        assert "write it anew" in holder.get("/risk").text


def test_the_key_of_the_server_signs_and_its_shared_key_seals(tmp_path, command):  # noqa: F811
    pair = SigningKey.new(tmp_path / "expert.key")
    (tmp_path / "shared.key").write_bytes(b"sixteen bytes or more\n")
    with serving(tmp_path, sign=tmp_path / "expert.key", seal=tmp_path / "shared.key") as (holder, _):
        opened(holder, None)
        found = holder.post("/api/risk/certificate?wait=30", json={"sign": True}).json()
        assert (found["signed"], found["sealed"]) == (pair.public.fingerprint, True)
        downloaded(holder, tmp_path)
    more = ("--certificate", "people.risk.json", "--public-key", "expert.key.pub", "--key", "shared.key")
    assert command("check", "people.csv", *more, "--json")["verified"] is True
