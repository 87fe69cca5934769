"""Cells near their original values, counted by cell and by record."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from shoal.arrays import Flags
from shoal.measures import Score, nothing_to_measure
from shoal.measures.statistics.paired_columns import PairedColumn, PairedTables
from shoal.table import Table


def disclosed(measure: str, original: Table, released: Table, near: Callable[[PairedColumn], Flags]) -> Score:
    """Count the records all of whose values are near what is shown for them, also those that have any near, and cells.

    A category is near if it is shown alone. Cells that had no value do not count, and ``*`` or a cell that lost its
    value is near nothing. Columns are read one by one, so that no more than one is held.
    """
    tables = PairedTables.of(original, released)
    known, every, any_of = np.zeros(original.rows, bool), np.ones(original.rows, bool), np.zeros(original.rows, bool)
    per_attribute, cells, found = {}, 0, 0
    for name in tables.grounds:
        if name in tables.ordered:
            column = tables.column(name)
            there = ~np.isnan(column.own)
            close = there & near(column)
        else:
            there, close = tables.shows_own(name)
        known |= there
        every &= close | ~there
        any_of |= close
        here = int(np.count_nonzero(there))
        cells, found = cells + here, found + int(np.count_nonzero(close))
        if here:
            per_attribute[name] = int(np.count_nonzero(close)) / here
    if not cells:
        return nothing_to_measure(measure, "no record has a value")
    records = int(np.count_nonzero(known))
    detail = {
        "any": int(np.count_nonzero(any_of)) / records,
        "cells": found / cells,
        "records": records,
        "per_attribute": per_attribute,
    }
    return Score.exact(measure, int(np.count_nonzero(every & known)) / records, detail)
