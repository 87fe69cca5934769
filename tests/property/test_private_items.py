"""Models about private items, against brute force over all combinations of random small sets."""

import itertools

import numpy as np
import polars as pl
import pytest

import shoal
from shoal.errors import ParameterError
from shoal.models import Coherence, RhoUncertainty

ITEMS, PRIVATE = "abcdef", ("e", "f")


def random_table(seed):
    random = np.random.default_rng(seed)
    sets = [{x for x in ITEMS if random.random() < 0.5} for _ in range(10)]
    rows = [(u, x) for u, mine in enumerate(sets) for x in sorted(mine)] + [
        (u, None) for u, mine in enumerate(sets) if not mine
    ]
    frame = pl.DataFrame(rows, schema=["p", "item"], orient="row")
    return sets, shoal.read(frame, subject="p", quasi="item", linked=True)


def people(sets, some):
    return sum(set(some) <= mine for mine in sets)


@pytest.mark.parametrize("seed", range(12))
@pytest.mark.parametrize(("k", "p", "h"), [(2, 1, 0.5), (2, 2, 0.6), (3, 3, 0.4)])
def test_coherence_is_what_brute_force_finds(seed, k, p, h):
    sets, table = random_table(seed)
    failing, cases, level = 0, 0, 0.0
    for size in range(1, p + 1):
        for some in itertools.combinations(sorted(set(ITEMS) - set(PRIVATE)), size):
            n = people(sets, some)
            if n:
                worst = max(people(sets, (*some, secret)) for secret in PRIVATE)
                cases += 1
                failing += n < k or worst > h * n
                level = max(level, 1.0 if n < k else worst / n)
    (verdict,) = shoal.models.check(table, [Coherence(k, p, h, PRIVATE)])
    assert (verdict.failing, verdict.classes) == (failing, cases)
    assert verdict.level == pytest.approx(level)
    assert verdict.holds == (failing == 0)


@pytest.mark.parametrize("seed", range(12))
@pytest.mark.parametrize("knowledge", ["any", "public"])
@pytest.mark.parametrize(("rho", "m"), [(0.5, 0), (0.5, 2), (0.7, 3)])
def test_rho_uncertainty_is_what_brute_force_finds(seed, knowledge, rho, m):
    sets, table = random_table(seed)
    known = ITEMS if knowledge == "any" else sorted(set(ITEMS) - set(PRIVATE))
    shares = [
        people(sets, (*some, secret)) / n
        for size in range(m + 1)
        for some in itertools.combinations(known, size)
        for secret in set(PRIVATE) - set(some)
        if (n := people(sets, some)) and people(sets, (*some, secret))
    ]
    (verdict,) = shoal.models.check(table, [RhoUncertainty(rho, m, PRIVATE, knowledge)])
    assert verdict.classes == len(shares)
    assert verdict.failing == sum(share > rho for share in shares)
    assert verdict.level == pytest.approx(max(shares, default=0.0))


@pytest.mark.parametrize(
    "wrong",
    [
        lambda: Coherence(1, 2, 0.5, PRIVATE), lambda: Coherence(2, 0, 0.5, PRIVATE),
        lambda: Coherence(2, 2, 1.5, PRIVATE),
        lambda: RhoUncertainty(0.0, 2, PRIVATE), lambda: RhoUncertainty(0.5, -1, PRIVATE),
        lambda: RhoUncertainty(0.5, 1, PRIVATE, "some"),
    ],
)  # fmt: skip
def test_what_promises_nothing_is_refused(wrong):
    with pytest.raises(ParameterError):
        wrong()


def test_private_items_are_named_and_items_are_of_one_column():
    _, table = random_table(0)
    with pytest.raises(ParameterError, match="names of private items"):
        shoal.models.check(table, [Coherence(2, 1, 0.5, ())])
    two = pl.DataFrame({"p": [1, 2], "item": ["a", "b"], "day": [1, 2]})
    table = shoal.read(two, subject="p", quasi=["item", "day"], linked=True)
    with pytest.raises(ParameterError, match="several columns"):
        shoal.models.check(table, [Coherence(2, 1, 0.5, PRIVATE)])


def test_a_release_that_breaks_them_is_refused_and_one_that_keeps_them_is_proved(tmp_path):
    rows = [(u, x) for u in range(8) for x in ("a", "b")] + [(u, "e") for u in range(3)]
    frame = pl.DataFrame(rows, schema=["p", "item"], orient="row")
    asked = {"linked": True, "subject": "p", "quasi": "item", "k": 2, "m": 2}
    kept = shoal.anonymize(frame, models=[Coherence(2, 2, 0.5, ("e",)), RhoUncertainty(0.5, 2, ("e",))], **asked)
    kept.write(tmp_path / "out.csv")
    proof = shoal.verify(tmp_path / "out.csv")
    assert proof.holds
    assert len(proof.promised) == 3
    broken = shoal.anonymize(frame, models=[RhoUncertainty(0.3, 2, ("e",))], **asked)
    assert not broken.holds
    with pytest.raises(shoal.errors.GuaranteeError):
        broken.write(tmp_path / "other.csv")
    assert not (tmp_path / "other.csv").exists()
