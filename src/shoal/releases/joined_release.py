"""Other releases beside a release whose people have the same names in both: what the two tell together."""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from pathlib import Path

from shoal.certification.certificate import Certificate
from shoal.certification.papers import certificate_beside
from shoal.certification.read_options import release_options
from shoal.direct_identifiers import TreatedColumn, treated_columns
from shoal.engines.sources import Source
from shoal.errors import ParameterError
from shoal.joined_tables import JoinedTables, joined_tables
from shoal.progress import stage
from shoal.pseudonyms.treatments import treatments_of
from shoal.table import Table

ReleasePlace = str | os.PathLike[str] | Source


def places_of(given: Sequence[ReleasePlace] | ReleasePlace) -> list[ReleasePlace]:
    """Give releases, of which one may be given by itself."""
    return [given] if isinstance(given, (str, os.PathLike, Source)) else list(given)


def joined_releases(
    released: Table, identifiers: Sequence[TreatedColumn], others: Sequence[ReleasePlace]
) -> Iterator[JoinedTables]:
    """Join a released table to others, by the columns that name people of one domain under one key."""
    for place in others:
        source = Source.parse(place)
        content = Certificate.load(certificate_beside(source)).content
        treated = treatments_of(content["recipe"]["table"].get("identifier", ()))
        theirs = {each["column"]: each["key"] for each in content.get("identifiers", ())}
        pairs = [
            (mine.column, name)
            for mine in identifiers
            for name, treatment in treated.items()
            if mine.treatment.names and treatment == mine.treatment and theirs.get(name) == mine.fingerprint
        ]
        if not pairs:
            raise ParameterError(
                f"'{source.name}' has no pseudonyms of the same domain under the same key, so nothing joins the two.",
                "Name another release, or leave it out: nobody can join them by these columns.",
            )
        stage(f"joining {source.name}")
        there = released.engine.read(source, release_options(content, ()))
        for column, name in pairs:
            yield joined_tables(released, column, there, name)


def refuse_nothing_to_join(table: Table, others: Sequence[ReleasePlace]) -> None:
    """Refuse to join what has no pseudonyms, before any work is done; and what has no certificate."""
    if not others:
        return
    if not any(treatment.names for treatment in treated_columns(table.schema).values()):
        raise ParameterError(
            "Releases are joined by pseudonyms, and this one has none.", "Say so: --identifier COLUMN=pseudonym:DOMAIN."
        )
    for place in others:
        source = Source.parse(place)
        if not Path(certificate_beside(source)).is_file():
            raise ParameterError(
                f"'{source.name}' has no certificate beside it, which says what its columns are.",
                "Name a release of shoal, with its certificate.",
            )
