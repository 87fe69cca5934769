"""The ledger of a budget: what was promised of a table, what was asked of it, and what each answer cost.

Order of work: lock the file, verify all of it, refuse what would cost more than is left, write down what is spent and
wait until it is on the disk, then count, add noise and answer. So a run that is killed at whatever moment may have
paid for an answer that nobody saw, and never answers what was not paid for.
"""

from __future__ import annotations

import hashlib
import os
from collections.abc import Mapping
from dataclasses import dataclass, field
from fractions import Fraction
from pathlib import Path
from typing import Any

from shoal.engines.protocol import AnyEngine
from shoal.errors import CertificateError, GuaranteeError, ParameterError
from shoal.private import chain
from shoal.private.accounting import Budget, Price
from shoal.private.aggregates import aggregated
from shoal.private.answers import NoisyAnswer, cost, noisy
from shoal.private.chain import SealedLine
from shoal.private.declarations import Declarations, Said
from shoal.private.exact_numbers import exact, written
from shoal.private.grammar import Query
from shoal.private.mechanisms import version as opendp_version
from shoal.private.population import (
    Population,
    explored,
    fetched,
    insist_on_kinds,
    insist_on_same,
    place_from,
    place_seen_from,
    refuse_masked,
)
from shoal.private.queries import QueryPlan, planned
from shoal.schema import ReadOptions
from shoal.table import Table
from shoal.version import VERSION

FORMAT = 1
NEIGHBOURS = "one person more or less"
_QUESTIONS = 20
_KEY = ".key"


@dataclass(frozen=True)
class BudgetAccount:
    """How a budget stands.

    Parameters
    ----------
    budget
        What all answers together may cost.
    spent
        What they cost so far, in ρ.
    price
        What an answer costs if nothing else is said.
    declared
        What is declared of the table.
    population
        The table.
    spendings
        What was paid for, in order.
    """

    budget: Budget
    spent: Fraction
    price: Price
    declared: Declarations
    population: Population
    spendings: tuple[SealedLine, ...] = field(repr=False)

    @property
    def left(self) -> Fraction:
        """What is left, in ρ."""
        return self.budget.rho - self.spent

    @classmethod
    def of(cls, lines: list[SealedLine], path: Path) -> BudgetAccount:
        """Add up a chain that was verified."""
        head = lines[0].body if lines else {}
        if head.get("kind") != "ledger" or head.get("format") != FORMAT:
            raise CertificateError(f"'{path}' is no ledger that this version knows.", f"It reads format {FORMAT}.")
        data, spendings = head["data"], []
        for line in lines[1:]:
            if line.body["kind"] == "spend":
                spendings.append(line)
            elif line.body["kind"] == "data":
                data = line.body["data"]
        known: dict[str, Fraction] = {}
        numerators: dict[str, int] = {}
        for line in spendings:
            text = line.body["rho"]
            numerators[text] = numerators.get(text, 0) + 1
        spent = sum((known.setdefault(text, exact(text, "rho")) * n for text, n in numerators.items()), Fraction(0))
        return cls(
            Budget.from_plain(head["budget"]), spent, Price.of(**head["price"]),
            Declarations.from_plain(head["declared"]), Population(**data), tuple(spendings),
        )  # fmt: skip

    def plain(self) -> dict[str, Any]:
        """Give how the budget stands as plain values."""
        return {
            "budget": self.budget.plain(),
            "spent": self.cost(self.spent),
            "left": self.cost(self.left),
            "price": self.cost(self.price.rho_of_parts(1)),
            "answers": len(self.spendings),
            "data": {"name": self.population.name, "sha256": self.population.sha256},
            "neighbours": NEIGHBOURS,
            **self.declared.plain(),
        }

    def cost(self, rho: Fraction) -> dict[str, Any]:
        """Say what a ρ means."""
        return cost(rho, self.budget.epsilon_at(rho), self.budget.delta)


