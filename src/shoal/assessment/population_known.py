"""What is known of the population that a table comes from: the size of each of its classes, or of all together."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from shoal.engines.values import Boxes
from shoal.errors import ParameterError, SchemaError
from shoal.kernels import MISSING, TOP
from shoal.measures.reidentification.attackers import SizePairs
from shoal.measures.reidentification.class_people import people_of, sizes_of
from shoal.measures.reidentification.class_weights import weight_column, weighted_sizes
from shoal.populations.population_table import Population
from shoal.releases.release import Release
from shoal.schema import ReadOptions
from shoal.table import Table


@dataclass(frozen=True)
class KnownPopulation:
    """What is known of a population.

    Attributes
    ----------
    source
        How it is known: by a ``table``, by its ``size``, by a ``fraction``, by ``weights``.
    said
        The same in words, as the convention of numbers that rest on it.
    pairs
        The sizes of classes in the table and in the population.
    people
        How many people the population has.
    alone
        How many of them are alone in it; None if that is not known.
    """

    source: str
    said: str
    pairs: SizePairs
    people: int
    alone: int | None = None


def hidden_records(table: Table) -> int:
    """Count the records that show ``*`` in every column: they are a class of their own."""
    try:
        table.counts(table.schema.quasi[0])
    except ParameterError:  # some cells of the first column are no single values

        def counted(boxes: Boxes) -> int:
            nothing = ((boxes.lo == MISSING) & (boxes.hi == TOP)).all(axis=1)
            return int(boxes.counts[nothing].sum())

        return sum(table.boxes(counted))
    return 0


def described(table: Table, size: int | None, fraction: float | None) -> KnownPopulation | None:
    """Give what is known of a population by its size, by the share of it in the table, or by survey weights."""
    here = people_of(table)
    one, many = ("record", "records") if table.schema.subject is None else ("person", "people")
    if size is not None and size < here:
        raise ParameterError(
            f"A population of {size:,} is smaller than the table, which has {here:,} {many}.",
            "Give the size of the population that the table comes from.",
        )
    if size is not None or fraction is not None:
        people = size if size is not None else round(here / (fraction or 1.0))
        share = fraction if fraction is not None else here / people
        said = f"every {one} stands for {1 / share:,.4g} of {people:,} people"
        pairs = SizePairs.sampled(sizes_of(table), share)
        return KnownPopulation("fraction" if size is None else "size", said, pairs, people)
    weight = weight_column(table)
    if weight is not None:
        pairs = SizePairs(weighted_sizes(table, weight))
        said = f"every record stands for as many people as '{weight}' says, {pairs.covered:,.6g} in all"
        return KnownPopulation("weights", said, pairs, round(pairs.covered))
    return None


def compared(table: Table, source: Any, columns: Mapping[str, str], options: ReadOptions | None) -> KnownPopulation:
    """Give what is known of a population by a table of it.

    Parameters
    ----------
    table
        The table that comes from it.
    source
        The table of the population, or whatever `read` reads.
    columns
        How columns are called there, where they have another name.
    options
        How the table was read, if it was read here.
    """
    population = _beside(table, source.table if isinstance(source, Release) else source, columns, options)
    matched = population.matched(table)
    pairs = SizePairs(Counter(zip(matched.sizes.tolist(), matched.people.tolist(), strict=True)))
    there = population.table
    alone, people = sizes_of(there, population.columns)[1], people_of(there)
    said = f"it is the table {there.origin.name}, with {people:,} people"
    return KnownPopulation("table", said, pairs, people, alone)


def _beside(table: Table, source: Any, columns: Mapping[str, str], options: ReadOptions | None) -> Population:
    """Take a population by its people, if it tells them apart as the table does, or else each record for somebody."""
    try:
        return Population.beside(table, source, columns, options, people=True)
    except SchemaError:
        if table.schema.subject is None:
            raise
    return Population.beside(table, source, columns, options)
