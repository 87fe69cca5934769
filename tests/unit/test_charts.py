"""Figures: well-formed, complete without seeing them, on their sheet, and honest about small and missing numbers."""

import math
import re
import time
import xml.etree.ElementTree as ET
from itertools import combinations, pairwise, product

import pytest
from hypothesis import given
from hypothesis import strategies as st

from shoal.charts import (
    bars,
    binned,
    drops,
    family_bars,
    heatmap,
    lines,
    matrix,
    paired,
    panels,
    risk_utility_map,
    style,
)
from shoal.charts.lettering import shorten, tell_apart, width
from shoal.charts.numerals import Format, decades, round_steps
from shoal.charts.palette import fixed
from shoal.charts.style import CELLS, DARK, HUES, LIGHT
from shoal.errors import ParameterError

SVG = "{http://www.w3.org/2000/svg}"
SAID = {"title": "A title", "description": "What there is to see."}


def each_kind(rows, **more):
    """Draw rows with the columns a, b, g, v and w in every way there is."""
    said = SAID | more
    return {
        "bars": bars(rows, x="a", y="v", group="g", **said),
        "bars, log": bars(rows, x="a", y="v", group="g", log=True, **said),
        "bars, compared": bars(
            rows, x="a", y="v", group="g", reference=("w", "others"), limits=[(0.2, "low"), (0.21, "near")], **said
        ),
        "families": family_bars(rows, x="a", y="v", family="g", limits=[(0.2, "limit")], **said),
        "lines": lines(rows, x="a", y="v", group="g", **said),
        "lines, log": lines(rows, x="a", y="v", group="g", log=True, log_x=True, step=True, **said),
        "heat map": heatmap(rows, x="a", y="g", value="v", **said),
        "heat map, log": heatmap(
            rows, x="a", y="g", value="v", log=True, text="w", framed=("north", "old", "framed"), **said
        ),
        "map": risk_utility_map(rows, x="v", y="w", label="a", group="g", frontier=True, **said),
        "map, log": risk_utility_map(rows, x="v", y="w", label="a", log=True, log_x=True, limit=(0.1, "limit"), **said),
        "map, focus": risk_utility_map(
            rows,
            x="v",
            y="w",
            label="a",
            group="g",
            frontier="g",
            focus=True,
            estimated="w",
            errors=("v", "w"),
            palette=fixed(["new", "old"]),
            **said,
        ),
        "lines, estimated": lines(rows, x="a", y="v", group="g", estimated="w", **said),
        "drops": drops(rows, name="a", share="v", whole=0.6, whole_label="all known", **said),
        "paired": paired(rows, x="a", before="v", after="w", facet="g", **said),
        "matrix": matrix(rows, x="a", y="g", before="v", after="w", **said),
    }


ROWS = [
    {"a": name, "g": group, "v": 0.1 * place + 0.05, "w": 0.2 + 0.03 * place}
    for place, (name, group) in enumerate(product(["north", "east", "south"], ["old", "new"]))
]
KINDS = list(each_kind(ROWS))


def parsed(figure):
    return ET.fromstring(figure.svg)


def marks(root):
    """Give the elements that are drawn: not those of patterns."""
    hidden = {id(inner) for defs in root.iter(f"{SVG}defs") for inner in defs.iter()}
    return [element for element in root.iter() if id(element) not in hidden]


def texts(root):
    return ["".join(t for t in (e.text, *[c.tail for c in e]) if t) for e in root.iter(f"{SVG}text")]


def text_box(element, said):
    """Give the corners of a text, and its angle."""
    kind, size = element.get("class") or "", float(element.get("font-size", 12))
    x, y = float(element.get("x")), float(element.get("y"))
    wide = width(said, size, bold="strong" in kind)
    left = x - {"start": 0, "middle": wide / 2, "end": wide}[element.get("text-anchor", "start")]
    corners = [
        (left, y - 0.75 * size),
        (left + wide, y - 0.75 * size),
        (left, y + 0.2 * size),
        (left + wide, y + 0.2 * size),
    ]
    turn = float(re.match(r"rotate\((\S+)", element.get("transform", "rotate(0")).group(1).rstrip(")"))
    c, s = math.cos(math.radians(turn)), math.sin(math.radians(turn))
    return [(x + (p - x) * c - (q - y) * s, y + (p - x) * s + (q - y) * c) for p, q in corners], turn


