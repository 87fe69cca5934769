"""Proof of what a release keeps of its original: each statement by what both tables show of it."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import partial
from typing import Any, get_args

import numpy as np

from shoal.arrays import Array, Floats, Integers
from shoal.catalogue import offers
from shoal.certification.agreement import same
from shoal.certification.private_record import PrivateRecord
from shoal.engines.packed_cells import unpacked
from shoal.errors import CertificateError
from shoal.kernels import MISSING
from shoal.methods.perturbation.exact_moments import JointMoments, moments_of
from shoal.methods.perturbation.numbers import ValueGrid, numbers_of
from shoal.methods.perturbation.preserved import KeptStep, Preserved, Statistic, kept_by_all
from shoal.table import Column, Table

_TOLERANCE = 1e-9  # of a deviation, or of the product of two
_MOST = 64  # statements beside two for each column: a certificate may not ask for any amount of work


def insist_on_kept(
    content: Mapping[str, Any], beside: tuple[Table, Table] | None, lacking: str,
    proved: list[str], not_proved: list[str], by_original: list[str],
) -> None:  # fmt: skip
    """Insist on what is kept exactly of the original, if it is there; say of all else why it is not shown."""
    steps = [KeptStep.of(each) for each in content.get("preserved", ())]
    methods = [given["name"] for given in content["recipe"]["method"]]
    if not steps and not any(offers("methods", name, "preserves") for name in methods):
        return
    same(
        "the steps that keep something",
        [each.method for each in steps],
        methods,
    )
    if not all(kept.statistic in get_args(Statistic) for step in steps for kept in step.keeps):
        raise CertificateError("The certificate names something that nothing keeps.", "Do not rely on it.")
    if sum(len(step.keeps) for step in steps) > _MOST + 2 * len(content["recipe"]["table"]["kinds"]):
        raise CertificateError("The certificate asks for more than can be proved.", "Do not rely on it.")
    throughout = kept_by_all(steps)
    for kept in throughout:
        proof = PROOFS.get(kept.statistic)
        if proof is None:
            not_proved.append(f"{kept.sentence()} stayed as they were (nothing but the method tells which they are)")
        elif beside is None:
            not_proved.append(f"{kept.sentence()} are those of the original ({lacking})")
        else:
            if not proof(kept, *beside):
                raise CertificateError(
                    f"The release does not keep what it is said to: {kept.sentence()}.", "Do not rely on it."
                )
            proved.append(f"Kept as in the original{_rounding(kept, beside[0])}: {kept.sentence()}.")
            by_original.append(proved[-1])
    spoiled = {each.sentence(): step for step in steps for each in step.keeps if each.exactly}
    for each in throughout:
        spoiled.pop(each.sentence(), None)
    not_proved += [f"{said}, kept by {step.method} (other steps change them too)" for said, step in spoiled.items()]
    drawn = [kept.sentence() for step in steps for kept in step.keeps if not kept.exactly]
    not_proved += [f"{each}, kept in expectation (one release cannot show that)" for each in dict.fromkeys(drawn)]


def changed_columns(content: Mapping[str, Any]) -> set[str]:
    """Give the columns that have other values than the true ones, by what the certificate says of such steps."""
    steps = [KeptStep.of(each) for each in content.get("preserved", ())]
    return {name for step in steps if offers("methods", step.method, "preserves") for name in step.changed}


def insist_on_remarks(content: Mapping[str, Any], record: PrivateRecord | None) -> None:
    """Insist that remarks come from methods of the recipe, and are what the private record has of them too."""
    said = content.get("remarks", ())
    names = [given["name"] for given in content["recipe"]["method"]]
    same("who remarks something", True, all(each["method"] in names for each in said))
    if record is None:
        return
    known = record.content.get("remarks", ())
    same("how many remarks there are", len(known), len(said))
    for mine, theirs in zip(said, known, strict=True):
        same("a remark", True, mine["said"] in theirs["said"])
        rest = {key: value for key, value in mine.items() if key != "said"}
        same("what is remarked", {key: theirs.get(key) for key in rest}, rest)


def _rounding(kept: Preserved, table: Table) -> str:
    if kept.statistic in ("means", "covariances") and any(_units(table, kept.columns)):
        return ", but for the rounding of whole numbers and dates"
    return ""


def _units(table: Table, names: tuple[str, ...]) -> Floats:
    return np.array([float(ValueGrid.of(table.schema[name].axis).unit or 0) for name in names])


def _moments(table: Table, names: tuple[str, ...]) -> JointMoments:
    return moments_of(table, numbers_of(table, names))


def means_kept(kept: Preserved, before: Table, after: Table) -> bool:
    """Tell whether means are the same, as far as rounding lets them be."""
    one, other = (_moments(table, kept.columns) for table in (before, after))
    away = np.abs(other.centre - one.centre) if kept.complete else np.abs(other.mean - one.mean)
    allowed = _units(before, kept.columns) / 2 + _TOLERANCE * one.deviation + 1e-12 * np.abs(one.mean)
    return bool((away <= allowed).all()) and one.complete == other.complete


def covariances_kept(kept: Preserved, before: Table, after: Table) -> bool:
    """Tell whether covariances are the same, as far as rounding lets them be (by Cauchy and Schwarz)."""
    one, other = (_moments(table, kept.columns) for table in (before, after))
    n, half = one.complete, _units(before, kept.columns) / 2
    largest = half * np.sqrt(n / max(n - 1, 1))
    spread = np.sqrt(np.diag(one.covariance))
    moved = np.outer(spread, largest) + np.outer(largest, spread) + np.outer(largest, largest)
    away = np.abs(other.covariance - one.covariance)
    return bool((away <= moved + _TOLERANCE * np.outer(spread, spread)).all()) and n == other.complete


def margins_kept(kept: Preserved, before: Table, after: Table) -> bool:
    """Tell whether each column has the same cells, each as often."""
    return all(_margin(before, name) == _margin(after, name) for name in kept.columns)


def joint_kept(kept: Preserved, before: Table, after: Table) -> bool:
    """Tell whether combinations of cells in these columns occur as often as before."""
    one, other = (_combinations(table, kept.columns) for table in (before, after))
    return one == other


def _combinations(table: Table, names: tuple[str, ...]) -> dict[tuple[str, ...], int]:
    found = table.collect(_counted_rows, *(table.column(name) for name in names))
    rows, places = np.unique(np.concatenate([part[0] for part in found]), axis=0, return_inverse=True)
    counts = np.bincount(places.reshape(-1), np.concatenate([part[1] for part in found]))
    texts = [table.schema[name].axis.render_all(*unpacked(rows[:, j])) for j, name in enumerate(names)]
    return dict(zip(zip(*texts, strict=True), counts.astype(np.int64).tolist(), strict=True))


def _counted_rows(*columns: Integers) -> tuple[Integers, Integers]:
    rows, counts = np.unique(np.stack(columns, axis=1), axis=0, return_counts=True)
    return rows, counts


def _margin(table: Table, name: str) -> dict[str, int]:
    cells, counts = _tallied(table, table.column(name))
    return dict(zip(table.schema[name].axis.render_all(*unpacked(cells)), counts.tolist(), strict=True))


def _tallied(table: Table, column: Column) -> tuple[Integers, Integers]:
    found = table.collect(partial(np.unique, return_counts=True), column)
    cells, places = np.unique(np.concatenate([part[0] for part in found]), return_inverse=True)
    counts = np.bincount(places.reshape(-1), np.concatenate([part[1] for part in found]))
    return cells, counts.astype(np.int64)


def moves_kept(kept: Preserved, before: Table, after: Table) -> bool:
    """Tell whether no value moved by more ranks than it may. Of equal values the ranks that are nearest count."""
    assert kept.within is not None
    return margins_kept(kept, before, after) and all(
        _largest_move(before, after, name) <= kept.within for name in kept.columns
    )


def _largest_move(before: Table, after: Table, name: str) -> int:
    ends = []
    for table in (before, after):
        column = table.column(name)
        cells, counts = _tallied(table, column)
        known = (cells >> 32) != MISSING
        last = np.cumsum(np.where(known, counts, 0))
        first = last - np.where(known, counts, 0) + 1
        whole: Array = np.searchsorted(cells, np.concatenate(table.collect(_same, column)))
        ends.append((first[whole], last[whole], known[whole]))
    (low, high, known), (begin, end, shown) = ends
    if not (known == shown).all():
        return low.size
    apart = np.maximum(begin - high, low - end)
    return int(apart[known].max(initial=0))


def _same(column: Array) -> Array:
    return column


# What can be shown of a statement. Which records others are is known to the method alone.
PROOFS: Mapping[Statistic, Callable[[Preserved, Table, Table], bool]] = {
    "margins": margins_kept,
    "counts": margins_kept,
    "joint counts": joint_kept,
    "counts per area": joint_kept,
    "means": means_kept,
    "covariances": covariances_kept,
    "rank moves": moves_kept,
}
