"""What methods for linked tables share: they change the traces of people, and know nothing of rows."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from typing import ClassVar

from shoal.errors import ParameterError
from shoal.linked.traces import Traces
from shoal.methods import required_model
from shoal.models import PrivacyModel
from shoal.models.km_anonymity import KmAnonymity
from shoal.table import Table


class LinkedMethod(ABC):
    """A way to mask the traces of people so that k^m-anonymity holds."""

    name: ClassVar[str]
    enforces: ClassVar[tuple[str, ...]] = ("km-anonymity",)

    @abstractmethod
    def masked(self, traces: Traces, model: KmAnonymity) -> tuple[Traces, str]:
        """Give the masked traces of the same people in the same order, and what was done in one sentence."""

    def applied(self, traces: Traces, models: Sequence[PrivacyModel]) -> tuple[Traces, str]:
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
