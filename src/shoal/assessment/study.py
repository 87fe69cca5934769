"""Grids of releases: every method at every level and seed, measured, cached, and put into one tidy list of rows."""

from __future__ import annotations

import csv
import hashlib
import io
import itertools
import json
import time
import tomllib
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from shoal.atomic_files import all_or_none
from shoal.catalogue import build, describe, picked
from shoal.engines.sources import beside
from shoal.errors import GuaranteeError, ParameterError
from shoal.measures import Measure
from shoal.methods import Method
from shoal.models import PrivacyModel
from shoal.progress import counted
from shoal.progress.display import Progress, by_itself
from shoal.recipe import Recipe
from shoal.releases.anonymization import anonymize
from shoal.releases.release import STANDARD_MEASURES
from shoal.schema import RELEASED
from shoal.table import Table
from shoal.version import VERSION

Row = dict[str, Any]
COLUMNS = ("method", "parameters", "models", "seed", "measure", "value", "lower", "upper", "detail", "seconds")


@dataclass(frozen=True)
class Cell:
    """One release of a study: how the table is masked, what is promised and measured, and by which seed."""

    methods: tuple[Method, ...]
    models: tuple[PrivacyModel, ...]
    measures: tuple[Measure, ...]
    seed: int = 0

    @property
    def label(self) -> str:
        """The cell in a few words, for people."""
        levels = [f"{key}={value}" for model in self.models for key, value in describe(model).items() if key != "name"]
        ways = [f"{key}={value}" for key, value in describe(self.methods[-1]).items() if _short(key, value)]
        return " ".join([" + ".join(method.name for method in self.methods), *ways, *levels])

    def digest(self, table: Table) -> str:
        """Give a name to the cell's result that changes with the data, the recipe and the version."""
        recipe = Recipe.of(table, self.methods, self.models, self.measures, self.seed).to_dict()
        inputs = {"data": table.origin.sha256, "recipe": recipe, "version": VERSION}
        return hashlib.sha256(json.dumps(inputs, sort_keys=True, default=str).encode()).hexdigest()[:32]

    def run(self, table: Table) -> list[Row]:
        """Make the release and give one row per measure."""
        begun = time.process_time()
        measured = table.schema.of(*RELEASED)  # and not released, so they may name people
        release = anonymize(
            table, self.methods, self.models, measures=self.measures, seed=self.seed, allow_identifiers=measured
        )
        if release.broken:
            raise GuaranteeError(f"{self.label} does not keep its promise.", "Choose a method that enforces it.")
        seconds = round(time.process_time() - begun, 3)
        head = {
            "method": " + ".join(method.name for method in self.methods),
            "parameters": {key: value for key, value in describe(self.methods[-1]).items() if key != "name"},
            "models": {model.name: describe(model) for model in self.models},
            "seed": self.seed,
        }
        return [
            head | {
                "measure": found.measure, "value": float(found.value), "lower": float(found.lower),
                "upper": float(found.upper), "detail": found.detail, "seconds": seconds,
            }
            for found in release.scores
        ]  # fmt: skip


def _short(key: str, value: Any) -> bool:
    return key != "name" and isinstance(value, (int, float)) and not isinstance(value, bool)


