"""Starting the server: on this computer only unless told otherwise, and then not without a token."""

from __future__ import annotations

import gc
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


def bound(host: str, port: int) -> socket.socket:
    """Take a port, or the next free one if no port was asked for and the usual one is taken."""
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    found = socket.socket(family, socket.SOCK_STREAM)
    found.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    try:
        found.bind((host, port))
    except (OSError, OverflowError) as error:
        found.close()
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


def serve(settings: Settings, *, browser: bool, say: Callable[[str], None]) -> None:
    """Run the server until it is stopped.

    Parameters
    ----------
    settings
        How it is set up. Port 0 takes any free one.
    browser
        Whether to open a browser.
    say
        Is told where the workbench is.
    """
    listening = bound(settings.host, settings.port)
    settings = replace(settings, port=listening.getsockname()[1])
    config = uvicorn.Config(
        create_app(settings), log_level="error", access_log=False, server_header=False, timeout_graceful_shutdown=1
    )
    gc.enable()  # a command is started without, but every connection to a server leaves something behind
    listening.listen(128)  # whoever is told the address may come at once, and waits until the server is there
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
