"""What attackers who know the method can still try on a release, and which option prevents it."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass

import numpy as np

from shoal.domains.axis import Axis
from shoal.engines.values import Boxes
from shoal.kernels import MISSING
from shoal.methods.stratified_clusters import StratifiedClusters
from shoal.models.across_rows import AcrossRows
from shoal.models.rounded_ends import RoundedEnds, steps_of
from shoal.releases.release import Release
from shoal.report.page import Html, PageBlock, Section, bullets, code, joined, named
from shoal.report.words import protected_by
from shoal.schema import Schema
from shoal.table import Table

# Methods that bring all records of a column to one level, or to the same limits, whatever group they are in.
_ONE_LEVEL = frozenset({"full-domain", "first-level", "coarsen", "code-extremes", "round-ends"})
# Methods that group other records of the same people in the same way, or nearly so.
_SAME_GROUPS = frozenset(
    {"same-classes", "same-signatures", "full-domain", "first-level", "code-extremes", "round-ends"}
)


def method_section(release: Release, original: Table, *, external: bool) -> Section | None:
    """Give the section of a report about attacks by people who know the method; none if none applies.

    Outside it is not said whether people have several rows: that a column tells people apart is enough.
    """
    subject = original.schema.subject
    several = subject is not None and (external or bool((original.counts(subject)[1] > 1).any()))
    return section_of(MethodWarnings(release, original.schema, several).sentences())


def section_of(sentences: Iterable[Html]) -> Section | None:
    """Give the section that has these sentences; none if there are none."""
    found = list(sentences)
    return Section("What attackers who know the method can try", *_blocks(found), id="method") if found else None


def _blocks(found: list[Html]) -> Iterator[PageBlock]:
    yield (
        "These attacks are known in the literature, and no promise of this release is about them. How often each "
        "succeeds depends on the table."
    )
    yield bullets(found)


@dataclass(frozen=True, eq=False)
class MethodWarnings:
    """What is known of a release, and which attacks on how it was made apply to it.

    Attributes
    ----------
    release
        What was released.
    schema
        The columns of the original.
    several_rows
        Whether some people have several rows.
    """

    release: Release
    schema: Schema
    several_rows: bool

    def sentences(self) -> Iterator[Html]:
        """Give one sentence for each attack that applies, with the option that prevents it."""
        yield from self._range_ends()
        yield from self._minimality()
        yield from self._chains()
        yield from self._downcoding()
        yield from self._rows_of_one_person()
        yield from self._other_releases()

    def _range_ends(self) -> Iterator[Html]:
        table = self.release.table
        grids = [model.ends for model in self.release.recipe.models if isinstance(model, RoundedEnds)]
        rounded = {name for ends in grids for name in steps_of(table.schema, ends)}
        open_ends = [name for name in self._wide(in_tree=False) if name not in rounded]
        if not open_ends:
            return
        numeric = any(table.schema[name].axis.numeric for name in open_ends)
        yield joined(
            "An end of a range of ",
            named(open_ends),
            " may be the value of one person, whom “in this group, and at the end of its range” then singles out: ",
            *([code("--ends 5"), " lets ranges end on a public grid, "] if numeric else []),
            code("--hierarchy"),
            " shows groups that do not depend on anyone’s value.",
        )

    def _minimality(self) -> Iterator[Html]:
        models, methods = self.release.recipe.models, self.release.recipe.methods
        shaping = {name for method in methods if method.name != "secret-blind" for name in method.enforces}
        secrets = [
            name
            for model in models
            if model.name in shaping or (isinstance(model, AcrossRows) and "l-diversity" in shaping)
            for name in protected_by(model, self.schema)
        ]
        if secrets:
            yield joined(
                "Which groups were formed depends on ",
                named(dict.fromkeys(secrets)),
                ", so that who knows the method can ask which values lead to just these groups, and rule out others "
                "(minimality attack): ",
                code("--method secret-blind"),
                " forms groups by quasi-identifiers alone.",
            )

    def _chains(self) -> Iterator[Html]:
        rows = self.release.table.rows
        if any(
            isinstance(method, StratifiedClusters) and method.mixed < rows // 2
            for method in self.release.recipe.methods
        ):
            yield joined(
                "Algorithm S4 takes one record of each stratum into every group, in one order, so that who knows the "
                "values of one group can often work out those of the next, most of all at a low k: ",
                code(f"--param mixed={rows}"),
                " assigns them at random over all groups, and ",
                code("--method hilbert"),
                " keeps t-closeness without such chains.",
            )

    def _downcoding(self) -> Iterator[Html]:
        if all(method.name in _ONE_LEVEL for method in self.release.recipe.methods):
            return
        nodes = self._wide(in_tree=True)
        if nodes:
            yield joined(
                "Cells of ",
                named(nodes),
                " were generalized only where they had to be, which tells that the people of a group differ below what "
                "they show (downcoding): ",
                code("--method full-domain"),
                " brings all records to one level, and a larger k tells less.",
            )

    def _rows_of_one_person(self) -> Iterator[Html]:
        across = (model for model in self.release.recipe.models if isinstance(model, AcrossRows))
        kept = {name for model in across for name in protected_by(model, self.schema)}
        bare = [name for name in self.schema.sensitive if name not in kept]
        if self.several_rows and bare:
            yield joined(
                "Who knows several rows of a person is left only with the values of ",
                named(bare),
                " that the groups of all of them have in common, often a single one: ",
                code("--person-l 2"),
                " promises that at least two are left.",
            )

    def _other_releases(self) -> Iterator[Html]:
        if any(method.name not in _SAME_GROUPS for method in self.release.recipe.methods):
            yield joined(
                "If the same people are released more than once, two releases laid side by side tell more than each "
                "(intersection): ",
                code("--like EARLIER.csv"),
                " forms the groups of the earlier one again, and ",
                code("--method full-domain"),
                " forms groups of whole levels, which tell little more together.",
            )

    def _wide(self, *, in_tree: bool) -> list[str]:
        return wide_columns(self.release.table, self.release.table.schema.quasi, in_tree=in_tree)


def wide_columns(table: Table, names: Iterable[str], *, in_tree: bool) -> list[str]:
    """Name the columns with cells that stand for several values: nodes of a hierarchy, or ranges."""
    return [
        name
        for name in names
        if _suits(table.schema[name].axis, in_tree=in_tree)
        and any(table.boxes(_any_node if in_tree else _any_range, (name,)))
    ]


def _suits(axis: Axis, *, in_tree: bool) -> bool:
    return axis.tree is not None if in_tree else axis.tree is None and not axis.nominal


def _any_node(cells: Boxes) -> bool:
    return bool(np.any(cells.lo != cells.hi))


def _any_range(cells: Boxes) -> bool:
    return bool(np.any((cells.lo != cells.hi) & (cells.lo != MISSING)))
