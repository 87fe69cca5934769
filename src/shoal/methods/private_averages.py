"""Differentially private averages of classes: microaggregation along a declared order, and noise on every average."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import ClassVar, Literal, get_args

import numpy as np

from shoal.arrays import Array, Integers
from shoal.engines.made_tables import MadeColumn, made_table
from shoal.engines.values import Spans
from shoal.errors import CertificateError, ParameterError, SchemaError
from shoal.kernels.hilbert_curve import MOST_AXES, bits_for, curve_keys
from shoal.methods.private.class_noise import ClassNoise
from shoal.methods.private.declared_columns import (
    UnitsOf,
    exact_counts,
    insist_on_domains,
    middle_for_missing,
    refuse_other_columns,
)
from shoal.methods.private.declared_domains import Steps, domains_of
from shoal.methods.private.price import ReleasePrice, price_of
from shoal.models import PrivacyModel
from shoal.models.k_anonymity import KAnonymity
from shoal.models.stated import Stated
from shoal.parameters import settle
from shoal.private.mechanisms import version
from shoal.schema import Schema
from shoal.table import Classes, Column, Given, Table

Ranking = Literal["hilbert", "individual"]


@dataclass(frozen=True)
class PrivateAverages:
    """Publish noisy averages of classes of k that do not depend on any one record: differential privacy.

    Records are sorted along a Hilbert curve through the declared domains and cut into classes of k; the last takes what
    is left over. Every column of the average of every class gets noise by OpenDP, on whole numbers of steps of the
    domain, and each class is released as often as it has records. Nothing else of a record is released. One column
    follows its own order, which needs less noise. What holds for neighbours that differ in one record, of which the
    number is public, stands in the certificate as a *stated* claim: no file can show how noise was drawn.

    Classes average out the noise, so k is to be large: near the root of the number of records with ``epsilon``, smaller
    with ``rho``.

    Parameters
    ----------
    domains
        What each column may hold, by its name, known without looking at the data: ``17..90 step 1``, or
        ``2009-01-01..2009-12-31``. Values outside are clamped, and a cell without a value counts as the middle.
    k
        The size of classes; that of k-anonymity if left out.
    rho
        The loss of zero-concentrated differential privacy, divided evenly among the columns (Gaussian noise).
    epsilon
        The loss of pure differential privacy instead, divided likewise (Laplace noise).
    delta
        The δ at which the certificate shows what ``rho`` means as ε.
    ranking
        ``hilbert``; or ``individual``, each column sorted by itself, which is private for a single column only: with
        several, which classes of one column share records with those of another would be released without noise.

    References
    ----------
    J. Soria-Comas, J. Domingo-Ferrer, D. Sánchez, S. Martínez: Enhancing data utility in differential privacy via
    microaggregation-based k-anonymity, The VLDB Journal 23(5), 2014, doi:10.1007/s00778-014-0351-4. D. Sánchez,
    J. Domingo-Ferrer, S. Martínez, J. Soria-Comas: Utility-preserving differentially private data releases via
    individual ranking microaggregation, Information Fusion 30, 2016, doi:10.1016/j.inffus.2015.11.002. M. Bun,
    T. Steinke: Concentrated differential privacy, TCC 2016, doi:10.1007/978-3-662-53641-4_24.
    """

    name: ClassVar[str] = "private-averages"
    enforces: ClassVar[tuple[str, ...]] = ()
    repeatable: ClassVar[bool] = False
    domains: Mapping[str, str] | None = None
    k: int | None = None
    rho: float | None = None
    epsilon: float | None = None
    delta: float = 1e-6
    ranking: Ranking = "hilbert"

    def __post_init__(self) -> None:
        """Refuse what is no class, no loss, or no ranking."""
        settle(self)
        if self.k is not None and (isinstance(self.k, bool) or not isinstance(self.k, int) or self.k < 2):
            raise ParameterError("A class has at least 2 records.", "Usual are hundreds: --param k=500.")
        if self.ranking not in get_args(Ranking):
            raise ParameterError(
                f"Records are ranked by hilbert or individual, not by '{self.ranking}'.", "Choose one."
            )
        if self.rho is not None or self.epsilon is not None:
            price_of(self, self.name)

    def demand(self, table: Table, models: Sequence[PrivacyModel]) -> None:
        """Refuse what cannot be released so, before any work is done."""
        version()  # which is refused where OpenDP is missing
        refuse_other_columns(table, self.name)
        self._plan(table.schema, table.rows, _size(self.k, models))

    def apply(self, table: Table, models: Sequence[PrivacyModel], seed: int) -> Table:
        """Sum up the classes, add noise to the sums, and publish the averages."""
        self.demand(table, models)
        exact_counts(table)
        plan = self._plan(table.schema, table.rows, _size(self.k, models))
        units = UnitsOf.of(plan.domains, table.schema)
        labels = table.rank([_key(table, plan, units)], every=plan.size)
        sums = _sums(table, plan, units, labels)
        sizes = plan.sizes()
        columns = {}
        for j, (name, domain) in enumerate(plan.domains.items()):
            noisy = np.array(plan.noise(name).noise.added(sums[:, j].tolist()))
            average = np.clip(np.rint(noisy / sizes), 0, domain.last).astype(np.int64)
            distinct, place = np.unique(average, return_inverse=True)
            columns[name] = MadeColumn(domain.kind, domain.values(distinct), np.repeat(place.reshape(-1), sizes))
        return made_table(table, columns)

    def explain(self, table: Table, models: Sequence[PrivacyModel]) -> str:
        """Say what is done."""
        plan = self._plan(table.schema, table.rows, _size(self.k, models))
        order = "by its own order" if plan.alone else "along a Hilbert curve through the declared domains"
        noise = "Gaussian" if plan.price.mechanism == "gaussian" else "Laplace"
        return (
            f"Sorted {table.rows:,} records {order}, cut them into {plan.classes:,} classes of {plan.size:,} or more, "
            f"and published their averages with {noise} noise."
        )

    def stated(self, schema: Schema, rows: int, models: Sequence[PrivacyModel]) -> Stated:
        """Say what holds, and give all that its arithmetic needs."""
        plan = self._plan(schema, rows, _size(self.k, models))
        columns = {
            name: {"domain": dict(self.domains or {})[name], **plan.noise(name).terms(domain.step)}
            for name, domain in plan.domains.items()
        }
        return plan.price.claimed(
            "tables that differ in one record, which is replaced; the number of records, k and the domains are public",
            {"records": rows, "class_size": plan.size, "classes": plan.classes, "columns": columns},
        )

    def insist(self, released: Table, models: Sequence[PrivacyModel]) -> str:
        """Insist that a release is such as the method gives, as far as a file can show it."""
        plan = self._plan(released.schema, released.rows, _size(self.k, models))
        insist_on_domains(plan.domains, released, gaps=False)
        sizes = np.concatenate(released.classes(_sizes_of))
        rest = sizes % plan.size
        if rest.sum() != released.rows % plan.size or (rest > 0).sum() > 1:
            raise CertificateError(
                f"Rows do not come in classes of {plan.size:,} as they should.", "Do not rely on the certificate."
            )
        return (
            f"All values lie on the steps of their declared domains, and rows come in classes of {plan.size:,}, of "
            f"which one may have more."
        )

    def _plan(self, schema: Schema, rows: int, size: int) -> _Plan:
        found = domains_of(self.domains, schema, self.name)
        domains: dict[str, Steps] = {}
        for name, domain in found.items():
            if not isinstance(domain, Steps):
                raise SchemaError(
                    f"Column '{name}' has categories, and categories have no average.",
                    "Leave it out, or use private-tree.",
                )
            domains[name] = domain
        if len(domains) > 1 and self.ranking == "individual":
            raise ParameterError(
                "Individual ranking of several columns is not differentially private: which classes of one column "
                "share records with those of another would be released without noise, and replacing one record "
                "changes that for certain.",
                "Use ranking=hilbert, or release one column.",
            )
        if len(domains) > MOST_AXES:
            raise ParameterError(f"The curve goes through at most {MOST_AXES} columns.", "Leave some out.")
        if rows < size:
            raise ParameterError(
                f"There are {rows:,} records, fewer than the {size:,} of a class.", "Choose a smaller k."
            )
        return _Plan(domains, size, rows, price_of(self, self.name))


@dataclass(frozen=True, eq=False)
class _Plan:
    """What follows from what was asked and from the number of records alone."""

    domains: Mapping[str, Steps]
    size: int
    rows: int
    price: ReleasePrice

    @property
    def classes(self) -> int:
        return self.rows // self.size

    @property
    def alone(self) -> bool:
        """Whether there is only one column, whose order classes follow."""
        return len(self.domains) == 1

    def sizes(self) -> Integers:
        """Give the number of records of each class."""
        found = np.full(self.classes, self.size, np.int64)
        found[-1] += self.rows % self.size
        return found

    def noise(self, name: str) -> ClassNoise:
        """Say which noise the sums of a column need."""
        share = self.price.loss / Fraction(len(self.domains))
        return ClassNoise(self.domains[name].last, self.classes, self.size, self.alone, self.price.mechanism, share)


def _size(k: int | None, models: Sequence[PrivacyModel]) -> int:
    """Give the size of classes: as asked, or as k-anonymity wants it."""
    sizes = [k] if k is not None else [model.k for model in models if isinstance(model, KAnonymity)]
    if not sizes:
        raise ParameterError("Nothing says how large classes are to be.", "Give the method its k: --param k=500.")
    return sizes[0]


def _key(table: Table, plan: _Plan, units: UnitsOf) -> Column:
    """Give what records are sorted by: their place on the curve, or the only column there is. Ties keep their order."""
    alone, domains = plan.alone, plan.domains
    scale = np.array([2.0 ** bits_for(len(domains)) / domain.last for domain in domains.values()])

    def place(rows: Spans) -> Array:
        cells = middle_for_missing(units(rows), domains)
        if alone:
            return np.ascontiguousarray(cells[:, 0].astype(np.int32))
        grid, many = np.ascontiguousarray(cells.astype(np.int32)), len(domains)
        none = np.zeros(0), np.full(many, -1, np.int64)
        return curve_keys(grid, grid, np.arange(many, dtype=np.int64), np.zeros(many), scale, *none)

    return table.map_rows(place)


def _sums(table: Table, plan: _Plan, units: UnitsOf, labels: Column) -> Integers:
    """Sum up the whole numbers of each column in each class."""
    domains = plan.domains

    def column(j: int) -> Column:
        return table.map_rows(lambda rows: middle_for_missing(units(rows), domains)[:, j].astype(np.int32))

    cells = tuple(Given(column(j)) for j in range(len(domains)))

    def summed(classes: Classes) -> Integers:
        starts = classes.starts[:-1]
        return np.stack([np.add.reduceat(classes.columns[c].astype(np.int64), starts) for c in cells], axis=1)

    return np.concatenate(table.groups(summed, labels, cells))


def _sizes_of(classes: Classes) -> Integers:
    return classes.sizes
