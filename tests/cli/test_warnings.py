"""What a promise does not keep is said after every release: secrets that classes share, people with several rows."""

from collections import defaultdict

import hypothesis.strategies as st
import polars as pl
import pytest
from engines.tiny import Tiny
from hypothesis import given, settings

import shoal
from shoal.engines.disk.pool import DiskPool
from shoal.pitfalls.homogeneity import homogeneous
from shoal.pitfalls.several_rows import several_rows
from shoal.report.release_report import release_report

VISITS = "patient_nbr,age,ill,tone\n" + "".join(f"{i // 2},{20 + i % 4},{i % 4 // 2},{i % 3}\n" for i in range(24))
K = [shoal.models.KAnonymity(2)]


def by_hand(rows):
    """Count classes, and their records, that have one value and no missing cell."""
    classes = defaultdict(list)
    for *cells, secret in rows:
        classes[tuple(cells)].append(secret)
    same = [found for found in classes.values() if len(set(found)) == 1 and found[0] is not None]
    return len(same), sum(map(len, same))


@settings(max_examples=25, deadline=None)
@given(st.lists(st.tuples(st.integers(0, 5), st.sampled_from("ab"), st.sampled_from([0, 1, None])), min_size=2))
def test_homogeneous_classes_are_counted_as_by_hand(rows):
    columns = dict(zip(("age", "sex", "ill"), map(list, zip(*rows, strict=True)), strict=True))
    frame = pl.DataFrame(columns, schema={"age": pl.Int64, "sex": pl.String, "ill": pl.Int64})
    table = shoal.read(frame, quasi=["age", "sex"], sensitive=["ill"])
    for release in (table, shoal.anonymize(table, shoal.methods.Mondrian(), K).table):
        shown = release.to_polars(cells="text").rows()
        found = homogeneous(release, K)
        assert [(each.classes, each.records) for each in found] == [by for by in [by_hand(shown)] if by[0]]


def test_equal_cells_of_several_groups_are_one_class_on_every_engine(tmp_path):
    """Groups that a method formed apart may show the same cells: their records are one crowd."""
    path = tmp_path / "t.csv"
    path.write_text("age,ill\n" + "".join(f"{i // 3 % 4},{i // 3 % 2}\n" for i in range(48)) + "0,1\n9,1\n9,1\n")
    found = []
    for engine in (None, Tiny(DiskPool(tmp_path))):
        table = shoal.read(path, quasi=["age"], sensitive=["ill"], engine=engine)
        release = shoal.anonymize(table, shoal.methods.MDAV(), K)
        found.append(release.homogeneous)
        assert [(each.classes, each.records) for each in release.homogeneous] == [
            by_hand(release.to_polars(cells="text").rows())
        ]
    assert found[0] == found[1]


def test_what_a_model_protects_is_not_spoken_of():
    table = shoal.read(
        pl.DataFrame({"age": [1, 1, 2, 2], "a": [1, 1, 2, 2], "b": [1, 1, 1, 1]}), quasi="age", sensitive=["a", "b"]
    )
    found = shoal.anonymize(table, shoal.methods.Hilbert(), [*K, shoal.models.LDiversity(2, "a")]).homogeneous
    assert [(each.column, each.classes, each.records) for each in found] == [("b", 1, 4)]


def test_the_command_says_whose_secret_can_be_read_off_and_what_to_do(desk):
    desk.put("t.csv", VISITS)
    asked = (
        "anonymize", "t.csv", "--out", "o.csv", "--overwrite",
        "--quasi", "age", "--sensitive", "ill,tone", "--k", 2,
    )  # fmt: skip
    done = desk.run(*asked).fine()
    assert "'ill' of 24 of 24 records can be read off: in 4 of 4 classes" in done.out
    assert "--l 2 --l-column ill" in done.out
    assert "'tone'" not in done.out
    assert "'patient_nbr' names 12 people in 24 records" in done.out
    assert "--subject patient_nbr" in done.out
    told = desk.run(*asked, "--json").json()
    assert told["homogeneous"] == [{"column": "ill", "classes": 4, "records": 24, "all_classes": 4, "all_records": 24}]
    assert told["several_rows"] == {"column": "patient_nbr", "people": 12, "records": 24, "all_records": True}
    assert len(told["warnings"]) == 2
    # Rows per person are nobody's business but the holder's.
    assert "12 people" not in desk.read("o.certificate.json")
    quiet = desk.run(*asked, "--subject", "patient_nbr", "--l", 2, "--l-column", "ill").fine()
    assert "!" not in quiet.out


@pytest.mark.parametrize("form", ["csv", "csv.gz", "parquet", "frame", "parts", "released"])
def test_several_rows_per_person_are_seen_wherever_the_table_comes_from(tmp_path, form):
    frame = pl.read_csv(VISITS.encode())
    source, more = frame, {}
    if form == "parquet":
        frame.write_parquet(source := tmp_path / "t.parquet")
    elif form == "csv.gz":
        import gzip

        (source := tmp_path / "t.csv.gz").write_bytes(gzip.compress(VISITS.encode()))
    elif form != "frame":
        (source := tmp_path / "t.csv").write_text(VISITS)
    if form == "parts":
        more = {"engine": Tiny(DiskPool(tmp_path))}
    if form == "released":
        more = {"plain": ["patient_nbr"]}
    found = several_rows(shoal.read(source, quasi=["age"], sensitive=["ill"], **more))
    assert (found.column, found.people, found.records, found.all_records) == ("patient_nbr", 12, 24, True)


def test_nothing_is_said_of_one_row_per_person_or_where_people_are_counted(tmp_path):
    frame = pl.DataFrame({"CustomerID": list(range(24)), "hospital_id": [1] * 24, "age": [1] * 24})
    assert several_rows(shoal.read(frame, quasi=["age"])) is None
    visits = pl.read_csv(VISITS.encode())
    assert several_rows(shoal.read(visits, quasi=["age"], subject="patient_nbr")) is None
    path = tmp_path / "t.csv"
    path.write_text(VISITS)
    gone = shoal.read(path, quasi=["age"])
    path.unlink()
    assert several_rows(gone) is None


def test_of_a_long_file_the_first_records_tell(tmp_path):
    path = tmp_path / "t.csv"
    path.write_text("user_id,age\n" + "".join(f"{i // 2},{i % 9}\n" for i in range(70_000)))
    found = several_rows(shoal.read(path, quasi=["age"]))
    assert (found.people, found.records, found.all_records) == (32_768, 65_536, False)
    assert "the first 65,536 records" in found.sentence


def test_notebooks_and_reports_say_it_too():
    table = shoal.read(pl.read_csv(VISITS.encode()), quasi=["age"], sensitive=["ill"])
    release = shoal.anonymize(table, shoal.methods.Hilbert(), K)
    inside, outside = (release_report(release, table, audience=a) for a in ("internal", "external"))
    for text in (repr(release), release._repr_html_(), inside, outside):
        assert "can be read off" in text
    for text in (repr(release), release._repr_html_(), inside):
        assert "12 people" in text
    assert "12 people" not in outside
