"""What reports say in whole sentences: roles, what is assumed of an attacker, what was not assessed, definitions."""

from __future__ import annotations

import inspect
import re
from collections.abc import Iterable, Sequence
from typing import Any

from shoal.measures.attribute_disclosure import AttributeDisclosure
from shoal.models import PrivacyModel
from shoal.report.page import Html, Section
from shoal.report.rendering import sentence
from shoal.schema import Role, Schema

ROLES = {
    Role.QUASI: "quasi-identifier",
    Role.SENSITIVE: "confidential",
    Role.PLAIN: "neither",
    Role.WEIGHT: "survey weight",
    Role.HOUSEHOLD: "household",
    Role.STRATUM: "stratum of the survey",
    Role.SUBJECT: "tells people apart",
    Role.PSEUDONYM: "tells people apart",
    Role.IDENTIFIER: "names a person",
}

FORMULAS = {
    "k-anonymity": "min over groups g of |g| ≥ k",
    "t-closeness": "max over groups g of distance(values in g, values in the table) ≤ t",
    "l-diversity": "min over groups g of the number of well-represented values in g ≥ l",
    "alpha-k": "max over groups g of the share of the most frequent value in g ≤ α",
    "uniqueness": "|{records whose group has size 1}| / |records|",
    "random-reidentification": "(1/n) · Σ over records r of 1/|group of r| = |groups| / n",
    "known-matches": "|{records whose own values fewer than k released records fit}| / |records|",
    "rare-combinations": "|{records with values in up to m attributes that fewer than t records have}| / |records|",
    "order-leak": "|{records that fewer than k fit once rows bound their neighbours, and k before}| / |records|",
    "column-screening": "1 − Σ over groups g of |g| · (|g| − 1) / (n · (n − 1))",
    "suda": (
        "(1/n) · Σ over records of 1 / (1 + (U/π − U) / (score^q · Σ score^−q)), π = Uδ/(Uδ + P(1 − δ)), "
        "q = 1 + (8 − A)/20"
    ),
    "individual-risk": "(1/n) · Σ over records of E[1/F | f], F − f negative binomial with chance f/F̂, F̂ = Σ weights",
    "log-linear-risk": "(1/n) · Σ over records alone in the sample of exp(−λ(1 − π)), λ = μ/π",
    "class-sizes": "n / |groups|",
    "unicity": "mean over people with p points or more of the share of their sets of p points that only they have",
    "attribute-disclosure": "|{records in groups in which all have the property}| / |{records that have it}|",
    "homogeneity": "|{people in groups in which all have one value of the column}| / |people|",
    "interval-disclosure": "|{records with |original − shown| ≤ k · deviation in every attribute}| / |records|",
    "rank-interval-disclosure": (
        "|{records with every original value between those p · n ranks below and above what is shown}| / |records|"
    ),
    "distance-linkage": "(1/n) · Σ over released records of 1/|nearest originals| if its own is among these, else 0",
    "rank-linkage": "(1/n) · Σ over released records of 1/|nearest originals by ranks| if its own is one, else 0",
    "assignment-linkage": "|{released records assigned to their own original at least total distance}| / |records|",
    "probabilistic-linkage": (
        "(1/n) · Σ over released records of 1/|originals of highest Σ of weights| if its own is among these, else 0; "
        "weights log₂(m/u) of columns that agree, log₂((1−m)/(1−u)) of others"
    ),
    "robust-distance-risk": (
        "|{records with |original − shown| < k · robust distance in every attribute, and nobody else near}| / |records|"
    ),
    "exact-copies": "|{released rows that equal an original record in every column}| / |released rows|",
    "closest-record": (
        "(|{released rows nearer to a record of the original than to any held out}| + ½ · |{as near to both}|) / |rows|"
    ),
    "information-loss": "(1/(n·m)) · Σ over records √( Σ over the m attributes of (largest distance/deviation)² )",
    "correlation-shift": "mean over pairs of |association after − association before|",
    "moment-shift": "mean over attributes of |mean after − mean before| / deviation before",
    "estimate-shift": "mean over attributes of |Σ w·after / Σ w − Σ w·before / Σ w| / deviation before (weights w)",
    "eigenvalue-shift": "(1/d) · Σ over i of |i-th eigenvalue of the correlations after − before|",
    "mahalanobis": "(1/n) · Σ over records of √((x − y)ᵀ Σ⁺ (x − y) / d)",
    "permutation-distance": "mean over cells of |rank of the value after − rank before| / (n − 1)",
    "kolmogorov-smirnov": "mean over attributes of max over values v of |share up to v after − share up to v before|",
    "total-variation": "mean over attributes of ½ · Σ over values v of |share of v after − share of v before|",
    "marginal-distance": "mean over pairs of columns of ½ · Σ over pairs of values of |share after − share before|",
    "query-error": "mean over queries of |estimated − true| / max(true, floor · n, 1)",
    "pmse": "(1/N) · Σ over the records of both tables of (propensity − ½)²",
    "accuracy-loss": "accuracy of the model of the original − accuracy of the model of the release",
}


def assumptions(schema: Schema, models: Sequence[PrivacyModel] = (), measures: Sequence[Any] = ()) -> list[Section]:
    """Say what is assumed of an attacker, and what was not looked at, so that nobody takes silence for safety."""
    protected = {name for model in models for name in protected_by(model, schema)}
    where = next((measure.where for measure in measures if isinstance(measure, AttributeDisclosure)), None)
    bare = [name for name in schema.sensitive if name not in protected]
    kept = (*schema.sensitive, *schema.of(Role.PLAIN, Role.WEIGHT, Role.STRATUM))
    return [
        Section("What is assumed of the attacker", sentence("attacker", schema.quasi)),
        Section("What was not assessed", sentence("not_assessed", bare, where, kept, schema.subject is None)),
    ]


def protected_by(model: PrivacyModel, schema: Schema) -> tuple[str, ...]:
    """Name the confidential column that a model is about, if it is about one."""
    if not hasattr(model, "column"):
        return ()
    return (model.column,) if model.column is not None else schema.sensitive[:1]


def definitions(things: Iterable[Any]) -> list[Section]:
    """Define models, methods and measures in the words of their own documentation, with formula and source."""
    found = {thing.name: thing for thing in things}
    return [_definition(name, thing) for name, thing in found.items()]


def _definition(name: str, thing: Any) -> Section:
    text = inspect.getdoc(type(thing)) or ""
    formula = f"Formula: {FORMULAS[name]}" if name in FORMULAS else None
    return Section(name, first_paragraph(text), formula, _source(text), id=f"define-{name}")


def first_paragraph(text: str) -> str:
    """Give the first sentence or two of a docstring as plain text."""
    head, _, rest = text.partition("\n\n")
    second = rest.partition("\n\n")[0]
    whole = head if not second or re.match(r"\w+\n-+", second) or second.startswith(">>>") else f"{head} {second}"
    return " ".join(whole.replace("``", "").replace("`", "").split())


def _source(text: str) -> Html | None:
    """Give the references of a docstring, with links that are followed only when someone asks for it."""
    _, mark, rest = text.partition("References\n----------\n")
    lines = " ".join(re.split(r"\n\n\w+\n-+\n", rest)[0].split())
    return sentence("source", re.split(r"(doi:10\.[^\s,;]+[^\s,;.])", lines)) if mark else None
