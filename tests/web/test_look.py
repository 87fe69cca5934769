"""How the workbench looks: the table is found at once, numbers stand where they are read, one thing is to do."""

import pytest
from web.conftest import people
from web.test_barriers import large_enough, without_barriers
from web.test_browser import census, looking, send, settled

DESK = {"width": 1440, "height": 900}
# Where what is written in a cell ends, which is not where the cell ends.
ENDS = """cells => cells.map(cell => {
    const range = document.createRange();
    range.selectNodeContents(cell);
    return Math.round(range.getBoundingClientRect().right); })"""

# Lists of which the chosen line is wider than what there is for it beside the arrow.
CUT = """lists => lists.filter(list => {
    const { font, paddingLeft, paddingRight } = getComputedStyle(list);
    const pen = document.createElement("canvas").getContext("2d");
    pen.font = font;
    const room = list.clientWidth - parseFloat(paddingLeft) - parseFloat(paddingRight) - 12;
    return pen.measureText(list.selectedOptions[0].text).width > room;
}).map(list => list.id)"""


@pytest.fixture
def page(browser, address):
    with looking(browser, address, viewport=DESK, reduced_motion="reduce") as found:
        yield found


def strong(page):
    """Give what is said to be the thing to do."""
    return [
        each.inner_text() for each in page.locator(".strong:is(button, .button):visible").all() if each.is_enabled()
    ]


def decided(page, tmp_path, content):
    send(page, tmp_path, content)
    page.get_by_role("button", name="Take the suggestion").click()
    page.get_by_role("link", name="See the risk").wait_for()


def test_all_columns_are_in_view_as_soon_as_a_file_is_open(page, tmp_path):
    send(page, tmp_path, census())
    boxes = [each.bounding_box() for each in page.locator(".roles tbody tr").all()]
    assert len(boxes) == 9
    assert boxes[0]["y"] < 400
    assert boxes[-1]["y"] + boxes[-1]["height"] <= 900
    assert max(box["height"] for box in boxes) < 50


def test_columns_are_found_while_their_name_is_typed(page, tmp_path):
    send(page, tmp_path, census())
    field = page.get_by_label("Only columns whose name holds")
    field.press_sequentially("na")
    page.get_by_text("1 of 9 columns").wait_for()
    assert page.locator(".roles tbody th code").all_inner_texts() == ["native-country"]
    assert field.evaluate("each => each === document.activeElement")
    page.get_by_label("Role of native-country").select_option("Not identifying")
    page.locator("#tools button:enabled").first.wait_for()  # it can be undone, so it was done
    page.wait_for_url("**/roles?named=na&having=")
    page.reload()  # what is looked for stands in the address
    assert page.get_by_label("Role of native-country").locator("option:checked").text_content() == "Not identifying"
    page.get_by_label("Only columns whose name holds").fill("")
    page.locator(".found").get_by_text("9 columns", exact=True).wait_for()
    page.get_by_label("and whose role is").select_option("Confidential")
    page.get_by_text("1 of 9 columns").wait_for()
    page.get_by_label("Only columns whose name holds").fill("zzz")
    page.get_by_text("No column is like that.").wait_for()


def test_each_screen_has_one_thing_to_do_and_no_tool_without_a_file(page, tmp_path):
    page.goto("/data")
    assert page.locator("#tools").get_by_role("link").count() == 0
    assert page.locator("#tools").get_by_role("button").count() == 0
    decided(page, tmp_path, people(60))
    for place in ("data", "roles", "risk", "protect", "release"):
        page.goto(f"/{place}")
        settled(page)
        if place == "release":
            for box in page.get_by_role("checkbox").all():
                box.check()
        assert len(strong(page)) == 1, (place, strong(page))
        box = page.locator(".strong:is(button, .button):visible").first.bounding_box()
        assert box["y"] + box["height"] <= DESK["height"], place  # what to do next is in view
    page.get_by_role("button", name="Write release").click()
    page.get_by_role("heading", name="written and proved").wait_for()
    assert strong(page) == ["Download all as one file"]
    sizes = page.locator(".files td.number")
    assert sizes.count() >= 5
    assert len(set(sizes.evaluate_all(ENDS))) == 1


def test_digits_stand_under_digits_below_a_head_that_stays(page, tmp_path):
    wide = [
        f"{name},{age},{10 ** (age % 6)},{'' if age % 7 else age}"
        for name, age in zip("ab" * 40, range(80), strict=True)
    ]
    send(page, tmp_path, "\n".join(["word,age,income,rarely", *wide, ""]).encode())
    page.goto("/data")
    page.get_by_role("button", name="Show the first 50 rows").click()
    table = page.get_by_role("region", name="The first rows")
    table.wait_for()
    for column, ends in ((1, False), (2, True), (3, True), (4, True)):
        cells = table.locator(f"tbody td:nth-child({column}):not(:empty), thead th:nth-child({column})")
        assert (len(set(cells.evaluate_all(ENDS))) == 1) == ends, column
    head = table.locator("thead th").first
    before = head.bounding_box()["y"]
    table.evaluate("each => { each.scrollTop = 400; }")
    assert table.evaluate("each => each.scrollTop") > 300
    assert abs(head.bounding_box()["y"] - table.bounding_box()["y"]) < 2 < before - table.bounding_box()["y"] + 4
    heights = {round(each.bounding_box()["height"]) for each in table.locator("tbody tr").all()[:5]}
    assert max(heights) <= 28


