"""Tables on disk: read, masked, measured and written as the local engine does it, in little memory."""

import json
from types import SimpleNamespace

import duckdb
import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from engines.peaks import peak_of
from engines.pools import Memory
from engines.tiny import Tiny
from hypothesis import given, settings
from hypothesis import strategies as st
from property.tables import tables

import shoal
from shoal.engines.disk.engine import Disk
from shoal.engines.disk.pool import DiskPool
from shoal.engines.factory import engine_for
from shoal.engines.local import Local
from shoal.engines.memory import Need, available, estimate, parse_size
from shoal.engines.parts.engine import PartsEngine
from shoal.engines.sources import Source
from shoal.engines.values import Layout
from shoal.errors import DataError, ParameterError, ShoalError
from shoal.schema import ReadOptions, Roles

SAME = (
    shoal.methods.SortedClusters(),
    shoal.methods.StratifiedClusters(),
    shoal.methods.Coarsen(2),
    shoal.methods.SortedClusters("mean"),
)


def same(one, other):
    """Compare two tables by what is said of them and by every cell."""
    assert one.origin == other.origin
    assert one.rows == other.rows
    assert [(a.name, a.role, a.axis.kind, a.reason) for a in one.schema.attributes] == [
        (a.name, a.role, a.axis.kind, a.reason) for a in other.schema.attributes
    ]
    assert one.to_arrow(cells="text").equals(other.to_arrow(cells="text"))


def read_or_refused(source, engine, made):
    """Read a table, or give the words in which it is refused."""
    try:
        return shoal.read(source, engine=engine, **made.options)
    except ShoalError as error:
        return str(error)


@given(made=tables(), rows=st.integers(1, 9))
@settings(max_examples=25)
def test_a_text_file_is_read_in_stretches_as_it_is_read_whole(made, rows, tmp_path_factory):
    folder = tmp_path_factory.mktemp("text")
    made.write(folder / "in.csv")
    one, other = (read_or_refused(folder / "in.csv", e, made) for e in (Local(), Tiny(DiskPool(folder), rows)))
    if isinstance(one, str):
        assert one == other
    else:
        same(one, other)


@given(made=tables(), rows=st.integers(1, 9), files=st.integers(0, 3))
@settings(max_examples=20)
def test_parquet_is_read_in_stretches_as_it_is_read_whole(made, rows, files, tmp_path_factory):
    folder = tmp_path_factory.mktemp("parquet")
    source, whole = folder / "in.parquet", made.frame("arrow")
    if files:
        source = folder / "in"
        source.mkdir()
        for number in range(files):
            pq.write_table(whole.slice(number * 7, 7 if number < files - 1 else None), source / f"{number}.parquet")
        source = f"{source}/"
    else:
        pq.write_table(whole, source)
    one, other = (read_or_refused(source, engine, made) for engine in (Local(), Tiny(DiskPool(folder), rows)))
    if isinstance(one, str):
        assert one == other
        return
    same(one, other)
    if one.rows > 1:
        released = [
            shoal.anonymize(t, shoal.methods.SortedClusters(), [shoal.models.KAnonymity(2)]) for t in (one, other)
        ]
        for number, release in enumerate(released):
            release.write(folder / f"{number}.parquet")
        assert (folder / "0.parquet").read_bytes() == (folder / "1.parquet").read_bytes()
        read_again = [
            shoal.read(folder / "0.parquet", engine=e, **made.options) for e in (Local(), Tiny(DiskPool(folder)))
        ]
        same(*read_again)


def written(table, path, delimiter):
    with table.write(Source.parse(path), Layout(delimiter)):
        return path.read_bytes()


@given(
    made=tables(), rows=st.integers(1, 9), k=st.integers(2, 4), way=st.sampled_from(SAME), mark=st.sampled_from(",;:")
)
@settings(max_examples=20)
def test_a_release_from_disk_is_that_from_memory_cell_for_cell(made, rows, k, way, mark, tmp_path_factory):
    folder = tmp_path_factory.mktemp("release")
    whole = shoal.read(made.frame("arrow"), engine=Local(), **made.options)
    parts = Tiny(DiskPool(folder), rows).from_local(whole)
    ordered = not whole.schema["s"].axis.nominal and isinstance(way, shoal.methods.StratifiedClusters)
    models = (
        [shoal.models.KAnonymity(min(k, whole.rows)), *([shoal.models.TCloseness(0.3)] if ordered else [])]
        if whole.rows > 1
        else []
    )
    if not models:
        return
    one, other = (shoal.anonymize(table, way, models) for table in (whole, parts))
    text = written(one.table, folder / "one.csv", mark)
    assert written(other.table, folder / "other.csv", mark) == text  # before anyone looks at cells record by record
    assert one.table.to_arrow(cells="text").equals(other.table.to_arrow(cells="text"))
    for a, b in zip(one.scores, other.scores, strict=True):
        assert b.value == pytest.approx(a.value, rel=1e-12)
    assert [(v.level, v.classes) for v in one.verdicts] == [(v.level, v.classes) for v in other.verdicts]
    assert written(other.table, folder / "again.csv", mark) == text


