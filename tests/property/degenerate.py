"""Tables at the edges: columns without a value, of one value, of the largest and smallest numbers, masked before.

Everything is drawn from a seed as texts of cells, and whether a published text covers an original one is told from the
two texts alone.
"""

import csv
import datetime
import random
from dataclasses import dataclass, field
from pathlib import Path

from property.independent import NOTHING, STAR, cell

# Texts of cells by kind: a column has few of them. What stands in the second line was masked before.
TEXTS = {
    "integer": (
        ["0", "5", "7", "-3", "2147483646", "-2147483647", "4000000000", "-9000000000000000000"],
        ["[0;5]", "[-3;7]", "[5;5]", "[-9000000000000000000;4000000000]", "1*"],
    ),
    "float": (
        ["0.0", "0.1", "-2.5", "1e308", "-1e308", "1.7976931348623157e308", "5e-324", "-5e-324", "1e-300", "2.2e-308"],
        ["[0.0;0.1]", "[-1e308;1e308]", "[0.6;0.9]", "[-1e308;0.0]", "[5e-324;1e-300]", "[5e-324;1e308]"],
    ),
    "date": (
        ["0001-01-01", "9999-12-31", "1970-01-01", "1969-12-31", "2000-02-29"],
        ["[0001-01-01;9999-12-31]", "[1969-12-31;2000-02-29]"],
    ),
    "datetime": (
        ["0001-01-01 00:00:00", "9999-12-31 23:59:59.999999", "1970-01-01 00:00:00", "2000-02-29 12:00:00.000001"],
        ["[0001-01-01 00:00:00;9999-12-31 23:59:59.999999]", "[1970-01-01 00:00:00;2000-02-29 12:00:00.000001]"],
    ),
    "category": (["a", "b", "c", "ab1", "ab2", "ac1"], ["{a;b}", "{a;b;c}", "ab*", "a**", "zz*"]),
    "ordered": (["low", "middle", "high"], ["[low;middle]", "[low;high]", "[middle;middle]"]),
    "tree": (["a", "b", "c"], ["x"]),
    "leaf": (["a"], []),
}  # fmt: skip
ORDER = ("low", "middle", "high")
# The hierarchies of the last two: three leaves, and one.
TREES = {"tree": [["a", "x", "*"], ["b", "x", "*"], ["c", "y", "*"]], "leaf": [["a", "*"]]}
LEAVES = {"x": {"a", "b"}, "y": {"c"}}
SHAPES = ("nothing", "stars", "nothing or star", "one", "few", "one or nothing", "few or star", "anything")


@dataclass(frozen=True)
class Degenerate:
    """A table as texts of cells, by column; the confidential one is ``s``."""

    columns: dict[str, list[str]]
    kinds: dict[str, str]
    folder: Path = field(compare=False)

    @property
    def rows(self) -> int:
        return len(self.columns["s"])

    @property
    def condition(self) -> str:
        """A condition on the confidential column that suits its values."""
        value = next(filter(None, self.columns["s"]), "x")
        return f"s = {value}" if value.isalpha() else "s > 1"

    @property
    def options(self) -> dict[str, object]:
        """Give what shoal is told of the columns."""
        plain = {name: kind for name, kind in self.kinds.items() if kind in TEXTS and kind not in ("ordered", *TREES)}
        trees = {name: str(self.folder / f"{kind}.csv") for name, kind in self.kinds.items() if kind in TREES}
        return {
            "quasi": list(self.kinds),
            "sensitive": ["s"],
            "kinds": plain,
            "orders": {name: ORDER for name, kind in self.kinds.items() if kind == "ordered"},
            "hierarchies": trees,
            "masked": True,
        }

    def write(self, name: str = "in.csv") -> Path:
        """Write the table and its hierarchies."""
        for tree, rows in TREES.items():
            (self.folder / f"{tree}.csv").write_text("".join(";".join(row) + "\n" for row in rows), "utf-8")
        path = self.folder / name
        with path.open("w", newline="", encoding="utf-8") as file:
            writer = csv.writer(file)
            writer.writerow(self.columns)
            writer.writerows(zip(*self.columns.values(), strict=True))
        return path


def drawn(draw: random.Random, folder: Path, *, most: int = 9) -> Degenerate:
    """Draw a table of one to three quasi-identifiers."""
    rows = draw.choice([1, 2, *range(3, most + 1)])
    kinds = {f"q{j}": draw.choice(list(TEXTS)) for j in range(draw.choice([1, 1, 2, 2, 3]))}
    columns = {name: _column(draw, kind, rows) for name, kind in kinds.items()}
    confidential = draw.choice([["x"], ["x", "y"], ["x", "y", "z", ""], ["1", "2", "5"], ["1e308", "-1e308", "0.5"]])
    columns["s"] = [draw.choice(confidential) for _ in range(rows)]
    return Degenerate(columns, kinds, folder)


def _column(draw: random.Random, kind: str, rows: int) -> list[str]:
    exact, masked = TEXTS[kind]
    few = draw.sample(exact, min(len(exact), draw.choice([2, 3, 4])))
    pools = {
        "nothing": [""],
        "stars": ["*"],
        "nothing or star": ["", "*"],
        "one": few[:1],
        "few": few,
        "one or nothing": [few[0], ""],
        "few or star": [*few, "*"],
        "anything": [*few, *masked, "", "*"],
    }
    pool = pools[draw.choice(SHAPES)]
    return [draw.choice(pool) for _ in range(rows)]


def covered(text: str, original: str, kind: str) -> bool:
    """Tell whether a published text covers all that an original one may stand for."""
    if text == "*":
        return True
    if "" in (text, original) or original == "*":
        return text == original
    if kind in ("category", *TREES):
        return _covers_categories(text, original)
    (low, high), (first, last) = _ends(text, kind), _ends(original, kind)
    return low <= first <= last <= high


def _covers_categories(text: str, original: str) -> bool:
    if text.endswith("*"):
        texts = [original] if original.endswith("*") else sorted(_members(original))
        return all(len(other) == len(text) and other.startswith(text.rstrip("*")) for other in texts)
    return text == original if original.endswith("*") else _members(text) >= _members(original)


def _members(text: str) -> frozenset[str]:
    return frozenset(LEAVES.get(text, ())) or cell(text, "category")


def _ends(text: str, kind: str) -> tuple[object, object]:
    if text == "1*":
        return 10, 19
    found = cell(text, kind, ORDER)
    assert found not in (STAR, NOTHING)
    return found


def within(text: str, kind: str) -> bool:
    """Tell whether a published cell is a cell at all: dates exist, and no range begins above its end."""
    if text in ("", "*") or kind in ("category", *TREES):
        return True
    low, high = _ends(text, kind)
    return low <= high and (kind != "datetime" or isinstance(low, datetime.datetime))
