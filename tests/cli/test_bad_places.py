"""Places that cannot or must not be written to: nothing is overwritten, and nothing is left behind."""

import errno
import os
import stat

import pytest
from cli.conftest import ROLES, SECRET, TABLE

from shoal.engines.local import Local
from shoal.releases.release import Certificate


@pytest.fixture
def places(desk):
    """Give a desk where the input has several names."""
    desk.put("in.csv", TABLE)
    (desk.folder / "folder").mkdir()
    (desk.folder / "link.csv").symlink_to("in.csv")
    (desk.folder / "folder" / "far.csv").symlink_to(desk.folder / "link.csv")
    (desk.folder / "mirror").symlink_to("folder")
    return desk


SAME = ["in.csv", "./in.csv", "folder/../in.csv", "link.csv", "folder/far.csv", "mirror/far.csv"]


@pytest.mark.parametrize("out", SAME)
@pytest.mark.parametrize("source", ["in.csv", "link.csv"])
def test_the_output_never_overwrites_the_input(places, source, out):
    places.run("anonymize", source, "--out", out, *ROLES, "--k", 2).refused(2, "overwrite the input")
    full = places.folder / out
    places.run("anonymize", source, "--out", full, *ROLES, "--k", 2).refused(2, "overwrite the input")


@pytest.mark.parametrize("certificate", SAME)
def test_the_certificate_never_overwrites_the_input(places, certificate):
    places.run("anonymize", "in.csv", "--out", "out.csv", *ROLES, "--k", 2, "--certificate", certificate).refused(
        2, "overwrite the input"
    )


@pytest.mark.parametrize("certificate", ["out.csv", "./out.csv", "folder/../out.csv"])
def test_the_certificate_never_overwrites_the_release(places, certificate):
    places.run("anonymize", "in.csv", "--out", "out.csv", *ROLES, "--k", 2, "--certificate", certificate).refused(
        2, "same name"
    )


@pytest.mark.parametrize("place", ["--out", "--certificate", "--save-recipe"])
def test_nothing_overwrites_the_key(places, place):
    places.put("key", "correct horse battery staple")
    out = () if place == "--out" else ("--out", "out.csv")
    places.run("anonymize", "in.csv", *ROLES, "--k", 2, "--key", "key", *out, place, "key").refused(2, "key")


def test_nothing_overwrites_a_hierarchy(places):
    """It is read as the table is, and is needed for the next release."""
    places.put("h.csv", "a;*\nb;*\n")
    places.put("in.csv", "age,ill\n30,a\n31,b\n32,a\n")
    (places.folder / "hard.csv").hardlink_to(places.folder / "h.csv")
    ask = ("anonymize", "in.csv", "--quasi", "age", "--sensitive", "ill", "--k", 2, "--hierarchy", "ill=h.csv")
    for out in ("h.csv", "folder/../h.csv", "hard.csv"):
        places.run(*ask, "--out", out).refused(2, "overwrite")
    for other in ("--certificate", "--save-recipe"):
        places.run(*ask, "--out", "out.csv", other, "h.csv").refused(2, "overwrite")
    places.run(*ask, "--out", "out.csv", "--save-recipe", "r.toml").fine()
    recipe = places.read("r.toml").replace('file = "out.csv"', 'file = "h.csv"')
    places.put("r.toml", recipe)
    places.run("run", "r.toml").refused(2, "overwrite")


def test_nothing_overwrites_counts(places):
    places.put("counts.csv", "column,value,count\n")
    ask = ("anonymize", "in.csv", *ROLES, "--method", "regenerate", "--param", "counts=counts.csv", "--no-promise")
    places.run(*ask, "--out", "counts.csv").refused(2, "overwrite")
    places.run(*ask, "--out", "out.csv", "--certificate", "counts.csv").refused(2, "overwrite")


def test_no_report_overwrites_a_hierarchy(places):
    places.put("in.csv", "age,ill\n30,a\n31,b\n32,a\n")
    places.put("h.html", "30;*\n31;*\n32;*\n")
    ask = ("--quasi", "age", "--sensitive", "ill", "--hierarchy", "age=h.html", "--report", "h.html")
    places.run("anonymize", "in.csv", "--out", "out.csv", "--k", 2, *ask).refused(2, "overwrite")
    places.run("compare", "in.csv", "--methods", "hilbert", "--k", "2", *ask).refused(2, "overwrite")


def test_no_study_overwrites_what_it_reads(places):
    places.put("folder/study.csv", "age,ill\n30,a\n31,b\n32,a\n")
    asked = '[table]\nfile = "folder/study.csv"\nquasi = ["age"]\n[[method]]\nname = "hilbert"\n'
    places.put("s.toml", asked + '[[model]]\nname = "k-anonymity"\nk = 2\n')
    places.run("study", "s.toml", "--out", "folder").refused(2, "overwrite")


