"""What the paper's study must know of a table: roles, what attackers know, how it is masked, and what is secret."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from shoal.assessment.study import toml_of
from shoal.conditions import Condition
from shoal.engines.sources import beside
from shoal.errors import ParameterError
from shoal.methods.mask_uniques import MaskUniques
from shoal.recipe import Recipe
from shoal.schema import ReadOptions, Roles
from shoal_paper.datasets.discharges import KNOWLEDGE, QUASI, SENSITIVE
from shoal_paper.datasets.published import MASKING_KEY

CENSUS = "census"
_PAPER = ("name", "secret", "where")


@dataclass(frozen=True)
class Setting:
    """A kind of table that the paper's study can be run on.

    Parameters
    ----------
    name
        What the table is.
    options
        How it is read: roles, and which group of features each quasi-identifier belongs to. One group is ``census``.
    masking
        How records that stand alone are masked.
    secret
        The confidential attribute, a number, to which classes shall be close.
    where
        Which of its values nobody shall learn.
    source
        The file, if the setting names one.
    other_key
        Another reading of what a record must be unique in to be masked, if there is doubt.
    """

    name: str
    options: ReadOptions
    masking: MaskUniques = field(default_factory=MaskUniques)
    secret: str = "charge"  # noqa: S105
    where: str = "charge > 100000"
    source: str | None = None
    other_key: tuple[str, ...] | None = None

    @property
    def published(self) -> bool:
        """Whether the paper's numbers are about tables of this kind."""
        return self.name == DISCHARGES.name

    @classmethod
    def load(cls, path: Path) -> Setting | None:
        """Read a setting from TOML: a recipe with a table and its masking, and a section ``paper``; None without it."""
        content = toml_of(path)
        if "paper" not in content:
            return None
        paper = _paper(content.pop("paper"))
        recipe = Recipe.from_dict(content)
        masking = recipe.methods[0] if len(recipe.methods) == 1 else None
        if not isinstance(masking, MaskUniques):
            raise ParameterError(
                "A study after the paper masks by mask-uniques.", 'Write [method] name = "mask-uniques".'
            )
        groups = set(dict(recipe.options.knowledge).values())
        if CENSUS not in groups or len(groups) < 2:
            raise ParameterError(
                "A study after the paper needs a group of census features and at least one other.",
                'Write [table.knowledge] with age = "census", hospital = "spatial" and so on.',
            )
        for name in recipe.options.roles.quasi:
            if name not in recipe.options.knowledge:
                raise ParameterError(
                    f"Nothing says to which group of features '{name}' belongs.",
                    f'Add it to [table.knowledge]: {name} = "{CENSUS}", or whatever an attacker knows it with.',
                )
        source = None if recipe.source is None else beside(path.parent, recipe.source)
        options = replace(recipe.options, masked=True)
        return cls(paper["name"], options, masking, paper["secret"], paper["where"], source)


def _paper(said: Any) -> dict[str, str]:
    if not isinstance(said, Mapping) or set(said) != set(_PAPER) or not all(isinstance(v, str) for v in said.values()):
        raise ParameterError(
            f"The section [paper] tells {', '.join(_PAPER)}, each a text.",
            'Write name = "…", secret = "charge" and where = "charge > 100000".',
        )
    Condition.parse(said["where"])
    return dict(said)


# Table S3 does not say whether hospital and length of stay count for a record to be unique. That all nine attributes do
# is the plain reading; that the stay does not agrees better with the other published numbers.
DISCHARGES = Setting(
    "discharges",
    ReadOptions(
        roles=Roles(quasi=QUASI, sensitive=SENSITIVE),
        # Of a column that is masked in every record nothing else tells that its values are numbers.
        kinds=dict.fromkeys((*QUASI, "charge"), "integer"),
        knowledge=KNOWLEDGE,
        masked=True,
    ),
    other_key=MASKING_KEY,
)
