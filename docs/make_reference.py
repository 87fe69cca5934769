"""Write docs/reference.md from the docstrings: the public names, the catalogue, and the commands.

It also writes docs/api, whose pages name what the site is to show of each public module.
Run it after a docstring, a catalogue line or an option has changed; a test fails until that is done.
"""

from __future__ import annotations

import inspect
import re
import sys
from collections.abc import Callable, Iterable, Iterator
from dataclasses import MISSING, fields, is_dataclass
from enum import Enum
from pathlib import Path
from typing import Any, get_type_hints

import typer.models

import shoal
from shoal.assessment.comparison import Comparison
from shoal.assessment.disclosure_risk import Risk
from shoal.assessment.inspection import Inspection
from shoal.catalogue import SHELVES, entries
from shoal.certification.certificate import Certificate
from shoal.certification.private_record import PrivateRecord
from shoal.certification.proof import Proof
from shoal.cli import application
from shoal.measures import Score, Scores
from shoal.methods.partitioning import Publisher
from shoal.models import Verdict
from shoal.schema import Role

_OF_MODELS = ("check", "closeness_bound", "cluster_size", "smallest_cluster")
# Values that public functions give or take.
_GIVEN = (Inspection, Risk, Comparison, Certificate, PrivateRecord, Proof, Publisher, Role, Score, Scores, Verdict)
TARGET = Path(__file__).parent / "reference.md"
API = Path(__file__).parent / "api"
_SECTION = re.compile(r"^(?P<title>[A-Z][A-Za-z ]+)\n-{3,}$", re.MULTILINE)
_ARGUMENTS = ("Parameters", "Attributes")


def reference() -> str:
    """Give the whole page."""
    parts = [
        "# Reference",
        "<!-- Made by docs/make_reference.py from the docstrings. Change those, and run it again. -->",
        f"shoal {shoal.__version__}. How the parts fit together is described in [concepts](concepts.md).",
        *_names(),
        *_catalogue(),
        *_commands(),
    ]
    return "\n\n".join(part.strip() for part in parts if part.strip()) + "\n"


_MODULES = {
    "methods": "how records are masked",
    "models": "what a release promises",
    "measures": "what risk is left and what was lost",
    "attacks": "what is attempted with a release",
    "errors": "what can go wrong",
    "engines": "what holds tables, for those who [extend](../extending.md) shoal",
}


def api() -> dict[Path, str]:
    """Give the pages of the site that are filled from docstrings: one for each public module."""
    rows = ((f"[`shoal.{name}`]({name}.md)", what) for name, what in _MODULES.items())
    public = [getattr(shoal, name) for name in dir(shoal)]
    own = [v for kind in (inspect.isfunction, inspect.isclass) for v in public if kind(v) and v is not shoal.ShoalError]
    shown = {
        "index": [f"shoal.{value.__name__}" for value in own],
        **{shelf: [f"shoal.{shelf}.{entry.__name__}" for entry in entries(shelf).values()] for shelf in SHELVES},
        "errors": ["shoal.errors"],
        "engines": ["shoal.engines.protocol", "shoal.engines.parts.pool"],
    }
    shown["models"] += [f"shoal.models.{name}" for name in _OF_MODELS]
    heads = {
        "index": "# API\n\nEvery public name, from its docstring. The [reference](../reference.md) has the same on one "
        f"page, with the options of all commands.\n\n{_table(('module', 'what is in it'), rows)}",
        **{name: f"# shoal.{name}\n\n{what[0].upper()}{what[1:]}." for name, what in _MODULES.items()},
    }
    bare = "\n    options: { members: false }"  # entries of the catalogue are values: their parameters say it all
    pages = {
        page: "\n\n".join([heads[page], *(f"::: {name}{bare if page in SHELVES else ''}" for name in names)])
        for page, names in shown.items()
    }
    return {API / f"{page}.md": f"{text}\n" for page, text in pages.items()}


