"""Starting the server: on this computer only unless another host is named, and for those who have the token."""

from __future__ import annotations

import errno
import gc
import os
import secrets
import socket
import threading
import webbrowser
from collections.abc import Callable
from dataclasses import replace
from html import escape
from typing import Any

import python_multipart  # noqa: F401 - what forms need is missed here, before any is described
import uvicorn

from shoal.engines.workspace import folder_until_exit
from shoal.errors import DataError, ParameterError
from shoal.web.app import create_app
from shoal.web.guard import is_loopback
from shoal.web.settings import Settings


def with_token(settings: Settings, *, wanted: bool = True) -> Settings:
    """Add a token: also on this computer there may be others, who could read what is opened."""
    if wanted:
        return replace(settings, token=secrets.token_urlsafe(32))
    if not is_loopback(settings.host):
        raise ParameterError(
            f"Everybody who reaches {settings.host} could read what is opened there.", "Leave out --no-token."
        )
    return settings


def bound(host: str, port: int, *, or_next: int = 0) -> socket.socket:
    """Take a port and listen there; if it is taken, at one of so many that follow."""
    found = socket.socket(socket.AF_INET6 if ":" in host else socket.AF_INET, socket.SOCK_STREAM)
    if os.name == "posix":  # elsewhere two servers could then have the same port
        found.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    try:
        found.bind((host, port))
        found.listen(128)  # a browser that is given the address may come at once, and waits until the server is there
    except (OSError, OverflowError) as error:
        found.close()
        if or_next and getattr(error, "errno", None) == errno.EADDRINUSE:
            return bound(host, port + 1, or_next=or_next - 1)
        reason = getattr(error, "strerror", None) or str(error)
        raise DataError(
            f"The workbench cannot listen at {host}, port {port}: {reason}.", "Choose another port: --port 8700."
        ) from None
    return found


def address(settings: Settings) -> str:
    """Give the address to open, with the token if one is needed."""
    host = "127.0.0.1" if settings.host in ("", "0.0.0.0") else settings.host  # noqa: S104 - compared, not bound
    host = f"[{host}]" if ":" in host else host
    return f"http://{host}:{settings.port}/" + (f"?token={settings.token}" if settings.token else "")


def serve(settings: Settings, *, browser: bool, say: Callable[[str], None], or_next: int = 0) -> None:
    """Run the server until it is stopped.

    Parameters
    ----------
    settings
        How it is set up. Port 0 takes any free one.
    browser
        Whether to open a browser.
    say
        Is given the address of the workbench.
    or_next
        How many ports that follow will do as well if the port is taken.
    """
    listening = bound(settings.host, settings.port, or_next=or_next)
    settings = replace(settings, port=listening.getsockname()[1])
    config = uvicorn.Config(
        create_app(settings), log_level="error", access_log=False, server_header=False, timeout_graceful_shutdown=1
    )
    gc.enable()  # a command is started without, but every connection to a server leaves something behind
    say(address(settings))
    if browser:
        opened = threading.Timer(0.6, webbrowser.open, [_page_that_leads_to(address(settings))])
        opened.daemon = True
        opened.start()
    try:
        _Server(config).run([listening])
    finally:
        listening.close()


def _page_that_leads_to(place: str) -> str:
    """Write a page that only its owner can read and that leads to an address.

    The command line of a browser can be read by everybody on the computer, and would give the token away.
    """
    page = folder_until_exit() / "open.html"
    page.touch(mode=0o600)
    page.write_text(f'<!doctype html><meta http-equiv="refresh" content="0; url={escape(place)}">', encoding="utf-8")
    return page.as_uri()


class _Server(uvicorn.Server):
    """A server that ends quietly when it is stopped: to stop it is the usual way to end it."""

    def handle_exit(self, sig: int, frame: Any) -> None:
        self.should_exit = True
