"""The workbench in a real browser: by role and label, by keyboard, light and dark, narrow, and for everyone."""

import os
import re
import shutil
import signal
import subprocess
import sys
from contextlib import contextmanager

import pytest
from web.conftest import people

playwright = pytest.importorskip("playwright.sync_api")
CHROMIUM = os.environ.get("SHOAL_CHROMIUM") or shutil.which("chromium") or shutil.which("google-chrome")
FLAGS = ["--no-sandbox", "--disable-gpu", "--disable-background-networking", "--disable-component-update"]
pytestmark = pytest.mark.skipif(CHROMIUM is None, reason="no Chromium: install it, or name it in SHOAL_CHROMIUM")


@pytest.fixture(scope="module")
def address(tmp_path_factory):
    """A workbench in a process of its own, as people start it."""
    kept = tmp_path_factory.mktemp("kept")
    command = [sys.executable, "-m", "shoal", "web", "--port", "0", "--no-browser", "--keep", str(kept)]
    process = subprocess.Popen(command, stdout=subprocess.PIPE, text=True)
    try:
        yield process.stdout.readline().split()[-1]
    finally:
        process.send_signal(signal.SIGINT)
        process.wait(20)
        process.stdout.close()
    assert process.returncode == 0


@pytest.fixture(scope="module")
def browser():
    with playwright.sync_playwright() as started:
        opened = started.chromium.launch(executable_path=CHROMIUM, args=FLAGS)
        yield opened
        opened.close()


@contextmanager
def looking(browser, address, **more):
    """Open a page as someone new; whatever it asks for elsewhere, or the policy forbids, is a failure."""
    context = browser.new_context(base_url=address, **more)
    context.set_default_timeout(30_000)
    page = context.new_page()
    wrong = []
    page.on("console", lambda said: wrong.append(said.text) if said.type in ("error", "warning") else None)
    page.on("pageerror", lambda error: wrong.append(str(error)))
    page.on("request", lambda asked: None if asked.url.startswith(address) else wrong.append(asked.url))
    try:
        yield page
        assert not wrong, wrong
    finally:
        context.close()


