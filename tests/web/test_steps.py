"""Each step, from Data to Release, in a real browser: loaded again, gone back to, and with a server that ends there."""

import re
import signal
import subprocess
import sys
from contextlib import contextmanager
from itertools import cycle

import pytest
from web.conftest import people
from web.test_browser import settled


class Workbench:
    """A workbench that is offered a file, and that can end and begin again at the same address."""

    def __init__(self, folder):
        (folder / "people.csv").write_bytes(people(60))
        self._folder, self.address = folder, ""
        self.start()

    def start(self):
        port = self.address.rstrip("/").rpartition(":")[2] or "0"
        command = [sys.executable, "-m", "shoal", "web", "--port", port, "--no-browser", "--no-token"]
        command += ["--keep", str(self._folder / "kept"), "--folder", str(self._folder)]
        self._process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
        self.address = self._process.stdout.readline().split()[-1]

    def end(self, how):
        self._process.send_signal(how)
        self._process.wait(20)
        self._process.stdout.close()


@contextmanager
def visiting(browser, tmp_path):
    bench = Workbench(tmp_path)
    context = browser.new_context(base_url=bench.address, reduced_motion="reduce")
    context.set_default_timeout(60_000)
    try:
        yield bench, context.new_page()
    finally:
        context.close()
        bench.end(signal.SIGKILL)


def decided(page):
    """Give what was decided, as programs see it."""
    state = page.request.get("/api/workbench").json()
    roles = {each["name"]: each["decided"] for each in page.request.get("/api/roles").json()}
    return state["file"], state["aim"], roles


def walk(page):
    """Go from step to step and decide something on each; give the name of each, and what it then says first."""
    page.goto("/data")
    page.get_by_role("button", name="Open this one").click()
    page.wait_for_url("**/roles")
    page.goto("/data")
    yield "data", re.compile("^Open: people.csv$")
    page.goto("/roles")
    with page.expect_response(lambda answer: answer.request.method == "POST"):
        page.get_by_label("Role of shoe").select_option("Quasi-identifier")
    yield "roles", re.compile("What could others know")
    page.get_by_role("link", name="See the risk").click()
    yield "risk", re.compile("stand alone")
    page.get_by_role("link", name="Protect them").click()
    page.get_by_label("Everyone hides among").fill("4")
    page.get_by_role("heading", name="(hilbert), k = 7").wait_for()
    yield "protect", re.compile(r"\(hilbert\), k = 7$")
    settled(page)
    page.get_by_role("button", name="Add to the comparison").click()
    page.get_by_role("button", name="Take out of the comparison").wait_for()
    page.goto("/compare")
    yield "compare", re.compile("^1 candidate")
    page.goto("/release")
    for box in page.get_by_role("checkbox").all():
        box.check()
    yield "release", re.compile("^Not written yet: hilbert, k = 7")
    for box in page.get_by_role("checkbox").all():
        box.check()
    page.get_by_role("button", name="Write release").click()
    page.get_by_role("heading", name="The release is written and proved").wait_for()
    page.get_by_role("button", name="Keep after").click()
    page.get_by_text("Kept in").wait_for()
    yield "release", re.compile("^The release is written and proved$")


def shows(page, sentence):
    page.get_by_role("heading").filter(has_text=sentence).first.wait_for()


def begun_again(bench, page, how, step):
    """Let the server end, start it again, and open the case that it kept."""
    bench.end(how)
    bench.start()
    page.goto(f"/{step}")  # the tab that was open; a file is open nowhere any more
    page.get_by_role("link", name="Your cases").click()
    if step == "data":  # nothing was decided yet, so there is nothing to go on with
        page.goto("/data")
        page.get_by_role("button", name="Open this one").click()
        page.wait_for_url("**/roles")
    else:
        page.get_by_role("button", name="Open people.csv").first.click()
        page.wait_for_url(re.compile("/(roles|risk)$"))
    page.goto(f"/{step}")


@pytest.mark.parametrize(
    "ends",
    [(signal.SIGKILL, signal.SIGTERM), pytest.param((signal.SIGTERM, signal.SIGKILL), marks=pytest.mark.large)],
    ids=["killed first", "ended first"],
)
def test_at_every_step_what_was_decided_outlives_reload_back_and_the_server(browser, tmp_path, ends):
    """The server is killed after one step and ended after the next, and with `make test-large` also the other way."""
    with visiting(browser, tmp_path) as (bench, page):
        stale = []
        page.on("response", lambda answer: stale.append(answer.url) if answer.status == 409 else None)
        for (step, sentence), how in zip(walk(page), cycle(ends), strict=False):
            settled(page)
            before = decided(page)
            page.reload()
            shows(page, sentence)
            settled(page)
            page.goto("/same")
            page.go_back()
            shows(page, sentence)
            assert page.url.endswith(f"/{step}")
            settled(page)
            assert decided(page) == before, step
            begun_again(bench, page, how, step)
            shows(page, sentence)
            settled(page)
            assert decided(page) == before, step
            assert page.request.get("/api/releases").json() == [] or "written" in sentence.pattern
        assert not stale
