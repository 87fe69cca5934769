"""What a release cost, in a report: loss by column, distributions, associations, and other measures."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

from shoal.assessment.estimates import estimate_table
from shoal.certification.certificate import DIGITS
from shoal.measures import ClassMeasure, PairMeasure, Score, TableMeasure, score
from shoal.measures.correlation_shift import CorrelationShift
from shoal.measures.estimate_shift import EstimateShift
from shoal.measures.information_loss import InformationLoss
from shoal.releases.release import Release
from shoal.report.bins import Distribution, distribution
from shoal.report.columns import ColumnCells
from shoal.report.discretion import Discretion, percent
from shoal.report.figures import associations, distributions
from shoal.report.page import Html, PageBlock, Section, named, shown_table, table
from shoal.report.rendering import sentence
from shoal.schema import Role
from shoal.table import Table

MOST_DRAWN = 12  # columns that have figures: those that changed most
_CELLS = 4_000_000  # combinations of categories that are still counted for associations

CellsByColumn = Mapping[str, tuple[ColumnCells, ColumnCells]]


def cost(release: Release, original: Table, cells: CellsByColumn, discretion: Discretion) -> Iterator[PageBlock]:
    """Say what the release cost: to readers outside, only as a whole."""
    made = _Cost(release, original, cells, discretion)
    return made.outside() if discretion.external else made.inside()


@dataclass(frozen=True, eq=False)
class _Cost:
    """What the section is made from; each thing is measured once."""

    release: Release
    original: Table
    cells: CellsByColumn
    discretion: Discretion

    @cached_property
    def loss(self) -> Score:
        known = [found for found in self.release.scores if found.measure == InformationLoss.name]
        return known[0] if known else score(self.original, self.release.table, measures=[InformationLoss()])[0]

    @cached_property
    def others(self) -> list[Score]:
        asked = zip(self.release.recipe.measures or (), self.release.scores, strict=False)
        return [
            found
            for measure, found in asked
            if isinstance(measure, (PairMeasure, TableMeasure))
            and not isinstance(measure, ClassMeasure)
            and found.measure not in (InformationLoss.name, CorrelationShift.name)
        ]

    @cached_property
    def spread(self) -> list[Distribution]:
        """The distributions of all columns, those that changed most first."""
        found = [distribution(name, *cells, self.discretion) for name, cells in self.cells.items()]
        return sorted(found, key=lambda each: -each.moved)

    def inside(self) -> Iterator[PageBlock]:
        parts = {each.measure: each.detail["per_attribute"] for each in self.others if "per_attribute" in each.detail}
        moved = {each.name: percent(each.moved) for each in self.spread if each.rows}
        rows: list[dict[str, object]] = [
            {"column": named([name]), "loss": f"{value:.4f}", "moved": moved.get(name)}
            | {measure: part.get(name) for measure, part in parts.items()}
            for name, value in self.loss.detail["per_attribute"].items()
        ]
        yield _loss_in_words(f"{self.loss.value:.4f}")
        heads = {"column": "Column", "loss": "Mean distance in standard deviations", "moved": "Moved to another bin"}
        yield table(
            rows, heads | {name: name for name in parts}, "Information loss by column", numeric=["loss", "moved"]
        )
        drawn = {each.name for each in [each for each in self.spread if each.rows][:MOST_DRAWN]}
        chosen = [each for each in self.spread if each.name in drawn]
        bare = [each.name for each in self.spread if not each.rows]
        yield Section(
            "Distributions",
            self._selected(len(drawn) + len(bare), "distribution"),
            *distributions(chosen),
            sentence("not_drawn", bare) if bare else None,
            id="distributions",
        )
        yield Section("Associations", *self._associations(), id="associations")
        yield from self._estimates()
        if self.others:
            yield _other_measures(self.others, 6)

    def _estimates(self) -> Iterator[PageBlock]:
        """Show means and totals before and after of a survey, as someone estimates them with its weights."""
        if self.original.schema.single(Role.WEIGHT) is None:
            return
        known = [each for each in self.release.scores if each.measure == EstimateShift.name]
        found = known[0] if known else score(self.original, self.release.table, measures=[EstimateShift()])[0]
        grid = estimate_table(found.detail)
        if grid is not None:
            yield Section("Estimates", EstimateShift.sentence(found.detail), shown_table(grid), id="estimates")

    def outside(self) -> Iterator[PageBlock]:
        """Tell readers outside what it cost, as a whole: from numbers by column, values could be worked out."""
        if len(self.original.schema.quasi) > 1:  # else it would be that of a column, too
            yield _loss_in_words(f"{self.loss.value:.{DIGITS}g}")
            if self.others:
                yield _other_measures(self.others, DIGITS)
        yield "What was lost by column, distributions and associations are in the internal version of this report."

    def _selected(self, shown: int, what: str) -> str | None:
        every = len(self.cells)
        if shown >= every:
            return None
        return f"Drawn are the {MOST_DRAWN} columns of {every:,} whose {what} changed most; the table above has all."

    def _associations(self) -> Iterator[PageBlock]:
        schema = self.original.schema
        names = schema.quasi
        axes = [schema[name].axis for name in names]
        sizes = sorted((len(axis.values) for axis in axes if axis.nominal and axis.values is not None), reverse=True)
        if len(names) < 2:
            yield "There is one quasi-identifier only."
        elif len(sizes) > 1 and sizes[0] * sizes[1] > _CELLS:
            yield "Associations were not compared: some columns have too many categories."
        else:
            known = [each for each in self.release.scores if each.measure == CorrelationShift.name]
            found = known[0] if known else score(self.original, self.release.table, measures=[CorrelationShift()])[0]
            yield (
                f"Associations between pairs of columns moved by {found.value:.3f} in the mean and by "
                f"{found.detail['largest']:.3f} at most."
            )
            drawn = {each.name for each in self.spread[:MOST_DRAWN]}
            if len(drawn) < len(names):
                yield f"Drawn are the {MOST_DRAWN} columns of {len(names):,} whose distribution changed most."
            yield associations(found, [name for name in names if name in drawn])


def _loss_in_words(value: str) -> str:
    return (
        f"Information loss is {value}: on average, and per attribute, a published record may lie so many standard "
        "deviations from its original. 0 means that nothing was changed."
    )


def _other_measures(found: Sequence[Score], digits: int) -> Html:
    return table(
        [{"what": each.measure, "value": f"{each.value:,.{digits}g}"} for each in found],
        {"what": "Measure", "value": "Value"},
        "Other measures that were asked for",
        numeric=["value"],
    )
