"""The guard: who may come in, from which page, and what a page may do.

It stands before everything else and needs to know nothing of the pages. What it lets through is asked for by someone
with the token, if there is one, under a name of this server, and by a page of this server.
"""

from __future__ import annotations

import hmac
import ipaddress
import socket
from collections.abc import Iterable, Mapping
from html import escape
from urllib.parse import parse_qs, urlencode, urlsplit

from starlette.datastructures import Headers, MutableHeaders
from starlette.requests import HTTPConnection
from starlette.responses import HTMLResponse, JSONResponse, PlainTextResponse, RedirectResponse, Response
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from shoal.web.settings import Settings

LOOPBACK = ("localhost", "127.0.0.1", "::1")
POLICY = {
    "default-src": "'none'",
    "script-src": "'self'",
    "style-src": "'self'",
    "img-src": "'self'",
    "font-src": "'self'",
    "connect-src": "'self'",
    "form-action": "'self'",
    "base-uri": "'none'",
    "frame-ancestors": "'none'",
}
HEADERS = {
    "Content-Security-Policy": "; ".join(f"{name} {value}" for name, value in POLICY.items()),
    "X-Content-Type-Options": "nosniff",
    "Referrer-Policy": "same-origin",  # without any, browsers would not say where a form comes from
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Permissions-Policy": "camera=(), geolocation=(), microphone=()",
    "X-Frame-Options": "DENY",
    "Cache-Control": "no-store",
}
_SAFE = ("GET", "HEAD", "OPTIONS")
SENDING = (
    "/data/upload",
    "/api/file",
    "/risk/population",
    "/api/population",
    "/files/send",
    "/api/files",
    "/hierarchies/upload",
    "/api/hierarchy",
    "/cases/file",
    "/api/cases/file",
    "/cases/import",
    "/api/cases/import",
)  # what takes a file; everything else takes a few words
_LONGEST = 1 << 20


def is_loopback(host: str) -> bool:
    """Tell whether only this computer can reach an address."""
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return host == "localhost"


def token_cookie(settings: Settings) -> str:
    """Give the name of the cookie that holds the token: cookies do not tell ports apart."""
    return f"shoal-key-{settings.port}"


class Guard:
    """Lets in who may come in, and adds to each answer what a page may do."""

    def __init__(self, app: ASGIApp, settings: Settings) -> None:
        self._app = app
        self._settings = settings
        self._names = {name.lower() for name in (*LOOPBACK, settings.host, socket.gethostname())}
        self._anywhere = not is_loopback(settings.host)
        self.cookie = token_cookie(settings)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer a request, or pass it on."""
        if scope["type"] != "http":
            if scope["type"] == "lifespan":
                await self._app(scope, receive, send)
            return

        async def sealed(message: Message) -> None:
            if message["type"] == "http.response.start":
                headers = MutableHeaders(scope=message)
                for name, value in HEADERS.items():
                    headers.setdefault(name, value)
            await send(message)

        headers = Headers(scope=scope)
        refusal = self._refusal(scope, headers)
        if refusal is not None:
            await refusal(scope, receive, sealed)
            return
        await self._app(scope, receive, sealed)

    def _refusal(self, scope: Scope, headers: Headers) -> Response | None:
        host = headers.get("host", "")
        if not self._is_mine(host):
            return PlainTextResponse("This server does not go by that name.\n", 421)
        if scope["method"] not in _SAFE and not _from_here(headers, host, scope.get("scheme", "http")):
            return PlainTextResponse("Only pages of the workbench itself may ask for that.\n", 403)
        if headers.get("sec-fetch-site") == "cross-site" and headers.get("sec-fetch-mode") != "navigate":
            return PlainTextResponse("Only pages of the workbench itself may ask for that.\n", 403)
        if headers.get("sec-fetch-site") == "cross-site":
            return _reloaded(scope)
        return self._without_token(scope, headers) or _too_long(scope, headers)

    def _is_mine(self, host: str) -> bool:
        """Tell whether a name is one of this server's: a page elsewhere may make its own name point here."""
        name = (urlsplit(f"//{host}").hostname or "").lower()
        if name in self._names:
            return True
        try:
            ipaddress.ip_address(name)
        except ValueError:
            return False
        return self._anywhere  # an address cannot be made to point elsewhere

    def _without_token(self, scope: Scope, headers: Headers) -> Response | None:
        token = self._settings.token
        if token is None or _same(HTTPConnection(scope).cookies.get(self.cookie, ""), token):
            return None
        kind, _, given = headers.get("authorization", "").partition(" ")
        if kind.lower() == "bearer" and _same(given.strip(), token):
            return None
        asked = parse_qs(scope.get("query_string", b"").decode("latin-1"))
        if scope["method"] == "GET" and _same(next(iter(asked.pop("token", [])), ""), token):
            rest = urlencode(asked, doseq=True)
            answer: Response = RedirectResponse(scope["path"] + (f"?{rest}" if rest else ""), 303)
            answer.set_cookie(
                self.cookie, token, httponly=True, samesite="strict", secure=scope.get("scheme") == "https"
            )
            return answer
        said = "Open the address that was printed when the workbench was started: it holds the token.\n"
        if scope["path"].startswith("/api/"):
            return JSONResponse({"error": "A token is needed.", "remedy": said.strip()}, 401)
        return PlainTextResponse(said, 401)


def _reloaded(scope: Scope) -> Response:
    """Answer a link on a page of another site, with which a browser sends no cookies, by a page that asks again.

    That is then asked for by a page of this server, so that who comes is known, and nobody is taken for someone new.
    """
    query = scope.get("query_string", b"").decode("latin-1")
    place = escape("/" + scope["raw_path"].decode("latin-1").lstrip("/") + (f"?{query}" if query else ""))
    return HTMLResponse(
        f'<!doctype html><html lang="en"><head><meta http-equiv="refresh" content="0; url={place}">'
        f'<title>shoal</title></head><body><p><a href="{place}">shoal</a></p></body></html>'
    )


def _too_long(scope: Scope, headers: Headers) -> Response | None:
    """Refuse a body that is long, or of unknown length, where no file is expected."""
    length = headers.get("content-length", "0")
    known = length.isdecimal() and "transfer-encoding" not in headers
    if scope["path"] in SENDING or (known and int(length) <= _LONGEST):
        return None
    return PlainTextResponse("That is more than can be taken here.\n", 413)


def _same(given: str, token: str) -> bool:
    """Compare in a time that tells nothing."""
    return hmac.compare_digest(given.encode("utf-8", "replace"), token.encode())


def _from_here(headers: Mapping[str, str], host: str, scheme: str) -> bool:
    """Tell whether a request that changes something comes from a page of this server, or from no page at all."""
    if headers.get("sec-fetch-site", "same-origin") not in ("same-origin", "none"):
        return False
    origin = headers.get("origin")
    return origin is None or origin.lower() == f"{scheme}://{host}".lower()


def style_policy(hashes: Iterable[str]) -> str:
    """Give the policy of a page that carries its own style, and nothing that runs."""
    own = " ".join(f"'sha256-{each}'" for each in hashes)
    return f"default-src 'none'; style-src {own}; base-uri 'none'; form-action 'none'; frame-ancestors 'none'; sandbox"
