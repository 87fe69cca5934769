"""A second opinion where people have several records: levels counted by people, in plain Python with fractions."""

import math
from collections import Counter, defaultdict
from fractions import Fraction
from itertools import combinations

from property.independent import ordered_distance, variation

import shoal

Rows = list[tuple[object, object]]  # the person and the value of each record; None is a cell without a value


def values_of(rows: Rows) -> dict[object, set[object]]:
    """Give the different values of each person."""
    found = defaultdict(set)
    for person, value in rows:
        found[person].add(value)
    return dict(found)


def counts_of(rows: Rows) -> tuple[list[int], int]:
    """Count how many people have each value, the most first, and all people; who may have anything has the first."""
    held = values_of(rows)
    unknown = sum(None in values for values in held.values())
    counts = Counter(value for values in held.values() if None not in values for value in values)
    first, *others = sorted(counts.values(), reverse=True) or [0]
    return [first + unknown, *others], len(held)


def strangers(rows: Rows) -> int:
    """Count people no two of whom have a value in common: those with the fewest values first, then by name."""
    held = {person: values for person, values in values_of(rows).items() if None not in values}
    taken, found = set(), 0
    for person in sorted(held, key=lambda person: (len(held[person]), person)):
        if not held[person] & taken:
            taken |= held[person]
            found += 1
    return max(found, 1)


def is_sure_without(rows: Rows, number: int) -> bool:
    """Tell whether someone can be sure of a value who knows that the person sought lacks so many others."""
    held = values_of(rows)
    values = sorted({value for had in held.values() for value in had if value is not None})
    for lacked in combinations(values, min(number, len(values))):
        left = [had for had in held.values() if not had & set(lacked)]
        for value in set(values) - set(lacked):
            if left and all(value in had or None in had for had in left):
                return True
    return False


def entropy_level(rows: Rows) -> float:
    """Give the exponential of the entropy: the first value has its share of people, others what is left."""
    (first, *others), people = counts_of(rows)
    if first == people:
        return 1.0
    left = Fraction(people - first, people)
    shares = [Fraction(first, people), *(left * Fraction(count, sum(others)) for count in others)]
    assert sum(shares) == 1
    return math.exp(-sum(float(share) * math.log(share) for share in shares))


def dominance(rows: Rows, l: int) -> float:  # noqa: E741 - as the model calls it
    """Give how many times all values from the l-th on the first has, by the shares of the entropy."""
    (first, *others), people = counts_of(rows)
    tail = sum(others[l - 2 :])
    if tail == 0 or first == people:
        return math.inf
    return float(Fraction(first) / (Fraction(people - first) * Fraction(tail, sum(others))))


def pairs(rows: Rows) -> list[tuple[object, object]]:
    """Give each pair of a person and a value once, in the order in which they come."""
    return list(dict.fromkeys(rows))


def distance(rows: Rows, everyone: Rows, kind: str, tree: object = None) -> float:
    """Give the distance of a class from the table by pairs; None is a value below all others."""
    inside, whole = pairs(rows), pairs(everyone)
    if kind == "variation":
        return float(variation([value for _, value in inside], [value for _, value in whole]))
    if kind == "hierarchical":
        above = {row[0]: row for row in tree.levels} | {None: (None,) * len(tree.levels[0])}
        levels = range(len(tree.levels[0]) - 1)
        found = [variation([above[v][j] for _, v in inside], [above[v][j] for _, v in whole]) for j in levels]
        return float(sum(found) / len(found))
    key = {pair: (pair[1] is not None, 0 if pair[1] is None else pair[1]) for pair in whole}
    if kind == "ordered-records":
        place = {pair: i for i, pair in enumerate(sorted(whole, key=key.__getitem__))}
    else:
        distinct = {at: i for i, at in enumerate(sorted(set(key.values())))}
        place = {pair: distinct[key[pair]] for pair in whole}
    return float(ordered_distance([place[pair] for pair in inside], [place[pair] for pair in whole]))


def level(model: object, rows: Rows, everyone: Rows, kind: str = "", tree: object = None) -> float:
    """Give the level of a model in a class, by people."""
    if isinstance(model, shoal.models.KAnonymity):
        return len(values_of(rows))
    if isinstance(model, shoal.models.AlphaK):
        counts, people = counts_of(rows)
        return float(Fraction(counts[0], people))
    if isinstance(model, shoal.models.TCloseness):
        return distance(rows, everyone, kind, tree)
    if model.kind == "distinct":
        return strangers(rows)
    return entropy_level(rows) if model.kind == "entropy" else dominance(rows, int(model.l))


def keeps(model: object, found: float) -> bool:
    """Tell whether a level keeps the promise, but for rounding."""
    if isinstance(model, shoal.models.KAnonymity):
        return found >= model.k
    if isinstance(model, shoal.models.AlphaK):
        return found <= model.alpha
    if isinstance(model, shoal.models.TCloseness):
        return found <= model.t + 1e-12
    return found < model.c if model.kind == "recursive" else found >= model.l * (1 - 1e-9)
