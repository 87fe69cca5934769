"""The classes of an earlier release again: cells that hold everybody, and the same people side by side."""

import numpy as np
import polars as pl
import pytest
from engines.tiny import Tiny

import shoal
from shoal.errors import ParameterError
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
    with pytest.raises(ParameterError, match="has a hierarchy"):
        shoal.anonymize(people(), SameClasses(earlier[0]), k=5, **ROLES, hierarchies={"job": str(tmp_path / "h.csv")})
