"""Two papers: a certificate for everyone that helps nobody to undo the release, and a private record for its holder."""

import base64
import hashlib
import json
import stat

import numpy as np
import pytest

from shoal.certification.private_record import PrivateRecord, _packed, width_of

ROWS = 40
WAY = ("--quasi", "age,zip", "--sensitive", "charge", "--k", "3")
SORTED = [(20 + i, 93700 + (i * 7) % 40, 100 + (i * 13) % 40) for i in range(ROWS)]


@pytest.fixture
def table(desk):
    """Put a table that is sorted by age."""
    text = "age,zip,charge\n" + "".join(f"{a},{z},{c}\n" for a, z, c in SORTED)
    desk.put("in.csv", text)
    return text


@pytest.fixture
def told(desk, table):
    """Release it; give what the holder is told."""
    return desk.run("anonymize", "in.csv", "--out", "out.csv", *WAY, "--json").json()


def certificate(desk):
    return json.loads(desk.read("out.certificate.json"))


def record(desk):
    return json.loads(desk.read("out.private.json"))


def rolled(rows):
    return base64.b64encode(np.roll(np.frombuffer(base64.b64decode(rows), np.uint8), 1)).decode()


def numbers(value):
    if isinstance(value, dict | list):
        return [n for part in (value.values() if isinstance(value, dict) else value) for n in numbers(part)]
    return [value] if isinstance(value, float) else []


def test_only_its_owner_can_read_the_private_record(desk, told):
    assert stat.S_IMODE((desk.folder / "out.private.json").stat().st_mode) == 0o600
    assert "Keep this with the original" in record(desk)["about"]


def test_the_certificate_tells_nothing_by_which_an_original_is_recognised(desk, table, told):
    text = desk.read("out.certificate.json")
    assert hashlib.sha256(table.encode()).hexdigest() not in text
    assert "in.csv" not in text
    assert certificate(desk)["input"].keys() == {"commitment", "records"}
    assert record(desk)["input"]["sha256"] == hashlib.sha256(table.encode()).hexdigest()


def test_every_release_of_one_table_has_a_commitment_of_its_own(desk, told):
    first = certificate(desk)["input"]["commitment"]
    desk.run("anonymize", "in.csv", "--out", "out.csv", *WAY, "--overwrite").fine()
    assert certificate(desk)["input"]["commitment"] != first


def test_scores_are_rounded_for_everyone_and_exact_for_the_holder(desk, told):
    exact = {score["measure"]: score for score in told["scores"]}
    for score in certificate(desk)["scores"]:
        assert score.keys() <= {"measure", "value", "lower", "upper"}
        assert all(float(f"{n:.3g}") == n for n in numbers(score))
        assert score["value"] == float(f"{exact[score['measure']]['value']:.3g}")
    assert record(desk)["scores"] == told["scores"]
    assert set(exact["information-loss"]["detail"]["per_attribute"]) == {"age", "zip"}


def test_layout_and_places_of_the_original_stay_private(desk):
    desk.put("secret-name.txt", "age;charge\n20;NA\n21;1\n22;2\n23;NA\n")
    desk.put("tree.csv", "20;a;*\n21;a;*\n22;b;*\n23;b;*\n")
    way = ("--quasi", "age", "--sensitive", "charge", "--k", "2", "--hierarchy", "age=tree.csv")
    desk.run("anonymize", "secret-name.txt", "--out", "out.csv", *way, "--in-delimiter", ";", "--missing", "NA").fine()
    text = desk.read("out.certificate.json")
    assert "secret-name" not in text
    assert "tree.csv" not in text
    assert certificate(desk)["recipe"]["table"].keys() == {"quasi", "sensitive", "kinds"}
    assert record(desk)["input"]["read"] == {"delimiter": ";", "missing": ["NA"], "hierarchies": {"age": "tree.csv"}}
    desk.check("--private", "out.private.json", "--original", "secret-name.txt").fine()


def test_marks_are_kept_where_no_model_looks_and_empty_where_one_does(desk):
    desk.put("in.csv", "age,ill,note\n" + "".join(f"{20 + i},{('a', 'b', 'NA')[i % 3]},NA\n" for i in range(12)))
    way = ("--quasi", "age", "--sensitive", "ill", "--plain", "note", "--k", "6", "--l", "2", "--missing", "NA")
    desk.run("anonymize", "in.csv", "--out", "out.csv", *way).fine()
    cells = [line.split(",") for line in desk.read("out.csv").splitlines()[1:]]
    assert {cell[1] for cell in cells} == {"a", "b", ""}
    assert {cell[2] for cell in cells} == {"NA"}
    assert "missing value: 'NA'" in desk.check("--private", "out.private.json", "--original", "in.csv").fine().out


