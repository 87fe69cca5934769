"""Where a release and its papers go; papers lie beside the table, or beside each other, when nobody says."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from shoal.engines.sources import COMPRESSED, Source
from shoal.errors import ParameterError
from shoal.files import Output


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
    """

    target: Source
    certificate: Path
    private: Path
    named: tuple[bool, bool]
    recipe: Path | None = None
    masked_counts: Path | None = None
    also: tuple[Path, ...] = ()

    @classmethod
    def of(
        cls,
        target: str | Path | Source,
        certificate: str | Path | None = None,
        private: str | Path | None = None,
        recipe: str | Path | None = None,
        masked_counts: str | Path | None = None,
        also: Sequence[Path] = (),
    ) -> Places:
        """Give the places that were named, and for papers that were not those beside the table."""
        where = Source.parse(target)
        paper = certificate_beside(where) if certificate is None else Path(certificate)
        return cls(
            where,
            paper,
            private_beside(where, paper) if private is None else Path(private),
            (certificate is not None, private is not None),
            None if recipe is None else Path(recipe),
            None if masked_counts is None else Path(masked_counts),
            tuple(also),
        )

    @property
    def table_is_a_file(self) -> bool:
        """Whether the table is made as any other file is: also as a new database."""
        return not self.target.is_table or (self.target.kind == "duckdb" and not self.target.path.exists())

    def outputs(self) -> list[Output]:
        """Give the files to write: the table if it is one, both papers, the recipe, the counts, and the rest."""
        table = [Output(self.target.path, vacant=self.target.is_table)] if self.table_is_a_file else []
        extra = [Output(path) for path in (self.recipe,) if path is not None]
        extra += [Output(path, private=True) for path in (self.masked_counts,) if path is not None]
        return [*table, Output(self.certificate), Output(self.private, private=True), *extra, *map(Output, self.also)]


def certificate_beside(target: Source) -> Path:
    """Give the place of a certificate."""
    if target.is_table:
        raise ParameterError(
            "A table in a database has no folder for its certificate.",
            "Say where it goes: --certificate release.certificate.json.",
        )
    return _beside(target.path, ".certificate.json")


def private_beside(target: Source, certificate: Path) -> Path:
    """Give the place of a private record."""
    if not target.is_table:
        return _beside(target.path, ".private.json")
    name = certificate.name.removesuffix(".json").removesuffix(".certificate")
    return certificate.with_name(f"{name}.private.json")


def _beside(table: Path, suffix: str) -> Path:
    path = table.with_suffix("") if table.suffix.lower() in COMPRESSED else table
    return path.with_suffix(suffix) if path.name else path
