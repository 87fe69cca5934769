"""How the package starts: light, with its own dependencies only, and from a folder in which nothing can be written."""

import os
import re
import shutil
import subprocess
import sys
import tomllib

import pytest
from architecture.source import PACKAGE, ROOT

CORE_ONLY = """
import importlib.abc, sys

class OnlyCore(importlib.abc.MetaPathFinder):
    def find_spec(self, name, path=None, target=None):
        if name.split(".")[0] in {extras!r}:
            raise ImportError(name + " is not a core dependency")

sys.meta_path.insert(0, OnlyCore())
import pyarrow as pa, shoal

table = shoal.read(pa.table({{"age": [34, 35, 61, 62], "ill": ["a", "b", "a", "b"]}}), quasi="age", sensitive="ill")
models = [shoal.models.KAnonymity(2), shoal.models.TCloseness(0.5)]
release = shoal.anonymize(table, shoal.methods.StratifiedClusters(), models)
release.write("out.csv")
release.write("out.parquet", certificate="parquet.json", private="parquet.private.json")
shoal.verify("out.csv", "out.certificate.json")
shoal.verify("out.parquet", "parquet.json")
release.report("report.html")
print(shoal.read("out.parquet", quasi="age"))
"""

COMMAND = """
import sys, shoal.cli
sys.argv = ["shoal", *{arguments!r}]
try:
    shoal.cli.main()
except SystemExit as end:
    assert not end.code, end.code
print([name for name in {heavy!r} if name in sys.modules])
"""

FRAMES = ["duckdb", "pandas", "polars", "pyarrow", "pyspark"]


def run(*arguments, cwd, package=PACKAGE, **environment):
    """Start Python anew, with the given copy of the package, and with warnings as errors."""
    surroundings = {**os.environ, "PYTHONPATH": str(package.parent), "PYTHONDONTWRITEBYTECODE": "1", **environment}
    return subprocess.run(
        [sys.executable, "-W", "error", *arguments],
        cwd=cwd,
        env=surroundings,
        capture_output=True,
        encoding="utf-8",
        timeout=300,
    )


def printed(code, cwd):
    done = run("-c", code, cwd=cwd)
    assert done.returncode == 0, done.stderr
    return done.stdout.strip().splitlines()[-1]


@pytest.fixture
def ages(tmp_path):
    (tmp_path / "ages.csv").write_text("age,ill\n34,a\n35,b\n61,a\n62,b\n", encoding="utf-8")
    return tmp_path


@pytest.fixture
def installed(tmp_path):
    """Give a copy of the package in which no file can be written or made."""
    package = tmp_path / "installed" / "shoal"
    shutil.copytree(PACKAGE, package, ignore=shutil.ignore_patterns("__pycache__", "*.c", "*.h"))
    everything = [package, *package.rglob("*")]
    for path in everything:
        path.chmod(0o555)
    yield package
    for path in everything:
        if path.exists():
            path.chmod(0o755)


def test_import_is_light(tmp_path):
    heavy = [*FRAMES, "jinja2", "rich", "typer", "pydantic"]
    use_all = "for name in shoal.__all__: getattr(shoal, name)"
    code = f"import sys, shoal\n{use_all}\nprint([name for name in {heavy} if name in sys.modules])"
    assert printed(code, tmp_path) == "[]"


@pytest.mark.parametrize(
    "arguments",
    [
        ["--version"],
        ["risk", "ages.csv", "--quasi", "age", "--json"],
        ["anonymize", "ages.csv", "--out", "out.csv", "--quasi", "age", "--sensitive", "ill", "--k", "2"],
    ],
    ids=lambda arguments: arguments[0],
)
def test_commands_on_text_load_no_frame_library(arguments, ages):
    assert printed(COMMAND.format(arguments=arguments, heavy=[*FRAMES, "jinja2", "pydantic"]), ages) == "[]"


def test_core_dependencies_are_enough(tmp_path):
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    needs = [need for extra in project["optional-dependencies"].values() for need in extra]
    extras = sorted({re.match(r"[\w-]+", need)[0].replace("-", "_") for need in needs})
    assert printed(CORE_ONLY.format(extras=extras), tmp_path) == "Table of 4 records: age (quasi, integer)"


def test_nothing_is_written_but_what_was_asked_for(installed, ages):
    """Also where there is no home and no temporary folder: compiled code comes with the package."""
    nowhere = ages / "a file"
    nowhere.write_text("not a folder", encoding="utf-8")
    places = dict.fromkeys(("HOME", "TMPDIR", "XDG_CACHE_HOME"), str(nowhere / "inside"))
    before = set(ages.rglob("*"))
    asked = ["--out", "out.csv", "--quasi", "age", "--sensitive", "ill", "--k", "2", "--report", "out.html"]
    for arguments in (["anonymize", "ages.csv", *asked], ["check", "out.csv", "--certificate", "out.certificate.json"]):
        done = run("-m", "shoal", *arguments, cwd=ages, package=installed, **places)
        assert done.returncode == 0, done.stderr
    assert set(ages.rglob("*")) - before == {
        ages / f"out.{suffix}" for suffix in ("csv", "certificate.json", "private.json", "html")
    }


def test_a_package_without_its_compiled_part_says_what_to_do(installed, ages):
    for path in (installed / "kernels").glob("_native.*"):
        path.unlink()
    done = run("-m", "shoal", "risk", "ages.csv", "--quasi", "age", cwd=ages, package=installed)
    assert done.returncode == 70
    assert "make install" in done.stderr
    assert "Traceback" not in done.stderr
