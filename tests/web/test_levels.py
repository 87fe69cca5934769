"""The screen of the levels: all combinations are looked at when asked, one is picked, compared and released."""

import json
import re
from html import unescape

import pytest
from web.visible_text import sentences

from shoal.web.cases.aims import Aim

GERMAN = {"accept-language": "de"}
PEOPLE = b"zip,sex,ill\n" + b"".join(
    f"{zip},{sex},{ill}\n".encode()
    for zip, sex, ill in [
        ("02138", "M", "flu"), ("02139", "M", "cold"), ("02141", "F", "flu"), ("02142", "F", "cold"),
        ("02138", "F", "flu"), ("02139", "F", "cold"),
    ]
)  # fmt: skip


TREE = b"".join(f"{code};{code[:4]}*;*\n".encode() for code in ("02138", "02139", "02141", "02142"))


@pytest.fixture
def coder(visitor):
    """Give someone whose ZIP codes have a hierarchy, and who asks for k = 2."""
    visitor.client.put("/api/file?name=people.csv&wait=30", content=PEOPLE)
    visitor.client.put("/api/roles", json={"roles": {"zip": "quasi", "sex": "quasi", "ill": "sensitive"}})
    visitor.client.put("/api/hierarchy?column=zip&wait=30", content=TREE)
    visitor.client.put("/api/aim?wait=30", json={"method": "hilbert", "k": 2})
    return visitor


def test_all_combinations_are_looked_at_when_asked(coder):
    assert coder.get("/api/levels").json() == {}
    found = coder.post("/api/levels?wait=30", json={"limit": 0}).json()
    assert found["job"]["state"] == "done", found
    assert (found["nodes"], found["feasible"]) == (6, 4)
    assert found["best"]["levels"] == {"zip": 1, "sex": 0}
    assert found["best"]["proven"] is True
    assert found["best"]["outliers"] == 0
    assert sum(place["nodes"] for place in found["places"]) == found["nodes"]
    assert coder.post("/api/levels", json={"limit": 2}).status_code == 422


def test_a_combination_is_picked_compared_and_released(coder):
    coder.post("/api/levels?wait=30", json={"limit": 0.5})
    shown = coder.get("/levels").text
    keys = [unescape(key) for key in re.findall(r'name="key" value="([^"]*full-domain[^"]+)"', shown)]
    assert keys
    assert "?node=" in shown
    node = re.search(r"\?node=([\d,]+)", shown)[1]
    settings = json.dumps({"levels": [int(level) for level in node.split(",")]}, separators=(",", ":"))
    picked = Aim("full-domain", 2, settings=settings)
    assert f'value="{picked.key}"' in unescape(coder.get(f"/levels?node={node}").text)
    coder.post("/compare/pin", data={"key": keys[0], "pinned": "true"})
    coder.post("/protect/candidate", data={"key": keys[0]})
    tried = coder.client.get("/api/candidates?wait=30").json()
    assert coder.state()["aim"]["key"] == keys[0]
    assert "kept" in tried["candidates"][keys[0]]
    levels = Aim.of(keys[0]).steps[0].parameters["levels"]
    assert f"One level per column (full-domain) (levels = {'; '.join(map(str, levels))})" in coder.get("/protect").text
    assert f"levels={levels}" in coder.get("/same").text


def test_another_choice_does_not_show_what_was_found_for_this_one(coder):
    coder.post("/api/levels?wait=30", json={"limit": 0.5})
    coder.client.put("/api/aim?wait=30", json={"method": "hilbert", "k": 3})
    assert "nodes" not in coder.get("/api/levels").json()
    assert "The best combination" not in coder.get("/levels").text


def test_the_screen_speaks_german(coder):
    coder.post("/api/levels?wait=30", json={"limit": 0.5})
    said = coder.get("/levels", headers=GERMAN).text
    assert "Eine Ebene für jede Spalte" in said
    english = sentences(coder.get("/levels").text, {"people.csv", "zip", "sex", "ill"})
    assert not english & sentences(said, {"people.csv", "zip", "sex", "ill"})
