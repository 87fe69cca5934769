"""Does a randomised choice among near-equal classes help against minimality? Exactly, over all small tables.

python benchmarks/minimality.py. Eight people stand in a line by a quasi-identifier that everybody knows; each has a
secret or not. They are cut into runs of at least two that all show both values (2-diversity), at the least loss, the
sum of n(n - 1) over runs; or by chance among all cuts that lose at most so much more. Blind is what `secret-blind`
does: runs of one size, the smallest that keeps the promise everywhere, or by chance one that is at most so much larger.
The attacker knows all of that, and how frequent the secret is, and works out the chance of everybody's secret over all
tables that give the release.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator
from functools import cache
from itertools import product

PEOPLE, LEAST = 8, 2
TOLERANCES, SPREADS = (0.0, 0.1, 0.25, 0.5, 1.0, 2.0), (0.0, 0.5, 1.0)
Cut = tuple[int, ...]
Shown = tuple[tuple[int, int], ...]  # of each run, how many people it has and how many have the secret


def cuts(left: int) -> Iterator[Cut]:
    """Give all ways to cut so many people into runs."""
    yield (left,)
    for size in range(LEAST, left - LEAST + 1):
        for rest in cuts(left - size):
            yield (size, *rest)


ALL = tuple(cuts(PEOPLE))
BLIND = tuple(
    dict.fromkeys(
        (*[size] * (PEOPLE // size - 1), PEOPLE - size * (PEOPLE // size - 1)) for size in range(LEAST, PEOPLE + 1)
    )
)


def loss(cut: Cut) -> int:
    """Say what a cut loses."""
    return sum(size * (size - 1) for size in cut)


def runs(cut: Cut, secrets: tuple[int, ...]) -> Iterator[tuple[int, ...]]:
    """Give the secrets of each run."""
    start = 0
    for size in cut:
        yield secrets[start : start + size]
        start += size


@cache
def released(secrets: tuple[int, ...], tolerance: float, blind: bool) -> dict[Cut, float]:
    """Give the cuts that may be made of a table, with their chances; none where none keeps the promise."""
    able = [cut for cut in ALL if all(len(set(run)) > 1 for run in runs(cut, secrets))]
    if not able:
        return {}
    if blind:
        sizes = [cut for cut in BLIND if cut in able]
        near = [cut for cut in sizes if cut[0] <= sizes[0][0] * (1 + tolerance)]
        return dict.fromkeys(near, 1 / len(near))
    best = min(map(loss, able))
    near = [cut for cut in able if loss(cut) <= best * (1 + tolerance)]
    near = near if tolerance else near[:1]
    return dict.fromkeys(near, 1 / len(near))


def found(prior: float, tolerance: float, blind: bool) -> tuple[float, float, float, float]:
    """Give loss, how likely a guess is right, how likely by what runs show alone, and how many are certain."""
    chance: dict[Shown, float] = defaultdict(float)
    having: dict[Shown, list[float]] = defaultdict(lambda: [0.0] * PEOPLE)
    lost, mass = 0.0, 0.0
    for secrets in product((0, 1), repeat=PEOPLE):
        weight = prior ** sum(secrets) * (1 - prior) ** (PEOPLE - sum(secrets))
        for cut, share in released(secrets, tolerance, blind).items():
            seen = tuple((len(run), sum(run)) for run in runs(cut, secrets))
            chance[seen] += weight * share
            mass += weight * share
            lost += weight * share * loss(cut)
            for person, secret in enumerate(secrets):
                having[seen][person] += weight * share * secret
    guess = shown = certain = 0.0
    for seen, whole in chance.items():
        alone = [count / size for size, count in seen for _ in range(size)]
        for share, sum_of in zip(alone, having[seen], strict=True):
            belief = sum_of / whole
            guess += whole * max(belief, 1 - belief)
            shown += whole * max(share, 1 - share)
            certain += whole * (belief < 1e-9 or belief > 1 - 1e-9)
    people = mass * PEOPLE
    return lost / mass, guess / people, shown / people, certain / people


def main() -> None:
    """Print the table of docs/attacks.md."""
    print("| secret had by | choice | loss | guess | by classes alone | certain |")
    print("| --- | --- | --- | --- | --- | --- |")
    for prior in (0.5, 0.25):
        for tolerance, blind in [*((each, False) for each in TOLERANCES), *((each, True) for each in SPREADS)]:
            name = f"within {tolerance:.0%}" if tolerance else "blind" if blind else "the best"
            lost, *rest = found(prior, tolerance, blind)
            name = f"blind, `spread` {tolerance:g}" if blind and tolerance else name
            print(f"| {prior:.0%} | {name} | {lost:.1f} | {' | '.join(f'{each:.1%}' for each in rest)} |")


if __name__ == "__main__":
    main()
