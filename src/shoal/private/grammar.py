"""What can be asked, in words.

    count [where CONDITION] [by COLUMNS]
    sum COLUMN [in L..U [step W]] …
    mean COLUMN [in L..U [step W]] …
    histogram COLUMN [in V,V,… | in L..U step W] …
    quantile A/B of COLUMN over V,V,… | over L..U step W …
    median COLUMN over …

``where`` and ``by`` may stand in either order. What follows ``by`` are columns with declared categories or groups, or
with categories said on the spot: ``by sex(female, male), county``. A name or a value with a blank, a comma or a word of
the grammar in it is put in quotes.
"""

from __future__ import annotations

import csv
import re
from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction
from typing import Literal

from shoal.conditions import Condition
from shoal.errors import ParameterError, suggest
from shoal.private.declarations import Bounds
from shoal.private.exact_numbers import exact, written

Asked = Literal["count", "sum", "mean", "histogram", "quantile"]
_KINDS = ("count", "sum", "mean", "histogram", "quantile", "median")
_WORDS = ("where", "by", "in", "over")
_TOKEN = re.compile(r"""\s*("[^"]*"|'[^']*'|\([^)]*\)|[^\s"'(),]+|,)""")
_EXAMPLE = "Write 'count where age >= 65 by sex', or 'mean charge in 0..100000 step 1 by county'."
MOST_CANDIDATES = 100_000


@dataclass(frozen=True)
class Grouping:
    """A column by whose categories is answered, and the categories if they are said on the spot."""

    column: str
    categories: tuple[str, ...] | None = None


@dataclass(frozen=True)
class Query:
    """A question.

    Parameters
    ----------
    kind
        What is asked for.
    column
        What it is asked of; None of counts.
    bounds
        The limits between which values count, if they are said on the spot.
    values
        The categories, edges or candidates that are said on the spot.
    fraction
        The quantile as a pair of whole numbers: (1, 2) is the median.
    where
        Which rows count.
    by
        The columns by whose categories is answered.
    text
        The question as it was written.
    """

    kind: Asked
    column: str | None = None
    bounds: Bounds | None = None
    values: tuple[str, ...] | None = None
    fraction: tuple[int, int] = (1, 2)
    where: Condition | None = None
    by: tuple[Grouping, ...] = ()
    text: str = ""

    @classmethod
    def parse(cls, text: str) -> Query:
        """Read a question.

        >>> query = Query.parse("mean charge in 0..100000 step 1 where age >= 65 by county")
        >>> query.kind, query.column, str(query.bounds), query.where.text, query.by[0].column
        ('mean', 'charge', '0..100000', 'age >= 65', 'county')
        """
        if not isinstance(text, str) or not text.strip() or len(text) > 100_000 or not text.isprintable():
            raise ParameterError("A question is one line of text.", _EXAMPLE)
        parts = dict(_parts(text))
        head = [each for each in _tokens(parts.pop("")) if each != ","]
        if not head:
            raise ParameterError("The question does not begin with what is asked for.", _EXAMPLE)
        kind, *rest = head[0].lower(), *head[1:]
        if kind not in _KINDS:
            near = suggest(kind, _KINDS)
            raise ParameterError(
                f"'{head[0][:40]}' is nothing that can be asked for.",
                f"Did you mean '{near}'?" if near else f"Ask for: {', '.join(_KINDS)}.",
            )
        fraction = (1, 2)
        if kind == "quantile":
            if len(rest) < 2 or rest[1].lower() != "of":
                raise ParameterError("A quantile is a fraction of a column.", "Write 'quantile 9/10 of charge over …'.")
            fraction, rest = _fraction(rest[0]), rest[2:]
        names = [_bare(token) for token in rest if token.lower() != "of"]
        if len(names) != (kind != "count"):
            said = "nothing else" if kind == "count" else "one column"
            raise ParameterError(
                f"After '{kind}' stands {said}, then 'where', 'by', 'in' or 'over'.",
                f"{_EXAMPLE} A name with a blank is put in quotes.",
            )
        asked: Asked = "quantile" if kind == "median" else kind  # type: ignore[assignment]
        bounds, values = _values(asked, parts.pop("in", None), parts.pop("over", None))
        where, by = parts.pop("where", None), parts.pop("by", None)
        return cls(
            asked, names[0] if names else None, bounds, values, fraction,
            None if where is None else _condition(where), () if by is None else tuple(_groupings(by)), text.strip(),
        )  # fmt: skip

    @property
    def columns(self) -> tuple[str, ...]:
        """The columns that are spoken of."""
        own = () if self.column is None else (self.column,)
        where = () if self.where is None else self.where.columns
        return tuple(dict.fromkeys((*own, *where, *(each.column for each in self.by))))


