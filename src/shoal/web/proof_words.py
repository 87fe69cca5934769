"""What was proved of a release, in the words of the page: measures by what they say, and numbers as shares."""

from __future__ import annotations

import re
from collections.abc import Callable

from shoal.languages import _, number
from shoal.report.discretion import percent
from shoal.web.reported import reported

_MEASURED = re.compile(r"([a-z][a-z0-9-]*) is (\d\S*)\.")
_OF_PEOPLE = " (people are counted by a column that is not released)"
_WORDS: dict[str, Callable[[float], str]] = {
    "uniqueness": lambda share: (
        _("%(share)s of people stand alone.", share=percent(share)) if share else _("Nobody stands alone.")
    ),
    "random-reidentification": lambda share: _("The average risk is %(share)s.", share=percent(share)),
    "class-sizes": lambda rows: _(
        "A group (equivalence class) has %(rows)s rows on average.", rows=number(rows, ",.1f")
    ),
    "information-loss": lambda loss: _("The information loss is %(loss)s.", loss=number(loss, ".4f")),
}


def proof_line(sentence: str) -> str:
    """Say what was proved, or was not, as the rest of the page says it.

    >>> proof_line("random-reidentification is 0.0307009."), proof_line("my-own is 0.5.")
    ('The average risk is 3.07%.', 'my-own is 0.5.')
    """
    measured = _MEASURED.fullmatch(sentence)
    if measured and measured[1] in _WORDS:
        return _WORDS[measured[1]](float(measured[2]))
    if sentence.endswith(_OF_PEOPLE):
        said = reported(sentence.removesuffix(_OF_PEOPLE))
        return _("%(promise)s People are counted by a column that is not released.", promise=said)
    return reported(sentence)
