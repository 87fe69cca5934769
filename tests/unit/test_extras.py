"""Libraries that not everyone needs: what installs them is said as it works here, and their versions are locked."""

import re
import shutil
import subprocess
import sys
import tomllib
from importlib.metadata import PackageNotFoundError
from pathlib import Path

import pyarrow as pa
import pytest

import shoal
from shoal import extras
from shoal.extras import how_to_install

ROOT = Path(__file__).parents[2]
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
EXTRAS = {name: needs for name, needs in PROJECT["optional-dependencies"].items() if name not in ("paper", "test")}


@pytest.fixture
def checkout(tmp_path, monkeypatch):
    """Give a checkout with an environment of its own, which is the one that runs."""
    place = tmp_path / "a checkout"
    (place / ".venv").mkdir(parents=True)
    (place / "Makefile").write_text("install:\n", encoding="utf-8")
    monkeypatch.setattr(extras, "__file__", str(place / "src" / "shoal" / "extras.py"))
    monkeypatch.setattr(sys, "prefix", str(place / ".venv"))
    return place


def test_in_a_checkout_make_installs_what_is_missing(checkout, monkeypatch, tmp_path):
    monkeypatch.chdir(checkout)
    assert how_to_install("db") == "Run: make install EXTRAS=db"
    monkeypatch.chdir(tmp_path)
    assert how_to_install("db") == f"Run: make -C '{checkout}' install EXTRAS=db"


@pytest.mark.parametrize("extra", EXTRAS)
def test_elsewhere_the_libraries_are_named_for_the_python_that_runs(checkout, monkeypatch, extra):
    """shoal is in no index of packages, so it cannot be asked for there by its name."""
    told = [f"{need.partition(';')[0]}; extra == '{name}'" for name in EXTRAS for need in EXTRAS[name]]
    monkeypatch.setattr("importlib.metadata.requires", lambda _: ["numpy>=2.0", *told])
    monkeypatch.setattr(sys, "prefix", str(checkout.parent))
    said = how_to_install(extra)
    assert said.startswith(f"Run: {sys.executable} -m pip install ")
    assert all(need.partition(";")[0] in said for need in EXTRAS[extra])
    assert "numpy>=" not in said
    assert "shoal" not in said.partition("install")[2]
    monkeypatch.setattr(extras, "find_spec", lambda _: None)
    assert "-m pip" not in how_to_install(extra)
    assert sys.executable in how_to_install(extra)


def test_the_package_of_the_paper_is_not_asked_for_in_an_index(checkout, monkeypatch):
    monkeypatch.setattr("importlib.metadata.requires", lambda _: ["shoal-paper==0.1.0; extra == 'paper'"])
    monkeypatch.setattr(sys, "prefix", str(checkout.parent))
    assert "pip install" not in how_to_install("paper")
    assert "'paper' of shoal's checkout" in how_to_install("paper")


def test_a_package_that_says_nothing_of_itself_is_no_error(checkout, monkeypatch):
    def unknown(_):
        raise PackageNotFoundError

    monkeypatch.setattr("importlib.metadata.requires", unknown)
    monkeypatch.setattr(sys, "prefix", str(checkout.parent))
    assert "shoal[db]" in how_to_install("db")


@pytest.mark.parametrize(("kind", "extra"), [("pandas", "frames"), ("polars", "frames"), ("duckdb", "db")])
def test_a_frame_whose_library_is_not_there_says_what_to_install(kind, extra, monkeypatch):
    table = shoal.read(pa.table({"age": [1, 2, 3, 4]}), quasi="age")
    release = shoal.anonymize(table, shoal.methods.SortedClusters(), [shoal.models.KAnonymity(2)])
    monkeypatch.setitem(sys.modules, kind, None)
    with pytest.raises(shoal.errors.ParameterError, match="which is not installed") as raised:
        getattr(release, f"to_{kind}")()
    assert how_to_install(extra) in raised.value.remedy
    assert release.to_arrow().num_rows == 4


def locked(name: str) -> dict[str, str]:
    """Give the versions of a lock file; every one has a hash."""
    text = (ROOT / f"requirements-{name}.lock").read_text(encoding="utf-8")
    pins = re.findall(r"^([\w.-]+)==([^\s;\\]+)[^\n]*\\\n((?: +--hash=sha256:\w+[^\n]*\n?)+)", text, re.MULTILINE)
    assert len(pins) == len(re.findall(r"^[\w.-]+==", text, re.MULTILINE))
    return {pin[0]: pin[1] for pin in pins}


def test_every_extra_can_be_installed_in_versions_that_were_tried():
    """`make install EXTRAS=…` knows each of them, and all of them at once."""
    makefile = (ROOT / "Makefile").read_text(encoding="utf-8")
    assert re.search(r"^KNOWN := (.*)$", makefile, re.MULTILINE)[1].split() == ["all", *sorted({*EXTRAS, "paper"})]
    tested, every = locked("test"), locked("all")
    for extra, needs in EXTRAS.items():
        found = locked(extra)
        assert found.items() <= every.items()
        assert {re.match(r"[\w-]+", need)[0] for need in needs} <= found.keys()
    assert {name for name in every.keys() & tested.keys() if every[name] != tested[name]} == set()


def test_extras_that_do_not_exist_are_named(tmp_path):
    make = shutil.which("make")
    if make is None:
        pytest.skip("make is not installed")
    shutil.copy(ROOT / "Makefile", tmp_path)
    (tmp_path / "paper").mkdir()
    for name in (
        "pyproject.toml",
        "paper/pyproject.toml",
        "requirements.lock",
        "requirements-db.lock",
        "requirements-web.lock",
        "hatch_build.py",
    ):
        (tmp_path / name).touch()
    asked = [[make, "-n", "install", f"EXTRAS={given}"] for given in ("db,web", "db,wbe")]
    fine, wrong = (subprocess.run(ask, cwd=tmp_path, capture_output=True, text=True) for ask in asked)
    assert re.findall(r"-r (\S+)", fine.stdout) == [
        "requirements.lock",
        "requirements-db.lock",
        "requirements-web.lock",
    ]
    assert wrong.returncode != 0
    assert "There is no extra 'wbe'" in wrong.stderr