def unturned(corners, turn):
    """Give the limits of a turned text in a frame that is turned with it."""
    c, s = math.cos(math.radians(-turn)), math.sin(math.radians(-turn))
    there = [(x * c - y * s, x * s + y * c) for x, y in corners]
    return min(x for x, _ in there), max(x for x, _ in there), min(y for _, y in there), max(y for _, y in there)


def check_layout(figure):
    """All marks and texts lie on the sheet, no number is broken, and no two labels of axes meet."""
    root = parsed(figure)
    assert not re.search(r"(?<![\w-])(nan|inf)(?![\w-])", re.sub(r">[^<]*<", "><", figure.svg).replace("data-", ""))
    _, _, right, bottom = map(float, root.get("viewBox").split())
    inside = lambda x, y: -0.6 <= x <= right + 0.6 and -0.6 <= y <= bottom + 0.6  # noqa: E731
    ticks = []
    for element in marks(root):
        number = lambda name: float(element.get(name, 0))  # noqa: B023, E731
        if element.tag == f"{SVG}rect":
            assert number("width") >= 0
            assert number("height") >= 0
            assert inside(number("x"), number("y"))
            assert inside(number("x") + number("width"), number("y") + number("height"))
        elif element.tag == f"{SVG}line":
            assert inside(number("x1"), number("y1"))
            assert inside(number("x2"), number("y2"))
        elif element.tag == f"{SVG}path":
            for x, y in re.findall(r"[ML](\S+?),(\S+)", element.get("d")):
                assert inside(float(x), float(y))
        elif element.tag == f"{SVG}text":
            said = "".join(part for part in (element.text, *[child.tail for child in element]) if part)
            corners, turn = text_box(element, said)
            assert all(inside(x, y) for x, y in corners), said
            if "tick" in (element.get("class") or ""):
                ticks.append((*unturned(corners, turn), turn))
    for one, other in combinations(ticks, 2):
        if one[4] == other[4]:
            apart = one[1] <= other[0] or other[1] <= one[0] or one[3] <= other[2] or other[3] <= one[2]
            assert apart, (one, other)


@pytest.mark.parametrize("kind", KINDS)
def test_a_figure_can_be_read_without_seeing_it(kind):
    figure = each_kind(ROWS)[kind]
    root = parsed(figure)
    assert root.get("role") == "img"
    name, told = root.get("aria-labelledby"), root.get("aria-describedby")
    found = {element.get("id"): element.text for element in root.iter() if element.get("id")}
    assert found[name] == "A title"
    assert found[told] == "What there is to see."
    assert len(found) == len([element for element in root.iter() if element.get("id")])
    page = ET.fromstring(figure.html())
    assert page.find("figcaption") is not None
    assert page.find("details/table/caption").text == "A title"
    assert {head.get("scope") for head in page.iter("th")} == {"col", "row"}
    assert len(page.findall("details/table/tbody/tr")) == len(ROWS)


@pytest.mark.parametrize("kind", KINDS)
def test_layout(kind):
    check_layout(each_kind(ROWS)[kind])


@pytest.mark.parametrize("kind", KINDS)
def test_narrow_figures_have_the_same_order(kind):
    check_layout(each_kind(ROWS, width=360)[kind])


@pytest.mark.parametrize("kind", KINDS)
def test_the_same_rows_make_the_same_bytes_and_other_rows_other_ids(kind):
    first, second = each_kind(ROWS)[kind], each_kind(ROWS)[kind]
    assert first == second
    other = each_kind(ROWS[:-1])[kind]
    assert parsed(first).get("aria-labelledby") != parsed(other).get("aria-labelledby")