@given(
    columns=st.lists(
        st.lists(st.none() | st.integers(-3, 3) | st.integers(-(2**31) + 2, 2**31 - 3), min_size=24, max_size=24),
        min_size=1,
        max_size=3,
    ),
    rows=st.integers(1, 9),
    matching=st.sampled_from(["signature", "fit"]),
)
def test_who_stands_alone_in_parts_is_who_stands_alone_in_the_whole(columns, rows, matching):
    """By brute force, for every single column and all together: close values are ticked off, others hashed."""
    named = {f"c{j}": column for j, column in enumerate(columns)}
    there = shoal.read(pa.table(named), engine=PartsEngine(Memory(), rows), quasi=list(named))
    for known in [*([name] for name in named), list(named)]:
        people = list(zip(*(named[name] for name in known), strict=True))
        alone = sum(people.count(one) == 1 for one in people) / len(people)
        if matching == "fit" and any(None in one for one in people):
            continue  # what nobody knows fits everyone
        (score,) = shoal.score(there, measures=[shoal.measures.Uniqueness(known=tuple(known), matching=matching)])
        assert score.value == pytest.approx(alone)


def test_columns_that_turn_out_to_be_text_late_are_read_again(tmp_path):
    path = tmp_path / "in.csv"
    path.write_text("a,b,s\n" + "".join(f"{i % 7},{i % 3},{i}\n" for i in range(40)) + "x,y,z\n" * 45, "utf-8")
    options = {"quasi": ["a", "b"], "plain": ["s"]}
    same(shoal.read(path, engine=Local(), **options), shoal.read(path, engine=Tiny(DiskPool(tmp_path)), **options))


@pytest.mark.parametrize("line", ["1,2\n", '1,"2,3\n', "1,2,\0\n"])
def test_errors_name_the_same_line_wherever_the_table_is_held(tmp_path, line):
    path = tmp_path / "in.csv"
    path.write_text("a,b,s\n" + "1,2,3\n" * 23 + line, "utf-8")
    told = []
    for engine in (Local(), Tiny(DiskPool(tmp_path))):
        with pytest.raises(DataError) as found:
            shoal.read(path, engine=engine, quasi=["a"], plain=["b", "s"])
        told.append(str(found.value))
    assert told[0] == told[1]


def test_a_release_from_disk_is_proved_in_memory_and_the_other_way_round(tmp_path):
    path = tmp_path / "in.csv"
    path.write_text("a,b,s\n" + "".join(f"{i * 7 % 19},{i % 5},{i}\n" for i in range(97)), "utf-8")
    engines = Local(), Tiny(DiskPool(tmp_path))
    for number, engine in enumerate(engines):
        table = shoal.read(path, engine=engine, quasi=["a", "b"], sensitive=["s"])
        release = shoal.anonymize(
            table, shoal.methods.Hilbert(), [shoal.models.KAnonymity(4), shoal.models.TCloseness(0.3)]
        )
        sealed = release.write(tmp_path / "out.csv", overwrite=True)
        assert sealed.content["engine"] == engine.name
        private = tmp_path / "out.private.json"
        proof = shoal.verify(tmp_path / "out.csv", sealed, private=private, original=path, engine=engines[1 - number])
        assert not proof.not_proved


def test_amounts_of_memory_are_read_and_refused():
    assert parse_size("2GB") == 2 * 10**9
    assert parse_size("1.5 GiB") == 1.5 * 2**30
    assert parse_size(10**9) == 10**9
    for text in ("", "two", "-1GB", "5 PB", "GB"):
        with pytest.raises(ParameterError, match="not an amount"):
            parse_size(text)
    with pytest.raises(ParameterError, match="no room"):
        parse_size("20MB")
    assert available() > 0


def test_the_engine_is_chosen_by_what_a_table_needs(tmp_path):
    path = tmp_path / "in.csv"
    path.write_text("a,b\n" + "12345,67890\n" * 300_000, "utf-8")
    options = ReadOptions(roles=Roles(quasi=("a", "b")))
    need = estimate(path, options)
    assert 300_000 <= need.records < 310_000
    assert isinstance(engine_for([path], options), Local)
    assert isinstance(engine_for([path], options, memory="150MB"), Local)
    assert isinstance(engine_for([path] * 9, options, memory="150MB"), Disk)
    with pytest.raises(ParameterError, match="no engine 'abacus'"):
        engine_for([path], options, engine="abacus")


