"""What the paper says, sentence by sentence, and what is measured here. Nothing is assumed to hold."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import asdict, dataclass
from typing import Any

from shoal.assessment.study import Row
from shoal_paper.datasets.published import FULL
from shoal_paper.reproduction.case import Case
from shoal_paper.reproduction.numbers import AbsentError, Numbers, Results
from shoal_paper.reproduction.sentence import Kind, Sentence
from shoal_paper.reproduction.sentences import SENTENCES

KINDS: Mapping[Kind, str] = {
    "by construction": "true of every table, by how the methods work; measured all the same",
    "calibrated": "the made-up records were fitted to it: it shows the fit, and nothing about the paper",
    "validation": "a published number that the made-up records were not fitted to",
    "tested": "could have come out otherwise",
}
COUNTED: tuple[Kind, ...] = ("validation", "tested")


@dataclass(frozen=True)
class Claim:
    """A sentence of the paper, and what became of it here.

    Attributes
    ----------
    id
        Its name, which stays the same.
    kind
        What it can show: see `KINDS`.
    text
        The sentence.
    published, measured
        The number that the paper prints, if it prints one, and the one found here.
    low, high
        Between what the number lay in tables with parameters drawn anew; None if none were drawn.
    holds
        Whether the number found here is as the rule asks.
    rule
        When it holds, and why so.
    shown
        What was found, in words.
    reason
        What was found out about why it does not hold, if it does not.
    counted
        Whether it counts: not what was fitted or holds by construction, and nothing about another number of records.
    """

    id: str
    kind: Kind
    text: str
    published: float | None
    measured: float
    low: float | None
    high: float | None
    holds: bool
    rule: str
    shown: str
    reason: str
    counted: bool


def check_claims(results: Results, case: Case) -> list[Claim]:
    """Measure every claim on the results of a study; what its table cannot tell is left out.

    Rows of the step ``repeats`` give the intervals.
    """
    numbers, repeats = Numbers(results), results.get("repeats", ())
    other = by_other_key(results)
    found = []
    for sentence in SENTENCES:
        if case.setting.published or not sentence.about_discharges:
            for each, measured in ((sentence, numbers), (sentence.other, other)):
                if each is not None and measured is not None:
                    with suppress(AbsentError):
                        found.append(_checked(each, measured, case, repeats))
    return found


def by_other_key(results: Results) -> Numbers | None:
    """Give the numbers of the other reading of Table S3, if it was measured."""
    rows = results.get("key", ())
    steps = dict.fromkeys(row["step"] for row in rows)
    return Numbers({step: [row for row in rows if row["step"] == step] for step in steps}) if rows else None


def _checked(sentence: Sentence, numbers: Numbers, case: Case, repeats: Sequence[Row]) -> Claim:
    measured, shown = sentence.measure(numbers)
    holds = bool(sentence.holds(measured))
    kind: Kind = sentence.kind if case.made_up or sentence.kind == "by construction" else "tested"
    drawn = [row["measured"] for row in repeats if row["id"] == sentence.id]
    elsewhere = sentence.of_full_size and case.table.rows != FULL
    reason = "" if holds else _SIZE if elsewhere else sentence.otherwise(numbers)
    return Claim(
        sentence.id, kind, sentence.text, sentence.published, measured, min(drawn, default=None),
        max(drawn, default=None), holds, sentence.rule, shown, reason, kind in COUNTED and not elsewhere,
    )  # fmt: skip


_SIZE = f"The number is about {FULL:,} records; a table of another length has more or fewer that stand alone."


def as_rows(claims: Sequence[Claim]) -> list[dict[str, Any]]:
    """Give claims as tidy rows."""
    return [asdict(claim) for claim in claims]


def count(claims: Sequence[Claim]) -> tuple[int, int]:
    """Give how many of the claims that count hold, and how many there are."""
    counted = [claim for claim in claims if claim.counted]
    return sum(claim.holds for claim in counted), len(counted)
