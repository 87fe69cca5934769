"""The commands. Results go to stdout, progress and errors to stderr; a cell is never shown."""

from __future__ import annotations

import io
import json
import os
import signal
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import asdict, replace
from pathlib import Path
from typing import Annotated, Any

import typer

from shoal import showing
from shoal.arguments import listed, method_parameters, read_options, signing_key
from shoal.catalogue import SHELVES, build, entries, look_up
from shoal.certificate import Certificate, verify
from shoal.conditions import Condition
from shoal.engines import read
from shoal.errors import CertificateError, ParameterError, SchemaError, ShoalError
from shoal.inspection import inspect
from shoal.measures import Measure, score
from shoal.measures.attribute_disclosure import AttributeDisclosure
from shoal.measures.information_loss import InformationLoss
from shoal.models import PrivacyModel
from shoal.models.k_anonymity import KAnonymity
from shoal.models.t_closeness import TCloseness
from shoal.recipe import Recipe
from shoal.release import STANDARD_MEASURES, Release, anonymize, beside
from shoal.risk import risk
from shoal.schema import ReadOptions, Role, Roles
from shoal.table import Table
from shoal.version import VERSION

app = typer.Typer(
    help="Publish data about people without giving anyone away.",
    no_args_is_help=True,
    pretty_exceptions_enable=False,
    rich_markup_mode=None,
)

File = Annotated[Path, typer.Argument(help="Delimited text or Parquet.")]
Quasi = Annotated[str, typer.Option(help="Quasi-identifiers, separated by commas.")]
Sensitive = Annotated[str, typer.Option(help="Confidential columns, released as they are.")]
Plain = Annotated[str, typer.Option(help="Other columns to keep. Columns that are not named are left out.")]
Subject = Annotated[str | None, typer.Option(help="The column that tells people apart: k then counts people.")]
RolesOption = Annotated[
    str | None,
    typer.Option("--roles", help="'last-sensitive': the last column is confidential, all others quasi-identifiers."),
]
Kind = Annotated[list[str] | None, typer.Option(help="What a column is: age=integer, zip=category (repeat).")]
Order = Annotated[list[str] | None, typer.Option(help="Ordered categories: size=small,medium,large (repeat).")]
Delimiter = Annotated[str | None, typer.Option("--in-delimiter", help="The input's delimiter; found out if left out.")]
Encoding = Annotated[str | None, typer.Option(help="The input's encoding; UTF-8, else Latin-1.")]
Decimal = Annotated[str | None, typer.Option(help="The input's decimal sign.")]
Missing = Annotated[
    str, typer.Option(help="Texts that stand for a missing value, separated by commas. Empty cells always do.")
]
Json = Annotated[bool, typer.Option("--json", help="One JSON object on stdout, nothing else.")]
Where = Annotated[str | None, typer.Option(help="A confidential property: 'charge > 100000'.")]
Known = Annotated[list[str] | None, typer.Option(help="Attributes an attacker knows, separated by commas (repeat).")]


def _print_json(content: Any) -> None:
    plain = sys.stdout.encoding.lower() not in ("utf-8", "utf8")
    sys.stdout.write(json.dumps(content, ensure_ascii=plain, allow_nan=False) + "\n")


@app.command("inspect")
def inspect_command(
    file: File, kind: Kind = None, in_delimiter: Delimiter = None, encoding: Encoding = None,
    decimal: Decimal = None, missing: Missing = "", as_json: Json = False,
) -> None:  # fmt: skip
    """Show columns, kinds, and suggested roles with reasons."""
    options = read_options(kind=kind, in_delimiter=in_delimiter, encoding=encoding, decimal=decimal, missing=missing)
    with showing.progress(f"reading {file.name}"):
        table = read(file, options=replace(options, roles=Roles(rest=Role.PLAIN)))
        reports = inspect(table)
    if as_json:
        _print_json({"file": file.name, "records": table.rows, "notes": list(table.origin.notes),
                     "columns": [asdict(report) for report in reports]})  # fmt: skip
    else:
        showing.inspection(file, table, reports)


