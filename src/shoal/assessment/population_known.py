"""What is known of the population that a table comes from: the size of each of its classes, or of all together."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass

from shoal.assessment.risk_questions import RiskQuestions
from shoal.errors import ParameterError
from shoal.measures.reidentification.attackers import SizePairs
from shoal.measures.reidentification.class_weights import weight_column, weighted_sizes
from shoal.table import Classes, Table


@dataclass(frozen=True)
class KnownPopulation:
    """What is known of a population.

    Attributes
    ----------
    source
        How it is known: by ``size``, by ``fraction``, by ``weights``.
    said
        The same in words, as the convention of numbers that rest on it.
    pairs
        The sizes of classes in the table and in the population.
    people
        How many people the population has.
    """

    source: str
    said: str
    pairs: SizePairs
    people: int


def sizes_of(table: Table) -> Counter[int]:
    """Count the classes of each size."""

    def counted(classes: Classes) -> Counter[int]:
        return classes.counts_of_sizes

    return sum(table.classes(counted), Counter[int]())


def population_of(table: Table, asked: RiskQuestions) -> KnownPopulation | None:
    """Give what is known of the population of a table; None if nothing is."""
    size, share = asked.population_size, asked.sampling_fraction
    if size is not None and size < table.rows:
        raise ParameterError(
            f"A population of {size:,} is smaller than the table, which has {table.rows:,} records.",
            "Give the size of the population that the table comes from.",
        )
    if size is not None or share is not None:
        share = table.rows / size if share is None and size is not None else share
        assert share is not None
        people = round(table.rows / share) if size is None else size
        said = f"every record stands for {1 / share:,.4g} of {people:,} people"
        source = "fraction" if size is None else "size"
        return KnownPopulation(source, said, SizePairs.sampled(sizes_of(table), share), people)
    weight = weight_column(table)
    if weight is not None:
        pairs = SizePairs(weighted_sizes(table, weight))
        said = f"every record stands for as many people as '{weight}' says, {pairs.covered:,.6g} in all"
        return KnownPopulation("weights", said, pairs, round(pairs.covered))
    return None
