"""Forged pairs of file and certificate: whoever makes both may write anything, and `check` must still find it out.

The people of these tables stand alone, as anyone sees who counts equal lines of text. Each pair tells `check` to read
the file so that they seem to be in a crowd.
"""

import hashlib
import json

import duckdb
import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from shoal.certification.signatures import digest
from shoal.engines.factory import default_engine
from shoal.engines.sources import Source
from shoal.models.t_closeness import _CONVENTIONS

ROWS = 12
ROLES = ("--quasi", "age,sex", "--sensitive", "ill", "--k", "2", "--method", "sorted-clusters")


@pytest.fixture
def honest(desk):
    """Release a table; give its certificate."""
    lines = [f"{20 + i},{'fm'[i % 2]},{'abc'[i % 3]}" for i in range(ROWS)]
    desk.put("in.csv", "age,sex,ill\n" + "\n".join(lines) + "\n")
    desk.run("anonymize", "in.csv", "--out", "out.csv", *ROLES).fine()
    return json.loads(desk.read("out.certificate.json"))


def text_of(cells, sexes=("f",), ills=("a",), head="age,sex,ill"):
    lines = [f"{cell},{sexes[i % len(sexes)]},{ills[i % len(ills)]}" for i, cell in enumerate(cells)]
    return head + "\n" + "\n".join(lines) + "\n"


CROWD = "Each combination of quasi-identifiers occurs at least {} times."


def forge(desk, content, text, *, level=ROWS, classes=1, name="out.csv", sentence=CROWD):
    """Write a file with a certificate that claims one crowd, sealed so that all digests are right."""
    data = text if isinstance(text, bytes) else text.encode()
    desk.put(name, data)
    content["output"] |= {"sha256": hashlib.sha256(data).hexdigest(), "bytes": len(data), "records": ROWS}
    content["input"]["records"] = ROWS
    content["scores"], content["recipe"]["measure"] = [], []
    for verdict in content["verdicts"]:
        verdict |= {"level": float(level), "classes": classes}
        verdict["sentence"] = sentence.format(level)
    content["digest"] = digest(content)
    desk.put("out.certificate.json", json.dumps(content))
    return desk.run("check", name, "--certificate", "out.certificate.json")


def test_what_is_not_forged_passes(desk, honest):
    """The way of forging itself leaves nothing behind that would be refused."""
    honest["recipe"]["table"]["kinds"]["age"] = "integer"
    forge(desk, honest, text_of(["[20;60]"] * ROWS)).fine()


AGES = [20 + i for i in range(ROWS)]
SAME = {
    "asterisks": ["*" * age for age in AGES],
    "blanks before": [" " * i + "[20;60]" for i in range(ROWS)],
    "blanks behind": ["[20;60]" + " " * i for i in range(ROWS)],
    "blanks inside": ["[20;" + " " * i + "60]" for i in range(ROWS)],
    "hard blanks": ["\u00a0" * i + "[20;60]" for i in range(ROWS)],
    "signs": ["[+20;60]" if i % 2 else "[20;60]" for i in range(ROWS)],
    "leading zeros": ["[" + "0" * i + "20;60]" for i in range(ROWS)],
    "other digits": ["[٢٠;60]" if i % 2 else "[20;60]" for i in range(ROWS)],
    "single values as ranges": ["20" if i % 2 else "[20;20]" for i in range(ROWS)],
    "quotes": ['"[20;60]"' if i % 2 else "[20;60]" for i in range(ROWS)],
    "numbers that end in asterisks": ["2*" if i % 2 else "[20;29]" for i in range(ROWS)],
}


@pytest.mark.parametrize("cells", SAME.values(), ids=SAME)
def test_texts_that_read_alike_are_not_alike(desk, honest, cells):
    forge(desk, honest, text_of(cells)).refused(1)


@pytest.mark.parametrize("cells", [["{f;m}", "{m;f}"], ["{f;m}", "{f;f;m}"], ["f", "\\f"], ["f", "{f}"]], ids=str)
def test_sets_that_read_alike_are_not_alike(desk, honest, cells):
    forge(desk, honest, text_of(["[20;60]"] * ROWS, cells)).refused(1)


