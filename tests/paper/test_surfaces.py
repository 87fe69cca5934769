"""Figures S5 and S6 on columns of every kind: each cell is what coarsening and measuring the table alone gives."""

from datetime import date, timedelta

import numpy as np
import polars as pl
import pytest

import shoal
from shoal_paper.reproduction.surfaces import surfaces

ROWS = 300
DRAW = np.random.Generator(np.random.PCG64(7))
FRAME = pl.DataFrame(
    {
        "pay": np.round(DRAW.gamma(2, 300, ROWS), 2),
        "born": [date(1950, 1, 1) + timedelta(days=int(day)) for day in DRAW.integers(0, 20_000, ROWS)],
        "height": DRAW.choice([None, 155, 165, 175, 185, 2_000_000_000, -2_000_000_000], ROWS).tolist(),
        "town": DRAW.choice([None, "Aachen", "Bonn", "Chur", "Delft"], ROWS).tolist(),
        "grade": DRAW.choice(["low", "middle", "high"], ROWS),
    }
)


@pytest.mark.parametrize("by", ["distinct", "width"])
def test_numbers_dates_orders_categories_and_missing_cells_count_as_when_measured_alone(by):
    table = shoal.read(FRAME, quasi=FRAME.columns, orders={"grade": ["low", "middle", "high"]})
    first, second = ("pay", "height", "grade"), ("born", "town")
    for row in surfaces(table, first, second, by)[::3]:
        wanted = dict.fromkeys(first, row["first"]) | dict.fromkeys(second, row["second"])
        coarse = shoal.methods.Coarsen({name: r for name, r in wanted.items() if r}, by).apply(table, (), 0)
        risk, loss = shoal.score(
            table, coarse, measures=[shoal.measures.Uniqueness(), shoal.measures.InformationLoss()]
        )
        assert row["unique"] == risk.detail["unique"]
        assert row["information_loss"] == pytest.approx(loss.value, rel=1e-9)