def _names() -> Iterator[str]:
    public = {f"shoal.{name}": getattr(shoal, name) for name in dir(shoal)}
    public |= {f"shoal.models.{name}": getattr(shoal.models, name) for name in _OF_MODELS}
    public |= {f"{value.__module__}.{value.__name__}": value for value in _GIVEN}
    errors = {n: t for n, t in vars(shoal.errors).items() if inspect.isclass(t) and issubclass(t, shoal.ShoalError)}
    yield "## Functions"
    for name, function in public.items():
        if inspect.isfunction(function):
            yield f"### {name}"
            yield f"```text\n{function.__name__}{_signature(function)}\n```"
            yield from _text(function)
    yield "## Values"
    for name, value in public.items():
        if not inspect.isclass(value) or value is shoal.ShoalError:
            continue
        yield f"### {name}"
        yield from _text(value)
        yield from _members(value)
    yield "## Errors"
    yield "Each has `what`, one sentence on what is wrong and where, and `remedy`, what to do next. None shows a cell."
    yield _table(
        ("error", "meaning", "exit code"),
        ((f"`shoal.errors.{name}`", _first_line(error), str(error.exit_code)) for name, error in errors.items()),
    )


def _catalogue() -> Iterator[str]:
    for shelf in SHELVES:
        yield f"## {shelf.capitalize()}"
        for name, entry in entries(shelf).items():
            yield f"### {name}"
            yield f'In Python `shoal.{shelf}.{entry.__name__}{_signature(entry)}`, in recipes `name = "{name}"`.'
            yield from _text(entry)
            facts = []
            if shelf == "methods":
                facts.append(f"Enforces: {', '.join(entry.enforces) or 'nothing'}.")
            if shelf == "measures":
                low, high = entry.range
                facts.append(
                    f"Reading: {entry.direction}. Range: {low:g} to {'∞' if high == float('inf') else f'{high:g}'}."
                )
            yield " ".join(facts)


def _commands() -> Iterator[str]:
    yield "## Commands"
    yield (
        "Exit codes: 0 fine, 1 a target is not met, 2 wrong use, 3 data that cannot be read or written, 70 a defect of "
        "shoal, 128 + n stopped by signal n (130 by Ctrl-C). `shoal --version` shows the version, and `SHOAL_DEBUG=1` "
        "in the environment shows where an error comes from."
    )
    app = application()
    inner = [(f"{group.name} ", group.typer_instance) for group in app.registered_groups]
    every = [(before, command) for before, one in (("", app), *inner) for command in one.registered_commands]
    for before, command in every:
        callback = command.callback
        assert callback is not None
        arguments, options = _parameters(callback)
        yield f"### shoal {before}{command.name}"
        usage = " ".join([f"shoal {before}{command.name}", *arguments, "[options]"])
        yield f"```text\n{usage}\n```"
        yield inspect.getdoc(callback) or ""
        yield _table(("option", "meaning"), options)


def _parameters(callback: Callable[..., Any]) -> tuple[list[str], list[tuple[str, str]]]:
    """Give the arguments of a command as its usage shows them, and its options with their help."""
    hints = get_type_hints(callback, include_extras=True)
    arguments, options = [], []
    for name, parameter in inspect.signature(callback).parameters.items():
        hint = hints[name]
        if hint is typer.Context:  # which nobody types
            continue
        about = next(m for m in hint.__metadata__ if isinstance(m, typer.models.ParameterInfo))
        help_text = about.help or ""
        repeated = "list" in str(hint.__origin__)
        if isinstance(about, typer.models.ArgumentInfo):
            arguments.append(name.upper() + (" …" if repeated else ""))
            options.append((f"`{name.upper()}`", help_text))
            continue
        # Inside Annotated, Typer keeps the first flag in the place of the default.
        named = [flag for flag in (about.default, *(about.param_decls or ())) if isinstance(flag, str)]
        flags = named or [f"--{name.replace('_', '-')}"]
        if parameter.default is inspect.Parameter.empty:
            help_text += " Required."
        elif parameter.default is not None and parameter.default is not False and parameter.default != "":
            help_text += f" `{parameter.default}` if left out."
        options.append((", ".join(f"`{flag}`" for flag in flags), help_text))
    return arguments, options


