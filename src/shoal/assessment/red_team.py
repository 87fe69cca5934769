"""A red team: all attacks on a release, beside what happens to people who are not in it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, replace
from pathlib import Path
from typing import Any, Unpack

from shoal.assessment.how_made import read_as, recipe_behind, recipe_given
from shoal.assessment.other_releases import outsiders_of, release_of
from shoal.assessment.row_pairing import paired, record_of
from shoal.assessment.set_aside import made_without, set_aside, whose_rows
from shoal.attacks import Attack, Success
from shoal.attacks.scene import SAMPLE, USUAL, Scene
from shoal.attacks.words import share
from shoal.catalogue import entries, picked
from shoal.certification.private_record import UNPAIRED, PrivateRecord
from shoal.engines import AnyEngine, default_engine, engine_for, read
from shoal.engines.io.streams import at_hand
from shoal.engines.memory import format_size
from shoal.engines.sources import Source
from shoal.errors import ParameterError, SchemaError
from shoal.findings import Findings
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
        number = len(self["attacks"])
        return f"{number} attack{'s' * (number != 1)} on {self['records']:,} released records"

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
        if self["control"] is None:
            yield self["no_control"]
        elif self["control"]["set_aside"] is not None:
            yield (
                f"What was attacked is a release made again by the recipe without {self['control']['records']:,} "
                "records, whose people were set aside: they are the control."
            )
        if "memory" in self:
            yield self["memory"]
        for found in self["not_tried"]:
            yield f"Not tried: {found['name']}, because {found['why']}."


def _share(value: float | None) -> str:
    return "–" if value is None else share(value)


_CELL = 128  # bytes that a cell takes in rows and in all their trees, if no two rows are equal


def _held(scene: Scene) -> str | None:
    """Say what attacks hold in memory of tables that are kept elsewhere, because they are too large for it."""
    if scene.original.engine.name == default_engine().name:
        return None
    tables = (scene.original, scene.released, scene.outsiders, *scene.beside)
    most = sum(table.rows for table in tables if table is not None) * len(scene.columns) * _CELL
    return (
        f"Tables are held by the engine '{scene.original.engine.name}', but attacks hold their different rows in "
        f"memory, whatever --memory says: up to about {format_size(most)} here, and less with fewer attacks."
    )


_NO_CONTROL = (
    "Nobody is known who is not in the release, so attacks have no control: give such people (--holdout FILE), or let "
    "the release be made again without some of its people (--set-aside 0.2), by its recipe or its certificate."
)


def attack(
    original: Any,
    released: Any = None,
    *,
    known: str | Sequence[str] = (),
    secret: str | None = None,
    holdout: Any = None,
    set_aside: float | None = None,
    recipe: Recipe | str | Path | None = None,
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
        A release of it, of whatever tool: as `anonymize` gives it, or a file, a table in a database, or a frame. May
        be left out where one is made: with ``set_aside`` and ``recipe``.
    known
        The columns that the attacker knows of people; all quasi-identifiers if left out.
    secret
        The confidential column that he wants to learn; the first confidential one, if left out.
    holdout
        People who are not in the release, in a table with the columns of the original: they tell what happens anyway.
    set_aside
        Such a share of people, drawn by the seed with all their rows, is set aside instead; the others are masked by
        the recipe, and what is attacked is *that* release. So there is a control though everybody was released.
    recipe
        How the release was made: a recipe, its file, or a certificate; that of the release, or in the certificate
        beside it, if left out.
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
    _refuse_unfit(released, holdout, set_aside)
    asked: tuple[Attack, ...] = picked("attacks", attacks or tuple(entries("attacks")))
    said = recipe_given(recipe)
    with by_itself("reading the original"):
        before, options = _original(original, released, given, secret, said)
        names = names_given("known", known)
        for name in names:
            if name not in before.schema.quasi:
                raise SchemaError.missing_column(name, before.schema.quasi)
        wrong = {name: checked_rate(name, rate) for name, rate in (errors or {}).items()}
        for name in wrong:
            if name not in (names or before.schema.quasi):
                raise SchemaError.missing_column(name, names or before.schema.quasi)
        after = None if released is None else release_of(released, before, options)
        others = None if holdout is None else outsiders_of(holdout, before, options)
        made_by = said or recipe_behind(released, after)
        if set_aside is None:
            assert after is not None
            own = _paired(released, after, before, private, same_order=same_order)
            reordered = isinstance(released, Release) and released.recipe.row_order == "released"
        else:
            before, others, again = _made_again(before, made_by, set_aside, seed)
            after, own, made_by = again.table, whose_rows(again, before), again.recipe
            reordered = made_by.row_order == "released"
        looked_at = most or (USUAL if before.rows <= USUAL else SAMPLE)
        hidden = secret if secret is not None else next(iter(before.schema.sensitive), None)
        if hidden is not None and hidden not in after.schema.names:
            hidden = None
        more = beside if isinstance(beside, list | tuple) else [beside]
        with_it = tuple(release_of(each, before, options) for each in more)
        if hidden in names:
            raise ParameterError(f"'{hidden}' cannot be known and be the secret.", "Leave it out of --known.")
        shown = tuple(name for name in names or before.schema.quasi if name in after.schema.quasi and name != hidden)
        if not shown:
            raise ParameterError(
                "The release has none of the columns that are known.", "Mend their names, or name others (--known)."
            )
        scene = Scene(
            before, after, others, shown, hidden, looked_at, seed, with_it, made_by,
            errors=wrong, paired=own, reordered=reordered,
        )  # fmt: skip
        outside = None if others is None or not others.rows else {"records": others.rows, "set_aside": set_aside}
        found = RedTeam(
            records=after.rows, quasi=list(before.schema.quasi), known=list(scene.known), secret=hidden,
            control=outside, attacks=[], not_tried=[],
        )  # fmt: skip
        if outside is None:
            found["no_control"] = _NO_CONTROL
        held = _held(scene)
        found |= {} if held is None else {"memory": held}
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


def _refuse_unfit(released: Any, holdout: Any, share: float | None) -> None:
    """Refuse to attack nothing, or with two controls."""
    if share is None:
        if released is None:
            raise ParameterError(
                "No release is named.", "Name it; or have one made: --recipe recipe.toml --set-aside 0.2."
            )
        return
    if isinstance(share, bool) or not isinstance(share, int | float) or not 0 < share < 1:
        raise ParameterError("A share of people to be set aside is a number between 0 and 1.", "Usual is 0.2.")
    if holdout is not None:
        raise ParameterError("People who are set aside are the control, and so are those given.", "Leave one out.")


def _made_again(before: Table, recipe: Recipe | None, share: float, seed: int) -> tuple[Table, Table, Release]:
    """Give those who stay, those who are set aside, and the release of those who stay."""
    if recipe is None:
        raise ParameterError(
            "To set people aside, the release is made again without them, and how is not known.",
            "Give its recipe or its certificate (--recipe), or people who are not in the release (--holdout).",
        )
    kept, others = set_aside(before, share, seed)
    return kept, others, made_without(kept, recipe)


def _original(
    given: Any, released: Any, said: ReadArguments, secret: str | None, recipe: Recipe | None
) -> tuple[Table, ReadOptions]:
    """Give the original, and how it was read."""
    options, places = options_of(said, attack)
    if isinstance(given, Table):
        refuse_late("original", said)
        if secret is not None and secret not in given.schema.names:
            raise SchemaError.missing_column(secret, given.schema.names)
        return given, Recipe.of(given, (), (), (), 0).options
    made = released if isinstance(released, Release) else None
    if not (options.roles.quasi or options.roles.last_sensitive):
        known = recipe or (None if made is None else made.recipe)
        if known is None:
            raise ParameterError("No quasi-identifier is named.", "Name them: quasi=['age', 'zip'] (--quasi age,zip).")
        options = read_as(known, options)
    roles = options.roles
    if secret is not None and not roles.last_sensitive and secret not in (*roles.sensitive, *roles.plain):
        options = replace(options, roles=replace(roles, sensitive=(secret, *roles.sensitive)))
    source = at_hand(given)
    files = [each for each in (released,) if each is not None and not isinstance(each, Release | Table)]
    held: AnyEngine = made.table.engine if made is not None else engine_for([source, *files], options, **places)
    return read(source, engine=held, options=options), options


def _paired(given: Any, after: Table, before: Table, private: Any, *, same_order: bool) -> Table | None:
    """Give the release with its rows in the order of the original, if that is known."""
    if isinstance(given, Release):
        return whose_rows(given, before)
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
