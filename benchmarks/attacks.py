"""Which method resists which attack, as docs/attacks.md shows: python benchmarks/attacks.py FOLDER [ROW …].

FOLDER holds Adult with its hierarchies, as ARX gives them; the other table is the stand-in for California's discharges.
Of each some 6,000 records are drawn, every fifth of them is held out, and the others are sorted by age, as exports
are. In a cell are Adult and the stand-in: the residual risk in percent of the worst of the attacks of that column.
"""

from __future__ import annotations

import sys
import tempfile
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import polars as pl

import shoal
from shoal.attacks import Minimality, RecordLinkage
from shoal.domains.hierarchy import Hierarchy
from shoal.methods import (
    MDAV,
    ROMM,
    VMDAV,
    FullDomain,
    Layers,
    Noise,
    Pram,
    PrivateAverages,
    PrivateTree,
    RankSwap,
    RecordSwap,
    SameClasses,
    SameSignatures,
    SecretBlind,
    Shuffle,
    Suppress,
    Synthesize,
)  # fmt: skip
from shoal.models import AlphaK, KAnonymity, LDiversity, MInvariance, PersonDiversity, PrivacyModel, TCloseness

K, L = KAnonymity(5), LDiversity(3)
MOST_EXCHANGED = 1000  # values of a column of numbers that are exchanged for each other
AVERAGED = 50  # records whose private average is released
LITTLE = 0.01  # a residual risk below which a method resists
COLUMNS = {
    "link": ("nearest record",),
    "guess": ("inference draw", "inference mode"),
    "single out": ("singling out",),
    "who is in it": ("membership", "dcr"),
    "shared secret": ("homogeneity", "background"),
    "ends": ("range ends",),
    "nodes": ("downcoding",),
    "order": ("row order", "class order", "rows in classes"),
    "minimality": ("minimality guess",),
    "several rows": ("several rows",),
    "two releases": ("intersection pinned", "intersection guess", "intersection alone"),
}
OF_ONE = ("inference", "singling-out", "membership", "closest-rows", "shared-secrets", RecordLinkage(nearest_only=True))
OF_CLASSES = ("range-ends", "row-order", "class-order")
Found = dict[str, tuple[float, bool]]  # of each attack, what is left, and whether that may be chance


@dataclass(frozen=True)
class People:
    """A table to release: everybody, a grid of ends, hierarchies, the roles of its columns, and which are places."""

    everybody: pl.DataFrame
    ends: dict[str, int]
    trees: dict[str, Any]
    quasi: list[str]
    secret: str
    places: tuple[str, ...]

    @property
    def held(self) -> pl.Series:
        """Tell who is not in the release."""
        return pl.arange(self.everybody.height, eager=True) % 5 == 4

    def read(self, frame: pl.DataFrame, **more: Any) -> Any:
        """Read some of the people."""
        return shoal.read(frame, **{"quasi": self.quasi, "sensitive": [self.secret]} | more)

    def leaves(self, frame: pl.DataFrame) -> Any:
        """Read some of the people with hierarchies."""
        return self.read(self.as_leaves(frame), hierarchies=self.trees)

    def as_leaves(self, frame: pl.DataFrame) -> pl.DataFrame:
        """Give columns that have hierarchies as texts, which leaves are."""
        return frame.with_columns(pl.col(list(self.trees)).cast(pl.String))


@dataclass(frozen=True)
class Way:
    """How a release is made, by a method or what gives one for some people, and the one that follows it."""

    method: Any = "hilbert"
    models: tuple[PrivacyModel, ...] = (K,)
    grid: bool = False
    row_order: str = "released"
    followed: str = "anew"

    @property
    def of_people(self) -> bool:
        """Tell whether it must be known whose the rows are."""
        return any(isinstance(each, (PersonDiversity, MInvariance)) for each in self.models)

    def release(self, table: Any, people: People, *, method: Any = None, models: Sequence[PrivacyModel] = ()) -> Any:
        """Make the release."""
        return shoal.anonymize(
            table, method or self.method, models or self.models, ends=people.ends if self.grid else None,
            no_promise=not self.models, row_order=self.row_order, measures=["information-loss"], seed=1,
            allow_identifiers=[*people.quasi, people.secret],
        )  # fmt: skip


