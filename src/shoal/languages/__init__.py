"""Texts and numbers in the language of whoever reads them.

English is what the source says, and the key under which catalogues hold other languages (gettext). The language holds
for what runs in one context, such as the answer to one request; wherever nothing else is said it is English.
"""

from shoal.languages.messages import N_, _, ngettext
from shoal.languages.numbers import in_line, number, written
from shoal.languages.speech import ENGLISH, Language, current, languages, speaking
from shoal.languages.times import moment

__all__ = [
    "ENGLISH", "N_", "Language", "_", "current", "in_line", "languages", "moment", "ngettext", "number",
    "speaking", "written",
]  # fmt: skip
