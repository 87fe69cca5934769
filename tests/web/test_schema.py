"""The API against its own schema: whatever is sent, the answer is one that the schema names, and never a defect."""

from urllib.parse import quote

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from web.conftest import people, serving

IN_PROCESSES = True

TEXT = st.text(st.characters(exclude_categories=["Cs"]), max_size=30)
JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | TEXT,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(TEXT, inner, max_size=3),
    max_leaves=6,
)
NAMES = st.sampled_from(["roles", "path", "method", "k", "guard", "level", "column", "format", "audience", "age"])
LIKELY = st.sampled_from(
    ["quasi", "plain", "hilbert", "t-closeness", "l-diversity", "diagnosis", "csv", 5, 0.2, 2, None]
)
BODIES = JSON | st.dictionaries(NAMES, LIKELY | JSON | st.dictionaries(NAMES, LIKELY, max_size=2), max_size=4)


@pytest.fixture(scope="module")
def visitor(tmp_path_factory):
    with serving(tmp_path_factory.mktemp("server")) as (visitor, _):
        visitor.opened(people(12))
        with pytest.MonkeyPatch.context() as patch:
            # Answers are looked at here, not results: work that is asked for ends at once.
            patch.setattr("shoal.web.tasks.processes.sys.executable", "/bin/false")
            yield visitor


@pytest.fixture(scope="module")
def known(visitor):
    """What can be asked for, and which answers the schema names for it."""
    schema = visitor.get("/api/openapi.json").json()
    ways = {(way, path): each["responses"] for path, found in schema["paths"].items() for way, each in found.items()}
    del ways["delete", "/api/file"]  # the others need the file
    return ways


@settings(max_examples=300)
@given(data=st.data())
def test_every_answer_is_one_that_the_schema_names(visitor, known, data):
    way, path = data.draw(st.sampled_from(sorted(known)))
    place = path
    for name in ("id", "name"):
        if "{" + name + "}" in path:
            given = data.draw(TEXT.filter(lambda text: text.strip(".") and "/" not in text))
            place = place.replace("{" + name + "}", quote(given, safe=""))
    asked = {"wait": data.draw(st.sampled_from(["0", "-1", "x", "nan", "", "31"]))} if data.draw(st.booleans()) else {}
    if path in ("/api/file", "/api/roles/import"):
        answer = visitor.client.put(place, params={**asked, "name": data.draw(TEXT)}, content=b"")
    elif way == "get":
        answer = visitor.client.get(place, params=asked)
    else:
        answer = visitor.client.request(way, place, params=asked, json=data.draw(BODIES))
    assert str(answer.status_code) in known[way, path], (way, place, answer.text)
    if answer.status_code >= 400:
        assert set(answer.json()) == {"error", "remedy"}
