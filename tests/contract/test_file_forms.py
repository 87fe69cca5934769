"""Every form of files goes the whole way: inspect, risk, anonymize, check and compare, with the same numbers."""

import datetime as dt
import zipfile

import numpy as np
import pyarrow as pa
import pytest
from engines.tiny import Tiny

import shoal
from shoal.errors import DataError, ParameterError, RoomError, ShoalError

NEEDS = {".sav": "pyreadstat", ".zsav": "pyreadstat", ".xpt": "pyreadstat", ".dta": "pyreadstat", ".xlsx": "fastexcel"}
FORMS = [
    ".csv", ".tsv", ".csv.gz", ".csv.zst", ".csv.bz2", ".csv.xz", ".csv.zip", ".parquet", ".feather", ".arrow", ".orc",
    ".jsonl", ".jsonl.gz", ".xlsx", ".sav", ".zsav", ".dta", ".xpt",
]  # fmt: skip
ASKED = {"quasi": ["age", "town"], "sensitive": "ill", "plain": ["share", "visit", "remark", "count"]}


def people() -> pa.Table:
    return pa.table(
        {
            "age": [30, 31, 50, 52, 70, 71, None, 30],
            "town": ["Åby", "b", "b", "b", "dd", "e", "Åby", None],
            "ill": ["flu", "cold", "flu", "none", "cold", "flu", "none", "cold"],
            "share": [0.5, 1.25, None, 3e-7, 1e10, 2.0, 4.0, 5.5],
            "visit": pa.array([dt.date(2020, 1, day) for day in range(1, 8)] + [None], pa.date32()),
            "remark": ['a "b", c', "x;y", "", "1.50", "007", "=1+1", None, "é\tü"],
            "count": pa.array([1, 2, 3, 4, None, 2**31, 5, 6], pa.int64()),
        }
    )


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """Give a folder with the people in each form, written by shoal itself as a release that promises nothing."""
    place = tmp_path_factory.mktemp("forms")
    table = shoal.read(people(), plain=people().column_names[1:], quasi="age")
    release = shoal.anonymize(
        table, [], measures=[], no_promise=True, allow_identifiers=people().column_names, row_order="input"
    )
    for form in FORMS:
        pytest.importorskip(NEEDS.get(form, "pyarrow"), reason="pyreadstat is not installed: make install EXTRAS=stats")
        name = form.strip(".").replace(".", "_")
        release.write(place / f"people_{name}{form}", row_order="input")
    return place


def source(folder, form):
    return folder / f"people_{form.strip('.').replace('.', '_')}{form}"


@pytest.fixture(scope="module")
def from_csv(folder):
    table = shoal.read(source(folder, ".csv"), **ASKED)
    return table, shoal.anonymize(table, "mondrian", k=2)


@pytest.mark.parametrize("engine", [lambda: None, Tiny], ids=["local", "parts"])
@pytest.mark.parametrize("form", FORMS)
def test_the_whole_way(tmp_path, folder, from_csv, form, engine):
    path, target = source(folder, form), tmp_path / f"out{form}"
    seen = shoal.inspect(path)
    assert [(each["name"], each["missing"]) for each in seen["columns"]] == [
        ("age", 1), ("town", 1), ("ill", 0), ("share", 1), ("visit", 1), ("remark", 2), ("count", 1)
    ]  # fmt: skip
    assert [each["kind"] for each in seen["columns"]][:5] == ["integer", "category", "category", "float", "date"]
    found, known = shoal.risk(path, quasi=["age", "town"], sensitive="ill"), shoal.risk(from_csv[0])
    told = ("records", "unique", "classes", "smallest_class", "mean_risk", "share_unique")
    assert {name: found[name] for name in told if name in found} == {
        name: known[name] for name in told if name in known
    }
    table = shoal.read(path, engine=engine(), **ASKED)
    release = shoal.anonymize(table, "mondrian", k=2)
    assert [score.value for score in release.scores] == [score.value for score in from_csv[1].scores]
    release.write(target)
    certificate = next(tmp_path.glob("*.certificate.json"))
    proof = shoal.verify(
        target, certificate, private=next(tmp_path.glob("*.private.json")), original=path, engine=engine()
    )
    assert proof.proved
    assert not [line for line in proof.not_proved if "beside the rows" in line]
    compared = shoal.compare(path, target, quasi=["age", "town"], sensitive="ill")
    assert compared is not None
    again = target.read_bytes()
    release.write(target, overwrite=True)
    assert target.read_bytes() == again  # nothing in it says when it was made


