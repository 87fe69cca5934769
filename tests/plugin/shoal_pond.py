"""One thing of each kind that a package may add to shoal: a method, a model, a measure, a command and a table."""

from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, ClassVar

import numpy as np
import typer

import shoal
from shoal.measures import Score


@dataclass(frozen=True)
class Crowd(shoal.models.KAnonymity):
    """k-anonymity under a name of its own."""

    name: ClassVar[str] = "crowd"


@dataclass(frozen=True)
class ByTurns:
    """Put the records into groups by turns, as cards are dealt."""

    name: ClassVar[str] = "by-turns"
    enforces: ClassVar[tuple[str, ...]] = ("crowd", "k-anonymity")

    def apply(self, table, models, seed):
        """Give the masked table."""
        groups = table.rows // max(model.k for model in models)
        labels = table.combine(lambda place: (place % groups).astype(np.int32), table.rank([]))
        return table.generalize(labels, groups)

    def explain(self, table, models):
        """Say in one sentence what is done."""
        return "Dealt the records to groups by turns."


@dataclass(frozen=True)
class LargestClass:
    """The size of the largest class, or a multiple of it."""

    name: ClassVar[str] = "largest-class"
    direction: ClassVar[str] = "describes"
    range: ClassVar[tuple[float, float]] = (1.0, float("inf"))
    known: tuple[str, ...] | None = None
    times: int = 1

    def carries(self, schema):
        """Look at nothing but the sizes of classes."""
        return ()

    def part(self, classes, schema):
        """Give the largest class of a part of them."""
        return int(classes.sizes.max())

    def finish(self, parts):
        """Give the largest of all."""
        return Score.exact(self.name, float(self.times * max(parts)), {})


def wave(times: Annotated[int, typer.Option(help="How often.")] = 1) -> None:
    """Wave."""
    typer.echo(" ".join(["wave"] * times))


def fish(out: Annotated[Path, typer.Option("--out", "-o", help="Where the table goes.")]) -> None:
    """Make a table of fish."""
    out.write_text("length,depth\n" + "".join(f"{20 + i},{i % 3}\n" for i in range(12)), encoding="utf-8")
