"""What a person sees: tables and sentences on stdout, errors on stderr."""

from __future__ import annotations

import sys
from collections.abc import Container, Iterable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from shoal.assessment.estimates import estimate_table
from shoal.assessment.known_points import curve_rows
from shoal.assessment.risk_words import LABELS, share, side_by_side
from shoal.catalogue import in_words
from shoal.engines.sources import Source
from shoal.findings import Findings
from shoal.measures.homogeneity import Homogeneity
from shoal.methods.perturbation.preserved import kept_by_all
from shoal.schema import Role

if TYPE_CHECKING:
    from rich.console import Console

    from shoal.assessment.disclosure_risk import Risk
    from shoal.assessment.inspection import Inspection
    from shoal.assessment.known_points import LinkedComparison, LinkedRisk
    from shoal.certification.proof import Proof
    from shoal.measures import Score
    from shoal.releases.release import Release


def _console() -> Console:
    from rich.console import Console

    return Console(highlight=False, width=None if sys.stdout.isatty() else 120)


def _table(heads: Iterable[str], rows: Iterable[Iterable[str]], left: Container[int] = (0,)) -> None:
    """Show a table. Columns are numbers, which end below each other, but for those that stand left."""
    from rich.markup import escape
    from rich.table import Table

    grid = Table(box=None, pad_edge=False, header_style="bold")
    for place, head in enumerate(heads):
        grid.add_column(escape(head), justify="left" if place in left else "right")
    for row in rows:
        grid.add_row(*map(escape, row))
    _console().print(grid)


show_table = _table  # as other modules call it


def _tell(*lines: str, style: str | None = None) -> None:
    """Show sentences, in as many lines as they take."""
    for line in lines:
        _console().print(line, markup=False, style=style)


def error(what: str, remedy: str) -> None:
    """Say what is wrong and what to do next."""
    sys.stderr.write(f"✗ {what}\n" + "".join(f"  {line}\n" for line in remedy.splitlines()))


def inspection(found: Inspection) -> None:
    """Show the columns of a table, what should be said of them, and the command that comes next, in one line."""
    _tell(found.caption(), "")
    head, *rows = found.rows()
    _table(head, rows, left=(0, 1, 4, 5))
    _say("", *found.remarks())


def risk(report: Risk) -> None:
    """Show the risk of a table, one sentence first."""
    _tell(report.caption(), style="bold")
    for prefix in ("", "fit_"):
        if f"{prefix}uniqueness_lower" in report:
            low, high = report[f"{prefix}uniqueness_lower"], report[f"{prefix}uniqueness_upper"]
            _tell(f"The worst case is proven to lie between {share(low)} and {share(high)}.")
    _tell(f"Someone who knows {', '.join(report['quasi'])} could single them out.")
    for each in ("people_sentence", "homogeneity_sentence"):
        if each in report:
            _tell(report[each])
    if report["guessed"]:
        _tell("No --quasi was given: these columns were guessed by their names. Name them yourself.")
    scores = [(found["measure"], f"{found['value']:.6g}") for found in report.get("scores", ())]
    _tell("")
    _table(["", "all"], [*side_by_side([report]), *scores])
    _tell(*_in_sentences(report))
    _errors(report, "If the attacker errs:")
    if report.get("known"):
        _by_known(report["known"])
    for section in report.sections:
        _tell("", section.title, style="bold")
        _tell(*section.sentences)
        for grid in section.tables:
            _tell("", *([grid.title] if grid.title else []))
            _table(grid.head, grid.rows)


def linked_risk(report: LinkedRisk) -> None:
    """Show whom a few known points single out."""
    _tell(report.caption(), style="bold")
    _tell(*report.remarks(), "")
    head, *rows = curve_rows(report["unicity"])
    _table(head, rows, left=(0,) if head[0] == "at" else ())
    scores = [(found["measure"], f"{found['value']:.6g}") for found in report.get("scores", ())]
    if scores:
        _tell("")
        _table(["", "all"], scores)
    _tell(*_in_sentences(report))


def linked_comparison(report: LinkedComparison) -> None:
    """Show whom known points single out in an original and its releases."""
    _tell(report.caption(), style="bold")
    _tell(*report.remarks(), "")
    head, *rows = report.rows()
    _table(head, rows)
    for found in report["releases"]:
        _tell(*(f"{each['measure']}: {each['value']:.6g}" for each in found.get("scores", ())))
    if "report" in report:
        _say(f"Report: {report['report']}")


