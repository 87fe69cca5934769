"""What the first screen shows of what will come: the example table, as the workbench would protect it.

The numbers are those of `shoal.datasets.patients`, in which nobody exists. They stand here so that the first screen
needs no work to be done; a test measures them again.
"""

from __future__ import annotations

from typing import Any

from shoal.languages import _
from shoal.web.figures import map_of
from shoal.web.page_figure import Drawing

ALONE = 0.999  # share of people in the example who stand alone
# By method: k, what is kept of the detail, and the average risk.
CANDIDATES = {
    "hilbert": (
        (2, 0.9583, 0.5), (3, 0.9256, 0.333), (4, 0.8966, 0.25), (5, 0.8751, 0.2), (7, 0.8376, 0.1425),
        (10, 0.7973, 0.1), (15, 0.7417, 0.0665), (20, 0.7074, 0.05), (30, 0.6351, 0.029), (50, 0.5825, 0.02),
    ),
    "mondrian": (
        (2, 0.9235, 0.4185), (3, 0.8743, 0.2645), (4, 0.8403, 0.201), (5, 0.8116, 0.1555), (7, 0.7751, 0.107),
        (10, 0.7365, 0.076), (15, 0.6925, 0.0515), (20, 0.6485, 0.0355), (30, 0.5991, 0.0245), (50, 0.5451, 0.0155),
    ),
    "sorted-clusters": (
        (2, 0.7841, 0.5), (3, 0.6731, 0.333), (4, 0.6037, 0.25), (5, 0.5625, 0.2), (7, 0.5099, 0.1425),
        (10, 0.4664, 0.1), (15, 0.4258, 0.0665), (20, 0.4054, 0.05), (30, 0.3795, 0.033), (50, 0.3553, 0.02),
    ),
}  # fmt: skip
# The first rows of some columns, and what becomes of them with hilbert and k = 5.
COLUMNS = ("age", "sex", "zip", "stay", "diagnosis")
ROWS = (
    (("11", "female", "90408", "3", "heart failure"), ("[0;14]", "female", "[90408;90485]", "[1;4]", "heart failure")),
    (("78", "female", "90081", "1", "sepsis"), ("[64;78]", "female", "[90035;90084]", "[1;3]", "sepsis")),
    (("82", "male", "90185", "6", "depression"), ("[57;82]", "male", "[90113;90185]", "[3;6]", "depression")),
)


def first_look() -> dict[str, Any]:
    """Give the sentence, the map and the rows of the example."""
    return {"alone": ALONE, "figure": _map(), "columns": COLUMNS, "rows": ROWS}


def _map() -> Drawing:
    rows = [
        {"method": method, "k": k, "lost": 1 - kept, "risk": risk, "name": f"k = {k}" if method == "hilbert" else ""}
        for method, found in CANDIDATES.items()
        for k, kept, risk in found
    ]
    for row in rows:
        row["name"] = row["name"] if row["k"] in (2, 5, 50) else ""
        row["said"] = f"{row['method']}, k = {row['k']}"
    return map_of(
        rows,
        chosen="k = 5",
        frontier="method",
        title=_("The example, protected in thirty ways"),
        description=_("Lower is safer, further to the left keeps more. You choose with a slider."),
        height=210,
    )
