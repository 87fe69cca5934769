"""Starting the server: on this computer only unless told otherwise, and then not without a token."""

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
from typing import Any

import uvicorn

from shoal.errors import DataError
from shoal.web.app import create_app
from shoal.web.guard import is_loopback
from shoal.web.settings import Settings


def with_token(settings: Settings, *, always: bool = False) -> Settings:
    """Add a token if others can reach the server."""
    if always or not is_loopback(settings.host):
        return replace(settings, token=secrets.token_urlsafe(32))
    return settings


def bound(host: str, port: int, *, or_next: int = 0) -> socket.socket:
    """Take a port and listen there; if it is taken, at one of so many that follow."""
    found = socket.socket(socket.AF_INET6 if ":" in host else socket.AF_INET, socket.SOCK_STREAM)
    if os.name == "posix":  # elsewhere two servers could then have the same port
        found.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    try:
        found.bind((host, port))
        found.listen(128)  # whoever is told the address may come at once, and waits until the server is there
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
        Is told where the workbench is.
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
        threading.Timer(0.6, webbrowser.open, [address(settings)]).start()
    try:
        _Server(config).run([listening])
    finally:
        listening.close()


class _Server(uvicorn.Server):
    """A server that ends quietly when it is stopped: to stop it is the usual way to end it."""

    def handle_exit(self, sig: int, frame: Any) -> None:
        self.should_exit = True