@pytest.mark.parametrize("kind", KINDS)
def test_no_rows_say_so(kind):
    figure = each_kind([])[kind]
    assert "Nothing to show" in texts(parsed(figure))
    assert "<details>" not in figure.html()


@pytest.mark.parametrize("kind", KINDS)
def test_names_are_escaped(kind):
    odd = '<b> & "quoted" \x00\ud800]]>'
    rows = [{"a": odd, "g": odd, "v": 0.2, "w": 0.3}, {"a": "plain", "g": odd, "v": 0.4, "w": 0.1}]
    figure = each_kind(rows, title=odd, description=odd)[kind]
    assert parsed(figure).find(f"{SVG}title").text == '<b> & "quoted" ��]]>'
    ET.fromstring(figure.svg_document())
    ET.fromstring(figure.html())
    check_layout(figure)


@pytest.mark.parametrize("kind", KINDS)
def test_a_drawing_that_stands_alone_brings_its_colours_and_its_title(kind):
    document = each_kind(ROWS)[kind].svg_document()
    root = ET.fromstring(document)
    assert "A title" in texts(root)
    assert "var(" not in document
    used = {name for element in root.iter() for name in (element.get("class") or "").split()}
    styled = set(re.findall(r"\.([\w-]+)", root.find(f"{SVG}style").text))
    assert used - styled <= {"bar", "tick"}


def test_no_drawing_carries_a_style_or_a_script():
    """A page with a strict content security policy shows them all the same."""
    for figure in each_kind(ROWS).values():
        assert not re.search(r"\sstyle=|<style|<script|\son\w+=", figure.svg)


def test_bars_stand_on_zero_and_carry_their_numbers():
    rows = [{"a": name, "v": value} for name, value in (("p", 20), ("q", 1_234_567), ("r", -300_000), ("s", 0))]
    root = parsed(bars(rows, x="a", y="v", **SAID))
    drawn = [e for e in marks(root) if e.tag == f"{SVG}rect" and e.get("class") != "paper"]
    (zero,) = [float(e.get("y1")) for e in marks(root) if e.tag == f"{SVG}line" and e.get("class") == "axis"]
    edges = [(float(e.get("y")), float(e.get("y")) + float(e.get("height"))) for e in drawn]
    assert [end for _, end in edges[:2]] == pytest.approx([zero, zero], abs=0.02)
    assert edges[2][0] == pytest.approx(zero, abs=0.02)
    assert {"20", "1,234,567", "−300,000", "0"} <= set(texts(root))
    assert edges[0][1] - edges[0][0] >= 1  # 20 beside a million is not zero


def test_bars_of_equal_ratios_stand_on_a_zero_of_their_own():
    rows = [{"a": name, "v": value} for name, value in (("p", 0), ("q", 3), ("r", 90_000))]
    root = parsed(bars(rows, x="a", y="v", y_label="records", log=True, **SAID))
    assert "records (log scale)" in texts(root)
    heights = [float(e.get("height")) for e in root.iter(f"{SVG}rect") if "hue" in e.get("class")]
    assert heights[0] == 0
    assert 0 < heights[1] < heights[2]
    ticks = [said for said, e in zip(texts(root), root.iter(f"{SVG}text"), strict=True) if e.get("class") == "tick"]
    assert ticks[:2] == ["0", "1"]


def test_numbers_below_zero_have_no_logarithm_and_are_drawn_evenly():
    figure = bars([{"a": 1, "v": -5}, {"a": 2, "v": 10}], x="a", y="v", y_label="change", log=True, **SAID)
    assert "change" in texts(parsed(figure))


@pytest.mark.parametrize("gap", [None, float("nan"), float("inf"), "?"])
def test_missing_numbers_are_gaps(gap):
    rows = [{"a": place, "v": gap if place == 2 else place} for place in range(5)]
    assert "n/a" in texts(parsed(bars(rows, x="a", y="v", **SAID)))
    root = parsed(lines(rows, x="a", y="v", **SAID))
    assert "n/a" in texts(root)
    assert len([e for e in root.iter(f"{SVG}path") if "line" in e.get("class")]) == 2


