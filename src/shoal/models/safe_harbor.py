"""Safe harbor: no column looks like one of the eighteen kinds of identifiers, and little is left of dates."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from shoal.domains.harbor_groups import FORMS, HERE, OLDEST, RESTRICTED, digest_of, within_harbor
from shoal.domains.national_numbers import COUNTRIES
from shoal.errors import ParameterError
from shoal.models.harbor_kinds import HarborColumn, harbor_columns, texts_of
from shoal.models.linked_model import Measured
from shoal.parameters import settle, shown
from shoal.schema import RELEASED, Schema, names_given
from shoal.table import Carry, Classes, Table


@dataclass(frozen=True)
class SafeHarbor:
    """No column looks like one of eighteen kinds of identifiers; of ZIP codes, ages and dates only the coarse is left.

    ZIP codes have 3 digits, ages over 89 are one, and dates are years. It is proved from names and cells of the
    released file alone. The rule also asks that the publisher does not actually know how somebody could be found by
    what is left: no program can prove that.

    Parameters
    ----------
    year
        The year of the release: who was born 90 years before or earlier is over 89.
    population
        Which list of 3-digit ZIP codes with no more than 20,000 people is used: ``census-2000``, or the name of a file
        with a publisher's own populations.
    populous
        Of such a file, the 3-digit ZIP codes whose areas have more than 20,000 people; all others have not.
    countries
        Of which countries numbers of people and post codes are looked for as well: ca, de, es, fr, gb, it or nl.
    sha256
        The SHA-256 of that list, which is filled in: three digits on a line, in ascending order.

    References
    ----------
    45 CFR 164.514(b)(2). K. Benitez, B. Malin: Evaluating re-identification risks with respect to the HIPAA privacy
    rule, JAMIA 17(2), 2010, doi:10.1136/jamia.2009.000026.
    """

    name: ClassVar[str] = "safe-harbor"
    by_class: ClassVar[bool] = False
    year: int
    population: str = HERE
    sha256: str | None = None
    populous: tuple[str, ...] = ()
    countries: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        """Refuse a list that is not there, or is another one."""
        settle(self)
        if isinstance(self.year, bool) or not isinstance(self.year, int) or not 1990 <= self.year <= 2200:
            raise ParameterError(
                f"The year of the release is a whole number such as 2026, not {shown(self.year)}.", "Write year=2026."
            )
        object.__setattr__(self, "populous", tuple(sorted(set(names_given("populous", self.populous)))))
        object.__setattr__(self, "countries", tuple(dict.fromkeys(names_given("countries", self.countries))))
        for country in self.countries:
            if country not in COUNTRIES:
                raise ParameterError(
                    f"Nothing is known of the numbers of {shown(country)}.", f"There are: {', '.join(COUNTRIES)}."
                )
        if not all(len(code) == 3 and code.isascii() and code.isdecimal() for code in self.populous):
            raise ParameterError("'populous' holds 3-digit ZIP codes.", "Write populous=900,901.")
        if self.populous and self.population in RESTRICTED:
            raise ParameterError("'populous' belongs to populations of one's own.", "Give them a name (population).")
        if self.population not in RESTRICTED and not self.populous:
            raise ParameterError(
                f"There is no list of restricted ZIP codes called {shown(self.population)}.",
                f"There is: {', '.join(RESTRICTED)}.",
            )
        digest = digest_of(self.population, self.populous)
        if self.sha256 not in (None, digest):
            raise ParameterError(
                f"The list of ZIP codes '{self.population}' is not the one that is meant: its SHA-256 is another.",
                "Leave sha256 out, or use the version of shoal that made the release.",
            )
        object.__setattr__(self, "sha256", digest)

    @property
    def promised(self) -> float:
        """How many columns may break the rule: none."""
        return 0.0

    def carries(self, schema: Schema) -> tuple[Carry, ...]:
        """Name the columns that the formula looks at inside a class: it looks at none."""
        return ()

    def reference(self, table: Table) -> Any:
        """Give nothing: classes do not matter."""

    def level(self, classes: Classes, schema: Schema, reference: Any) -> NDArray[np.float64]:
        """Give no column that breaks the rule: it is not about classes."""
        return np.zeros(classes.sizes.size)

    def measured(self, table: Table) -> Measured:
        """Count the columns that break the rule."""
        broken = len(self.forbidden(table))
        return Measured(float(broken), broken, len(table.schema.of(*RELEASED)))

    def forbidden(self, table: Table) -> tuple[str, ...]:
        """Name the columns that break the rule: they look like an identifier, and show more than may be left of it."""
        populous = frozenset(self.populous)

        def kept(found: HarborColumn) -> bool:
            texts, _ = texts_of(table, found.column)
            return found.form in FORMS and all(within_harbor(found.form, text, self.year, populous) for text in texts)

        return tuple(found.column for found in harbor_columns(table, self.countries) if not kept(found))

    def met(self, level: NDArray[np.float64]) -> NDArray[np.bool_]:
        """Tell whether no column breaks the rule."""
        return level <= 0

    def worst(self, level: NDArray[np.float64]) -> float:
        """Give the number of columns that break the rule."""
        return float(level.max())

    def demand(self, rows: int, subjects: int | None) -> None:
        """Refuse no table: columns count, not rows."""

    def nearest(self, level: float) -> str:
        """Say what could be done."""
        return "Let 'shoal safe-harbor' say which columns are to be removed, truncated or banded."

    def sentence(self, level: float, schema: Schema) -> str:
        """Say what was found."""
        if level:
            some = "One column looks" if level == 1 else f"{level:,.0f} columns look"
            return f"{some} like identifiers of safe harbor, or show more than it allows."
        return (
            "No column looks like one of the eighteen kinds of identifiers of safe harbor; ZIP codes have 3 digits, "
            f"ages over {OLDEST} are one, and dates are years."
        )

    def convention(self, schema: Schema) -> str:
        """Name the rule, the table of populations, and how columns are recognized."""
        return (
            f"45 CFR 164.514(b)(2)(i); {'ZIP codes of enough people' if self.populous else 'restricted ZIP codes'} of "
            f"{self.population} (SHA-256 {self.sha256}), ages as of {self.year}; columns are recognized by their "
            "names, and by values where at least 80% of at most 10,000 cells match"
            + (f", also those of {', '.join(self.countries)}" if self.countries else "")
            + "; what the publisher actually knows is not checked"
        )