@app.command("anonymize")
def anonymize_command(
    file: File,
    out: Annotated[Path, typer.Option("--out", "-o", help="Where the release goes; .parquet gives Parquet.")],
    quasi: Quasi = "", sensitive: Sensitive = "", plain: Plain = "", subject: Subject = None, roles: RolesOption = None,
    k: Annotated[int | None, typer.Option(help="Each combination occurs at least k times.")] = None,
    t: Annotated[float | None, typer.Option(help="Confidential values are spread within t of the whole table.")] = None,
    t_column: Annotated[str | None, typer.Option(help="The confidential column that t is about.")] = None,
    t_distance: Annotated[str | None, typer.Option(help="ordered-distinct, ordered-records or variation.")] = None,
    method: Annotated[str | None, typer.Option(help="See 'shoal list methods'.")] = None,
    param: Annotated[list[str] | None, typer.Option(help="A parameter of the method: resolution=16 (repeat).")] = None,
    where: Where = None,
    certificate: Annotated[Path | None, typer.Option(help="Where the certificate goes; beside the release if left out.")] = None,
    key: Annotated[Path | None, typer.Option(help="A file with a secret key to sign the certificate with.")] = None,
    recipe: Annotated[Path | None, typer.Option("--save-recipe", help="Also write the recipe, for 'shoal run'.")] = None,
    delimiter: Annotated[str, typer.Option(help="The release's delimiter.")] = ",",
    seed: Annotated[int, typer.Option(help="The seed of methods that draw random numbers.")] = 0,
    kind: Kind = None, order: Order = None, in_delimiter: Delimiter = None, encoding: Encoding = None,
    decimal: Decimal = None, missing: Missing = "", as_json: Json = False,
) -> None:  # fmt: skip
    """Mask a table, prove what is promised, and write it with a certificate."""
    options = read_options(
        quasi, sensitive, plain, subject, roles, kind, order, in_delimiter, encoding, decimal, missing
    )
    models: list[PrivacyModel] = []
    if k is not None:
        models.append(KAnonymity(k))
    if t is not None:
        models.append(TCloseness(t, t_column, t_distance))  # type: ignore[arg-type]
    chosen = build("methods", {"name": method or _default_method(t)} | method_parameters(param))
    if not models and chosen.enforces:
        raise ParameterError(
            "No privacy level is given.", "Give at least --k: a level that nobody chose should not exist."
        )
    measures: list[Measure] = [*STANDARD_MEASURES]
    if where:
        Condition.parse(where)
        measures.append(AttributeDisclosure(where))
    delimiter = "\t" if delimiter == "\\t" else delimiter
    secret = signing_key(key)
    with showing.progress(f"reading {file.name}") as say:
        # The original is not kept under a name: its memory is free for the text of the release.
        release = anonymize(read(file, options=options), chosen, models, measures=measures, seed=seed, progress=say)
        say(f"writing {out.name}")
        needed = () if key is None else (key,)
        sealed = release.write(
            out, certificate=certificate, recipe=recipe, delimiter=delimiter, key=secret, needed=needed
        )
    _show_release(release, sealed, out, certificate, as_json)


def _default_method(t: float | None) -> str:
    return "sorted-clusters" if t is None else "stratified-clusters"


def _show_release(release: Release, sealed: Certificate, out: Path, certificate: Path | None, as_json: bool) -> None:
    paper = certificate or beside(out)
    if as_json:
        parts = ("verdicts", "scores", "steps", "left_out", "digest")
        _print_json({"out": str(out), "certificate": str(paper)} | {part: sealed.content[part] for part in parts})
    else:
        showing.release(release, out, paper)


@app.command("risk")
def risk_command(
    file: File, quasi: Quasi = "", sensitive: Sensitive = "", roles: RolesOption = None, known: Known = None,
    where: Where = None, kind: Kind = None, order: Order = None, in_delimiter: Delimiter = None,
    encoding: Encoding = None, decimal: Decimal = None, missing: Missing = "", as_json: Json = False,
) -> None:  # fmt: skip
    """Measure how many records stand alone."""
    sets = [listed(text) for text in known or ()]
    if not all(sets):
        raise ParameterError("A set of known attributes names none.", "Name at least one: --known age,sex.")
    options = read_options(quasi, sensitive, "", None, roles, kind, order, in_delimiter, encoding, decimal, missing)
    with showing.progress(f"reading {file.name}"):
        guessed = not (options.roles.quasi or options.roles.last_sensitive or sets)
        if guessed:
            options = _guessed(file, options)
        table = read(file, options=_with_columns(options, where, sets))
        for names in sets:
            for name in names:
                if name not in table.schema.quasi:
                    raise SchemaError.missing_column(name, table.schema.quasi)
        report = {"file": file.name} | risk(table, where=where)
        if sets:
            report["known"] = [risk(table, names, where) for names in sets]
    if as_json:
        _print_json(report)
    else:
        showing.risk(table, report, guessed=guessed)


