"""The section of a risk about attackers: prosecutor, journalist and marketer."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from shoal.assessment.population_known import KnownPopulation, hidden_records
from shoal.assessment.risk_questions import RiskQuestions
from shoal.assessment.risk_section import RiskSection, ShownTable
from shoal.assessment.risk_words import share
from shoal.measures.reidentification.attackers import Attacked, SizePairs
from shoal.measures.reidentification.class_people import sizes_of
from shoal.measures.reidentification.thresholds import PRESETS, Threshold
from shoal.table import Table

if TYPE_CHECKING:
    from shoal.charts import Figure

UNKNOWN = (
    "nothing is known of the population: give a table of it (--population), its size (--population-size), the share "
    "that is in the table (--sampling-fraction) or survey weights (--weight)"
)
_USUAL = next(each for each in PRESETS if each.name == "trusted")


def attacker_section(table: Table, asked: RiskQuestions) -> RiskSection | None:
    """Tell what three attackers find, if a threshold is given or something is known of the population."""
    known = asked.known
    if known is None and asked.threshold is None:
        return None
    threshold = asked.threshold or _USUAL
    of_people = table.schema.subject is not None
    own = SizePairs.alone(sizes_of(table)) if known is None or of_people else known.pairs
    prosecutor = own.prosecutor(threshold)
    journalist = None if known is None else known.pairs.journalist(threshold)
    marketer = None if known is None else known.pairs.marketer()
    found: dict[str, Any] = {
        "prosecutor": prosecutor.plain,
        "journalist": None if journalist is None else journalist.plain,
        "marketer": None if marketer is None else {"success": marketer},
    }
    if known is None:
        found["reason"] = UNKNOWN
    hidden = hidden_records(table)
    if hidden:
        found["suppressed"] = hidden
    about = {
        "threshold": threshold.risk, "name": threshold.name, "source": threshold.source,
        "smallest_class": threshold.smallest, "population": None if known is None else known.source,
    }  # fmt: skip
    rows = list(_rows(prosecutor, journalist, marketer))
    return RiskSection(
        "Three attackers",
        {"attackers": found, "threshold": about},
        [*_counted(table), *_sentences(threshold, known, prosecutor, journalist, marketer), *_hidden(hidden)],
        [ShownTable("", ["attacker", "highest", f"above {threshold.risk:.3g}", "found on average"], rows)],
        lambda: [_picture(threshold, prosecutor, journalist, marketer)],
    )


def _counted(table: Table) -> Iterator[str]:
    if table.schema.subject is not None:
        who = table.schema.subject
        yield f"The prosecutor counts people, once in each group, and not records: '{who}' tells them apart."


def _sentences(
    threshold: Threshold, known: KnownPopulation | None, prosecutor: Attacked, journalist: Attacked | None,
    marketer: float | None,
) -> Iterator[str]:  # fmt: skip
    named = f" ({threshold.name}: {threshold.meant})" if threshold.name else ""
    yield (
        f"A record is at risk if the chance to find it is above {threshold.risk:.3g}{named}, so in a group of fewer "
        f"than {threshold.smallest:,}."
    )
    yield (
        "The prosecutor, who knows that a person is in the table, finds a record with a chance of up to "
        f"{share(prosecutor.highest)}, and {share(prosecutor.success)} of all records; {share(prosecutor.at_risk)} are "
        "at risk."
    )
    if journalist is None or marketer is None or known is None:
        yield f"Of the journalist and the marketer nothing can be said: {UNKNOWN}."
        return
    yield (
        "The journalist, who does not know who is in the table, finds a record with a chance of up to "
        f"{share(journalist.highest)}, and {share(journalist.success)} on average; {share(journalist.at_risk)} are at "
        "risk."
    )
    yield f"The marketer, who links all records to the population, is right for {share(marketer)} of them."
    yield f"Of the population this was assumed: {known.said}."


def _hidden(records: int) -> Iterator[str]:
    if records:
        yield f"Suppressed, so a class of their own that shows nothing: {records:,} of these records."


def _rows(prosecutor: Attacked, journalist: Attacked | None, marketer: float | None) -> Iterator[list[str]]:
    for name, found in (("prosecutor", prosecutor), ("journalist", journalist)):
        cells = ["–"] * 3 if found is None else [share(found.highest), share(found.at_risk), share(found.success)]
        yield [name, *cells]
    yield ["marketer", "–", "–", "–" if marketer is None else share(marketer)]


def _picture(threshold: Threshold, prosecutor: Attacked, journalist: Attacked | None, marketer: float | None) -> Figure:
    from shoal.charts import bars  # commands without a report do without it

    what = {"highest": "highest", "at_risk": f"above {threshold.risk:.3g}", "success": "found on average"}
    rows = [
        {"what": label, "attacker": name, "share": found.plain[key]}
        for key, label in what.items()
        for name, found in (("prosecutor", prosecutor), ("journalist", journalist))
        if found is not None
    ]
    rows += [] if marketer is None else [{"what": what["success"], "attacker": "marketer", "share": marketer}]
    return bars(
        rows, x="what", y="share", group="attacker", percent=True, x_label="", y_label="chance, or share of records",
        title="What three attackers find",
        description="The highest chance to find a record, the share of records that are at risk, and the share that is "
        "found on average.",
        limits=[(threshold.risk, f"{threshold.risk:.3g}")],
        height=200,
    )  # fmt: skip