def test_compared_numbers_stand_near_to_what_they_are(page, tmp_path):
    decided(page, tmp_path, people(60))
    page.goto("/protect")
    settled(page)
    page.get_by_role("button", name="Add to the comparison").click()
    page.get_by_role("button", name="Take out of the comparison").wait_for()
    page.goto("/compare")
    settled(page)
    row = page.locator(".compare tbody tr").first
    box = row.bounding_box()
    assert box["width"] < 640


def test_a_printed_screen_is_the_screen_without_what_can_be_pressed(page, tmp_path):
    decided(page, tmp_path, people(60))
    for place in ("risk", "protect"):
        page.goto(f"/{place}")
        settled(page)
        page.emulate_media(media="print")
        page.set_viewport_size({"width": 700, "height": 1000})  # about the width of A4
        assert not page.locator("button:visible, a.button:visible, .steps:visible").count()
        assert page.get_by_role("figure").first.is_visible()
        assert page.evaluate("document.documentElement.scrollWidth") <= 700
        page.emulate_media(media="screen")
        page.set_viewport_size(DESK)


def test_everything_is_reached_from_the_keyboard_by_a_few_letters(page, tmp_path):
    decided(page, tmp_path, census())
    menu = page.get_by_role("dialog", name="Go to")
    page.keyboard.press("Control+k")
    menu.wait_for()
    page.keyboard.type("occ role")
    assert menu.get_by_role("link").all_inner_texts() == ["occupation\nRole of the column"]
    without_barriers(page, "menu")
    large_enough(page, "menu")
    page.set_viewport_size(DESK)
    page.keyboard.press("Enter")
    page.wait_for_url("**/roles?named=occupation")
    assert page.locator(".roles tbody tr").count() == 1
    page.get_by_role("button", name="Go to").click()
    for _ in range(3):
        page.keyboard.press("ArrowDown")
    assert page.evaluate("document.activeElement.textContent").startswith("Risk")
    page.keyboard.press("ArrowUp")
    page.keyboard.press("Escape")
    menu.wait_for(state="hidden")
    assert page.evaluate("document.activeElement.matches('[data-menu]')")
    page.keyboard.press("Control+k")
    page.keyboard.press("ArrowDown")
    page.keyboard.press("ArrowDown")
    page.keyboard.press("ArrowDown")
    page.keyboard.press("Enter")
    page.wait_for_url("**/risk")


def test_what_was_decided_is_taken_back_by_the_usual_keys_but_not_while_writing(page, tmp_path):
    decided(page, tmp_path, census())
    role = page.get_by_label("Role of workclass")
    assert role.locator("option:checked").text_content() == "Quasi-identifier"
    page.get_by_label("Only columns whose name holds").press("Control+z")
    page.get_by_role("heading", level=1).click()
    page.keyboard.press("Control+z")
    page.get_by_role("status").filter(has_text="Undone").wait_for()
    assert role.locator("option:checked").text_content() == "Undecided"
    page.keyboard.press("Control+Shift+z")
    page.get_by_role("status").filter(has_text="Done again").wait_for()
    assert role.locator("option:checked").text_content() == "Quasi-identifier"
    page.keyboard.press("Control+k")
    page.keyboard.type("undo")
    page.keyboard.press("Enter")
    page.get_by_role("status").filter(has_text="Undone").wait_for()


def test_two_candidates_are_seen_side_by_side_on_a_telephone(page, tmp_path):
    decided(page, tmp_path, people(60))
    page.goto("/protect")
    for place, k in (("4", 7), ("6", 15)):
        page.get_by_label("Everyone hides among").fill(place)
        page.get_by_role("heading", name=f"k = {k}").wait_for()
        settled(page)
        page.get_by_role("button", name="Add to the comparison").click()
        page.get_by_role("button", name="Take out of the comparison").wait_for()
    page.set_viewport_size({"width": 390, "height": 844})
    page.goto("/compare")
    settled(page)
    assert page.locator(".compare tbody tr").first.bounding_box()["width"] < 350


def test_a_file_without_names_is_asked_about_and_nothing_else_stands_in_the_way(page, tmp_path):
    (tmp_path / "rows.csv").write_text(
        "".join(f"{age},{'fm'[age % 2]},flu\n" for age in range(20, 80)), encoding="utf-8"
    )
    page.goto("/data")
    page.locator("#file").set_input_files(tmp_path / "rows.csv")
    page.get_by_role("alert").filter(has_text="looks like a record").first.wait_for()
    assert page.get_by_role("heading", name="What you will see").count() == 0
    assert strong(page) == ["Read it so"]
    page.get_by_label("First line").select_option("is a record")
    page.get_by_role("button", name="Read it so").click()
    page.get_by_role("heading", name="What could others know?").wait_for()
    assert page.locator(".roles tbody tr").count() == 3


def test_what_is_chosen_can_be_read_to_its_end(page, tmp_path):
    decided(page, tmp_path, census())
    for language in ("en", "de"):
        page.set_extra_http_headers({"accept-language": language})
        for path in ("/roles", "/risk", "/protect", "/hierarchies", "/release", "/data"):
            page.goto(path)
            settled(page)
            assert page.locator("main select:visible").evaluate_all(CUT) == []