@pytest.mark.parametrize("engine", [lambda: None, Tiny], ids=["local", "parts"])
@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("zone", [None, "Europe/Berlin"])
def test_ranges_of_days_and_moments_are_proved(tmp_path, form, zone, engine):
    pytest.importorskip(NEEDS.get(form, "pyarrow"), reason="pyreadstat is not installed: make install EXTRAS=stats")
    first = dt.datetime(2020, 1, 2, 3, 4, 5, 6000, dt.UTC if zone else None)
    moments = [first + i * dt.timedelta(days=40, milliseconds=7) for i in range(6)]
    table = pa.table(
        {
            "seen": pa.array([*moments, None, None], pa.timestamp("us", zone)),
            "born": [each.date() for each in moments] + [None, None],
            "ill": list("abcabcab"),
        }
    )
    read = shoal.read(table, engine=engine(), quasi=["seen", "born"], sensitive="ill")
    target, beside = tmp_path / f"out{form}", {"private": tmp_path / "p.json", "original": table}
    shoal.anonymize(read, "mondrian", k=2).write(target, certificate=tmp_path / "c.json", private=tmp_path / "p.json")
    assert shoal.verify(target, tmp_path / "c.json", engine=engine(), **beside).by_original
    assert shoal.risk(target, quasi=["seen", "born"])["records"] == 8


@pytest.mark.parametrize("form", FORMS)
def test_moments_with_a_zone_of_which_there_are_none_are_proved(tmp_path, form):
    pytest.importorskip(NEEDS.get(form, "pyarrow"), reason="pyreadstat is not installed: make install EXTRAS=stats")
    table = pa.table({"seen": pa.nulls(4, pa.timestamp("us", "UTC")), "age": [1, 2, 3, 4], "ill": list("abab")})
    target, beside = tmp_path / f"out{form}", {"private": tmp_path / "p.json", "original": table}
    release = shoal.anonymize(shoal.read(table, quasi=["seen", "age"], sensitive="ill"), "mondrian", k=2, cells="text")
    release.write(target, certificate=tmp_path / "c.json", private=tmp_path / "p.json")
    assert shoal.verify(target, tmp_path / "c.json", **beside).by_original


@pytest.mark.parametrize("form", FORMS)
def test_moments_that_are_all_at_midnight_are_proved(tmp_path, form):
    """Sheets have no other days than such moments."""
    pytest.importorskip(NEEDS.get(form, "pyarrow"), reason="pyreadstat is not installed: make install EXTRAS=stats")
    days = [dt.datetime(2020, 1, day) for day in range(1, 5)]
    table = pa.table({"seen": days, "ill": list("abab"), "since": [days[0]] * 2 + [days[1]] * 2})
    target, beside = tmp_path / f"out{form}", {"private": tmp_path / "p.json", "original": table}
    read = shoal.read(table, quasi="seen", sensitive="ill", plain="since")
    release = shoal.anonymize(read, "mondrian", k=2, cells="bounds")
    release.write(target, certificate=tmp_path / "c.json", private=tmp_path / "p.json")
    assert shoal.verify(target, tmp_path / "c.json", **beside).by_original


