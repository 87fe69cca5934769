"""Every screen is for everyone: light, dark and on a telephone, in English and German, and large enough to be hit."""

from web.conftest import people
from web.test_browser import looking, send, settled

RULES = ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa", "best-practice"]
DESKTOP, TELEPHONE = {"width": 1280, "height": 720}, {"width": 390, "height": 844}
# Where only colours are others, only what is about colours is looked for once more.
COLOURS = ["color-contrast", "link-in-text-block"]
MODES = {
    "light": (DESKTOP, "light", RULES),
    "dark": (DESKTOP, "dark", COLOURS),
    "telephone": (TELEPHONE, "light", RULES),
}
LOOK = """options => axe.run(options).then(found => found.violations.map(each =>
    [each.id, each.nodes.map(node => node.html.slice(0, 160))]))"""

# What can be hit is at least 24 x 24 pixels (WCAG 2.2, 2.5.8), unless it is a link in the middle of a sentence.
# Who hits the words beside a box has hit the box.
SMALL = """() => {
    const inSentence = (each) => each.matches("a:not(.button)") && getComputedStyle(each).display === "inline"
        && [...each.parentNode.childNodes].some((beside) => beside.nodeType === 3 && /\\p{L}{2}/u.test(beside.data));
    const area = (each) => (each.closest("label") || each).getBoundingClientRect();
    return [...document.querySelectorAll("a[href], button, input:not([type=hidden]), select, summary")]
        .filter((each) => each.getClientRects().length && !each.closest(".hidden, .skip") && !inSentence(each))
        .map((each) => [each.outerHTML.slice(0, 120), area(each)])
        .filter(([, box]) => Math.min(box.width, box.height) < 23.9)
        .map(([text, box]) => [text, box.width, box.height]);
}"""


def without_barriers(page, where, modes=tuple(MODES)):
    """Look for barriers that a program can find."""
    from axe_playwright_python.sync_playwright import Axe

    page.evaluate(Axe().axe_script)
    for mode in modes:
        size, scheme, rules = MODES[mode]
        page.set_viewport_size(size)
        page.emulate_media(color_scheme=scheme)
        found = page.evaluate(LOOK, {"runOnly": rules, "resultTypes": ["violations"]})
        assert not found, (where, mode, found)
    page.emulate_media(color_scheme="light")


def large_enough(page, where):
    """See that nothing is too small to be hit, points of maps included, which are drawn smallest at 1200 pixels."""
    for size in (TELEPHONE, {"width": 1200, "height": 800}, DESKTOP):
        page.set_viewport_size(size)
        small = page.evaluate(SMALL)
        assert not small, (where, size, small)


def within_its_width(page, where):
    """See that nothing has to be scrolled sideways: on a telephone, and with 1440 x 900 at 200 %."""
    for width, height in ((320, 640), (720, 450)):
        page.set_viewport_size({"width": width, "height": height})
        wide = page.evaluate("document.documentElement.scrollWidth")
        assert wide <= width, (where, width, wide)
    page.set_viewport_size(DESKTOP)


