"""The risk of linked tables: whom a few known points single out, by how many are known and how coarsely."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

from shoal.assessment.risk_words import plain_score, share
from shoal.domains.resolution import Resolution, refuse_unless_nested
from shoal.engines.sources import Source
from shoal.errors import ParameterError
from shoal.findings import Findings
from shoal.linked.resolutions import seen_at
from shoal.linked.traces import Traces, person_column, traces_of
from shoal.measures import Measure, score
from shoal.measures.reidentification.known_points import InvertedLists, TraceAttack
from shoal.measures.reidentification.published_points import known_in
from shoal.measures.unicity import Unicity
from shoal.progress import stage
from shoal.table import Table

POINTS = (1, 2, 3, 4)


def asked_points(given: Any) -> tuple[Unicity, ...]:
    """Make a measure for each number of known points."""
    numbers = tuple(given) if isinstance(given, Iterable) and not isinstance(given, str) else (given,)
    found = tuple(Unicity(number) for number in numbers)
    if not found or len({each.points for each in found}) < len(found):
        raise ParameterError("Numbers of known points are given once each, and at least one.", "Try --points 1,2,3,4.")
    return found


def asked_resolutions(given: Any) -> tuple[Resolution, ...]:
    """Make a resolution of each text such as ``day=7,store=10``; one may be given by itself."""
    several = isinstance(given, Sequence) and not isinstance(given, str)
    return tuple(Resolution.of(each) for each in (given if several else [given]))


def linked_risk(table: Table, points: Any = None, at: Any = (), measures: Sequence[Measure] = ()) -> LinkedRisk:
    """Measure whom a few known points single out in a table whose rows belong to people.

    Parameters
    ----------
    table
        The table.
    points
        How many points are known: one number, or several; 1, 2, 3 and 4 if left out.
    at
        How coarsely they are seen: a `Resolution`, as text or by column, or several.
    measures
        What else to measure.
    """
    asked = asked_points(POINTS if points is None else points)
    report = LinkedRisk(file=table.origin.name, quasi=list(table.schema.quasi))
    report |= unicity_of(table, asked, asked_resolutions(at))
    if measures:
        report["scores"] = [plain_score(value) for value in score(table, measures=measures)]
    report.table = table
    return report


class LinkedComparison(Findings):
    """Whom known points of people single out in an original, and in releases of it."""

    def caption(self) -> str:
        """Say how many releases there are."""
        number = len(self["releases"])
        return f"Known points in the original and in {number} release{'s' * (number != 1)} of it"

    def rows(self) -> Iterator[list[str]]:
        """Give a line for each number of known points, of the original and of each release."""
        found = {"original": self["original"]} | {each["path"]: each for each in self["releases"]}
        named = [{"of": Source.parse(name).name} | row for name, each in found.items() for row in each["unicity"]]
        yield from curve_rows(named)

    def remarks(self) -> Iterable[str]:
        """Say what the numbers are of."""
        yield from summary(self["original"])
        if "at" in self["original"]["unicity"][0]:
            yield "Someone knows points as coarsely as is said; who has any that may be one of them is a candidate."
        yield "Points are known of the original, and looked for in a release under what it publishes for them."


def linked_comparison(
    original: Table,
    released: Mapping[str, Table],
    points: Any = None,
    measures: Sequence[Measure] = (),
    at: Any = (),
) -> LinkedComparison:
    """Measure whom known points of the original single out in it, and in releases of it, by their names."""
    asked, resolutions = asked_points(POINTS if points is None else points), asked_resolutions(at)
    found = LinkedComparison(original=unicity_of(original, asked, resolutions), releases=[])
    for name, table in released.items():
        row = {"path": name} | unicity_against(original, table, asked, resolutions)
        if measures:
            scores = score(original, table, measures=measures)
            row["scores"] = [plain_score(value) for value in scores]
        found["releases"].append(row)
    return found


def unicity_of(table: Table, measures: Sequence[Unicity], resolutions: Sequence[Resolution] = ()) -> dict[str, Any]:
    """Measure whom known points single out in a table, at each resolution, in plain values."""
    _refuse_unless_nested(table, resolutions)
    stage("finding the points of each person")
    whole = traces_of(table)
    curves: list[dict[str, Any]] = []
    for resolution in resolutions or (None,):
        traces = whole if resolution is None else seen_at(whole, resolution)
        lists = InvertedLists.of(traces.offsets, traces.labels, traces.points.number)
        seen = {} if resolution is None else {"at": str(resolution), "distinct": traces.points.number}
        for measure in measures:
            stage(f"measuring unicity with {measure.points} points")
            curves.append(seen | _plain(measure.of(traces, lists)))
    return _shape(table, whole) | {"unicity": curves}


def _refuse_unless_nested(table: Table, resolutions: Sequence[Resolution]) -> None:
    trees = [attribute.name for attribute in table.schema.attributes if attribute.axis.tree is not None]
    refuse_unless_nested(resolutions, trees)


def _shape(table: Table, traces: Traces) -> dict[str, Any]:
    sizes = traces.offsets[1:] - traces.offsets[:-1]
    return {
        "records": table.rows, "subject": person_column(table), "people": traces.people, "empty": traces.empty,
        "points": int(traces.labels.size), "distinct": traces.points.number, "longest": int(sizes.max(initial=0)),
    }  # fmt: skip


def _plain(found: TraceAttack) -> dict[str, Any]:
    known = bool(found.people)
    row: dict[str, Any] = {"points": found.points, "share": found.unique if known else None, "people": found.people}
    row |= {"exact": found.exact, "smallest": found.smallest if known else None}
    return row if found.exact else row | {"interval": [found.lower, found.upper]}


def unicity_against(
    original: Table, released: Table, measures: Sequence[Unicity], resolutions: Sequence[Resolution] = ()
) -> dict[str, Any]:
    """Measure whom known points of the original single out in a release of it, at each resolution, in plain values."""
    _refuse_unless_nested(original, resolutions)
    traces, published = traces_of(original), traces_of(released)
    rows = []
    for resolution in resolutions or (None,):
        known = traces if resolution is None else seen_at(traces, resolution)
        at = {} if resolution is None else {"at": str(resolution)}
        list_of, lists = known_in(traces, published, None if resolution is None else known)
        for measure in measures:
            stage(f"measuring unicity with {measure.points} points")
            found = measure.against(known, list_of[known.labels], lists)
            rows.append(at | _plain(found) | {"not_found": found.not_found if found.people else None})
    return _shape(released, published) | {"unicity": rows}


class LinkedRisk(Findings):
    """Whom a few known points single out, in a table or in releases of it.

    ``table`` is the table that was measured.
    """

    table: Table

    def caption(self) -> str:
        """Say what the most that was assumed to be known is worth."""
        return headline(self)

    def rows(self) -> Iterator[list[str]]:
        """Give a line for each number of known points and each resolution."""
        yield from curve_rows(self["unicity"])
        yield from ([found["measure"], f"{found['value']:.6g}"] for found in self.get("scores", ()))

    def remarks(self) -> Iterable[str]:
        """Say what was counted."""
        return summary(self)


def headline(report: Mapping[str, Any]) -> str:
    """Say what the most that was assumed to be known is worth."""
    last = report["unicity"][-1]
    if last["share"] is None:
        return f"Nobody has {last['points']} points."
    at = f" at {last['at']}" if "at" in last else ""
    several = f"{last['points']} known points" if last["points"] > 1 else "A single known point"
    verb = "single" if last["points"] > 1 else "singles"
    return f"{several}{at} {verb} out {share(last['share'])} of {last['people']:,} people."


def summary(report: Mapping[str, Any]) -> Iterator[str]:
    """Say of whom and of what the numbers are."""
    yield (
        f"{report['people']:,} people ('{report['subject']}') have {report['points']:,} points in "
        f"{report['records']:,} records, of {report['distinct']:,} different ones; the most that one has are "
        f"{report['longest']:,}."
    )
    if report["empty"]:
        who = "people have" if report["empty"] > 1 else "person has"
        yield f"{report['empty']:,} {who} no point: nothing can be known of them here."
    if not all(row["exact"] for row in report["unicity"]):
        yield "Where it would take too long to count all sets of points, one was drawn for each of some people."


def curve_rows(found: Sequence[Mapping[str, Any]]) -> Iterator[list[str]]:
    """Give the lines of a table of unicity: by how many points are known, and at which resolution."""
    named, seen, lost, drawn = (any(key in row for row in found) for key in ("of", "at", "not_found", "interval"))
    heads = [
        ("of", named),
        ("at", seen),
        ("known points", True),
        ("people", True),
        ("singled out", True),
        ("not found", lost),
    ]
    heads += [("fewest candidates", True), ("95 % interval", drawn)]
    yield [head for head, there in heads if there]
    for row in found:
        least = "–" if row["smallest"] is None else f"{row['smallest']:,}"
        cells = [row.get("of", ""), row.get("at", ""), f"{row['points']}", f"{row['people']:,}", _share(row["share"])]
        cells += [_share(row.get("not_found")), least, " to ".join(map(share, row.get("interval", ()))) or "exact"]
        yield [cell for cell, (_, there) in zip(cells, heads, strict=True) if there]


def _share(value: float | None) -> str:
    return "–" if value is None else share(value)