@dataclass(frozen=True)
class PaidAnswer:
    """An answer with what it cost and the receipt of it.

    Parameters
    ----------
    query
        The question.
    answer
        The noisy answer.
    rho
        What it cost.
    account
        How the budget stands after it.
    number, seal
        Its receipt: the number of the spending, and its seal.
    plan
        How it was found.
    """

    query: str
    answer: NoisyAnswer
    rho: Fraction
    account: BudgetAccount
    number: int
    seal: str
    plan: QueryPlan = field(repr=False)

    def plain(self) -> dict[str, Any]:
        """Give the answer with its certificate as plain values."""
        return {
            "query": self.query,
            **self.answer.plain(),
            "confidence": 0.95,
            "cost": self.account.cost(self.rho),
            "spent": self.account.cost(self.account.spent),
            "left": self.account.cost(self.account.left),
            "receipt": {"number": self.number, "seal": self.seal},
            "certificate": self.certificate(),
        }

    def certificate(self) -> dict[str, Any]:
        """Give what is claimed of the answer, and what that rests on."""
        return {
            "kind": "stated",
            "claim": "zero-concentrated differential privacy",
            "query": self.query,
            "neighbours": NEIGHBOURS,
            "rows_per_person": self.plan.rows_per_person,
            "noise": _noise(self.plan),
            "rho": written(self.rho),
            "ledger": {"number": self.number, "seal": self.seal},
            "software": _software(),
            "rests_on": "That this software did what the ledger says is taken on trust: no output can prove it.",
        }


