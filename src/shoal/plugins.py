"""What other packages add through entry points: methods, models, measures, commands, and tables to try things on."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from shoal.errors import ParameterError

if TYPE_CHECKING:
    from importlib.metadata import EntryPoint


def added(group: str) -> Mapping[str, EntryPoint]:
    """Give what packages add to ``shoal.methods``, ``shoal.commands`` and so on, by the names they give it."""
    from importlib.metadata import entry_points  # costs more than all the rest, and is seldom needed

    return {point.name: point for point in entry_points(group=group)}


def load(point: EntryPoint) -> Any:
    """Load what a package adds, or say which package cannot be used."""
    try:
        return point.load()
    except Exception as error:
        package = point.dist.name if point.dist else point.module
        raise ParameterError(
            f"'{point.name}' of the package {package} cannot be loaded ({type(error).__name__}).",
            f"Mend or uninstall {package}.",
        ) from error
