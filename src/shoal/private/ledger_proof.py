"""The proof of a ledger: its chain, its arithmetic, and that nothing was cut off that somebody has a receipt of."""

from __future__ import annotations

import json
from collections.abc import Iterable
from dataclasses import dataclass
from fractions import Fraction
from pathlib import Path
from typing import Any

from shoal.errors import CertificateError, ParameterError
from shoal.private import chain
from shoal.private.accounting import loss
from shoal.private.answers import ANSWERED
from shoal.private.exact_numbers import exact, written
from shoal.private.ledger import BudgetAccount, Ledger, digest_of

_BEGIN = chain.BEGIN + b'{"budget":'  # keys are sorted, and only the first line has this one


@dataclass(frozen=True)
class LedgerProof:
    """What was proved of a ledger, and what is taken on trust.

    Parameters
    ----------
    account
        How the budget stands.
    proved, not_proved
        Sentences.
    """

    account: BudgetAccount
    proved: tuple[str, ...]
    not_proved: tuple[str, ...]


@dataclass(frozen=True)
class Receipt:
    """What the asker keeps of an answer: the number of the spending, its seal, and the digest of what was answered.

    Who keeps only number and seal has no digest.
    """

    number: int
    seal: str
    digest: str | None = None


def is_ledger(path: Path) -> bool:
    """Tell whether a file looks like a ledger."""
    try:
        with path.open("rb") as file:
            return file.read(len(_BEGIN)) == _BEGIN
    except OSError:
        return False


def proved(ledger: Ledger, receipts: Iterable[Receipt] = ()) -> LedgerProof:
    """Prove a ledger again: every seal, every loss from sensitivity and scale, their sum, and receipts."""
    with chain.opened(ledger.path, ledger.key) as held:
        lines = list(held.lines)
    account = BudgetAccount.of(lines, ledger.path)
    spent, paid = Fraction(0), 0
    answered: dict[int, str] = {}
    for place, line in enumerate(lines[1:], 2):
        body = line.body
        if body["kind"] == "spend":
            paid += 1
            costs = sum(
                (loss(each["mechanism"], each["sensitivity"], float(each["scale"])) for each in body["noise"]),
                Fraction(0),
            )
            rho = exact(body["rho"], "rho")
            spent += rho
            if body["number"] != paid or costs > rho or spent > account.budget.rho:
                raise CertificateError(
                    f"The arithmetic of line {place} does not hold: noise of this scale costs more than was written "
                    "down, or more was spent than there was.",
                    "Do not trust answers from here on.",
                )
        elif body["kind"] == "answer":
            if not 1 <= body["number"] <= paid or body["number"] in answered:
                raise CertificateError(f"Line {place} answers what was not paid for.", "Do not trust this ledger.")
            answered[body["number"]] = body["sha256"]
    known = {line.body["number"]: line.seal for line in account.spendings}
    kept = 0
    for receipt in receipts:
        kept += 1
        if known.get(receipt.number) != receipt.seal:
            raise CertificateError(
                f"The ledger does not know answer {receipt.number}, of which there is a receipt: lines were cut off, "
                "or the receipt is of another ledger.",
                "Put back the ledger as it was. Until then its budget counts as spent.",
            )
        if receipt.digest is not None and answered.get(receipt.number) != receipt.digest:
            raise CertificateError(
                f"Answer {receipt.number} is not what was answered: it was changed afterwards.", "Ask for the original."
            )
    said = [
        f"No line was changed, moved or taken out: {len(lines):,} seals follow from each other.",
        f"Each loss follows from sensitivity and scale, and {paid:,} of them add up to rho = {written(spent)} of "
        f"{written(account.budget.rho)}.",
        *([f"Each answer of which there is a receipt is in it (receipts: {kept:,})."] if kept else []),
    ]
    stated = [
        "That noise of these scales was added, and nothing else was told, is stated: it rests on the named software "
        f"({_software(lines[0].body)}) and on who ran it. No output can prove it.",
        *([] if kept else ["Whether lines were cut off at the end shows only against receipts (--receipts)."]),
    ]
    lost = paid - len(answered)
    if lost:
        said.append(f"{lost:,} of {paid:,} were paid for and never answered.")
    return LedgerProof(account, tuple(said), tuple(stated))


def _software(head: Any) -> str:
    return ", ".join(f"{name} {version}" for name, version in sorted(head["software"].items()))


def receipts_in(path: Path) -> list[Receipt]:
    """Read receipts: answers as they were given with --json, one or a list of them or one in each line."""
    try:
        text = path.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError):
        raise ParameterError(f"The receipts '{path}' cannot be read.", "Check the file.") from None
    try:
        try:
            said = json.loads(text)
        except ValueError:
            said = [json.loads(line) for line in text.splitlines() if line.strip()]
        kept = [_receipt(each) for each in (said if isinstance(said, list) else [said])]
    except (ValueError, KeyError, TypeError, AttributeError, RecursionError):
        raise ParameterError(
            f"'{path}' holds no receipts.", "Give answers as 'shoal query --json' gave them, one in each line."
        ) from None
    if not kept:
        raise ParameterError(f"'{path}' holds no receipts.", "Give at least one answer.")
    return kept


def _receipt(said: dict[str, Any]) -> Receipt:
    """Read one receipt, or an answer that has one."""
    short = said.get("receipt", said)
    whole = all(name in said for name in ANSWERED)
    digest = digest_of({name: said[name] for name in ANSWERED}) if whole else None
    return Receipt(short["number"], short["seal"], digest)
