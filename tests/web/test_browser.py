"""The workbench in a real browser: by role and label, by keyboard, light and dark, narrow, and for everyone."""

import random
import re
from contextlib import contextmanager

import pytest
from web.conftest import people


@contextmanager
def looking(browser, address, **more):
    """Open a page as someone new; whatever it asks for elsewhere, or the policy forbids, is a failure."""
    context = browser.new_context(base_url=address, **more)
    context.set_default_timeout(60_000)
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


def settled(page):
    """Wait until nothing is awaited, and what came last listens to what is done to it."""
    page.locator("#poll").wait_for(state="detached", timeout=120_000)
    page.locator(".htmx-added").first.wait_for(state="detached")


def send(page, tmp_path, content=None, name="people.csv"):
    (tmp_path / name).write_bytes(content or people(120))
    page.goto("/data")
    page.get_by_label("A table as text").set_input_files(tmp_path / name)
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
        page.get_by_role("figure").filter(has_text="Which columns give people away").wait_for()
        settled(page)
        page.get_by_role("link", name="Protect them").click()
        settled(page)
        slider = page.get_by_label("Everyone hides among")
        assert slider.get_attribute("aria-valuetext") == "k = 5"
        slider.fill("5")
        page.get_by_role("heading", name="(hilbert), k = 10").wait_for()
        assert slider.get_attribute("aria-valuetext") == "k = 10"
        page.get_by_label("Method").select_option("mondrian")
        page.get_by_role("heading", name="Cuts at medians (mondrian), k = 10").wait_for()
        page.get_by_label("Show the whole map").check()
        point = page.get_by_role("link", name=re.compile(r"^mondrian, k = 7: keeps .*risk")).first
        point.click()
        page.get_by_role("heading", name="(mondrian), k = 7").wait_for()
        typed = page.get_by_label("k, as a number")
        typed.fill("6")
        typed.press("Enter")
        page.get_by_role("heading", name="(mondrian), k = 6").wait_for()
        assert typed.evaluate("each => each === document.activeElement")
        assert slider.get_attribute("aria-valuetext") == "k = 6"
        slider.fill("4")
        page.get_by_role("heading", name="(mondrian), k = 7").wait_for()
        assert typed.input_value() == "7"
        page.get_by_label("A further promise").select_option("l-diversity")
        page.get_by_label("at least so many values").wait_for()
        settled(page)
        page.get_by_role("heading", name="(mondrian), k = 7, l = 2").wait_for()
        page.get_by_label("Six rows").check()
        assert page.locator(".sample").count() == 0  # values are hidden until someone asks for them
        page.get_by_role("button", name="Show six rows").click()
        page.locator(".sample").wait_for()
        assert page.locator(".sample tbody").count() == 6
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
        role = go_to(re.compile("^Role of "), "combobox")
        before = role.input_value()
        page.keyboard.press("End")
        page.get_by_role("button", name="Undo").and_(page.locator(":enabled")).wait_for()
        assert role.input_value() != before
        go_to("Undo")
        page.keyboard.press("Enter")
        page.get_by_text("Undone: Role of").wait_for()
        go_to("See the risk", "link")
        page.keyboard.press("Enter")
        settled(page)
        go_to("Protect them", "link")
        page.keyboard.press("Enter")
        settled(page)
        slider = go_to("Everyone hides", "slider")
        page.keyboard.press("ArrowRight")
        page.get_by_role("heading", name="(hilbert), k = 7").wait_for()
        assert slider.evaluate("each => each === document.activeElement")
        page.keyboard.press("End")
        page.get_by_role("heading", name="(hilbert), k = 50").wait_for()
        point = go_to(re.compile(r"^hilbert, k = 50: "), "link")
        page.keyboard.press("Tab")
        assert page.evaluate("document.activeElement.closest('svg')") is None  # the map is one stop
        page.keyboard.press("Shift+Tab")
        assert point.evaluate("each => each === document.activeElement")
        page.keyboard.press("ArrowUp")
        chosen = page.evaluate("document.activeElement.getAttribute('aria-label')").partition(":")[0]
        assert chosen != "hilbert, k = 50"
        page.keyboard.press("Enter")
        method, _, k = chosen.partition(", ")
        page.get_by_role("heading", name=f"({method}), {k}").wait_for()
        settled(page)
        go_to("Add to the comparison")
        page.keyboard.press("Enter")
        go_to("1 candidate is compared", "link")
        page.keyboard.press("Enter")
        page.get_by_role("heading", name="1 candidate").wait_for()
        settled(page)
        go_to("Choose candidate A")
        page.keyboard.press("Enter")
        go_to("Hierarchies", "link")
        page.keyboard.press("Enter")
        go_to("Build")
        page.keyboard.press("Enter")
        go_to("Merge")
        settled(page)
        go_to("Back to the protection", "link")
        page.keyboard.press("Enter")
        page.get_by_text("With 1 hierarchy").wait_for()
        settled(page)
        go_to("Write this release…", "link")
        page.keyboard.press("Enter")
        for text in ("I have looked", "I have considered"):
            go_to(re.compile(text), "checkbox")
            page.keyboard.press("Space")
        go_to("Write release")
        page.keyboard.press("Enter")
        page.get_by_role("heading", name="written and proved").wait_for()


