"""What a review of the page found, each in a browser: what is tested here, and where the rest is.

===  ===================================================================================================================
D1   `test_tabs.py::test_a_stale_tab_changes_nothing_of_another_file`
D2   `test_tabs.py::test_a_stale_tab_changes_nothing_of_another_file`, `test_two_tabs.py`
D3   `test_entry.py::test_the_browser_is_led_in_and_a_link_from_elsewhere_takes_nothing_away`
D4   here
D5   here
D6   `test_entry.py::test_the_browser_is_led_in_and_a_link_from_elsewhere_takes_nothing_away`
D7   here; `test_queue.py`
D8   here
D9   `test_tabs.py::test_a_server_that_was_killed_is_found_again_with_its_case`, `test_crash.py`
D10  here
D11  `test_tabs.py::test_versions_follow_the_slider_the_map_and_undo`
D12  here
D13  here
D14  here
D15  here; `test_reading.py::test_the_release_says_by_what_people_were_searched`
D16  here
D17  here
D18  here; `test_barriers.py` for what can be hit
D19  here; `test_report.py::test_a_report_of_300_columns_is_small_and_says_which_have_figures`
D20  here
D21  here
D22  `test_browser.py::test_a_file_can_be_dropped_on_every_screen`
D23  is about how shoal is installed, before there is a page
D24  here
===  ===================================================================================================================
"""

import hashlib
import random
import re
import threading
from contextlib import contextmanager
from dataclasses import replace

import pytest
import uvicorn
from web.conftest import people, until
from web.test_browser import looking, settled

from shoal.web.app import create_app
from shoal.web.server import address, bound
from shoal.web.settings import Settings

HILBERT, MONDRIAN = "hilbert~5~none~0~", "mondrian~5~none~0~"


@contextmanager
def serving(kept, **more):
    """Run a workbench in this process, and give its address."""
    settings = Settings(**{"kept": kept, **more})
    listening = bound(settings.host, 0)
    settings = replace(settings, port=listening.getsockname()[1])
    server = uvicorn.Server(uvicorn.Config(create_app(settings), log_level="error", timeout_graceful_shutdown=1))
    running = threading.Thread(target=server.run, args=[[listening]])
    running.start()
    try:
        yield address(settings)
    finally:
        server.should_exit = True
        running.join(20)
        listening.close()


@pytest.fixture(scope="module")
def place(tmp_path_factory):
    with serving(tmp_path_factory.mktemp("kept")) as found:
        yield found


@pytest.fixture
def page(browser, place):
    """A page of someone new, who closes what is open at the end, so that nobody works for it any more."""
    with looking(browser, place) as found:
        yield found
        settled(found)
        found.request.delete("/api/file")


def opened(page, content=None, **roles):
    """Open a table and decide all roles, as programs do: what is looked at comes after."""
    page.goto("/data")
    assert page.request.put("/api/file?name=people.csv&wait=30", data=content or people(60)).ok
    if content is None:
        roles = {"shoe": "quasi"} | roles
    if roles:
        assert page.request.put("/api/roles", data={"roles": roles}).ok


def compared(page, *keys):
    """Compare candidates, and wait until all is known."""
    assert page.request.put("/api/comparison", data={"keys": list(keys)}).ok
    page.goto("/compare")
    settled(page)


def released(page, audience="internal"):
    """Write what is chosen as a person does."""
    page.goto("/release")
    for box in page.get_by_role("checkbox").all():
        box.check()
    page.get_by_label("Approved by").fill("Ada")
    page.get_by_label("Report for").select_option(audience)
    page.get_by_role("button", name="Write release").click()
    page.get_by_role("heading", name="written and proved").wait_for()
    settled(page)


def row(page, name):
    """Give the numbers of a row of a table."""
    return page.get_by_role("row").filter(has=page.get_by_role("rowheader", name=name)).get_by_role("cell")


def test_what_was_written_is_not_said_of_another_choice(page):
    """D4."""
    opened(page)
    released(page)
    page.goto("/protect")
    settled(page)
    page.get_by_label("Everyone hides among").fill("0")
    page.get_by_role("heading", name="(hilbert), k = 2").wait_for()
    settled(page)
    page.get_by_role("link", name="Write this release…").click()
    page.get_by_role("heading", name="Not written yet: hilbert, k = 2").wait_for()
    assert page.get_by_text("written and proved").count() == 0


def test_estimates_look_like_estimates_and_what_is_compared_becomes_exact(browser, tmp_path):
    """D5."""
    with serving(tmp_path, large=1) as found, looking(browser, found) as page:
        opened(page, people(4000), shoe="quasi")
        page.goto("/protect?whole=true")
        settled(page)
        known = page.request.get("/api/candidates").json()["candidates"]
        assert known[HILBERT]["sampled"] is None
        assert known[MONDRIAN]["sampled"]
        exact, estimated = (page.locator(f'.map svg a[href="?see={key}"] path').first for key in (HILBERT, MONDRIAN))
        assert "≈" not in exact.locator("title").text_content()
        assert "≈" in estimated.locator("title").text_content()
        compared(page, HILBERT, MONDRIAN)
        page.get_by_role("heading", name="2 candidates, side by side").wait_for()
        until(lambda: page.request.get("/api/candidates").json()["candidates"][MONDRIAN]["sampled"] is None)
        page.reload()
        settled(page)
        assert "≈" not in page.locator("table.compare").inner_text()