def test_every_screen_and_the_report_are_for_everyone(browser, address, tmp_path):
    with looking(browser, address, reduced_motion="reduce") as page:

        def looked_at(where):
            settled(page)
            without_barriers(page, where)
            within_its_width(page, where)
            if where != "/api/docs":
                large_enough(page, where)

        for path in ("/data", "/risk", "/api/docs"):
            page.goto(path)
            looked_at(path)
        send(page, tmp_path, people(40))
        looked_at("undecided")
        page.get_by_role("button", name="Take the suggestions").click()
        page.goto("/data")
        page.get_by_role("button", name="Show the first 50 rows").click()
        page.get_by_role("region", name="The first rows").wait_for()
        looked_at("preview")
        for path in ("/roles", "/risk", "/protect"):
            page.goto(path)
            looked_at(path)
        (tmp_path / "all.csv").write_bytes(people(120))
        page.goto("/risk")
        page.locator("#population").set_input_files(tmp_path / "all.csv")
        page.get_by_role("button", name="Take it").click()
        page.get_by_text("The table of the population is").wait_for()
        page.get_by_label("how special rows are").check()
        page.get_by_role("button", name="Find it out").click()
        page.get_by_role("heading", name="Special uniques").wait_for()
        looked_at("sections of the risk")
        page.goto("/safe-harbor")
        page.get_by_role("button", name="Look for identifiers").click()
        page.get_by_role("region", name="Columns that look like identifiers").wait_for()
        looked_at("safe harbor")
        page.goto("/protect")
        page.get_by_text("Parameters, more").click()
        page.get_by_label("Before that").select_option("coarsen")
        page.get_by_label("resolution").wait_for()
        looked_at("parameters")
        page.get_by_label("Before that").select_option("")
        page.get_by_label("resolution").wait_for(state="detached")
        page.get_by_role("link", name="Hierarchies").click()
        page.get_by_role("button", name="Build").click()
        page.get_by_role("button", name="Merge").wait_for()
        looked_at("hierarchies")
        page.get_by_role("link", name="Back to the protection").click()
        settled(page)
        page.get_by_text("With 1 hierarchy: age").wait_for()
        page.get_by_role("button", name="Add to the comparison").click()
        page.get_by_role("button", name="Take out of the comparison").wait_for()
        page.goto("/attacks")
        page.get_by_role("button", name="Attack it").click()
        page.get_by_role("columnheader", name="Residual risk").wait_for()
        for path in ("/attacks", "/compare", "/same", "/cases", "/release"):
            page.goto(path)
            looked_at(path)
        for box in page.get_by_role("checkbox").all():
            box.check()
        page.get_by_role("button", name="Write release").click()
        page.get_by_role("heading", name="written and proved").wait_for()
        looked_at("written")
        page.emulate_media(forced_colors="active")
        assert (
            page.locator(".steps ol [aria-current]").evaluate("each => getComputedStyle(each).outlineStyle") == "solid"
        )
        page.emulate_media(forced_colors="none")
        page.goto(page.get_by_role("link", name="Read the report").get_attribute("href"))
        page.get_by_role("heading", name="Report on people_release.csv").wait_for()
        text = page.content()
    alone = browser.new_page()  # where it is shown, nothing may run: not even what looks for barriers
    alone.set_content(text)
    without_barriers(alone, "report")
    alone.close()


def test_the_screens_are_for_everyone_in_german_too(browser, address, tmp_path):
    """Its words are longer, and its numbers are written in another way; its colours are the same."""
    with looking(browser, address, reduced_motion="reduce", locale="de-DE") as page:

        def looked_at(where):
            settled(page)
            assert page.locator("html").get_attribute("lang") == "de"
            if where in ("/roles", "/protect"):
                without_barriers(page, where, ("light",))
            within_its_width(page, where)
            large_enough(page, where)

        (tmp_path / "leute.csv").write_bytes(people(40))
        page.goto("/data")
        page.locator("#file").set_input_files(tmp_path / "leute.csv")
        page.get_by_role("heading", name="Was könnten andere wissen?").wait_for()
        page.get_by_role("button", name="Vorschlag für 1 Spalte annehmen").click()
        for path in ("/data", "/roles", "/risk"):
            page.goto(path)
            looked_at(path)
        page.goto("/safe-harbor")
        page.get_by_role("button", name="Nach Identifikatoren suchen").click()
        page.get_by_role("region", name="Spalten, die nach Identifikatoren aussehen").wait_for()
        looked_at("safe harbor")
        page.goto("/hierarchies")
        page.get_by_role("button", name="Bilden").click()
        page.get_by_role("button", name="Zusammenlegen").wait_for()
        looked_at("hierarchies")
        page.goto("/protect")
        settled(page)
        page.get_by_role("button", name="Zum Vergleich hinzufügen").click()
        page.get_by_role("button", name="Aus dem Vergleich nehmen").wait_for()
        for path in ("/protect", "/attacks", "/compare", "/cases", "/same", "/release"):
            page.goto(path)
            looked_at(path)
        page.get_by_role("button", name="English").click()
        page.locator("html[lang=en]").wait_for(state="attached")
        assert page.url.endswith("/release")
