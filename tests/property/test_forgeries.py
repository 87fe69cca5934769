"""Whoever forges a file and its certificate together cannot have `verify` see a crowd that plain text does not show.

The oracle knows nothing of shoal: it reads the file with Python's own csv module and counts equal texts in the columns
that the proof says are protected.
"""

import csv
import hashlib
import io
import json
from collections import Counter
from copy import deepcopy
from pathlib import Path
from tempfile import TemporaryDirectory

import polars as pl
from hypothesis import HealthCheck, example, given, note, settings
from hypothesis import strategies as st

import shoal
from shoal.catalogue import build
from shoal.certification.certificate import Certificate, exact_verdict
from shoal.certification.read_options import release_options
from shoal.certification.signatures import digest
from shoal.engines.factory import default_engine
from shoal.models import check

K = 2
COLUMNS = ("age", "sex", "born", "size", "ill")
# Texts that a lenient reader may take for the same cell, or for none at all.
TWISTS = (
    lambda text: f" {text}",
    lambda text: f"{text} ",
    lambda text: f"{text}\u00a0",
    lambda text: f'"{text}"',
    lambda text: "*",
    lambda text: "*" * (1 + len(text)),
    lambda text: "",
    lambda text: text.replace("[", "[ ").replace(";", " ; "),
    lambda text: text.replace("[", "[+"),
    lambda text: text.replace("[", "[0"),
    lambda text: text.replace("1", "\u0661"),
    lambda text: text.replace("]", ".0]"),
    lambda text: f"{{{text}}}",
    lambda text: f"\\{text}",
    lambda text: f"[{text};{text}]",
    lambda text: ";".join(reversed(text.strip("{}").split(";"))).join("{}"),
    lambda text: text.strip("[]").split(";")[0],
    lambda text: text.upper(),
    lambda text: f"{text}\r",
    lambda text: f"0{text}",
    lambda text: f"{text}e0",
)


def people(rows):
    return pl.DataFrame(
        {
            "age": [row[0] for row in rows],
            "sex": ["fm"[row[1]] for row in rows],
            "born": [f"20{row[0] % 90 + 10}-0{row[1] + 1}-11" for row in rows],
            "size": [row[0] / 4 for row in rows],
            "ill": ["abc"[row[2]] for row in rows],
        }
    ).with_columns(pl.col("born").str.to_date())


RECORDS = st.lists(st.tuples(st.integers(18, 24), st.integers(0, 1), st.integers(0, 2)), min_size=4, max_size=10)
ROLE = st.sampled_from(("quasi", "plain", "sensitive"))
CELLS = st.lists(st.tuples(st.integers(0, 9), st.integers(0, 4), st.sampled_from(TWISTS)), max_size=4)


@st.composite
def forgeries(draw):
    """Draw how cells are twisted, rows moved, columns added, roles moved, kinds and marks changed."""
    return {
        "cells": draw(CELLS),
        "rows": draw(st.sampled_from(("kept", "reversed", "doubled", "dropped"))),
        "extra": draw(st.booleans()) and draw(st.booleans()),
        "roles": draw(st.dictionaries(st.sampled_from(COLUMNS[:4]), ROLE, max_size=2)),
        "kinds": draw(
            st.dictionaries(
                st.sampled_from(COLUMNS), st.sampled_from(("category", "float", "integer", "date")), max_size=2
            )
        ),
        "missing": draw(
            st.lists(st.sampled_from(("f", "m", "a", "b", "19", "20", "[19;20]", "{f;m}", "*")), max_size=5)
        ),
        "order": draw(st.sampled_from(("released", "input"))),
    }


def forged_text(text, how):
    lines = [line.split(",") for line in text.splitlines()]
    head, body = lines[0], lines[1:]
    for row, column, twist in how["cells"]:
        cells = body[row % len(body)]
        cells[column] = twist(cells[column])
    body = {"kept": body, "reversed": body[::-1], "doubled": body + body[:1], "dropped": body[:-1]}[how["rows"]]
    if how["extra"]:
        head, body = [*head, "name"], [[*cells, f"p{i}"] for i, cells in enumerate(body)]
    return "\n".join(",".join(cells) for cells in [head, *body]) + "\n"


def forged_certificate(content, path, how):
    """Change what a certificate tells of the file, and claim whatever is then found in it."""
    content = deepcopy(content)
    table = content["recipe"]["table"]
    for name, role in how["roles"].items():
        for names in (table["quasi"], table.setdefault("plain", []), table["sensitive"]):
            if name in names:
                names.remove(name)
        table[role].append(name)
    table["kinds"] |= how["kinds"]
    content["output"] |= {"missing": how["missing"], "row_order": how["order"]}
    content["recipe"]["release"] |= {"row_order": how["order"]} if how["order"] == "input" else {}
    data = path.read_bytes()
    content["scores"], content["recipe"]["measure"] = [], []
    try:
        models = [build("models", model) for model in content["recipe"]["model"]]
        found = default_engine().read(path, release_options(content, models))
        content["output"] |= {"sha256": hashlib.sha256(data).hexdigest(), "bytes": len(data), "records": found.rows}
        verdicts = [exact_verdict(verdict, found.schema) for verdict in check(found, models)]
        content["verdicts"] = [verdict | {"holds": True, "failing_classes": 0} for verdict in verdicts]
    except shoal.ShoalError:
        return None
    content["digest"] = digest(content)
    return Certificate(json.loads(json.dumps(content)))


def smallest_crowd(text, names):
    rows = list(csv.reader(io.StringIO(text, newline="")))
    places = [rows[0].index(name) for name in names]
    return min(Counter(tuple(row[place] for place in places) for row in rows[1:]).values())


@settings(max_examples=150, deadline=None, suppress_health_check=list(HealthCheck))
@given(RECORDS, forgeries(), st.sampled_from(("sorted-clusters", "hilbert", "coarsen")))
@example(
    [(18, 0, 0), (18, 0, 1), (19, 0, 2), (20, 0, 0)],
    {"cells": [], "rows": "kept", "extra": False, "roles": {}, "kinds": {}, "missing": [], "order": "released"},
    "sorted-clusters",
)
def test_what_passes_is_what_plain_text_shows(rows, how, method):
    with TemporaryDirectory() as folder:
        path = Path(folder) / "out.csv"
        table = shoal.read(people(rows), quasi=COLUMNS[:4], sensitive=["ill"])
        maker = {"name": method} | ({"resolution": 1} if method == "coarsen" else {})
        release = shoal.anonymize(table, build("methods", maker), [shoal.models.KAnonymity(K)], measures=())
        content = release.write(path).content
        text = path.read_text(encoding="utf-8")
        untouched = not any((how["cells"], how["extra"], how["roles"], how["kinds"], how["missing"]))
        path.write_text(forged_text(text, how), encoding="utf-8", newline="")
        certificate = forged_certificate(content, path, how)
        if certificate is None:
            return
        try:
            proof = shoal.verify(path, certificate)
        except shoal.ShoalError:
            assert not (untouched and how["rows"] == "kept"), "an honest pair was refused"
            return
        said = path.read_text(encoding="utf-8")
        note(said)
        assert set(csv.reader(io.StringIO(said)).__next__()) == {*proof.protected, *proof.unprotected}
        assert smallest_crowd(said, proof.protected) >= K
