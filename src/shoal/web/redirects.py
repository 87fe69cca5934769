"""Where someone came from, so that they are led back to it."""

from __future__ import annotations

from collections.abc import Collection
from urllib.parse import urlsplit

from starlette.requests import Request


def came_from(request: Request, screens: Collection[str] = ()) -> str:
    """Give the address of the page on which something was asked for, if it is one of these screens; else the start."""
    came = urlsplit(request.headers.get("referer", ""))
    place = "/" + came.path.lstrip("/")  # a path that begins with two would lead to another server
    if screens and place.removeprefix("/") not in screens:
        return "/"
    return f"{place}?{came.query}" if came.query else place
