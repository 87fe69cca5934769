"""Commands about linked tables: what they release, what they refuse, and forged releases that check finds out."""

import hashlib
import json

import pytest

from shoal.certification.signatures import digest

ROWS = "p,item\n" + "".join(
    f"{who},{item}\n"
    for who, items in {"ann": "ab", "bob": "ab", "cid": "abc", "dan": "ac", "eve": "c", "fay": "abc"}.items()
    for item in items
)
ASKED = ["--linked", "--subject", "p", "--quasi", "item", "--k", "2", "--m", "2", "--out", "out.csv"]


@pytest.fixture
def rows(desk):
    desk.put("in.csv", ROWS)
    return desk


def test_a_linked_table_is_released_and_checked(rows):
    said = rows.run("anonymize", "in.csv", *ASKED, "--json").json()
    assert said["verdicts"][0]["model"] == {"name": "km-anonymity", "k": 2, "m": 2}
    assert {score["measure"] for score in said["scores"]} == {"set-loss", "itemset-retention"}
    head, *lines = rows.read("out.csv").splitlines()
    assert head == "p,item"
    assert sorted({int(line.split(",")[0]) for line in lines}) == [1, 2, 3, 4, 5, 6]
    again = ("--private", "out.private.json", "--original", "in.csv", "--json")
    assert rows.check(*again).json()["verified"]


def test_a_recipe_of_baskets_runs_again(desk):
    desk.put("in.txt", "a,b\nb,a\n\na,b\n")
    desk.run("anonymize", "in.txt", "--baskets", *ASKED[5:], "--save-recipe", "r.toml").fine()
    items = sorted(line.partition(",")[2] for line in desk.read("out.csv").splitlines()[1:])
    assert items == ["", "a", "a", "a", "b", "b", "b"]
    desk.run("run", "r.toml", "--overwrite").fine()
    desk.check().fine()


REFUSED = {
    "k alone": (["--linked", "--subject", "p", "--quasi", "item", "--k", "2"], "belong together"),
    "m of rows": (["--quasi", "item", "--k", "2", "--m", "2"], "not linked"),
    "nobody": (["--linked", "--quasi", "item", "--k", "2", "--m", "2"], "belong to one person"),
    "too few people": (["--linked", "--subject", "p", "--quasi", "item", "--k", "7", "--m", "2"], "only 6 people"),
    "no tree": ([*ASKED[:-2], "--method", "cover-cut"], "hierarchy"),
    "another method": ([*ASKED[:-2], "--method", "mondrian"], "not for linked"),
    "another measure": ([*ASKED[:-2], "--measure", "granularity"], "not for linked"),
    "confidential": ([*ASKED[:-2], "--sensitive", "more"], "more"),
    "an m of nothing": (["--linked", "--subject", "p", "--quasi", "item", "--k", "2", "--m", "0"], "at least 1"),
    "rows as they stood": ([*ASKED[:-2], "--row-order", "input"], "no row for each"),
    "a loss": ([*ASKED[:-2], "--param", "minimise=time"], "no loss"),
}


@pytest.mark.parametrize(("options", "message"), REFUSED.values(), ids=REFUSED)
def test_what_cannot_be_is_refused_and_nothing_is_written(rows, options, message):
    done = rows.run("anonymize", "in.csv", *options, "--out", "out.csv")
    assert done.code != 0
    assert done.left == ()
    assert message in " ".join(done.err.split())


def forge(desk, lines=None, model=None):
    """Change the file or the promise, and make the certificate anew so that all digests fit."""
    file, paper = desk.folder / "out.csv", desk.folder / "out.certificate.json"
    content = json.loads(paper.read_text(encoding="utf-8"))
    if lines is not None:
        file.write_text("\n".join(lines) + "\n", encoding="utf-8")
        content["output"] |= {"records": len(lines) - 1}
    if model is not None:
        content["recipe"]["model"] = [model]
        content["verdicts"][0]["model"] = model
        level = content["verdicts"][0]["level"]
        content["verdicts"][0]["level"] = max(level, model["k"])
    raw = file.read_bytes()
    content["output"] |= {"sha256": hashlib.sha256(raw).hexdigest(), "bytes": len(raw)}
    content["digest"] = digest(content)
    paper.write_text(json.dumps(content), encoding="utf-8")