@pytest.mark.parametrize("engine", [lambda: None, Tiny], ids=["local", "parts"])
@pytest.mark.parametrize("form", [".parquet", ".feather", ".arrow", ".sav"])
def test_ordered_categories_go_the_whole_way(tmp_path, form, engine):
    """A file that was released is read again with the same order, and what is found in it is what was found before."""
    pytest.importorskip(NEEDS.get(form, "pyarrow"), reason="pyreadstat is not installed: make install EXTRAS=stats")
    rows, listed = np.arange(40), ["mild", "moderate", "never", "severe"]
    codes = pa.array([[0, 1, 3][row * 7 % 3] for row in rows], pa.int8())
    stage = pa.DictionaryArray.from_arrays(codes, listed, ordered=True)
    table = pa.table({"age": rows % 20, "stage": stage, "known": stage})
    asked = {"quasi": ["age", "stage"], "sensitive": "known"}
    first, second = tmp_path / f"first{form}", tmp_path / f"second{form}"
    shoal.anonymize(shoal.read(table, **asked), [], measures=[], no_promise=True, allow_identifiers=["age"]).write(
        first
    )
    seen = {each["name"]: each for each in shoal.inspect(first)["columns"]}
    assert [seen[name]["kind"] for name in ("stage", "known")] == ["ordered", "ordered"]
    assert shoal.risk(first, **asked)["classes"] == shoal.risk(table, **asked)["classes"]
    again = shoal.read(first, engine=engine(), **asked)
    assert [list(again.schema[name].axis.values) for name in ("stage", "known")] == [["mild", "moderate", "severe"]] * 2
    release = shoal.anonymize(again, "mondrian", k=4)
    expected = shoal.anonymize(shoal.read(table, **asked), "mondrian", k=4)
    assert [score.value for score in release.scores] == pytest.approx([score.value for score in expected.scores])
    release.write(second)
    paper, record = tmp_path / "second.certificate.json", tmp_path / "second.private.json"
    proof = shoal.verify(second, paper, private=record, original=first, engine=engine())
    assert not [line for line in proof.not_proved if "beside the rows" in line]
    assert shoal.compare(first, second, **asked) is not None
    for path in (first, second):
        assert b"never" not in path.read_bytes()


@pytest.mark.parametrize("form", [form for form in FORMS if form not in (".csv", ".tsv")])
def test_nothing_lies_beside_the_rows(tmp_path, folder, form):
    """A file that was changed and certified anew is found out: what it holds is not what its rows give."""
    from shoal.engines.io.digests import of_file
    from shoal.engines.io.file_writer import writers_of
    from shoal.engines.io.hidden_contents import hidden_content
    from shoal.engines.sources import Source

    path = tmp_path / f"more{form}"
    content = source(folder, form).read_bytes()
    names = people().column_names
    here = Source.parse(path)
    path.write_bytes(content)
    assert hidden_content(here, names, of_file(path), writers_of(here), names) is None
    path.write_bytes(content + b"someone's name")
    try:
        found = hidden_content(here, names, of_file(path), writers_of(here), names)
    except ShoalError:
        found = "damaged"
    assert found


