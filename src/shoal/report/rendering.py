"""Templates: how they are found and filled, here and in the workbench."""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING, Any

from markupsafe import Markup

from shoal.languages import current
from shoal.languages.messages import readable, translated, translated_plural

if TYPE_CHECKING:
    from jinja2 import Environment


def environment(*packages: str) -> Environment:
    """Make templates ready, those of the first packages first.

    Whatever is put into them is escaped, unless it is HTML already, and a name that does not exist is an error.
    """
    from jinja2 import ChoiceLoader, Environment, PackageLoader, StrictUndefined  # commands without a page do without

    made = Environment(
        loader=ChoiceLoader([PackageLoader(package) for package in packages]),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        extensions=["jinja2.ext.i18n"],
    )
    made.newstyle_gettext = True  # type: ignore[attr-defined]  # sentences have named places; their values are escaped
    made.policies["ext.i18n.trimmed"] = True
    made.globals |= {"gettext": _gettext, "ngettext": _ngettext, "language": current}
    return made


def _gettext(message: str, **values: Any) -> Markup:
    """Say a sentence of a template, which may hold HTML; values that are put in are escaped."""
    return Markup(translated(message)) % readable(values)  # noqa: S704


def _ngettext(one: str, many: str, num: int, **values: Any) -> Markup:
    """Say a sentence in the form that a number asks for."""
    return Markup(translated_plural(one, many, num)) % readable({"num": num} | values)  # noqa: S704


@cache
def templates() -> Environment:
    """Give the templates of pages."""
    return environment("shoal.report")


def block(name: str, *given: Any, of: str = "blocks.html") -> Markup:
    """Fill one of the blocks that pages are made of."""
    made: Markup = getattr(templates().get_template(of).module, name)(*given)
    return made


def sentence(name: str, *given: Any) -> Markup:
    """Fill in one of the sentences, or lists of them, that reports say."""
    return block(name, *given, of="sentences.html")
