"""A second opinion in plain Python: it reads released text by itself and knows nothing of how shoal works."""

import csv
import datetime
import math
from collections import Counter, defaultdict
from fractions import Fraction
from pathlib import Path

READERS = {
    "integer": int,
    "float": float,
    "date": datetime.date.fromisoformat,
    "datetime": datetime.datetime.fromisoformat,
}
STAR, NOTHING = "star", "nothing"


def rows_of(path: Path, delimiter: str = ",") -> tuple[list[str], list[list[str]]]:
    """Read a file with Python's own csv module: its header and its rows."""
    with path.open(newline="", encoding="utf-8") as file:
        header, *rows = csv.reader(file, delimiter=delimiter)
    return header, rows


def columns_of(path: Path, delimiter: str = ",") -> dict[str, list[str]]:
    """Read a file by columns."""
    header, rows = rows_of(path, delimiter)
    assert all(len(row) == len(header) for row in rows)
    return {name: [row[j] for row in rows] for j, name in enumerate(header)}


def set_members(text: str) -> frozenset[str]:
    """Read ``{a;b}``, in which a backslash takes the meaning from the next sign."""
    assert text[0] == "{"
    assert text[-1] == "}"
    members, member, signs = [], "", iter(text[1:-1])
    for sign in signs:
        if sign == ";":
            members.append(member)
            member = ""
        else:
            member += next(signs) if sign == "\\" else sign
    return frozenset([*members, member])


def cell(text: str, kind: str, order: tuple[str, ...] = ()) -> object:
    """Read one released cell: NOTHING, STAR, a set of categories, or its two ends."""
    if text == "":
        return NOTHING
    if text == "*":
        return STAR
    if kind == "category":
        if text.startswith("\\"):
            return frozenset([text[1:]])
        return set_members(text) if text.startswith("{") and text.endswith("}") else frozenset([text])
    read = order.index if kind == "ordered" else READERS[kind]
    if text.startswith("["):
        low, high = text[1:-1].split(";")
        return read(low), read(high)
    return read(text), read(text)


def covers(text: str, value: object, kind: str, order: tuple[str, ...] = ()) -> bool:
    """Tell whether a released cell covers an original value."""
    found = cell(text, kind, order)
    if found == STAR:
        return True
    if value is None or found == NOTHING:
        return value is None and found == NOTHING
    if kind == "category":
        if text.endswith("*") and not text.startswith("\\"):  # a wildcard such as 937**
            return len(text) == len(value) and value.startswith(text.rstrip("*"))
        return value in found
    place = order.index(value) if kind == "ordered" else value
    return found[0] <= place <= found[1]


def classes(columns: dict[str, list[str]], quasi: list[str]) -> dict[tuple[str, ...], list[int]]:
    """Group the rows whose released texts are equal."""
    groups = defaultdict(list)
    for row, signature in enumerate(zip(*(columns[name] for name in quasi), strict=True)):
        groups[signature].append(row)
    return dict(groups)


def sizes(columns: dict[str, list[str]], quasi: list[str]) -> Counter:
    """Count the rows of each combination of released texts."""
    return Counter(zip(*(columns[name] for name in quasi), strict=True))


def ordered_distance(members: list[int], bins: list[int]) -> Fraction:
    """Give the earth mover's distance over ordered bins, by its definition: move the surplus of each bin onwards."""
    last = max(bins)
    if last == 0:
        return Fraction(0)
    inside, everywhere = Counter(members), Counter(bins)
    carried, work = Fraction(0), Fraction(0)
    for place in range(last + 1):
        carried += Fraction(inside[place], len(members)) - Fraction(everywhere[place], len(bins))
        work += abs(carried)
    return work / last


def variation(members: list[object], values: list[object]) -> Fraction:
    """Give half the sum of the differences between shares."""
    inside, everywhere = Counter(members), Counter(values)
    shares = (
        abs(Fraction(inside[value], len(members)) - Fraction(everywhere[value], len(values))) for value in everywhere
    )
    return sum(shares, Fraction(0)) / 2


def farthest(values: list[object], groups: dict[tuple[str, ...], list[int]], distance: str) -> Fraction:
    """Give the largest distance of any class from the table; None is a value below all others."""
    if distance == "variation":
        return max(variation([values[row] for row in rows], values) for rows in groups.values())
    keys = [(value is not None, 0 if value is None else value) for value in values]
    if distance == "ordered-records":
        places = {row: place for place, row in enumerate(sorted(range(len(keys)), key=keys.__getitem__))}
        bins = [places[row] for row in range(len(keys))]
    else:
        distinct = {key: place for place, key in enumerate(sorted(set(keys)))}
        bins = [distinct[key] for key in keys]
    return max(ordered_distance([bins[row] for row in rows], bins) for rows in groups.values())


def deviation(values: list[float]) -> float:
    """Give the sample standard deviation."""
    mean = math.fsum(values) / len(values)
    return math.sqrt(math.fsum((value - mean) ** 2 for value in values) / (len(values) - 1))


def lengths(rows: list[tuple[float, ...]]) -> list[float]:
    """Give the distance of each record from the all-zero record (Eq. 2)."""
    spreads = [deviation(list(column)) for column in zip(*rows, strict=True)]
    return [math.sqrt(sum((v / s) ** 2 for v, s in zip(row, spreads, strict=True) if s > 0)) for row in rows]


def sorted_clusters(rows: list[tuple[float, ...]], k: int) -> list[list[int]]:
    """Form the clusters of Algorithm S2, line by line as the paper writes it."""
    length = lengths(rows)
    left = sorted(range(len(rows)), key=length.__getitem__)
    clusters = []
    while len(left) >= 2 * k:
        clusters.append(left[:k])
        left = left[k:]
    return [*clusters, left]


def stratified_clusters(rows: list[tuple[float, ...]], confidential: list[float], k: int, t: float) -> list[list[int]]:
    """Form the clusters of Algorithm S4 as the authors' program does."""
    n = len(rows)
    least = n / (2 * (n - 1) * t + 1)
    k = k if k > least else math.floor(least) + 1
    size, rest = n // k, n % k
    if rest >= size:
        k += rest // size
    length = lengths(rows)
    by_value = sorted(range(n), key=confidential.__getitem__)
    strata = [by_value[i * size : (i + 1) * size] for i in range(k)] + [by_value[k * size :]]
    strata = [sorted(stratum, key=length.__getitem__) for stratum in strata]
    return [[stratum[i] for stratum in strata if i < len(stratum)] for i in range(size)]


def published(rows: list[tuple[int, ...]], clusters: list[list[int]]) -> list[list[str]]:
    """Give the text of each record's attributes: the range of its cluster."""
    texts: list[list[str]] = [[] for _ in rows]
    for cluster in clusters:
        ends = [(min(column), max(column)) for column in zip(*(rows[row] for row in cluster), strict=True)]
        for row in cluster:
            texts[row] = [f"[{low};{high}]" for low, high in ends]
    return texts