def test_only_missing_numbers():
    rows = [{"a": place, "g": "x", "v": None, "w": None} for place in range(3)]
    for figure in each_kind(rows).values():
        check_layout(figure)
        assert "n/a" in "".join(texts(parsed(figure))) or "Nothing to show" in texts(parsed(figure))


def test_groups_differ_by_more_than_colour():
    rows = [{"a": a, "g": f"group {g}", "v": g + a} for a in range(2) for g in range(4)]
    patterns = parsed(bars(rows, x="a", y="v", group="g", **SAID)).findall(f"{SVG}defs/{SVG}pattern")
    assert len({ET.tostring(pattern[1]) for pattern in patterns}) == 3
    root = parsed(lines(rows, x="a", y="v", group="g", **SAID))
    dashes = [e.get("stroke-dasharray") for e in root.iter(f"{SVG}path") if "line" in e.get("class")]
    assert len(set(dashes)) == 4
    assert {"group 0", "group 1", "group 2", "group 3"} <= set(texts(root))


def test_heat_maps_print_their_numbers_on_a_scale_that_begins_at_zero():
    sides = ["2", "4", "8", "16", "32", "64", "128", "256", "original"]
    rows = [
        {"a": a, "g": g, "v": 0.747 * (i + 1) * (j + 1) / 81 if i + j else 0.00001}
        for (i, a), (j, g) in product(enumerate(sides), repeat=2)
    ]
    figure = heatmap(rows, x="a", y="g", value="v", percent=True, **SAID)
    check_layout(figure)
    found = texts(parsed(figure))
    assert {"< 0.01%", "74.7%", "0%", "80%"} <= set(found)


def test_colours_of_ratios_leave_zero_without_one_and_cells_say_what_they_are_told_to():
    rows = [
        {"a": a, "g": "all", "v": v, "t": t} for a, v, t in (("p", 0, ""), ("q", 3e-6, "12 records"), ("r", 0.6, ""))
    ]
    figure = heatmap(
        rows, x="a", y="g", value="v", percent=True, log=True, text="t", framed=("q", "all", "few"), **SAID
    )
    check_layout(figure)
    root = parsed(figure)
    cells = [e for e in root.iter(f"{SVG}rect") if e.find(f"{SVG}title") is not None]
    assert [e.get("class") for e in cells] == ["seq1", "seq8"]
    assert {"0%", "12 records", "60%", "few", "0.0001%", "100%"} <= set(texts(root))
    frames = [e for e in root.iter(f"{SVG}rect") if e.get("class") == "framed"]
    assert next(e.get("x") for e in frames) == cells[0].get("x")


def test_what_others_found_is_a_diamond_on_its_bar_and_written_above():
    rows = [{"a": "p", "v": 40, "w": 80}, {"a": "q", "v": 60, "w": None}]
    figure = bars(rows, x="a", y="v", reference=("w", "published"), limits=[(20, "low"), (21, "also low")], **SAID)
    check_layout(figure)
    root = parsed(figure)
    assert {"published", "40", "◆\u00a080", "60", "low", "also low"} <= set(texts(root))
    diamonds = [
        float(re.match(r"M[^,]+,(\S+)", e.get("d"))[1]) for e in root.iter(f"{SVG}path") if "ink" in e.get("class")
    ]
    tops = [float(e.get("y")) for e in root.iter(f"{SVG}rect") if "hue" in e.get("class")]
    zero = float(next(e for e in root.iter(f"{SVG}line") if e.get("class") == "axis").get("y1"))
    assert zero - diamonds[1] == pytest.approx(2 * (zero - tops[0]), abs=0.1)  # the first diamond is the legend's
    assert figure.columns[-1].heading == "published"


