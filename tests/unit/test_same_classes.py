"""The classes of an earlier release again: cells that hold everybody, and the same people side by side."""

import numpy as np
import polars as pl
import pytest
from engines.tiny import Tiny

import shoal
from shoal.errors import DataError, ParameterError
from shoal.methods import SameClasses

ROLES = {"quasi": ["age", "zip", "job"], "sensitive": ["ill"]}


def people(n=400, seed=1):
    draw = np.random.default_rng(seed)
    return pl.DataFrame(
        {
            "age": draw.integers(0, 90, n), "zip": draw.integers(0, 900, n), "job": draw.choice(list("abcde"), n),
            "ill": draw.choice([f"v{i}" for i in range(9)], n),
        }
    )  # fmt: skip


@pytest.fixture(scope="module")
def earlier(tmp_path_factory):
    path = tmp_path_factory.mktemp("earlier") / "a.csv"
    release = shoal.anonymize(people()[:300], k=5, **ROLES)
    release.write(path)
    return path, release


def cells(release):
    return set(release.to_polars(cells="text").select(ROLES["quasi"]).iter_rows())


def test_the_same_people_are_in_the_same_cells(earlier):
    path, release = earlier
    again = shoal.anonymize(people()[:300], SameClasses(path), k=5, **ROLES)
    assert len(cells(again) & cells(release)) > 0.7 * len(cells(again))  # others overlapped, and lost members


def test_people_who_leave_and_come_find_a_class_that_holds_them(earlier):
    path, release = earlier
    frame = people()[100:]
    tables = [shoal.read(frame, **ROLES), shoal.read(frame, engine=Tiny(), **ROLES)]
    made = [shoal.anonymize(table, SameClasses(path), k=5) for table in tables]
    shown = [each.table.to_polars(cells="text") for each in made]
    assert shown[0].equals(shown[1])
    for row, text in zip(frame.iter_rows(), shown[0].iter_rows(), strict=True):
        for value, cell in zip(row[:2], text[:2], strict=True):
            low, high = (cell.strip("[]").split(";") * 2)[:2]
            assert int(low) <= value <= int(high)
        assert row[2] in text[2].strip("{}").split(";")
    assert made[0].holds
    # Who is in both is found by fewer than if classes were formed anew.
    both = shoal.read(people()[100:300], **ROLES)
    fresh = shoal.anonymize(tables[0], k=5)
    rates = [
        [each["rate"] for each in shoal.attack(both, release, beside=other, attacks="intersection")["attacks"]]
        for other in (made[0], fresh)
    ]
    assert all(like <= anew for like, anew in zip(*rates, strict=True))
    assert rates[0][2] < rates[1][2] / 2


def test_other_promises_are_kept(earlier):
    release = shoal.anonymize(people(seed=2), SameClasses(earlier[0]), [shoal.models.LDiversity(4)], k=8, **ROLES)
    assert release.holds


def test_what_cannot_be_is_refused(earlier, tmp_path):
    with pytest.raises(ParameterError, match="No earlier release"):
        shoal.anonymize(people(), "same-classes", k=5, **ROLES)
    (tmp_path / "h.csv").write_text("a;x;*\nb;x;*\nc;y;*\nd;y;*\ne;y;*\n")
    with pytest.raises(DataError, match="hierarchy does not cover"):  # the earlier release shows no nodes
        shoal.anonymize(people(), SameClasses(earlier[0]), k=5, **ROLES, hierarchies={"job": str(tmp_path / "h.csv")})


@pytest.mark.parametrize("engine", [None, Tiny()], ids=["local", "parts"])
def test_every_cell_has_one_text_in_the_file(engine, tmp_path):
    """Single values beside ranges stand in brackets; what covers all of a hierarchy is what stands for anything."""
    (tmp_path / "job.csv").write_text("a;x;*\nb;x;*\nc;y;*\nd;y;*\n")
    more = {
        "quasi": ["age", "grade", "job"], "sensitive": "ill", "orders": {"grade": ["low", "*hi", "top"]},
        "kinds": {"grade": "ordered"}, "hierarchies": {"job": tmp_path / "job.csv"}, "masked": False, "engine": engine,
    }  # fmt: skip
    rows = [
        (1, "low", "a"), (4, "top", "d"), (2, "low", "c"), (9, "*hi", "b"), (9, "*hi", "b"), (9, "*hi", "a"),
        (20, "low", None), (21, "low", "c"), (22, "low", "a"),
    ]  # fmt: skip
    frame = pl.DataFrame(
        [(*row, "uv"[at % 2]) for at, row in enumerate(rows)], ["age", "grade", "job", "ill"], orient="row"
    )
    first = shoal.anonymize(shoal.read(frame, **more), "mondrian", k=3, measures=[])
    first.write(tmp_path / "first.csv")
    again = shoal.anonymize(shoal.read(frame, **more), SameClasses(tmp_path / "first.csv"), k=3, measures=[])
    again.write(tmp_path / "again.csv")
    assert (tmp_path / "again.csv").read_text() == (tmp_path / "first.csv").read_text()
    assert "[9;9],[*hi;*hi],x," in (tmp_path / "again.csv").read_text()
    assert shoal.verify(tmp_path / "again.csv").verdicts[0].level == 3


@pytest.mark.parametrize("seed", range(12))
def test_the_root_of_a_hierarchy_and_a_star_are_one_cell(seed, tmp_path):
    (tmp_path / "job.csv").write_text("a;x;*\nb;x;*\nc;y;*\nd;y;*\n")
    more = {"quasi": ["age", "job"], "sensitive": "ill", "hierarchies": {"job": tmp_path / "job.csv"}}
    draw = np.random.default_rng(seed)

    def drawn(n, missing):
        jobs = [None if draw.random() < missing else "abcd"[at] for at in draw.integers(0, 4, n).tolist()]
        return pl.DataFrame({"age": draw.integers(0, 3, n), "job": jobs, "ill": draw.choice(["u", "v"], n).tolist()})

    shoal.anonymize(drawn(12, 0.4), "hilbert", k=3, measures=[], **more).write(tmp_path / "first.csv")
    again = shoal.anonymize(drawn(24, 0.2), SameClasses(tmp_path / "first.csv"), k=3, measures=[], **more)
    again.write(tmp_path / "again.csv")
    shown = {tuple(line.split(",")[:2]) for line in (tmp_path / "again.csv").read_text().splitlines()[1:]}
    assert shoal.verify(tmp_path / "again.csv").verdicts[0].classes == len(shown)
