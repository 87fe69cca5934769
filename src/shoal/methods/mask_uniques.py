"""Safe-harbor masking as the state did it: records that stand alone lose one attribute after the other (Table S3)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

from shoal.domains.levels import Step
from shoal.errors import ParameterError, SchemaError
from shoal.models import PrivacyModel
from shoal.table import Table

# Table S3 on the columns of the California discharge file. The twenty age categories are the state's (one of them is
# for unknown ages); which small counties it grouped is not published: those with less than 250,000 people in 2009 are
# grouped with their neighbours in the list.
TABLE_S3 = (
    "age_yrs -> bands 0,1,5,10,15,20,25,30,35,40,45,50,55,60,65,70,75,80,85",
    "ethncty -> *",
    "race -> *",
    "sex -> *",
    "age_yrs -> bands 0,1,18,35,65",
    "age_yrs -> *",
    "adm_qtr -> *",
    "patzip -> prefix 3",
    "patcnty -> bands 0,1,2,7,8,10,11,15,16,19,20,22,24,25,27,28,30,31,32,34,35,37,38,39,40,41,42,43,44,45,48,49,50,51,"
    "54,55,57",
    "patzip -> *",
)


@dataclass(frozen=True)
class MaskUniques:
    """Mask only the records that stand alone, by one attribute after the other until they no longer do.

    After each step the records that are still unique are found anew, and the next step is applied to them alone. A
    masked cell equals another when both show the same. It enforces no privacy model: a masked record is only as safe
    as its key is complete, and some records may stay unique.

    Parameters
    ----------
    order
        The steps, each written ``COLUMN -> LEVEL``, where the level is ``*``, ``bands 0,18,65`` (lower ends) or
        ``prefix 3`` (leading digits or letters that stay). The default is the paper's Table S3.
    key
        The attributes that a record must be alone in; all quasi-identifiers if left out.

    References
    ----------
    D. Sánchez, S. Martínez, J. Domingo-Ferrer, supplement of doi:10.1126/science.aad9295, Table S3.
    """

    name: ClassVar[str] = "mask-uniques"
    enforces: ClassVar[tuple[str, ...]] = ()
    order: tuple[str, ...] = TABLE_S3
    key: tuple[str, ...] | None = None

    def __post_init__(self) -> None:
        """Refuse an order that cannot be read; a key may be written as text, its names separated by commas."""
        if isinstance(self.key, str):
            names = [name.strip() for name in self.key.split(",")]  # type: ignore[unreachable]
            object.__setattr__(self, "key", tuple(names))
        if not isinstance(self.order, tuple) or not self.order:
            raise ParameterError("A masking order is a list of steps.", 'For example order = ["age -> *"].')
        for text in self.order:
            Step.parse(text)

    def _key(self, table: Table) -> tuple[str, ...]:
        key = table.schema.quasi if self.key is None else self.key
        columns = [Step.parse(text).column for text in self.order]
        if self.order == TABLE_S3 and not set(columns) <= set(table.schema.quasi):
            raise ParameterError(
                f"{self.name} has no masking order for these columns: its own is for California's discharge files.",
                'Give one: order=["age -> bands 0,18,65", "zip -> prefix 3", "sex -> *"], on the command line after '
                "--param.",
            )
        for name in (*key, *columns):
            if name not in table.schema.quasi:
                raise SchemaError.missing_column(name, table.schema.quasi)
        return key

    def apply(self, table: Table, models: Sequence[PrivacyModel], seed: int) -> Table:
        """Mask step by step, and keep count of what was masked."""
        key = self._key(table)
        steps = []
        for step in map(Step.parse, self.order):
            positions, _ = table.counts(step.column)
            steps.append((step.column, step.stretches(table.schema[step.column].axis, positions)))
        return table.mask_unique(steps, key)

    def explain(self, table: Table, models: Sequence[PrivacyModel]) -> str:
        """Say what is done."""
        return (
            f"Masked records that stand alone in {', '.join(self._key(table))}, and only those, in this order until "
            f"they no longer do: {'; '.join(self.order)} (Table S3)."
        )