def test_commitment_and_exact_scores_are_proved(desk, told):
    found = desk.check("--private", "out.private.json", "--original", "in.csv", "--json").json()
    assert "The certificate commits to this original." in found["proved"]
    assert found["not_proved"] == []


@pytest.mark.parametrize(
    ("change", "word"),
    [
        (lambda content: content | {"key": "00" * 32}, "commit"),
        (lambda content: content | {"certificate": "00" * 32}, "another certificate"),
        (lambda content: content | {"key": 5}, "not a private record"),
        (lambda content: content | {"format": 9}, "not a private record"),
        (lambda content: content | {"rows": "AAAA" * ROWS}, ""),
        (lambda content: content | {"rows": rolled(content["rows"])}, "information-loss"),
    ],
    ids=["key", "certificate", "no key", "format", "rows", "rows moved"],
)
def test_a_private_record_that_was_changed_proves_nothing(desk, told, change, word):
    desk.put("out.private.json", json.dumps(change(record(desk))))
    desk.check("--private", "out.private.json", "--original", "in.csv").refused(1, word)


def test_exact_scores_that_were_changed_are_found_out(desk, told):
    content = record(desk)
    content["scores"][3]["detail"]["per_attribute"]["age"] += 1e-6
    desk.put("out.private.json", json.dumps(content))
    desk.check("--private", "out.private.json", "--original", "in.csv").refused(1, "information-loss")


def test_the_record_tells_which_row_of_the_original_each_released_row_came_from(desk, told):
    order = np.concatenate(list(PrivateRecord.load(desk.folder / "out.private.json").order(ROWS)()))
    assert sorted(order.tolist()) == list(range(ROWS))
    lines = [line.split(",") for line in desk.read("out.csv").splitlines()[1:]]
    for line, number in zip(lines, order.tolist(), strict=True):
        age, zipcode, charge = SORTED[number]
        assert int(line[2]) == charge
        for cell, value in zip(line, (age, zipcode), strict=False):
            low, high = map(int, cell[1:-1].split(";"))
            assert low <= value <= high


def test_compare_sets_rows_side_by_side_by_the_private_record(desk, told):
    loss = next(score["value"] for score in told["scores"] if score["measure"] == "information-loss")
    way = ("compare", "in.csv", "out.csv", "--quasi", "age,zip", "--sensitive", "charge", "--json")
    assert desk.run(*way).json()["releases"][0]["information_loss"] == pytest.approx(loss, rel=1e-12)
    (desk.folder / "out.private.json").rename(desk.folder / "kept.json")
    desk.run(*way).refused(2, "released order", "--private")
    (desk.folder / "out.certificate.json").unlink()
    desk.run(*way).refused(2, "do not match", "--private")
    found = desk.run(*way, "--private", "kept.json").json()["releases"][0]["information_loss"]
    assert found == pytest.approx(loss, rel=1e-12)


def test_compare_takes_rows_as_they_stand_in_files_of_other_tools(desk, table):
    desk.put("other.csv", "age,zip,charge\n" + "".join(f"[20;60],[93700;93740],{c}\n" for _, _, c in SORTED))
    way = ("compare", "in.csv", "other.csv", "--quasi", "age,zip", "--sensitive", "charge", "--json")
    assert desk.run(*way).json()["releases"][0]["information_loss"] > 0


@pytest.mark.parametrize("publish", ["range", "mode"])
def test_compare_sees_that_rows_do_not_match(desk, table, publish):
    """Someone sorts a release: what is lost cannot be told from rows that belong to others."""
    desk.run("anonymize", "in.csv", "--out", "out.csv", *WAY, "--row-order", "input", "--publish", publish).fine()
    head, *rows = desk.read("out.csv").splitlines(keepends=True)
    way = ("compare", "in.csv", "sorted.csv", "--quasi", "age,zip", "--sensitive", "charge")
    desk.put("sorted.csv", "".join([head, *rows]))
    desk.run(*way).fine()
    desk.put("sorted.csv", "".join([head, *sorted(rows, reverse=True)]))
    desk.run(*way).refused(2, "do not match", "--same-order")
    known = desk.run(*way, "--same-order", "--json").json()["releases"][0]
    assert (known["misplaced"] > 0) == (publish == "range")