def test_a_file_is_estimated_and_its_name_parsed_once_however_it_is_held(tmp_path, monkeypatch):
    path = tmp_path / "in.csv"
    path.write_text("a,b\n" + "12345,67890\n" * 300, "utf-8")
    estimated, parsed = [], []
    monkeypatch.setattr(
        "shoal.engines.memory._estimate_of_text", lambda *given: estimated.append(1) or Need(300, 10**9)
    )
    parse = Source.parse
    monkeypatch.setattr(Source, "parse", lambda given: parsed.extend([given] * (given == str(path))) or parse(given))
    for memory, name in (("200MB", "disk"), ("2GB", "local")):
        assert shoal.read(str(path), quasi="a", memory=memory).engine.name == name
    assert (len(estimated), len(parsed)) == (2, 2)


def test_more_different_texts_than_fit_are_refused_with_a_way_out(tmp_path):
    path = tmp_path / "in.csv"
    path.write_text("a,who\n" + "".join(f"1,person {i}\n" for i in range(200_000)), "utf-8")
    engine = Disk(DiskPool(tmp_path), limit=150_000_000)
    with pytest.raises(ParameterError, match="more different texts") as found:
        shoal.read(path, engine=engine, quasi=["a"], plain=["who"])
    assert "--memory" in str(found.value)
    assert "--engine spark" in str(found.value)


def test_a_release_is_not_called_false_for_want_of_disk(tmp_path, monkeypatch):
    path = tmp_path / "in.csv"
    path.write_text("a,s\n" + "".join(f"{i % 9},{i}\n" for i in range(5000)), "utf-8")
    table = shoal.read(path, quasi=["a"], sensitive=["s"])
    release = shoal.anonymize(
        table, shoal.methods.SortedClusters(), [shoal.models.KAnonymity(4)], allow_identifiers="s"
    )
    sealed = release.write(tmp_path / "out.csv")
    monkeypatch.setattr("shutil.disk_usage", lambda folder: SimpleNamespace(free=1000))
    monkeypatch.setattr("shoal.engines.disk.engine.BASE", 0)
    with pytest.raises(shoal.errors.RoomError, match="of disk are needed") as found:
        shoal.verify(tmp_path / "out.csv", sealed, engine=Disk(DiskPool(tmp_path)))
    assert "TMPDIR" in found.value.remedy


def test_boxes_that_cannot_all_be_compared_are_refused_with_a_way_out(tmp_path):
    path = tmp_path / "in.csv"
    path.write_text("a\n" + "".join(f"[{i};{i + 3}]\n" for i in range(50)), "utf-8")
    table = shoal.read(path, engine=Tiny(DiskPool(tmp_path), most_boxes=20), quasi=["a"])
    with pytest.raises(ParameterError, match="--matching signature"):
        shoal.score(table, measures=[shoal.measures.Uniqueness(matching="fit")])
    enough = shoal.read(path, engine=Tiny(DiskPool(tmp_path)), quasi=["a"])
    whole = shoal.read(path, engine=Local(), quasi=["a"])
    fit = shoal.measures.Uniqueness(matching="fit")
    assert shoal.score(enough, measures=[fit]) == shoal.score(whole, measures=[fit])


def test_few_classes_with_many_records_are_counted_before_they_move(tmp_path):
    path = tmp_path / "in.csv"
    path.write_text("a,b,s\n" + "".join(f"{i % 2},{i % 3},{i % 4}\n" for i in range(600)), "utf-8")
    whole, parts = (
        shoal.read(path, engine=e, quasi=["a", "b"], sensitive=["s"]) for e in (Local(), Tiny(DiskPool(tmp_path)))
    )
    measures = [
        shoal.measures.ClassSizes(("a",)),
        shoal.measures.Uniqueness(),
        shoal.measures.Uniqueness(("b",), "fit"),
        shoal.measures.AttributeDisclosure("s > 1"),
    ]
    assert shoal.score(whole, measures=measures) == shoal.score(parts, measures=measures)


