"""The names that the page has for methods and further promises, and for a candidate that is made of them."""

from __future__ import annotations

from shoal.languages import _
from shoal.web.cases.aims import GUARD_LETTERS, Aim
from shoal.web.cases.method_steps import summary
from shoal.web.words import named, names


def method_title(name: str) -> str:
    """Give the friendly name of a method with that of the catalogue.

    >>> method_title("hilbert"), method_title("my-own")
    ('Close neighbours (hilbert)', 'my-own')
    """
    return f"{named('methods', name)[0]} ({name})" if name in names("methods") else name


def method_meaning(name: str) -> str:
    """Say what a method does: in plain words if there are any, else as it says of itself.

    >>> method_meaning("mdav")
    'microaggregation; slow for large tables'
    """
    return named("methods", name)[1] or summary(name)


def guard_title(name: str) -> tuple[str, str]:
    """Give the friendly name of a further promise, and what its level means.

    >>> guard_title("l-diversity")[0]
    'Several different values (l-diversity)'
    """
    return named("guards", name) if name in names("guards") else (name, f"{GUARD_LETTERS.get(name, 'level')} =")


def form_title(format: str) -> str:
    """Give the friendly name of a form of files.

    >>> form_title("text"), form_title("spss")
    ('Delimited text', 'SPSS')
    """
    return _(names("forms").get(format, format))


def candidate_title(aim: Aim) -> str:
    """Give the friendly name of a candidate with that of the catalogue.

    >>> candidate_title(Aim("mondrian", 7))
    'Cuts at medians (mondrian), k = 7'
    """
    return aim.named(method_title(aim.method))