def test_a_legend_shows_no_fill_that_no_bar_has():
    rows = [{"a": a, "g": g, "v": v} for a in "pq" for g, v in (("some", 3), ("none", 0))]
    root = parsed(bars(rows, x="a", y="v", group="g", **SAID))
    assert not list(root.iter(f"{SVG}pattern")) or "none" not in texts(root) or "0" in texts(root)
    swatches = [e for e in marks(root) if e.tag == f"{SVG}rect" and e.get("width") == "16"]
    assert [e.get("class") for e in swatches] == ["hue1"]


def test_families_have_their_own_stretch_and_bars_named_as_their_family_have_no_second_name():
    rows = [
        {"a": "k = 2", "g": "crowds", "v": 1},
        {"a": "k = 3", "g": "crowds", "v": 2},
        {"a": "all", "g": "all", "v": 3},
    ]
    figure = family_bars(rows, x="a", y="v", family="g", **SAID)
    check_layout(figure)
    found = texts(parsed(figure))
    assert found.count("all") == 1
    assert {"k = 2", "k = 3", "crowds"} <= set(found)
    left = [float(e.get("x")) for e in parsed(figure).iter(f"{SVG}rect") if e.find(f"{SVG}title") is not None]
    assert left[2] - left[1] > 1.2 * (left[1] - left[0])


def test_panels_keep_their_headings_and_share_no_name():
    parts = [bars(ROWS, x="a", y="v", group="g", title=name, description="A part.") for name in ("one", "two", "two")]
    figure = panels(parts, parts[0].rows, parts[0].columns, **SAID)
    root = parsed(figure)
    assert [text for text in texts(root) if text in ("one", "two")] == ["one", "two", "two"]
    names = [element.get("id") for element in root.iter() if element.get("id")]
    assert len(names) == len(set(names))
    used = set(re.findall(r"url\(#([^)]+)\)", figure.svg))
    assert used <= set(names)
    assert figure.height > sum(part.height for part in parts)
    assert len(ET.fromstring(figure.html()).findall("details/table/tbody/tr")) == len(ROWS)
    assert "Nothing to show" in texts(parsed(panels([], [], [], **SAID)))


def test_lines_of_many_numbers_can_be_drawn_without_points():
    rows = [{"a": place, "v": place % 7} for place in range(60)]
    assert not [
        e
        for e in parsed(lines(rows, x="a", y="v", markers=False, **SAID)).iter(f"{SVG}path")
        if "rim" in e.get("class")
    ]


def test_the_frontier_joins_what_no_other_beats():
    rows = [
        {"v": v, "w": w, "a": a} for v, w, a in ((0.1, 0.9, "p"), (0.2, 0.4, "q"), (0.3, 0.5, "r"), (0.4, 0.1, "s"))
    ]
    root = parsed(risk_utility_map(rows, x="v", y="w", label="a", frontier=True, chosen="q", **SAID))
    (line,) = [e.get("d") for e in root.iter(f"{SVG}path") if e.get("class") == "frontier"]
    assert len(line.split()) == 3


def drawn_as(figure, kind):
    return [e for e in parsed(figure).iter() if kind in (e.get("class") or "").split()]


MAP = [
    {"v": v, "w": w, "a": f"{g}{v}", "g": g, "sampled": sampled, "low": v / 2, "high": v}
    for g, v, w, sampled in (
        ("p", 0.1, 0.9, False), ("p", 0.2, 0.4, False), ("q", 0.15, 0.5, True), ("q", 0.3, 0.2, True),
        ("p", 0.9, 0.95, False),
    )
]  # fmt: skip


