"""Fit uniqueness by its definition: every point of every box of small random tables is looked at."""

import datetime
import itertools
import random
from collections import Counter

import numpy as np
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st
from property.independent import READERS, set_members

import shoal
from shoal.assessment.disclosure_risk import risk_of
from shoal.domains.cell_parser import Reading, parse
from shoal.engines.local import Local
from shoal.engines.local_data import OWN, LocalData
from shoal.kernels.box_cover import COVERED, UNDECIDED, UNIQUE, CellRuns, decide
from shoal.schema import Attribute, Role, Schema
from shoal.table import Origin, Table

ORDER = ("none", "low", "middle", "high")
CODES = ("93700", "93711", "93800", "94000", "9370", "9380")
PATTERNS = ("937**", "93***", "9****", "938**", "937*", "93**", "95***")
KINDS = ("integer", "date", "float", "datetime", "ordered", "category", "codes")


def value_text(kind, number):
    """Write the number-th value of a kind."""
    if kind == "date":
        return (datetime.date(2000, 2, 27) + datetime.timedelta(number)).isoformat()
    if kind == "datetime":
        return f"2000-01-01 {number:02}:30:00"
    return {"integer": str(number - 2), "float": f"{number}.5", "ordered": ORDER[number % 4]}[kind]


def cell_text(draw, kind):
    """Draw a cell: exact, generalized, a wildcard or missing. ``draw`` is a random.Random."""
    sort = draw.random()
    if sort < 0.12:
        return "*"
    if sort < 0.2:
        return ""
    if kind in ("category", "codes"):
        names = CODES if kind == "codes" else "abcde"
        if sort < 0.45:
            return draw.choice(names)
        if kind == "codes" and sort < 0.75:
            return draw.choice(PATTERNS)
        return "{" + ";".join(sorted(draw.sample(names, draw.randint(2, 4)))) + "}"
    ends = sorted(draw.randrange(4 if kind == "ordered" else 7) for _ in range(2))
    return value_text(kind, ends[0]) if sort < 0.45 else "[{};{}]".format(*(value_text(kind, end) for end in ends))


def points_of(texts, kind):
    """Give the points of a column, and which of them each text stands for: the definition, and nothing clever."""
    missing = [None] if "" in texts else []
    plain = [text for text in texts if text not in ("", "*")]
    if kind in ("category", "codes"):
        wild = {text for text in plain if text.endswith("*")}
        listed = {name for text in plain if text not in wild for name in members(text)}
        domain = sorted(listed) + [("unlisted", text) for text in sorted(wild)]

        def fits(text, point):
            if text not in wild:
                return point in members(text)
            code = point[1].rstrip("*") if isinstance(point, tuple) else point
            whole = len(point[1]) if isinstance(point, tuple) else len(point)
            return whole == len(text) and code.startswith(text.rstrip("*"))
    else:
        read = ORDER.index if kind == "ordered" else READERS[kind]
        ends = {text: [read(end) for end in text.strip("[]").split(";")] for text in plain}
        seen = sorted({end for pair in ends.values() for end in pair})
        if kind == "ordered":
            domain = list(range(4))
        elif kind == "integer" and seen:
            domain = list(range(seen[0], seen[-1] + 1))
        elif kind == "date" and seen:
            domain = [seen[0] + datetime.timedelta(i) for i in range((seen[-1] - seen[0]).days + 1)]
        else:
            domain = seen

        def fits(text, point):
            return ends[text][0] <= point <= ends[text][-1]

    domain = (domain or ["anything"]) + missing
    covers = {"": [i for i, point in enumerate(domain) if point is None], "*": list(range(len(domain)))}
    covers |= {
        text: [i for i, p in enumerate(domain) if p not in (None, "anything") and fits(text, p)] for text in plain
    }
    return len(domain), [covers[text] for text in texts]


def members(text):
    return set_members(text) if text.startswith("{") else {text}


def alone(sizes, boxes):
    """Tell of each box, given by the points of its cells, whether it has a point that no other box has."""
    grid = np.zeros(sizes, np.int32)
    for box in boxes:
        grid[np.ix_(*box)] += 1
    return [bool((grid[np.ix_(*box)] == 1).any()) for box in boxes]


def brute_force(columns):
    """Count the unique records of a table given as kind and texts by column."""
    found = [points_of(texts, kind) for kind, texts in columns]
    return sum(alone([size for size, _ in found], list(zip(*(cells for _, cells in found), strict=True))))


def table_of(columns):
    """Make a table of texts without a file."""
    attributes, low, high = [], [], []
    for j, (kind, texts) in enumerate(columns):
        reading = Reading("category" if kind == "codes" else kind, ORDER if kind == "ordered" else None)
        cells = parse(texts, reading)
        attributes.append(Attribute(f"q{j}", Role.QUASI, cells.axis))
        low.append(cells.lo)
        high.append(cells.hi)
    names = tuple(attribute.name for attribute in attributes)
    rows = len(columns[0][1])
    ends = (np.ascontiguousarray(np.stack(side, axis=1)) for side in (low, high))
    data = LocalData(names, *ends, OWN, (False,) * len(names), (), np.empty((rows, 0), np.int32), ())
    return Table(Schema(tuple(attributes)), data, Local(), Origin("made", "", "frame"))