def test_decimals_that_read_alike_are_not_alike(desk, honest):
    honest["recipe"]["table"]["kinds"]["age"] = "float"
    cells = [f"0.1000000000000000{i:02}" for i in range(ROWS)]
    assert len({float(cell) for cell in cells}) == 1
    forge(desk, honest, text_of(cells)).refused(1)


def test_an_original_whose_values_are_all_declared_missing_is_found_out(desk, honest):
    marks = [*map(str, AGES), "f", "m"]
    honest["output"]["missing"] = honest["recipe"]["table"]["missing"] = marks
    forge(desk, honest, text_of(AGES, "fm")).refused(1)


def test_confidential_values_declared_missing_do_not_hide_what_classes_have_in_common(desk):
    lines = [f"{20 + i // 3},f,{'abc'[i % 3]}" for i in range(ROWS)]
    desk.put("in.csv", "age,sex,ill\n" + "\n".join(lines) + "\n")
    desk.run("anonymize", "in.csv", "--out", "out.csv", *ROLES[:-2], "--t", "0.5").fine()
    content = json.loads(desk.read("out.certificate.json"))
    content["output"]["missing"] = ["a", "b"]
    for verdict in content["verdicts"]:
        if verdict["model"]["name"] == "t-closeness":
            verdict["level"] = 0.0
    text = text_of([20] * 6 + [21] * 6, ["f"], ["a"] * 6 + ["b"] * 6)
    forge(desk, content, text, level=6, classes=2).refused(1)


def test_a_tree_of_levels_that_join_nothing_brings_values_no_closer(desk):
    lines = [f"{20 + i // 2},f,{'ab'[i % 2]}" for i in range(ROWS)]
    desk.put("in.csv", "age,sex,ill\n" + "\n".join(lines) + "\n")
    desk.put("tree.csv", "a;x;*\nb;y;*\n")
    way = (*ROLES[:-2], "--t", "0.5", "--hierarchy", "ill=tree.csv")
    desk.run("anonymize", "in.csv", "--out", "out.csv", *way).fine()
    content = json.loads(desk.read("out.certificate.json"))
    content["output"]["hierarchies"]["ill"] = [[leaf, *(f"{leaf}{i}" for i in range(998)), "*"] for leaf in "ab"]
    text = text_of(["[20;20]"] * 6 + ["[21;21]"] * 6, ["f"], ["a"] * 6 + ["b"] * 6)
    content["verdicts"][1]["model"]["t"] = content["recipe"]["model"][1]["t"] = 0.01
    forge(desk, content, text, level=6, classes=2).refused(1, "join nothing")


def test_a_column_that_no_role_names_is_refused(desk, honest):
    text = text_of(["[20;60]"] * ROWS, ["f"], [f"a,Ann {i}" for i in range(ROWS)], "age,sex,ill,name")
    forge(desk, honest, text).refused(1, "name")


def test_columns_that_are_not_protected_are_named(desk, honest):
    honest["recipe"]["table"] |= {"quasi": ["sex"], "plain": ["age"]}
    said = forge(desk, honest, text_of(AGES)).fine()
    assert "Protected (quasi-identifiers): sex\n" in said.out
    assert "Not protected, released as they are: age, ill" in said.out


def test_a_certificate_that_promises_nothing_says_so(desk, honest):
    honest["verdicts"], honest["recipe"]["model"] = [], []
    said = forge(desk, honest, text_of(AGES, "fm"))
    assert said.code == 1
    assert "✓" not in said.out
    assert "Promised: nothing" in said.out
    assert "Nothing is promised" in said.out


def test_the_sentence_of_a_promise_about_people_is_not_free_text(desk, honest):
    honest["recipe"]["table"]["subject"] = "person"
    honest["recipe"]["table"]["kinds"]["person"] = "category"
    honest["verdicts"][0] |= {"kind": "attested", "convention": "distinct subjects per class"}
    said = forge(desk, honest, text_of(["[20;60]"] * ROWS), level=1000)
    said.refused(1)