def released(desk):
    desk.run("anonymize", "in.csv", *ASKED, "--method", "suppress-points").fine()
    return desk.read("out.csv").splitlines()


def added(lines):
    """Give one person an item that nobody else has."""
    return [*lines, f"{lines[-1].split(',')[0]},z"]


def twice(lines):
    return [*lines, lines[-1]]


def gap(lines):
    last = lines[-1].split(",")[0]
    return [line.replace(f"{last},", f"{int(last) + 1},", 1) if line.startswith(f"{last},") else line for line in lines]


@pytest.mark.parametrize(("change", "message"), [(added, "km-anonymity"), (twice, "row twice"), (gap, "numbered")])
def test_a_forged_release_is_found_out(rows, change, message):
    forge(rows, change(released(rows)))
    done = rows.check()
    assert done.code != 0
    assert message in " ".join(done.err.split())


@pytest.mark.parametrize("model", [{"name": "km-anonymity", "k": 5, "m": 2}, {"name": "km-anonymity", "k": 4, "m": 3}])
def test_a_promise_that_was_changed_is_found_out(rows, model):
    released(rows)
    forge(rows, model=model)
    done = rows.check()
    assert done.code != 0
    assert "km-anonymity" in done.err


def with_attributes(desk):
    """Release people of two sexes, of whom some have no point, within classes by their attributes."""
    rows = [(u, "fm"[u % 2], 1960 + u % 2, item) for u in range(12) for item in ("ab" if u < 8 else [""])]
    desk.put("people.csv", "p,sex,born,item\n" + "".join(",".join(map(str, row)) + "\n" for row in rows))
    asked = ["--linked", "--subject", "p", "--quasi", "sex,born,item", "--within", "sex,born", "--k", "2", "--m", "2"]
    desk.run("anonymize", "people.csv", *asked, "--method", "suppress-points", "--out", "out.csv").fine()
    return desk.read("out.csv").splitlines()


def test_people_without_points_are_counted_as_such_beside_attributes(desk):
    with_attributes(desk)
    said = " ".join(desk.check().fine().out.split())
    assert "12 people have 16 points among 2, each once, and 4 of them none; nobody has more than 2." in said


def an_empty_row(lines):
    """Give somebody who has points a row without one."""
    at = next(i for i, line in enumerate(lines) if line.endswith(",a"))
    return [*lines[:at], lines[at][:-1], *lines[at:]]


def a_second_empty_row(lines):
    at = next(i for i, line in enumerate(lines) if line.endswith(","))
    return [*lines[:at], lines[at], *lines[at:]]


def another_sex(lines):
    at = next(i for i, line in enumerate(lines) if line.endswith(",b"))
    one, other = (("f", "m"), ("1960", "1961")) if ",f," in lines[at] else (("m", "f"), ("1961", "1960"))
    return [*lines[:at], lines[at].replace(*one).replace(*other), *lines[at + 1 :]]


def no_attributes(lines):
    """Leave the attributes out of a row: somebody may have them."""
    at = next(i for i, line in enumerate(lines) if line.endswith(",b"))
    return [*lines[:at], f"{lines[at].split(',')[0]},,,b", *lines[at + 1 :]]


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (an_empty_row, "without a point beside others"), (a_second_empty_row, "row twice"),
        (another_sex, "several values"), (no_attributes, "several values"),
    ],
)  # fmt: skip
def test_a_forged_release_of_people_with_attributes_is_found_out(desk, change, message):
    lines = with_attributes(desk)
    forge(desk, [lines[0], *sorted(change(lines)[1:], key=lambda line: (int(line.split(",")[0]), line.split(",")[3]))])
    done = desk.check()
    assert done.code != 0
    assert message in " ".join(done.err.split())
