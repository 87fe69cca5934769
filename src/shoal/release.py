"""anonymize(): the one road from a table to a release with its certificate."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np

from shoal.catalogue import picked
from shoal.certificate import Certificate
from shoal.engines.endings import delimiter_for
from shoal.engines.sources import Source
from shoal.errors import GuaranteeError, ParameterError
from shoal.measures import Demanding, Measure, Score, TableMeasure, score
from shoal.measures.class_sizes import ClassSizes
from shoal.measures.information_loss import InformationLoss
from shoal.measures.random_reidentification import RandomReidentification
from shoal.measures.uniqueness import Uniqueness
from shoal.methods import Method
from shoal.models import PrivacyModel, Verdict, check
from shoal.papers import Places
from shoal.progress import stage
from shoal.progress.showing import Progress, by_itself
from shoal.recipe import Recipe, refuse_strange_order
from shoal.release_files import refuse_losses, write_release
from shoal.schema import RELEASED, usable_delimiter
from shoal.table import Origin, RowOrder, Table

STANDARD_MEASURES: tuple[Measure, ...] = (Uniqueness(), RandomReidentification(), ClassSizes(), InformationLoss())


@dataclass(frozen=True, eq=False)
class Release:
    """A masked table with what was proved and measured on it.

    Attributes
    ----------
    origin
        Where the original came from. The original itself is not kept: it may be large, and it is not to be released.
    subject
        The name of the column that told people apart, if there was one.
    table
        The masked table. It can be looked at also when a promise does not hold.
    recipe
        Everything that was asked for.
    steps
        One sentence for each method.
    verdicts
        What was found of each model.
    scores
        What was measured.
    """

    origin: Origin
    subject: str | None
    table: Table
    recipe: Recipe
    steps: tuple[str, ...]
    verdicts: tuple[Verdict, ...]
    scores: tuple[Score, ...]

    @property
    def holds(self) -> bool:
        """Whether every model holds on the released table."""
        return all(verdict.holds for verdict in self.verdicts)

    def __repr__(self) -> str:
        """Say what holds and what it cost."""
        lines = [f"Release of {self.table.rows:,} records"]
        lines += [f"  {'✓' if v.holds else '✗'} {v.model.name}: {v.sentence}" for v in self.verdicts]
        lines += [f"  {value.measure}: {value.value:.6g}" for value in self.scores]
        return "\n".join(lines)

    def _repr_html_(self) -> str:
        """Show a notebook what holds and what it cost."""
        from html import escape  # commands do without it

        signs = {True: "✓ holds", False: "✗ does not hold"}
        rows = [(v.model.name, signs[v.holds], v.sentence) for v in self.verdicts]
        rows += [(value.measure, f"{value.value:.6g}", "") for value in self.scores]
        cells = "".join(f"<tr>{''.join(f'<td>{escape(text)}</td>' for text in row)}</tr>" for row in rows)
        return f"<table><caption>Release of {self.table.rows:,} records</caption><tbody>{cells}</tbody></table>"

    def _insist(self) -> None:
        for verdict in self.verdicts:
            if not verdict.holds:
                raise GuaranteeError(
                    f"{verdict.model.name} does not hold in {verdict.failing:,} of {verdict.classes:,} classes "
                    f"(level {verdict.level:.6g}), so nothing was released.",
                    "Choose a method that enforces it, or ask for a lower level.",
                )

    def frame(self, kind: str | None = None, *, cells: str | None = None, row_order: str = "released") -> Any:
        """Give the released table as a frame, of the kind that was read if none is named; refuses as `write` does.

        Its rows stand in the released order. In the order of the ``input`` they are for the holder's own analysis:
        that order may tell who they are.
        """
        self._insist()
        given = self.origin.kind
        rows = self.in_order(row_order)[0]
        return rows.to(kind or (given if given in ("pandas", "polars", "duckdb", "spark") else "arrow"), cells=cells)

    def to_pandas(self, *, row_order: str = "released") -> Any:
        """Give the released table as a pandas frame with an index of its own, in the released order."""
        return self.frame("pandas", row_order=row_order)

    def to_polars(self, *, row_order: str = "released") -> Any:
        """Give the released table as a Polars frame, in the released order."""
        return self.frame("polars", row_order=row_order)

    def to_arrow(self, *, row_order: str = "released") -> Any:
        """Give the released table as an Arrow table, in the released order."""
        return self.frame("arrow", row_order=row_order)

    def in_order(self, row_order: str) -> tuple[Table, RowOrder]:
        """Give the released table in an order, and which row of the input each row came from."""
        refuse_strange_order(row_order)
        if row_order == "released":
            return self.table.arranged()
        return self.table, lambda: iter((np.arange(self.table.rows),))

    def write(
        self,
        path: str | Path | Source,
        *,
        certificate: str | Path | None = None,
        private: str | Path | None = None,
        recipe: str | Path | None = None,
        masked_counts: str | Path | None = None,
        delimiter: str | None = None,
        row_order: str | None = None,
        key: bytes | None = None,
        overwrite: bool = False,
        needed: Sequence[str | Path] = (),
        also: Mapping[Path, Callable[[Certificate], bytes]] | None = None,
    ) -> Certificate:
        """Write the released table, its certificate, and the private record for its holder, all or nothing.

        Parameters
        ----------
        path
            Where to. A name that ends in ``.parquet`` gives Parquet, one that ends with a slash a new folder of
            Parquet files, ``postgresql://…?table=t`` and ``duckdb:///file.db?table=t`` a new table in a database,
            ``-`` delimited text on stdout, and any other name delimited text, compressed if it ends in ``.gz`` or
            ``.zst``. A name that promises another format, such as ``.xlsx``, is refused.
        certificate
            Where the certificate goes; beside the table, as ``NAME.certificate.json``, if left out. It must be named
            for a table in a database and for stdout.
        private
            Where the private record goes, which only its owner can read; beside the table, as ``NAME.private.json``,
            if left out. It is to be kept with the original and never to be published.
        recipe
            Where the recipe goes, if it is to be written too.
        masked_counts
            Where to put, as CSV, how often each original value was masked, if the method kept count. It is what
            `Regenerate` needs. Rare values in it are those of single people, so only its owner can read it.
        delimiter
            What separates the cells of a text file; if left out, a tab in ``.tsv``, a bar in ``.psv``, else a comma.
        row_order
            ``released``, by what is released; or ``input``, as in the original, for experiments: neighbours may then
            bound each other's ranges. If left out, what `anonymize` was asked for.
        key
            A key to sign the certificate with, of at least 16 bytes.
        overwrite
            Whether files, or a table that an earlier release made, may be replaced where they are. They are when all
            new ones are complete.
        needed
            Files that must not be overwritten, beside the input.
        also
            More files to write together with the release, such as a report: where each goes, and what makes its
            content when the certificate is known.

        Raises
        ------
        GuaranteeError
            If a model does not hold on the released table. Nothing is written then.
        """
        self._insist()
        places = Places.of(
            path, certificate, private, recipe, masked_counts, tuple(also or {}), overwrite=overwrite
        )  # fmt: skip
        separator = delimiter_for(places.target) if delimiter is None else delimiter
        if not usable_delimiter(separator):
            raise ParameterError("This delimiter cannot separate cells.", "Choose one sign such as , ; | or a tab.")
        if masked_counts is not None and not self.table.masked:
            raise ParameterError(
                "It was not counted which values were masked.", "Only some methods do: mask-uniques does."
            )
        refuse_losses(self, places, needed)
        chosen = row_order or self.recipe.row_order
        with by_itself(f"writing {places.target.name}"):
            table, order = self.in_order(chosen)
            told = self if chosen == self.recipe.row_order else self._in_other_order(table, chosen)
            more = tuple((also or {}).values())
            return write_release(replace(told, table=table), order, places, separator, key, more)

    def _in_other_order(self, table: Table, row_order: str) -> Release:
        """Give what is said of the release when its rows stand in another order: some measures look at that."""
        scores = _seen(table, self.recipe.measures or (), self.scores)
        return replace(self, recipe=replace(self.recipe, row_order=row_order), scores=scores)


def _seen(table: Table, measures: Sequence[Measure], scores: Sequence[Score]) -> tuple[Score, ...]:
    """Give scores with those anew that look at the order of the rows."""
    looks = zip(measures, scores, strict=True)
    return tuple(each.look(table) if isinstance(each, TableMeasure) else found for each, found in looks)


def anonymize(
    table: Table,
    method: Method | str | Sequence[Method | str],
    models: PrivacyModel | Sequence[PrivacyModel] = (),
    *,
    measures: Sequence[Measure] | None = None,
    seed: int = 0,
    row_order: str = "released",
    progress: Progress | bool | None = None,
) -> Release:
    """Mask a table, check the models on the result, and measure what is left and what was lost.

    Parameters
    ----------
    table
        What to mask. It is not changed.
    method
        How to mask it, or the name of that (``"hilbert"``); several are applied one after the other.
    models
        What the release promises. It is checked on the masked table alone.
    measures
        What to measure; if left out, uniqueness, random reidentification, class sizes and information loss.
    seed
        The seed of methods that draw random numbers.
    row_order
        In which order rows are to be written: ``released``, by what is released; or ``input``, for experiments.
    progress
        Who is told how far it is: a function of the stage, the share of it that is done and the seconds left, or True
        or False, as for `show_progress`. If left out, it is shown in notebooks.

    Examples
    --------
    >>> import polars as pl, shoal
    >>> people = pl.DataFrame({"age": [34, 35, 61, 62], "ill": ["yes", "no", "no", "yes"]})
    >>> table = shoal.read(people, quasi=["age"], sensitive=["ill"])
    >>> release = shoal.anonymize(table, shoal.SortedClusters(), [shoal.KAnonymity(2)])
    >>> release.frame("pandas")["age"].tolist()
    ['[34;35]', '[34;35]', '[61;62]', '[61;62]']
    """
    methods, models = picked("methods", method), picked("models", models)
    asked = picked("measures", STANDARD_MEASURES if measures is None else measures)
    if not table.schema.quasi:
        raise ParameterError("No column is a quasi-identifier.", "Name at least one (quasi=[...], --quasi a,b).")
    subject = table.schema.subject
    subjects = None if subject is None else int(table.counts(subject)[0].size)
    for model in models:
        model.demand(table.rows, subjects)
    for measure in asked:
        if isinstance(measure, Demanding):
            measure.demand(table.schema)
    recipe = replace(Recipe.of(table, methods, tuple(models), asked, seed), row_order=row_order)
    masked, steps = table, []
    with by_itself("masking", progress):
        for step in methods:
            stage(f"masking with {step.name}")
            steps.append(step.explain(masked, models))
            masked = step.apply(masked, models, seed)
        if table.origin.given.get("missing"):
            # Whoever reads the release knows no marks: what a model takes for missing must be seen to be so.
            looked_at = [getattr(item, "column", item) for model in models for item in model.carries(masked.schema)]
            masked = masked.blanked([name for name in looked_at if name in masked.schema.of(*RELEASED)])
        stage("checking the promises")
        verdicts = check(masked, models)
        scores = score(masked, asked, table)
        if row_order == "released" and any(isinstance(measure, TableMeasure) for measure in asked):
            scores = _seen(masked.arranged()[0], asked, scores)  # as readers will see it, not as rows still stand
    return Release(table.origin, table.schema.subject, masked, recipe, tuple(steps), verdicts, scores)
