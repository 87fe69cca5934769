"""Differentially private synthesis: records drawn from a tree of pairs whose counts have noise."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any, ClassVar

import numpy as np

from shoal.arrays import Counts, Floats, Integers
from shoal.engines.made_tables import MadeColumn, made_table
from shoal.errors import ParameterError
from shoal.methods.private.declared_columns import UnitsOf, exact_counts, insist_on_domains, refuse_other_columns
from shoal.methods.private.declared_domains import DeclaredDomain, domains_of
from shoal.methods.private.pair_counts import pair_counts
from shoal.methods.private.price import ReleasePrice, price_of
from shoal.methods.private.tree_model import Pair, Pooling, TreeModel, projected, total_of
from shoal.models import PrivacyModel
from shoal.models.stated import Stated
from shoal.parameters import settle
from shoal.private.exact_numbers import root_at_least, written
from shoal.private.mechanisms import NoiseMechanism, version
from shoal.schema import Schema
from shoal.table import Table

_MOST_VALUES = 1 << 16


@dataclass(frozen=True)
class PrivateTree:
    """Draw made-up records from noisy counts of values and of the pairs that matter most: differential privacy.

    A third of the loss goes to how often each value of each column occurs; one to choosing, among pairs of columns that
    do not hang together yet, those that are furthest from independent, until all columns form a tree; and one to how
    often the values of these pairs occur together. Values that are too rare to stand out of the noise are counted
    together. What is released is drawn from that: no record is anybody's, and there are about as many as in the
    original, by a noisy count. Pairs that are no part of the tree are right only as far as the tree implies them.

    What holds for neighbours of which one has one record more stands in the certificate as a *stated* claim: no file
    can show how noise was drawn. A cell is released without a value where the original has so many without one, or
    without one that was declared, that it stands out of the noise.

    Parameters
    ----------
    domains
        What each column may hold, by its name, known without looking at the data: ``17..90 step 1``,
        ``2009-01-01..2009-12-31``, or categories: ``female,male``. Numbers outside are clamped.
    rho
        The loss of zero-concentrated differential privacy.
    delta
        The δ at which the certificate shows what ``rho`` means as ε.
    rows
        How many records to draw; if left out, a noisy count of those of the original.

    References
    ----------
    C. K. Chow, C. N. Liu: Approximating discrete probability distributions with dependence trees, IEEE Transactions on
    Information Theory 14(3), 1968, doi:10.1109/TIT.1968.1054142. R. McKenna, G. Miklau, D. Sheldon: Winning the NIST
    contest: a scalable and general approach to differentially private synthetic data, Journal of Privacy and
    Confidentiality 11(3), 2021, doi:10.29012/jpc.778.
    """

    name: ClassVar[str] = "private-tree"
    enforces: ClassVar[tuple[str, ...]] = ()
    repeatable: ClassVar[bool] = False
    epsilon: ClassVar[None] = None
    domains: Mapping[str, str] | None = None
    rho: float | None = None
    delta: float = 1e-6
    rows: int | None = None

    def __post_init__(self) -> None:
        """Refuse what is no loss, or no number of records."""
        settle(self)
        if self.rho is not None:
            price_of(self, self.name)
        if self.rows is not None and (isinstance(self.rows, bool) or not isinstance(self.rows, int) or self.rows < 1):
            raise ParameterError("The number of rows is a whole number, at least 1.", "Leave it out for a noisy count.")

    def demand(self, table: Table, models: Sequence[PrivacyModel]) -> None:
        """Refuse what cannot be released so, before any work is done."""
        version()  # which is refused where OpenDP is missing
        refuse_other_columns(table, self.name)
        self._plan(table.schema)

    def apply(self, table: Table, models: Sequence[PrivacyModel], seed: int) -> Table:
        """Count with noise, fit the tree, and draw from it."""
        self.demand(table, models)
        plan = self._plan(table.schema)
        poolings, ones = plan.margins(table.schema, exact_counts(table))
        total = total_of([(counts.sum(), spread.sum()) for counts, spread in ones])
        pairs: Mapping[Pair, Floats] = {}
        if len(ones) > 1:
            counted = pair_counts(table, UnitsOf.of(plan.domains, table.schema), poolings)
            margins = [projected(counts, total) for counts, _ in ones]
            pairs = {pair: noised(plan.pairs, counted[pair]) for pair in plan.tree(counted, margins, total)}
        model = TreeModel.fit(ones, pairs, plan.pairs.scale if pairs else 1.0)
        random = fresh_random()
        columns = {}
        cells = model.drawn(max(round(total), 1) if self.rows is None else self.rows, random)
        for (name, domain), pooling, mine in zip(plan.domains.items(), poolings, cells, strict=True):
            values = pooling.values(mine, random)
            places = np.where(values == domain.size, -1, values)
            columns[name] = MadeColumn(domain.kind, domain.values(np.arange(domain.size)), places)
        return made_table(table, columns)

    def explain(self, table: Table, models: Sequence[PrivacyModel]) -> str:
        """Say what is done."""
        many = len(table.schema.quasi)
        return (
            f"Drew made-up records from noisy counts of {many:,} column{'s' * (many != 1)} and of the "
            f"{many - 1:,} pair{'s' * (many != 2)} of a tree of them, which was chosen with noise."
        )

    def stated(self, schema: Schema, rows: int, models: Sequence[PrivacyModel]) -> Stated:
        """Say what holds, and give all that its arithmetic needs."""
        plan = self._plan(schema)
        return plan.price.claimed(
            "tables of which one has one record more than the other; the domains are public",
            {"columns": {name: {"domain": dict(self.domains or {})[name]} for name in plan.domains}, **plan.terms()},
        )

    def insist(self, released: Table, models: Sequence[PrivacyModel]) -> str:
        """Insist that a release is such as the method gives, as far as a file can show it."""
        insist_on_domains(self._plan(released.schema).domains, released, gaps=True)
        return "All values lie on the steps, or are among the categories, of their declared domains."

    def _plan(self, schema: Schema) -> _Plan:
        domains = domains_of(self.domains, schema, self.name)
        for name, domain in domains.items():
            if domain.size > _MOST_VALUES:
                raise ParameterError(
                    f"The domain of '{name}' has {domain.size:,} values, of at most {_MOST_VALUES:,}.",
                    "Declare larger steps: 0..1000000 step 1000.",
                )
        return _Plan(domains, price_of(self, self.name))


def fresh_random() -> np.random.Generator:
    """Give random numbers from the system. They only draw from numbers that have noise, so they need not be secret."""
    return np.random.default_rng()


@dataclass(frozen=True, eq=False)
class _Plan:
    """What follows from what was asked alone. One record more changes each count of a kind by one, in one cell."""

    domains: Mapping[str, DeclaredDomain]
    price: ReleasePrice

    @property
    def columns(self) -> int:
        return len(self.domains)

    @property
    def share(self) -> Fraction:
        """The loss of each of the three parts; all of it where there are no pairs."""
        return self.price.loss / 3 if self.columns > 1 else self.price.loss

    @property
    def ones(self) -> NoiseMechanism:
        return NoiseMechanism("gaussian", 1, root_at_least(self.columns / (2 * self.share)))

    @property
    def choices(self) -> NoiseMechanism:
        return NoiseMechanism("noisy-maximum", 1, root_at_least((self.columns - 1) / (2 * self.share)))

    @property
    def pairs(self) -> NoiseMechanism:
        return NoiseMechanism("gaussian", 1, root_at_least((self.columns - 1) / (2 * self.share)))

    def terms(self) -> dict[str, Any]:
        """Give each part as it stands in a certificate."""

        def part(noise: NoiseMechanism, times: int) -> dict[str, Any]:
            each = {"noise": noise.mechanism, "sensitivity": noise.sensitivity, "scale": noise.scale}
            return {"times": times, **each, "loss": written(self.share / times)}

        found = {"margins": part(self.ones, self.columns)}
        if self.columns > 1:
            found["choices"] = part(self.choices, self.columns - 1)
            found["pairs"] = part(self.pairs, self.columns - 1)
        return found

    def margins(
        self, schema: Schema, counts: Mapping[str, Counts]
    ) -> tuple[list[Pooling], list[tuple[Floats, Floats]]]:
        """Count the values of each column with noise, and pool the rare ones."""
        poolings, ones, deviation = [], [], self.ones.scale
        for name, domain in self.domains.items():
            positions, many = counts[name]
            units = domain.units(positions, schema[name].axis)
            exact = np.bincount(np.where(units < 0, domain.size, units), many, domain.size + 1).astype(np.int64)
            noisy = noised(self.ones, exact)
            poolings.append(Pooling.of(noisy, deviation))
            ones.append((poolings[-1].in_cells(noisy), poolings[-1].spread(deviation)))
        return poolings, ones

    def tree(self, counted: Mapping[Pair, Integers], margins: Sequence[Floats], total: float) -> list[Pair]:
        """Choose the pairs of a tree, one at a time, each the one furthest from independent as noise lets it see."""
        apart = scores(counted, margins, total)
        component, chosen = list(range(self.columns)), list[Pair]()
        while len(chosen) < self.columns - 1:
            able = [pair for pair in apart if component[pair[0]] != component[pair[1]]]
            best = self.choices.best([apart[pair] for pair in able]) if len(able) > 1 else 0  # of one is no choice
            chosen.append(able[best])
            into, gone = (component[at] for at in chosen[-1])
            component = [into if each == gone else each for each in component]
        return chosen


def scores(counted: Mapping[Pair, Integers], margins: Sequence[Floats], total: float) -> dict[Pair, int]:
    """Say of each pair how many records it is from independent.

    What independence would give comes from noisy margins and is rounded, so that one record more changes each of these
    whole numbers by one at most.
    """
    return {
        (a, b): int(np.abs(table - np.rint(np.outer(margins[a], margins[b]) / max(total, 1.0)).astype(np.int64)).sum())
        for (a, b), table in counted.items()
    }


def noised(noise: NoiseMechanism, counts: Integers) -> Floats:
    """Add noise to counts."""
    return np.array(noise.added(counts.reshape(-1).tolist()), np.float64).reshape(counts.shape)
