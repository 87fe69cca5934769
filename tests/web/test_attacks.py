"""Attacks on what is chosen: asked for on a screen of their own, kept, and said in the reader's language."""

import pytest

GERMAN = {"accept-language": "de"}
SECRETS = ("flu", "hiv", "tb")


@pytest.fixture
def decided(visitor):
    rows = "".join(f"{20 + i * 7 % 50},{i * 13 % 20},{SECRETS[i % 3]}\n" for i in range(400))
    visitor.client.put("/api/file?name=stays.csv&wait=30", content=f"age,zip,ill\n{rows}".encode())
    visitor.client.put("/api/roles", json={"roles": {"age": "quasi", "zip": "quasi", "ill": "sensitive"}})
    return visitor


def test_what_is_chosen_is_attacked_when_asked_for(decided):
    assert "attacks" not in decided.get("/api/attacks").json()
    assert 'href="/attacks"' in decided.get("/release").text
    assert "Attack it" in decided.get("/attacks").text
    found = decided.post("/api/attacks?wait=30").json()
    assert found["job"]["state"] == "done", found
    names = [each["name"] for each in found["attacks"]]
    assert {"linkability", "inference draw", "singling out", "nearest record", "membership", "dcr"} <= set(names)
    assert all(0 <= each["rate"] <= 1 and each["low"] <= each["residual"] <= each["high"] for each in found["attacks"])
    text = decided.get("/attacks").text
    assert "Residual risk" in text
    assert "What a row shows describes exactly one person." in text
    german = decided.get("/attacks", headers=GERMAN).text
    assert "Restrisiko" in german
    assert "Was eine Zeile zeigt, beschreibt genau einen Menschen." in german


def test_another_choice_was_not_attacked(decided):
    decided.post("/api/attacks?wait=30")
    decided.client.put("/api/aim", json={"k": 7})
    assert "Residual risk" not in decided.get("/attacks").text