def test_a_large_file_stays_within_the_limit(tmp_path):
    """Peak memory of a whole command, start of Python included."""
    draw = np.random.default_rng(1)
    block = "\n".join(",".join(map(str, row)) for row in draw.integers(0, 99, (20_000, 8)).tolist()) + "\n"
    path = tmp_path / "in.csv"
    with path.open("w", encoding="utf-8") as file:
        file.write("a,b,c,d,e,f,g,s\n")
        for _ in range(75):
            file.write(block)
    roles = ("--quasi", "a,b,c,d,e,f,g", "--sensitive", "s", "--k", 5)
    assert (
        peak_of("-m", "shoal", "anonymize", path, "-o", tmp_path / "out.csv", *roles, "--memory", "160MB") < 160_000_000
    )
    told = json.loads((tmp_path / "out.certificate.json").read_text(encoding="utf-8"))
    assert told["engine"] == "disk"


@pytest.mark.parametrize("name", ["out.parquet", "out/"])
def test_a_large_parquet_file_stays_within_the_limit(tmp_path, name):
    draw = np.random.default_rng(1)
    columns = {name: draw.integers(0, 99, 900_000).astype(np.int32) for name in "abcdefgs"}
    pq.write_table(pa.table(columns), tmp_path / "in.parquet")
    sealed = tmp_path / "out.certificate.json"
    roles = ("--quasi", "a,b,c,d,e,f,g", "--sensitive", "s", "--k", 5, "--method", "sorted-clusters")
    command = ("anonymize", tmp_path / "in.parquet", "-o", f"{tmp_path}/{name}", "--certificate", sealed, *roles)
    assert peak_of("-m", "shoal", *command, "--memory", "250MB") < 250_000_000
    assert json.loads(sealed.read_text(encoding="utf-8"))["engine"] == "disk"


@pytest.mark.parametrize(
    ("target", "name"),
    [("out.csv", "local"), ("out.parquet", "disk"), ("out/", "disk"), ("duckdb:///out.db?table=t", "disk")],
)
def test_what_writing_takes_counts_when_the_engine_is_chosen(tmp_path, target, name):
    (tmp_path / "in.csv").write_text("a,b\n" + "12,34\n" * 2_400_000, "utf-8")
    limit = estimate(tmp_path / "in.csv", ReadOptions()).memory + 50_000_000
    assert engine_for([tmp_path / "in.csv"], ReadOptions(), memory=limit, target=target).name == name


def test_a_small_table_goes_into_a_database_from_memory_whatever_the_limit(tmp_path):
    (tmp_path / "in.csv").write_text("a,b\n" + "12,34\n" * 4, "utf-8")
    target = f"duckdb:///{tmp_path}/out.db?table=t"
    assert engine_for([tmp_path / "in.csv"], ReadOptions(), memory="250MB", target=target).name == "local"


def test_too_little_memory_for_parquet_is_refused_with_a_way_out(tmp_path):
    pq.write_table(pa.table({"a": [1, 2]}), tmp_path / "in.parquet")
    with pytest.raises(ParameterError, match="cannot be read within 160MB") as found:
        shoal.read(tmp_path / "in.parquet", engine=Disk(DiskPool(tmp_path), limit=160_000_000), quasi=["a"])
    assert "--memory 230MB" in str(found.value)


def test_records_that_belong_together_and_do_not_fit_are_refused_with_a_way_out(tmp_path):
    """All records are alike, so that all their confidential values would be looked at together."""
    engine = Tiny(DiskPool(tmp_path, limit=110_002_000))
    frame = pa.table({"a": [1] * 600, "s": [i % 7 for i in range(600)]})
    table = shoal.read(frame, engine=engine, quasi=["a"], sensitive=["s"])
    with pytest.raises(ParameterError, match="belong together") as found:
        shoal.models.check(table, [shoal.models.TCloseness(0.5)])
    assert "--memory" in str(found.value)


def test_too_little_memory_to_form_classes_is_refused_before_records_move(tmp_path):
    frame = pa.table({"a": np.arange(70_000)})
    limits = 118_000_000, 120_000_000
    few, enough = (shoal.read(frame, engine=Disk(DiskPool(tmp_path), limit=limit), quasi=["a"]) for limit in limits)
    for method in (shoal.methods.Hilbert(), shoal.methods.MDAV()):
        with pytest.raises(ParameterError, match="formed of 70,000 records at a time") as found:
            shoal.anonymize(few, method, [shoal.models.KAnonymity(5)])
        assert "--memory 120MB" in str(found.value)
    assert shoal.anonymize(enough, shoal.methods.Hilbert(), [shoal.models.KAnonymity(5)]).holds


