"""What a reader of a proof should know before relying on it."""

from __future__ import annotations

from collections.abc import Sequence

from shoal.certification.certificate import Certificate
from shoal.certification.read_options import marks_of
from shoal.models import PrivacyModel
from shoal.pitfalls.identifiers import identifying, looked_at
from shoal.table import Table

_AS_THEY_STAND = "In columns that are released as they are, asterisks and backslashes belong to the values."
VERSION_1 = "It is of version 1, which tells more than it should: withdraw it, and release the table anew"


def remarks_on(table: Table, models: Sequence[PrivacyModel], certificate: Certificate, row_order: str) -> list[str]:
    """Say what a reader should know before relying on the proof."""
    content = certificate.content
    output = content["output"]
    marks = marks_of(content)
    shown = ", ".join(repr(mark) for mark in marks)
    about = looked_at(table.schema, models)
    return [
        *([f"{VERSION_1}."] if certificate.version == 1 else []),
        *([] if models or "stated" in content else ["Nothing is promised: the certificate names no privacy model."]),
        *(
            ["Rows stand in the order of the input. If it was sorted, neighbours bound each other's ranges."]
            if row_order == "input"
            else []
        ),
        *([_AS_THEY_STAND] if content["recipe"]["table"].get("masked") is False else []),
        *([f"In columns that no model looks at, these stand for a missing value: {shown}."] if marks else []),
        *(f"'{each.column}' may tell who people are: {each.why}." for each in identifying(table, models)),
        *(
            f"Some values of '{name}' are written in several ways, which count as one."
            for name in table.schema.names
            if name in about and table.schema[name].spellings
        ),
        *(
            f"Distances between values of '{name}' are those of a hierarchy that the certificate brings along."
            for name in output.get("hierarchies", ())
        ),
    ]
