"""The best cut through a hierarchy, proved by integer programming (HiGHS)."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from shoal.arrays import Positions
from shoal.errors import InternalError
from shoal.extras import missing
from shoal.methods.traces.cut_search import CoverRows, LeafHolders
from shoal.progress import stage


def optimal_cut(leaves: LeafHolders, k: int, m: int, rows: CoverRows) -> Positions:
    """Give the cheapest k^m-anonymous cut. CoverRows that some solution does not hit are added until there are none.

    What costs least under fewer rows and breaks none costs least under all of them, so the last solution is the best.
    """
    try:
        import highspy
    except ImportError:
        raise missing("The best cut is proved with HiGHS", "optimal", "Or leave out the proof.") from None

    tree = leaves.tree
    solver: Any = highspy.Highs()  # type: ignore[no-untyped-call]
    for option, value in (("output_flag", False), ("mip_rel_gap", 0.0), ("mip_abs_gap", 1e-9), ("threads", 1)):
        solver.setOptionValue(option, value)
    inner = np.arange(tree.leaves, tree.number)
    if not inner.size:
        return tree.cut(np.zeros(tree.number, np.bool_))
    above = tree.parents[inner]
    more = tree.costs.astype(np.float64)
    own = inner[above != inner]
    np.subtract.at(more, tree.parents[own], tree.costs[own].astype(np.float64))
    unit = max(float(tree.costs[-1]), 1.0)
    raise_node = {int(v): solver.addBinary(obj=float(more[v]) / unit) for v in inner}
    for v in own.tolist():
        solver.addConstr(raise_node[int(tree.parents[v])] <= raise_node[v])
    _cover(solver, raise_node, rows.all)
    while True:
        stage("proving that no cut is better")
        solver.run()
        if solver.getModelStatus() != highspy.HighsModelStatus.kOptimal:
            raise InternalError("No best cut was found.", "Leave out the proof (optimal=false).")
        raised = np.zeros(tree.number, np.bool_)
        values = np.array(solver.getSolution().col_value)
        raised[inner] = values[: inner.size] > 0.5
        rare = leaves.first_too_rare(tree.cut(raised), k, m)
        if rare is None:
            return tree.cut(raised)
        _cover(solver, raise_node, rows.add(rare, tree))


def _cover(solver: Any, raise_node: dict[int, Any], rows: NDArray[np.int64]) -> None:
    """Ask that a node of every row is raised."""
    for row in np.unique(rows, axis=0).tolist():
        solver.addConstr(sum(raise_node[v] for v in row if v >= 0) >= 1)