def _by_known(sets: Sequence[Mapping[str, Any]]) -> None:
    """Show the risk from attackers who know some attributes each."""
    both = all("fit_uniqueness" in found for found in sets)
    rows = [
        (
            ", ".join(found["known"]), f"{found['unique']:,}", share(found["uniqueness"]),
            *([share(found["fit_uniqueness"])] if both else []), f"{found['smallest_class']:,}",
        )
        for found in sets
    ]  # fmt: skip
    _tell("", "By what is known:")
    _table(["known", "unique", "share", *(["worst case"] if both else []), "smallest group"], rows)
    for found in sets:
        _errors(found, f"If {', '.join(found['known'])} are known, and the attacker errs:")


def _errors(report: Mapping[str, Any], title: str) -> None:
    """Show what an attacker claims who is wrong about some attributes."""
    if not report.get("errors"):
        return
    rows = []
    for found in report["errors"]:
        about = ", ".join(f"{name}={rate:.4g}" for name, rate in found["columns"].items())
        wrong = share(found["wrong"]) + (f" ± {share(found['standard_error'])}" if found["standard_error"] else "")
        right = "–" if found["right_of_claimed"] is None else share(found["right_of_claimed"])
        rows.append((about, share(found["claimed"]), share(found["right"]), wrong, right))
    _tell("", title)
    _table(["wrong about", "claims a match", "rightly", "wrongly", "right, of his claims"], rows)


def _in_sentences(report: Mapping[str, Any]) -> list[str]:
    return [line for found in report.get("scores", ()) for line in in_words(found["measure"], found["detail"])]


def comparison(report: Mapping[str, Any]) -> None:
    """Show the original and its releases side by side."""
    names = [Source.parse(found["path"]).name for found in report["releases"]]
    rows = list(side_by_side([report["original"], *report["releases"]]))
    known = {key for _, key, _ in LABELS}
    for number, score in enumerate(report["releases"][0].get("scores", ())):
        if score["measure"].replace("-", "_") not in known:
            values = [found["scores"][number]["value"] for found in report["releases"]]
            rows.append([score["measure"], "–", *(f"{value:.6g}" for value in values)])
    _table(["", "original", *names], rows)
    for name, found in zip(names, report["releases"], strict=True):
        scores = [score for score in found.get("scores", ()) if "per_attribute" in score["detail"]]
        parts = {score["measure"]: score["detail"]["per_attribute"] for score in scores}
        columns = {column: [part.get(column) for part in parts.values()] for part in parts.values() for column in part}
        if parts:
            _tell("", f"{name}, by column:")
            cells = {column: ["–" if v is None else f"{v:.4f}" for v in values] for column, values in columns.items()}
            _table(["column", *parts], ([column, *texts] for column, texts in cells.items()))
        _tell(*_in_sentences(found))
        for value in found.get("scores", ()):
            grid = estimate_table(value["detail"], f"{name}: ")
            if grid is not None:
                _tell("", grid.title)
                _table(grid.head, grid.rows)
        if found.get("homogeneity"):
            _say(f"{name}: {found['homogeneity_sentence']}")
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
    lines += [f"≈ stated: {made.stated.sentence}"] if made.stated else []
    lines += [f"! {warning}" for warning in made.warnings]
    lines += [] if made.homogeneity is None else [f"– {Homogeneity.sentence(made.homogeneity.detail)}"]
    lines += [f"  {step}" for step in made.exact_steps]
    if made.preserved:
        kept = "; ".join(each.sentence() for each in kept_by_all(made.preserved))
        lines.append(f"Kept exactly: {kept}" if kept else "Kept exactly: nothing")
    lines += [f"  {private['said']}" for _, private in made.table.remarks]
    lines += [f"  attested: {each.sentence}" for each in made.identifiers]
    lines += [f"  {each.left_empty}" for each in made.identifiers if each.blank]
    for value in made.scores:
        if value.measure != "class-sizes":
            said = (f"  {line}" for line in in_words(value.measure, value.detail))
            lines += [f"  {value.measure}: {_measured(value)}", *said]
    left_out, subject = made.table.schema.left_out, made.subject
    if left_out:
        lines.append(f"Left out: {', '.join(left_out)} (not named; keep columns with --plain)")
    if subject and not made.table.schema.of(Role.PSEUDONYM):
        linked = made.people is not None
        lines.append(
            f"In '{subject}' people have fresh numbers, at random"
            if linked
            else f"Not released: {subject} (it tells people apart)"
        )
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
    lines += [f"  ≈ stated: {' '.join(found.stated)}"] if found.stated else []
    lines += [f"  ≈ attested: {line}" for line in found.attested]
    if found.approval is not None:
        lines.append(f"{found.approval.sentence} Said by a person, not proved:")
        lines += [f"  – {line}" for line in found.approval.confirmations]
    lines.append(f"Promised: {', '.join(found.promised) or 'nothing'}")
    which = "Protected (quasi-identifiers)" if found.promised else "Quasi-identifiers, not protected"
    lines.append(f"{which}: {', '.join(found.protected)}")
    same = [name for name in found.unprotected if name not in found.changed]
    lines.append(f"Not protected, released as they are: {', '.join(same) or 'none'}")
    if found.changed:
        lines.append(f"With other values than the true ones, as the certificate says: {', '.join(found.changed)}")
    _say(*lines, *(f"! {line}" for line in found.remarks))