def _guessed(file: Path, options: ReadOptions) -> ReadOptions:
    """Take the columns that look like quasi-identifiers when none are named."""
    table = read(file, options=replace(options, roles=Roles(rest=Role.PLAIN)))
    taken = (*options.roles.sensitive, *options.roles.plain)
    quasi = tuple(report.name for report in inspect(table) if report.role == Role.QUASI and report.name not in taken)
    if not quasi:
        raise ParameterError("No column looks like a quasi-identifier.", "Name them: --quasi age,zip.")
    return replace(options, roles=replace(options.roles, quasi=quasi))


def _with_columns(options: ReadOptions, where: str | None, sets: Sequence[Sequence[str]]) -> ReadOptions:
    """Read also the columns that a condition or a set of known attributes speaks of."""
    roles = options.roles
    if roles.last_sensitive:
        return options
    extra = dict.fromkeys(name for names in sets for name in names) if not roles.quasi else {}
    quasi = (*roles.quasi, *extra)
    named = {*quasi, *roles.sensitive}
    spoken = tuple(c for c in (Condition.parse(where).columns if where else ()) if c not in named)
    return replace(options, roles=replace(roles, quasi=quasi, plain=(*roles.plain, *spoken)))


@app.command("compare")
def compare_command(
    original: Annotated[Path, typer.Argument(help="The original table.")],
    released: Annotated[list[Path], typer.Argument(help="One or more releases of it.")],
    quasi: Quasi = "", sensitive: Sensitive = "", roles: RolesOption = None, where: Where = None, kind: Kind = None,
    order: Order = None, in_delimiter: Delimiter = None, encoding: Encoding = None, decimal: Decimal = None,
    missing: Missing = "", as_json: Json = False,
) -> None:  # fmt: skip
    """Set the risk and the information loss of releases beside the original."""
    options = read_options(quasi, sensitive, "", None, roles, kind, order, in_delimiter, encoding, decimal, missing)
    if not (options.roles.quasi or options.roles.last_sensitive):
        raise ParameterError("No quasi-identifier is named.", "Name them: --quasi age,zip.")
    options = _with_columns(options, where, ())
    with showing.progress(f"reading {original.name}") as say:
        before = read(original, options=options)
        report: dict[str, Any] = {"original": risk(before, where=where), "releases": []}
        for path in released:
            say(f"reading {path.name}")
            after = read(path, options=_like(before, options))
            found = {"path": str(path), "information_loss": score(after, [InformationLoss()], before)[0].value}
            report["releases"].append(found | risk(after, where=where))
    if as_json:
        _print_json(report)
    else:
        showing.comparison(report)


def _like(table: Table, options: ReadOptions) -> ReadOptions:
    """Read a release by the kinds of its original: ranges and sets say less of what a column is."""
    attributes = table.schema.attributes
    orders = {a.name: tuple(a.axis.values) for a in attributes if a.axis.kind == "ordered"}  # type: ignore[arg-type]
    kinds = {a.name: a.axis.kind for a in attributes}
    return replace(options, kinds=kinds, orders=orders, delimiter=None, encoding=None, decimal=None)


@app.command("check")
def check_command(
    file: Annotated[Path, typer.Argument(help="The released file.")],
    certificate: Annotated[Path, typer.Option(help="Its certificate.")],
    key: Annotated[Path | None, typer.Option(help="The key that the certificate was signed with.")] = None,
    original: Annotated[Path | None, typer.Option(help="The original, to prove the information loss too.")] = None,
    as_json: Json = False,
) -> None:
    """Prove a certificate again from the released file alone."""
    try:
        with showing.progress(f"checking {file.name}"):
            proof = verify(file, certificate, key=signing_key(key), original=original)
    except CertificateError as error:
        if as_json:
            _print_json({"verified": False, "reason": error.what})
        raise
    if as_json:
        _print_json({"verified": True, "proved": list(proof.proved), "not_proved": list(proof.not_proved)})
    else:
        showing.proof(file, proof)