@pytest.mark.parametrize("classes", [pytest.param(1, marks=pytest.mark.large), 2])
def test_classes_larger_than_a_part_are_counted_within_the_limit(tmp_path, classes):
    path, out, limit = tmp_path / "in.csv", tmp_path / "out.csv", 150_000_000
    block = "".join(f"{i % classes},7,{i % 50}\n" for i in range(1000))
    path.write_text("a,b,s\n" + block * 2000, "utf-8")
    roles = ("--quasi", "a,b", "--sensitive", "s")
    sealed = tmp_path / "out.certificate.json"
    for command in (
        ("risk", path, *roles),
        ("anonymize", path, "-o", out, *roles, "--method", "coarsen", "--k", 5),
        ("check", out, "--certificate", sealed),
    ):
        assert peak_of("-m", "shoal", *command, "--memory", "150MB") < limit
    told = json.loads(sealed.read_text(encoding="utf-8"))
    assert (told["engine"], told["verdicts"][0]["classes"]) == ("disk", classes)
    measures = [shoal.measures.ClassSizes(), shoal.measures.Uniqueness(), shoal.measures.AttributeDisclosure("s > 12")]
    found = [
        shoal.score(shoal.read(path, engine=engine, quasi=["a", "b"], sensitive=["s"]), measures=measures)
        for engine in (Local(), Disk(DiskPool(tmp_path), limit=limit))
    ]
    assert found[0] == found[1]


@pytest.mark.parametrize("k", [6, 13, 60, 101])
def test_classes_larger_than_a_part_are_published_where_their_records_are(tmp_path, k):
    path = tmp_path / "in.csv"
    cells = ("" if i % 17 == 3 else f"[{i % 9};{i % 9 + i % 4}]" if i % 5 == 0 else f"{i * 7 % 23}" for i in range(101))
    path.write_text("a,b\n" + "".join(f"{cell},{i * 5 % 31}\n" for i, cell in enumerate(cells)), "utf-8")
    releases = [
        shoal.anonymize(
            shoal.read(path, engine=engine, quasi=["a", "b"]),
            shoal.methods.SortedClusters(),
            [shoal.models.KAnonymity(k)],
        )
        for engine in (Local(), Tiny(DiskPool(tmp_path)), PartsEngine(Memory(), 5))
    ]
    whole, *parted = (release.to_arrow(cells="text") for release in releases)
    for found in parted:
        assert found.equals(whole)
    values = [[score.value for score in release.scores] for release in releases]
    assert values[1] == values[2] == pytest.approx(values[0], rel=1e-12)


def test_a_table_in_a_database_is_read_a_few_rows_at_a_time(tmp_path):
    place = f"duckdb:///{tmp_path}/clinic.db?table=people"
    with duckdb.connect(str(tmp_path / "clinic.db")) as db:
        db.execute("create table people as select (i * 7) % 23 as age, 't' || (i % 4) as town, i / 8 as share, "
                   "cast(i as decimal(9, 2)) as price from range(101) t(i)")  # fmt: skip
    roles = {"quasi": ["age", "town"], "sensitive": ["share"], "plain": ["price"]}
    whole, parts = (shoal.read(place, engine=e, **roles) for e in (Local(), Tiny(DiskPool(tmp_path), 9)))
    assert max(parts.data.sizes) == 9
    same(whole, parts)
    assert estimate(place, ReadOptions()).records == 101
    small = Disk(DiskPool(tmp_path), limit=230_000_000)
    other = Source.parse(f"duckdb:///{tmp_path}/clinic.db?table=other")
    for use in (
        lambda: small.digest(Source.parse(place)),
        lambda: small.write(parts.data, parts.schema, other, Layout()),
        lambda: shoal.read(place, engine=small, **roles),
    ):
        with pytest.raises(ParameterError, match="within 230MB") as found:
            use()
        assert "--memory 300MB" in str(found.value)


def test_more_different_cells_in_a_frame_than_fit_are_refused_with_a_way_out(tmp_path):
    pq.write_table(pa.table({"a": [1] * 200_000, "who": [f"person {i}" for i in range(200_000)]}), tmp_path / "in.pq")
    engine = Disk(DiskPool(tmp_path), limit=230_000_000)
    with pytest.raises(ParameterError, match="more different texts") as found:
        shoal.read(tmp_path / "in.pq", engine=engine, quasi=["a"], plain=["who"])
    assert "--engine spark" in str(found.value)


def test_a_table_without_rows_in_a_database_is_refused_alike(tmp_path):
    with duckdb.connect(str(tmp_path / "clinic.db")) as db:
        db.execute("create table people (age integer)")
    for engine in (Local(), Tiny(DiskPool(tmp_path))):
        with pytest.raises(DataError, match="no records"):
            shoal.read(f"duckdb:///{tmp_path}/clinic.db?table=people", engine=engine, quasi=["age"])