@pytest.mark.parametrize("form", FORMS)
def test_odd_files_are_refused_in_words(tmp_path, folder, form):
    whole = source(folder, form).read_bytes()
    for name, content in (("empty", b""), ("cut", whole[: len(whole) // 2]), ("other", b"\x00\xff" * 99)):
        path = tmp_path / f"{name}{form}"
        path.write_bytes(content)
        if form in (".csv", ".tsv") and name == "cut":
            continue  # half a text is a text
        with pytest.raises((DataError, ParameterError)) as refused:
            shoal.read(path, **ASKED)
        assert "flu" not in str(refused.value)


@pytest.mark.parametrize("engine", [lambda: None, Tiny], ids=["local", "parts"])
@pytest.mark.parametrize("form", [form for form in FORMS if not form.startswith(".csv.")])
def test_a_damaged_file_is_read_or_refused_in_words(tmp_path, folder, form, engine):
    """Whatever was changed or cut off: no library is heard, none runs away, and no cell is in a message."""
    whole, draw = source(folder, form).read_bytes(), np.random.default_rng(7)
    path, said = tmp_path / f"damaged{form}", []
    for turn in range(24):
        place = int(draw.integers(len(whole)))
        some = draw.bytes(1 + turn % 8) if turn % 3 else b""
        path.write_bytes(whole[:place] + some + whole[place + len(some) :] if some else whole[:place])
        try:
            shoal.read(path, engine=engine(), **ASKED).to_arrow(cells="text")
        except ShoalError as error:
            said.append(str(error))
    assert said
    assert not any(cell in each for each in said for cell in ("cold", "Åby", "x;y", "007"))


@pytest.mark.parametrize("form", [".csv.gz", ".csv.bz2", ".csv.xz", ".csv.zip"])
def test_a_damaged_archive_is_found_out(tmp_path, folder, form):
    """Each of these forms has a sum of what is in it: no changed cell is read."""
    whole = source(folder, form).read_bytes()
    known = shoal.read(source(folder, form), **ASKED).to_arrow(cells="text")
    path, said = tmp_path / f"damaged{form}", []
    for place in range(0, len(whole), 7):
        path.write_bytes(whole[:place] + bytes([whole[place] ^ 16]) + whole[place + 1 :])
        try:
            found = shoal.read(path, **ASKED)
        except (DataError, ParameterError) as error:
            said.append(str(error))
        else:
            assert found.to_arrow(cells="text").equals(known)  # only what stands beside the content was changed
    assert len(said) > len(whole) // 14
    assert not any("flu" in each for each in said)


# "age,ill\n30,flu\n31,cold\n30,flu\n31,cold\n", as the program of Zstandard packs it: with a sum behind its content.
SUMMED = bytes.fromhex("28b52ffd2426e50000b06167652c696c6c0a33302c666c750a33312c636f6c64010004994dc39d4ec1")


def test_a_file_of_zstandard_without_a_sum_is_said_to_be_one(tmp_path):
    """Such a file may be damaged and nobody sees it; in one with a sum, no changed cell is read."""
    path, asked = tmp_path / "people.csv.zst", {"quasi": "age", "sensitive": "ill"}
    path.write_bytes(SUMMED)
    whole = shoal.read(path, **asked)
    assert (whole.rows, whole.origin.notes) == (4, ())
    known = whole.to_arrow()
    for place in range(len(SUMMED)):
        path.write_bytes(SUMMED[:place] + bytes([SUMMED[place] ^ 16]) + SUMMED[place + 1 :])
        try:
            found = shoal.read(path, **asked)
        except (DataError, ParameterError):
            continue
        assert found.to_arrow().equals(known)
    for end, content in ((".csv", b"age,ill\n30,flu\n31,cold\n"), (".jsonl", b'{"age": 1, "ill": "flu"}\n')):
        path = tmp_path / f"people{end}.zst"
        path.write_bytes(pa.compress(content, "zstd", asbytes=True))
        for engine in (None, Tiny()):
            assert shoal.read(path, engine=engine, **asked).origin.notes == ("no checksum of its content",)
        assert "no checksum of its content" in str(shoal.inspect(path))


def test_an_archive_holds_one_file_without_a_password(tmp_path):
    path = tmp_path / "people.csv.zip"

    def packed(*names):
        with zipfile.ZipFile(path, "w") as archive:
            for name in names:
                archive.writestr(name, "age,ill\n30,flu\n31,cold\n")
        return path

    how = {"quasi": "age", "sensitive": "ill"}
    assert shoal.read(packed("a.csv", "__MACOSX/._a.csv", "folder/"), **how).rows == 2
    with pytest.raises(DataError, match="holds 2 files"):
        shoal.read(packed("a.csv", "b.csv"), **how)
    content = packed("a.csv").read_bytes()
    for sign, place in ((b"PK\3\4", 6), (b"PK\1\2", 8)):  # where both heads say that it is encrypted
        at = content.index(sign) + place
        content = content[:at] + bytes([content[at] | 1]) + content[at + 1 :]
    path.write_bytes(content)
    with pytest.raises(DataError, match="locked by a password"):
        shoal.read(path, **how)


@pytest.mark.parametrize("form", FORMS)
def test_one_row_and_none(tmp_path, form):
    one = people().slice(0, 1).select(["age", "ill"])
    release = shoal.anonymize(one, [], quasi="age", plain="ill", no_promise=True, allow_identifiers=["age", "ill"])
    path = tmp_path / f"one{form}"
    release.write(path)
    table = shoal.read(path, quasi="age", plain="ill")
    assert table.rows == 1
    assert shoal.verify(path, next(tmp_path.glob("*.certificate.json")))


@pytest.mark.parametrize("form", FORMS)
def test_days_before_1900_and_large_numbers(tmp_path, form):
    """What a form cannot hold is refused, and what it holds comes back as it was."""
    days = [dt.date(1582, 10, 15), dt.date(1850, 2, 28), dt.date(2100, 1, 1), None]
    odd = pa.table({"age": [30] * 4, "born": pa.array(days, pa.date32()), "large": [2**53 + 1, -(2**62), 3, None]})
    path = tmp_path / f"odd{form}"
    how = {"quasi": "age", "no_promise": True, "allow_identifiers": ["born", "large"]}
    if form in (".xlsx", ".sav", ".zsav", ".dta", ".xpt"):
        with pytest.raises(DataError, match="beyond 2\\^53"):
            shoal.anonymize(odd, [], plain=["born", "large"], **how).write(path)
        assert not list(tmp_path.iterdir())
        odd = odd.drop_columns("large")
        how["allow_identifiers"] = ["born"]
    names = [name for name in ("born", "large") if name in odd.column_names]
    shoal.anonymize(odd, [], plain=names, **how).write(path)
    kinds = {"born": "date"} if form in (".xlsx", ".jsonl", ".jsonl.gz") else {}
    again = shoal.read(path, quasi="age", sensitive=names, kinds=kinds)
    assert again.schema["born"].axis.kind == "date"
    found = shoal.anonymize(again, [], measures=[], **{k: v for k, v in how.items() if k != "quasi"}).to_arrow()
    for name in names:
        texts = [sorted(str(cell) for cell in each.column(name).to_pylist()) for each in (found, odd)]
        assert texts[0] == texts[1]


@pytest.mark.parametrize("form", [form for form in FORMS if form not in (".csv", ".tsv")])
def test_a_file_under_another_name_is_called_what_it_is(tmp_path, folder, form):
    path = tmp_path / "people.csv"
    path.write_bytes(source(folder, form).read_bytes())
    with pytest.raises(DataError) as refused:
        shoal.read(path, quasi="age")
    endings = {".zsav": ".sav", ".feather": ".arrow", ".jsonl.gz": ".gz"}
    assert endings.get(form, f".{form.rpartition('.')[2]}") in refused.value.remedy


def test_sheets_and_ranges_of_a_workbook(tmp_path):
    writer = pytest.importorskip("xlsxwriter", reason="xlsxwriter is not installed: make install EXTRAS=excel")
    with writer.Workbook(tmp_path / "in.xlsx") as book:
        book.add_worksheet("notes").write_string(0, 0, "nothing")
        sheet = book.add_worksheet("people")
        sheet.write_row(2, 1, ["age", "ill", "remark"])
        for row, cells in enumerate([(30, "flu", "a"), (31, "cold", "b"), (50, "flu", "c"), (51, "flu", "total")], 3):
            sheet.write_row(row, 1, cells)
    path, how = tmp_path / "in.xlsx", {"quasi": "age", "sensitive": "ill"}
    table = shoal.read(path, sheet="people", range="B3:C7", **how)
    assert (table.rows, table.schema.left_out) == (4, ())
    assert shoal.read(path, sheet="people", range="b3:d", **how).rows == 4
    assert shoal.read(path, sheet="people", range="B3:D5", **how).rows == 2
    assert "sheet 2 of 2" in table.origin.notes
    release = shoal.anonymize(table, "mondrian", k=2)
    release.write(tmp_path / "out.xlsx", recipe=tmp_path / "recipe.toml")
    asked = shoal.Recipe.load(tmp_path / "recipe.toml")
    assert (asked.options.sheet, asked.options.range) == ("people", "B3:C7")
    assert "people" not in str(asked.public())
    proof = shoal.verify(tmp_path / "out.xlsx", private=tmp_path / "out.private.json", original=path)
    assert proof.by_original
    odd = [("people", "B3:Z", "columns or a first row"), ("people", "B90:C", "columns or a first row")]
    odd += [("peple", None, "no sheet 'peple'"), ("people", "B3", "not a range"), (1, None, "text")]
    for sheet, cells, said in odd:
        with pytest.raises(ParameterError, match=said):
            shoal.read(path, sheet=sheet, range=cells, **how)


def test_rows_of_a_sheet_without_a_value_are_told_of(tmp_path, capfd):
    """They count as records, as lines of delimiters do, and nobody stands behind them."""
    writer = pytest.importorskip("xlsxwriter", reason="xlsxwriter is not installed: make install EXTRAS=excel")
    with writer.Workbook(tmp_path / "in.xlsx") as book:
        sheet = book.add_worksheet("people")
        for row, cells in enumerate([("age", "ill", "empty"), (30, "flu"), (), (31, "cold")]):
            sheet.write_row(row, 0, cells)
    seen = shoal.inspect(tmp_path / "in.xlsx")
    assert (seen["records"], seen["notes"]) == (3, ["rows without a value, which count as records: 1"])
    assert not "".join(capfd.readouterr())


CELLS = [
    ("text", ".parquet"),
    ("text", ".jsonl"),
    *(("bounds", form) for form in FORMS),
    *(("middle", form) for form in FORMS),
]


@pytest.mark.parametrize(("cells", "form"), CELLS)
def test_ranges_are_shown_as_it_is_asked_for(tmp_path, folder, cells, form):
    engine = Tiny() if form in (".csv", ".parquet", ".sav") else None
    table = shoal.read(source(folder, ".csv"), engine=engine, **ASKED)
    release = shoal.anonymize(table, "mondrian", k=2, cells=cells)
    target = tmp_path / f"out{form}"
    release.write(target)
    paper = next(tmp_path.glob("*.certificate.json"))
    private = next(tmp_path.glob("*.private.json"))
    for held in (None, Tiny()):
        proof = shoal.verify(target, paper, private=private, original=source(folder, ".csv"), engine=held)
        assert proof.by_original
        assert not [line for line in proof.not_proved if "beside the rows" in line]
    if cells == "bounds":
        shown = shoal.read(target, quasi=["age_lo", "age_hi", "town"], sensitive="ill", masked=True)
        assert {shown.schema[end].axis.kind for end in ("age_lo", "age_hi")} == {"integer"}
        compared = shoal.compare(source(folder, ".csv"), target, quasi=["age", "town"], sensitive="ill")
        assert compared["releases"][0]["records"] == table.rows if "releases" in compared else compared is not None
    if cells == "middle":
        shown = shoal.read(target, quasi=["age", "town"], sensitive="ill", masked=True)
        assert shown.schema["age"].axis.kind in ("integer", "float")
        assert not any("[" in str(cell) for cell in release.to_arrow(cells="text").column("age").to_pylist())


def test_middles_and_bounds_are_those_of_the_ranges(tmp_path):
    frame = pa.table(
        {
            "age": [20, 29, 30, 40, None, 41],
            "born": pa.array([dt.date(2000, 1, day) for day in (1, 4, 10, 11, 20, 21)], pa.date32()),
            "pay": [0.5, 1.0, 2.0, 2.5, 7.0, 8.0],
        }
    )
    table = shoal.read(frame, quasi=["age", "born", "pay"])
    shown = {
        cells: shoal.anonymize(table, "sorted-clusters", k=2, cells=cells) for cells in ("text", "bounds", "middle")
    }
    ranges = shown["text"].to_arrow(cells="struct").to_pylist()
    middles = shown["middle"].to_arrow().to_pylist()

    def middle(cell):
        if not isinstance(cell, dict):
            return cell
        lo, hi = cell["lo"], cell["hi"]
        return lo if lo is None else lo + (hi - lo) // 2 if isinstance(lo, dt.date) else (lo + hi) / 2

    expected = [{name: middle(cell) for name, cell in row.items()} for row in ranges]
    assert len(middles) == len(expected)
    for row in expected:
        middles.remove(row)
    shown["bounds"].write(tmp_path / "out.csv")
    lines = (tmp_path / "out.csv").read_text().splitlines()
    assert lines[0] == "age_lo,age_hi,born_lo,born_hi,pay_lo,pay_hi"
    with pytest.raises(ParameterError, match="no way to show"):
        shoal.anonymize(table, "sorted-clusters", k=2, cells="bound")
    taken = pa.table({"age": [20, 29], "age_lo": [1, 2]})
    with pytest.raises(ParameterError, match="beside the column 'age_lo'"):
        shoal.anonymize(
            taken, "sorted-clusters", k=2, cells="bounds", quasi="age", plain="age_lo", allow_identifiers=["age_lo"]
        )


@pytest.mark.parametrize("form", FORMS)
def test_a_file_is_read_part_by_part_within_a_limit_of_memory(tmp_path, folder, form):
    """What can be read only whole is refused if it does not fit, and says so; all others give the same release."""
    from shoal.engines.disk.engine import Disk
    from shoal.engines.memory import Need
    from shoal.engines.sources import Source

    here = Source.parse(source(folder, form))
    tight = Disk(limit=10**9, estimated={here: Need(10**6, 2 * 10**9)})
    if here.form.whole:
        with pytest.raises(RoomError, match="read whole"):
            shoal.read(here, engine=tight, **ASKED)
        return
    found = []
    for number, engine in enumerate((None, tight)):
        release = shoal.anonymize(shoal.read(here, engine=engine, **ASKED), "mondrian", k=2)
        release.write(tmp_path / f"{number}{form}", certificate=tmp_path / f"{number}.certificate.json")
        found.append((tmp_path / f"{number}{form}").read_bytes())
    assert form == ".csv.zip" or found[0] == found[1]  # an archive holds the name of its file