def test_the_page_works_without_scripts(browser, address):
    with looking(browser, address, java_script_enabled=False) as page:
        page.goto("/")
        page.get_by_role("button", name="Open the example").click()
        page.get_by_label("Role of age").select_option("Not identifying")
        page.get_by_role("button", name="Save the roles").click()
        page.goto("/protect")
        page.locator(".becomes").wait_for()
        page.goto("/protect")
        page.get_by_label("Everyone hides").fill("9")
        page.get_by_role("button", name="Show", exact=True).click()
        page.get_by_role("heading", name="(hilbert), k = 50").wait_for()


def census(rows=3000):
    """Give a table as wide, and with columns as long, as people open: eight quasi-identifiers and a secret."""
    draw = random.Random(11)
    lines = ["sex,age,race,marital-status,education,native-country,workclass,occupation,salary-class"]
    kinds = ["Male Female", " ".join(map(str, range(17, 91))), "White Black Other", "Never-married Married-civ-spouse"]
    kinds += ["Bachelors HS-grad Masters", "United-States Mexico", "Private Self-emp-not-inc"]
    kinds += ["Adm-clerical Exec-managerial Craft-repair", "<=50K >50K"]
    lines += [",".join(draw.choice(kind.split()) for kind in kinds) for _ in range(rows)]
    return ("\n".join(lines) + "\n").encode()


BOTTOMS = """() => Object.fromEntries(["#aim", ".outcome", ".outcome .strong", ".map"].map(name => {
    const box = document.querySelector(name).getBoundingClientRect();
    return [name, [box.left, box.top, box.right, box.bottom].map(Math.round)]; }))"""


def on_one_screen(page, where):
    """See that the slider, the numbers, what writes them and the map are all in view, beside each other."""
    boxes = page.evaluate(BOTTOMS)
    assert max(bottom for _left, _top, _right, bottom in boxes.values()) <= 900, (where, boxes)
    assert boxes[".map"][0] > boxes[".outcome"][2], (where, boxes)
    assert page.evaluate("scrollY") == 0
    return boxes


def test_the_protection_is_one_screen_settled_or_at_work_with_a_promise_and_in_german(browser, address, tmp_path):
    (tmp_path / "census.csv").write_bytes(census())
    with looking(browser, address, viewport={"width": 1440, "height": 900}, reduced_motion="reduce") as page:
        page.goto("/data")
        page.locator("#file").set_input_files(tmp_path / "census.csv")
        page.wait_for_url("**/roles")
        for button in page.get_by_role("button", name="Take the suggestion").all():
            button.click()
        page.get_by_role("link", name="See the risk").wait_for()
        page.goto("/protect")
        page.locator(".outcome .strong").wait_for()
        working = on_one_screen(page, "at work") if page.locator(".working").count() else None
        settled(page)
        boxes = on_one_screen(page, "settled")
        assert working is None or working[".outcome"][1] == boxes[".outcome"][1]  # nothing moved when it was done
        line = page.locator(".crowd .typed").first
        assert line.evaluate("each => each.getBoundingClientRect().height") < 40  # "5 people" stands in one line
        page.get_by_label("A further promise").select_option("t-closeness")
        page.locator("#level").wait_for()
        page.locator(".outcome .strong").wait_for()
        on_one_screen(page, "with t")
        page.get_by_role("button", name="Deutsch").click()
        page.locator("html[lang=de]").wait_for(state="attached")
        page.locator(".outcome .strong").wait_for()
        on_one_screen(page, "with t, in German")
        page.get_by_role("button", name="Zum Vergleich").click()
        page.get_by_role("button", name="Aus dem Vergleich").wait_for()
        on_one_screen(page, "with t, in German, compared")


