"""What models about private items share: which published labels stand for these, as far as a release shows it."""

from __future__ import annotations

from abc import abstractmethod
from dataclasses import replace
from typing import Self, cast

import numpy as np

from shoal.arrays import Flags
from shoal.errors import ParameterError
from shoal.linked.private_items import STAR_TEXT, PublishedItems, covering, places_of, published_items, refuse_unknown
from shoal.linked.traces import TracePoints, Traces, traces_of
from shoal.models.linked_model import LinkedModel, Measured
from shoal.table import Table


class PrivateItemsModel(LinkedModel):
    """A promise about items that are named, whatever is published in their place.

    A release names nodes of a hierarchy, and not what they cover. So the promise says which published labels stand for
    private items (``groups``), and which of these for public ones too (``mixed``). Who knows a public item of a mixed
    group knows the group, and the group says something private; it is not concluded from itself.
    """

    private: tuple[str, ...]
    groups: tuple[str, ...] | None
    mixed: tuple[str, ...] | None

    def _settle_labels(self) -> None:
        for name in ("private", "groups", "mixed"):
            given = getattr(self, name)
            texts = (given,) if isinstance(given, str) else tuple(given or ())
            if not all(isinstance(text, str) for text in texts):
                raise ParameterError(f"'{name}' of {self.name} are names.", f"Write {name} = ['…'].")
            object.__setattr__(self, name, texts or (() if name == "private" else None))
        if not set(self.mixed or ()) <= set(self.groups or ()) - set(self.private):
            raise ParameterError(
                f"{self.name} names mixed groups that are none of private items, or are private alone.",
                "Leave out groups and mixed: they are found when something is released.",
            )

    def measured(self, table: Table) -> Measured:
        """Measure the model on people whose points are items."""
        traces = traces_of(table)
        self._insist(traces.points)
        items = published_items(traces.points, self.private, self.groups or (), self.mixed or ())
        return self.found(traces, items)

    @abstractmethod
    def found(self, traces: Traces, items: PublishedItems) -> Measured:
        """Measure the model on traces of which is known what labels stand for."""

    def for_release(self, original: TracePoints, released: TracePoints) -> Self:
        """Say which published labels stand for private items; refuse private items that the original does not know."""
        self._insist(original)
        refuse_unknown(original, self.private, self.name)
        found = covering(released, places_of(original, self.private))
        (written,) = released.texts()
        texts = np.array(written, dtype=object)
        shown: Flags = found.private & ~np.isin(texts, np.array([*self.private, STAR_TEXT], dtype=object))
        groups, mixed = (tuple(cast(list[str], texts[some].tolist())) for some in (shown, shown & found.known))
        return replace(self, groups=groups or None, mixed=mixed or None)  # type: ignore[type-var]

    def _insist(self, points: TracePoints) -> None:
        if not self.private:
            raise ParameterError(f"{self.name} needs the names of private items.", "Write private = ['…'].")
        if len(points.columns) != 1:
            raise ParameterError(
                f"{self.name} is about items, and points have several columns.", "Name one: --quasi item."
            )
