"""The command that opens the workbench: web."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Annotated

import typer

from shoal.cli.options import PseudonymKey, SealKey, SignOption, app
from shoal.cli.parsing import shared_key, signing_pair
from shoal.errors import ParameterError
from shoal.extras import missing
from shoal.secret_keys import FILE_IN_ENVIRONMENT, SecretKey


@app.command("web")
def web_command(
    file: Annotated[Path | None, typer.Argument(metavar="[FILE]", help="A file to open at once: delimited text (.gz, .zst) or Parquet; or the ledger of a budget, to ask questions.")] = None,
    port: Annotated[int | None, typer.Option(help="Where the workbench listens; 8642 or the next free port if left out, 0 takes any.", min=0, max=65535)] = None,
    no_browser: Annotated[bool, typer.Option("--no-browser", help="Do not open a browser.")] = False,
    host: Annotated[str, typer.Option(help="The address to listen at.")] = "127.0.0.1",
    folder: Annotated[list[Path] | None, typer.Option(help="A folder whose files can be opened without being sent (repeat).")] = None,
    keep: Annotated[Path | None, typer.Option(help="Where releases go that are to be kept; your data folder if left out.")] = None,
    no_token: Annotated[bool, typer.Option("--no-token", help="Let in everybody who uses this computer, without the token in the printed address.")] = False,
    pseudonym_key: PseudonymKey = None,
    key: SealKey = None,
    sign: SignOption = None,
    most: Annotated[float, typer.Option(help="The largest file that can be sent, in GB.", min=0.001)] = 4.0,
) -> None:  # fmt: skip
    """Open the workbench: see the danger, move k, write a release. Everything stays on this computer."""
    try:
        from shoal.web.guard import is_loopback
        from shoal.web.server import serve, with_token
    except ImportError as error:
        raise missing(f"The workbench needs {error.name or 'more'}", "web") from None
    from shoal.private.ledger import Ledger
    from shoal.private.ledger_proof import is_ledger
    from shoal.web.file_access import on_this_computer
    from shoal.web.settings import USUAL_PORT, Settings, kept_by_default

    if pseudonym_key is not None:  # for the processes that write releases
        SecretKey.load(pseudonym_key)  # what is none is refused here
        os.environ[FILE_IN_ENVIRONMENT] = str(pseudonym_key.resolve())
    shared_key(key), signing_pair(sign)  # what is none is refused here, too
    for place in folder or ():
        if not place.is_dir():
            raise ParameterError(f"'{place}' is not a folder.", "Name a folder that exists.")
    ledger = file.resolve() if file is not None and is_ledger(file) else None
    settings = Settings(
        host=host,
        port=USUAL_PORT if port is None else port,
        folders=tuple(folder or ()),
        first=None if file is None or ledger is not None else file.resolve(),
        ledger=ledger,
        kept=keep or kept_by_default(),
        sign=None if sign is None else sign.resolve(),
        seal=None if key is None else key.resolve(),
        most_bytes=int(most * (1 << 30)),
    )
    if ledger is not None:
        Ledger.open(ledger).account()  # which is refused here, and not when somebody comes
    elif file is not None:
        on_this_computer(settings, str(file), folders=True)
    if no_token and is_loopback(host):
        typer.echo("! Every account on this computer can read what is opened: nobody is asked for a token.", err=True)
    serve(
        with_token(settings, wanted=not no_token), browser=not no_browser, say=_say, or_next=20 if port is None else 0
    )


def _say(address: str) -> None:
    typer.echo(f"The workbench is at {address}")
    typer.echo("Everything stays on this computer. Stop it with Ctrl-C.")