def test_sets_and_patterns_of_other_tools_hold_their_values(desk):
    desk.put("in.csv", "place,zip\nNorth,93701\nEast,93702\nNorth,93801\nWest,93802\n")
    desk.put("out.csv", "place,zip\n{East;North},9370*\n{East;North},9370*\n{North;West},9380*\n{North;West},9380*\n")
    way = ("--quasi", "place,zip", "--kind", "zip=category", "--json")
    desk.run("compare", "in.csv", "out.csv", *way).fine()
    desk.put("out.csv", "place,zip\n{East;North},9370*\n{North;West},9380*\n{East;North},9370*\n{North;West},9380*\n")
    desk.run("compare", "in.csv", "out.csv", *way).refused(2, "2 of 4")


def test_a_record_of_another_original_is_refused(desk, told):
    desk.put("else.csv", desk.read("in.csv").replace("20,", "19,", 1))
    desk.run("compare", "else.csv", "out.csv", "--quasi", "age,zip", "--sensitive", "charge").refused(
        1, "another original"
    )


def test_a_recipe_says_where_the_private_record_goes(desk, table):
    desk.run("anonymize", "in.csv", "--out", "out.csv", *WAY, "--private", "kept.json", "--save-recipe", "r.toml",
             "--row-order", "input", "--overwrite").fine()  # fmt: skip
    recipe = desk.read("r.toml")
    assert 'private = "kept.json"' in recipe
    assert 'row_order = "input"' in recipe
    before = desk.read("out.csv")
    said = desk.run("run", "r.toml", "--overwrite").fine()
    assert set(said.left) <= {"out.csv", "out.certificate.json", "kept.json"}
    assert desk.read("out.csv") == before
    assert "rows" not in json.loads(desk.read("kept.json"))


def test_an_order_that_does_not_exist_is_wrong_use(desk, table):
    desk.run("anonymize", "in.csv", "--out", "out.csv", *WAY, "--row-order", "random").refused(2, "order of rows")


@pytest.mark.parametrize("rows", [1, 2, 255, 256, 257, 1000, 65536, 65537])
def test_row_numbers_survive_being_written(rows):
    numbers = np.random.default_rng(rows).permutation(rows)
    pieces = np.array_split(numbers, 7)
    packed = b"".join(base64.b64encode(some) for some in _packed(iter(pieces), width_of(rows)))
    content = {"row_order": "released", "rows": packed.decode()}
    found = np.concatenate(list(PrivateRecord(content).order(rows)()))
    assert (found == numbers).all()


DAMAGED = {
    "cut text": lambda content: content | {"rows": content["rows"][:-3]},
    "fewer rows": lambda content: content | {"rows": base64.b64encode(bytes(range(ROWS - 1))).decode()},
    "a row twice": lambda content: content | {"rows": base64.b64encode(bytes(ROWS)).decode()},
    "no text": lambda content: content | {"rows": 5},
    "other signs": lambda content: content | {"rows": "é" * 40},
    "no rows": lambda content: {key: value for key, value in content.items() if key != "rows"},
    "no order": lambda content: content | {"row_order": "other"},
    "no original": lambda content: content | {"input": []},
    "no release": lambda content: content | {"output": "out.csv"},
    "no scores": lambda content: content | {"scores": None},
    "no key": lambda content: content | {"key": "zz"},
}


@pytest.mark.parametrize("damage", DAMAGED.values(), ids=DAMAGED)
def test_a_damaged_private_record_is_refused_in_words(desk, told, damage):
    """Whoever compares or checks is told that the private record is to blame, and not the certificate."""
    desk.put("out.private.json", json.dumps(damage(record(desk))))
    desk.run("compare", "in.csv", "out.csv", "--quasi", "age,zip").refused(1, "private record")
    papers = ("--certificate", "out.certificate.json", "--private", "out.private.json", "--original", "in.csv")
    desk.run("check", "out.csv", *papers).refused(1, "private record")


def test_an_order_that_was_declared_for_people_stays_private(desk):
    desk.put("in.csv", "who,age\nann,20\nbob,21\ncat,22\ndan,23\n")
    way = ("--quasi", "age", "--subject", "who", "--order", "who=ann,bob,cat,dan,Zoe", "--k", "2")
    desk.run("anonymize", "in.csv", "--out", "out.csv", *way).fine()
    assert "Zoe" not in desk.read("out.certificate.json")
    desk.check().fine()
