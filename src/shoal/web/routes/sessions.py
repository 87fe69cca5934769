"""The session as a whole: how someone leaves, and takes everything that is not kept with them."""

from __future__ import annotations

from fastapi import Request
from fastapi.responses import HTMLResponse, Response

from shoal.web.guard import token_cookie
from shoal.web.page_templates import rendered
from shoal.web.routes.shared import Here, Shown, routers
from shoal.web.session_middleware import session_of, store_of

api, pages = routers()


def _forgotten(request: Request, answer: Response) -> Response:
    store = store_of(request)
    store.end(session_of(request).id)
    for name in (store.cookie, token_cookie(store.settings)):
        answer.delete_cookie(name, httponly=True, samesite="strict")
    return answer


@api.delete("/session", status_code=204)
def end(request: Request, case: Here, shown: Shown) -> Response:
    """End the session: work stops, files that were sent are removed, and the cookies are worth nothing any more."""
    with case.changing(shown):
        return _forgotten(request, Response(status_code=204))


@pages.post("/session/end")
def end_by_form(request: Request, case: Here, shown: Shown) -> Response:
    """End the session, and say so."""
    with case.changing(shown):
        return _forgotten(request, HTMLResponse(rendered("ended.html")))