def test_names_in_a_certificate_do_not_move_the_terminal(desk):
    name = "age\x1b[2J\u202e"
    desk.put("in.csv", f"{name},ill\n" + "\n".join(f"{20 + i // 2},a" for i in range(ROWS)) + "\n")
    desk.run("anonymize", "in.csv", "--out", "out.csv", "--quasi", name, "--sensitive", "ill", "--k", "2").fine()
    said = desk.check().fine()
    assert "\x1b" not in said.out
    assert "\u202e" not in said.out


def test_rows_in_another_order_are_found_out(desk, honest):
    lines = desk.read("out.csv").splitlines()
    text = "\n".join([lines[0], *reversed(lines[1:])]) + "\n"
    level, classes = honest["verdicts"][0]["level"], honest["verdicts"][0]["classes"]
    forge(desk, honest, text, level=int(level), classes=classes).refused(1, "order")


@pytest.mark.parametrize("cells", [SAME["blanks inside"], SAME["asterisks"], ["[20;60]"] * ROWS], ids=str)
def test_only_a_database_may_keep_rows_in_another_order(desk, honest, cells):
    """Nothing else is excused from the form and the order of a release by a digest of rows in another order."""
    honest["output"]["sha256_in_order"] = "0" * 64
    forge(desk, honest, text_of(cells, ills="cba")).refused(1)


def test_confidential_values_that_are_written_in_several_ways_are_told(desk, honest):
    """Models take them for one value, so whoever knows what each way means learns more than they promise."""
    model = {"name": "t-closeness", "t": 0.01}
    honest["recipe"]["model"] = [model]
    honest["verdicts"][0] |= {"model": model, "convention": _CONVENTIONS["variation"]}
    honest["recipe"]["release"]["row_order"] = honest["output"]["row_order"] = "input"
    text = text_of(["[20;20]"] * 6 + ["[21;21]"] * 6, ["f"], ["a"] * 6 + ["{a}"] * 6)
    said = "In every class, 'ill' is spread within 0 of the whole table."
    assert "several ways" in forge(desk, honest, text, level=0, classes=2, sentence=said).fine().out


@pytest.mark.parametrize("number", ["1" + "0" * 400, '"0"', "[0]"])
def test_numbers_that_are_none_are_refused_in_words(desk, honest, number):
    desk.run("anonymize", "in.csv", "--out", "out.csv", *ROLES, "--measure", "uniqueness", "--overwrite").fine()
    content = json.loads(desk.read("out.certificate.json"))
    content["scores"][0]["value"] = json.loads(number)
    content["digest"] = digest(content)
    desk.put("out.certificate.json", json.dumps(content))
    desk.check().refused(1)


def test_any_number_of_queries_is_too_much_work(desk, honest):
    desk.run("anonymize", "in.csv", "--out", "out.csv", *ROLES, "--measure", "query-error", "--overwrite").fine()
    content, record = (json.loads(desk.read(f"out.{paper}.json")) for paper in ("certificate", "private"))
    content["recipe"]["measure"][-1]["queries"] = 10**15
    record["certificate"] = content["digest"] = digest(content)
    desk.put("out.certificate.json", json.dumps(content))
    desk.put("out.private.json", json.dumps(record))
    papers = ("--certificate", "out.certificate.json", "--private", "out.private.json", "--original", "in.csv")
    assert "query-error (it is too much work)" in desk.run("check", "out.csv", *papers).fine().out


def test_rows_in_the_order_of_the_input_are_said_to_be(desk):
    desk.put("in.csv", text_of(AGES, "fm"))
    said = desk.run("anonymize", "in.csv", "--out", "out.csv", *ROLES, "--row-order", "input").fine()
    assert "order of the input" in said.out
    assert "order of the input" in desk.check().fine().out


# Parquet and folders


@pytest.fixture
def parquet(desk, honest):
    """Release the same table as Parquet; give its certificate."""
    desk.run("anonymize", "in.csv", "--out", "out.parquet", *ROLES, "--overwrite").fine()
    return json.loads(desk.read("out.certificate.json"))


def forge_parquet(desk, content, table, **settings):
    pq.write_table(table, desk.folder / "out.parquet", **settings)
    return forge(desk, content, (desk.folder / "out.parquet").read_bytes(), name="out.parquet")


def columns(ages):
    return {"age": ages, "sex": pa.array(["f"] * ROWS), "ill": pa.array(["a"] * ROWS)}


