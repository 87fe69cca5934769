"""What becomes of a promise when classes are merged, as each model says of itself."""

from __future__ import annotations

from typing import Literal, Protocol, runtime_checkable

from shoal.models import PrivacyModel
from shoal.schema import Schema

Monotone = Literal["always", "without suppression", "never"]


@runtime_checkable
class Merging(Protocol):
    """A model that knows what merging does to it.

    ``always``: a class that keeps the promise keeps it whatever it is merged with, so that coarser levels never break
    more. ``without suppression``: classes that all keep it do so together, but one that does not may be stronger than
    one that does. Other models need not say anything, and nothing is concluded for them.
    """

    def monotone(self, schema: Schema) -> Monotone:
        """Say what merging does to the promise."""
        ...


def monotone(model: PrivacyModel, schema: Schema) -> Monotone:
    """Give what a model says of itself.

    Examples
    --------
    >>> from shoal.models.k_anonymity import KAnonymity
    >>> monotone(KAnonymity(5), Schema(()))
    'always'
    """
    return model.monotone(schema) if isinstance(model, Merging) else "never"
