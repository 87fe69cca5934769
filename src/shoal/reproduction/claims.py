"""What the paper says, sentence by sentence, and what is measured here. Nothing is assumed to hold."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

import numpy as np

from shoal.reproduction.case import COARSENINGS, LEVELS
from shoal.study import Row

Results = Mapping[str, Sequence[Row]]
ALL = "census + spatial + temporal"


@dataclass(frozen=True)
class Claim:
    """A sentence of the paper, what was measured, whether it holds here, and, if not, why that may be."""

    claim: str
    measured: str
    holds: bool
    reason: str


@dataclass(frozen=True)
class _Sentence:
    text: str
    measure: Callable[[_Numbers], tuple[str, bool]]
    otherwise: str


class _Numbers:
    """The numbers of the study, by the names that sentences use."""

    def __init__(self, results: Results) -> None:
        self.results = results
        self.levels = [f"k = {k}" for k in LEVELS]
        self.coarse = [f"1/{resolution}" for resolution in COARSENINGS]

    def risk(self, known: str, data: str, matching: str) -> float:
        """Give the uniqueness of a table by what is known."""
        wanted = (known, data, matching)
        rows = self.results["knowledge"]
        return float(next(r["uniqueness"] for r in rows if (r["known"], r["data"], r["matching"]) == wanted))

    def compared(self, measure: str, label: str, *, family: str | None = None, step: str = "comparison") -> float:
        """Give a score of a release."""
        return float(
            next(
                row["value"]
                for row in self.results[step]
                if row["measure"] == measure and row["label"] == label and family in (None, row["family"])
            )
        )

    def surface(self, first: int, second: int, key: str) -> float:
        """Give a cell of a surface; 0 is the original resolution."""
        rows = [row for row in self.results["surfaces"] if row["reading"] == "distinct"]
        return float(next(row[key] for row in rows if (row["first"], row["second"]) == (first, second)))

    def correlations(self, data: str) -> dict[str, float]:
        """Give the correlations of a table by pair."""
        rows = self.results["correlations"]
        return {r["pair"]: r["correlation"] for r in rows if r["data"] == data and _is_pair(r)}

    def different_counts(self, data: str) -> int:
        """Give how many counts of values differ between a regenerated table and its original."""
        rows = self.results["regeneration"]
        found = (row["value"] for row in rows if (row["data"], row["what"]) == (data, "different counts"))
        return int(next(found, 0))

    def masked(self, column: str) -> list[Row]:
        """Give the counts of a column's values, in all and masked."""
        return [row for row in self.results["masking"] if row["column"] == column and row["value"] is not None]


def _is_pair(row: Row) -> bool:
    return " ~ " in row["pair"] and row["correlation"] is not None


def _shares(values: Sequence[float]) -> str:
    return ", ".join(share(value) for value in values)


def share(value: float) -> str:
    """Write a share so that what is small does not look like nothing."""
    return f"{value:.1%}" if value == 0 or value >= 0.001 else f"{value:.1e}"


def _almost_75(n: _Numbers) -> tuple[str, bool]:
    found = n.risk(ALL, "SPD", "signature")
    return share(found), 0.72 <= found <= 0.78


def _safe_harbor_is_low(n: _Numbers) -> tuple[str, bool]:
    before, after = n.risk(ALL, "SPD", "signature"), n.risk(ALL, "PD", "fit")
    return f"{share(before)} before, {share(after)} after", after < 0.01


def _rare_is_masked_more(n: _Numbers) -> tuple[str, bool]:
    rows = [row for row in n.masked("race") if row["total"] > 0]
    frequent, rare = max(rows, key=lambda row: row["total"]), min(rows, key=lambda row: row["total"])
    parts = [row["masked"] / row["total"] for row in (rare, frequent)]
    return f"rarest race {share(parts[0])}, most frequent {share(parts[1])}", parts[0] > parts[1]


def _margins_are_kept(n: _Numbers) -> tuple[str, bool]:
    found = n.different_counts("SPD")
    return f"{found} counts differ", found == 0


def _one_pair_is_correlated(n: _Numbers) -> tuple[str, bool]:
    ordered = sorted(((abs(r), pair) for pair, r in n.correlations("PD").items()), reverse=True)
    (first, pair), (second, _) = ordered[:2]
    return f"{pair}: {first:.3f}; next {second:.3f}", pair == "oshpd_id ~ patcnty" and first > 0.7 and second < 0.5


def agreement(before: Mapping[str, float], after: Mapping[str, float]) -> float:
    """Give the correlation between two sets of correlations."""
    pairs = [pair for pair in before if pair in after]
    return float(np.corrcoef([before[p] for p in pairs], [after[p] for p in pairs])[0, 1])


def _sets_agree(n: _Numbers) -> tuple[str, bool]:
    found = agreement(n.correlations("PD"), n.correlations("SPD"))
    return f"{found:.3f}", found >= 0.937


