"""Frames: what figures between two axes have in common: their texts, how numbers are written, and their size."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Required, TypedDict

from shoal.charts.figure import FigureColumn
from shoal.charts.numerals import Format
from shoal.charts.scales import Domain
from shoal.charts.sheet import Sheet
from shoal.languages import _


class Framing(TypedDict, total=False):
    """What is said of a `Frame`, by name: every figure between two axes takes these beside what is its own."""

    title: Required[str]
    description: Required[str]
    x_label: str
    y_label: str
    unit: str
    percent: bool
    log: bool
    width: float
    height: float


@dataclass(frozen=True)
class Frame:
    """A figure between two axes, without what is drawn.

    Parameters
    ----------
    title, description
        What the figure shows, and what there is to see.
    x_label, y_label
        What the axes are called.
    unit
        What the numbers count or measure.
    percent
        The numbers are shares, to be written in percent.
    log
        Equal ratios are equally far apart; zero has a place of its own.
    width, height
        The width of the sheet, and the height of the part that is drawn in.
    """

    title: str
    description: str
    x_label: str = ""
    y_label: str = ""
    unit: str = ""
    percent: bool = False
    log: bool = False
    width: float = 720
    height: float = 240

    @classmethod
    def of(cls, given: Framing, **usual: Any) -> Frame:
        """Give a frame of what was said, and of what is usual for a figure of its kind."""
        return cls(**{**usual, **given})

    def sheet(self) -> Sheet:
        """Begin a drawing."""
        return Sheet(self.title, self.description, self.width)

    @property
    def form(self) -> Format:
        """How numbers are written."""
        return Format(percent=self.percent, unit=self.unit)

    def columns(self, x: str, y: str, group: str | None = None) -> list[FigureColumn]:
        """Give the columns of the table behind the figure."""
        groups = [] if group is None else [FigureColumn(group, group)]
        return [FigureColumn(x, self.x_label or x), *groups, FigureColumn(y, self.y_label or y, self.form)]


def titled(label: str, domain: Domain, unit: str = "") -> str:
    """Write what an axis is called, with its unit and with how it is scaled if that is unusual."""
    notes = [note for note in (unit, _("log scale") if domain.log else "") if note]
    return f"{label} ({', '.join(notes)})".strip() if notes else label
