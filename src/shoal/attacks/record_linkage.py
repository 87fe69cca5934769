"""Record linkage: whether the released row that is linked to a person is the person's own."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, ClassVar

from shoal.attacks import Success
from shoal.attacks.residual import Rate
from shoal.attacks.scene import Crowd, Scene
from shoal.attacks.words import share
from shoal.errors import ParameterError
from shoal.kernels.agreement import MOST_COLUMNS
from shoal.measures import PairMeasure, Score
from shoal.measures.assignment_linkage import MOST, AssignmentLinkage
from shoal.measures.distance_linkage import DistanceLinkage
from shoal.measures.probabilistic_linkage import ProbabilisticLinkage
from shoal.measures.rank_linkage import RankLinkage
from shoal.measures.statistics.sampling import sampled_rows

_PAIRS = 500_000_000  # of a released row and an original one that are compared for their agreement


@dataclass(frozen=True)
class RecordLinkage:
    """Somebody who knows columns of people links each to a released row, or each row to a person, in several ways.

    *Nearest record* takes a row that is nearest to what is known of a person, by the distance of all attacks, and is
    right about 1 of t that are equally near. The other ways are those of the measures of the same names, for somebody
    who has the whole original: by distance in standard deviations, one to one (up to 5,000 records), by the columns
    that agree, and by ranks. Nobody is right about people who are not in the release, because no row is theirs: so the
    control is a guess, 1 of all rows. The detail of the first way says of how many people in the release, and of how
    many others, just one row is the nearest: an attacker who takes that for proof is wrong about all of the latter.

    Parameters
    ----------
    nearest_only
        Whether only the first way is tried, which takes the least time.

    References
    ----------
    J. Domingo-Ferrer, V. Torra: Disclosure risk assessment in statistical microdata protection via advanced record
    linkage, Statistics and Computing 13, 2003, doi:10.1023/A:1025666923033. I. P. Fellegi, A. B. Sunter: A theory for
    record linkage, JASA 64, 1969, doi:10.1080/01621459.1969.10501049.
    """

    name: ClassVar[str] = "record-linkage"
    nearest_only: bool = False

    def __post_init__(self) -> None:
        """Check what was asked for."""
        if not isinstance(self.nearest_only, bool):
            raise ParameterError("'nearest_only' is yes or no.", "Give True or False.")

    def lacks(self, scene: Scene) -> str | None:
        """Say what would have to be known."""
        if scene.paired is None:
            return "which row belongs to whom is not known (--private, --same-order)"
        return None

    def successes(self, scene: Scene) -> tuple[Success, ...]:
        """Link everybody in all ways that are open."""
        assert scene.paired is not None
        guess = Rate(1 / scene.original.rows)
        found = [self._nearest(scene)]
        for measure in () if self.nearest_only else _measures(scene):
            score = measure.score(scene.beliefs[0], scene.paired)
            if "nothing_to_measure" not in score.detail:
                rate, name = Rate(score.value, _sample(score, scene)), _NAMES[measure.name]
                found.append(Success.of(name, rate, guess, _sentence(name, rate, guess), dict(score.detail)))
        return tuple(found)

    def _nearest(self, scene: Scene) -> Success:
        """Take for each person a row that is nearest to what is known."""
        assert scene.paired is not None
        rows = sampled_rows(scene.original.rows, scene.most, scene.seed)
        own, shown = (scene.placed(table, scene.known, rows) for table in (scene.beliefs[0], scene.paired))
        ground = scene.ground.among(scene.known)
        points = ground.points(own)
        tree, _ = scene.released_tree(scene.known)
        least, number = tree.numbers(points)
        right = ground.apart(shown, points) <= least * (1 + 1e-12)
        sampled = scene.errors or rows.size < scene.original.rows
        rate = Rate(float((right / number).mean()), rows.size if sampled else None)
        guess = Rate(1 / scene.original.rows)
        detail: dict[str, Any] = {
            "known": list(scene.known), "alone": float((number == 1).mean()),
            "rightly_alone": float(((number == 1) & right).mean()), "others_alone": None, "records": int(rows.size),
        }  # fmt: skip
        sentence = _sentence("nearest record", rate, guess)
        if scene.strangers is not None:
            others = _alone(scene, scene.strangers)
            detail["others_alone"] = others
            sentence = (
                f"{sentence[:-1]}; just one row is the nearest to {share(detail['alone'])} of people, and to "
                f"{share(others)} of people who are not in the release."
            )
        return Success.of("nearest record", rate, guess, sentence, detail)


_NAMES = {
    "distance-linkage": "distance linkage",
    "assignment-linkage": "assignment linkage",
    "probabilistic-linkage": "probabilistic linkage",
    "rank-linkage": "rank linkage",
}
_HOW = {
    "nearest record": "the row that is nearest to what is known of a person",
    "distance linkage": "the record that is nearest to a released row",
    "assignment linkage": "the assignment of rows to people of least total distance",
    "probabilistic linkage": "the columns in which records and rows agree",
    "rank linkage": "the record with the nearest ranks",
}


def _sentence(name: str, rate: Rate, guess: Rate) -> str:
    return f"Who goes by {_HOW[name]} links {share(rate.value)} rightly, where guessing would {share(guess.value)}."


def _measures(scene: Scene) -> Iterator[PairMeasure]:
    """Give the measures that link, those for which the table is not too large and has the columns."""
    known, rows = scene.known, scene.original.rows
    yield DistanceLinkage(known, most=scene.most, seed=scene.seed)
    if rows <= MOST:
        yield AssignmentLinkage(known)
    if len(known) <= MOST_COLUMNS:
        yield ProbabilisticLinkage(known, most=min(scene.most, max(_PAIRS // max(rows, 1), 1)), seed=scene.seed)
    yield RankLinkage(known, most=scene.most, seed=scene.seed)


def _sample(score: Score, scene: Scene) -> int | None:
    """Give how many records a share was found from, if it is not that of all."""
    records = int(score.detail["records"])
    return records if scene.errors or records < scene.original.rows else None


def _alone(scene: Scene, people: Crowd) -> float:
    """Give the share of people to whom just one row is the nearest."""
    kinds = people.by(scene.known)[0]
    _, number = scene.released_tree(scene.known)[0].numbers(scene.points(kinds))
    return float(((number == 1) * kinds.counts).sum() / kinds.rows)
