"""What is known of the population that a table comes from: the size of each of its classes, or of all together."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from shoal.engines import read
from shoal.engines.io.streams import at_hand
from shoal.errors import ParameterError, SchemaError
from shoal.measures.reidentification.attackers import SizePairs
from shoal.measures.reidentification.class_weights import weight_column, weighted_sizes
from shoal.measures.reidentification.population_classes import matched_classes
from shoal.recipe import Recipe
from shoal.releases.release import Release
from shoal.schema import ReadOptions, Roles
from shoal.table import Classes, Table


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


def sizes_of(table: Table, by: Sequence[str] | None = None) -> Counter[int]:
    """Count the classes of each size."""

    def counted(classes: Classes) -> Counter[int]:
        return classes.counts_of_sizes

    return sum(table.classes(counted, by), Counter[int]())


def described(table: Table, size: int | None, fraction: float | None) -> KnownPopulation | None:
    """Give what is known of a population by its size, by the share of it in the table, or by survey weights."""
    if size is not None and size < table.rows:
        raise ParameterError(
            f"A population of {size:,} is smaller than the table, which has {table.rows:,} records.",
            "Give the size of the population that the table comes from.",
        )
    if size is not None or fraction is not None:
        people = size if size is not None else round(table.rows / (fraction or 1.0))
        share = fraction if fraction is not None else table.rows / people
        said = f"every record stands for {1 / share:,.4g} of {people:,} people"
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
    for name in columns:
        if name not in table.schema.quasi:
            raise SchemaError.missing_column(name, table.schema.quasi)
    names = tuple(columns.get(name, name) for name in table.schema.quasi)
    population = _read(table, source, names, options)
    for name in names:
        if name not in population.schema.quasi:
            raise SchemaError.missing_column(name, population.schema.quasi)
    matched = matched_classes(table, population, names)
    matched.insist_on_superset()
    alone = sizes_of(population, names)[1]
    said = f"it is the table {population.origin.name}, with {population.rows:,} people"
    return KnownPopulation("table", said, matched.pairs, population.rows, alone)


def _read(table: Table, source: Any, names: tuple[str, ...], options: ReadOptions | None) -> Table:
    """Read a population as the table was read that comes from it; its layout may be another one."""
    if isinstance(source, Release):
        source = source.table
    if isinstance(source, Table):
        return source
    how = options or Recipe.of(table, (), (), (), 0).options
    there = dict(zip(table.schema.quasi, names, strict=True))
    axes = {name: table.schema[name].axis for name in there}
    like = replace(
        how,
        roles=Roles(quasi=names),
        kinds={there[name]: axis.kind for name, axis in axes.items() if axis.tree is None},
        orders={
            there[name]: tuple(axis.values)  # type: ignore[arg-type]
            for name, axis in axes.items()
            if axis.kind == "ordered" and axis.tree is None
        },
        hierarchies={there[name]: how.hierarchies.get(name, axis.tree) for name, axis in axes.items() if axis.tree},
        knowledge={}, delimiter=None, encoding=None, decimal=None, thousands=None, dates=None, header=None,
        linked=False, baskets=False, masked=None, released=False, unmarked=(), canonical=False,
    )  # fmt: skip
    return read(at_hand(source), options=like, engine=table.engine)
