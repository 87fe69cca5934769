"""Records that cannot be: what regeneration makes when it puts values together that nobody has together."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from shoal.kernels import MISSING
from shoal.table import Classes, Table

MOTHERS = range(10, 56)  # years of age in which a woman may give birth
FEMALE = 2
_DIAGNOSIS, _AGE, _SEX, _ZIP, _COUNTY = "diag_p", "age_yrs", "sex", "patzip", "patcnty"


def impossible(table: Table) -> dict[str, float]:
    """Give shares of records that cannot be, of those that they are about; what a table does not tell is left out.

    Of childbirths (ICD-9-CM 630 to 679) those of men and at other ages than 10 to 55 years, of births (V30 to V39)
    those above age 0, and of all records those whose ZIP code lies in another county than most of its patients say.
    Records in which a cell that matters is missing tell nothing.
    """
    schema, found = table.schema, dict[str, float]()
    numbers = {name for name in schema.quasi if schema[name].axis.numeric}
    if {_AGE, _SEX} <= numbers and _DIAGNOSIS in schema.sensitive and schema[_DIAGNOSIS].axis.nominal:
        labour, birth = _labour(table), _birth(table)
        ages, sexes = schema[_AGE].axis, schema[_SEX].axis

        def count(classes: Classes) -> NDArray[np.int64]:
            columns = [classes.columns[name] for name in (_AGE, _SEX, _DIAGNOSIS)]
            known = np.all([column != MISSING for column in columns], axis=0)
            age, sex = _values(ages.values, columns[0][known]), _values(sexes.values, columns[1][known])
            diagnosis = columns[2][known]
            mothers, children = labour[diagnosis], birth[diagnosis]
            able = (sex == FEMALE) & (age >= MOTHERS.start) & (age < MOTHERS.stop)
            parts = (mothers & ~able).sum(), mothers.sum(), (children & (age > 0)).sum(), children.sum()
            return np.array(parts, np.int64)

        counts = np.sum(table.classes(count, (_SEX,), (_AGE, _SEX, _DIAGNOSIS)), axis=0)
        strange, mothers, old, children = counts.tolist()
        found |= {"childbirths of men or outside 10-55 years": strange / max(mothers, 1)}
        found |= {"births above age 0": old / max(children, 1)}
    if {_ZIP, _COUNTY} <= set(schema.quasi):
        elsewhere, known = np.sum(table.classes(_elsewhere, (_ZIP,), (_ZIP, _COUNTY)), axis=0).tolist()
        found["ZIP codes outside their county"] = elsewhere / max(known, 1)
    return {what: float(value) for what, value in found.items()}


def _values(values: NDArray[np.int64] | None, positions: NDArray[np.int32]) -> NDArray[np.int64]:
    return positions.astype(np.int64) if values is None else values[positions]


def _labour(table: Table) -> NDArray[np.bool_]:
    return np.array([code[:3].isdigit() and 630 <= int(code[:3]) <= 679 for code in _codes(table)])


def _birth(table: Table) -> NDArray[np.bool_]:
    return np.array([code.startswith("V3") for code in _codes(table)])


def _codes(table: Table) -> list[str]:
    return list(map(str, table.schema[_DIAGNOSIS].axis.values))  # type: ignore[arg-type]


def _elsewhere(classes: Classes) -> NDArray[np.int64]:
    """Count the records of each ZIP code that are not in its most frequent county, and all that tell both."""
    known = (classes.columns[_ZIP] != MISSING) & (classes.columns[_COUNTY] != MISSING)
    counties = classes.columns[_COUNTY][known].astype(np.int64)
    number = np.repeat(np.arange(classes.sizes.size), classes.sizes)[known]
    _, places, counts = np.unique(np.stack([number, counties]), axis=1, return_inverse=True, return_counts=True)
    most = np.zeros(classes.sizes.size, np.int64)
    np.maximum.at(most, number, counts[places.reshape(-1)])
    return np.array([known.sum() - most.sum(), known.sum()], np.int64)
