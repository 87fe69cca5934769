"""One idea per file: names that say something, files that can be read in one go, one version."""

import re
import tomllib

from architecture.source import MODULES, PACKAGE, PAPER, ROOT
from hatchling.builders.wheel import WheelBuilder

import shoal

LONGEST = 400
EMPTY_NAMES = {"utils", "util", "helpers", "helper", "misc", "common", "base", "core", "manager", "managers"}


def test_names_say_what_is_inside():
    assert not [module for module in MODULES if EMPTY_NAMES & set(re.split(r"[._]", module))]


def test_files_can_be_read_in_one_go():
    lines = {module: len(path.read_text(encoding="utf-8").splitlines()) for module, path in MODULES.items()}
    long = {module: count for module, count in lines.items() if count > LONGEST}
    assert not long, f"give each idea a file of its own: {long}"


def test_every_module_says_what_it_is():
    assert not [m for m, path in MODULES.items() if not path.read_text(encoding="utf-8").startswith('"""')]


def test_both_packages_are_marked_as_typed():
    """Without the marker, type checkers ignore the annotations of an installed package."""
    assert all((package / "py.typed").is_file() for package in (PACKAGE, PAPER))


def test_each_wheel_has_its_own_package_and_nothing_of_the_other():
    """Whoever anonymizes tables does not install a study of California's hospitals with it."""
    own, paper = (
        {file.distribution_path for file in WheelBuilder(str(folder)).recurse_included_files()}
        for folder in (ROOT, ROOT / "paper")
    )
    assert {name.partition("/")[0] for name in own} == {PACKAGE.name}
    assert {name.partition("/")[0] for name in paper} == {PAPER.name}
    assert not [name for name in own if re.search("discharge|oshpd|reproduction", name)]
    for package, found in ((PACKAGE, own), (PAPER, paper)):
        assert {path.relative_to(package.parent).as_posix() for path in package.rglob("*.py")} <= found
    assert f"{PAPER.name}/datasets/discharges.json" in paper


def test_the_version_is_the_same_everywhere():
    citation = (ROOT / "CITATION.cff").read_text(encoding="utf-8")
    assert re.findall(r"^version: (\S+)$", citation, re.MULTILINE) == [shoal.__version__]
    own, paper = (
        tomllib.loads((ROOT / folder / "pyproject.toml").read_text(encoding="utf-8"))["project"]
        for folder in (".", "paper")
    )
    assert paper["version"] == shoal.__version__
    assert f"shoal=={shoal.__version__}" in paper["dependencies"]
    assert own["optional-dependencies"]["paper"] == [f"shoal-paper=={shoal.__version__}"]
