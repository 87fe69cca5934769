"""What methods for linked tables share: they change the traces of people, and know nothing of rows."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

from shoal.errors import ParameterError
from shoal.linked.traces import Traces
from shoal.methods import required_model
from shoal.models import PrivacyModel
from shoal.models.km_anonymity import KmAnonymity
from shoal.table import Table


@dataclass(frozen=True)
class Account:
    """What a method did, in one sentence, for two readers.

    Attributes
    ----------
    public
        For everyone: what the release shows, and shares that are rounded as scores are.
    exact
        For the holder of the original, with the numbers that would undo the rounding.
    """

    public: str
    exact: str


class LinkedMethod(ABC):
    """A way to mask the traces of people so that k^m-anonymity holds."""

    name: ClassVar[str]
    enforces: ClassVar[tuple[str, ...]] = ("km-anonymity",)

    @abstractmethod
    def masked(self, traces: Traces, model: KmAnonymity) -> tuple[Traces, Account]:
        """Give the masked traces of the same people in the same order, and what was done."""

    def applied(self, traces: Traces, models: Sequence[PrivacyModel]) -> tuple[Traces, Account]:
        """Mask traces as far as the one promise that the method keeps asks for."""
        return self.masked(traces, required_model(models, KmAnonymity, self.name))

    def apply(self, table: Table, models: Sequence[PrivacyModel], seed: int) -> Table:
        """Refuse a table whose rows do not belong together."""
        raise ParameterError(
            f"{self.name} is for linked tables, and the rows of this one do not belong together.",
            "Say whose each row is: --linked --subject p, linked=True, subject='p'.",
        )

    def explain(self, table: Table, models: Sequence[PrivacyModel]) -> str:
        """Refuse the same."""
        self.apply(table, models, 0)
        return ""
