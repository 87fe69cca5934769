"""Who is let in, from which page, and what a page may do."""

import gc
import hmac
import re

import pytest
from fastapi.testclient import TestClient
from web.conftest import ADDRESS, serving

from shoal.errors import ShoalError
from shoal.web.app import create_app
from shoal.web.guard import is_loopback
from shoal.web.server import address, bound, serve, with_token
from shoal.web.settings import Settings

PAGES = (
    "/data",
    "/risk",
    "/hierarchies",
    "/protect",
    "/compare",
    "/release",
    "/same",
    "/api/docs",
    "/static/workbench.css",
    "/nowhere",
)


@pytest.mark.parametrize("path", PAGES)
def test_every_answer_says_what_a_page_may_do(visitor, path):
    answer = visitor.get(path)
    policy = dict(part.split(" ", 1) for part in answer.headers["content-security-policy"].split("; "))
    assert policy["default-src"] == "'none'"
    assert policy["script-src"] == policy["style-src"] == policy["connect-src"] == "'self'"
    assert policy["frame-ancestors"] == policy["base-uri"] == "'none'"
    assert "unsafe" not in answer.headers["content-security-policy"]
    assert answer.headers["x-content-type-options"] == "nosniff"
    assert answer.headers["cross-origin-resource-policy"] == "same-origin"


@pytest.mark.parametrize("path", PAGES[:-3])
def test_pages_hold_nothing_that_the_policy_forbids(resident, path):
    text = resident.get(path).text
    assert not re.search(r"<style|style=|<script(?! src=\"/static/)|\son\w+=|javascript:|https?://(?!www.w3.org)", text)


def test_pages_are_not_kept_by_the_browser_but_their_look_is(visitor):
    assert visitor.get("/data").headers["cache-control"] == "no-store"
    assert "max-age" in visitor.get("/static/workbench.css").headers["cache-control"]


@pytest.mark.parametrize(
    "host", ["evil.example", "127.0.0.1.evil.example:8642", "169.254.1.1", "", "localhost.evil:80"]
)
def test_other_names_for_this_server_are_refused(visitor, host):
    """A page elsewhere can make its own name point at this computer; the name then gives it away."""
    answer = visitor.get("/data", headers={"host": host})
    assert answer.status_code == 421


@pytest.mark.parametrize("host", ["127.0.0.1:8642", "localhost:8642", "[::1]:8642", "LOCALHOST"])
def test_own_names_are_taken(visitor, host):
    assert visitor.get("/data", headers={"host": host}).status_code == 200


@pytest.mark.parametrize(
    "headers",
    [
        {"origin": "http://evil.example"},
        {"origin": "null"},
        {"origin": "http://127.0.0.1:9999"},
        {"origin": "https://127.0.0.1:8642"},
        {"sec-fetch-site": "cross-site"},
        {"sec-fetch-site": "same-site"},
    ],
)
def test_only_pages_of_the_workbench_may_change_something(visitor, headers):
    assert visitor.post("/data/example", headers=headers).status_code == 403
    assert visitor.state()["file"] is None


def test_a_page_of_the_workbench_may(visitor):
    here = {"origin": ADDRESS, "sec-fetch-site": "same-origin"}
    assert visitor.post("/undo", headers=here).status_code == 200


def test_other_sites_may_lead_here_but_not_load_from_here(visitor):
    outside = {"sec-fetch-site": "cross-site"}
    assert visitor.get("/data", headers=outside | {"sec-fetch-mode": "navigate"}).status_code == 200
    assert visitor.client.head("/data", headers=outside | {"sec-fetch-mode": "navigate"}).status_code == 200
    assert visitor.get("/api/workbench", headers=outside | {"sec-fetch-mode": "no-cors"}).status_code == 403


def test_a_link_on_another_site_takes_no_session_away(server):
    """A browser sends no cookies with it, so who comes must not be taken for someone new."""
    first, enter = server
    outside = {"sec-fetch-site": "cross-site", "sec-fetch-mode": "navigate"}
    answer = enter().get('/data?a=1&b="><script>', headers=outside)
    assert "set-cookie" not in answer.headers
    assert 'content="0; url=/data?a=1&amp;b=%22%3E%3Cscript%3E"' in answer.text
    assert not first.client.app._app._app._sessions._sessions
    other = enter().get(f"{ADDRESS}//elsewhere.example/x", headers=outside)
    assert 'url=/elsewhere.example/x"' in other.text


def test_a_session_ends_when_its_owner_says_so(server):
    visitor, enter = server
    visitor.opened()
    cookies = dict(visitor.client.cookies)
    answer = visitor.post("/session/end")
    assert "has ended" in answer.text
    assert all('=""' in each and "Max-Age=0" in each for each in answer.headers.get_list("set-cookie"))
    thief = enter()
    thief.client.cookies.update(cookies)
    assert thief.state()["file"] is None
    thief.opened()
    assert thief.client.delete("/api/session").status_code == 204
    assert thief.state()["file"] is None


def test_the_cookie_is_for_this_server_alone(visitor):
    cookie = visitor.get("/data").headers["set-cookie"]
    assert "HttpOnly" in cookie
    assert "SameSite=Strict" in cookie
    assert "8642" in cookie.split("=")[0]
    assert visitor.get("/data").headers.get("set-cookie") is None


def test_long_bodies_are_refused_where_no_file_is_expected(visitor):
    assert visitor.post("/protect/choose", content=b"k" * (2 << 20)).status_code == 413
    assert visitor.post("/roles", content=iter([b"a=b"])).status_code == 413


