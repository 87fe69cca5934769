"""Commands on keys: new, show."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from shoal.cli import options as opt
from shoal.cli.options import print_json
from shoal.secret_keys import SecretKey, open_to_others

KeyFile = Annotated[Path, typer.Argument(metavar="FILE", help="The file of the key.")]

key = typer.Typer(help="Make the secret key of pseudonyms and shifted dates, or tell which one it is.", no_args_is_help=True)  # fmt: skip


def add_key(to: typer.Typer) -> None:
    """Add ``shoal key`` with its commands."""
    to.add_typer(key, name="key")


@key.command("new")
def new_command(
    file: KeyFile,
    sign: Annotated[bool, typer.Option("--sign", help="A pair of keys for signatures (Ed25519); its public half goes to FILE.pub.")] = False,
    as_json: opt.Json = False,
) -> None:  # fmt: skip
    """Draw a key of 256 bits and write it to a new file that nobody else may read."""
    if sign:
        _new_pair(file, as_json=as_json)
        return
    made = SecretKey.new(file)
    if as_json:
        print_json({"file": str(file), "fingerprint": made.fingerprint})
        return
    typer.echo(f"{file}: a new key with the fingerprint {made.fingerprint}")
    typer.echo("  Who has it can compute the pseudonym of anybody; who loses it can never make the same ones again.")
    typer.echo("  Keep a copy where nobody who gets the release can read it.")


def _new_pair(file: Path, *, as_json: bool) -> None:
    from shoal.certification.signatures import SigningKey, public_beside

    fingerprint, public = SigningKey.new(file).public.fingerprint, public_beside(file)
    if as_json:
        print_json({"file": str(file), "public": str(public), "fingerprint": fingerprint})
        return
    typer.echo(
        f"{file}: a new pair of keys for signatures; its public half is {public}, with the fingerprint {fingerprint}"
    )
    typer.echo(
        "  Who has the pair can sign as you do. Give away the public half only, and its fingerprint by another way."
    )


@key.command("show")
def show_command(file: KeyFile, as_json: opt.Json = False) -> None:
    """Show the fingerprint of a key, as certificates have it; never the key."""
    fingerprint, exposed = SecretKey.load(file).fingerprint, open_to_others(file)
    if as_json:
        print_json({"file": str(file), "fingerprint": fingerprint, "open_to_others": exposed})
        return
    typer.echo(f"{file}: a key with the fingerprint {fingerprint}")
    if exposed:
        typer.echo(f"  Others on this machine may read it. Take that from them: chmod 600 {file}")