def _no_unique_records(n: _Numbers) -> tuple[str, bool]:
    found = [n.compared("uniqueness", label) for label in n.levels]
    return _shares(found), max(found) == 0


def _one_in_k(n: _Numbers) -> tuple[str, bool]:
    found = [n.compared("random-reidentification", label) for label in n.levels]
    near = all(0.9 / k <= value <= 1 / k + 1e-12 for k, value in zip(LEVELS, found, strict=True))
    return ", ".join(f"{value:.4f}" for value in found), near


def _others_leave_some(n: _Numbers) -> tuple[str, bool]:
    found = [n.compared("uniqueness", label) for label in (*n.coarse, "safe harbor")]
    return _shares(found), min(found) > 0


def _sharp_decline(n: _Numbers) -> tuple[str, bool]:
    before, after = n.surface(0, 0, "uniqueness"), n.surface(32, 32, "uniqueness")
    return f"{share(before)} to {share(after)}", after < 0.5 * before


def _steady_decrease(n: _Numbers) -> tuple[str, bool]:
    found = [n.surface(r, r, "uniqueness") for r in (32, 16, 8, 4, 2)]
    fit = np.corrcoef(range(5), found)[0, 1] ** 2
    falling = all(a > b for a, b in pairwise(found))
    return f"{_shares(found)} (linear: R² = {fit:.2f})", falling and fit > 0.8


def _two_intervals_leave_some(n: _Numbers) -> tuple[str, bool]:
    found = int(n.surface(2, 2, "unique"))
    return f"{found:,} records", found > 0


def _never_zero(n: _Numbers) -> tuple[str, bool]:
    found = min(int(row["unique"]) for row in n.results["surfaces"])
    return f"fewest unique records: {found:,}", found > 0


def _two_beats_an_eighth(n: _Numbers) -> tuple[str, bool]:
    pair = n.compared("information-loss", "k = 2"), n.compared("information-loss", "1/8")
    return f"2-anonymity {pair[0]:.3f}, 1/8 coarsening {pair[1]:.3f}", pair[0] < pair[1]


def _k_costs(n: _Numbers) -> tuple[str, bool]:
    found = [n.compared("information-loss", label) for label in n.levels]
    return ", ".join(f"{value:.3f}" for value in found), all(a < b for a, b in pairwise(found))


def _spatiotemporal_costs_more(n: _Numbers) -> tuple[str, bool]:
    pair = n.surface(2, 0, "information_loss"), n.surface(0, 2, "information_loss")
    return f"spatiotemporal in two {pair[0]:.3f}, census in two {pair[1]:.3f}", pair[0] > pair[1]


def _surface_costs_more(n: _Numbers) -> tuple[str, bool]:
    two = n.compared("information-loss", "k = 2")
    cells = [row for row in n.results["surfaces"] if 0 < row["first"] <= 32 or 0 < row["second"] <= 32]
    more = sum(row["information_loss"] > two for row in cells) / len(cells)
    return f"{share(more)} of coarsened cells lose more than 2-anonymity", more > 0.5


def _disclosure_everywhere(n: _Numbers) -> tuple[str, bool]:
    crowd = [n.compared("attribute-disclosure", label) for label in n.levels]
    others = [n.compared("attribute-disclosure", label) for label in (*n.coarse, "safe harbor")]
    words = f"k-anonymity {_shares(crowd)}; others {_shares(others)}"
    return words, min(*crowd, *others) > 0 and max(crowd) < min(others)


def _closeness_ends_disclosure(n: _Numbers) -> tuple[str, bool]:
    found = [
        n.compared("attribute-disclosure", label, family="with t-closeness", step="closeness") for label in n.levels
    ]
    return _shares(found), max(found) == 0


def _losses(n: _Numbers, family: str) -> list[float]:
    return [n.compared("information-loss", label, family=family, step="closeness") for label in n.levels]


def _closeness_costs(n: _Numbers) -> tuple[str, bool]:
    plain, close = _losses(n, "k-anonymity"), _losses(n, "with t-closeness")
    pairs = list(zip(plain, close, strict=True))
    return ", ".join(f"{a:.3f} to {b:.3f}" for a, b in pairs), all(a <= b < 2 * a for a, b in pairs)


def _closeness_below_an_eighth(n: _Numbers) -> tuple[str, bool]:
    close, eighth = _losses(n, "with t-closeness"), n.compared("information-loss", "1/8")
    less = sum(value < eighth for value in close)
    return f"{less} of {len(close)} below {eighth:.3f}", less > len(close) / 2


def _table_s9(n: _Numbers) -> tuple[str, bool]:
    found = [row["t"] for row in n.results["closeness"] if row["t"] is not None and row["measure"] == "uniqueness"]
    wanted = (0.25, 0.17, 0.10, 0.05)
    same = len(found) == 4 and all(math.isclose(t, w) for t, w in zip(found, wanted, strict=True))
    return ", ".join(f"{t:.2f}" for t in found), same


