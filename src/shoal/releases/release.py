"""Release: a masked table with what was proved and measured on it, and how it is written with its certificate."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np

from shoal.arrays import Integers
from shoal.catalogue import picked
from shoal.certification.approval import Approval
from shoal.certification.certificate import Certificate
from shoal.certification.papers import Places
from shoal.certification.signatures import Seals, SigningKey
from shoal.direct_identifiers import TreatedColumn
from shoal.engines import read
from shoal.engines.io.file_extensions import delimiter_for
from shoal.engines.sources import Source
from shoal.errors import GuaranteeError, ParameterError
from shoal.findings import as_html
from shoal.joined_rows import JoinedRows
from shoal.joined_tables import JoinedTables
from shoal.measures import STANDARD, Measure, Score, Scores, TableMeasure, score
from shoal.measures.homogeneity import Homogeneity
from shoal.methods.perturbation.preserved import KeptStep
from shoal.models import Verdict
from shoal.models.stated import Stated
from shoal.pitfalls.homogeneity import Homogeneous, homogeneous
from shoal.pitfalls.several_rows import SeveralRows
from shoal.progress.display import by_itself
from shoal.recipe import Recipe, refuse_strange_order
from shoal.releases.writing import refuse_losses, write_release
from shoal.schema import usable_delimiter
from shoal.table import Cells, Origin, RowOrder, Table

PROMISES_NOTHING = "This release promises nothing."
STANDARD_MEASURES: tuple[Measure, ...] = picked("measures", STANDARD)


def _forgotten() -> None:
    """Give no original: it is not known any more."""


@dataclass(frozen=True, eq=False)
class Release:
    """A masked table with what was proved and measured on it.

    Attributes
    ----------
    origin
        Where the original came from.
    subject
        The name of the column that says whose record each is, if there was one.
    table
        The masked table. It can be looked at also when a promise does not hold.
    recipe
        Everything that was asked for.
    steps
        One sentence for each method.
    verdicts
        What was found of each model.
    scores
        What was measured, also by name: ``release.scores["uniqueness"]``.
    several_rows
        A column by which people have several rows, though nobody said that it tells them apart. It is for the holder
        of the original alone.
    original
        Gives the table that was masked, if it is still there or can be read again, for `report`. The table itself is
        not kept: it may be large, and it is not to be released.
    people
        Of a linked release, the place among the people of the original of each person, by the numbers that they have
        now. It is for the holder of the original alone.
    exact_steps
        Of a linked release, one sentence for each method, with exact numbers. They are for the holder of the original
        alone.
    stated
        What is promised of how the release came to be, such as differential privacy, and no file can show.
    preserved
        What each method changes and what it keeps of that, if some of them change values at random.
    identifiers
        What became of direct identifiers that were not dropped.
    joined
        What the rows tell that pseudonyms join, in the release and with other releases.
    """

    origin: Origin
    subject: str | None
    table: Table
    recipe: Recipe
    steps: tuple[str, ...]
    verdicts: tuple[Verdict, ...]
    scores: Scores
    several_rows: SeveralRows | None = None
    original: Callable[[], Table | None] = field(default=_forgotten, repr=False)
    people: Integers | None = field(default=None, repr=False)
    exact_steps: tuple[str, ...] = ()
    stated: Stated | None = None
    preserved: tuple[KeptStep, ...] = ()
    identifiers: tuple[TreatedColumn, ...] = ()
    joined: tuple[JoinedRows | JoinedTables, ...] = ()

    def __getstate__(self) -> dict[str, Any]:
        """Leave the original behind: what is pickled may be passed on."""
        return self.__dict__ | {"original": _forgotten, "people": None, "exact_steps": ()}

    @cached_property
    def homogeneity(self) -> Score | None:
        """How many people share a confidential value with everybody in their class; None if nothing is confidential."""
        return score(self.table, measures=[Homogeneity()])[0] if self.table.schema.sensitive else None

    @cached_property
    def homogeneous(self) -> tuple[Homogeneous, ...]:
        """The confidential columns that no model protects, where classes have one value of them only."""
        return homogeneous(self.table, self.recipe.models, self.homogeneity)

    @property
    def warnings(self) -> tuple[str, ...]:
        """What the promises do not keep, in words, each with what to do about it."""
        nothing = [] if self.verdicts or self.stated else [PROMISES_NOTHING]
        several = [] if self.several_rows is None else [f"{self.several_rows.sentence} {self.several_rows.remedy}"]
        joined = [line for each in self.joined for line in each.sentences]
        return (*nothing, *joined, *(f"{each.sentence} {each.remedy}" for each in self.homogeneous), *several)

    @property
    def holds(self) -> bool:
        """Whether something is promised, and every model holds on the released table."""
        return bool(self.verdicts or self.stated) and not self.broken

    @property
    def broken(self) -> tuple[Verdict, ...]:
        """What was found of the models that do not hold."""
        return tuple(verdict for verdict in self.verdicts if not verdict.holds)

    def __repr__(self) -> str:
        """Say what holds and what it cost."""
        lines = [f"Release of {self.table.rows:,} records"]
        lines += [f"  {'✓' if v.holds else '✗'} {v.model.name}: {v.sentence}" for v in self.verdicts]
        lines += [f"  stated: {self.stated.sentence}"] if self.stated else []
        lines += [f"  attested: {each.sentence}" for each in self.identifiers]
        lines += [f"  – {line}" for line in self._shared()]
        lines += [f"  {value.measure}: {value.value:.6g}" for value in self.scores]
        lines += [f"  ! {warning}" for warning in self.warnings]
        return "\n".join(lines)

    def _shared(self) -> list[str]:
        return [] if self.homogeneity is None else [Homogeneity.sentence(self.homogeneity.detail)]

    def _repr_html_(self) -> str:
        """Show a notebook what holds and what it cost."""
        signs = {True: "✓ holds", False: "✗ does not hold"}
        rows = [(v.model.name, signs[v.holds], v.sentence) for v in self.verdicts]
        rows += [(self.stated.claim, "stated", self.stated.sentence)] if self.stated else []
        rows += [(each.column, "attested", each.sentence) for each in self.identifiers]
        rows += [(value.measure, f"{value.value:.6g}", "") for value in self.scores]
        rows += [("homogeneity", "", line) for line in self._shared()]
        rows += [("!", "", warning) for warning in self.warnings]
        return as_html(f"Release of {self.table.rows:,} records", rows)

    def _insist(self) -> None:
        insist_on_promise((*self.recipe.models, self.stated), no_promise=self.recipe.no_promise)
        for verdict in self.broken:
            raise GuaranteeError(
                f"{verdict.model.name} does not hold in {verdict.failing:,} of {verdict.classes:,} classes "
                f"(level {verdict.level:.6g}), so nothing was released.",
                "Choose a method that enforces it, or ask for a lower level.",
            )

    def to_arrow(self, *, cells: Cells | None = None, row_order: str = "released") -> Any:
        """Give the released table as an Arrow table; refuses as `write` does.

        ``cells`` says what a generalized cell becomes: ``struct`` (its two ends) or ``text`` (as in a file). Left
        out, it is text for pandas, which has no structs, and struct elsewhere. Rows stand in the released order. In
        the order of the ``input`` they are for the holder's own analysis: that order may tell who they are.
        """
        return self._rows(row_order).to_arrow(cells=cells)

    def to_pandas(self, *, cells: Cells | None = None, row_order: str = "released") -> Any:
        """Give the released table as a pandas frame; in the order of the ``input``, with the index that was read."""
        frame = self._rows(row_order).to_pandas(cells=cells)
        if row_order == "input" and self.origin.labels is not None:
            frame.index = self.origin.labels
        return frame

    def to_polars(self, *, cells: Cells | None = None, row_order: str = "released") -> Any:
        """Give the released table as a Polars frame."""
        return self._rows(row_order).to_polars(cells=cells)

    def to_duckdb(self, *, cells: Cells | None = None, row_order: str = "released") -> Any:
        """Give the released table as a relation of DuckDB."""
        return self._rows(row_order).to_duckdb(cells=cells)

    def to_spark(self, *, cells: Cells | None = None, row_order: str = "released") -> Any:
        """Give the released table as a frame of Spark, if its engine holds the table."""
        return self._rows(row_order).to_spark(cells=cells)

    def to_native(self, *, cells: Cells | None = None, row_order: str = "released") -> Any:
        """Give the released table as a frame of the kind that was read; of a file, as an Arrow table."""
        if self.origin.kind == "pandas":
            return self.to_pandas(cells=cells, row_order=row_order)
        return self._rows(row_order).to_native(cells=cells)

    def _rows(self, row_order: str) -> Table:
        self._insist()
        return self.in_order(row_order)[0]

    def in_order(self, row_order: str) -> tuple[Table, RowOrder]:
        """Give the released table in an order, and which row of the input each row came from."""
        refuse_strange_order(row_order)
        if row_order == "released":
            return self.table.in_released_order()
        if self.people is not None:
            raise ParameterError("A linked release has no row for each row of the input.", "Leave out its order.")
        if self.stated is not None:
            raise ParameterError("A private release has no row for each row of the input.", "Leave out its order.")
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
        sign: str | Path | SigningKey | None = None,
        overwrite: bool = False,
        needed: Sequence[str | Path] = (),
        also: Mapping[Path, Callable[[Certificate], bytes]] | None = None,
        approval: Approval | None = None,
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
            A shared key of at least 16 bytes, under which the certificate gets a MAC.
        sign
            A pair of keys, or the file of it, with which the certificate is signed (Ed25519; ``shoal key new --sign``).
        overwrite
            Whether files, or a table that an earlier release made, may be replaced where they are. They are when all
            new ones are complete.
        needed
            Files that must not be overwritten, beside the input.
        also
            More files to write together with the release, such as a report: where each goes, and what makes its
            content when the certificate is known.
        approval
            Who let it go out, when, and what they confirmed. It stands in the certificate.

        Raises
        ------
        GuaranteeError
            If a model does not hold on the released table. Nothing is written then.
        """
        self._insist()
        seals = Seals.of(key, sign)
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
            release = self if chosen == self.recipe.row_order else self._in_other_order(table, chosen)
            more = tuple((also or {}).values())
            return write_release(replace(release, table=table), order, places, separator, seals, more, approval)

    def report(
        self,
        path: str | Path,
        *,
        original: Any = None,
        audience: str = "internal",
        certificate: Certificate | None = None,
        overwrite: bool = False,
    ) -> None:
        """Write a report for people who were not there: what holds, what risk is left, what it cost.

        Parameters
        ----------
        path
            Where to: a page if it ends in ``.html``, or a PDF if it ends in ``.pdf``.
        original
            The table that was masked, or what it was read from; may be left out while that is still there.
        audience
            ``internal``, for those who may see the original, or ``external``, without small counts.
        certificate
            What `write` gave, for its hashes.
        overwrite
            Whether another page that is there may be replaced.
        """
        from shoal.report.page import usable, write_page
        from shoal.report.release_report import release_report  # which is made of releases

        table, target = self._before(original), Source.parse(path).path
        usable(target, [] if table.origin.place is None else [Path(table.origin.place)], overwrite=overwrite)
        page = release_report(self, table, audience=audience, certificate=certificate)
        write_page(target, page, overwrite=overwrite)

    def _before(self, given: Any) -> Table:
        """Give the table that was masked, and no other."""
        if given is not None and not isinstance(given, Table):
            given = read(given, options=self.recipe.options)
        table = self.original() if given is None else given
        if table is None:
            raise ParameterError("The original is no longer there.", "Give it: report(…, original=…).")
        if table.origin.sha256 != self.origin.sha256:
            raise ParameterError("This is not the table that was masked, or it was changed since.", "Give that one.")
        return table

    def _in_other_order(self, table: Table, row_order: str) -> Release:
        """Give what is said of the release when its rows stand in another order: some measures look at that."""
        scores = seen_anew(table, self.recipe.measures or (), self.scores)
        return replace(self, recipe=replace(self.recipe, row_order=row_order), scores=scores)


def seen_anew(table: Table, measures: Sequence[Measure], scores: Scores) -> Scores:
    """Give scores with those anew that look at the order of the rows."""
    looks = zip(measures, scores, strict=True)
    return Scores(each.look(table) if isinstance(each, TableMeasure) else found for each, found in looks)


def insist_on_promise(promised: Sequence[object | None], *, no_promise: bool) -> None:
    """Refuse to release what promises nothing, unless someone says that this is known."""
    if not any(promise is not None for promise in promised) and not no_promise:
        raise GuaranteeError(
            f"{PROMISES_NOTHING} No privacy level was asked for, so nothing was released.",
            "Ask for one (k=5, --k 5); or say that you know (--no-promise, no_promise=True).",
        )