def spans(pairs):
    return pa.array([None if pair is None else {"lo": pair[0], "hi": pair[1]} for pair in pairs],
                    pa.struct([("lo", pa.int64()), ("hi", pa.int64())]))  # fmt: skip


def test_an_honest_table_as_parquet_passes(desk, parquet):
    forge_parquet(desk, parquet, pa.table(columns(spans([(20, 60)] * ROWS)))).fine()


def test_half_a_span_is_no_wildcard(desk, parquet):
    forge_parquet(desk, parquet, pa.table(columns(spans([(None, age) for age in AGES])))).refused(1)


@pytest.mark.parametrize("kind", ["category", "ordered"])
def test_numbers_that_have_one_text_are_not_alike(desk, parquet, kind):
    """There are many numbers that are none, and all are written NaN."""
    none = np.array([0x7FF8000000000000 + i for i in range(ROWS)], np.uint64).view(np.float64)
    table = parquet["recipe"]["table"]
    table["kinds"]["age"], table["orders"] = kind, {"age": ["nan"]} if kind == "ordered" else {}
    forge_parquet(desk, parquet, pa.table(columns(pa.array(none, from_pandas=False)))).refused(1)


def test_metadata_of_parquet_are_refused(desk, parquet):
    table = pa.table(columns(spans([(20, 60)] * ROWS))).replace_schema_metadata({"original": "20,21,22"})
    forge_parquet(desk, parquet, table).refused(1)


def test_what_another_version_of_arrow_wrote_is_not_said_to_hold_nothing_else(desk, parquet, monkeypatch):
    """Bytes that no reader shows are found by writing the rows anew, which needs the version that wrote them."""
    assert "nothing beside" not in forge_parquet(desk, parquet, pa.table(columns(spans([(20, 60)] * ROWS)))).fine().out
    monkeypatch.setattr(pa, "__version__", "1.0.0")
    said = desk.run("check", "out.parquet", "--certificate", "out.certificate.json").fine().out
    assert "not shown by the file alone: that there is nothing beside the rows" in said


def test_an_empty_text_is_no_missing_cell(desk, parquet):
    table = pa.table(columns(spans([(20, 60)] * ROWS)) | {"sex": pa.array(["", None] * (ROWS // 2))})
    forge_parquet(desk, parquet, table).refused(1)


@pytest.mark.parametrize("name", ["original.csv", "_x.parquet", ".hidden", "_SUCCESS"])
def test_other_files_in_a_released_folder_are_refused(desk, honest, name):
    desk.run("anonymize", "in.csv", "--out", "out/", *ROLES, "--overwrite").fine()
    desk.run("check", "out/", "--certificate", "out.certificate.json").fine()
    (desk.folder / "out" / name).write_text("20\n21\n")
    desk.run("check", "out/", "--certificate", "out.certificate.json").refused(1)


@pytest.mark.parametrize("value", [
    "34::DECIMAL(38, 28) + range * 0.000000000000000000000001::DECIMAL(38, 28)",
    "100000000000000000000000000000000000000::HUGEINT + range",
])  # fmt: skip
def test_numbers_of_a_database_that_read_alike_are_not_alike(desk, honest, value):
    """Long numbers of databases are read as the nearest that this machine has."""
    with duckdb.connect(str(desk.folder / "out.db")) as db:
        db.execute(f"CREATE TABLE t AS SELECT {value} AS age, 'f' AS sex, 'a' AS ill FROM range({ROWS})")
    honest["recipe"]["table"]["kinds"]["age"] = "float"
    del honest["output"]["delimiter"]
    place = f"duckdb:///{desk.folder}/out.db?table=t"
    read = default_engine().digest(Source.parse(place))
    honest["output"] |= {"sha256": read.sha256, "bytes": read.size, "sha256_in_order": read.in_order}
    honest["scores"], honest["recipe"]["measure"] = [], []
    honest["verdicts"][0] |= {"level": float(ROWS), "classes": 1, "sentence": CROWD.format(ROWS)}
    honest["digest"] = digest(honest)
    desk.put("out.certificate.json", json.dumps(honest))
    desk.run("check", place, "--certificate", "out.certificate.json").refused(1, "Do not rely on it")
