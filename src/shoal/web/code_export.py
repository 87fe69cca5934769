"""How the same release is made without the page: as a command, and in Python."""

from __future__ import annotations

import json
import shlex
from collections.abc import Mapping

from shoal.catalogue import entries, look_up
from shoal.column_names import as_option
from shoal.schema import SINGLE, Role
from shoal.web.cases.aims import GUARD_LETTERS, OF_PEOPLE, Aim
from shoal.web.cases.decisions import Decisions
from shoal.web.tasks.messages import Layout


def command(source: str, decisions: Decisions, files: Mapping[str, str], audience: str = "internal") -> str:
    """Give the command that writes the same release."""
    aim = decisions.aim
    if len(aim.steps) > 1:  # a command masks in one step, a recipe in several
        key = " --pseudonym-key people.key" if decisions.treatments else ""
        return f"shoal run {shlex.quote(files['recipe'])}{key}"
    parts = [f"shoal anonymize {shlex.quote(source)} --out {shlex.quote(files['table'])}"]
    for option, role in (("--quasi", Role.QUASI), ("--sensitive", Role.SENSITIVE), ("--plain", Role.PLAIN)):
        if decisions.of(role):
            parts.append(f"{option} {as_option(decisions.of(role))}")
    parts += [f"--identifier {shlex.quote(f'{name}={each}')}" for name, each in decisions.treatments.items()]
    parts.append("--pseudonym-key people.key" if decisions.treatments else "")
    for role in SINGLE:
        if decisions.of(role):
            parts.append(f"--{role.value} {shlex.quote(decisions.of(role)[0])}")
    for column, place in _hierarchies(decisions).items():
        parts.append(f"--hierarchy {shlex.quote(f'{column}={place}')}")
    parts += _layout_options(decisions.layout)
    parts.append(f"--method {aim.method} {f'--k {aim.k}' if aim.k else '--no-promise'}")
    for name, value in aim.own.parameters.items():
        by_column = value.items() if isinstance(value, dict) else ()
        said = [f"{name}.{column}={json.dumps(each)}" for column, each in by_column] or [f"{name}={json.dumps(value)}"]
        parts += [f"--param {shlex.quote(each)}" for each in said]
    if aim.guard != "none":
        word = GUARD_LETTERS[aim.guard]
        level, about = (f"person-{word}", "person") if aim.guard in OF_PEOPLE else (word, word)
        parts.append(f"--{level} {aim.level:g} --{about}-column {shlex.quote(aim.column)}")
    parts.append(f"--save-recipe {shlex.quote(files['recipe'])} --report {shlex.quote(files['report'])}")
    parts.append("--audience external" if audience == "external" else "")
    return " \\\n  ".join(filter(None, parts))


def python(source: str, decisions: Decisions, files: Mapping[str, str]) -> str:
    """Give the Python that writes the same release."""
    given = [f"{source!r}"]
    for word, role in (("quasi", Role.QUASI), ("sensitive", Role.SENSITIVE), ("plain", Role.PLAIN)):
        if decisions.of(role):
            given.append(f"{word}={list(decisions.of(role))!r}")
    if decisions.treatments:
        given += [f"identifier={dict(decisions.treatments)!r}", "pseudonym_key='people.key'"]
    for role in SINGLE:
        if decisions.of(role):
            given.append(f"{role.value}={decisions.of(role)[0]!r}")
    if decisions.hierarchies:
        given.append(f"hierarchies={_hierarchies(decisions)!r}")
    said = decisions.layout.model_dump(exclude_defaults=True)
    given += [f"{name}={list(value) if isinstance(value, tuple) else value!r}" for name, value in said.items()]
    given += [f"method={_method(decisions.aim)}", *_levels(decisions.aim)]
    arguments = ",\n    ".join(given)
    return (
        "import shoal\n\n"
        f"release = shoal.anonymize(\n    {arguments},\n)\n"
        f"release.write({files['table']!r}, recipe={files['recipe']!r})\n"
    )


def harbor_command(source: str, layout: Layout, year: int, recipe: str) -> str:
    """Give the commands that write the recipe of safe harbor, and carry it out."""
    read = layout.model_copy(update={"masked": None, "orders": {}})  # which tell this command nothing
    parts = [f"shoal safe-harbor {shlex.quote(source)}", *_layout_options(read)]
    parts.append(f"--year {year} --out {shlex.quote(recipe)}")
    return " \\\n  ".join(parts) + f"\nshoal run {shlex.quote(recipe)}"


def _layout_options(layout: Layout) -> list[str]:
    """Give the options that say how the file is read, as far as that was said."""
    names = {"delimiter": "in-delimiter", "encoding": "encoding", "decimal": "decimal", "thousands": "thousands"}
    names |= {"dates": "dates", "sheet": "sheet", "range": "range"}
    said = {option: getattr(layout, name) for name, option in names.items()}
    options = [f"--{option} {shlex.quote(text)}" for option, text in said.items() if text is not None]
    options += [f"--missing {as_option(layout.missing)}"] if layout.missing else []
    for name, answer in (("header", layout.header), ("masked", layout.masked)):
        options += [] if answer is None else [f"--{'' if answer else 'no-'}{name}"]
    options += [f"--kind {shlex.quote(f'{column}={kind}')}" for column, kind in layout.kinds.items()]
    ranked = [f"{column}={','.join(order)}" for column, order in layout.orders.items()]
    return [*options, *(f"--order {shlex.quote(each)}" for each in ranked)]


def _hierarchies(decisions: Decisions) -> dict[str, str]:
    """Give how the hierarchy of each column is built, or the file that it is written to beside the recipe."""
    return {column: each.how for column, each in decisions.hierarchies.items()} | decisions.hierarchy_files


def _method(aim: Aim) -> str:
    """Write the method, or all steps."""
    said = [
        f"shoal.methods.{look_up('methods', each.name).__name__}"
        f"({', '.join(f'{name}={value!r}' for name, value in each.parameters.items())})"
        if each.given
        else repr(each.name)
        for each in aim.steps
    ]
    return said[0] if len(said) == 1 else f"[{', '.join(said)}]"


def _levels(aim: Aim) -> list[str]:
    if not aim.k:
        return ["no_promise=True"]
    word = GUARD_LETTERS.get(aim.guard)
    if word is None:
        return [f"k={aim.k}"]
    if word in ("t", "l") and aim.guard not in OF_PEOPLE:
        return [f"k={aim.k}", f"{word}={{{aim.column!r}: {aim.level:g}}}"]
    model = entries("models")[aim.guard].__name__
    return [f"models=[shoal.models.{model}({aim.level:g}, {aim.column!r})]", f"k={aim.k}"]
