"""How people get to the page: what is documented works on a fresh machine, and what is missing is named."""

import os
import re
import shutil
import signal
import subprocess
import sys
from pathlib import Path

import pytest
from web.conftest import people
from web.test_browser import looking

ROOT = Path(__file__).parents[2]
# What `import uvicorn` meets where the extra was not installed.
WITHOUT = "import sys; sys.modules['uvicorn'] = None; from shoal.cli import main; sys.argv = ['shoal', 'web']; main()"


@pytest.fixture
def make():
    return shutil.which("make") or pytest.skip("make is not installed")


def steps(make, folder, *more):
    found = subprocess.run([make, "-n", *more], cwd=folder, capture_output=True, text=True, check=True).stdout
    return re.findall(r"pip .*-r (\S+)|(\S+/bin/shoal .*)", found)


def test_one_command_brings_what_the_page_needs_and_then_opens_it(make, tmp_path):
    for name in ("Makefile", "pyproject.toml", "paper/pyproject.toml", "hatch_build.py", *ROOT.glob("*.lock")):
        target = tmp_path / Path(name).relative_to(ROOT if Path(name).is_absolute() else Path())
        target.parent.mkdir(exist_ok=True)
        shutil.copy(ROOT / name, target)
    found = ["".join(step) for step in steps(make, tmp_path, "web", "FILE=patients.csv")]
    assert found[0] == "requirements.lock"
    assert sorted(found[1:-1]) == ["requirements-report.lock", "requirements-web.lock"]
    assert found[-1].split() == [".venv/bin/shoal", "web", "patients.csv"]


def test_no_page_sends_anyone_to_an_index_that_has_no_shoal():
    pages = [ROOT / "README.md", ROOT / "CONTRIBUTING.md", *(ROOT / "docs").rglob("*.md")]
    asked = {
        page.name: found
        for page in pages
        if (
            found := re.findall(
                r"(?:pip|uv pip|pipx|uv tool) install ['\"]?shoal\b|uvx ['\"]?shoal\b", page.read_text("utf-8")
            )
        )
    }
    assert asked == {}


def test_without_the_extra_the_command_names_what_brings_it_here():
    run = subprocess.run([sys.executable, "-c", WITHOUT], cwd=ROOT, capture_output=True, text=True, check=False)
    assert run.returncode == 2
    said = " ".join(run.stderr.split())
    assert "The workbench needs uvicorn, which is not installed." in said
    assert "make install EXTRAS=web" in said or f"{sys.executable} -m pip install" in said
    assert "shoal[web]" not in said


@pytest.mark.large
def test_a_fresh_checkout_opens_the_page_in_a_browser_with_one_command(make, browser, tmp_path):
    copy = tmp_path / "shoal"
    subprocess.run(["git", "clone", "-q", "--depth", "1", ROOT.as_uri(), str(copy)], check=True)
    (copy / "mine.csv").write_bytes(people())
    given = {**os.environ, "BROWSER": "true"}  # nothing is to come up on the screen of whoever runs this
    command = [make, "web", "FILE=mine.csv", f"PYTHON={sys.executable}"]
    process = subprocess.Popen(command, cwd=copy, env=given, stdout=subprocess.PIPE, text=True, start_new_session=True)
    try:
        address = next(line.split()[-1] for line in process.stdout if "The workbench is at" in line)
        with looking(browser, address.partition("?")[0]) as page:
            page.goto(address)
            page.get_by_text("mine.csv").first.wait_for()
            page.goto("/release")
            assert page.get_by_text("EXTRAS=report").count() == 0  # PDFs can be written too
    finally:
        os.killpg(process.pid, signal.SIGINT)
        process.wait(30)
        process.stdout.close()
