"""In which language someone reads: what they chose, else the one that their browser asks for, of those there are."""

from __future__ import annotations

from typing import Annotated

from fastapi import APIRouter, Form, Request
from fastapi.responses import RedirectResponse, Response
from starlette.requests import HTTPConnection
from starlette.types import ASGIApp, Receive, Scope, Send

from shoal.languages import ENGLISH, Language, languages, speaking
from shoal.web.redirects import came_from

router = APIRouter(include_in_schema=False)
COOKIE = "shoal-language"
_YEAR = 365 * 86400


class Reader:
    """Answers people in their language, and programs in English: what those rely on must not depend on who asks."""

    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass a request on, with the language in which it is answered."""
        if scope["type"] != "http" or scope["path"].startswith("/api/"):
            await self._app(scope, receive, send)
            return
        asked = HTTPConnection(scope)
        chosen = languages().get(asked.cookies.get(COOKIE, ""))
        with speaking(chosen or preferred(asked.headers.get("accept-language", ""))):
            await self._app(scope, receive, send)


def preferred(wishes: str) -> Language:
    """Give the language that a browser likes best of those there are (RFC 9110, 12.5.4).

    >>> preferred("fr-CH, de-AT;q=0.8, en;q=0.5").code, preferred("fr").code, preferred("de;q=0").code
    ('de', 'en', 'en')
    """
    known = languages()
    weighed = []
    for place, wish in enumerate(wishes.split(",")):
        code, _, weight = wish.strip().partition(";")
        code = code.strip().lower().partition("-")[0]
        if code in known and (quality := _quality(weight)) > 0:
            weighed.append((-quality, place, code))
    return known[min(weighed)[2]] if weighed else ENGLISH


def _quality(weight: str) -> float:
    name, _, value = weight.strip().partition("=")
    try:
        return float(value) if name.strip() == "q" else 1.0
    except ValueError:
        return 0.0


@router.post("/language")
def choose(request: Request, language: Annotated[str, Form(max_length=35)]) -> Response:
    """Keep the language that someone chose, and lead back to where they were."""
    answer = RedirectResponse(came_from(request), 303)
    if language in languages():
        secure = request.url.scheme == "https"
        answer.set_cookie(COOKIE, language, max_age=_YEAR, httponly=True, samesite="strict", secure=secure)
    return answer
