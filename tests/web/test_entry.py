"""How people come in, in a real browser: by the page that holds the token, and by links on other sites."""

import re
import threading
from functools import partial
from http.server import HTTPServer, SimpleHTTPRequestHandler

import pytest
from web.conftest import people, started

from shoal.web.server import _page_that_leads_to


@pytest.fixture
def address(tmp_path):
    """A workbench in a process of its own, as people start it: its address holds the token."""
    with started("--port", 0, "--keep", tmp_path / "kept") as place:
        yield place


class Quiet(SimpleHTTPRequestHandler):
    """Shows files, and says nothing of it."""

    def log_message(self, *_):
        pass


@pytest.fixture
def elsewhere(tmp_path, address):
    """Another site, with a link to the workbench."""
    place = tmp_path / "elsewhere"
    place.mkdir()
    bare = address.partition("?")[0]
    (place / "index.html").write_text(f'<!doctype html><title>A wiki</title><a href="{bare}data">the workbench</a>')
    server = HTTPServer(("127.0.0.1", 0), partial(Quiet, directory=str(place)))
    threading.Thread(target=server.serve_forever, daemon=True).start()
    yield f"http://localhost:{server.server_address[1]}/"  # another name, so another site
    server.shutdown()
    server.server_close()


def test_the_browser_is_led_in_and_a_link_from_elsewhere_takes_nothing_away(browser, address, elsewhere):
    context = browser.new_context()
    context.set_default_timeout(60_000)
    page = context.new_page()
    bare = address.partition("?")[0]
    assert page.goto(bare).status == 401
    page.goto(_page_that_leads_to(address))
    page.wait_for_url(re.compile(f"^{re.escape(bare)}[a-z]+$"))  # without the token
    page.goto(f"{bare}data")
    page.locator("input[type=file]").first.set_input_files(
        {"name": "people.csv", "mimeType": "text/csv", "buffer": people()}
    )
    page.wait_for_url(f"{bare}roles")  # a file that is chosen is opened
    before = context.cookies(bare)
    page.goto(elsewhere)
    page.get_by_role("link", name="the workbench").click()
    page.wait_for_url(f"{bare}data")
    page.get_by_text("people.csv").first.wait_for()
    assert context.cookies(bare) == before
    context.close()
