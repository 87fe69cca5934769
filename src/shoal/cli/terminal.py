"""What a person sees: tables and sentences on stdout, errors on stderr."""

from __future__ import annotations

import sys
from collections.abc import Callable, Mapping, Sequence
from dataclasses import fields
from pathlib import Path
from typing import TYPE_CHECKING, Any

from shoal.assessment.risk_words import LABELS, share, side_by_side
from shoal.catalogue import in_words
from shoal.engines.sources import Source

if TYPE_CHECKING:
    from rich.console import Console
    from rich.table import Table as Grid

    from shoal.assessment.disclosure_risk import Risk
    from shoal.assessment.inspection import Inspection
    from shoal.certification.proof import Proof
    from shoal.measures import Score
    from shoal.releases.release import Release


def _console() -> Console:
    from rich.console import Console

    return Console(highlight=False, width=None if sys.stdout.isatty() else 120)


def _grid(*heads: str) -> Grid:
    from rich.table import Table as Grid

    grid = Grid(box=None, pad_edge=False, header_style="bold")
    for i, head in enumerate(heads):
        grid.add_column(head, justify="left" if i == 0 else "right")
    return grid


def error(what: str, remedy: str) -> None:
    """Say what is wrong and what to do next."""
    sys.stderr.write(f"✗ {what}\n" + "".join(f"  {line}\n" for line in remedy.splitlines()))


def inspection(found: Inspection) -> None:
    """Show the columns of a table, what should be said of them, and the command that comes next, in one line."""
    from rich.markup import escape

    console = _console()
    console.print(f"{escape(found.caption())}\n")
    head, *rows = found.rows()
    grid = _grid(*head)
    for column in grid.columns[1:2] + grid.columns[4:]:
        column.justify = "left"
    for row in rows:
        grid.add_row(*map(escape, row))
    console.print(grid)
    _say("", *found.remarks())


def _side_by_side(heads: Sequence[str], reports: Sequence[Mapping[str, Any]]) -> Grid:
    from rich.markup import escape

    grid = _grid("", *(escape(head) for head in heads))
    for row in side_by_side(reports):
        grid.add_row(*row)
    return grid


def risk(report: Risk) -> None:
    """Show the risk of a table, one sentence first."""
    from rich.markup import escape

    console = _console()
    console.print(f"[bold]{report.caption()}[/bold]")
    for prefix in ("", "fit_"):
        if f"{prefix}uniqueness_lower" in report:
            low, high = report[f"{prefix}uniqueness_lower"], report[f"{prefix}uniqueness_upper"]
            console.print(f"The worst case is proven to lie between {share(low)} and {share(high)}.")
    names = ", ".join(report["quasi"])
    console.print(f"Someone who knows {escape(names)} could single them out.")
    if report["guessed"]:
        console.print("No --quasi was given: these columns were guessed by their names. Name them yourself.")
    console.print()
    grid = _side_by_side(["all"], [report])
    for found in report.get("scores", ()):
        grid.add_row(found["measure"], f"{found['value']:.6g}")
    console.print(grid)
    for line in _told(report):
        console.print(escape(line))
    _errors(console, report, "If the attacker errs:")
    if report.get("known"):
        console.print("\nBy what is known:")
        heads = [", ".join(found["known"]) for found in report["known"]]
        both = all("fit_uniqueness" in found for found in report["known"])
        grid = _grid("known", "unique", "share", *(["worst case"] if both else []), "smallest group")
        for head, found in zip(heads, report["known"], strict=True):
            worst = [share(found["fit_uniqueness"])] if both else []
            alone = share(found["uniqueness"])
            grid.add_row(escape(head), f"{found['unique']:,}", alone, *worst, f"{found['smallest_class']:,}")
        console.print(grid)
        for head, found in zip(heads, report["known"], strict=True):
            _errors(console, found, f"If {head} are known, and the attacker errs:")


def _errors(console: Console, report: Mapping[str, Any], title: str) -> None:
    """Show what an attacker claims who is wrong about some attributes."""
    from rich.markup import escape

    if not report.get("errors"):
        return
    grid = _grid("wrong about", "claims a match", "rightly", "wrongly", "right, of his claims")
    for found in report["errors"]:
        about = ", ".join(f"{name}={rate:.4g}" for name, rate in found["columns"].items())
        wrong = share(found["wrong"]) + (f" ± {share(found['standard_error'])}" if found["standard_error"] else "")
        right = "–" if found["right_of_claimed"] is None else share(found["right_of_claimed"])
        grid.add_row(escape(about), share(found["claimed"]), share(found["right"]), wrong, right)
    console.print(f"\n{escape(title)}")
    console.print(grid)


def _told(report: Mapping[str, Any]) -> list[str]:
    return [line for found in report.get("scores", ()) for line in in_words(found["measure"], found["detail"])]


