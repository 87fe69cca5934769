"""The order of rows: whether it bounds what a range hides."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from shoal.attacks import Success
from shoal.attacks.residual import Rate
from shoal.attacks.scene import Scene
from shoal.measures.order_leak import OrderLeak


@dataclass(frozen=True)
class OrderOfRows:
    """If the original was sorted and the rows kept their order, neighbours bound each other's ranges.

    The rate is the share of records of which fewer than k fit once the order is used (`OrderLeak`); by their cells
    alone, which is the control, none do. A release that is written in the released order tells nothing by it.

    References
    ----------
    L. Sweeney: k-anonymity: a model for protecting privacy, IJUFKS 10(5), 2002, doi:10.1142/S0218488502001648.
    """

    name: ClassVar[str] = "row-order"

    def lacks(self, scene: Scene) -> str | None:
        """Say what would have to be known: nothing."""
        return None

    def successes(self, scene: Scene) -> tuple[Success, ...]:
        """Narrow the ranges by the order of the rows."""
        released = scene.released
        if scene.reordered:
            released = released.in_released_order()[0]
        found = OrderLeak().look(released)
        sentence = OrderLeak.sentence(found.detail)
        return (Success.of("row order", Rate(found.value), Rate(0.0), sentence, dict(found.detail)),)
