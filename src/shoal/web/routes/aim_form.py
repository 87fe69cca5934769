"""The form in which a way to protect the table is chosen: sliders, fields, and the parameters of methods."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from pydantic import BaseModel, ConfigDict, Field, field_validator

from shoal.web.cases.aims import ALONE, GUARDS, IN_POPULATION, K_LEVELS, K_USUAL, Aim, place_of
from shoal.web.cases.method_steps import (
    FIRST_SETTING,
    OF_ITS_OWN,
    SETTING,
    THEN_SETTING,
    MethodStep,
    of_its_own,
    parameters,
    promises,
    read,
)
from shoal.web.cases.promise_terms import TERM, terms


class ChosenAim(BaseModel):
    """What the form says. A slider gives the place of a level in its list, a field beside it any other number."""

    model_config = ConfigDict(extra="allow")  # fields for the parameters of methods

    method: str
    k: int | None = None
    k_place: int | None = Field(None, ge=0, lt=len(K_LEVELS))
    alone: bool = False
    guard: str = "none"
    level: float | None = None
    level_place: int | None = Field(None, ge=0)
    column: str = ""
    first: str = ""
    then: str = ""
    whole: bool = False

    @field_validator("k", "level", "k_place", "level_place", mode="before")
    @classmethod
    def _nothing(cls, text: Any) -> Any:
        return None if text == "" else text

    def aim(self, before: Aim, secrets: Sequence[str]) -> Aim:
        """Give what is meant by someone who sees what was chosen before; what is not said of a method is as usual."""
        guard, level, column = self._promise(before, secrets)
        alone = guard in ALONE and (self.alone or (guard == OF_ITS_OWN != before.guard))
        k = 0 if alone else int(_wanted(K_LEVELS, self.k, self.k_place, before.k or K_USUAL))
        first, own, then = (
            self._step(name, start)
            for name, start in ((self.first, FIRST_SETTING), (self.method, SETTING), (self.then, THEN_SETTING))
        )
        if not promises(self.method):
            k, guard, level, column, first = 0, "none", 0.0, "", None
        said = "" if guard == "none" else terms(guard, _said(self.model_extra or {}, TERM, guard, "models"))
        return Aim(self.method, k, guard, level, column, own.given if own else "", first, then, said)

    def _step(self, name: str, start: str) -> MethodStep | None:
        return MethodStep.of({**_said(self.model_extra or {}, start, name), "name": name}) if name else None

    def _promise(self, before: Aim, secrets: Sequence[str]) -> tuple[str, float, str]:
        own = of_its_own(self.method)
        guard = OF_ITS_OWN if own else "none" if self.guard == OF_ITS_OWN else self.guard
        about_secret = guard not in IN_POPULATION
        if guard == "none" or (about_secret and not secrets):
            return "none", 0.0, ""
        slider = GUARDS.get(guard)
        level = slider.usual if slider else 0.0
        if guard == before.guard:
            level = _wanted(GUARDS[guard].levels, self.level, self.level_place, before.level)
        if not about_secret:
            return guard, level, ""
        return guard, level, self.column if self.column in secrets else secrets[0]


def _said(fields: Mapping[str, str], before: str, name: str, shelf: str = "methods") -> dict[str, Any]:
    """Give the parameters that fields give a thing; fields of another, which was chosen until now, are not meant."""
    start = f"{before}{name}."
    named = {each.name for each in parameters(name, shelf)} if any(key.startswith(start) for key in fields) else set()
    return read(name, {each: text for each in named if (text := fields.get(f"{start}{each}"))}, shelf)


def _wanted(levels: Sequence[float], typed: float | None, place: int | None, before: float) -> float:
    """Tell which level is meant: what was typed, unless only the slider was moved, as can be where no script runs."""
    inside = place is not None and place < len(levels)
    if typed is not None and (not inside or typed != before or place_of(levels, typed) == place):
        return typed
    return levels[place] if place is not None and inside else before
