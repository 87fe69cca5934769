"""Tabs, users, reload, back and restart, in a real browser."""

import os
import re
import signal
from contextlib import contextmanager

from web.conftest import people, started
from web.test_browser import looking, settled

STALE = "This changed in another tab; look again"


@contextmanager
def serving(kept, port=0, scratch=None):
    """A workbench in a process of its own, which is killed at the end."""
    surroundings = os.environ if scratch is None else {**os.environ, "TMPDIR": str(scratch)}
    with started("--port", port, "--no-token", "--keep", kept, end=signal.SIGKILL, env=surroundings) as place:
        yield place


def opened(page, name="people.csv"):
    """Open a table and decide all roles, as programs do: what is looked at comes after."""
    page.goto("/data")
    for path, more in (
        (f"/api/file?name={name}&wait=30", {"data": people(60)}),
        ("/api/roles", {"data": {"roles": {"shoe": "quasi"}}}),
    ):
        assert page.request.put(path, **more).ok


def state(page):
    return page.request.get("/api/workbench").json()


@contextmanager
def refused(page):
    """What is done here is refused: that is said on the page, and on the console by the browser."""
    before = state(page), page.request.get("/api/roles").json(), page.request.get("/api/releases").json()
    yield
    page.get_by_text(STALE).first.wait_for()
    after = state(page), page.request.get("/api/roles").json(), page.request.get("/api/releases").json()
    assert [{**each, "jobs": 0} if isinstance(each, dict) else each for each in after] == [
        {**each, "jobs": 0} if isinstance(each, dict) else each for each in before
    ]


def test_a_stale_tab_changes_nothing_of_another_file(browser, address):
    context = browser.new_context(base_url=address)
    context.set_default_timeout(60_000)
    roles, slider, release, data, other = (context.new_page() for _ in range(5))
    opened(roles)
    roles.goto("/roles")
    slider.goto("/protect")
    settled(slider)
    release.goto("/release")
    data.goto("/data")
    opened(other, "other.csv")
    with refused(roles):
        roles.get_by_label("Role of age").select_option("Not identifying")
    with refused(slider):
        slider.get_by_label("Everyone hides among").fill("5")
    for box in release.get_by_role("checkbox").all():
        box.check()
    with refused(release):
        release.get_by_role("button", name="Write release").click()
    with refused(data):  # as when it is dropped on the page: what is chosen is sent at once
        data.locator("form[data-drop] input").set_input_files({"name": "late.csv", "mimeType": "", "buffer": people(9)})
    assert state(other)["file"] == "other.csv"
    context.close()


def test_two_users_do_not_see_each_other_and_a_session_can_be_ended(browser, address):
    with looking(browser, address) as first, looking(browser, address) as second:
        opened(first)
        second.goto("/")
        second.get_by_role("heading", name="Which table do you want to publish?").wait_for()
        second.goto("/cases")
        assert "people.csv" not in second.content()
        second.goto("/data")
        second.get_by_text("End my session…").click()
        second.get_by_role("button", name="End my session").click()
        second.get_by_role("heading", name="Your session has ended").wait_for()
        assert not second.context.cookies()
        first.goto("/roles")
        first.get_by_text("people.csv").first.wait_for()


def test_reload_and_back_keep_what_was_decided(browser, address):
    with looking(browser, address) as page:
        opened(page)
        page.goto("/roles")
        with page.expect_response(lambda answer: answer.request.method == "POST"):
            page.get_by_label("Role of shoe").select_option("Not identifying")
        page.goto("/protect")
        settled(page)
        page.get_by_label("Everyone hides among").fill("5")
        page.get_by_role("heading", name="(hilbert), k = 10").wait_for()
        page.reload()
        page.get_by_role("heading", name="(hilbert), k = 10").wait_for()
        page.go_back()
        page.get_by_label("Role of shoe").wait_for()
        assert page.get_by_label("Role of shoe").input_value() == "plain"
        page.get_by_label("Role of shoe").select_option("Quasi-identifier")  # the page shows the version that holds
        page.get_by_role("button", name="Undo").and_(page.locator(":enabled")).wait_for()
        page.go_forward()
        page.get_by_label("Everyone hides among").wait_for()


def test_versions_follow_the_slider_the_map_and_undo(browser, address):
    """However quickly it goes: nothing that is done on one page alone is taken for stale."""
    with looking(browser, address) as page:
        stale = []
        page.on("response", lambda answer: stale.append(answer.url) if answer.status == 409 else None)
        opened(page)
        page.goto("/protect")
        slider = page.get_by_label("Everyone hides among")
        for place in (4, 7, 2, 8, 3, 6, 5):
            slider.fill(str(place))
        page.get_by_role("heading", name="(hilbert), k = 10").wait_for()
        settled(page)
        page.get_by_label("Show the whole map").check()
        page.get_by_role("link", name=re.compile(r"^mondrian, k = 7: ")).first.click()
        page.get_by_role("heading", name="(mondrian), k = 7").wait_for()
        settled(page)
        slider.fill("3")
        slider.fill("5")
        page.get_by_role("heading", name="(mondrian), k = 10").wait_for()
        page.get_by_role("button", name="Undo").click()
        page.get_by_text("Undone:").wait_for()
        page.get_by_role("heading", name="(hilbert), k = 5").wait_for()
        assert page.locator("#tools [name=version]").first.input_value() == state(page)["version"]
        assert not stale


def test_an_answer_that_comes_late_is_not_shown(browser, address):
    """What asks how far the work is may be answered only after the next choice was."""
    with looking(browser, address) as page:
        held = []

        def hold(route):
            if held:
                route.continue_()
            else:
                held.append((route, route.fetch()))

        opened(page)
        page.goto("/protect")
        settled(page)
        page.route("**/protect/result*", hold)
        with page.expect_request("**/protect/result*"):
            page.evaluate("""() => { htmx.ajax("GET", `/protect/result?version=${versionShown()}`,
                { target: "#result .outcome", swap: "outerHTML" }) }""")
        slider = page.get_by_label("Everyone hides among")
        slider.fill("5")
        page.get_by_role("heading", name="(hilbert), k = 10").wait_for()
        ((late, answer),) = held
        with page.expect_response("**/protect/result*"):
            late.fulfill(response=answer)
        slider.fill("7")
        page.get_by_role("heading", name="(hilbert), k = 10").wait_for(state="detached")
        assert page.locator("#tools [name=version]").first.input_value() == state(page)["version"]


def test_a_server_that_was_killed_is_found_again_with_its_case(browser, tmp_path):
    kept, scratch = tmp_path / "kept", tmp_path / "scratch"
    scratch.mkdir()
    with serving(kept, scratch=scratch) as place:
        context = browser.new_context(base_url=place)
        context.set_default_timeout(60_000)
        page = context.new_page()
        opened(page)
        assert list(scratch.rglob("people.csv"))
    with serving(kept, place.rstrip("/").rpartition(":")[2], scratch):
        assert not list(scratch.rglob("people.csv"))
        page.goto("/")
        page.get_by_role("heading", name="Your cases").wait_for()
        page.get_by_label("Its file was removed").set_input_files(
            {"name": "people.csv", "mimeType": "text/csv", "buffer": people(60)}
        )
        page.get_by_role("button", name="Open with this file").click()
        page.wait_for_url(re.compile("/risk$"))
        page.goto("/roles")
        assert page.get_by_label("Role of shoe").input_value() == "quasi"
        context.close()
