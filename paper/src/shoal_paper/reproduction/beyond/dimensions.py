"""The curse of dimensionality: what k-anonymity costs as records have more attributes, and people more records.

The people with several records are made up. All records are sorted by their census features, ties at random, and every
sixteen that follow each other are one person: they share census features as far as there are so many who do. The person
has the census features of the first, and the other features of as many of them as are looked at. So people are the same
for any number of records, and their records are such as people like them have.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping, Sequence

import numpy as np
from numpy.typing import NDArray

from shoal.arrays import Positions
from shoal.assessment.study import Row
from shoal.charts import Figure, lines
from shoal.domains.axis import Axis
from shoal.domains.cell_parser import Vocabulary
from shoal.measures import score
from shoal.measures.granularity import Granularity
from shoal.measures.information_loss import InformationLoss
from shoal.measures.statistics.sampling import chances, sampled_rows
from shoal.methods.hilbert import Hilbert
from shoal.models.k_anonymity import KAnonymity
from shoal.report.discretion import percent
from shoal.report.page import Section, table
from shoal.schema import Role
from shoal.table import Classes, Origin, Table
from shoal_paper.datasets.assembling import NewColumn, assemble
from shoal_paper.reproduction.beyond import Experiment
from shoal_paper.reproduction.case import Case
from shoal_paper.reproduction.setting import CENSUS

K = 5
MOST = 50_000  # records, or people
ORDERS = 4  # in which attributes are added, the first that of the table
SEVERAL = (1, 2, 4, 8, 16)
ATTRIBUTES, OF_PEOPLE = "attributes", "records of a person"
FIGURES = {
    ATTRIBUTES: ("Fig. C4a", "number of attributes"),
    OF_PEOPLE: ("Fig. C4b", "number of records of each person"),
}


def measure(case: Case) -> list[Row]:
    """Measure the loss of `hilbert` by the number of attributes, and by the number of records of a person."""
    return [*_by_attributes(case), *_by_records(case)]


def _by_attributes(case: Case) -> Iterator[Row]:
    source, names = case.table, case.table.schema.quasi
    cells, _ = source.cells(names, sampled_rows(source.rows, MOST, case.seed))
    for number in range(ORDERS):
        luck = chances(np.arange(len(names), dtype=np.int64) + number * len(names), case.seed)
        order = np.argsort(luck).tolist() if number else list(range(len(names)))
        for size in range(1, len(names) + 1):
            columns = [(names[j], source.schema[names[j]].axis, cells[:, j]) for j in order[:size]]
            yield {"by": ATTRIBUTES, "number": size, "order": number, **_losses(columns)}


def _by_records(case: Case) -> Iterator[Row]:
    names = case.table.schema.quasi
    fixed = case.known((CENSUS,))
    people = _people(case)
    if people.shape[0] < 2 * K or len(fixed) == len(names):
        return
    for several in SEVERAL:
        columns = [
            (f"{name} {number + 1}", case.table.schema[name].axis, people[:, number, names.index(name)])
            for number in range(several)
            for name in names
            if number == 0 or name not in fixed
        ]
        yield {"by": OF_PEOPLE, "number": several, "order": 0, **_losses(columns)}


def _people(case: Case) -> Positions:
    """Give the cells of people: by person, record and attribute."""
    source, names, longest = case.table, case.table.schema.quasi, max(SEVERAL)
    if source.rows < longest:
        return np.empty((0, longest, len(names)), np.int32)
    luck = source.combine(_chance(case.seed), source.rank([]))
    labels = source.rank([*case.known((CENSUS,)), luck], every=longest)
    runs = source.rows // longest
    parts = source.groups(_taken(sampled_rows(runs, MOST, case.seed), names, longest), labels, names)
    return np.concatenate(parts)


def _chance(seed: int) -> Callable[[NDArray[np.int32]], NDArray[np.float64]]:
    return lambda numbers: chances(numbers.astype(np.int64), seed)


def _taken(wanted: NDArray[np.int64], names: Sequence[str], longest: int) -> Callable[[Classes], Positions]:
    """Give what takes the first records of each of some groups."""

    def taken(classes: Classes) -> Positions:
        here = wanted[(wanted >= classes.first) & (wanted < classes.first + classes.sizes.size)] - classes.first
        rows = classes.starts[here][:, None] + np.arange(longest)
        return np.stack([classes.columns[name][rows] for name in names], axis=2)

    return taken


def _losses(columns: Sequence[tuple[str, Axis, Positions]]) -> Row:
    """Put columns together as a table, anonymize it, and say what that costs."""
    made = _assembled(columns)
    released = Hilbert().apply(made, (KAnonymity(K),), 0)
    loss, certainty = (
        float(found.value) for found in score(made, released, measures=(InformationLoss(), Granularity()))
    )
    # Eq. 3 divides a distance by the number of attributes, though it grows with the root of this number only.
    of_value = loss * math.sqrt(len(columns))
    return {"columns": len(columns), "loss": loss, "loss of a value": of_value, "certainty": certainty}


def _assembled(columns: Sequence[tuple[str, Axis, Positions]]) -> Table:
    parts = []
    for name, axis, cells in columns:
        places, codes = np.unique(cells, return_inverse=True)
        found = Vocabulary(axis, places, places, ranged=False, reason="")
        parts.append(NewColumn(name, Role.QUASI, None, found, codes.reshape(-1).astype(np.int32)))
    return assemble(parts, Origin("made for a study", "", "frame"))


def figures(rows: Sequence[Row]) -> dict[str, Figure]:
    """Draw the loss by the number of attributes, and by the number of records of a person."""
    drawn = {}
    for by, (number, x_label) in FIGURES.items():
        mine = [row for row in rows if row["by"] == by]
        if mine:
            found, dots = [], []
            for name, key in (("of a value", "loss of a value"), ("Eq. 3", "loss")):
                means = _means(mine, key)
                found += [{"number": str(n), "loss": value, "what": name} for n, value in means.items()]
                dots += [{"number": str(row["number"]), "loss": row[key], "what": name} for row in mine]
            drawn[number] = lines(
                found, x="number", y="loss", group="what", dots=dots if by == ATTRIBUTES else (),
                x_label=x_label, y_label="information lost, in standard deviations",
                title=f"{number}. What {K}-anonymity costs, by {x_label}",
                description="The distance of a value from what is published for it grows with every dimension; Eq. 3 "
                "divides by more than it grows by, and shows less of it.",
            )  # fmt: skip
    return drawn


def section(rows: Sequence[Row], figures: Mapping[str, str]) -> Section:
    """Tell how steeply the loss grows, and what Eq. 3 shows of it."""
    shown, sentences = [], []
    words = {ATTRIBUTES: "one attribute to all {}", OF_PEOPLE: "one record of each person to {}"}
    for by, text in words.items():
        mine = [row for row in rows if row["by"] == by]
        if not mine:
            continue
        means = {key: _means(mine, key) for key in ("loss", "loss of a value", "certainty")}
        first, *_, last = means["loss"]
        sentences.append(
            f"From {text.format(last)}, a value comes to lie {means['loss of a value'][last]:.3f} standard deviations "
            f"from the end of what is published for it, instead of {means['loss of a value'][first]:.3f}, and ranges "
            f"come to hold {percent(means['certainty'][last])} of their domain, instead of "
            f"{percent(means['certainty'][first])}."
        )
        shown += [
            {"by": by, "number": n, "certainty": percent(means["certainty"][n])}
            | {key: f"{means[key][n]:.4f}" for key in ("loss", "loss of a value")}
            for n in means["loss"]
        ]
    heads = {
        "by": "By", "number": "Number", "loss": "Eq. 3", "loss of a value": "Of a value: Eq. 3 times √attributes",
        "certainty": "Mean width of ranges, of their domain",
    }  # fmt: skip
    return Section(
        "The curse of dimensionality",
        f"The more is published of people, the fewer are alike. {' '.join(sentences)} So far the critics are right: "
        "a crowd of people who are alike in many records each can be had only where little of each record is left.",
        *(figures[number] for number, _ in FIGURES.values() if number in figures),
        f"Measured with hilbert at k = {K}, on up to {MOST:,} records, attributes added in {ORDERS} orders (dots; the "
        "lines are their means). People with several records are made up: records that follow each other when all are "
        "sorted by census features are one person. Eq. 3 divides a Euclidean distance by the number of attributes, "
        "though such a distance grows with the root of that number only: it shows less than is lost, and may fall "
        "while every value is blurred more.",
        table(shown, heads, f"What {K}-anonymity costs by dimension", numeric=["loss", "loss of a value", "certainty"]),
    )


def _means(rows: Sequence[Row], key: str) -> dict[int, float]:
    """Give the mean over orders for each number."""
    found: dict[int, list[float]] = {}
    for row in rows:
        found.setdefault(row["number"], []).append(row[key])
    return {number: sum(values) / len(values) for number, values in found.items()}


DIMENSIONS = Experiment("dimensions", 14, measure, figures, section)