_SMALL = "A table of fewer records is more unique: this figure is about 3,985,166 of them."
_STAND_IN = (
    "The stand-in follows the published margins and correlations, not every joint frequency of the real records."
)

SENTENCES = (
    _Sentence(
        "Almost 75 % of patients are unique when all three groups of features are known (Fig. S3).", _almost_75, _SMALL
    ),
    _Sentence(
        "The risk of the masked table is much lower: 0.26 % in the worst case (Fig. S3).", _safe_harbor_is_low, _SMALL
    ),
    _Sentence("Less frequent values are masked proportionally more often (Fig. S1).", _rare_is_masked_more, _STAND_IN),
    _Sentence(
        "Regeneration preserves every marginal distribution exactly (Algorithm S1).",
        _margins_are_kept,
        "A defect: please report it.",
    ),
    _Sentence(
        "Only hospital and county of residence are highly correlated (Table S4).", _one_pair_is_correlated, _STAND_IN
    ),
    _Sentence(
        "The correlation between both sets of correlations is as high as 0.957 (Tables S4, S5).", _sets_agree, _STAND_IN
    ),
    _Sentence(
        "k-anonymity yields zero unequivocal reidentifications (Fig. S4).",
        _no_unique_records,
        "A defect: please report it.",
    ),
    _Sentence(
        "k-anonymity yields a rate 1/k of correct random reidentifications (Fig. S4).",
        _one_in_k,
        "Classes larger than k lower the rate.",
    ),
    _Sentence("Neither coarsening nor safe harbor eliminates uniqueness (Fig. S4).", _others_leave_some, _STAND_IN),
    _Sentence("Uniqueness declines sharply when coarsening to 1/32 (Fig. S5).", _sharp_decline, _SMALL),
    _Sentence("Uniqueness then falls almost linearly as intervals double (Fig. S5).", _steady_decrease, _STAND_IN),
    _Sentence(
        "With two intervals per attribute 51 records are still unique (Fig. S5).", _two_intervals_leave_some, _STAND_IN
    ),
    _Sentence("Coarsening does not reach zero risk in any case (Fig. S5).", _never_zero, _STAND_IN),
    _Sentence(
        "2-anonymity loses less information than 1/8 coarsening (Fig. S4).",
        _two_beats_an_eighth,
        "Algorithm S2 groups records by one distance, and how much it loses depends on the joint frequencies.",
    ),
    _Sentence("A larger k loses more information (Fig. S4).", _k_costs, _STAND_IN),
    _Sentence(
        "Coarsening spatiotemporal features loses more than coarsening census features (Fig. S6).",
        _spatiotemporal_costs_more,
        "In Eq. 3 six census attributes weigh more than three spatiotemporal ones when both are cut in two.",
    ),
    _Sentence(
        "In most cases coarsening loses more than k-anonymity (Fig. S6).",
        _surface_costs_more,
        "Fine coarsening of few attributes loses little; it also protects little.",
    ),
    _Sentence(
        "No method so far is free from attribute disclosure; k-anonymity has the least (Fig. S4).",
        _disclosure_everywhere,
        _STAND_IN,
    ),
    _Sentence(
        "t-closeness lowers attribute disclosure to zero (Fig. S7).",
        _closeness_ends_disclosure,
        "A class of two can hold two high charges.",
    ),
    _Sentence("t-closeness increases the loss slightly (Fig. S7).", _closeness_costs, _STAND_IN),
    _Sentence(
        "With t-closeness the loss is in most cases below that of 1/8 coarsening (Fig. S7).",
        _closeness_below_an_eighth,
        "On this table plain k-anonymity is already near 1/8 coarsening.",
    ),
    _Sentence(
        "The levels of t for k = 2, 3, 5, 10 are 0.25, 0.17, 0.10, 0.05 (Table S9).",
        _table_s9,
        "Eq. 6 depends on the number of records.",
    ),
)


def uniqueness(results: Results) -> dict[str, float | None]:
    """Give the share of records that stand alone in each of the three tables; of the masked one, in the worst case."""
    everything = [row for row in results["knowledge"] if row["known"].count("+") == len(_groups(results)) - 1]
    found = {
        row["data"].lower(): row["uniqueness"] for row in everything if row["data"] != "PD" or row["matching"] == "fit"
    }
    return {name: found.get(name) for name in ("truth", "pd", "spd")}


def _groups(results: Results) -> set[str]:
    return {group for row in results["knowledge"] for group in row["known"].split(" + ")}


def check_claims(results: Results) -> list[Claim]:
    """Measure every claim on the results of a study."""
    numbers = _Numbers(results)
    found = []
    for sentence in SENTENCES:
        measured, holds = sentence.measure(numbers)
        found.append(Claim(sentence.text, measured, bool(holds), "" if holds else sentence.otherwise))
    return found


def as_rows(claims: Sequence[Claim]) -> list[dict[str, Any]]:
    """Give claims as tidy rows."""
    return [{"claim": c.claim, "measured": c.measured, "holds": c.holds, "reason": c.reason} for c in claims]
