"""Releases whose promise is stated, such as differential privacy: what is not for them, and what is public of them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from shoal.catalogue import picked
from shoal.errors import ParameterError
from shoal.measures import Measure, compares_rows
from shoal.methods import Method
from shoal.methods.private.stating import StatingMethod
from shoal.models import PrivacyModel
from shoal.schema import Schema
from shoal.table import Table

MEASURES: tuple[Measure, ...] = picked("measures", ("marginal-distance",))


def stating_method(methods: Sequence[Method]) -> StatingMethod | None:
    """Give the first method whose promise follows from how it works, if there is one."""
    return next((method for method in methods if isinstance(method, StatingMethod)), None)


def refuse_unfit(
    table: Table,
    methods: Sequence[Method],
    models: Sequence[PrivacyModel],
    measures: Sequence[Measure],
    row_order: str,
    seed: int | None,
) -> None:
    """Refuse what would make a stated promise false, or has no meaning beside it, before any work is done."""
    stating = stating_method(methods)
    assert stating is not None
    if len(methods) > 1:
        raise ParameterError(
            f"{stating.name} is the only method of a release: what another does to the records before it would not be "
            "in its reckoning.",
            "Leave out the other methods; what is released can be masked further as a table of its own.",
        )
    if row_order != "released":
        raise ParameterError("A private release has no row for each row of the input.", "Leave out --row-order.")
    if seed is not None:
        raise ParameterError(
            f"The noise of {stating.name} has no seed: who knows it could take the noise away.", "Leave out the seed."
        )
    for measure in measures:
        if compares_rows(measure):
            raise ParameterError(
                f"{measure.name} compares row by row, and a private release has no row for each row of the original.",
                "Measure marginal-distance, total-variation or query-error.",
            )
    stating.demand(table, models)


def table_for_all(table: Mapping[str, Any], schema: Schema) -> dict[str, Any]:
    """Give what the recipe of such a release says of its table as everyone may see it: kinds are those of the domains.

    What kind a column of the original is was found out from its cells, so that one record could change it.
    """
    kinds = {each.name: each.axis.kind for each in schema.attributes}
    return {key: value for key, value in table.items() if key not in ("orders", "masked")} | {"kinds": kinds}


def left_with_holder(recipe: Mapping[str, Any]) -> dict[str, Any]:
    """Give what the original is read by that the certificate does not tell."""
    return {key: recipe[key] for key in ("kinds", "orders") if key in recipe}
