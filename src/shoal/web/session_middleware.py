"""The session of a request, found by a cookie that no script can read and no other site can send."""

from __future__ import annotations

from starlette.datastructures import MutableHeaders
from starlette.requests import HTTPConnection, Request
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from shoal.web.session_store import Session, SessionStore

_MONTH = 30 * 86400
_OPEN = ("/static/", "/api/docs", "/api/openapi.json")


class SessionMiddleware:
    """Puts the session of a request into its state, and gives a cookie to those who have none."""

    def __init__(self, app: ASGIApp, sessions: SessionStore) -> None:
        self._app = app
        self._sessions = sessions

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass a request on with its session."""
        if scope["type"] != "http" or scope["path"].startswith(_OPEN):
            await self._app(scope, receive, send)
            return
        given = HTTPConnection(scope).cookies.get(self._sessions.cookie, "")
        session = self._sessions.enter(given)
        scope.setdefault("state", {}).update(session=session, store=self._sessions)

        async def remembered(message: Message) -> None:
            if message["type"] == "http.response.start" and session.id != given:
                secure = "; Secure" if scope.get("scheme") == "https" else ""
                cookie = f"{self._sessions.cookie}={session.id}; Path=/; Max-Age={_MONTH}; HttpOnly; SameSite=Strict"
                MutableHeaders(scope=message).append("Set-Cookie", cookie + secure)
            await send(message)

        await self._app(scope, receive, remembered)


def store_of(request: Request) -> SessionStore:
    """Give all sessions of the server that a request has reached."""
    store: SessionStore = request.state.store
    return store


def session_of(request: Request) -> Session:
    """Give the session of a request."""
    session: Session = request.state.session
    return session
