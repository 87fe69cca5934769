"""The screen of the release in a real browser: what is filled in stays while the choice is still being tried."""

import pytest
from web.conftest import people
from web.test_browser import CHROMIUM, browser, looking  # noqa: F401 - a fixture
from web.test_tabs import serving

pytestmark = pytest.mark.skipif(CHROMIUM is None, reason="no Chromium: install it, or name it in SHOAL_CHROMIUM")


def opened(page, content):
    """Open a table and decide all roles, as programs do: what is looked at comes after."""
    page.goto("/data")
    assert page.request.put("/api/file?name=people.csv&wait=30", data=content).ok
    assert page.request.put("/api/roles", data={"roles": {"shoe": "quasi"}}).ok


def test_who_goes_straight_to_the_release_keeps_what_they_fill_in_until_it_can_be_written(browser, tmp_path):  # noqa: F811
    with serving(tmp_path) as address, looking(browser, address) as page:
        opened(page, people(30_000))
        page.goto("/roles")
        page.get_by_role("link", name="Write release…").click()
        write = page.get_by_role("button", name="Write release")
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


def test_without_scripts_the_screen_is_loaded_again_until_it_can_be_written(browser, tmp_path):  # noqa: F811
    with serving(tmp_path) as address, looking(browser, address, java_script_enabled=False) as page:
        opened(page, people(30_000))
        page.goto("/release")
        page.get_by_text("Being tried").wait_for()
        page.get_by_text("highest risk").wait_for()
        for box in page.get_by_role("checkbox").all()[:2]:
            box.check()
        page.get_by_role("button", name="Write release").click()
        page.get_by_role("heading", name="The release is written and proved").wait_for()
