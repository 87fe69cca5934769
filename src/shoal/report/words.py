"""What reports say in whole sentences: roles, what is assumed of an attacker, what was not assessed, definitions."""

from __future__ import annotations

import inspect
import re
from collections.abc import Iterable, Sequence
from typing import Any

from shoal.measures.attribute_disclosure import AttributeDisclosure
from shoal.models import PrivacyModel
from shoal.report.page import Html, Section, bullets, code, joined, named, paragraph
from shoal.schema import Role, Schema

ROLES = {
    Role.QUASI: "quasi-identifier",
    Role.SENSITIVE: "confidential",
    Role.PLAIN: "neither",
    Role.WEIGHT: "survey weight",
    Role.SUBJECT: "tells people apart",
    Role.IDENTIFIER: "names a person",
}

FORMULAS = {
    "k-anonymity": "min over groups g of |g| ≥ k",
    "t-closeness": "max over groups g of distance(values in g, values in the table) ≤ t",
    "l-diversity": "min over groups g of the number of well-represented values in g ≥ l",
    "alpha-k": "max over groups g of the share of the most frequent value in g ≤ α",
    "uniqueness": "|{records whose group has size 1}| / |records|",
    "random-reidentification": "(1/n) · Σ over records r of 1/|group of r| = |groups| / n",
    "order-leak": "|{records that fewer than k fit once rows bound their neighbours, and k before}| / |records|",
    "class-sizes": "n / |groups|",
    "attribute-disclosure": "|{records in groups in which all have the property}| / |{records that have it}|",
    "information-loss": "(1/(n·m)) · Σ over records √( Σ over the m attributes of (largest distance/deviation)² )",
    "correlation-shift": "mean over pairs of |association after − association before|",
    "kolmogorov-smirnov": "mean over attributes of max over values v of |share up to v after − share up to v before|",
    "total-variation": "mean over attributes of ½ · Σ over values v of |share of v after − share of v before|",
    "query-error": "mean over queries of |estimated − true| / max(true, floor · n, 1)",
    "pmse": "(1/N) · Σ over the records of both tables of (propensity − ½)²",
    "accuracy-loss": "accuracy of the model of the original − accuracy of the model of the release",
}


def attacker(schema: Schema) -> list[object]:
    """Say what is assumed of whoever tries to find a person."""
    return [
        joined("The attacker looks for one particular person and knows that this person is in the table. ",
               "Whoever does not know that has a harder task, so the numbers hold for both."),
        joined("The attacker knows these attributes of the person, all and exactly: ", named(schema.quasi), "."),
        "Records count as equal when their published cells are equal.",
        "The attacker has nothing but the table, and the risk is counted within it: that the whole population may hold "
        "more people of the same kind is not used as protection.",
        "The attacker guesses at random within the group, so that the chance of a right guess is one in its size.",
    ]  # fmt: skip


def not_assessed(schema: Schema, models: Sequence[PrivacyModel], measures: Sequence[Any]) -> list[object]:
    """Say what was not looked at, so that nobody takes silence for safety."""
    protected = {name for model in models for name in protected_by(model, schema)}
    counted = [measure.where for measure in measures if isinstance(measure, AttributeDisclosure)]
    bare = [name for name in schema.sensitive if name not in protected]
    kept = schema.of(Role.PLAIN, Role.WEIGHT)
    found: list[object] = []
    if bare:
        only = joined(" Only the condition ", code(counted[0]), " was counted.") if counted else ""
        found.append(
            joined("What can be learned of ", named(bare), " without finding a record: if all records of a group share "
                   "a value, whoever finds the group learns it.", only)
        )  # fmt: skip
    if kept or schema.sensitive:
        found.append(
            joined("Whether columns that are released as they are (", named((*schema.sensitive, *kept)), ") are known "
                   "to someone, hold rare values, or hold free text that points to a person.")
        )  # fmt: skip
    if schema.subject is None:
        found.append("People: records were counted. Someone with several records may fill a group alone.")
    return [
        *found,
        "Knowledge beyond the quasi-identifiers, such as who the other members of a group are.",
        "Other tables about the same people: two releases laid side by side can undo what each of them hides.",
        "Membership: that a person is in the table is not hidden.",
        "Extremes: that somebody with a very high or low value, or of a rare category, is in the table may be read "
        "from the end of a range or from a set.",
        "What the choice of groups tells of confidential values to someone who knows the method (minimality attack).",
        "Whether the roles of the columns were chosen well. A person decided that.",
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
    formula = [paragraph(joined("Formula: ", FORMULAS[name]))] if name in FORMULAS else []
    return Section(name, first_paragraph(text), *formula, _source(text), id=f"define-{name}")


def first_paragraph(text: str) -> str:
    """Give the first sentence or two of a docstring as plain text."""
    head, _, rest = text.partition("\n\n")
    second = rest.partition("\n\n")[0]
    whole = head if not second or re.match(r"\w+\n-+", second) or second.startswith(">>>") else f"{head} {second}"
    return " ".join(whole.replace("``", "").replace("`", "").split())


def _source(text: str) -> Html | None:
    """Give the references of a docstring, with links that are followed only when someone asks for it."""
    _, mark, rest = text.partition("References\n----------\n")
    if not mark:
        return None
    lines = " ".join(re.split(r"\n\n\w+\n-+\n", rest)[0].split())
    parts = re.split(r"(doi:10\.[^\s,;]+[^\s,;.])", lines)
    linked = [
        Html(f'<a href="https://doi.org/{part[4:]}">{part}</a>') if i % 2 else part for i, part in enumerate(parts)
    ]
    return paragraph(joined("Source: ", *linked))


def promise_limits() -> Html:
    """Say what k-anonymity does not promise."""
    return bullets(
        [
            "It does not hide what all members of a group have in common.",
            "It does not protect against someone who knows more than the quasi-identifiers.",
            "It does not hide that a person is in the table.",
            "It is about this one table: other tables about the same people may undo it.",
            "It does not hide that somebody has the value at an end of a range, or each category of a set.",
            "It does not protect against someone who knows the method and asks for which tables it makes these groups.",
        ]
    )