@pytest.mark.parametrize("suffix", ["csv", "parquet"])
@pytest.mark.parametrize("folder", ["missing", "in.csv"], ids=["missing", "below a file"])
def test_a_folder_that_cannot_be_written_to_is_named(places, folder, suffix):
    out = f"{folder}/out.{suffix}"
    places.run("anonymize", "in.csv", "--out", out, *ROLES, "--k", 2).refused(3, f"'{out}'", "folder")


@pytest.mark.parametrize("folder", ["missing", "in.csv"], ids=["missing", "below a file"])
def test_a_certificate_that_cannot_be_written_is_named_and_takes_the_release_along(places, folder):
    paper = f"{folder}/paper.json"
    made = places.run("anonymize", "in.csv", "--out", "out.csv", *ROLES, "--k", 2, "--certificate", paper)
    made.refused(3, f"'{paper}'", "folder")


@pytest.mark.usefixtures("not_root")
def test_a_folder_without_permission_is_named(places):
    locked = places.folder / "locked"
    locked.mkdir(mode=0o500)
    places.run("anonymize", "in.csv", "--out", "locked/out.csv", *ROLES, "--k", 2).refused(3, "'locked/out.csv'")


@pytest.mark.parametrize("out", ["folder", "folder/", ".", "..", ""])
def test_an_output_that_is_a_folder_is_refused(places, out):
    made = places.run("anonymize", "in.csv", "--out", out, *ROLES, "--k", 2)
    assert made.code in (2, 3)
    made.refused(made.code)


def test_a_certificate_that_is_a_folder_takes_the_release_along(places):
    made = places.run("anonymize", "in.csv", "--out", "out.csv", *ROLES, "--k", 2, "--certificate", "folder")
    assert made.code in (2, 3)
    made.refused(made.code, "'folder'")


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="there are no named pipes here")
def test_a_device_or_pipe_is_not_replaced_by_a_file(places):
    # What holds for a pipe holds for /dev/null, which the superuser would lose.
    os.mkfifo(places.folder / "pipe")
    made = places.run("anonymize", "in.csv", "--out", "pipe", *ROLES, "--k", 2)
    assert stat.S_ISFIFO((places.folder / "pipe").stat().st_mode)
    made.refused(made.code, "'pipe'")
    assert made.code in (2, 3)


# Full disks


@pytest.mark.parametrize("out", ["out.csv", "out.parquet"])
def test_a_disk_that_fills_up_leaves_nothing_behind(desk, monkeypatch, out):
    write = Local.write

    def fills_up(self, data, schema, path, layout):
        write(self, data, schema, path, layout)
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    monkeypatch.setattr(Local, "write", fills_up)
    desk.put("in.csv", TABLE)
    desk.run("anonymize", "in.csv", "--out", out, *ROLES, "--k", 2).refused(3, f"'{out}'", "disk is full", "space")


def test_a_disk_that_fills_up_with_the_certificate_takes_the_release_along(desk, monkeypatch):
    def fills_up(self):
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    monkeypatch.setattr(Certificate, "to_json", fills_up)
    desk.mask(TABLE, *ROLES).refused(3, "disk is full")


@pytest.mark.parametrize("out", ["out.csv", "out.parquet"])
def test_a_file_that_cannot_grow_leaves_nothing_behind(desk, out):
    resource = pytest.importorskip("resource")
    desk.put("in.csv", "age,zip,note\n" + "".join(f"{i % 90},{93000 + i % 700},{i}\n" for i in range(30_000)))
    ask = ("anonymize", "in.csv", "--out", out, *ROLES, "--k", 2, "--overwrite", "--allow-identifier", "note")
    desk.run(*ask).fine()  # what is compiled at the first use is kept before files may not grow
    soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (50_000, hard))
    try:
        made = desk.run(*ask)
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))
    made.refused(3, f"'{out}'")


def test_a_report_that_cannot_grow_is_blamed_itself_and_the_old_release_stays(desk):
    """The table has room: to look at its place would be in vain. What an earlier run wrote is not taken along."""
    resource = pytest.importorskip("resource")
    ask = (*ROLES, "--report", "report.html")
    desk.mask(TABLE, *ask).fine()
    soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (10_000, hard))
    try:
        made = desk.mask(TABLE, *ask, k=3)
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))
    made.refused(3, "'report.html'", "File too large")
    desk.check().fine()


def test_too_little_memory_is_said_plainly(desk, monkeypatch):
    def too_much(*_):
        raise MemoryError

    monkeypatch.setattr(Local, "read", too_much)
    desk.mask(TABLE, *ROLES).refused(3, "memory")


def test_a_defect_is_called_one_without_a_traceback(desk, monkeypatch):
    def fails(*_):
        raise RuntimeError(SECRET)

    monkeypatch.setattr(Local, "read", fails)
    desk.mask(TABLE, *ROLES).refused(70, "defect", "SHOAL_DEBUG")
