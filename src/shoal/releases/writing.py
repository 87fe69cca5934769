"""Writing a release: the table, its certificate, the private record and what else belongs to it, all or nothing."""

from __future__ import annotations

import csv
import io
import platform
from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager, ExitStack
from dataclasses import replace
from pathlib import Path
from typing import Any, Protocol

import numpy as np

from shoal.arrays import Integers
from shoal.atomic_files import all_or_none, files_read_by, put, writing
from shoal.atomic_files.moving import Awaited, Commit
from shoal.certification.approval import Approval
from shoal.certification.certificate import Certificate
from shoal.certification.papers import Places
from shoal.certification.private_record import UNPAIRED, PrivateRecord, commitment, fresh_key
from shoal.certification.signatures import Seals
from shoal.direct_identifiers import TreatedColumn
from shoal.engines.io.file_extensions import delimiter_for
from shoal.engines.io.file_writer import writers_of
from shoal.engines.io.streams import to_stdout
from shoal.engines.sources import Source
from shoal.engines.values import Layout
from shoal.joined_rows import JoinedRows
from shoal.joined_tables import JoinedTables
from shoal.measures import Score
from shoal.methods.perturbation.preserved import KeptStep
from shoal.models import Verdict
from shoal.models.stated import Stated
from shoal.recipe import Recipe
from shoal.releases.shown_cells import ranged_columns
from shoal.releases.stated_release import left_with_holder, table_for_all
from shoal.table import Origin, RowOrder, Table, Written


class Proved(Protocol):
    """What a release tells of itself: see `shoal.releases.release.Release`."""

    @property
    def origin(self) -> Origin: ...  # noqa: D102
    @property
    def table(self) -> Table: ...  # noqa: D102
    @property
    def recipe(self) -> Recipe: ...  # noqa: D102
    @property
    def steps(self) -> tuple[str, ...]: ...  # noqa: D102
    @property
    def verdicts(self) -> tuple[Verdict, ...]: ...  # noqa: D102
    @property
    def scores(self) -> tuple[Score, ...]: ...  # noqa: D102
    @property
    def people(self) -> Integers | None: ...  # noqa: D102
    @property
    def exact_steps(self) -> tuple[str, ...]: ...  # noqa: D102
    @property
    def stated(self) -> Stated | None: ...  # noqa: D102
    @property
    def preserved(self) -> tuple[KeptStep, ...]: ...  # noqa: D102
    @property
    def identifiers(self) -> tuple[TreatedColumn, ...]: ...  # noqa: D102
    @property
    def joined(self) -> tuple[JoinedRows | JoinedTables, ...]: ...  # noqa: D102


def refuse_losses(release: Proved, places: Places, needed: Sequence[str | Path]) -> None:
    """Refuse to write over the input, or over anything else that is needed."""
    recipe, origin = release.recipe, release.origin
    inputs = [*map(Path, needed), *map(Path, origin.beside)]
    inputs += files_read_by([*recipe.methods, *recipe.models, *(recipe.measures or ())])
    places.refuse(Source.parse(origin.place) if origin.place else None, inputs)


def write_release(
    release: Proved,
    order: RowOrder,
    places: Places,
    delimiter: str,
    seals: Seals,
    makers: Sequence[Callable[[Certificate], bytes]],
    approval: Approval | None = None,
) -> Certificate:
    """Write a release whose rows stand as they are to be released.

    Parameters
    ----------
    release
        What to write.
    order
        Which row of the input each row came from.
    places
        Where everything goes.
    delimiter
        What separates the cells of a text file.
    seals
        The keys that the certificate is sealed with, if any.
    makers
        What makes the content of the other files, when the certificate is known.
    approval
        Who let it go out, if someone did.
    """
    table, target = release.table, places.target
    cells = release.recipe.cells
    bounds = tuple(ranged_columns(table)) if cells == "bounds" else ()
    layout = Layout(delimiter, table.origin.codebook, cells, bounds)
    with ExitStack() as stack:
        stored = None
        if target.is_table and not places.table_is_a_file:
            stored = stack.enter_context(table.write(places.stored_in, layout))
        batch = stack.enter_context(all_or_none(places.outputs()))
        rest = iter(batch)
        if stored:
            batch.commit = Commit(stored.commit, Awaited(target.identity(), stored.written.sha256))
            written = stored.written
        else:
            # What goes to stdout or to the cloud cannot be called back: it goes when all else is complete, before
            # anything is moved.
            draft = next(rest) if places.table_is_a_file else stack.enter_context(_elsewhere(places))
            written = _written(table, draft, target, layout)
        secret = fresh_key()
        sealed = _certificate(release, target, layout, written, secret, seals, approval)
        put(next(rest), sealed.to_json())
        draft = next(rest)
        with writing(draft), draft.open("wb") as file:
            record, people = _private_record(release, sealed, secret), release.people
            if people is None:
                record.write(file, order, table.rows)
            else:
                record.write(file, lambda: iter((people,)), people.size)
        if places.recipe is not None:
            put(next(rest), _full_recipe(release, places, delimiter).to_toml())
        if places.masked_counts is not None:
            put(next(rest), _masked_counts(table))
        for draft, make in zip(rest, makers, strict=True):
            put(draft, make(sealed))
    return sealed


