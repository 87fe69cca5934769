"""How the same release is made without the page: as a command, and in Python."""

from __future__ import annotations

import json
import shlex
from collections.abc import Mapping
from dataclasses import fields
from types import MappingProxyType
from typing import Any

from shoal.catalogue import entries, look_up
from shoal.column_names import as_option
from shoal.domains.harbor_groups import HERE
from shoal.schema import SINGLE, Role
from shoal.web.cases.aims import ALONE, GUARD_LETTERS, IN_POPULATION, OF_PEOPLE, Aim
from shoal.web.cases.decisions import Decisions
from shoal.web.tasks.messages import Layout

NO_RULE: Mapping[str, Any] = MappingProxyType({})


def command(
    source: str,
    decisions: Decisions,
    files: Mapping[str, str],
    audience: str = "internal",
    cells: str | None = None,
    rule: Mapping[str, Any] = NO_RULE,
) -> str:
    """Give the command that writes the same release, which promises a rule as well if it keeps one."""
    aim = decisions.aim
    if len(aim.steps) > 1:  # a command masks in one step, a recipe in several
        key = " --pseudonym-key people.key" if decisions.treatments else ""
        return f"shoal run {_argument(files['recipe'])}{key}"
    parts = [f"shoal anonymize {_argument(source)} --out {shlex.quote(files['table'])}"]
    parts += _columns_of(decisions, Role.QUASI, Role.SENSITIVE, Role.PLAIN)
    parts += [f"--identifier {shlex.quote(f'{name}={each}')}" for name, each in decisions.treatments.items()]
    parts.append("--pseudonym-key people.key" if decisions.treatments else "")
    parts += _single_columns(decisions)
    parts += _hierarchy_options(decisions)
    parts += _layout_options(decisions.layout)
    parts.append(
        f"--method {aim.method} {f'--k {aim.k}' if aim.k else '' if aim.models or rule else '--no-promise'}".rstrip()
    )
    for name, value in aim.own.parameters.items():
        by_column = value.items() if isinstance(value, dict) else ()
        said = [f"{name}.{column}={json.dumps(each)}" for column, each in by_column] or [f"{name}={json.dumps(value)}"]
        parts += [f"--param {shlex.quote(each)}" for each in said]
    if aim.guard in ALONE or aim.terms:
        said = [aim.guard, f"{GUARD_LETTERS[aim.guard]}={aim.level:g}"]
        said += [f"{name}={shlex.quote(text)}" for name, text in _about(decisions).items()]
        said += [
            f"{name}={value if isinstance(value, str) else json.dumps(value)}"
            for name, value in aim.given_terms.items()
        ]
        said += [
            f"called.{name}={shlex.quote(other)}"
            for name, other in decisions.called.items()
            if aim.guard in IN_POPULATION
        ]
        parts.append(f"--model {shlex.quote(' '.join(said))}")
    elif aim.guard != "none":
        word = GUARD_LETTERS[aim.guard]
        level, about = (f"person-{word}", "person") if aim.guard in OF_PEOPLE else (word, word)
        parts.append(f"--{level} {aim.level:g} --{about}-column {shlex.quote(aim.column)}")
    parts += [f"--model {shlex.quote(' '.join(('safe-harbor', *_rule_options(rule))))}"] if rule else []
    parts.append(f"--save-recipe {shlex.quote(files['recipe'])} --report {shlex.quote(files['report'])}")
    parts.append("--audience external" if audience == "external" else "")
    parts.append(f"--cells {cells}" if cells else "")
    return " \\\n  ".join(filter(None, parts))


def _own(rule: Mapping[str, Any]) -> dict[str, Any]:
    """Give the parameters of a rule that are not as usual."""
    usual = {each.name: each.default for each in fields(look_up("models", rule["name"]))}
    return {
        name: value
        for name, value in rule.items()
        if name in usual.keys() - {"sha256"} and value and value != usual[name]
    }


def _rule_options(rule: Mapping[str, Any]) -> list[str]:
    return [f"{name}={shlex.quote(v if isinstance(v, str) else json.dumps(v))}" for name, v in _own(rule).items()]


def python(
    source: str,
    decisions: Decisions,
    files: Mapping[str, str],
    cells: str | None = None,
    rule: Mapping[str, Any] = NO_RULE,
) -> str:
    """Give the Python that writes the same release, which promises a rule as well if it keeps one."""
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
    given += [f"method={_method(decisions.aim)}", *_levels(decisions, rule)]
    given += [f"cells={cells!r}"] if cells else []
    arguments = ",\n    ".join(given)
    return (
        "import shoal\n\n"
        f"release = shoal.anonymize(\n    {arguments},\n)\n"
        f"release.write({files['table']!r}, recipe={files['recipe']!r})\n"
    )