@app.command("run")
def run_command(
    recipe: Annotated[Path, typer.Argument(help="A recipe in TOML.")],
    key: Annotated[Path | None, typer.Option(help="A file with a secret key to sign the certificate with.")] = None,
    as_json: Json = False,
) -> None:
    """Do what a recipe says."""
    asked = Recipe.load(recipe)
    if not asked.source or not asked.target:
        raise ParameterError("The recipe names no input or no output.", "Add file = … to [table] and to [release].")
    with showing.progress(f"reading {Path(asked.source).name}") as say:
        release = anonymize(
            read(asked.source, options=asked.options), asked.methods, asked.models, measures=asked.measures,
            seed=asked.seed, progress=say,
        )  # fmt: skip
        say(f"writing {Path(asked.target).name}")
        needed = (recipe,) if key is None else (recipe, key)
        sealed = release.write(
            asked.target, certificate=asked.certificate, delimiter=asked.delimiter, key=signing_key(key), needed=needed
        )
    _show_release(release, sealed, Path(asked.target), Path(asked.certificate) if asked.certificate else None, as_json)


@app.command("list")
def list_command(
    shelf: Annotated[str, typer.Argument(help="methods, models or measures.")], as_json: Json = False
) -> None:
    """List what there is."""
    if shelf not in SHELVES:
        raise ParameterError(f"There is no list of '{shelf}'.", f"There are: {', '.join(SHELVES)}.")
    found = [(name, (entry.__doc__ or "").strip().splitlines()[0]) for name, entry in entries(shelf).items()]
    if as_json:
        _print_json({shelf: [{"name": name, "description": text} for name, text in found]})
    else:
        showing.catalogue(shelf, found, look_up)


@app.command("demo")
def demo_command(
    folder: Annotated[Path | None, typer.Option(help="Where the example's files are kept; a temporary folder if left out.")] = None,
) -> None:  # fmt: skip
    """Anonymize a built-in example and show it before and after."""
    from shoal.datasets.tour import tour

    tour(folder)


@app.callback(invoke_without_command=True)
def _options_of_all(version: Annotated[bool, typer.Option("--version", help="Show the version.")] = False) -> None:
    if version:
        sys.stdout.write(f"shoal {VERSION}\n")
        raise typer.Exit


class _Stopped(BaseException):
    """Someone asked the command to stop."""


@contextmanager
def _ends_tidily() -> Iterator[None]:
    """Turn a request to stop into an exception that nobody mistakes for an error, so that drafts are removed."""

    def stop(*_: Any) -> None:
        raise _Stopped

    before = {number: signal.signal(number, stop) for number in (signal.SIGINT, signal.SIGTERM)}
    try:
        yield
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)


def _forget_stdout() -> None:
    """Send what is still to be shown nowhere, so that the interpreter does not stumble over it at its end."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


def main() -> None:
    """Run a command and turn errors into messages and exit codes."""
    debug = bool(os.environ.get("SHOAL_DEBUG"))
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):  # a sign that the terminal does not know is no reason to fail
            stream.reconfigure(errors="backslashreplace")
    try:
        with _ends_tidily():
            code = app(standalone_mode=False) or 0
            sys.stdout.flush()
    except typer.Exit as end:
        code = end.exit_code
    except SystemExit:  # so typer ends when whoever reads the results has seen enough
        _forget_stdout()
        code = 0
    except typer.TyperException as error:
        if hasattr(error, "show"):
            error.show()
        else:
            showing.error(str(error), "")
        code = 2
    except ShoalError as error:
        if debug:
            raise
        showing.error(error.what, error.remedy)
        code = error.exit_code
    except (_Stopped, typer.Abort):
        showing.error("Stopped. Nothing was written.", "")
        code = 130
    except OSError as error:
        showing.error(f"The results cannot be shown: {error.strerror}.", "Check where the output goes.")
        _forget_stdout()
        code = 3
    except MemoryError:
        showing.error(
            "There is not enough memory for this table.",
            "Leave out columns that are not needed, or use a larger machine.",
        )
        code = 3
    except Exception as error:
        if debug:
            raise
        showing.error(
            f"Something went wrong inside shoal ({type(error).__name__}). This is a defect, not your mistake.",
            "Please report it with the command you ran; SHOAL_DEBUG=1 shows where it happened.",
        )
        code = 70
    sys.exit(code)
