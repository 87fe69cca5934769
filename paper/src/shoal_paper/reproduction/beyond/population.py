"""Alone in a sample is not alone in the population: how many are, and what the sample alone would make believe."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
from numpy.typing import NDArray

from shoal.assessment.study import Row
from shoal.charts import Figure, lines
from shoal.kernels.grouping import count_labels, label_rows
from shoal.measures.reidentification.population_estimates import PopulationEstimates
from shoal.measures.reidentification.population_uniqueness import SampledClasses
from shoal.measures.statistics.sampling import chances
from shoal.populations.record_matches import occurrences
from shoal.report.discretion import percent
from shoal.report.page import Section, table
from shoal_paper.reproduction.beyond import Experiment
from shoal_paper.reproduction.case import Case

SAMPLES = (1_000, 10_000, 100_000, 1_000_000)
ESTIMATES = {"Pitman": "pitman", "Zayatz": "zayatz", "SNB": "snb"}
NUMBERS = ("Fig. C1a", "Fig. C1b")


def measure(case: Case) -> list[Row]:
    """Draw samples of several sizes, and look up in the whole table who is alone in them."""
    groups = case.groups
    fewer = groups[:2] if len(groups) > 2 else groups[:1]
    rows: list[Row] = []
    for known, names in ((groups, case.table.schema.quasi), (fewer, case.known(fewer))):
        rows += [{"known": " + ".join(known), **row} for row in _samples(case, names)]
    return rows


def _samples(case: Case, names: Sequence[str]) -> list[Row]:
    total = case.table.rows
    sizes = [size for size in SAMPLES if size < total]
    if not sizes:
        return []
    # Each sample is drawn without replacement, all records alike, and lies in the larger ones.
    drawn = np.argsort(chances(np.arange(total, dtype=np.int64), case.seed), kind="stable")[: sizes[-1]]
    numbers = np.sort(drawn)
    lo, hi = case.table.cells(names, numbers)
    alone = occurrences(case.table, names, lo, hi) == 1
    columns = np.arange(len(names), dtype=np.int64)
    rows: list[Row] = []
    for size in sizes:
        some = np.searchsorted(numbers, np.sort(drawn[:size]))
        labels, groups = label_rows(lo[some], hi[some], columns)
        counts = count_labels(labels, groups)
        rows.append({"sample": size, **_compared(counts, (counts == 1)[labels], alone[some], total)})
    return rows


def _compared(
    counts: NDArray[np.int64], in_sample: NDArray[np.bool_], in_all: NDArray[np.bool_], population: int
) -> Row:
    """Compare who is alone in a sample with who is in all, and with what the sample lets one estimate."""
    lone = int(in_sample.sum())
    share = float((in_sample & in_all).sum() / lone) if lone else None
    estimated = PopulationEstimates.of(SampledClasses.of(counts, population)).shares
    return {
        "unique in the sample": lone / in_sample.size,
        "of these unique in all": share,
        "standard error": None if share is None else float(np.sqrt(share * (1 - share) / lone)),
        "unique in all": float(in_all.mean()),
        **{
            # Of all who are alone in the population, the sampled share is alone in the sample too.
            name: None if found is None or not lone else min(found * in_sample.size / lone, 1.0)
            for name, estimator in ESTIMATES.items()
            for found in [estimated[estimator]]
        },
    }


def figures(rows: Sequence[Row]) -> dict[str, Figure]:
    """Draw, for all attributes and for fewer, who is alone in samples, and who of these is alone in all."""
    drawn = {}
    for number, known in zip(NUMBERS, dict.fromkeys(row["known"] for row in rows), strict=False):
        mine = [row for row in rows if row["known"] == known]
        series = {
            "alone in the sample": "unique in the sample", "of these, alone in all": "of these unique in all",
            **{f"estimated: {name}": name for name in ESTIMATES},
        }  # fmt: skip
        drawn[number] = lines(
            [
                {"sample": row["sample"], "share": row[key], "what": name}
                for name, key in series.items()
                for row in mine
            ],
            x="sample", y="share", group="what", percent=True, log_x=True, x_label="records in the sample",
            y_label="share of the records", title=f"{number}. Alone in a sample, and in all records: {known} known",
            description=f"Of {mine[-1]['sample']:,} sampled records {percent(mine[-1]['unique in the sample'])} are "
            f"alone in the sample, and {_share(mine[-1]['of these unique in all'])} of these in all.",
        )  # fmt: skip
    return drawn


def section(rows: Sequence[Row], figures: Mapping[str, str]) -> Section:
    """Tell how much of sample uniqueness is uniqueness."""
    shares = ("unique in the sample", "of these unique in all", *ESTIMATES)
    shown = [row | {key: _share(row[key]) for key in shares} for row in rows]
    size = max(row["sample"] for row in rows if row["sample"] <= 10_000)
    whole, part = (row for row in shown if row["sample"] == size)
    estimates = ", ".join(f"{name} {part[name]}" for name in ESTIMATES)
    heads = {
        "known": "Known", "sample": "Sample", "unique in the sample": "Alone in the sample",
        "of these unique in all": "Of these, alone in all", **{name: f"Estimated: {name}" for name in ESTIMATES},
    }  # fmt: skip
    return Section(
        "Alone in a sample, alone in the population",
        "Most released files are samples, and critics said rightly that to be alone in a sample is not to be alone. "
        f"Of {size:,} records drawn from the table {whole['unique in the sample']} stand alone among themselves if "
        f"everything is known, and {whole['of these unique in all']} of these in the whole table; if only "
        f"{part['known']} is known, {part['unique in the sample']} do, and {part['of these unique in all']} of these "
        "in the whole table. A table that holds everybody gives no such protection: there both are the same, for "
        "whoever knows that a person is in it.",
        *(figures[number] for number in NUMBERS),
        "Whoever has only the sample can estimate which share of those alone in it are alone in all. Of the last, "
        f"estimates would have said: {estimates}. There is none where a model fits nothing, as where hardly any two "
        "records are alike.",
        table(shown, heads, "Samples of the table", numeric=shares),
    )


def _share(share: float | None) -> str:
    return "n/a" if share is None else percent(share)


POPULATION = Experiment("population", 12, measure, figures, section)
