"""Masking methods. Group-forming ones only say which records belong together; the engine publishes the groups."""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar, Protocol, TypeVar

from shoal.errors import ParameterError
from shoal.models import PrivacyModel
from shoal.table import Table

Model = TypeVar("Model", bound=PrivacyModel)


class Method(Protocol):
    """A way to mask a table."""

    name: ClassVar[str]
    enforces: ClassVar[tuple[str, ...]]

    def apply(self, table: Table, models: Sequence[PrivacyModel], seed: int) -> Table:
        """Give the masked table. Models that the method enforces shape it; the others are only checked."""
        ...

    def explain(self, table: Table, models: Sequence[PrivacyModel]) -> str:
        """Say in one sentence what is done to the table."""
        ...


def wanted(models: Sequence[PrivacyModel], kind: type[Model], method: str) -> Model:
    """Give the one model of a kind that a method works towards."""
    found = [model for model in models if isinstance(model, kind)]
    if len(found) != 1:
        raise ParameterError(
            f"{method} needs {kind.name} exactly once; it was asked for {len(found)} times.",
            "Add the model (models=[KAnonymity(5)], --k 5).",
        )
    return found[0]
