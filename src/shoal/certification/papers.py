"""Where a release and its papers go; papers lie beside the table, or beside each other, when nobody says."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from shoal.atomic_files import OutputFile, recover, refuse_overwriting
from shoal.engines.file_forms import COMPRESSED
from shoal.engines.io.file_extensions import refuse_other_formats
from shoal.engines.sources import Source
from shoal.errors import ParameterError


@dataclass(frozen=True)
class Places:
    """Where everything goes that is written together.

    Attributes
    ----------
    target
        The released table.
    certificate, private
        Its papers.
    named
        Whether the places of the papers were given, each: a recipe tells only these.
    recipe, masked_counts
        What else was asked for.
    also
        More files, such as a report.
    overwrite
        Whether what is there may be replaced.
    """

    target: Source
    certificate: Path
    private: Path
    named: tuple[bool, bool]
    recipe: Path | None = None
    masked_counts: Path | None = None
    also: tuple[Path, ...] = ()
    overwrite: bool = False

    @classmethod
    def of(
        cls,
        target: str | Path | Source,
        certificate: str | Path | None = None,
        private: str | Path | None = None,
        recipe: str | Path | None = None,
        masked_counts: str | Path | None = None,
        also: Sequence[Path] = (),
        *,
        overwrite: bool = False,
    ) -> Places:
        """Give the places that were named, and for papers that were not those beside the table.

        A table that may be replaced by what its address says lets its papers be replaced too, and the other way round.
        """
        where = Source.parse(target)
        refuse_other_formats(where)
        paper = certificate_beside(where) if certificate is None else Path(certificate)
        return cls(
            where,
            paper,
            private_beside(where, paper) if private is None else Path(private),
            (certificate is not None, private is not None),
            None if recipe is None else Path(recipe),
            None if masked_counts is None else Path(masked_counts),
            tuple(also),
            overwrite or where.replace,
        )

    @property
    def table_is_a_file(self) -> bool:
        """Whether the table is made as any other file is: also as a new database."""
        if self.target.kind in ("duckdb", "sqlite"):
            return not self.target.path.exists()
        return self.target.kind in ("file", "folder")

    @property
    def stored_in(self) -> Source:
        """The table in a database, with the word that it may be replaced."""
        return replace(self.target, replace=self.overwrite)

    def outputs(self) -> list[OutputFile]:
        """Give the files to write: the table if it is one, both papers, the recipe, the counts, and the rest."""
        fresh = not self.overwrite
        table = []
        if self.table_is_a_file:
            vacant = self.target.is_table or (fresh and self.target.kind == "file")  # a folder may be there, empty
            table = [OutputFile(self.target.path, vacant=vacant)]
        extra = [(path, False) for path in (self.recipe,) if path is not None]
        extra += [(path, True) for path in (self.masked_counts,) if path is not None]
        papers = [(self.certificate, False), (self.private, True), *extra, *((path, False) for path in self.also)]
        return [*table, *(OutputFile(path, private=private, vacant=fresh) for path, private in papers)]

    def refuse(self, source: Source | None, inputs: Iterable[Path]) -> None:
        """Refuse to write over the input or where something is that must not be replaced. No table is read for that."""
        lost = source is not None and self.target.kind == "remote" and self.target.identity() == source.identity()
        if source is not None and (lost or self.target.same_table(source)):
            raise ParameterError(
                f"Writing '{self.target}' would overwrite the input, which would be lost.", "Choose another name."
            )
        for place in {output.path.parent for output in self.outputs()}:
            recover(place)  # what a run that was killed had all but written is there, too
        outputs = [output.path for output in self.outputs()]
        folder = self.target.path if self.target.kind == "folder" else None
        kept = [path for path in self.target.files() if self.target.is_table and path not in outputs]
        needed = [*inputs, *kept, *(source.files() if source else ())]
        refuse_overwriting(outputs, needed, folder, overwrite=self.overwrite)
        if self.target.kind == "remote":
            from shoal.engines.io.remote_files import refuse_existing as refuse_file

            refuse_file(self.target, overwrite=self.overwrite)
        if self.target.is_table:
            from shoal.engines.io.databases import refuse_existing

            refuse_existing(self.stored_in)


def certificate_beside(target: Source) -> Path:
    """Give the place of a certificate."""
    if target.is_table or target.kind in ("stream", "remote") or target.copied:
        what = "A table in a database" if target.is_table else f"What is on {target.name}"
        raise ParameterError(
            f"{what} has no folder for its certificate.",
            "Name one: --certificate release.certificate.json.",
        )
    return _beside(target.path, ".certificate.json")


def private_beside(target: Source, certificate: Path) -> Path:
    """Give the place of a private record."""
    if not (target.is_table or target.kind in ("stream", "remote")):
        return _beside(target.path, ".private.json")
    name = certificate.name.removesuffix(".json").removesuffix(".certificate")
    return certificate.with_name(f"{name}.private.json")


def _beside(table: Path, suffix: str) -> Path:
    path = table.with_suffix("") if table.suffix.lower() in COMPRESSED else table
    return path.with_suffix(suffix) if path.name else path
