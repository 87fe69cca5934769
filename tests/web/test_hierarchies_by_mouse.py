"""Hierarchies as a steward makes them in a browser: clicked together, with nothing typed but the names of groups."""

import csv
import io
import random
import re

from web.test_browser import looking, settled

COUNTRIES = ("Austria", "Brazil", "China", "Germany", "Japan", "Switzerland")


def travellers(rows=240):
    draw = random.Random(19)
    lines = [f"{draw.randrange(20, 80)},{draw.randrange(80, 84)}{draw.randrange(100, 104)},{draw.choice(COUNTRIES)},"
             f"{draw.choice(['flu', 'asthma', 'stroke'])}" for _ in range(rows)]  # fmt: skip
    return "\n".join(["age,zip,country,diagnosis", *lines]).encode() + b"\n"


def open_travellers(page):
    roles = {"age": "quasi", "zip": "quasi", "country": "quasi", "diagnosis": "sensitive"}
    page.goto("/data")
    assert page.request.put("/api/file?name=travellers.csv&wait=30", data=travellers()).ok
    assert page.request.put("/api/roles", data={"roles": roles}).ok
    page.goto("/hierarchies")


def groups(page, column):
    """Give the groups above each value, from the smallest on, as the program knows them."""
    found = page.request.get("/api/hierarchy", params={"column": column}).json()
    return {row[0]: row[1:] for row in found["levels"]}


class Editor:
    """The screen, and what a hand does on it."""

    def __init__(self, page):
        self.page = page

    def build(self, column, by):
        page = self.page
        page.get_by_role("navigation", name="Quasi-identifiers").get_by_role("link", name=column).click()
        page.get_by_role("heading", name=f"A hierarchy of {column}").wait_for()
        preview = page.locator("#tree-preview").get_by_role("region", name="How it would be")
        preview.or_(page.locator("#tree-preview .note")).wait_for()
        with page.expect_response("**/hierarchies/preview"):
            page.get_by_label("By", exact=True).select_option(by)
        preview.wait_for()
        page.get_by_role("button", name="Build").click()
        page.get_by_role("heading", name=f"Another hierarchy of {column}").wait_for()
        settled(page)

    def on(self, level):
        self.page.get_by_role("navigation", name="Levels").get_by_role("link", name=level).click()

    def do(self, button, *ticked, name=""):
        page = self.page
        for each in ticked:
            page.get_by_role("checkbox", name=re.compile(f"^{each} ")).check()
        page.get_by_label("Name of the group").fill(name)
        with page.expect_navigation():
            page.get_by_role("button", name=button).click()


def test_age_bands_zip_prefixes_and_a_tree_of_countries_are_made_and_only_their_groups_released(
    browser,
    address,
):
    with looking(browser, address) as page:
        open_travellers(page)
        hand = Editor(page)
        hand.build("age", "bands")
        assert groups(page, "age")["37"] == ["35-39", "30-39", "20-39", "*"]
        hand.build("zip", "prefix")
        assert groups(page, "zip")["80101"] == ["8010*", "801**", "8****", "*"]
        hand.build("country", "alone")
        hand.do("Put the ticked into this group", "Austria", "Germany", "Switzerland", name="Europe")
        hand.on("level 1")
        hand.do("Merge the ticked into one", "China", "Japan", name="Asia")
        hand.do("Rename the ticked one", "Brazil", name="South America")
        made = {"Austria": "Europe", "Brazil": "South America", "China": "Asia", "Germany": "Europe", "Japan": "Asia",
                "Switzerland": "Europe"}  # fmt: skip
        assert {value: above[0] for value, above in groups(page, "country").items()} == made
        hand.on("values")
        hand.do("Split the ticked off", "Austria", "Switzerland", name="Alps")
        alps = {value for value, above in groups(page, "country").items() if "Alps" in above}
        assert alps == {"Austria", "Switzerland"}
        hand.on("level 1")
        hand.do("Give the ticked one up", "Alps")
        assert groups(page, "country")["Austria"] == ["Austria", "*"]
        for _ in range(2):
            with page.expect_navigation():
                page.get_by_role("button", name="Undo").click()
        assert {value: above[0] for value, above in groups(page, "country").items()} == made
        trees = {column: groups(page, column) for column in ("age", "zip", "country")}
        page.get_by_role("link", name="Back to the protection").click()
        page.get_by_text("With 3 hierarchies").wait_for()
        settled(page)
        page.get_by_role("link", name="Write this release…").click()
        for box in page.get_by_role("checkbox").all():
            box.check()
        page.get_by_role("button", name="Write release").click()
        page.get_by_role("heading", name="written and proved").wait_for()
        link = page.get_by_role("link", name="travellers_release.csv").get_attribute("href")
        released = list(csv.DictReader(io.StringIO(page.request.get(link).text())))
    for column, tree in trees.items():
        cells = {row[column] for row in released}
        assert cells <= {each for value, above in tree.items() for each in (value, *above)}
        assert cells & {each for above in tree.values() for each in above}
