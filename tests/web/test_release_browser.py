"""The screen of the release in a real browser: what is filled in stays while the choice is still being tried."""

import os
import threading
from contextlib import contextmanager, suppress

import psutil
from web.conftest import people
from web.test_browser import looking, settled
from web.test_tabs import serving


def opened(page, content):
    """Open a table, as programs do: what is looked at comes after."""
    page.goto("/data")
    assert page.request.put("/api/file?name=people.csv&wait=30", data=content).ok


def decided(page):
    """Decide all roles, after which what is chosen can be tried."""
    assert page.request.put("/api/roles", data={"roles": {"shoe": "quasi"}}).ok


@contextmanager
def workers_stopped(kept):
    """Let all workers of the server that keeps its cases there stand still, also those that it starts meanwhile."""
    (server,) = (each for each in psutil.Process(os.getpid()).children() if str(kept) in each.cmdline())
    over = threading.Event()

    def each(act):
        for worker in server.children():
            with suppress(psutil.NoSuchProcess):
                act(worker)

    def hold():
        while not over.wait(0.01):
            each(psutil.Process.suspend)

    each(psutil.Process.suspend)
    holder = threading.Thread(target=hold)
    holder.start()
    try:
        yield
    finally:
        over.set()
        holder.join()
        each(psutil.Process.resume)


def test_who_goes_straight_to_the_release_keeps_what_they_fill_in_until_it_can_be_written(browser, tmp_path):
    with serving(tmp_path) as address, looking(browser, address) as page:
        opened(page, people())
        write = page.get_by_role("button", name="Write release")
        with workers_stopped(tmp_path):
            decided(page)
            page.goto("/roles")
            page.get_by_role("link", name="Write release…").click()
            page.get_by_text("Being tried").wait_for()
            assert write.is_disabled()
            for box in page.get_by_role("checkbox").all()[:2]:
                box.check()
            page.get_by_label("Approved by").fill("Ada")
        page.get_by_text("highest risk").wait_for()
        assert write.is_enabled()
        assert all(box.is_checked() for box in page.get_by_role("checkbox").all()[:2])
        assert page.get_by_label("Approved by").input_value() == "Ada"
        write.click()
        page.get_by_role("heading", name="The release is written and proved").wait_for()
        assert page.get_by_text("the file alone does not show it").is_visible()


def test_who_types_a_number_and_goes_on_takes_it_along(browser, address):
    with looking(browser, address) as page:
        opened(page, people(60))
        decided(page)
        page.goto("/protect")
        settled(page)
        page.get_by_label("k, as a number").fill("15")
        page.get_by_role("link", name="Write this release…").click()  # which also ends what is typed
        page.wait_for_url("**/release")
        assert page.get_by_role("heading", level=1).inner_text() == "Not written yet: hilbert, k = 15"
        page.go_back()
        page.get_by_label("k, as a number").fill("1")  # which is none, and is not waited for
        page.get_by_role("link", name="Write this release…").click()
        page.wait_for_url("**/release")


def test_without_scripts_the_screen_is_loaded_again_until_it_can_be_written(browser, tmp_path):
    with serving(tmp_path) as address, looking(browser, address, java_script_enabled=False) as page:
        opened(page, people())
        with workers_stopped(tmp_path):
            decided(page)
            page.goto("/release")
            page.get_by_text("Being tried").wait_for()
        page.get_by_text("highest risk").wait_for()
        for box in page.get_by_role("checkbox").all()[:2]:
            box.check()
        page.get_by_role("button", name="Write release").click()
        page.get_by_role("heading", name="The release is written and proved").wait_for()