@dataclass(frozen=True)
class Study:
    """A grid of releases of one table.

    Parameters
    ----------
    cells
        The releases.
    cache
        A folder in which the result of each cell is kept under a digest of the data, the recipe and the version. A
        study that was interrupted goes on where it stopped. None keeps nothing.

    Examples
    --------
    >>> import polars as pl, shoal
    >>> people = pl.DataFrame({"age": [34, 35, 61, 62, 70, 71], "ill": ["yes", "no", "no", "yes", "no", "no"]})
    >>> table = shoal.read(people, quasi=["age"], sensitive=["ill"])
    >>> methods = [shoal.methods.SortedClusters(), shoal.methods.Coarsen(2)]
    >>> study = shoal.Study.grid(methods, [{"name": "k-anonymity", "k": [2, 3]}])
    >>> [(row["method"], row["value"]) for row in study.run(table) if row["measure"] == "uniqueness"]
    [('sorted-clusters', 0.0), ('sorted-clusters', 0.0), ('coarsen', 0.0)]
    """

    cells: tuple[Cell, ...]
    cache: Path | None = None

    @classmethod
    def grid(
        cls,
        methods: Sequence[Method | str | Sequence[Method | str]],
        models: Sequence[Mapping[str, Any]] = (),
        measures: Sequence[Measure] = STANDARD_MEASURES,
        seeds: Sequence[int] = (0,),
        cache: str | Path | None = None,
    ) -> Study:
        """Cross methods with the levels of the models that they enforce, and with seeds.

        A model is given by its name and parameters, of which those that are lists are run through. A method that
        enforces none of the models is run once per seed.
        """
        cells: list[Cell] = []
        for method in [methods] if isinstance(methods, str) else methods:
            chain = picked("methods", method)
            enforced = {name for link in chain for name in link.enforces}
            levels = [list(_levels(model)) for model in models if model.get("name") in enforced]
            for chosen, seed in itertools.product(itertools.product(*levels), seeds):
                cells.append(Cell(chain, chosen, tuple(measures), seed))
        return cls(tuple(cells), None if cache is None else Path(cache))

    @classmethod
    def load(cls, path: str | Path, cache: str | Path | None = None) -> tuple[Study, Recipe]:
        """Read a study from TOML: a recipe in which parameters of models may be lists, and ``seeds`` a list."""
        place = Path(path)
        content = toml_of(place)
        models, seeds = content.pop("model", []), content.pop("seeds", [0])
        if not isinstance(seeds, list) or not all(isinstance(seed, int) for seed in seeds):
            raise ParameterError("'seeds' is not a list of whole numbers.", "Write seeds = [0, 1, 2].")
        recipe = Recipe.from_dict(content)
        if recipe.source is None:
            raise ParameterError("The study names no table.", "Add file = … to [table].")
        measures = STANDARD_MEASURES if recipe.measures is None else recipe.measures
        given = [models] if isinstance(models, Mapping) else models
        study = cls.grid(recipe.methods, given, measures, seeds, cache)
        return study, replace(recipe, source=beside(place.parent, recipe.source))

    def run(self, table: Table, progress: Progress | bool | None = None) -> list[Row]:
        """Run what is not in the cache, and give the rows of all cells in their order.

        Progress is shown or reported as by `show_progress`.
        """
        rows: list[Row] = []
        with by_itself("making releases", progress), counted(len(self.cells), alone=True) as part:
            for done, cell in enumerate(self.cells):
                part.what, part.done = f"{cell.label} ({done + 1} of {len(self.cells)})", done
                rows += self._kept(cell, table)
        return rows

    def _kept(self, cell: Cell, table: Table) -> list[Row]:
        rows: list[Row] = kept(self.cache, cell.digest(table), lambda: cell.run(table))
        return rows


def toml_of(path: Path) -> dict[str, Any]:
    """Read a study as plain values."""
    try:
        return tomllib.loads(path.read_text(encoding="utf-8"))
    except OSError as error:
        raise ParameterError(f"'{path}' cannot be read: {error.strerror}.", "Check its name and folder.") from None
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise ParameterError(f"The study is not TOML: {error}.", "Mend the line.") from None


def kept(cache: Path | None, name: str, work: Callable[[], Any]) -> Any:
    """Give a result from a cache of JSON files, or do the work and keep it."""
    if cache is None:
        return json.loads(json.dumps(work()))
    place = cache / f"{name}.json"
    if place.exists():
        return json.loads(place.read_text(encoding="utf-8"))
    content = json.dumps(work())
    cache.mkdir(parents=True, exist_ok=True)
    with all_or_none([place]) as (draft,):
        draft.write_text(content, encoding="utf-8")
    return json.loads(content)


def as_csv(rows: Sequence[Mapping[str, Any]]) -> bytes:
    """Give rows as CSV."""
    text = io.StringIO()
    names = list(dict.fromkeys(name for row in rows for name in row))
    writer = csv.DictWriter(text, names, lineterminator="\n")
    writer.writeheader()
    plain = (int, float, str, bool, type(None))
    writer.writerows({key: v if isinstance(v, plain) else json.dumps(v) for key, v in row.items()} for row in rows)
    return text.getvalue().encode()


def _levels(model: Mapping[str, Any]) -> Iterator[PrivacyModel]:
    """Give a model at each of its levels."""
    lists = {key: value for key, value in model.items() if isinstance(value, (list, tuple))}
    for values in itertools.product(*lists.values()):
        yield build("models", dict(model) | dict(zip(lists, values, strict=True)))
