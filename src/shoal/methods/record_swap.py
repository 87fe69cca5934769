"""Targeted record swapping: households that stand out change places with similar ones elsewhere."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from shoal.arrays import Array, Bits, Integers
from shoal.engines.packed_cells import unpacked
from shoal.errors import DataError, ParameterError, SchemaError
from shoal.kernels import MISSING
from shoal.kernels.grouping import numbered
from shoal.kernels.random_streams import random_words
from shoal.methods.perturbation import column_names, number_between
from shoal.methods.perturbation.household_swapping import Households, SwappedPairs, pair
from shoal.methods.perturbation.preserved import Preserved
from shoal.methods.perturbation.streams import Streams
from shoal.models import PrivacyModel
from shoal.parameters import settle
from shoal.schema import Role
from shoal.table import Column, Table


@dataclass(frozen=True)
class RecordSwap:
    """Let households that stand out change places with similar households elsewhere (targeted record swapping).

    At each geographic level, from the top down, a person's risk is one in the number of people of the area who equal
    them in the risk columns, and a household's that of its riskiest member. Households at high risk exchange their
    whole geography with a household outside their area that has as many members and agrees with them, drawn by its own
    risk. At the lowest level others follow at random until a share of each area's households is swapped. Each household
    changes places once at most. It is decided in one place, on some numbers for each record.

    Counts of people and of what households agree in stay exactly what they are in every area, and so does all that is
    no geography. Households at high risk that find nobody stay where they are: the certificate says how many they are,
    and the private record which.

    Parameters
    ----------
    geography
        The geographic levels, from the top down, such as region and municipality. All people of a household have the
        same.
    household
        The column that says which household each record belongs to. If left out, the one that tells people apart
        (subject); without it each record is a household.
    risk
        The columns by which people stand out; if left out, the quasi-identifiers that are no geography.
    similar
        Profiles, tried one after the other: in the columns of one, separated by commas, both households must have the
        same members. If left out, they must only be of one size.
    carried
        Columns that move along with the geography, such as its coordinates.
    k
        A person is at high risk if fewer than k people of the area equal them.
    share
        The share of households that are swapped in each area of the lowest level, at least.

    References
    ----------
    N. Shlomo, C. Tudor, P. Groom: Data swapping for protecting census tables, Privacy in Statistical Databases 2010,
    doi:10.1007/978-3-642-15838-4_4. S. Giessing et al.: Harmonised protection of census data, Eurostat, 2017.
    """

    name: ClassVar[str] = "record-swap"
    enforces: ClassVar[tuple[str, ...]] = ()
    repeatable: ClassVar[bool] = False
    geography: tuple[str, ...] | None = None
    household: str | None = None
    risk: tuple[str, ...] | None = None
    similar: tuple[str, ...] | None = None
    carried: tuple[str, ...] | None = None
    k: int = 3
    share: float = 0.05

    def __post_init__(self) -> None:
        """Refuse what cannot be meant; names may be written as one text, separated by commas."""
        settle(self)
        for what in ("geography", "risk", "carried"):
            object.__setattr__(self, what, column_names(what, getattr(self, what)))
        given: Any = self.similar
        if isinstance(given, str):
            object.__setattr__(self, "similar", tuple(part.strip() for part in given.split(";")))
        for profile in self.similar or ():
            column_names("similar", profile)
        if isinstance(self.k, bool) or not isinstance(self.k, int) or self.k < 1:
            raise ParameterError("k is a whole number, at least 1.", "A usual one is 3.")
        if self.share != 0:
            number_between("share", self.share, 0, 1, "A usual one is 0.05.")

    def _profiles(self) -> list[tuple[str, ...]]:
        """Give the columns of each profile; without any, one in which all households agree."""
        return [column_names("similar", profile) or () for profile in self.similar or ()] or [()]

    def _places(self, table: Table) -> tuple[str, ...]:
        """Name the columns that move."""
        if self.geography is None:
            raise ParameterError(
                f"{self.name} needs to know which columns say where people live.",
                'Name them from the top down: geography=["region", "town"].',
            )
        found = (*self.geography, *(self.carried or ()))
        for name in found:
            if table.schema[name].role not in (Role.QUASI, Role.SENSITIVE, Role.PLAIN):
                raise SchemaError(
                    f"Column '{name}' is a {table.schema[name].role}, which does not move.",
                    "Name quasi-identifiers, confidential or plain columns.",
                )
        if len(set(found)) < len(found):
            raise ParameterError("A column is named twice among those that move.", "Name each once.")
        return found

    def _risk(self, table: Table) -> tuple[str, ...]:
        places = self._places(table)
        found = tuple(n for n in table.schema.quasi if n not in places) if self.risk is None else self.risk
        for what, names in (("risk", found), ("similar", [n for profile in self._profiles() for n in profile])):
            for name in names:
                _ = table.schema[name]
                if name in places:
                    raise ParameterError(
                        f"Column '{name}' moves, so it cannot be one of {what}.", "Name others, or do not let it move."
                    )
        if not found:
            raise ParameterError("No column says who stands out.", 'Name some: risk=["age", "sex"].')
        return found

    def changed(self, table: Table) -> tuple[str, ...]:
        """Name the columns that move."""
        return self._places(table)

    def apply(self, table: Table, models: Sequence[PrivacyModel], seed: int) -> Table:
        """Decide who changes places with whom, and exchange these."""
        names, risk, profiles = self._places(table), self._risk(table), self._profiles()
        whose = self.household if self.household is not None else table.schema.subject
        keys = table.rank([]) if whose is None else table.column(whose)
        wanted = list(dict.fromkeys((*names, *risk, *(name for profile in profiles for name in profile))))
        parts = table.collect(_whole, keys, *(table.column(name) for name in wanted))
        key, *cells = (np.concatenate(each) for each in zip(*parts, strict=True))
        if whose is not None:
            _refuse_missing(whose, key)
        found = dict(zip(wanted, cells, strict=True))
        codes = {name: numbered(column)[1].astype(np.int32) for name, column in found.items()}
        households, of = np.unique(key, return_inverse=True)
        first = _first_of(of, households.size)
        for name in names:
            _refuse_scattered(name, codes[name], of, first)

        def of_all(some: Sequence[str]) -> Array:
            return np.stack([codes[name] for name in some], axis=1) if some else np.zeros((of.size, 0), np.int32)

        people = Households.at(
            of.astype(np.int32), of_all(self.geography or ()), of_all(risk), [of_all(each) for each in profiles]
        )
        pairs = pair(people, self.k, self.share, _drawer(Streams(seed), households.size))
        moved = np.flatnonzero(pairs.swapped)
        new = {name: found[name][first[pairs.partner[moved]]] for name in names}
        changed = {
            name: (table.schema[name].axis, _exchanged(table, keys, households[moved], name, new[name]))
            for name in names
        }
        return table.put(changed).with_remark(self._for_everyone(pairs), self._for_the_holder(pairs, first))

    def _for_everyone(self, pairs: SwappedPairs) -> dict[str, Any]:
        """Say how many households at high risk stayed where they are, level by level."""
        counts = dict(zip(self.geography or (), (int(each.size) for each in pairs.without), strict=True))
        listed = ", ".join(f"{count:,} by {name}" for name, count in counts.items())
        said = f"Households at high risk that found nobody to change places with: {listed}."
        return {"method": self.name, "said": said, "without_donor": list(counts.values())}

    def _for_the_holder(self, pairs: SwappedPairs, first: Integers) -> dict[str, Any]:
        """Say what the holder of the original may know: households are named by the number of their first row."""
        levels = zip(self.geography or (), pairs.at_risk.tolist(), pairs.without, strict=True)
        swapped, households = int(pairs.swapped.sum()), int(pairs.partner.size)
        public = self._for_everyone(pairs)
        return public | {
            "said": f"{swapped:,} of {households:,} households changed places. {public['said']}",
            "households": households,
            "swapped": swapped,
            "levels": [
                {"level": name, "at_risk": at_risk, "without_donor": np.sort(first[those]).tolist()}
                for name, at_risk, those in levels
            ],
        }

    def explain(self, table: Table, models: Sequence[PrivacyModel]) -> str:
        """Say what is done."""
        return (
            f"Let households exchange {', '.join(self._places(table))} with similar ones elsewhere: those in which "
            f"fewer than {self.k} people of an area equal somebody in {', '.join(self._risk(table))}, and others at "
            "random (targeted record swapping)."
        )

    def preserves(self, table: Table, models: Sequence[PrivacyModel]) -> tuple[Preserved, ...]:
        """Say that people are counted in every area as before, by all that households must agree in."""
        common = [name for name in self._profiles()[0] if all(name in other for other in self._profiles())]
        names = self._places(table)
        return (
            Preserved("margins", names, exactly=True),
            Preserved("counts per area", (*(self.geography or ()), *common), exactly=True),
        )


def _whole(*columns: Array) -> tuple[Array, ...]:
    return columns


def _first_of(of: Array, size: int) -> Integers:
    """Give the first record of each household."""
    found = np.zeros(size, np.int64)
    found[of[::-1]] = np.arange(of.size - 1, -1, -1)
    return found


def _refuse_missing(name: str, keys: Integers) -> None:
    gone = int(np.count_nonzero(unpacked(keys)[0] == MISSING))
    if gone:
        raise DataError(
            f"{gone:,} records have no household in column '{name}'.", "Give each of them a household of its own."
        )


def _refuse_scattered(name: str, codes: Array, of: Array, first: Integers) -> None:
    apart = np.unique(of[codes != codes[first[of]]]).size
    if apart:
        raise DataError(
            f"In {apart:,} households not all people have the same '{name}'.",
            "Name columns that are those of households, or mend the households.",
        )


def _drawer(streams: Streams, households: int) -> Callable[[int], Bits]:
    numbers = np.arange(households)
    return lambda purpose: random_words(streams.key("record-swap"), numbers, draw=purpose)


def _exchanged(table: Table, keys: Column, moved: Array, name: str, cells: Integers) -> Column:
    """Give a column in which those who moved, known by their keys in ascending order, have other cells."""

    def exchange(key: Array, own: Integers) -> Integers:
        if not moved.size:
            return own
        at = np.minimum(np.searchsorted(moved, key), moved.size - 1)
        return np.where(moved[at] == key, cells[at], own)

    return table.combine(exchange, keys, table.column(name))