WAYS = {
    "`hilbert`, k = 5": Way(),
    "– in the order of the input": Way(row_order="input"),
    "– ends on a grid (`--ends`)": Way(grid=True),
    "– α = 0.5": Way(models=(K, AlphaK(0.5))),
    "– l = 3": Way(models=(K, L)),
    "– t = 0.4": Way(models=(K, TCloseness(0.4))),
    "– two secrets a person (`--person-l`)": Way(models=(K, PersonDiversity(2))),
    "– then `same-classes` (`--like`)": Way(followed="like"),
    "`secret-blind`, l = 3": Way(SecretBlind(), (K, L)),
    "– `spread=0.5`": Way(SecretBlind(spread=0.5), (K, L)),
    "`same-signatures`, m = 3": Way(SameSignatures(), (K, MInvariance(3)), followed="signatures"),
    "`mondrian`": Way("mondrian"),
    "`mdav`, means": Way(MDAV(publish="mean")),
    "`v-mdav`": Way(VMDAV()),
    "`sorted-clusters`": Way("sorted-clusters"),
    "`suppress`": Way(Suppress()),
    "`full-domain`": Way(FullDomain()),
    "`layers`": Way(Layers()),
    "`noise`": Way(Noise(), ()),
    "`rank-swap`": Way(RankSwap(percent=10), ()),
    "`record-swap`": Way(lambda people: RecordSwap(people.places), ()),
    "`romm`": Way(ROMM(), ()),
    "`shuffle`": Way(lambda people: Shuffle((people.secret,)), ()),
    "`pram`": Way(Pram(), ()),
    "`synthesize`": Way(Synthesize(), ()),
    "`private-tree`, ρ = 0.5": Way("private", ()),
    "`private-averages`, ρ = 0.5": Way("averages", ()),
}


def adult(folder: Path) -> People:
    """Read every fifth record of Adult: eight quasi-identifiers, of which age is a number, and the occupation."""
    frame = pl.read_csv(folder / "adult.csv", separator=";").gather_every(5)
    quasi = [name for name in frame.columns if name != "occupation"]
    trees = {name: str(folder / f"adult_hierarchy_{name}.csv") for name in quasi}
    return People(frame, {"age": 5}, trees, quasi, "occupation", ("native-country",))


def discharges() -> People:
    """Draw from the stand-in: nine quasi-identifiers, and the range that the main diagnosis lies in as the secret."""
    from shoal_paper.datasets.discharges import discharges as stand_in

    frame = pl.from_arrow(stand_in(6_000).to_arrow())
    assert isinstance(frame, pl.DataFrame)
    kind = pl.col("diag_p").cast(str).str.zfill(5).str.head(2).alias("ill")
    frame = frame.select(pl.exclude("charge", "diag_p"), kind)
    ends = {"oshpd_id": 10_000, "patzip": 100, "patcnty": 5, "age_yrs": 5, "los": 5}
    trees = {
        name: Hierarchy.build(f"intervals {step},{4 * step},{16 * step}", map(str, frame[name].unique().sort()), name)
        for name, step in ends.items()
    }
    return People(frame, ends, trees, frame.columns[:-1], "ill", ("patcnty", "patzip"))


def found_in(people: People, way: Way) -> tuple[Found, float | None]:
    """Release, attack, and give what is left for each attack, and the loss."""
    order = people.quasi[[name.startswith("age") for name in people.quasi].index(True)]
    kept = people.everybody.filter(~people.held).sort(order, maintain_order=True)
    others = people.everybody.filter(people.held)
    if way.method in ("private", "averages"):
        return _private(people, kept, others, averages=way.method == "averages")
    way = replace(way, method=way.method(people)) if callable(way.method) else way
    try:
        if isinstance(way.method, FullDomain | Layers):
            table, others = people.leaves(kept), people.as_leaves(others)
        elif way.of_people:
            table = people.read(kept.with_row_index("who").cast({"who": pl.String}), subject="who")
        elif isinstance(way.method, Shuffle):  # of secrets, in an order that means nothing
            table = people.read(kept, orders={people.secret: sorted(people.everybody[people.secret].unique())})
        elif isinstance(way.method, Pram) and all(each.is_numeric() for each in kept[people.quasi].dtypes):
            few = [name for name in people.quasi if kept[name].n_unique() <= MOST_EXCHANGED]
            table = people.read(kept, kinds=dict.fromkeys(few, "category"))
        else:
            table = people.read(kept)
        release = way.release(table, people)
    except shoal.errors.ShoalError as failure:
        print(failure, file=sys.stderr)
        return {}, None
    bare = people.read(kept) if way.of_people else table  # the attack on people needs no names of them
    found = _left(bare, release, OF_ONE + OF_CLASSES * bool(way.models), holdout=others)
    if way.models:
        found |= _left(bare, release, "intersection", beside=_next(table, people, way, release))
        found |= _how_made(people, way)
    return found, release.scores["information-loss"].value


def _next(table: Any, people: People, way: Way, release: Any) -> Any:
    """Give a release of the same people that follows: with k = 7, or with the same signatures."""
    models = [KAnonymity(7), *way.models[1:]]
    if way.followed == "anew":
        return way.release(table, people, models=models)
    with tempfile.TemporaryDirectory() as folder:
        release.write(Path(folder) / "first.csv")
        if way.followed == "like":
            return way.release(table, people, method=SameClasses(Path(folder) / "first.csv"), models=models)
        return way.release(table, people, method=SameSignatures(Path(folder) / "first.private.json"))


