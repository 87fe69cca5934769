"""Full-domain recoding: one level of its hierarchy for each column, the best of all combinations, and suppression."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, ClassVar
from weakref import WeakKeyDictionary

import numpy as np

from shoal.errors import GuaranteeError, ParameterError
from shoal.methods.lattice.beam import EVALUATIONS, WIDTH, beam_search
from shoal.methods.lattice.lattice import Lattice
from shoal.methods.lattice.level_cells import Shown, Suppressing
from shoal.methods.lattice.nodes import Nodes, WholePromise
from shoal.methods.lattice.objective import NodeLoss
from shoal.methods.lattice.optimum import Found, proven_optimum
from shoal.methods.lattice.population_nodes import PopulationNodes
from shoal.methods.lattice.utilities import ALSO, Wanted
from shoal.models import PrivacyModel
from shoal.models.monotone import monotone
from shoal.models.outside_population import OutsidePopulation
from shoal.models.people import refuse_nobody, subject_of
from shoal.parameters import settle
from shoal.progress import stage
from shoal.table import Carry, Table

PROVABLE = 10**7  # nodes up to which every one is bounded


@dataclass(frozen=True)
class FullDomain:
    """Replace every value of a column by its ancestor on one level, and suppress the records that still stand out.

    Of all combinations of levels the one is taken that loses least, and it is proven that no other loses less; only
    where there are more than ten million combinations, a beam search takes its place, and says so. A column without a
    hierarchy has two levels, its values and ``*``. Suppressed records show ``*`` in all quasi-identifiers. They are a
    class of the release that keeps the promises like any other: where it would not, further classes join it.

    Parameters
    ----------
    limit
        The largest share of records that may be suppressed, from 0 to 1.
    utility
        What is to be least: ``loss`` (the mean share of the leaves that a cell stands for), ``precision`` (of the
        height of its hierarchy), ``height``, ``entropy`` (non-uniform), ``discernibility``, ``average-class-size``,
        ``ambiguity``, ``entropy-loss``, ``kl-divergence``, ``classification`` or ``given``.
    aggregate
        How the losses of columns become one: ``geometric``, ``arithmetic``, ``sum``, ``maximum`` or ``rank``, which
        compares the largest, then the next. If left out, ``geometric``; of heights and of bits the sum.
    factor
        How suppression counts against generalization: alike at 0.5, less below, more above.
    weights
        How much the loss of a column counts; those not named count 1.
    min_level
        The lowest level of columns, 0 where none is named.
    max_level
        The highest level of columns; to fix a level, give it in both.
    levels
        The node to be taken, if it is chosen already: the level of each quasi-identifier, in the order of the table.
    margins_only
        Whether ``entropy`` leaves out what suppression hides, as some programs do.
    normalized
        Whether ``entropy`` counts as a share of all that a column could lose.
    target
        The column that ``classification`` is about.
    given
        For ``given``, the loss of each node that may be taken: ``{"0,3,1": 0.25}``.
    width
        How many nodes a beam search follows at a time.
    budget
        How many nodes it looks at, at most.

    References
    ----------
    P. Samarati: Protecting respondents' identities in microdata release, IEEE TKDE 13(6), 2001, doi:10.1109/69.971193;
    V. S. Iyengar: Transforming data to satisfy privacy constraints, KDD 2002, doi:10.1145/775047.775089;
    F. Kohlmayer, F. Prasser, C. Eckert, A. Kemper, K. A. Kuhn: Flash: efficient, stable and optimal k-anonymity,
    PASSAT 2012, doi:10.1109/SocialCom-PASSAT.2012.52.
    """

    name: ClassVar[str] = "full-domain"
    enforces: ClassVar[tuple[str, ...]] = (
        "k-anonymity", "t-closeness", "l-diversity", "alpha-k", "k-map", "delta-presence", "reidentification-risk",
    )  # fmt: skip
    limit: float = 1.0
    utility: str = "loss"
    aggregate: str | None = None
    factor: float = 0.5
    weights: Mapping[str, float] = field(default_factory=dict)
    min_level: Mapping[str, int] = field(default_factory=dict)
    max_level: Mapping[str, int] = field(default_factory=dict)
    levels: tuple[int, ...] = ()
    margins_only: bool = False
    normalized: bool = False
    target: str | None = None
    given: Mapping[str, float] = field(default_factory=dict)
    width: int = WIDTH
    budget: int = EVALUATIONS

    def __post_init__(self) -> None:
        """Refuse parameters that make no sense."""
        settle(self)
        object.__setattr__(self, "utility", ALSO.get(self.utility, self.utility))
        if isinstance(self.limit, bool) or not isinstance(self.limit, int | float) or not 0 <= self.limit <= 1:
            raise ParameterError("'limit' must be from 0 to 1.", "It is the share of records that may be suppressed.")
        for word in ("weights", "min_level", "max_level", "given"):
            if not isinstance(getattr(self, word), Mapping):
                raise ParameterError(f"'{word}' is given by column.", f"Write --param {word}.COLUMN=1, or a mapping.")
        for word in ("min_level", "max_level"):
            if any(isinstance(level, bool) or not isinstance(level, int) for level in getattr(self, word).values()):
                raise ParameterError(f"'{word}' holds whole numbers.", "0 are the values themselves.")
        object.__setattr__(self, "levels", levels_in(self.levels))
        if self.levels and (self.min_level or self.max_level):
            raise ParameterError("'levels' fixes all levels already.", "Leave out min_level and max_level.")
        for word in ("width", "budget"):
            number = getattr(self, word)
            if isinstance(number, bool) or not isinstance(number, int) or number < 1:
                raise ParameterError(f"'{word}' is a whole number of at least 1.", "Leave it out.")
        _ = self.wanted

    @property
    def wanted(self) -> Wanted:
        """What is to be least."""
        return Wanted(
            self.utility, self.aggregate, self.factor, self.weights, self.margins_only, self.normalized, self.target,
            self.given,
        )  # fmt: skip

    def most(self, rows: int) -> int:
        """Give how many records may be suppressed."""
        return math.floor(self.limit * rows + 1e-9)

    def search(self, table: Table, models: Sequence[PrivacyModel], *, mend: bool = True) -> LevelSearch:
        """Look for the best node, or give what was found on the same table before."""
        known = _KNOWN.setdefault(table, [])
        for asked, promised, mending, found in known:
            if (asked, promised, mending) == (self, tuple(models), mend):
                return found
        found = self._search(table, models, mend=mend)
        known[:] = [*known[-1:], (self, tuple(models), mend, found)]  # of each table no more is kept
        return found

    def _search(self, table: Table, models: Sequence[PrivacyModel], *, mend: bool) -> LevelSearch:
        nodes, objective = self.lattice(table, models)
        most = self.most(nodes.lattice.rows)
        stage("searching the lattice of levels")
        if nodes.lattice.nodes <= PROVABLE:
            found = proven_optimum(nodes, objective, most, mend=mend)
        else:
            found = beam_search(nodes, objective, most, self.width, self.budget, mend=mend)
        return LevelSearch(nodes, objective, most, found)

    def lattice(self, table: Table, models: Sequence[PrivacyModel]) -> tuple[Nodes, NodeLoss]:
        """Give the lattice of a table with what is promised, and what is to be least on it."""
        apart = [model for model in models if isinstance(model, OutsidePopulation)]
        carry: list[Carry] = [item for model in models if model not in apart for item in model.carries(table.schema)]
        if apart:
            refuse_nobody(table)
            carry += subject_of(table.schema)
        if self.target is not None:
            if table.schema[self.target].name in table.schema.quasi:
                raise ParameterError(
                    f"Column '{self.target}' is a quasi-identifier, so it cannot be the target.",
                    "Name a column that is released as it is.",
                )
            carry.append(self.target)
        references = [None if model in apart else model.reference(table) for model in models]
        least, most = (self._fixed(table), self._fixed(table)) if self.levels else (self.min_level, self.max_level)
        lattice = Lattice.of(table, carry, least, most)
        whole = [
            WholePromise(model, self._counted(model, lattice, table), monotone(model, table.schema) == "always")
            for model in apart
        ]
        nodes = Nodes(lattice, models, table.schema, references, whole)
        return nodes, self.wanted.objective(lattice, self.most(lattice.rows))

    @staticmethod
    def _counted(model: OutsidePopulation, lattice: Lattice, table: Table) -> PopulationNodes | None:
        return PopulationNodes(lattice, table, model.people_of(table)) if model.outside else None

    def _fixed(self, table: Table) -> dict[str, int]:
        names = table.schema.quasi
        if len(self.levels) != len(names):
            raise ParameterError(
                f"'levels' holds {len(self.levels)} levels, and the table has {len(names)} quasi-identifiers.",
                f"Give the level of each: {', '.join(names)}.",
            )
        return dict(zip(names, self.levels, strict=True))

    def apply(self, table: Table, models: Sequence[PrivacyModel], seed: int) -> Table:
        """Bring every column to its level, and suppress the classes that break a promise."""
        done = self.search(table, models)
        found = done.found
        chosen = found.node.classes.keys[found.node.suppressed] if found.node.outliers else _none(done.nodes)
        shown = Shown.at(done.nodes.lattice, found.node.levels, chosen)
        return replace(table.rewrite(Suppressing(shown)), recoding=done.account)

    def explain(self, table: Table, models: Sequence[PrivacyModel]) -> str:
        """Say what is done, and what of it is proven."""
        done = self.search(table, models)
        found, lattice = done.found, done.nodes.lattice
        levels = ", ".join(f"{name} {level}" for name, level in done.levels.items())
        least = (
            self.utility
            if self.utility not in ("loss", "precision", "height", "entropy")
            else (f"{self.utility}, {self.wanted.how}")
        )
        said = (
            f"the levels were given ({least})"
            if self.levels
            else f"it is proven that no other of the {lattice.nodes:,} combinations of levels has less ({least})"
            if found.proven
            else f"of the {lattice.nodes:,} combinations of levels {found.evaluated:,} were looked at for the least "
            f"({least}); none of them loses less than {found.bound or 0:.3g}, and that is all that is proven"
        )
        return (
            f"Replaced each quasi-identifier by its ancestor on one level ({levels}) and suppressed "
            f"{found.node.outliers:,} of {lattice.rows:,} records: the loss is {found.loss:.3g}, and {said}."
        )


def levels_in(given: Any) -> tuple[int, ...]:
    """Read levels that are written one after the other, as text or as a list.

    >>> levels_in("0,3,1"), levels_in(2)
    ((0, 3, 1), (2,))
    """
    parts = given.split(",") if isinstance(given, str) else [given] if isinstance(given, int) else given
    found: list[Any] = [int(part) if isinstance(part, str) and part.strip().isdecimal() else part for part in parts]
    if any(isinstance(level, bool) or not isinstance(level, int) for level in found):
        raise ParameterError("'levels' holds whole numbers.", "Write it as levels=0,3,1.")
    return tuple(found)


@dataclass(frozen=True, eq=False)
class LevelSearch:
    """A lattice that was searched.

    Attributes
    ----------
    nodes
        Its nodes, with what every class is to keep.
    objective
        What is to be least.
    most
        How many records may be suppressed.
    best
        What was found; None if no node keeps all promises.
    """

    nodes: Nodes
    objective: NodeLoss
    most: int
    best: Found | None

    @property
    def found(self) -> Found:
        """What was found, or an error that says what could be promised."""
        if self.best is not None:
            return self.best
        lattice = self.nodes.lattice
        top = self.nodes.at(lattice.high)
        reached = f"At the highest levels the smallest class has {int(top.classes.counts.min()):,} records"
        raise GuaranteeError(
            "No combination of levels keeps all promises with at most "
            f"{self.most:,} of {lattice.rows:,} records suppressed.",
            f"{reached}, of which {top.outliers:,} break a promise. Ask for less, or allow more (limit, max_level).",
        )

    @property
    def levels(self) -> dict[str, int]:
        """The level of each column."""
        names = [column.name for column in self.nodes.lattice.columns]
        return dict(zip(names, self.found.node.levels, strict=True))

    @property
    def account(self) -> dict[str, Any]:
        """What was found, as plain values."""
        found, lattice = self.found, self.nodes.lattice
        return {
            "levels": self.levels,
            "proven": found.proven,
            "loss": found.loss,
            "outliers": found.node.outliers,
            "classes": found.node.classes.size,
            "evaluated": found.evaluated,
            "nodes": lattice.nodes,
            **({} if found.bound is None or found.proven else {"bound": found.bound}),
        }


def _none(nodes: Nodes) -> Any:
    return np.empty((0, nodes.lattice.finest.keys.shape[1]), np.uint64)


_Known = tuple["FullDomain", tuple[PrivacyModel, ...], bool, LevelSearch]
# What was found last, by the table: a method explains what it does, and then does it.
_KNOWN: WeakKeyDictionary[Table, list[_Known]] = WeakKeyDictionary()