@dataclass(frozen=True)
class Ledger:
    """A ledger in a file, with the key that seals it.

    Parameters
    ----------
    path
        The file.
    key
        The key of its seals.
    """

    path: Path
    key: bytes = field(repr=False)

    @classmethod
    def create(
        cls, path: str | os.PathLike[str], source: Any, budget: Budget, *, said: Said | None = None,
        options: ReadOptions | None = None, subject: str | None = None, rows_per_person: int | None = None,
        price: Price | None = None, key: str | os.PathLike[str] | None = None,
        engine: AnyEngine | str | None = None, memory: str | int | None = None,
    ) -> Ledger:  # fmt: skip
        """Begin a ledger about a table. A key is drawn and written beside it unless one is named."""
        place = Path(path)
        if subject is not None and rows_per_person is None:
            raise ParameterError(
                "Nothing says how many rows of a person count.",
                "Say it: --rows-per-person 5. Further rows of a person do not count; noise grows with the number.",
            )
        if place.exists():
            raise ParameterError(
                f"'{place}' is there already: what it says was spent stays spent.", "Name another file."
            )
        opendp_version()
        most = 1 if rows_per_person is None else rows_per_person
        declared, population, _ = explored(
            source, said or Said(), options or ReadOptions(), subject, most, engine=engine, memory=memory
        )
        population = Population(**population.plain() | {"place": place_seen_from(place, population.place)})
        usual = Price.of(rho=budget.rho / _QUESTIONS) if price is None else price
        head = {
            "kind": "ledger",
            "format": FORMAT,
            "data": population.plain(),
            "declared": declared.plain(),
            "neighbours": NEIGHBOURS,
            "budget": budget.plain(),
            "price": usual.plain(),
            "software": _software(),
        }
        secret = chain.new_key(_beside(place)) if key is None else chain.key_in(Path(key))
        try:
            chain.created(place, secret, [head])
        except BaseException:
            if key is None:
                _beside(place).unlink(missing_ok=True)  # it seals nothing
            raise
        return cls(place, secret)

    @classmethod
    def open(cls, path: str | os.PathLike[str], key: str | os.PathLike[str] | None = None) -> Ledger:
        """Open a ledger with its key; the one beside it if none is named."""
        place = Path(path)
        if not place.is_file():
            raise ParameterError(f"There is no ledger '{place}'.", "Check its name, or make one: shoal budget new.")
        return cls(place, chain.key_in(_beside(place) if key is None else Path(key)))

    def account(self) -> BudgetAccount:
        """Verify the whole ledger, and say how the budget stands."""
        with chain.opened(self.path, self.key) as held:
            return BudgetAccount.of(held.lines, self.path)

    def table(
        self, query: str | None = None, source: Any = None, *, engine: AnyEngine | str | None = None,
        memory: str | int | None = None,
    ) -> Table:  # fmt: skip
        """Read the table of the ledger, or what of it a question needs. It costs nothing."""
        account = self.account()
        wanted = None if query is None else Query.parse(query).columns
        return self._fetched(account, wanted, source, engine, memory)

    def _fetched(self, account: BudgetAccount, wanted: Any, source: Any, engine: Any, memory: Any) -> Table:
        named = account.population.place
        if source is None and named is None:
            raise ParameterError("The ledger is about a frame, which lies nowhere.", "Give the frame.")
        there = place_from(self.path, str(named)) if source is None else source
        for name in wanted or ():
            _ = account.declared[name]
        return fetched(there, account.declared, account.population, wanted, engine=engine, memory=memory)

    def ask(
        self, question: str, source: Any = None, *, rho: Any = None, epsilon: Any = None, asker: str = "",
        non_negative: bool = False, engine: AnyEngine | str | None = None, memory: str | int | None = None,
    ) -> PaidAnswer:  # fmt: skip
        """Answer a question, and pay for it.

        Parameters
        ----------
        question
            What is asked, as `shoal.private.grammar` says.
        source
            The table: one that `table` gave, a file or a frame; the one that the ledger names if left out.
        rho, epsilon
            What the answer is to cost: ρ, or an ε of pure differential privacy. The usual price if both are left out.
        asker
            Who asks. The name is kept in the ledger.
        non_negative
            Whether counts below zero are to be brought to zero afterwards, with their sum kept.
        """
        query = Query.parse(question)
        account = self.account()
        price = account.price if rho is None and epsilon is None else Price.of(rho=rho, epsilon=epsilon)
        plan = planned(query, account.declared, price)
        self._refuse_overspending(account, plan.rho)  # before a large table is read; and again when it is paid
        opendp_version()
        given = isinstance(source, Table)
        table = source if given else self._fetched(account, query.columns, source, engine, memory)
        insist_on_kinds(table, account.declared, query.columns)
        with chain.opened(self.path, self.key) as held:
            account = BudgetAccount.of(held.lines, self.path)
            insist_on_same(table, account.population.sha256)
            self._refuse_overspending(account, plan.rho)
            number = len(account.spendings) + 1
            line = held.append(_spending(number, plan, asker))
            counted = aggregated(table, plan, account.declared.subject, self.key)
            answer = noisy(plan, counted, non_negative=non_negative)
            held.append({"kind": "answer", "number": number, "sha256": digest_of(answer.plain())})
            after = BudgetAccount.of(held.lines, self.path)
        return PaidAnswer(query.text, answer, plan.rho, after, number, line.seal, plan)

    def price_of(self, question: str, *, rho: Any = None, epsilon: Any = None) -> Fraction:
        """Say what an answer would cost, without asking."""
        account = self.account()
        price = account.price if rho is None and epsilon is None else Price.of(rho=rho, epsilon=epsilon)
        return planned(Query.parse(question), account.declared, price).rho

    def continue_with(
        self, source: Any, *, engine: AnyEngine | str | None = None, memory: str | int | None = None
    ) -> BudgetAccount:
        """Go on with a newer version of the table, about the same people: what was spent stays spent."""
        account = self.account()
        table = fetched(source, account.declared, account.population, None, engine=engine, memory=memory)
        refuse_masked(table)
        origin = table.origin
        newer = account.population.plain() | {
            "sha256": origin.sha256, "name": origin.name, "place": place_seen_from(self.path, origin.place),
        }  # fmt: skip
        with chain.opened(self.path, self.key) as held:
            held.append({"kind": "data", "data": newer})
            return BudgetAccount.of(held.lines, self.path)

    def mend(self) -> BudgetAccount:
        """Remove a last line that was written only in part, which nothing was ever answered for; and say so."""
        chain.cut_torn_line(self.path, self.key)
        return self.account()

    def _refuse_overspending(self, account: BudgetAccount, rho: Fraction) -> None:
        if rho > account.left:
            left = written(account.left)
            noisier = f"Ask for a noisier answer, for rho = {left} at most."
            raise GuaranteeError(
                f"The budget does not last: this answer costs rho = {written(rho)}, and {left} is left.",
                noisier if account.left > 0 else "Nothing more can be answered.",
            )


def digest_of(answer: Mapping[str, Any]) -> str:
    """Give the digest of what was answered, as the ledger keeps it."""
    return hashlib.sha256(chain.canonical(answer)).hexdigest()


def _spending(number: int, plan: QueryPlan, asker: str) -> Mapping[str, Any]:
    if not isinstance(asker, str) or len(asker) > 200 or not (asker == "" or asker.isprintable()):
        raise ParameterError("The name of who asks is one short line.", "Give a name of up to 200 characters.")
    return {
        "kind": "spend",
        "number": number,
        "rho": written(plan.rho),
        "query": plan.query.text,
        "noise": _noise(plan),
        **({"asker": asker} if asker else {}),
    }


def _noise(plan: QueryPlan) -> list[dict[str, Any]]:
    """Say what was counted and with what noise; scales are floats, as OpenDP is given them."""
    return [
        {
            "what": each.what,
            "mechanism": each.noise.mechanism,
            "sensitivity": each.noise.sensitivity,
            "scale": repr(each.noise.scale),
        }
        for each in plan.counted
    ]


def _software() -> dict[str, str]:
    return {"shoal": VERSION, "opendp": opendp_version()}


def _beside(path: Path) -> Path:
    return path.with_name(path.name + _KEY)