def risk_command(source: str, decisions: Decisions) -> str:
    """Give the command that finds the same of the risk."""
    asked = decisions.asked
    parts = [f"shoal risk {_argument(source)}", *_columns_of(decisions, Role.QUASI, Role.SENSITIVE)]
    parts += [*_single_columns(decisions), *_layout_options(decisions.layout)]
    parts.append(f"--population {shlex.quote(asked.population.name)}" if asked.population else "")
    parts += [f"--population-columns {shlex.quote(f'{name}={other}')}" for name, other in decisions.called.items()]
    for option in ("population-size", "sampling-fraction", "threshold"):
        value = getattr(asked, option.replace("-", "_"))
        parts.append("" if value is None else f"--{option} {value}")
    parts += [f"--{name}" for name in ("suda", "screen", "why") if getattr(asked, name)]
    parts += _hierarchy_options(decisions) if asked.why else []
    return " \\\n  ".join(filter(None, parts))


def _argument(file: str) -> str:
    """Quote the name of a file, which is not to be taken for an option.

    >>> _argument("my people.csv"), _argument("-rf.csv")
    ("'my people.csv'", './-rf.csv')
    """
    return shlex.quote(f"./{file}" if file.startswith("-") else file)


def _columns_of(decisions: Decisions, *roles: Role) -> list[str]:
    return [f"--{role.value} {as_option(decisions.of(role))}" for role in roles if decisions.of(role)]


def _single_columns(decisions: Decisions) -> list[str]:
    return [f"--{role.value} {shlex.quote(decisions.of(role)[0])}" for role in SINGLE if decisions.of(role)]


def harbor_command(source: str, layout: Layout, year: int, recipe: str, found: Mapping[str, Any]) -> str:
    """Give the commands that write the recipe of safe harbor, and carry it out."""
    read = layout.model_copy(update={"masked": None, "orders": {}})  # which tell this command nothing
    parts = [f"shoal safe-harbor {_argument(source)}", *_layout_options(read)]
    people, countries = found.get("population", {}).get("name", HERE), found.get("countries")
    parts.append("" if people == HERE else f"--population {shlex.quote(people)}")
    parts.append(f"--country {','.join(countries)}" if countries else "")
    parts.append(f"--year {year} --out {shlex.quote(recipe)}")
    return " \\\n  ".join(filter(None, parts)) + f"\nshoal run {_argument(recipe)}"


def _layout_options(layout: Layout) -> list[str]:
    """Give the options that say how the file is read, as far as that was said."""
    names = {"delimiter": "in-delimiter", "encoding": "encoding", "decimal": "decimal", "thousands": "thousands"}
    names |= {"dates": "dates", "sheet": "sheet", "range": "range", "at_version": "at-version"}
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


def _hierarchy_options(decisions: Decisions) -> list[str]:
    return [f"--hierarchy {shlex.quote(f'{column}={place}')}" for column, place in _hierarchies(decisions).items()]


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


def _levels(decisions: Decisions, rule: Mapping[str, Any]) -> list[str]:
    aim = decisions.aim
    if not (aim.models or rule):
        return ["no_promise=True"]
    said = "".join(f", {name}={value!r}" for name, value in _own(rule).items()) if rule else ""
    models = [f"shoal.models.{look_up('models', rule['name']).__name__}({said.lstrip(', ')})"] if rule else []
    size = [f"k={aim.k}"] if aim.k else []
    word = GUARD_LETTERS.get(aim.guard)
    if word in ("t", "l") and aim.guard not in OF_PEOPLE and not aim.terms:
        size.append(f"{word}={{{aim.column!r}: {aim.level:g}}}")
    elif word is not None:
        models.insert(0, _guard(decisions, word))
    return [*([f"models=[{', '.join(models)}]"] if models else []), *size]


def _guard(decisions: Decisions, word: str) -> str:
    """Write the further promise."""
    aim = decisions.aim
    model = entries("models")[aim.guard].__name__
    about = _about(decisions) | aim.given_terms
    if aim.guard in IN_POPULATION and decisions.called:
        about["called"] = decisions.called
    said = "".join(f", {name}={value!r}" for name, value in about.items())
    return f"shoal.models.{model}({word}={aim.level:g}{said})"


def _about(decisions: Decisions) -> dict[str, str]:
    """Give what the further promise is about: a confidential column, or a table of the population."""
    aim, population = decisions.aim, decisions.asked.population
    if aim.guard in IN_POPULATION:
        return {} if population is None else {"population": population.name}
    return {"column": aim.column}
