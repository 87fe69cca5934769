"""A red team: all attacks on a release, beside what happens to people who are not in it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, replace
from pathlib import Path
from typing import Any, Unpack

import numpy as np

from shoal.assessment.comparison import like_original
from shoal.assessment.row_pairing import paired, record_of
from shoal.attacks import Attack, Success
from shoal.attacks.scene import SAMPLE, USUAL, Scene
from shoal.attacks.words import share
from shoal.catalogue import entries, picked
from shoal.certification.private_record import UNPAIRED, PrivateRecord
from shoal.domains.foreign_notation import ForeignColumn
from shoal.engines import AnyEngine, engine_for, read
from shoal.engines.io.streams import at_hand
from shoal.engines.sources import Source
from shoal.errors import ParameterError, SchemaError
from shoal.findings import Findings
from shoal.kernels import MISSING, TOP
from shoal.measures.reidentification.erring_attacker import checked_rate
from shoal.measures.statistics.sampling import check_sampling
from shoal.progress import stage
from shoal.progress.display import by_itself
from shoal.recipe import Recipe
from shoal.releases.release import Release
from shoal.schema import ReadArguments, ReadOptions, names_given
from shoal.table import Table
from shoal.table_input import options_of, refuse_late


class RedTeam(Findings):
    """How often each attack on a release succeeds, beside its control; ``successes`` has them with their details."""

    successes: Sequence[Success] = ()

    def caption(self) -> str:
        """Say what was attacked."""
        return f"{len(self['attacks'])} attacks on {self['records']:,} released records"

    def rows(self) -> Iterator[list[str]]:
        """Give a line for each attack."""
        yield ["", "succeeds", "control", "residual risk", "95 %"]
        for found in self.successes:
            bounds = "exact" if found.low == found.high else f"{_share(found.low)} to {_share(found.high)}"
            yield [
                found.name, share(found.rate), _share(found.control), _share(found.residual),
                "–" if found.residual is None else bounds,
            ]  # fmt: skip

    def remarks(self) -> Iterator[str]:
        """Say what each attack found, and which could not be tried."""
        yield from (found.sentence for found in self.successes)
        for found in self["not_tried"]:
            yield f"Not tried: {found['name']}, because {found['why']}."


def _share(value: float | None) -> str:
    return "–" if value is None else share(value)


def attack(
    original: Any,
    released: Any,
    *,
    known: str | Sequence[str] = (),
    secret: str | None = None,
    holdout: Any = None,
    beside: Any = (),
    errors: Mapping[str, float] | None = None,
    private: str | Path | PrivateRecord | Sequence[str | Path | PrivateRecord] = (),
    same_order: bool = False,
    attacks: Attack | str | Sequence[Attack | str] = (),
    most: int | None = None,
    seed: int = 0,
    **given: Unpack[ReadArguments],
) -> RedTeam:
    """Attack a release, and set beside each success how often it comes about with people who are not in the release.

    Parameters
    ----------
    original
        The original: a table that was read, or whatever `read` reads.
    released
        A release of it, of whatever tool: as `anonymize` gives it, or a file, a table in a database, or a frame.
    known
        The columns that the attacker knows of people; all quasi-identifiers if left out.
    secret
        The confidential column that he wants to learn; the first confidential one, if left out.
    holdout
        People who are not in the release, in a table with the columns of the original: they tell what happens anyway.
    beside
        Other releases that have some of the same people: one, or several in a list.
    errors
        How likely what he knows of some columns is wrong, such as ``{"los": 0.3}``: wrong values are drawn.
    private
        The private record of the release, or its path, which says which row is whose; one beside the release is found.
    same_order
        Whether the rows of the release stand in the order of the original, as other tools leave them.
    attacks
        Which attacks; all of them if left out.
    most
        So many people, or rows, are looked at in each part of an attack; of more, a sample. If left out, all of up to
        30,000, and else 10,000.
    seed
        The seed by which they are chosen.
    **given
        How to read the original, if it is no table yet: ``quasi`` and all else that `read` takes. May be left out if
        the release comes from `anonymize`.

    Examples
    --------
    >>> import polars as pl, shoal
    >>> people = pl.DataFrame({"age": [34, 35, 61, 62], "ill": ["flu", "flu", "hiv", "flu"]})
    >>> others = pl.DataFrame({"age": [33, 63], "ill": ["flu", "flu"]})
    >>> release = shoal.anonymize(people, quasi="age", sensitive="ill", k=2)
    >>> found = shoal.attack(people, release, holdout=others)
    >>> [(each["name"], each["rate"], each["control"]) for each in found["attacks"]][:2]
    [('inference draw', 0.75, 0.75), ('inference mode', 0.75, 0.75)]
    """
    check_sampling(USUAL if most is None else most, seed)
    if isinstance(original, Release):
        raise ParameterError("A release stands in the place of the original.", "Give the original first.")
    asked: tuple[Attack, ...] = picked("attacks", attacks or tuple(entries("attacks")))
    with by_itself("reading the original"):
        before, options = _original(original, released, given, secret)
        looked_at = most or (USUAL if before.rows <= USUAL else SAMPLE)
        names = names_given("known", known)
        for name in names:
            if name not in before.schema.quasi:
                raise SchemaError.missing_column(name, before.schema.quasi)
        after = _beside(released, before, options)
        others = None if holdout is None else _beside(holdout, before, options, released=False)
        hidden = secret if secret is not None else next(iter(before.schema.sensitive), None)
        if hidden is not None and hidden not in after.schema.names:
            hidden = None
        more = beside if isinstance(beside, list | tuple) else [beside]
        with_it = tuple(_beside(each, before, options) for each in more)
        recipe = released.recipe if isinstance(released, Release) else None
        wrong = {name: checked_rate(name, rate) for name, rate in (errors or {}).items()}
        for name in wrong:
            if name not in (names or before.schema.quasi):
                raise SchemaError.missing_column(name, names or before.schema.quasi)
        own = _paired(released, after, before, private, same_order=same_order)
        scene = Scene(
            before,
            after,
            others,
            names or before.schema.quasi,
            hidden,
            looked_at,
            seed,
            with_it,
            recipe,
            errors=wrong,
            paired=own,
        )
        found = RedTeam(
            records=after.rows, quasi=list(before.schema.quasi), known=list(scene.known), secret=hidden, attacks=[],
            not_tried=[],
        )  # fmt: skip
        successes: list[Success] = []
        for each in asked:
            lacking = each.lacks(scene)
            if lacking is not None:
                found["not_tried"].append({"name": each.name, "why": lacking})
                continue
            stage(f"trying {each.name}")
            successes += each.successes(scene)
    found.successes = successes
    found["attacks"] = [asdict(each) for each in successes]
    return found


def _original(given: Any, released: Any, said: ReadArguments, secret: str | None) -> tuple[Table, ReadOptions]:
    """Give the original, and how it was read."""
    options, places = options_of(said, attack)
    if isinstance(given, Table):
        refuse_late("original", said)
        if secret is not None and secret not in given.schema.names:
            raise SchemaError.missing_column(secret, given.schema.names)
        return given, Recipe.of(given, (), (), (), 0).options
    made = released if isinstance(released, Release) else None
    if not (options.roles.quasi or options.roles.last_sensitive):
        if made is None:
            raise ParameterError("No quasi-identifier is named.", "Name them: quasi=['age', 'zip'] (--quasi age,zip).")
        options = made.recipe.options
    roles = options.roles
    if secret is not None and not roles.last_sensitive and secret not in (*roles.sensitive, *roles.plain):
        options = replace(options, roles=replace(roles, sensitive=(secret, *roles.sensitive)))
    source = at_hand(given)
    files = [each for each in (released,) if not isinstance(each, Release | Table)]
    held: AnyEngine = made.table.engine if made is not None else engine_for([source, *files], options, **places)
    return read(source, engine=held, options=options), options


def _paired(given: Any, after: Table, before: Table, private: Any, *, same_order: bool) -> Table | None:
    """Give the release with its rows in the order of the original, if that is known."""
    if isinstance(given, Release):
        return after if given.origin.sha256 == before.origin.sha256 else None
    if same_order:
        if after.rows != before.rows:
            raise ParameterError(
                f"The release has {after.rows:,} rows, and the original {before.rows:,}.",
                "Rows that were left out stand in no order: leave --same-order out.",
            )
        return after
    records = [
        each if isinstance(each, PrivateRecord) else PrivateRecord.load(each)
        for each in (private if isinstance(private, Sequence) and not isinstance(private, str) else [private])
    ]
    source = Source.parse(given) if isinstance(given, str | Path | Source) else None
    record = record_of(after, source, records)
    if after.rows != before.rows or record is None or record.content["row_order"] == UNPAIRED:
        return None
    if not records and record.content["input"]["sha256"] != before.origin.sha256:
        return None  # it lies beside the release, and nobody said that this was its original
    return paired(after, source, before, records)


def _beside(given: Any, before: Table, options: ReadOptions, *, released: bool = True) -> Table:
    """Give a release, or other people, as the original was read."""
    if isinstance(given, Release):
        return given.table
    if isinstance(given, Table):
        return given
    like = replace(like_original(before, options), released=released)
    if released:
        nodes = tuple(name for name in like.roles.sensitive if name in like.hierarchies)  # they may be generalized too
        kept = tuple(name for name in like.roles.sensitive if name not in nodes)
        roles = replace(like.roles, quasi=(*like.roles.quasi, *nodes), sensitive=kept)
        like = replace(like, roles=roles, foreign=dict(_foreign(before)))
    return read(at_hand(given), engine=before.engine, options=like)


def _foreign(before: Table) -> Iterator[tuple[str, ForeignColumn]]:
    """Say what the original tells of each column, for cells that another tool wrote in its own way."""
    for attribute in before.schema.attributes:
        axis = attribute.axis
        if axis.tree is None and not axis.numeric:
            values = dict.fromkeys(map(str, [] if axis.values is None else axis.values))
            yield attribute.name, ForeignColumn(axis.kind, values)
        elif axis.tree is None:
            ends = before.cells([attribute.name], np.arange(before.rows))
            shown = [side[(side != MISSING) & (side != TOP)] for side in ends]
            low, high = (
                (axis.text(int(side)) for side in (shown[0].min(), shown[1].max())) if shown[0].size else (None, None)
            )
            yield attribute.name, ForeignColumn(axis.kind, (), low, high)
