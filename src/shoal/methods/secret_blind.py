"""Classes that do not depend on secrets: formed by quasi-identifiers alone, and all made larger until promises hold."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, fields, replace
from typing import Any, ClassVar

import numpy as np

from shoal.catalogue import build, look_up
from shoal.errors import GuaranteeError, ParameterError
from shoal.methods import Method, required_model
from shoal.models import PrivacyModel, check
from shoal.models.k_anonymity import KAnonymity
from shoal.parameters import settle, shown
from shoal.table import Table

_SIZES = 8  # among which one is drawn: each that is tried takes as long as forming classes does


@dataclass(frozen=True)
class SecretBlind:
    """Form classes by quasi-identifiers alone, all of them larger until every class keeps every promise.

    Methods that merge only the classes that break a promise tell by it that these broke it: who knows the method, and
    all quasi-identifiers, may conclude from which classes were merged what somebody has (minimality). Here secrets
    decide nothing but one number, how large all classes are. It begins with k and grows by a quarter. That costs more
    than merging where few classes break a promise; records that are alike already are merged like others.

    That one number still tells that smaller classes broke a promise. With ``spread`` it is drawn among sizes that all
    keep the promises, so that it tells less. The draw is kept nowhere.

    Parameters
    ----------
    method
        Which method forms the classes.
    spread
        How much larger than need be classes may be: 0.5 draws among sizes up to half as large again. 0 draws nothing.

    References
    ----------
    R. C.-W. Wong, A. W.-C. Fu, K. Wang, J. Pei: Minimality attack in privacy preserving data publishing, VLDB 2007. G.
    Cormode, N. Li, T. Li, D. Srivastava: Minimizing minimality and maximizing utility, PVLDB 3(1), 2010,
    doi:10.14778/1920841.1920972.
    """

    name: ClassVar[str] = "secret-blind"
    enforces: ClassVar[tuple[str, ...]] = ("k-anonymity", "t-closeness", "l-diversity", "alpha-k")
    keeps_values: ClassVar[bool] = True
    method: str = "hilbert"
    spread: float = 0.0

    @property
    def repeatable(self) -> bool:
        """Whether each run forms the same classes."""
        return not self.spread

    def __post_init__(self) -> None:
        """Refuse methods that do not form classes of a size, and what is no share."""
        settle(self)
        if isinstance(self.spread, bool) or not isinstance(self.spread, int | float) or not 0 <= self.spread <= 10:
            raise ParameterError(f"The spread is a share from 0 to 10, not {shown(self.spread)}.", "Usual is 0.5.")
        known = isinstance(self.method, str) and set(self.enforces) <= set(look_up("methods", self.method).enforces)
        if not known or self.method == self.name:
            raise ParameterError(
                f"{shown(self.method)} forms no classes of a size by quasi-identifiers alone.",
                "Say hilbert, or mondrian.",
            )

    def apply(self, table: Table, models: Sequence[PrivacyModel], seed: int) -> Table:
        """Form classes of growing size until all promises hold."""
        k = required_model(models, KAnonymity, self.name)
        k.demand(table.rows, None)
        forming, size, most = self._forming(), k.k, self._most(table)
        while True:
            released = forming.apply(table, [replace(k, k=size)], seed)
            verdicts = check(released, models)
            broken = [verdict for verdict in verdicts if not verdict.holds]
            if not broken:
                return self._drawn(table, models, size, seed) or released
            # Where people have several rows, all of them may be in each of several classes.
            if verdicts[0].classes == 1 or size >= most:
                worst = broken[0]
                raise GuaranteeError(
                    f"{worst.model.name} cannot be kept: classes of all people reach only {worst.level:.6g}.",
                    worst.model.nearest(worst.level),
                )
            size = min(max(size + 1, math.ceil(size * 1.25)), most)

    def _drawn(self, table: Table, models: Sequence[PrivacyModel], size: int, seed: int) -> Table | None:
        """Form classes of a size drawn among larger ones too; None if that is the size there was, which is as likely.

        Those that break a promise are passed over, so that each of the others is as likely as the rest.
        """
        k, forming = required_model(models, KAnonymity, self.name), self._forming()
        most = min(math.floor(size * (1 + self.spread)), self._most(table))
        sizes = np.unique(np.linspace(size, max(most, size), _SIZES).astype(np.int64))
        for drawn in np.random.default_rng(seed).permutation(sizes).tolist():
            if drawn == size:
                return None
            released = forming.apply(table, [replace(k, k=drawn)], seed)
            if all(verdict.holds for verdict in check(released, models)):
                return released
        return None

    def _forming(self) -> Method:
        given: dict[str, Any] = {"name": self.method}
        if "keep_exact" in {each.name for each in fields(look_up("methods", self.method))}:
            given["keep_exact"] = False
        method: Method = build("methods", given)
        return method

    def _most(self, table: Table) -> int:
        subject = table.schema.subject
        return table.rows if subject is None else int(table.counts(subject)[0].size)

    def explain(self, table: Table, models: Sequence[PrivacyModel]) -> str:
        """Say what is done."""
        k = required_model(models, KAnonymity, self.name).k
        by_chance = f", by chance up to {self.spread:.0%} larger than that" if self.spread else ""
        return (
            f"Formed classes of at least {k} by quasi-identifiers alone ({self.method}), and all of them larger until "
            f"every class kept every promise{by_chance}."
        )