def goals(found: Sequence[tuple[str, str, float, bool | None, str]]) -> None:
    """Show what was aimed at, what was measured, whether it holds, and what kind of goal it is."""
    held = {None: "", True: "holds", False: "MISSED"}
    rows = [(what, goal, f"{measured:.4g}", held[holds], kind) for what, goal, measured, holds, kind in found]
    _table(["what", "goal", "measured", "", "kind"], rows)


def claims(found: Sequence[Mapping[str, Any]]) -> None:
    """Show the paper's claims with what was measured, kind by kind; only those that could fail are counted."""
    for kind in dict.fromkeys(claim["kind"] for claim in found):
        mine = [claim for claim in found if claim["kind"] == kind]
        rows = [("✓" if claim["holds"] else "✗", claim["text"], claim["shown"]) for claim in mine]
        _table(["", kind, "measured"], rows, left=range(3))
    counted = [claim for claim in found if claim["counted"]]
    held = sum(claim["holds"] for claim in counted)
    _tell("", f"{held} of {len(counted)} statements of the paper that count here hold.")


def study(found: Sequence[Mapping[str, Any]]) -> None:
    """Show a study: one line per release, one column per measure."""
    names = list(dict.fromkeys(row["measure"] for row in found))
    lines: dict[str, dict[str, float]] = {}
    for row in found:
        levels = [f"{k}={v}" for model in row["models"].values() for k, v in model.items() if k in ("k", "t", "l")]
        ways = [f"{k}={v}" for k, v in row["parameters"].items() if type(v) in (int, float)]
        label = " ".join([row["method"], *ways, *levels, *([f"seed={row['seed']}"] if row["seed"] else [])])
        lines.setdefault(label, {})[row["measure"]] = row["value"]
    rows = [[label, *(f"{v[name]:.4g}" if name in v else "–" for name in names)] for label, v in lines.items()]
    _table(["release", *names], rows)


def findings(found: Findings) -> None:
    """Show what was found: a sentence, a table, and what belongs below it."""
    _tell(found.caption(), style="bold")
    _tell("")
    head, *rows = found.rows()
    _table(list(head), [list(row) for row in rows])
    _tell("")
    for said in found.remarks():
        _tell(said)


def lines(said: Sequence[str]) -> None:
    """Show sentences."""
    _say("", *said)


def written(rows: int, out: Path | Source) -> None:
    """Say where a table went."""
    _say(f"Written: {rows:,} records to {'stdout' if str(out) == '-' else out}")


def _say(*lines: str) -> None:
    sys.stdout.write("\n".join(lines) + "\n")


def catalogue(found: Iterable[tuple[str, str, Sequence[str]]]) -> None:
    """Show what there is, with parameters."""
    rows = [(name, text, ", ".join(parameters) or "–") for name, text, parameters in found]
    _table(["name", "what it is", "parameters"], rows, left=range(3))
