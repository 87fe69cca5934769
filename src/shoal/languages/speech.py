"""Which languages there are, and which one is spoken now."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass
from functools import cache
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from gettext import GNUTranslations

CATALOGUES = Path(__file__).parent / "catalogues"


@dataclass(frozen=True)
class Language:
    """A language, and how it writes numbers.

    Parameters
    ----------
    code
        Its code (BCP 47), such as ``de``.
    name
        What it is called by those who speak it.
    decimal, group, percent
        What stands before decimals, between thousands, and after a share.
    """

    code: str = "en"
    name: str = "English"
    decimal: str = "."
    group: str = ","
    percent: str = "%"


ENGLISH = Language()
_current: ContextVar[Language] = ContextVar("language", default=ENGLISH)


def current() -> Language:
    """Give the language that is spoken now."""
    return _current.get()


@contextmanager
def speaking(language: Language) -> Iterator[None]:
    """Let a language be spoken meanwhile."""
    before = _current.set(language)
    try:
        yield
    finally:
        _current.reset(before)


@cache
def languages() -> dict[str, Language]:
    r"""Give all languages by code: English, and where Babel is installed those that have a catalogue.

    >>> languages()["de"]
    Language(code='de', name='Deutsch', decimal=',', group='.', percent='\xa0%')
    """
    if find_spec("babel") is None:
        return {ENGLISH.code: ENGLISH}
    codes = sorted(file.stem for file in CATALOGUES.glob("*.po"))
    return {ENGLISH.code: ENGLISH} | {code: _language(code) for code in codes}


def _language(code: str) -> Language:
    """Let Babel, which knows Unicode's locale data, say how a language writes numbers."""
    from babel import Locale

    locale = Locale.parse(code)
    signs = locale.number_symbols["latn"]
    percent = str(locale.percent_formats[None].pattern).lstrip("#,0")
    name = str(locale.get_display_name())
    return Language(code, name[:1].upper() + name[1:], str(signs["decimal"]), str(signs["group"]), percent)


@cache
def catalogue(code: str) -> GNUTranslations:
    """Read the catalogue of a language as translators write it, and compile it in memory."""
    from gettext import GNUTranslations
    from io import BytesIO

    from babel.messages.mofile import write_mo
    from babel.messages.pofile import read_po

    compiled = BytesIO()
    with (CATALOGUES / f"{code}.po").open("rb") as file:
        write_mo(compiled, read_po(file, locale=code))
    compiled.seek(0)
    return GNUTranslations(compiled)