def test_a_file_is_opened_while_others_have_much_to_search(browser, place):
    """D7."""
    with looking(browser, place) as first, looking(browser, place) as second, looking(browser, place) as third:
        for busy in (first, second):
            opened(busy, people(3000), shoe="quasi")
            aim = {"method": "mondrian", "k": 5, "guard": "t-closeness", "level": 0.2, "column": "diagnosis"}
            assert busy.request.put("/api/aim", data=aim).ok
        third.goto("/")
        third.get_by_label("A table as text or Parquet").set_input_files(
            {"name": "people.csv", "mimeType": "text/csv", "buffer": people(60)}
        )
        third.get_by_role("heading", name="What could others know?").wait_for()
        for busy in (first, second):
            jobs = busy.request.get("/api/workbench").json()["jobs"]
            assert {each["task"] for each in jobs if each["state"] in ("waiting", "running")} == {"search"}
            assert busy.request.delete("/api/file").ok


def test_it_is_said_how_many_people_share_their_secret_and_a_promise_changes_that(page):
    """D8."""
    opened(page, people(400), shoe="plain", zip="plain")
    page.goto("/risk")
    settled(page)
    said = re.compile(r"of people share their 'diagnosis' with everybody in their group")
    page.get_by_text(said).first.wait_for()
    assert page.request.put("/api/aim", data={"method": "mondrian", "k": 2}).ok
    for path in ("/protect", "/release"):
        page.goto(path)
        settled(page)
        page.get_by_text(said).first.wait_for()
    page.goto("/protect")
    page.get_by_label("A further promise").select_option("l-diversity")
    page.get_by_text("In no group do all people share a confidential value").first.wait_for()
    settled(page)


def test_a_comparison_does_not_wait_for_ever(page):
    """D10: one candidate with a promise and one without, and then another hierarchy."""
    opened(page)
    compared(page, "hilbert~5~l-diversity~2.0~diagnosis", MONDRIAN)
    built = {"column": "age", "how": "bands 5,20"}
    assert page.request.post("/api/hierarchy/build?wait=30", data=built).ok
    page.goto("/compare")
    page.get_by_role("heading", name="2 candidates").wait_for()
    settled(page)
    assert "…" not in "".join(page.locator("table.compare td").all_inner_texts())


def test_the_column_that_gives_away_most_has_the_longest_bar(page):
    """D12."""
    opened(page)
    page.goto("/risk")
    settled(page)
    without = {each["column"]: each["uniqueness"] for each in page.request.get("/api/risk").json()["without"]}
    figure = page.get_by_role("figure").filter(has_text="Which columns give people away")
    bars = figure.locator("svg:visible rect.alert")
    columns = [text.partition(":")[0] for text in bars.locator("title").all_text_contents()]
    lengths = [float(bar.get_attribute("width")) for bar in bars.all()]
    assert columns == sorted(without, key=without.get)
    assert lengths == sorted(lengths, reverse=True)
    assert lengths[0] > lengths[-1]


def test_what_everybody_may_have_tells_nothing_of_the_original(page):
    """D13."""
    opened(page)
    released(page, "external")
    secrets = "people.csv", hashlib.sha256(people(60)).hexdigest()
    for name in ("people_release.certificate.json", "people_release.report.html"):
        text = page.request.get(page.get_by_role("link", name=name).get_attribute("href")).text()
        assert not [each for each in secrets if each in text]


def test_the_report_says_who_approved_it_when_and_how_to_do_it_again(page):
    """D14."""
    opened(page)
    released(page)
    written = page.get_by_role("region", name="Release hilbert, k = 5").inner_text()
    year, recipe = re.search(r"\d{4}", written)[0], re.search(r"\S+\.recipe\.toml", written)[0]
    page.goto(page.get_by_role("link", name="Read the report").get_attribute("href"))
    text = page.locator("body").inner_text()
    assert re.search(rf"Made on \d+ \w+ {year}", text)
    assert "Ada" in text
    assert "I have looked at the columns that are released as they are." in text
    assert set(re.findall(r"[\w.]*recipe\.toml", text)) == {recipe}


def test_what_looks_as_if_it_named_people_is_said_before_it_is_released(page):
    """D15: that no column has the role of a direct identifier is no check."""
    opened(page, b"age,sex,contact\n" + b"".join(b"%d,%c,p%d@mail.org\n" % (n, b"fm"[n % 2], n) for n in range(20, 60)))
    roles = {"age": "quasi", "sex": "quasi", "contact": "plain"}
    assert page.request.put("/api/roles", data={"roles": roles}).ok
    page.goto("/release")
    page.get_by_text("No column has the role of a direct identifier.").wait_for()
    said = page.get_by_role("listitem").filter(has_text="though they look as if they named people")
    assert "contact" in said.inner_text()
    assert page.get_by_text("No column names a person").count() == 0


