"""Hierarchies: one is built over the values of a column, or read from a file, and people are counted in it."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from shoal.domains.codebook import code_text
from shoal.domains.hierarchy_builders import LABELS
from shoal.engines import read
from shoal.errors import DataError
from shoal.schema import Roles
from shoal.web.tasks.messages import HierarchyRequest, HierarchyRows
from shoal.web.tasks.profile import runs_as_formula
from shoal.web.tasks.registry import Reporter

_MOST_VALUES = 200_000


def build(request: HierarchyRequest, report: Reporter) -> HierarchyRows:
    """Place all values of a column in a hierarchy; one that is not covered, or no tree, is an error."""
    column, how = request.column, request.how
    if not how:
        file = request.folder / "hierarchy.csv"
        file.write_text(request.content, encoding="utf-8")
        how = str(file)
    report.step(f"Counting the values of {column}")
    table = read(request.file, options=request.layout.options(roles=Roles(quasi=(column,)), hierarchies={column: how}))
    tree = table.schema[column].axis.tree
    assert tree is not None
    if len(tree.levels) > _MOST_VALUES:
        raise DataError(
            f"The hierarchy of '{column}' has more than {_MOST_VALUES:,} values.", "Use it on the command line."
        )
    if any(runs_as_formula(text) for row in tree.levels for text in row):
        raise DataError(
            f"Groups of '{column}' begin like formulas, which a spreadsheet would run when it opens the release.",
            "Give them other names.",
        )
    positions, counts = table.counts(column)
    people = np.zeros(len(tree.levels), np.int64)
    inside = positions >= 0
    people[positions[inside]] = counts[inside]
    texts = _labels(request, tree.leaves) if how == LABELS else ()
    return HierarchyRows(rows=tuple(tuple(row) for row in tree.levels), counts=tuple(people.tolist()), texts=texts)


def _labels(request: HierarchyRequest, codes: Sequence[str]) -> tuple[str, ...]:
    """Give the labels that codes are read as without a hierarchy; none where only some have one and codes are read."""
    table = read(request.file, options=request.layout.options(roles=Roles(quasi=(request.column,))))
    book, values = table.origin.codebook, table.schema[request.column].axis.values
    texts = {} if book is None else {code_text(code): text for code, text in book.of(request.column).texts().items()}
    read_so = values is not None and set(map(str, values)) <= {texts.get(code) for code in codes}
    return tuple(texts[code] for code in codes) if read_so else ()