def test_static_files_are_only_those_that_are_meant(visitor):
    for name in ("../app.py", "..%2fapp.py", "%2e%2e/app.py", "app.py"):
        assert visitor.get(f"/static/{name}").status_code == 404


@pytest.fixture(scope="module")
def open_to_others(tmp_path_factory):
    with serving(tmp_path_factory.mktemp("place"), host="0.0.0.0", token="the-secret-token") as both:
        yield both


class TestToken:
    @pytest.fixture
    def stranger(self, open_to_others):
        """Somebody new at a server that others can reach."""
        return open_to_others[1]()

    @pytest.mark.parametrize("path", ["/", "/data", "/static/workbench.css", "/api/workbench", "/?token=wrong"])
    def test_nothing_is_shown_without_it(self, stranger, path):
        answer = stranger.get(path)
        assert answer.status_code == 401
        assert "the-secret-token" not in answer.text
        assert "set-cookie" not in answer.headers

    def test_it_becomes_a_cookie_and_leaves_the_address(self, stranger):
        answer = stranger.get("/data?token=the-secret-token&a=1", follow_redirects=False)
        assert answer.status_code == 303
        assert answer.headers["location"] == "/data?a=1"
        cookie = answer.headers["set-cookie"].lower()
        assert "httponly" in cookie
        assert "samesite=strict" in cookie
        assert stranger.get("/data").status_code == 200

    def test_programs_send_it_in_a_header(self, stranger):
        assert stranger.get("/api/workbench", headers={"authorization": "Bearer the-secret-token"}).status_code == 200
        for wrong in ("Bearer nope", "the-secret-token", "Bearer ", "Bearer thé"):
            given = wrong.encode("latin-1")
            assert stranger.get("/api/workbench", headers={"authorization": given}).status_code == 401

    def test_it_is_compared_in_constant_time(self, stranger, monkeypatch):
        seen = []
        real = hmac.compare_digest
        monkeypatch.setattr(hmac, "compare_digest", lambda a, b: seen.append((a, b)) or real(a, b))
        stranger.get("/data?token=wrong")
        assert (b"wrong", b"the-secret-token") in seen

    def test_addresses_are_names_of_a_server_that_others_reach_but_not_any_name(self, stranger):
        bearer = {"authorization": "Bearer the-secret-token"}
        assert stranger.get("/api/workbench", headers=bearer | {"host": "192.168.1.5:8642"}).status_code == 200
        assert stranger.get("/api/workbench", headers=bearer | {"host": "evil.example"}).status_code == 421

    @pytest.mark.parametrize("host", ["0.0.0.0", "192.168.1.5", "::", "office.example"])
    def test_others_than_this_computer_need_one(self, host):
        with pytest.raises(ShoalError, match="could read"):
            with_token(Settings(host=host), wanted=False)

    @pytest.mark.parametrize("host", ["0.0.0.0", "192.168.1.5", "::", "office.example", "127.0.0.1", "localhost"])
    def test_it_is_asked_for_unless_someone_forgoes_it(self, host):
        settings = with_token(Settings(host=host))
        assert len(settings.token) >= 32
        assert settings.token in address(settings)
        assert settings.token not in repr(settings)

    @pytest.mark.parametrize("host", ["127.0.0.1", "localhost", "::1"])
    def test_this_computer_may_do_without(self, host):
        assert is_loopback(host)
        assert with_token(Settings(host=host), wanted=False).token is None


def test_a_port_that_is_taken_is_an_error_that_says_so():
    with bound("127.0.0.1", 0) as taken, pytest.raises(ShoalError, match="cannot listen"):
        bound("127.0.0.1", taken.getsockname()[1])


def test_where_no_port_was_asked_for_the_next_free_one_is_taken_and_told(tmp_path, monkeypatch):
    monkeypatch.setattr("shoal.web.server._Server.run", lambda *_: None)
    told = []
    with bound("127.0.0.1", 0) as taken:
        port = taken.getsockname()[1]
        serve(Settings(port=port, kept=tmp_path), browser=False, say=told.append, or_next=20)
        assert port < int(told[0].rstrip("/").rpartition(":")[2]) <= port + 20


def test_a_server_clears_away_what_connections_leave_behind(tmp_path, monkeypatch):
    seen = []
    monkeypatch.setattr("shoal.web.server._Server.run", lambda *_: seen.append(gc.isenabled()))
    gc.disable()  # as commands do when they start
    try:
        serve(Settings(port=0, kept=tmp_path), browser=False, say=seen.append)
    finally:
        gc.enable()
    assert seen[1:] == [True]


def test_nothing_is_told_to_anyone_whatever_the_environment_says(tmp_path, monkeypatch):
    monkeypatch.setenv("FASTAPI_OTEL_AUTO_CONFIGURE", "true")
    monkeypatch.setenv("OTEL_EXPORTER_OTLP_ENDPOINT", "http://127.0.0.1:9")
    inner = create_app(Settings(kept=tmp_path))._app._app._app
    told = getattr(inner, "_telemetry", {})  # older ones have nothing to tell with
    assert not any(told.get(name) for name in ("tracing", "metrics", "logs", "operation_spans", "auto_configure"))


def test_no_page_of_fastapi_that_loads_from_elsewhere_is_there(tmp_path):
    with TestClient(create_app(Settings(kept=tmp_path)), base_url=ADDRESS) as client:
        for path in ("/docs", "/redoc", "/openapi.json"):
            assert client.get(path).status_code == 404
