"""What the paper does not measure, and its critics asked for: each module is an experiment of its own."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from shoal.assessment.study import Row
from shoal.charts import Figure
from shoal.report.page import Section
from shoal_paper.reproduction.case import Case
from shoal_paper.reproduction.numbers import Results


def _nothing(results: Results) -> list[Row]:
    return []


@dataclass(frozen=True)
class Experiment:
    """A step of the study with a section of its own.

    Parameters
    ----------
    name
        The name of the step and of the file of its rows.
    work
        Its share of the time, compared with the other steps.
    measure
        Gives tidy rows, plain values only; none where the experiment does not apply to a table.
    figures
        Draws the rows: figures by their number, such as ``Fig. C1``.
    section
        Tells what was found, given the rows and the figures as HTML.
    earlier
        Picks rows of the steps before that are shown again here, after its own, so that nothing is measured twice.
    """

    name: str
    work: int
    measure: Callable[[Case], list[Row]]
    figures: Callable[[Sequence[Row]], dict[str, Figure]]
    section: Callable[[Sequence[Row], Mapping[str, str]], Section]
    earlier: Callable[[Results], list[Row]] = _nothing