def comparison(report: Mapping[str, Any]) -> None:
    """Show the original and its releases side by side."""
    from rich.markup import escape

    console = _console()
    names = [Source.parse(found["path"]).name for found in report["releases"]]
    grid = _side_by_side(["original", *names], [report["original"], *report["releases"]])
    known = {key for _, key, _ in LABELS}
    for number, score in enumerate(report["releases"][0].get("scores", ())):
        if score["measure"].replace("-", "_") not in known:
            values = [found["scores"][number]["value"] for found in report["releases"]]
            grid.add_row(score["measure"], "–", *(f"{value:.6g}" for value in values))
    console.print(grid)
    for name, found in zip(names, report["releases"], strict=True):
        scores = [score for score in found.get("scores", ()) if "per_attribute" in score["detail"]]
        parts = {score["measure"]: score["detail"]["per_attribute"] for score in scores}
        columns = _grid("column", *parts)
        for column in dict.fromkeys(column for part in parts.values() for column in part):
            values = [part.get(column) for part in parts.values()]
            columns.add_row(escape(column), *("–" if value is None else f"{value:.4f}" for value in values))
        if parts:
            console.print(f"\n{escape(name)}, by column:")
            console.print(columns)
        for line in _told(found):
            console.print(escape(line))
        if found.get("misplaced"):
            _say(
                f"{name}: {found['misplaced']:,} records have values outside the cells beside them; rows do not match."
            )
    if "report" in report:
        _say(f"Report: {report['report']}")


def _measured(value: Score) -> str:
    lacking = value.detail.get("nothing_to_measure")
    return f"{value.value:.6g}" if lacking is None else f"nothing to measure ({lacking})"


def release(made: Release, out: Source, certificate: Path, private: Path, row_order: str = "released") -> None:
    """Show what was released, what holds, and what it cost."""
    lines = [f"✓ {verdict.sentence}" for verdict in made.verdicts]
    lines += [f"! {warning}" for warning in made.warnings]
    for value in made.scores:
        if value.measure != "class-sizes":
            said = (f"  {line}" for line in in_words(value.measure, value.detail))
            lines += [f"  {value.measure}: {_measured(value)}", *said]
    left_out, subject = made.table.schema.left_out, made.subject
    if left_out:
        lines.append(f"Left out: {', '.join(left_out)} (not named; keep columns with --plain)")
    if subject:
        lines.append(f"Not released: {subject} (it tells people apart)")
    if row_order == "input":
        lines.append("Rows stand in the order of the input: if that was sorted, neighbours bound each other's ranges.")
    where = "stdout" if out.kind == "stream" else out
    _say(*lines, f"Written: {where} and {certificate}", f"Keep with the original, never publish: {private}")


def proof(path: Source | Path, found: Proof) -> None:
    """Show what was proved."""
    kept = f"✓ {path.name} keeps what its certificate says."
    sign, kept = ("✓", kept) if found.promised else ("–", f"! This release promises nothing: {path.name}")
    lines = [kept, *(f"  {sign} {line}" for line in found.proved)]
    lines += [f"  – not shown by the file alone: {line}" for line in found.not_proved]
    lines.append(f"Promised: {', '.join(found.promised) or 'nothing'}")
    lines.append(f"Protected (quasi-identifiers): {', '.join(found.protected)}")
    lines.append(f"Not protected, released as they are: {', '.join(found.unprotected) or 'none'}")
    _say(*lines, *(f"! {line}" for line in found.remarks))


def goals(found: Sequence[tuple[str, str, float, bool | None, str]]) -> None:
    """Show what was aimed at, what was measured, whether it holds, and what kind of goal it is."""
    grid = _grid("what", "goal", "measured", "", "kind")
    for what, goal, measured, holds, kind in found:
        grid.add_row(what, goal, f"{measured:.4g}", "" if holds is None else "holds" if holds else "MISSED", kind)
    _console().print(grid)


def claims(found: Sequence[Mapping[str, Any]]) -> None:
    """Show the paper's claims with what was measured, kind by kind; only those that could fail are counted."""
    console = _console()
    for kind in dict.fromkeys(claim["kind"] for claim in found):
        grid = _grid("", kind, "measured")
        for column in grid.columns:
            column.justify = "left"
        for claim in found:
            if claim["kind"] == kind:
                grid.add_row("✓" if claim["holds"] else "✗", claim["text"], claim["shown"])
        console.print(grid)
    counted = [claim for claim in found if claim["counted"]]
    held = sum(claim["holds"] for claim in counted)
    console.print(f"\n{held} of {len(counted)} statements of the paper that count here hold.")


def study(found: Sequence[Mapping[str, Any]]) -> None:
    """Show a study: one line per release, one column per measure."""
    names = list(dict.fromkeys(row["measure"] for row in found))
    lines: dict[str, dict[str, float]] = {}
    for row in found:
        levels = [f"{k}={v}" for model in row["models"].values() for k, v in model.items() if k in ("k", "t", "l")]
        ways = [f"{k}={v}" for k, v in row["parameters"].items() if type(v) in (int, float)]
        label = " ".join([row["method"], *ways, *levels, *([f"seed={row['seed']}"] if row["seed"] else [])])
        lines.setdefault(label, {})[row["measure"]] = row["value"]
    grid = _grid("release", *names)
    for label, values in lines.items():
        grid.add_row(label, *(f"{values[name]:.4g}" if name in values else "–" for name in names))
    _console().print(grid)


def lines(said: Sequence[str]) -> None:
    """Show sentences."""
    _say("", *said)


def written(rows: int, out: Path | Source) -> None:
    """Say where a table went."""
    _say(f"Written: {rows:,} records to {'stdout' if str(out) == '-' else out}")


def _say(*lines: str) -> None:
    sys.stdout.write("\n".join(lines) + "\n")


def catalogue(shelf: str, found: Sequence[tuple[str, str]], look_up: Callable[[str, str], type[Any]]) -> None:
    """Show what there is on a shelf, with parameters."""
    grid = _grid("name", "what it is", "parameters")
    for column in grid.columns[1:]:
        column.justify = "left"
    for name, text in found:
        grid.add_row(name, text, ", ".join(f.name for f in fields(look_up(shelf, name))) or "–")
    _console().print(grid)