def test_no_line_joins_an_estimate_with_an_exact_number():
    figure = risk_utility_map(
        MAP, x="v", y="w", label="a", group="g", frontier=True, estimated="sampled", errors=("low", "high"), **SAID
    )
    check_layout(figure)
    solid, dashed = drawn_as(figure, "frontier")
    assert (solid.get("stroke-dasharray"), dashed.get("stroke-dasharray")) == (None, "2 4")
    assert [len(line.get("d").split()) for line in (solid, dashed)] == [2, 2]
    assert len(drawn_as(figure, "hollow")) == 2
    assert len(drawn_as(figure, "error")) == 3 * len(MAP)  # a bar with two ends
    both = risk_utility_map(MAP, x="v", y="w", errors=("low", "high"), errors_y=("low", "high"), **SAID)
    upright = [e for e in drawn_as(both, "error") if e.get("x1") == e.get("x2")]
    aside = [e for e in drawn_as(both, "error") if e.get("y1") == e.get("y2")]
    assert len(upright) == len(aside) == 3 * len(MAP)
    rows = [{"a": k, "v": v, "e": e} for k, v, e in ((2, 0.9, False), (3, 0.5, True), (5, 0.7, False), (7, 0.4, True))]
    joined = drawn_as(lines(rows, x="a", y="v", estimated="e", **SAID), "line")
    assert {e.get("stroke-dasharray"): len(e.get("d").split()) for e in joined} == {None: 2, "1 5": 2}


def test_what_is_not_of_one_kind_has_no_common_frontier():
    figure = risk_utility_map(MAP, x="v", y="w", label="a", frontier="g", **SAID)
    assert len(drawn_as(figure, "frontier")) == 2


def test_a_map_that_zooms_says_what_it_leaves_out_and_keeps_what_was_chosen():
    near = risk_utility_map(MAP, x="v", y="w", label="a", group="g", frontier=True, focus=True, **SAID)
    assert "Outside this part of the map: 1." in texts(parsed(near))
    assert len(drawn_as(near, "rim")) == 4
    chosen = risk_utility_map(MAP, x="v", y="w", label="a", frontier=True, focus=True, chosen="p0.9", **SAID)
    assert not [text for text in texts(parsed(chosen)) if text.startswith("Outside")]


def test_a_name_has_the_same_look_whatever_stands_beside_it():
    palette = fixed(f"m{n}" for n in range(30))
    assert len({(look.hue, look.shape) for look in palette.values()}) == 30
    assert not {look.hue for look in palette.values()} & {"hue6"}
    found = set()
    for names in (("m4", "m1"), ("m1", "m4"), ("m1",)):
        rows = [{"v": 0.1 + n / 10, "w": 0.5 - n / 10, "g": name, "a": name} for n, name in enumerate(names)]
        figure = risk_utility_map(rows, x="v", y="w", label="a", group="g", palette=palette, **SAID)
        mark = next(e for e in drawn_as(figure, "rim") if (e.findtext(f"{SVG}title") or "").startswith("m1:"))
        found.add((mark.get("class"), re.sub(r"M\S+", "", mark.get("d"))))
    assert len(found) == 1


def test_points_that_lead_somewhere_can_be_hit_and_say_what_they_are():
    rows = [row | {"to": "?see=x", "said": f"{row['g']}, keeps {1 - row['v']:.0%}"} for row in MAP]
    figure = risk_utility_map(rows, x="v", y="w", label="a", tip="said", chosen="p0.2", link="to", **SAID)
    links = list(parsed(figure).iter(f"{SVG}a"))
    assert [link.get("aria-label") for link in links if link.get("aria-current")] == ["p, keeps 80%"]
    assert all(2 * float(link.find(f"{SVG}circle").get("r")) >= 24 for link in links)


def test_drops_hang_from_their_baseline_the_longest_first():
    rows = [{"a": name, "v": share} for name, share in (("sex", 0.75), ("age", 0.44), ("race", 0.78))]
    figure = drops(rows, name="a", share="v", whole=0.78, whole_label="all known", **SAID)
    check_layout(figure)
    assert [row["a"] for row in figure.rows] == ["age", "sex", "race"]
    assert {"34 points", "3 points", "0 points", "all known: 78%"} <= set(texts(parsed(figure)))
    (base,) = [float(e.get("x1")) for e in drawn_as(figure, "base")]
    sides = [(float(e.get("x")), float(e.get("x")) + float(e.get("width"))) for e in drawn_as(figure, "alert")]
    assert [right for _, right in sides[:2]] == pytest.approx([base, base], abs=0.02)
    assert sides[0][0] < sides[1][0]