def _elsewhere(places: Places) -> AbstractContextManager[Path]:
    """Give a file to write that goes to stdout, or to the cloud, when it is complete."""
    if places.target.kind == "remote":
        from shoal.engines.io.remote_files import sent_to

        return sent_to(places.target, overwrite=places.overwrite)
    return to_stdout()


def _written(table: Table, draft: Path, target: Source, layout: Layout) -> Written:
    kind = "file" if target.kind == "remote" else target.kind
    with writing(draft), table.write(replace(target, path=draft, kind=kind), layout) as stored:
        stored.commit()
    return stored.written


def _certificate(
    release: Proved,
    target: Source,
    shape: Layout,
    written: Written,
    secret: bytes,
    seals: Seals,
    approval: Approval | None,
) -> Certificate:
    layout: dict[str, Any] = {"delimiter": shape.delimiter} if target.format == "text" else {}
    layout |= {"bounds": list(shape.bounds)} if shape.bounds else {}
    marks = list(release.recipe.table.get("missing", ())) if release.stated is None else []
    public = release.recipe.public()
    if release.stated is not None:
        public["table"] = table_for_all(public["table"], release.table.schema)
    return Certificate.issue(
        recipe=public,
        software={"python": platform.python_version(), "numpy": np.__version__, **writers_of(target)},
        engine=release.table.engine.name,
        commitment=commitment(secret, release.origin.sha256),
        rows=release.table.rows,
        people=None if release.people is None else release.people.size,
        schema=release.table.schema,
        released={
            "name": target.name,
            "format": target.format,
            "row_order": release.recipe.row_order,
            **layout,
            **({"missing": marks} if marks else {}),
        },
        written=written,
        steps=release.steps,
        verdicts=release.verdicts,
        measures=release.recipe.measures or (),
        scores=release.scores,
        seals=seals,
        approval=approval,
        stated=release.stated,
        preserved=release.preserved,
        remarks=[public for public, _ in release.table.remarks],
        identifiers=[each.content() for each in release.identifiers],
        joined=[each.content() for each in release.joined if isinstance(each, JoinedRows)],
        joined_tables=[each.content() for each in release.joined if isinstance(each, JoinedTables)],
    )


def _private_record(release: Proved, sealed: Certificate, secret: bytes) -> PrivateRecord:
    return PrivateRecord.issue(
        certificate=sealed,
        key=secret,
        origin=release.origin,
        schema=release.table.schema,
        row_order=release.recipe.row_order if release.stated is None else UNPAIRED,
        verdicts=release.verdicts,
        scores=release.scores,
        steps=release.exact_steps,
        read={} if release.stated is None else left_with_holder(release.recipe.table),
        remarks=[private for _, private in release.table.remarks],
    )


def _full_recipe(release: Proved, places: Places, delimiter: str) -> Recipe:
    """Give the recipe with the places of its files, as seen from its own folder."""
    assert places.recipe is not None
    folder = places.recipe.parent

    def seen(path: str | Path | Source | None) -> str | None:
        return None if path is None else Source.parse(path).seen_from(folder)

    return replace(
        release.recipe,
        source=seen(release.origin.place),
        target=seen(places.target),
        certificate=seen(places.certificate if places.named[0] else None),
        private=seen(places.private if places.named[1] else None),
        joined_with=tuple(Source.parse(each).seen_from(folder) for each in release.recipe.joined_with),
        delimiter=None if delimiter == delimiter_for(places.target) else delimiter,
    )


def _masked_counts(table: Table) -> str:
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(["column", "value", "count"])
    for name, (positions, counts) in table.masked.items():
        values = table.schema[name].axis.texts(positions)
        writer.writerows((name, value, count) for value, count in zip(values, counts.tolist(), strict=True))
    return text.getvalue()