def _how_made(people: People, way: Way) -> Found:
    """Try what it tells how releases are made.

    Downcoding is tried with hierarchies; minimality on every fourth record; of several rows, three each are
    put down to one person, who has the secret of the first.
    """
    kept, others = people.everybody.filter(~people.held), people.everybody.filter(people.held)
    person = pl.int_range(kept.height // 3 * 3, eager=True) // 3
    of_first = pl.col(people.secret).gather(person * 3)
    visits = kept.head(person.len()).with_columns(of_first, who=person.cast(str))
    asked: list[tuple[Any, Any, dict[str, Any]]] = [
        (people.read(visits, subject="who"), "several-rows", {}),
        (people.read(kept.gather_every(4)), Minimality(worlds=50), {}),
        (people.leaves(kept), "downcoding", {"holdout": people.as_leaves(others)}),
    ]
    found: Found = {}
    for table, attack, more in asked:
        if way.of_people and (attack != "several-rows" or way.followed == "signatures"):
            continue
        try:
            release = replace(way, grid=False).release(table, people)
        except shoal.errors.ShoalError as failure:
            print(failure, file=sys.stderr)
            continue
        found |= _left(table, release, attack, **more)
    return found


def _private(people: People, kept: pl.DataFrame, others: pl.DataFrame, *, averages: bool) -> tuple[Found, float | None]:
    """Attack a private release of all columns, whose domains are what the data have.

    Averages are of numbers: categories are their places in the alphabet there.
    """
    everybody = people.everybody
    if averages:
        coded = [name for name, dtype in everybody.schema.items() if not dtype.is_numeric()]
        places = {name: {value: i for i, value in enumerate(sorted(everybody[name].unique()))} for name in coded}
        everybody, kept, others = (
            frame.with_columns(pl.col(name).replace_strict(places[name], return_dtype=pl.Int64) for name in coded)
            for frame in (everybody, kept, others)
        )
    domains = {}
    for name in kept.columns:
        values = everybody[name].drop_nulls()
        if values.dtype.is_numeric():
            step = people.ends.get(name, 1)
            lo, hi = (int(each // step * step) for each in (values.to_numpy().min(), values.to_numpy().max() + step))
            domains[name] = f"{lo}..{hi} step {step}"
        else:
            domains[name] = ",".join(sorted(values.unique()))
    table = shoal.read(kept, quasi=kept.columns)
    method = PrivateAverages(domains, k=AVERAGED, rho=0.5) if averages else PrivateTree(domains, rho=0.5)
    release = shoal.anonymize(table, method, measures=[], allow_identifiers=kept.columns)
    return _left(table, release, OF_ONE, holdout=others, secret=people.secret), None


def _left(table: Any, release: Any, attacks: Any, **more: Any) -> Found:
    """Give what is left for each attack that can be tried, and whether that may be chance."""
    found: Found = {}
    for each in shoal.attack(table, release, attacks=attacks, **more)["attacks"]:
        value = each["residual"]
        if value is None:  # without a control the rate; and nothing can be left of what succeeds with others, too
            value = each["rate"] if each["control"] is None else 0.0
        low = value if each["low"] is None else each["low"]
        found[each["name"]] = value, low <= 0
    return found


def cell(found: Found, names: Sequence[str]) -> str:
    """Write the worst of some attacks in percent."""
    tried = [found[name] for name in names if name in found]
    if not tried:
        return "–"
    value, chance = max(tried)
    return "resists" if value < LITTLE else f"{100 * value:.0f}{'?' if chance else ''}"


def both(cells: Iterator[str]) -> str:
    """Write what is true of Adult and of the stand-in, once if it is the same."""
    first, second = cells
    return first if first == second and not first[0].isdigit() else f"{first} / {second}"


def main(folder: Path, wanted: Sequence[str]) -> None:
    """Print the table, or the rows of it that are named in part."""
    tables = adult(folder), discharges()
    print(f"| release | {' | '.join(COLUMNS)} | loss |\n|{' --- |' * (len(COLUMNS) + 2)}")
    for what, way in WAYS.items():
        if wanted and not any(each in what for each in wanted):
            continue
        start = time.process_time()
        found = [found_in(people, way) for people in tables]
        cells = [both(cell(each, names) for each, _ in found) for names in COLUMNS.values()]
        cells.append(both("–" if loss is None else f"{loss:.2f}" for _, loss in found))
        print(f"| {what} | {' | '.join(cells)} |", flush=True)
        print(f"{what}: {time.process_time() - start:.1f} CPU s", file=sys.stderr, flush=True)


if __name__ == "__main__":
    main(Path(sys.argv[1]), sys.argv[2:])