def test_rows_follow_the_slider_once_they_were_asked_for(browser, address, tmp_path):
    with looking(browser, address, viewport={"width": 1440, "height": 900}) as page:
        send(page, tmp_path)
        page.get_by_role("button", name="Take the suggestions").click()
        page.get_by_role("link", name="See the risk").wait_for()
        page.goto("/protect")
        settled(page)
        page.get_by_label("Six rows").check()
        assert page.locator(".sample").count() == 0
        page.get_by_role("button", name="Show six rows").click()
        page.locator(".sample .changed").first.wait_for()
        small = page.locator(".sample").inner_text()
        assert page.locator(".sample").evaluate("each => each.getBoundingClientRect().bottom") <= 900
        page.get_by_label("Everyone hides among").fill("8")
        page.get_by_role("heading", name="k = 30").wait_for()
        page.locator(".sample .changed").first.wait_for()
        assert page.locator(".sample").inner_text() != small


def test_a_method_is_chosen_with_its_parameters_and_a_further_step(browser, address, tmp_path):
    with looking(browser, address, viewport={"width": 1440, "height": 900}) as page:
        send(page, tmp_path)
        page.get_by_role("button", name="Take the suggestions").click()
        page.get_by_role("link", name="See the risk").wait_for()
        page.goto("/protect")
        settled(page)
        page.get_by_text("Parameters, more").click()
        field = page.get_by_label("quality")
        field.fill("2")
        page.get_by_role("heading", name="(hilbert), k = 5").wait_for()  # half a number is none
        field.press("Enter")
        page.get_by_role("heading", name="(hilbert) (quality = 2), k = 5").wait_for()
        assert field.evaluate("each => each === document.activeElement")
        page.get_by_label("Everyone hides among").fill("4")
        page.get_by_role("heading", name="(hilbert) (quality = 2), k = 7").wait_for()
        page.get_by_label("After that").select_option("regenerate")
        page.get_by_label("joint").wait_for()
        settled(page)
        page.get_by_label("After that").select_option("")
        page.get_by_label("joint").wait_for(state="detached")
        page.get_by_label("Method", exact=True).focus()
        page.get_by_label("Method", exact=True).select_option("coarsen")
        page.get_by_role("heading", name="So many intervals (coarsen)").wait_for()
        settled(page)
        assert page.get_by_label("Method", exact=True).evaluate("each => each === document.activeElement")
        assert page.get_by_label("k, as a number").count() == 0
        page.locator(".outcome").get_by_text("This promises nothing").wait_for()
        page.get_by_role("link", name="Write this release…").click()
        page.get_by_label("I know that this release promises nothing").wait_for()


DROP = """([name, text]) => {
    const carried = new DataTransfer();
    carried.items.add(new File([text], name, {type: "text/csv"}));
    const told = kind => document.querySelector("#screen").dispatchEvent(
        new DragEvent(kind, {dataTransfer: carried, bubbles: true, cancelable: true}));
    told("dragover");
    const seen = !document.querySelector("#drop-hint").hidden;
    told("drop");
    return seen; }"""


@pytest.mark.parametrize("path", ["/risk", "/data"])
def test_a_file_can_be_dropped_on_every_screen(browser, address, tmp_path, path):
    with looking(browser, address) as page:
        send(page, tmp_path)
        page.goto(path)
        assert page.evaluate(DROP, ["dropped.csv", people(40, seed=5).decode()])
        page.wait_for_url("**/roles")
        page.locator(".about", has_text="dropped.csv").wait_for()