def without_barriers(page, where):
    from axe_playwright_python.sync_playwright import Axe

    found = Axe().run(
        page, options={"runOnly": ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa", "best-practice"]}
    )
    told = [(each["id"], [node["html"][:160] for node in each["nodes"]]) for each in found.response["violations"]]
    assert not told, (where, told)


def settled(page):
    page.locator("#poll").wait_for(state="detached", timeout=120_000)


def send(page, tmp_path, content=None, name="people.csv"):
    (tmp_path / name).write_bytes(content or people(300))
    page.goto("/data")
    page.get_by_label("A table as text").set_input_files(tmp_path / name)
    page.get_by_role("button", name="Open", exact=True).click()
    page.get_by_role("heading", name="What could others know?").wait_for()


def test_the_whole_journey(browser, address, tmp_path):
    with looking(browser, address, accept_downloads=True) as page:
        page.goto("/")
        assert page.get_by_role("heading", level=1).inner_text() == "Which table do you want to publish?"
        send(page, tmp_path)
        page.get_by_text("1 column is undecided.").first.wait_for()
        page.get_by_label("Role of shoe").select_option("Quasi-identifier")
        page.get_by_role("link", name="See the risk").click()
        page.get_by_role("heading", level=1).filter(has_text="stand alone").wait_for()
        page.get_by_text("Which columns drive the risk").wait_for()
        settled(page)
        page.get_by_role("link", name="Protect them").click()
        settled(page)
        slider = page.get_by_label("Every person hides among")
        assert slider.get_attribute("aria-valuetext") == "k = 5"
        slider.fill("5")
        page.get_by_role("heading", name="hilbert, k = 10").wait_for()
        assert slider.get_attribute("aria-valuetext") == "k = 10"
        page.get_by_label("Cuts at medians").check()
        page.get_by_role("heading", name="mondrian, k = 10").wait_for()
        point = page.get_by_role("link", name=re.compile(r"^k = 7: ")).first
        point.click()
        page.get_by_role("heading", name="mondrian, k = 7").wait_for()
        page.get_by_label("Further promise").select_option("l-diversity")
        page.get_by_label("at least so many values").wait_for()
        settled(page)
        page.get_by_role("heading", name="mondrian, k = 7, l = 2").wait_for()
        page.get_by_role("button", name="Add to the comparison").click()
        page.get_by_role("button", name="Take out of the comparison").wait_for()
        page.get_by_role("link", name="Write this release…").click()
        for box in page.get_by_role("checkbox").all():
            box.check()
        page.get_by_label("Approved by").fill("Ada")
        page.get_by_role("button", name="Write release").click()
        page.get_by_role("heading", name="The release is written and proved").wait_for()
        with page.expect_download() as waiting:
            page.get_by_role("link", name="people_release.csv").click()
        assert waiting.value.suggested_filename == "people_release.csv"
        assert "P7" not in (waiting.value.path()).read_text(encoding="utf-8")
        page.get_by_role("button", name="Keep after").click()
        page.get_by_text("Kept in").wait_for()
        page.get_by_role("button", name="Undo").click()
        page.get_by_role("button", name="Redo").click()


def test_the_keyboard_is_enough(browser, address):
    with looking(browser, address) as page:
        page.goto("/")

        def go_to(name, role="button"):
            """Press Tab until something has the focus."""
            wanted = page.get_by_role(role, name=name).first
            wanted.wait_for()
            for _ in range(120):
                if wanted.evaluate("each => each === document.activeElement"):
                    return wanted
                page.keyboard.press("Tab")
            raise AssertionError(name)

        page.keyboard.press("Tab")
        assert page.evaluate("document.activeElement.textContent") == "Skip to the content"
        go_to("Open the example")
        page.keyboard.press("Enter")
        go_to("See the risk", "link")
        page.keyboard.press("Enter")
        settled(page)
        go_to("Protect them", "link")
        page.keyboard.press("Enter")
        settled(page)
        slider = go_to("Every person hides", "slider")
        page.keyboard.press("ArrowRight")
        page.get_by_role("heading", name="hilbert, k = 7").wait_for()
        assert slider.evaluate("each => each === document.activeElement")
        page.keyboard.press("End")
        page.get_by_role("heading", name="hilbert, k = 50").wait_for()
        point = go_to(re.compile(r"^k = 3: "), "link")
        page.keyboard.press("Enter")
        page.get_by_role("heading", name="hilbert, k = 3").wait_for()
        assert point.evaluate("each => each === document.activeElement")
        go_to("Write this release…", "link")
        page.keyboard.press("Enter")
        for text in ("I have looked", "I have considered"):
            go_to(re.compile(text), "checkbox")
            page.keyboard.press("Space")
        go_to("Write release")
        page.keyboard.press("Enter")
        page.get_by_role("heading", name="written and proved").wait_for()


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_no_barriers_on_any_screen_nor_on_the_report(browser, address, tmp_path, scheme):
    with looking(browser, address, color_scheme=scheme, reduced_motion="reduce") as page:
        for path in ("/data", "/risk", "/api/docs"):
            page.goto(path)
            without_barriers(page, path)
        send(page, tmp_path)
        without_barriers(page, "undecided")
        page.get_by_role("button", name="Take the suggestions").click()
        page.goto("/data")
        page.get_by_role("button", name="Show the first 50 rows").click()
        page.get_by_role("region", name="The first rows").wait_for()
        without_barriers(page, "preview")
        for path in ("/roles", "/risk", "/protect"):
            page.goto(path)
            settled(page)
            without_barriers(page, path)
        page.get_by_role("button", name="Add to the comparison").click()
        page.get_by_role("button", name="Take out of the comparison").wait_for()
        for path in ("/compare", "/release", "/same"):
            page.goto(path)
            without_barriers(page, path)
        page.goto("/release")
        for box in page.get_by_role("checkbox").all():
            box.check()
        page.get_by_role("button", name="Write release").click()
        page.get_by_role("heading", name="written and proved").wait_for()
        without_barriers(page, "written")
        page.goto(page.get_by_role("link", name="Read the report").get_attribute("href"))
        page.get_by_role("heading", name="Report on people_release.csv").wait_for()
        text = page.content()
    alone = browser.new_page(
        color_scheme=scheme
    )  # where it is shown, nothing may run: not even what looks for barriers
    alone.set_content(text)
    without_barriers(alone, "report")
    alone.close()


@pytest.mark.parametrize(("width", "height"), [(320, 640), (720, 450)])  # a telephone; 1440 x 900 at 200 %
def test_nothing_has_to_be_scrolled_sideways(browser, address, tmp_path, width, height):
    with looking(browser, address, viewport={"width": width, "height": height}) as page:
        send(page, tmp_path)
        page.get_by_role("button", name="Take the suggestions").click()
        for path in ("/data", "/roles", "/risk", "/protect", "/compare", "/release", "/same", "/api/docs", "/nowhere"):
            if path != "/nowhere":
                page.goto(path)
                settled(page)
            wide = page.evaluate("document.documentElement.scrollWidth")
            assert wide <= width, (path, wide)


def test_the_page_works_without_scripts(browser, address):
    with looking(browser, address, java_script_enabled=False) as page:
        page.goto("/")
        page.get_by_role("button", name="Open the example").click()
        page.get_by_label("Role of age").select_option("Not identifying")
        page.get_by_role("button", name="Save the roles").click()
        page.goto("/protect")
        page.locator(".chips").wait_for()
        page.goto("/protect")
        page.get_by_label("Every person hides").fill("9")
        page.get_by_role("button", name="Show", exact=True).click()
        page.get_by_role("heading", name="hilbert, k = 50").wait_for()


def test_forced_colours_keep_what_is_chosen_visible(browser, address):
    with looking(browser, address, forced_colors="active") as page:
        page.goto("/data")
        step = page.get_by_role("link", name="Data", exact=False).first
        assert step.evaluate("each => getComputedStyle(each).outlineStyle") == "solid"
