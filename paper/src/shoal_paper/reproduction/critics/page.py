"""One page that both sides could sign: what the attack finds, and what k^m-anonymity promises, leaves and costs."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from shoal.assessment.risk_words import share
from shoal.assessment.study import Row
from shoal.charts import Figure
from shoal.report.page import Html, Page, Section, facts, note, table
from shoal_paper.reproduction.critics.experiment import KNOWN, PROMISED, TABLES, K
from shoal_paper.reproduction.numbers import Results


class Found:
    """The numbers of the study, by what they are about."""

    def __init__(self, results: Results) -> None:
        self.results = results
        self._attack = {(row["table"], row["data"], row["at"], row["known"]): row for row in results["attack"]}
        self._price = {(row["table"], row["data"], row["at"]): row for row in results["price"]}

    @property
    def tables(self) -> list[str]:
        """The tables that were there."""
        return list(dict.fromkeys(row["table"] for row in self.results["attack"]))

    def release(self, name: str, m: int) -> Row:
        """What a release costs."""
        return next(row for row in self.results["price"] if row["table"] == name and row.get("m") == m)

    def attacked(self, name: str, known: int, m: int | None = None, at: str | None = None) -> Row:
        """What someone finds who knows so many points, in the original, at a level, or in a release."""
        if m is not None:
            price = self.release(name, m)
            return self._attack[name, price["data"], price["at"], known]
        return self._attack[name, "original" if at is None else "coarsened", at or "", known]

    def coarsening(self, name: str, m: int) -> Row | None:
        """Give the cheapest plain coarsening that leaves no more people singled out than a release, up to m points."""
        safe = [
            row
            for row in self.results["price"]
            if row["table"] == name
            and row["data"] == "coarsened"
            and all(self._attack[name, "coarsened", row["at"], known]["unique"] == 0 for known in range(1, m + 1))
        ]
        return min(safe, key=lambda row: row["loss"], default=None)


def broken(results: Results) -> list[str]:
    """Name the promises that do not hold: combinations of up to m points that too few have, or somebody singled out."""
    rare = [row for row in results["price"] if "m" in row and 0 < row["fewest"] < K]
    single = [
        row
        for row in results["attack"]
        if "m" in row and row["known"] <= row["m"] and (row["unique"] or 0 < row["fewest"] < K)
    ]
    return list(dict.fromkeys(f"{row['table']}, {row['data']}" for row in (*rare, *single)))


def page(results: Results, drawn: Figure, made: Mapping[str, object]) -> str:
    """Give the answer as one HTML page."""
    found, shown = Found(results), Html(f'<div class="wide">{drawn.html()}</div>')
    return Page(
        "Known points: the attack and the answer",
        [note(_lead(found))],
        [
            Section("What the attack finds", *[_attack(found, name) for name in found.tables]),
            Section("What is promised, and what it costs", *[_answer(found, name) for name in found.tables], shown),
            Section("Plain coarsening beside it", *[_coarsened(found, name) for name in found.tables], _table(found)),
            Section("Who has many points", *_lengths(found)),
            Section("What both sides can sign", *_both()),
            Section("How this was made", facts({name: value for name, value in made.items() if value is not None})),
        ],
        [
            "The attack: Y.-A. de Montjoye et al., Unique in the shopping mall, Science 347(6221), 2015, "
            "doi:10.1126/science.1256297. The comment: D. Sánchez, S. Martínez, J. Domingo-Ferrer, Science 351(6279), "
            "2016, doi:10.1126/science.aad9295. k^m-anonymity: M. Terrovitis, N. Mamoulis, P. Kalnis, PVLDB 1(1), "
            "2008, doi:10.14778/1453856.1453874."
        ],
        kicker="The answer to the critics",
    ).html()  # fmt: skip


def _lead(found: Found) -> str:
    name = found.tables[0]
    before, after, price = (
        found.attacked(name, max(KNOWN))["unique"], found.attacked(name, 2, 2), found.release(name, 2),
    )  # fmt: skip
    return (
        f"{max(KNOWN)} known points single out {share(before)} of the {name}. Where every two points that anybody has "
        f"are had by at least {K}, two known points single out nobody, of {after['people']:,} {name}; the price is "
        f"{share(price['suppressed'])} of all points, and coarser ones in the place of the others."
    )


def _attack(found: Found, name: str) -> str:
    point = next(each.point for each in TABLES if each.name == name)
    shares = ", ".join(share(found.attacked(name, known)["unique"]) for known in KNOWN)
    people = found.attacked(name, 1)["people"]
    return (
        f"{people:,} {name}; a point is {point}. Knowing {', '.join(map(str, KNOWN))} of somebody's points singles out "
        f"{shares} of those who have as many."
    )


def _answer(found: Found, name: str) -> str:
    said = []
    for m in PROMISED:
        price = found.release(name, m)
        zero = " and ".join(str(known) for known in KNOWN if known <= m)
        left = ", ".join(
            f"{share(found.attacked(name, known, m)['unique'])} with {known}" for known in KNOWN if known > m
        )
        at = f"points at {price['at']}, and " if price["at"] else ""
        said.append(
            f"m = {m}: nobody with {zero} known points; {left}. The price is a set-loss of {share(price['loss'])}: {at}"
            f"{share(price['suppressed'])} of the points suppressed."
        )
    return f"{name.capitalize()}, k = {K}. {' '.join(said)}"


def _coarsened(found: Found, name: str) -> str:
    said = []
    for m in PROMISED:
        price, plain = found.release(name, m), found.coarsening(name, m)
        other = f"{plain['at']} at a set-loss of {share(plain['loss'])}" if plain else "none of the levels"
        said.append(f"for m = {m} {other} (against {share(price['loss'])})")
    return f"{name.capitalize()}: the same zero by coarsening alone takes {', '.join(said)}."


def _table(found: Found) -> Html:
    rows = []
    for row in found.results["price"]:
        cells = {"table": row["table"], "data": row["data"], "at": row["at"] or "values", "loss": share(row["loss"])}
        attacked = [found._attack[row["table"], row["data"], row["at"], known] for known in KNOWN]
        rows.append(cells | {f"p{each['known']}": share(each["unique"]) for each in attacked})
    heads = {"table": "Table", "data": "Data", "at": "Points at", "loss": "Set-loss"}
    heads |= {f"p{known}": f"{known} known" for known in KNOWN}
    numeric = ["loss", *(f"p{known}" for known in KNOWN)]
    return table(rows, heads, "Singled out by known points of the original, and set-loss", numeric=numeric)


def _lengths(found: Found) -> list[str]:
    said = []
    for name in found.tables:
        for m in PROMISED:
            rows = [row for row in found.results["people"] if row["table"] == name and row["m"] == m]
            parts = ", ".join(f"{share(row['lost'])} ({_range(row)})" for row in rows)
            said.append(f"{name.capitalize()}, m = {m}: of their points lose, by how many they have: {parts}.")
    if "households" in found.tables:
        rows = [row for row in found.results["points"] if row["table"] == "households"]
        few, many = min(row["most"] for row in rows), max(row["most"] for row in rows)
        costs = {(row["most"], row["m"]): share(row["loss"]) for row in rows}
        parts = ", ".join(f"{costs[few, m]} and {costs[many, m]} for m = {m}" for m in PROMISED)
        said.append(
            f"If at most {few} or at most {many} points of each household are released at all, drawn by chance, the "
            f"same promise has a set-loss of {parts}: with fewer points in all, each combination is rarer."
        )
    return said


def _range(row: Row) -> str:
    return f"{row['least']}–{row['most']}" if row["most"] else f"{row['least']} or more"


def _both() -> Sequence[str]:
    return (
        "The attack is real. Behavioural data are not anonymous because names are gone. Coarser shops, days and prices "
        "lower the risk, but how far is seen only afterwards, and levels that single out nobody tell little.",
        f"A promise is possible, and it is kept. With k^m-anonymity, up to m known points leave nobody or at least {K} "
        "candidates, for every person and every choice of points, and anybody can count that in the released file.",
        "The promise ends at m. What more points single out is measured here and not bounded; against those who may "
        "know more, a larger m is needed, and paid for. Nor does it hide what all candidates have in common, that a "
        "person is among the data, or what follows from several releases together.",
        "The price is high where people are unlike each other: with rare places and times, single stories are gone, "
        "while what is common survives. Whether the data are still worth having is for those to judge who need them, "
        "with these numbers before them.",
    )