def test_a_code_is_no_number_if_someone_says_so(page):
    """D16."""
    opened(page)
    page.goto("/roles")
    zip_code = page.get_by_role("row").filter(has=page.get_by_role("rowheader", name="zip"))
    zip_code.locator("summary", has_text="numbers").click()
    zip_code.get_by_label("Read as").select_option("category")
    with page.expect_navigation():
        zip_code.get_by_role("button", name="Read it so").click()
    page.goto("/protect")
    settled(page)
    page.get_by_label("Six rows").check()
    page.get_by_role("button", name="Show six rows").click()
    page.locator(".sample").wait_for()
    shown = page.locator(".sample tbody tr:last-child").all_inner_texts()
    assert any("{" in each or "~" in each for each in shown), shown
    kinds = {each["name"]: each["kind"] for each in page.request.get("/api/roles").json()}
    assert kinds["zip"] == "category"


def test_names_of_hospitals_and_surveys_are_known_and_many_are_not_taken_without_asking(page):
    """D17."""
    draw = random.Random(17)
    names = ["dx1", "proc1", "drg", "payer", "weight", *(f"roof{number}" for number in range(15))]
    rows = [",".join(str(draw.randrange(9)) for _ in names) for _ in range(60)]
    opened(page, "\n".join([",".join(names), *rows]).encode())
    page.goto("/roles")
    why = {name: row(page, re.compile(f"^{name}")).last.inner_text() for name in names}
    assert "'weight'" in why["weight"]
    assert "weight:" in why["weight"].lower()
    for name, word in (("dx1", "dx"), ("proc1", "proc"), ("drg", "drg"), ("payer", "payer")):
        assert f"'{word}" in why[name], why[name]
    before = page.request.get("/api/roles").json()
    answer = page.request.post("/roles/all", form={"role": "quasi", "version": version(page)})
    assert answer.status == 422
    assert page.request.get("/api/roles").json() == before


def version(page):
    return page.locator("#tools [name=version]").first.input_value()


def test_points_of_a_method_have_its_colour_and_name_whatever_is_chosen(page):
    """D18."""
    opened(page)
    seen = []
    for key in (HILBERT, MONDRIAN):
        method = key.partition("~")[0]
        assert page.request.put("/api/aim", data={"method": method, "k": 5}).ok
        page.goto("/protect?whole=true")
        settled(page)
        points = page.locator(".map svg:visible a[href]")
        names = [point.get_attribute("aria-label") for point in points.all()]
        assert all(re.match(r"[a-z-]+, k = \d+: keeps .* risk ", name) for name in names)
        hues = [re.search(r"hue\d", point.locator("path").first.get_attribute("class"))[0] for point in points.all()]
        seen.append({name.partition(",")[0]: hue for name, hue in zip(names, hues, strict=True)})
    assert seen[0] == seen[1]
    assert len(set(seen[0].values())) == len(seen[0]) > 1


def test_of_three_hundred_columns_a_sentence_names_a_few_and_the_page_stays_short(page):
    """D19."""
    draw = random.Random(19)
    names = [f"column_{number}" for number in range(300)]
    rows = [",".join(str(draw.randrange(3)) for _ in names) for _ in range(40)]
    opened(page, "\n".join([",".join(names), *rows]).encode(), **dict.fromkeys(names, "quasi"))
    page.goto("/risk")
    page.get_by_role("heading", name="stand alone", level=1).wait_for()
    assert "and 295 more" in page.locator(".lead").inner_text()
    assert page.evaluate("document.documentElement.scrollHeight") < 4000
    settled(page)


def test_the_safest_candidate_is_the_one_with_the_lowest_highest_risk(page):
    """D20: what fewer are found by on average may leave some in smaller groups."""
    opened(page, people(40), shoe="quasi")
    compared(page, "mondrian~4~none~0~", HILBERT)
    highest, average = (
        [float(cell.rstrip("%")) for cell in row(page, name).all_inner_texts()]
        for name in ("Highest risk", "Average risk")
    )
    assert average[0] < average[1]
    assert highest[0] > highest[1]
    assert re.search(r"\bB (keeps most detail \(.*\) and )?is safest", page.locator(".lead").inner_text())


def test_a_release_is_removed_only_by_who_says_so_twice(page):
    """D21."""
    opened(page)
    released(page)
    assert not page.get_by_role("button", name="Remove this release").is_visible()
    page.get_by_text("Remove…").click()
    assert len(page.request.get("/api/releases").json()) == 1
    page.get_by_role("button", name="Remove this release").click()
    page.get_by_role("heading", name="Not written yet").wait_for()
    assert page.request.get("/api/releases").json() == []


def test_people_at_other_machines_are_told_where_their_file_is_read(browser, tmp_path):
    """D24."""
    with serving(tmp_path, host="0.0.0.0", token="t" * 32) as found:
        bare = found.partition("?")[0]
        with looking(browser, bare) as page:
            page.goto(found)
            text = page.locator("body").inner_text()
            assert "It is read where the workbench runs and goes nowhere else." in text
            assert "on this computer" not in text
