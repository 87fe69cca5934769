"""What an attacker believes of people when his knowledge of some columns errs."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from shoal.arrays import Array, Integers
from shoal.engines.packed_cells import has_value, packed, unpacked
from shoal.measures.reidentification.attacker_errors import ErrorModel
from shoal.measures.statistics.sampling import chances
from shoal.table import Column, Table


def believed(table: Table, errors: Mapping[str, float], seed: int) -> Table:
    """Give a table as somebody knows it who has each value of some columns wrong with a given probability.

    Which values are wrong, and what stands for them, is drawn by the number of the record and the seed.
    """
    numbers, changed = table.rank([]), {}
    for place, (name, rate) in enumerate(errors.items()):
        changed[name] = table.schema[name].axis, _slipped(table, name, rate, numbers, (seed, place))
    return table.put(changed) if changed else table


def _slipped(table: Table, name: str, rate: float, numbers: Column, stream: tuple[int, int]) -> Column:
    model, (seed, place) = ErrorModel.of(table, name), stream

    def slip(cells: Integers, records: Array) -> Integers:
        draws = (chances((records.astype(np.int64) << 8) + 2 * place + which, seed) for which in (0, 1))
        wrong, where = draws
        found = cells.copy()
        positions = unpacked(cells)[0]
        slipping = np.flatnonzero((wrong < rate) & has_value(cells) & model.able(positions))
        others = model.slipped(positions[slipping], where[slipping]).astype(np.int32)
        found[slipping] = packed(others, others)
        return found

    return table.combine(slip, table.column(name), numbers)
