"""The lattice of levels looked at: what every full-domain recoding of a table suppresses and loses, and the best."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Unpack

import numpy as np

from shoal.arrays import Floats, Integers
from shoal.catalogue import build, picked
from shoal.charts import Figure, risk_utility_map
from shoal.engines.io.streams import at_hand
from shoal.errors import ParameterError
from shoal.findings import Findings, TextRows
from shoal.languages import _, ngettext
from shoal.methods.full_domain import FullDomain
from shoal.methods.lattice.every_node import EveryNode, every_node
from shoal.models import PrivacyModel
from shoal.models.k_anonymity import KAnonymity
from shoal.progress import stage
from shoal.progress.display import Progress, by_itself
from shoal.releases.anonymization import Level, promised_levels
from shoal.schema import ReadArguments
from shoal.table_input import table_of

_ACROSS, _UP = 48, 36  # into how many places a figure of many nodes is divided


class Exploration(Findings):
    """What was found of the nodes of a lattice, by name, as ``--json`` gives it.

    ``nodes`` is how many there are, ``feasible`` how many of them suppress few enough records (None where there are
    too many to look at), and ``best`` the feasible one that loses least. ``released`` is there where the records that
    ``best`` suppresses do not keep the promises as the class that they become: it is what `FullDomain` takes then.

    Attributes
    ----------
    every
        All nodes, if they were looked at.
    columns
        The names of the columns, in the order of levels.
    """

    every: EveryNode | None
    columns: tuple[str, ...]

    def caption(self) -> str:
        """Say what was found."""
        best = self["best"]
        found = "none keeps all promises" if best is None else f"the best loses {best['loss']:.6g}"
        feasible = "" if self["feasible"] is None else f", of which {self['feasible']:,} are feasible"
        return f"{self['nodes']:,} combinations of levels{feasible}; {found}"

    def rows(self) -> TextRows:
        """Give the levels of the best node."""
        yield ("column", "level", "of")
        if self["best"] is not None:
            for name, level in self["best"]["levels"].items():
                yield (name, str(level), str(self["heights"][name]))

    def remarks(self) -> Iterator[str]:
        """Say what it suppresses, and whether it is proven."""
        best = self["best"]
        if best is None:
            return
        proven = (
            "it is proven that none loses less"
            if best["proven"]
            else f"none loses less than {best['bound']:.3g}, and that is all that is proven"
        )
        yield f"{best['outliers']:,} of {self['records']:,} records suppressed, {best['classes']:,} classes; {proven}."
        if "released" in self:
            yield "What it suppresses does not keep the promises as a class; full-domain takes what 'released' says."

    def table(self) -> list[dict[str, Any]]:
        """Give every node as plain values, in the order of levels."""
        if self.every is None:
            raise ParameterError(
                f"{self['nodes']:,} nodes are too many to look at each.", "Fix levels (min_level, max_level)."
            )
        each = self.every
        rows = zip(
            each.levels.tolist(), each.outliers.tolist(), each.classes.tolist(), each.losses.tolist(),
            each.feasible.tolist(), strict=True,
        )  # fmt: skip
        return [
            {
                "levels": dict(zip(self.columns, levels, strict=True)),
                "outliers": o,
                "classes": c,
                "loss": x,
                "feasible": f,
            }
            for levels, o, c, x, f in rows
        ]

    def places(self) -> list[dict[str, Any]]:
        """Give, for each place of a map in which there are nodes, the one that loses least, and how many there are.

        ``share`` is that of the records in classes that break a promise.
        """
        if self.every is None:
            return []
        each = self.every
        shares = each.outliers / self["records"]
        bins = [_binned(each.losses, _ACROSS), _binned(shares, _UP), each.feasible.astype(np.int64)]
        order = np.lexsort([each.losses, *bins[::-1]])
        cells = np.stack(bins)[:, order]
        first = np.flatnonzero(np.append(True, (cells[:, 1:] != cells[:, :-1]).any(axis=0)))
        counts = np.diff(np.append(first, order.size))
        return [
            {
                "levels": each.levels[number].tolist(),
                "loss": float(each.losses[number]),
                "share": float(shares[number]),
                "feasible": bool(each.feasible[number]),
                "nodes": count,
            }
            for number, count in zip(order[first].tolist(), counts.tolist(), strict=True)
        ]

    def leading(self, number: int) -> list[dict[str, Any]]:
        """Give the feasible nodes that lose least, the least first."""
        if self.every is None:
            return []
        each = self.every
        order = np.lexsort([each.outliers, np.where(each.feasible, each.losses, np.inf)])[:number]
        return [
            {
                "levels": each.levels[i].tolist(),
                "loss": float(each.losses[i]),
                "outliers": int(each.outliers[i]),
                "classes": int(each.classes[i]),
            }
            for i in order.tolist()
            if each.feasible[i]
        ]

    def figure(self, *, width: float = 720.0) -> Figure:
        """Draw all nodes by what they lose and how many records stand out."""
        best = self["best"]
        return lattice_map(self.places(), best and {**best, "share": best["outliers"] / self["records"]}, width=width)


def lattice_map(
    places: Sequence[Mapping[str, Any]], best: Mapping[str, Any] | None, *, link: str = "", width: float = 720.0
) -> Figure:
    """Draw the nodes of a lattice; each mark leads to the node that it stands for, if there is something to lead to."""

    def mark(levels: Sequence[int], place: Mapping[str, Any], *, feasible: bool) -> dict[str, Any]:
        text = ",".join(map(str, levels))
        return {
            "loss": place["loss"],
            "share": place["share"],
            "kind": _("few enough suppressed") if feasible else _("too many suppressed"),
            "what": ngettext(
                "levels %(levels)s (%(num)s combination here)", "levels %(levels)s (%(num)s combinations here)",
                place.get("nodes", 1), levels=text,
            ),
            "name": "",
            "link": f"{link}{text}" if link else "",
        }  # fmt: skip

    rows = [mark(place["levels"], place, feasible=place["feasible"]) for place in sorted(places, key=_refused)]
    if best is not None and rows:
        rows.append(mark(list(best["levels"].values()), best, feasible=True) | {"name": _("best")})
    return risk_utility_map(
        rows, x="loss", y="share", tip="what", group="kind", label="name", chosen=_("best"),
        link="link" if link else None, title=_("All combinations of levels"), x_label=_("loss"),
        y_label=_("records that break a promise"), width=width,
        description=_(
            "Each mark stands for combinations of levels that lie in one place: further left they lose less, "
            "further down fewer records break a promise and are suppressed."
        ),
    )  # fmt: skip


def _refused(place: Mapping[str, Any]) -> bool:
    """Put what is feasible first, so that it looks alike on every map."""
    return not place["feasible"]


def _binned(values: Floats, number: int) -> Integers:
    """Divide what values range over, and tell in which part each lies."""
    known = np.where(np.isfinite(values), values, np.nan)
    low, high = np.nanmin(known, initial=np.inf), np.nanmax(known, initial=-np.inf)
    if not high > low:
        return np.zeros(values.size, np.int64)
    places: Integers = np.nan_to_num((known - low) / (high - low) * number, nan=number + 1.0).astype(np.int64)
    return places


def explore(
    table: Any,
    models: PrivacyModel | Sequence[PrivacyModel] = (),
    *,
    k: int | None = None,
    t: Level | None = None,
    l: Level | None = None,  # noqa: E741 - as the model calls it
    method: FullDomain | None = None,
    every: bool = True,
    progress: Progress | bool | None = None,
    **given: Unpack[ReadArguments],
) -> Exploration:
    """Look at all full-domain recodings of a table: what each suppresses and loses, and which is the best.

    Parameters
    ----------
    table
        The table, or whatever `read` reads. It is not changed.
    models
        What every class is to keep.
    k
        Of them, k-anonymity.
    t
        t-closeness of the confidential column, or by column.
    l
        l-diversity of the confidential column, or by column.
    method
        The parameters of the search: how much may be suppressed, and what is to be least.
    every
        Whether all nodes are looked at; otherwise only the best is searched for.
    progress
        Where progress goes, as for `anonymize`.
    **given
        How to read what is no table yet: ``quasi``, ``hierarchies`` and all else that `read` takes.

    Examples
    --------
    >>> import polars as pl, shoal
    >>> people = pl.DataFrame({"sex": ["f", "f", "m", "m"], "town": ["A", "B", "A", "A"]})
    >>> found = shoal.explore(people, quasi=["sex", "town"], k=2, method=shoal.methods.FullDomain(limit=0))
    >>> found["nodes"], found["feasible"], found["best"]["levels"]
    (4, 2, {'sex': 0, 'town': 1})
    """
    search = FullDomain() if method is None else method
    with by_itself("reading", progress):
        read = table_of(at_hand(table), given, explore)
    whole = [] if k is None else [KAnonymity(k)]
    asked = (
        *whole,
        *promised_levels(read.schema, "t", t),
        *promised_levels(read.schema, "l", l),
        *picked("models", models),
    )
    if not asked:
        raise ParameterError("No privacy level is given.", "Say what every class is to keep: k=5, --k 5.")
    subjects = None if read.schema.subject is None else int(read.counts(read.schema.subject)[0].size)
    for model in asked:
        model.demand(read.rows, subjects)
    with by_itself("exploring", progress):
        plain = search.search(read, asked, mend=False)
        lattice = plain.nodes.lattice
        stage("looking at every node")
        nodes = every_node(plain.nodes, plain.objective, plain.most) if every else None
        found = Exploration(
            file=read.origin.name,
            records=lattice.rows,
            nodes=lattice.nodes,
            feasible=None if nodes is None else int(nodes.feasible.sum()),
            limit=search.limit,
            suppressible=plain.most,
            utility=search.utility,
            heights={column.name: column.height for column in lattice.columns},
            best=None if plain.best is None else _without(plain.account),
        )
        if plain.best is not None and not plain.nodes.keeps_suppressed(plain.best.node):
            repaired = search.search(read, asked)
            found["released"] = None if repaired.best is None else _without(repaired.account)
    found.every, found.columns = nodes, tuple(column.name for column in lattice.columns)
    return found


def _without(account: dict[str, Any]) -> dict[str, Any]:
    return {name: value for name, value in account.items() if name != "nodes"}


def search_of(parameters: dict[str, Any]) -> FullDomain:
    """Make a search of parameters as commands and forms give them."""
    found: FullDomain = build("methods", {"name": FullDomain.name} | parameters)
    return found