def _parts(text: str) -> Iterator[tuple[str, str]]:
    """Cut a question where a word of the grammar stands outside quotes and brackets."""
    word, start, seen = "", 0, set()
    for found in _spans(text):
        token = found[1].lower()
        if token in _WORDS:
            yield word, text[start : found.start(1)]
            if token in seen:
                raise ParameterError(f"'{token}' stands twice in the question.", f"Say it once. {_EXAMPLE}")
            seen.add(token)
            word, start = token, found.end(1)
    yield word, text[start:]


def _spans(text: str) -> Iterator[re.Match[str]]:
    place = 0
    while text[place:].strip():
        found = _TOKEN.match(text, place)
        if found is None:
            raise ParameterError("The question has a quote or a bracket without its other half.", "Close it.")
        yield found
        place = found.end()


def _tokens(text: str) -> list[str]:
    return [found[1] for found in _spans(text)]


def _bare(token: str) -> str:
    return token[1:-1] if token[:1] in "\"'" else token


def _fraction(text: str) -> tuple[int, int]:
    """Read the fraction of a quantile.

    >>> _fraction("0.9"), _fraction("1/4")
    ((9, 10), (1, 4))
    """
    found = exact(text, "fraction of a quantile")
    if not 0 <= found <= 1 or found.denominator > 1000:
        raise ParameterError("A quantile lies between 0 and 1, in thousandths at most.", "Write 9/10, or 0.9.")
    return found.numerator, found.denominator


def _condition(text: str) -> Condition:
    if not text.strip():
        raise ParameterError("Nothing follows 'where'.", "Write 'where age >= 65'.")
    return Condition.parse(text.strip())


def _groupings(text: str) -> Iterator[Grouping]:
    """Read columns, each with its categories in brackets if they are said on the spot."""
    seen: set[str] = set()
    wanted, name, said = True, "", None
    for each in (*_tokens(text), ","):
        if each == ",":
            if wanted:
                raise ParameterError("A column is missing after 'by'.", "Write 'by sex, county'.")
            yield Grouping(name, said)
            wanted, said = True, None
        elif each.startswith("(") and not wanted and said is None:
            said = _listed(each[1:-1])
        elif not wanted:
            raise ParameterError("Columns after 'by' are separated by commas.", "Write 'by sex, county'.")
        else:
            name, wanted = _bare(each), False
            if name in seen:
                raise ParameterError(f"'{name}' stands twice after 'by'.", "Name each column once.")
            seen.add(name)


def _listed(text: str) -> tuple[str, ...]:
    """Read values between commas; those with a comma in them stand in quotes."""
    try:
        found = tuple(value.strip() for value in next(csv.reader([text], skipinitialspace=True), []))
    except csv.Error:
        found = ("",)
    if "" in found or len(set(found)) < len(found):
        raise ParameterError("A list of values has an empty one, or one twice.", "Write female, male.")
    return found


def _values(kind: Asked, within: str | None, over: str | None) -> tuple[Bounds | None, tuple[str, ...] | None]:
    """Read what follows ``in`` or ``over``: bounds of numbers, or values one by one."""
    wrong = {"count": "in" if within is not None else "over", "quantile": "in"}.get(kind, "over")
    if (over if wrong == "over" else within) is not None:
        remedy = (
            "Candidates follow 'over'." if kind == "quantile" else f"It goes with {'quantiles' if over else 'sums'}."
        )
        raise ParameterError(f"'{wrong}' says nothing of a {kind}.", remedy)
    text = over if kind == "quantile" else within
    if text is None:
        return None, None
    if ".." in text and kind in ("sum", "mean"):
        return Bounds.parse(text), None
    if kind in ("sum", "mean"):
        raise ParameterError(f"'{text.strip()[:60]}' is not a pair of bounds.", "Write in 0..100000 step 1.")
    if ".." not in text or " step " not in text:
        return None, _listed(text)
    bounds = Bounds.parse(text)
    steps = (bounds.upper - bounds.lower) / bounds.step
    if steps > MOST_CANDIDATES or steps.denominator != 1:
        raise ParameterError(
            "The steps do not lead from one bound to the other, or are too many.",
            f"Give a step that divides the range into at most {MOST_CANDIDATES:,} parts.",
        )
    return None, tuple(written(bounds.lower + Fraction(i) * bounds.step) for i in range(int(steps) + 1))