def _members(value: type[Any]) -> Iterator[str]:
    """List what a value has: the members of an enumeration, or the methods and properties."""
    if issubclass(value, Enum):
        yield "Members: " + ", ".join(f"`{member.name}`" for member in value) + "."
        return
    for name, member in vars(value).items():
        plain = member.__func__ if isinstance(member, classmethod) else member
        if name.startswith("_"):
            continue
        if isinstance(plain, property):
            yield f"**`{name}`** {_first_line(plain)}"
        elif inspect.isfunction(plain):
            yield f"**`{name}{_signature(plain)}`** " + "\n\n".join(_text(plain))


def _signature(thing: Callable[..., Any]) -> str:
    """Give the parameters with their defaults, without types."""
    shown = []
    starred = False
    if is_dataclass(thing):
        for field in sorted(fields(thing), key=lambda each: bool(each.kw_only)):
            if field.default_factory is not MISSING:
                shown.append(f"{field.name}=…")
            else:
                shown.append(field.name if field.default is MISSING else f"{field.name}={field.default!r}")
        return f"({', '.join(shown)})"
    for parameter in inspect.signature(thing).parameters.values():
        if parameter.name in ("self", "cls"):
            continue
        if parameter.kind is parameter.KEYWORD_ONLY and not starred:
            shown.append("*")
            starred = True
        prefix = "**" if parameter.kind is parameter.VAR_KEYWORD else ""
        default = "" if parameter.default is parameter.empty else f"={parameter.default!r}"
        shown.append(f"{prefix}{parameter.name}{default}")
    return f"({', '.join(shown)})"


def _text(thing: Any) -> Iterator[str]:
    """Give a docstring as Markdown: prose, lists of parameters, examples and references."""
    for title, body in _sections(inspect.getdoc(thing) or ""):
        if not title:
            yield from _prose(body)
        elif title == "Examples":
            yield f"```pycon\n{body}\n```"
        elif title == "References":
            yield "Source: " + _inline(" ".join(body.split()))
        elif title in _ARGUMENTS:
            yield "\n".join(f"- `{name}`: {_inline(text)}" for name, text in _entries(body))
        else:
            yield f"{title}:\n" + "\n".join(f"- `{name}`: {_inline(text)}" for name, text in _entries(body))


def _sections(text: str) -> Iterator[tuple[str, str]]:
    """Split a docstring at its headings; the first part has none."""
    start, title = 0, ""
    for match in _SECTION.finditer(text):
        yield title, text[start : match.start()].strip()
        start, title = match.end(), match["title"]
    yield title, text[start:].strip("\n").rstrip()


def _prose(text: str) -> Iterator[str]:
    """Give paragraphs, with examples among them as blocks of their own."""
    for paragraph in re.split(r"\n\s*\n", text):
        if paragraph.startswith(">>>"):
            yield f"```pycon\n{paragraph}\n```"
        elif paragraph:
            yield _inline(" ".join(paragraph.split()))


def _entries(body: str) -> Iterator[tuple[str, str]]:
    """Give the names of a section and what is said of each."""
    name, lines = "", list[str]()
    for line in body.splitlines():
        if line and not line[0].isspace():
            if name:
                yield name, " ".join(lines)
            name, lines = line.strip().lstrip("*"), []
        elif line.strip():
            lines.append(line.strip())
    if name:
        yield name, " ".join(lines)


def _inline(text: str) -> str:
    """Turn the marks of docstrings into those of Markdown."""
    text = re.sub(r":\w+:`[~.]*(?:[\w.]*\.)?(\w+)`", r"`\1`", text)
    text = re.sub(r"``([^`]+)``", r"`\1`", text)
    return re.sub(r"doi:(10\.\S+?)(?=[,;.]?(?:\s|$))", r"[doi:\1](https://doi.org/\1)", text)


def _first_line(thing: Any) -> str:
    return _inline(" ".join((inspect.getdoc(thing) or "").split("\n\n")[0].split()))


def _table(head: tuple[str, ...], rows: Iterable[tuple[str, ...]]) -> str:
    lines = [head, tuple("---" for _ in head), *rows]
    return "\n".join("| " + " | ".join(cell.replace("|", r"\|") for cell in line) + " |" for line in lines)


if __name__ == "__main__":
    API.mkdir(exist_ok=True)
    for page, text in {TARGET: reference(), **api()}.items():
        page.write_text(text, encoding="utf-8")
        sys.stdout.write(f"Written: {page.relative_to(TARGET.parent)}\n")