def test_labels_of_points_do_not_meet_and_those_left_out_are_counted():
    rows = [{"v": 0.3 + 0.001 * n, "w": 0.5 + 0.001 * (n % 7), "a": f"candidate number {n}"} for n in range(40)]
    root = parsed(risk_utility_map(rows, x="v", y="w", label="a", **SAID))
    labels = [
        (said, text_box(element, said))
        for said, element in zip(texts(root), root.iter(f"{SVG}text"), strict=True)
        if said.startswith("candidate")
    ]
    for (_, one), (_, other) in combinations(labels, 2):
        a, b = unturned(*one), unturned(*other)
        assert a[1] <= b[0] or b[1] <= a[0] or a[3] <= b[2] or b[3] <= a[2]
    assert f"Names left out for want of room: {40 - len(labels)}." in texts(root)


def test_points_lead_only_to_safe_addresses():
    rows = [
        {"v": 0.1 * n, "w": 0.1, "a": f"c{n}", "to": to} for n, to in enumerate(["#c0", "javascript:x()", "//e", None])
    ]
    figure = risk_utility_map(rows, x="v", y="w", label="a", link="to", data=["a", "to"], **SAID)
    root = parsed(figure)
    assert [link.get("href") for link in root.iter(f"{SVG}a")] == ["#c0"]
    assert root.get("role") == "group"
    assert [e.get("data-a") for e in root.iter(f"{SVG}path") if e.get("data-a")] == ["c0", "c1", "c2", "c3"]


def test_bins_count_alike_before_and_after():
    rows = binned([0, 1, 2, 3, None], [2, 2, 2, 2], most=4)
    assert sum(row["before"] for row in rows) == 1
    figure = paired(rows, x="low", x_end="high", before="before", after="after", **SAID)
    check_layout(figure)
    assert len([e for e in parsed(figure).iter(f"{SVG}path") if "casing" in e.get("class")]) == 1


def test_bins_of_other_widths_are_drawn_like_categories():
    rows = [{"low": 0, "high": 1, "b": 0.5, "c": 0.4}, {"low": 1, "high": 10, "b": 0.5, "c": 0.6}]
    figure = paired(rows, x="low", x_end="high", before="b", after="c", **SAID)
    assert {"0 to 1", "1 to 10"} <= set(texts(parsed(figure)))


def test_differences_of_correlations_are_signed():
    rows = [{"a": "p", "g": "q", "v": 0.5, "w": 0.45}, {"a": "q", "g": "q", "v": 1, "w": 1.00001}]
    figure = matrix(rows, x="a", y="g", before="v", after="w", **SAID)
    assert {"0.50", "0.45", "−0.050", "≈ 0"} <= set(texts(parsed(figure)))
    assert figure.rows[0]["difference"] == -0.05


def test_a_column_that_is_not_there_is_an_error():
    with pytest.raises(ParameterError, match="No row has the column 'height'"):
        bars(ROWS, x="a", y="height", **SAID)


def test_two_numbers_for_one_place_are_an_error():
    with pytest.raises(ParameterError, match="Two rows say what 'v' is"):
        lines(ROWS, x="a", y="v", **SAID)


@pytest.mark.parametrize(
    ("share", "said"),
    [(0, "0%"), (1e-9, "< 0.01%"), (-1e-9, "> −0.01%"), (0.0005, "0.05%"), (0.0999, "9.99%"), (0.5, "50%"),
     (0.9999999, "> 99.9%"), (1, "100%"), (12, "1,200%")],
)  # fmt: skip
def test_what_is_not_zero_never_looks_like_zero(share, said):
    assert Format(percent=True)(share) == said


