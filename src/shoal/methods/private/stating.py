"""Methods whose promise follows from how they work: what they have beside other methods."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol, runtime_checkable

from shoal.methods import Method
from shoal.models import PrivacyModel
from shoal.models.stated import Stated
from shoal.schema import Schema
from shoal.table import Table


@runtime_checkable
class StatingMethod(Method, Protocol):
    """A method with a promise that no file can show, but whose arithmetic follows from what was asked for.

    What it releases has no row for each row of the original.
    """

    def demand(self, table: Table, models: Sequence[PrivacyModel]) -> None:
        """Refuse what cannot be released so, before any work is done."""
        ...

    def stated(self, schema: Schema, rows: int, models: Sequence[PrivacyModel]) -> Stated:
        """Say what holds of a release of so many rows, and give all that its arithmetic needs."""
        ...

    def insist(self, released: Table, models: Sequence[PrivacyModel]) -> str:
        """Insist that a release is such as the method gives, as far as a file can show it; say what that is."""
        ...
