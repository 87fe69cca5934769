"""Values of a case that may come from other people: each is what it is shown as, or is refused."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Annotated

from pydantic import AfterValidator

from shoal.roles import DRAWN, Role


def _moment(at: str) -> str:
    try:
        datetime.fromisoformat(at).astimezone(UTC)
    except OverflowError:  # before the first year, or after the last
        raise ValueError("no moment") from None
    return at


def _given(role: Role) -> Role:
    if role in DRAWN:
        raise ValueError("only columns of a release have that role")
    return role


Moment = Annotated[str, AfterValidator(_moment)]
GivenRole = Annotated[Role, AfterValidator(_given)]