def fit(table, known=None, effort=None):
    (found,) = shoal.score(table, measures=[shoal.measures.Uniqueness(known, "fit", effort)])
    return found


def made(draw, kinds=KINDS, rows=14):
    """Draw a table: few values, so that boxes overlap, and some rows twice."""
    number = draw.randint(1, rows)
    picked = [draw.choice(kinds) for _ in range(draw.randint(1, 3))]
    lines = [[cell_text(draw, kind) for kind in picked] for _ in range(number)]
    lines += [draw.choice(lines) for _ in range(draw.choice((0, 0, 1, 3)))]
    return [(kind, [line[j] for line in lines]) for j, kind in enumerate(picked)]


@pytest.mark.parametrize("seed", range(30))
def test_fit_agrees_with_brute_force_on_a_hundred_tables(seed):
    draw = random.Random(seed)
    for _ in range(100):
        columns = made(draw)
        score = fit(table_of(columns))
        expected = brute_force(columns)
        assert score.detail == {
            "records": len(columns[0][1]), "unique": expected, "undecided": 0, "matching": "fit",
        }, columns  # fmt: skip
        assert score.lower == score.value == score.upper


@given(st.randoms(use_true_random=False))
def test_fit_agrees_with_brute_force_on_what_is_read(draw):
    columns = made(draw, rows=8)
    frame = pl.DataFrame({f"q{j}": texts for j, (_, texts) in enumerate(columns)})
    kinds = {f"q{j}": "category" if kind == "codes" else kind for j, (kind, _) in enumerate(columns)}
    orders = {f"q{j}": ORDER for j, (kind, _) in enumerate(columns) if kind == "ordered"}
    table = shoal.read(frame, quasi=list(frame.columns), kinds=kinds, orders=orders, masked=True)
    found = risk_of(table, matching="fit")
    assert (found["unique"], found["records"]) == (brute_force(columns), table.rows)
    every = risk_of(table)
    assert every["fit_unique"] == found["unique"]
    for known in itertools.combinations(frame.columns, 2):
        both = [columns[frame.columns.index(name)] for name in known]
        assert risk_of(table, known, matching="fit")["unique"] == brute_force(both)


@given(st.randoms(use_true_random=False), st.integers(0, 3000))
def test_bounds_hold_whatever_the_effort(draw, effort):
    columns = made(draw, rows=30)
    score = fit(table_of(columns), effort=effort)
    rows = len(columns[0][1])
    assert round(score.lower * rows) <= brute_force(columns) <= round(score.upper * rows)
    assert score.value == score.upper
    assert score.detail["undecided"] == round((score.upper - score.lower) * rows)


def random_cells(draw, size, number, *, sets):
    """Draw different cells of a column as the kernel takes them, and the values of each."""
    found = set()
    for _ in range(number):
        low, high = sorted(draw.randrange(size) for _ in range(2))
        whole = tuple(range(low, high + 1))
        found.add(tuple(v for v in whole if draw.random() < 0.7) or whole if sets else whole)
    cells = sorted(found)
    runs = [[list(g) for _, g in itertools.groupby(enumerate(cell), lambda p: p[1] - p[0])] for cell in cells]
    starts = np.cumsum([0, *map(len, runs)]).astype(np.int64)
    low, high = (np.array([run[end][1] for cell in runs for run in cell], np.int32) for end in (0, -1))
    return CellRuns(starts, low, high, size), cells


@pytest.mark.parametrize("seed", range(12))
@pytest.mark.parametrize("sets", [False, True])
@pytest.mark.parametrize("loose", [3, 1000])
def test_the_kernel_agrees_with_brute_force_on_many_boxes(seed, sets, loose, monkeypatch):
    """Boxes enough for a tree, and cells enough for more levels than there are, with hulls in the tree or without."""
    monkeypatch.setattr("shoal.kernels.box_cover._MANY", loose)
    draw = random.Random(seed)
    for _ in range(12):
        columns = draw.randint(1, 4)
        sizes = [draw.randint(1, 9) for _ in range(columns)]
        drawn = [random_cells(draw, size, draw.choice((3, 12, 60)), sets=sets) for size in sizes]
        boxes = Counter(tuple(draw.randrange(len(c)) for _, c in drawn) for _ in range(draw.choice((5, 40, 300))))
        codes, counts = np.array(list(boxes), np.int32), np.array(list(boxes.values()), np.int64)
        points = [[cells[code] for (_, cells), code in zip(drawn, box, strict=True)] for box in boxes.elements()]
        expected = dict(zip(boxes.elements(), alone(sizes, points), strict=True))
        verdicts = decide(codes, [cells for cells, _ in drawn], counts, 10**9)
        assert verdicts.tolist() == [UNIQUE if expected[box] else COVERED for box in boxes]
        for effort in (0, 200, 5000):
            bounded = decide(codes, [cells for cells, _ in drawn], counts, effort)
            assert ((bounded == verdicts) | (bounded == UNDECIDED)).all()
