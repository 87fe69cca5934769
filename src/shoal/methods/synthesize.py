"""Synthetic data: records that are drawn from what was learned of the table."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from importlib.util import find_spec
from typing import Any, ClassVar, Literal, get_args

import numpy as np

from shoal.arrays import Floats, Integers
from shoal.conditions import Condition
from shoal.errors import DataError, ParameterError, SchemaError
from shoal.extras import missing
from shoal.kernels.random_streams import normal_quantiles, random_words, uniform
from shoal.methods.perturbation import column_names
from shoal.methods.perturbation.preserved import Preserved
from shoal.methods.perturbation.streams import Streams
from shoal.methods.synthesis.columns import Learned, parsed
from shoal.methods.synthesis.gaussian_copula import redrawn
from shoal.methods.synthesis.known_rows import KnownRows
from shoal.methods.synthesis.sequential_trees import Draw, learn
from shoal.models import PrivacyModel
from shoal.parameters import settle
from shoal.schema import RELEASED
from shoal.table import Table

SynthesisModel = Literal["trees", "margins", "copula"]
_TRIES = 100


@dataclass(frozen=True)
class Synthesize:
    """Draw as many synthetic records as there are, column after column, from what was learned of the table.

    ``trees`` draws each column given those before it: a tree puts the record into a leaf, and the value of an original
    record of that leaf, drawn at random, is taken. Numbers are blurred by as much as they spread in the leaf, and stay
    between its ends. ``margins`` draws every column by itself, and ``copula`` gives each column exactly its own values
    in an order that keeps rank correlations. All released columns are drawn anew, so no row is anybody's; a row may
    still equal somebody's. **No differential privacy is claimed**, and no model: what synthetic records tell is
    measured, and those measures are always shown with them. Everything is learned in one place. Trees need scikit-learn
    (``make install EXTRAS=learn``).

    Parameters
    ----------
    model
        ``trees``, ``margins`` or ``copula``.
    least
        The fewest records in a leaf of a tree. Fewer follow the table more closely, and copy more of it.
    order
        In which order columns are drawn; if left out, those with the fewest values first.
    never
        Conditions that no record may satisfy, such as ``age < 15 and civil = married``. A record that does is drawn
        again, up to 100 times.
    copies
        ``keep``, or ``redraw``: records that equal one that is unique in the table are drawn again.

    References
    ----------
    J. P. Reiter: Using CART to generate partially synthetic public use microdata, Journal of Official Statistics 21(3),
    2005. B. Nowok, G. M. Raab, C. Dibben: synthpop: bespoke creation of synthetic data in R, Journal of Statistical
    Software 74(11), 2016, doi:10.18637/jss.v074.i11.
    """

    name: ClassVar[str] = "synthesize"
    enforces: ClassVar[tuple[str, ...]] = ()
    repeatable: ClassVar[bool] = False
    beside: ClassVar[tuple[str, ...]] = ("marginal-distance", "exact-copies")
    model: SynthesisModel = "trees"
    least: int = 50
    order: tuple[str, ...] | None = None
    never: tuple[str, ...] = ()
    copies: Literal["keep", "redraw"] = "keep"

    def __post_init__(self) -> None:
        """Refuse what cannot be meant."""
        settle(self)
        object.__setattr__(self, "order", column_names("order", self.order))
        rules: Any = self.never
        if isinstance(rules, str):
            object.__setattr__(self, "never", (rules,))
        if self.model not in get_args(SynthesisModel):
            raise ParameterError(
                f"There is no model '{self.model}'.", f"There are: {', '.join(get_args(SynthesisModel))}."
            )
        if self.copies not in ("keep", "redraw"):
            raise ParameterError(f"'{self.copies}' is nothing to do with copies.", "There are: keep, redraw.")
        if isinstance(self.least, bool) or not isinstance(self.least, int) or self.least < 1:
            raise ParameterError("The fewest records of a leaf are a whole number above 0.", "Leave it out for 50.")
        if self.model == "copula" and (self.never or self.copies == "redraw"):
            raise ParameterError(
                "A copula uses every value of the table once, so that no record can be drawn again.",
                "Choose trees, or leave out what is not to occur.",
            )

    def changed(self, table: Table) -> tuple[str, ...]:
        """Name the columns that are drawn anew: all that are released."""
        return table.schema.of(*RELEASED)

    def apply(self, table: Table, models: Sequence[PrivacyModel], seed: int) -> Table:
        """Learn and draw."""
        names = self._order(table)
        if self.model == "trees" and find_spec("sklearn") is None:
            raise missing("A tree needs scikit-learn", "learn", "Or choose the model margins or copula.")
        rules = parsed(self.never, names)
        learned, streams = Learned.of(table, names), Streams(seed)
        order = names if self.order else tuple(sorted(names, key=lambda name: learned.variables[name].distinct))
        if table.rows == 0:
            return table
        if self.model == "copula":
            drawn = self._in_other_order(learned, order, streams)
            again = 0
        else:
            drawn, again = self._drawn(learned, order, streams, table.rows, rules)
        rows = np.stack([drawn[name] for name in order], axis=1)
        times = _original_rows(learned, order).times(rows)
        copies, unique = int(np.count_nonzero(times)), int(np.count_nonzero(times == 1))
        public = {"method": self.name, "said": "No differential privacy is claimed for synthetic records."}
        private = public | {
            "said": f"{public['said']} {copies:,} of them equal an original record, {unique:,} one that is unique.",
            "copies": copies,
            "copies_of_unique_records": unique,
            "records_drawn_again": again,
        }
        return learned.put(table, drawn).with_remark(public, private)

    def _order(self, table: Table) -> tuple[str, ...]:
        """Give the columns that are drawn, in the order that was asked for."""
        if table.schema.subject is not None:
            raise SchemaError(
                "Synthetic records belong to nobody, so no column can tell people apart.",
                "Leave it out (subject); where people have several records, make one of them first.",
            )
        names = self.changed(table)
        if self.order is None:
            return names
        for name in self.order:
            if name not in names:
                raise SchemaError.missing_column(name, names)
        return (*self.order, *(name for name in names if name not in self.order))

    def _drawn(
        self, learned: Learned, order: tuple[str, ...], streams: Streams, rows: int, rules: tuple[Condition, ...]
    ) -> tuple[dict[str, Floats], int]:
        """Draw records, and those again that may not occur; also give how many were drawn more than once."""
        drawer = learn(learned.variables, order, self.least, related=self.model == "trees")
        unique = _original_rows(learned, order) if self.copies == "redraw" else None
        found = {name: np.empty(rows) for name in order}
        left, again = np.arange(rows), 0
        for attempt in range(_TRIES + 1):
            some = drawer.draw(
                left, attempt, _stream(streams, order, "donor"), _stream(streams, order, "kernel", normal=True)
            )
            some = {name: learned.rounded(name, values) for name, values in some.items()}
            for name, values in some.items():
                found[name][left] = values
            bad = learned.breaks(rules, some)
            if unique is not None:
                bad |= unique.times(np.stack([some[name] for name in order], axis=1)) == 1
            left = left[bad]
            if not left.size:
                return found, again
            again = again or int(left.size)
        raise DataError(
            f"{left.size:,} synthetic records may not occur, however often they are drawn.",
            "See whether the table keeps the rules (never) itself, and has enough records that are not unique.",
        )

    def _in_other_order(self, learned: Learned, order: tuple[str, ...], streams: Streams) -> dict[str, Floats]:
        values = np.stack([learned.variables[name].values for name in order], axis=1)
        records = np.arange(values.shape[0])
        draw = _stream(streams, order, "copula", normal=True)
        new = redrawn(values, np.stack([draw(records, j, 0) for j in range(len(order))], axis=1))
        return {name: np.ascontiguousarray(new[:, j]) for j, name in enumerate(order)}

    def explain(self, table: Table, models: Sequence[PrivacyModel]) -> str:
        """Say what is done."""
        how = {
            "trees": f"by a tree on the columns before it, with leaves of at least {self.least:,} records",
            "margins": "by itself",
            "copula": "by a Gaussian copula of all of them",
        }
        return (
            f"Drew synthetic records, each column {how[self.model]}; what they tell of people is measured beside them, "
            "and no differential privacy is claimed."
        )

    def preserves(self, table: Table, models: Sequence[PrivacyModel]) -> tuple[Preserved, ...]:
        """Say what is kept: the values of each column if a copula orders them anew, and else nothing that is sure."""
        if self.model != "copula":
            return ()
        return (Preserved("margins", self.changed(table), exactly=True),)


def _stream(streams: Streams, order: Sequence[str], purpose: str, *, normal: bool = False) -> Draw:
    keys = [streams.key(name, purpose) for name in order]

    def draw(records: Integers, column: int, attempt: int) -> Floats:
        words = random_words(keys[column], records, draw=attempt)
        return normal_quantiles(words) if normal else uniform(words)

    return draw


def _original_rows(learned: Learned, order: Sequence[str]) -> KnownRows:
    return KnownRows.of(np.stack([learned.variables[name].values for name in order], axis=1))