@given(st.floats(-1e12, 1e12), st.floats(-1e12, 1e12), st.integers(1, 12))
def test_ladders_reach_around_their_numbers_in_even_steps(one, other, most):
    low, high = sorted((one, other))
    ticks = round_steps(low, high, most)
    room = 1e-6 * (high - low)
    alike = high - low < max(1e-200, 1e-9 * max(abs(low), abs(high)))
    assert alike or ticks[0] <= low + room
    assert alike or ticks[-1] >= high - room
    assert 2 <= len(ticks) <= max(most, 10) + 1
    assert all(after > before for before, after in pairwise(ticks))


@given(st.floats(1e-12, 1e12), st.floats(1, 1e6))
def test_decades_reach_around_their_numbers(low, ratio):
    ticks = decades(low, low * ratio)
    assert ticks[0] <= low * (1 + 1e-9)
    assert ticks[-1] >= low * ratio * (1 - 1e-9)


NAMES = st.one_of(st.text(max_size=40), st.integers(-1000, 100_000), st.none())
NUMBERS = st.one_of(
    st.none(), st.floats(0, 1), st.floats(allow_nan=True, allow_infinity=True), st.integers(-10, 10_000_000)
)
TABLES = st.lists(
    st.tuples(NAMES, st.sampled_from(["", "one group", "another with a rather long name"]), NUMBERS, NUMBERS),
    max_size=24,
    unique_by=lambda row: (" ".join(str(row[0]).split()), row[1]),
)


@given(TABLES, st.booleans(), st.sampled_from([320, 720]))
def test_random_rows_make_sound_figures(table, percent, wide):
    rows = [dict(zip("agvw", row, strict=True)) for row in table]
    try:
        figures = each_kind(rows, width=wide)
    except ParameterError:
        return  # two names that look alike once they are cleaned
    figures["bars, percent"] = bars(rows, x="a", y="v", group="g", percent=percent, width=wide, **SAID)
    for figure in figures.values():
        check_layout(figure)
        ET.fromstring(figure.html())


def luminance(colour):
    parts = [int(colour[place : place + 2], 16) / 255 for place in (1, 3, 5)]
    linear = [part / 12.92 if part <= 0.03928 else ((part + 0.055) / 1.055) ** 2.4 for part in parts]
    return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]


def contrast(one, other):
    low, high = sorted((luminance(one), luminance(other)))
    return (high + 0.05) / (low + 0.05)


@pytest.mark.parametrize("theme", [LIGHT, DARK], ids=["light", "dark"])
def test_contrasts(theme):
    assert all(contrast(theme[name], theme["paper"]) >= 4.5 for name in ("ink", "muted"))
    assert all(contrast(theme[name], theme["zone"]) >= 4.5 for name in ("ink", "muted"))
    assert all(contrast(theme[f"hue{n}"], theme["paper"]) >= 3 for n in range(1, HUES + 1))
    assert all(contrast(theme[name], theme["paper"]) >= 3 for name in ("axis", "alert"))
    assert all(contrast(theme[name], theme[f"{name}-ink"]) >= 4.5 for name in CELLS)


def test_the_style_knows_every_class_and_both_themes():
    css = style()
    used = {
        name
        for figure in each_kind(ROWS).values()
        for element in parsed(figure).iter()
        for name in (element.get("class") or "").split()
    }
    assert used - {"bar"} <= set(re.findall(r"\.([\w-]+)", css))
    assert all(needed in css for needed in ("prefers-color-scheme: dark", '[data-theme="dark"]', "@media print"))


def test_names_of_any_length_are_shortened_at_once():
    begun = time.process_time()
    assert shorten("a" * 100_000, 140) == "aaaaaaaaa…aaaaaaaa"
    assert tell_apart([f"{'a' * 50_000}{end}{'b' * 50_000}" for end in "xy"], [140, 140]) == ["…aaaaaaaaaaaaaaa…"] * 2
    assert time.process_time() - begun < 5  # seconds; letter by letter it took minutes
