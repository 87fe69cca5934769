"""Records are not people: classes of k records may be one patient's, and what it costs to count people instead."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

import numpy as np

from shoal.assessment.study import Row
from shoal.charts import Figure, bars
from shoal.measures import score
from shoal.measures.information_loss import InformationLoss
from shoal.methods import Method
from shoal.methods.hilbert import Hilbert
from shoal.methods.regenerate import Regenerate
from shoal.methods.sorted_clusters import SortedClusters
from shoal.models.k_anonymity import KAnonymity
from shoal.models.people import people_in, refuse_nobody
from shoal.report.page import Html, Section
from shoal.schema import Role
from shoal.table import Classes, Table
from shoal_paper.reproduction.beyond import Experiment
from shoal_paper.reproduction.case import LEVELS, Case

METHODS: dict[str, Method] = {"Algorithm S2": SortedClusters(), "hilbert": Hilbert()}
RECORDS, PEOPLE = "records", "people"
_HEADING = "Records are not people"


def measure(case: Case) -> list[Row]:
    """Release the table once as if every record were somebody else's and once counting people, and compare classes."""
    if case.people is None:
        return []
    by_people = _spd(case, case.people())
    refuse_nobody(by_people)
    name = str(by_people.schema.subject)
    tables = {RECORDS: _with_role(by_people, name, Role.PLAIN), PEOPLE: by_people}
    people = int(by_people.counts(name)[0].size)
    rows: list[Row] = []
    for k in (k for k in LEVELS if k <= people):
        for family, method in METHODS.items():
            for counted, table in tables.items():
                released = method.apply(table, (KAnonymity(k),), case.seed)
                (loss,) = score(table, released, measures=[InformationLoss()])
                rows.append(
                    {"family": family, "k": k, "counted": counted}
                    | _too_small(_with_role(released, name, Role.SUBJECT), k)
                    | {"information_loss": float(loss.value), "people": people, "records": table.rows}
                )
    return rows


def _spd(case: Case, table: Table) -> Table:
    """Mask and regenerate the records as those of the study, with the column that tells people apart."""
    pd = table if case.records.truth is None else case.setting.masking.apply(table, (), case.seed)
    return Regenerate().apply(replace(pd, masked=case.records.pd.masked), (), case.seed)


def _with_role(table: Table, name: str, role: Role) -> Table:
    attributes = tuple(replace(a, role=role) if a.name == name else a for a in table.schema.attributes)
    return replace(table, schema=replace(table.schema, attributes=attributes))


def _too_small(released: Table, k: int) -> Row:
    """Count from a released table the classes that are one person, those of fewer than k people, and their records."""
    schema = released.schema

    def counted(classes: Classes) -> tuple[list[int], int]:
        people = people_in(classes, schema)
        one, few = people == 1, people < k
        sums = people.size, one.sum(), classes.sizes[one].sum(), few.sum(), classes.sizes[few].sum()
        return [int(number) for number in sums], int(people.min())

    sums, fewest = zip(*released.classes(counted, carry=(str(schema.subject),)), strict=True)
    names = "classes", "classes_of_one", "records_of_one", "classes_of_few", "records_of_few"
    return dict(zip(names, np.sum(sums, axis=0).tolist(), strict=True)) | {"fewest_people": min(fewest)}


def figures(rows: Sequence[Row]) -> dict[str, Figure]:
    """Draw how many records lie in classes of too few people, and what it costs that none does."""
    if not rows:
        return {}
    sizes = {"one person": "records_of_one", "fewer than k people": "records_of_few"}
    few = [
        {"level": f"k = {row['k']}", "share": row[key] / row["records"], "class": f"{row['family']}, {crowd}"}
        for row in rows
        if row["counted"] == RECORDS
        for crowd, key in sizes.items()
    ]
    more = [
        {"level": f"k = {k}", "method": family, "more": after / before - 1}
        for (family, k), (before, after) in _losses(rows).items()
        if before
    ]
    return {
        "Fig. B2a": bars(
            few, x="level", y="share", group="class", percent=True, x_label="level", y_label="records in such classes",
            title="Fig. B2a. Classes of k records that are fewer than k people",
            description="Share of the records whose class is one person's, and whose class is fewer than k people's, "
            "where k counts records.",
        ),
        "Fig. B2b": bars(
            more, x="level", y="more", group="method", percent=True, x_label="level",
            y_label="information lost in addition", title="Fig. B2b. What it costs to count people",
            description="By how much the loss (Eq. 3) grows when each class holds records of k people, and not k "
            "records of anyone.",
        ),
    }  # fmt: skip


def section(rows: Sequence[Row], drawn: Mapping[str, str]) -> Section:
    """Tell what zero reidentifications are worth where people have several records."""
    if not rows:
        return Section(_HEADING, "Which records belong to the same person is not known of this table.")
    records, people = rows[0]["records"], rows[0]["people"]
    found = " and ".join(
        f"{row['family']} leaves {row['classes_of_one']:,} classes with {row['records_of_one']:,} records "
        f"({row['records_of_one'] / records:.2%})"
        for row in rows
        if row["counted"] == RECORDS and row["k"] == rows[0]["k"]
    )
    return Section(
        _HEADING,
        f"These {records:,} records are those of {people:,} people. The paper counts records: “zero unequivocal "
        "reidentifications” (Eq. 1) means that no record is without its like. If all records of a class are one "
        "person's, whoever knows that person finds the class and knows that everything in it is theirs, as surely as "
        f"if they stood alone. At k = {rows[0]['k']}, {found} that are one person. {_up_to(rows)} The statement is "
        "true of records; of people it is true only where k counts people.",
        *(Html(drawn[number]) for number in sorted(drawn)),
        f"k counts people if the column that tells them apart is named as the subject. {_repaired(rows)}",
    )


def _up_to(rows: Sequence[Row]) -> str:
    """Say at which levels classes of one person are left, and of how many people classes are at the others."""
    by_records = [row for row in rows if row["counted"] == RECORDS]
    last = max((row["k"] for row in by_records if row["classes_of_one"]), default=None)
    few = [row for row in by_records if row["k"] == by_records[-1]["k"]]
    least = " and ".join(f"{row['fewest_people']:,} ({row['family']})" for row in few)
    such = "No level has any." if last is None else f"There are such classes up to k = {last}."
    return f"{such} At k = {few[0]['k']} the fewest people in a class are {least}."


def _losses(rows: Sequence[Row]) -> dict[tuple[str, int], tuple[float, float]]:
    """Give the loss by method and level, where records are counted and where people are."""
    found = {(row["family"], row["k"], row["counted"]): row["information_loss"] for row in rows}
    return {(family, k): (found[family, k, RECORDS], found[family, k, PEOPLE]) for family, k, _ in found}


def _repaired(rows: Sequence[Row]) -> str:
    """Say what is left when people are counted, and what that costs."""
    left = sum(row["classes_of_few"] for row in rows if row["counted"] == PEOPLE)
    grown: dict[str, list[float]] = {}
    for (family, _), (before, after) in _losses(rows).items():
        grown.setdefault(family, []).extend([after / before - 1] if before else [])
    costs = [f"by {min(more):.1%} to {max(more):.1%} with {family}" for family, more in grown.items() if more]
    said = f"Then {left or 'no'} classes have fewer than k people"
    return f"{said}, and the loss (Eq. 3) grows {' and '.join(costs)}." if costs else f"{said}."


PEOPLE_BEHIND_RECORDS = Experiment("people", 50, measure, figures, section)
