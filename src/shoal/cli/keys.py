"""Commands on keys: new, show, reveal."""

from __future__ import annotations

import csv
import io
from pathlib import Path
from typing import Annotated

import typer

from shoal.cli import options as opt
from shoal.cli.options import print_json
from shoal.engines.sources import Source
from shoal.progress.display import in_command
from shoal.secret_keys import SecretKey, open_to_others, write_secret

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


@key.command("reveal")
def reveal_command(
    file: KeyFile,
    release: Annotated[Source, typer.Argument(parser=Source.parse, metavar="RELEASE", help="The release, with its certificate beside it.")],
    out: Annotated[Path, typer.Option(metavar="FILE", help="A new CSV file, which nobody else may read: each name in the release, and the true one.")],
    column: Annotated[str | None, typer.Option(help="Which column, if more than one has other names.")] = None,
    original: Annotated[Source | None, typer.Option(parser=Source.parse, metavar="FILE", help="For pseudonyms: a table with the people who may be meant, in a column of the same name.")] = None,
    certificate: Annotated[Path | None, typer.Option(help="The certificate, if it is not beside the release.")] = None,
    as_json: opt.Json = False,
) -> None:  # fmt: skip
    """Tell who is behind the names of a release: turn codes of FF1 back, or look pseudonyms up among people."""
    from shoal.releases.revealing import reveal

    with in_command(f"reading {release.name}"):
        found, unknown = reveal(
            release, SecretKey.load(file), column=column, original=original, certificate=certificate
        )
    text = io.StringIO(newline="")
    csv.writer(text, lineterminator="\n").writerows([("released", "original"), *found.items()])
    write_secret(out, text.getvalue().encode(), "no list of names is written over")
    if as_json:
        print_json({"file": str(out), "names": len(found), "unknown": unknown})
        return
    typer.echo(f"{out}: the true names behind {len(found):,} names of {release.name}. Only you may read the file.")
    if unknown:
        typer.echo(f"  {unknown:,} more are of nobody in {original.name if original else 'the table'}.")
