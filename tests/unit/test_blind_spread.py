"""Blind classes of a size that is drawn: among sizes that keep every promise, each as likely as the others."""

from collections import Counter

import numpy as np
import polars as pl
import pytest

import shoal
from shoal.errors import GuaranteeError, ParameterError
from shoal.methods import SecretBlind
from shoal.models import KAnonymity, LDiversity

MODELS = [KAnonymity(3), LDiversity(2)]


def table(rows=120):
    draw = np.random.default_rng(4)
    return shoal.read(
        pl.DataFrame({"age": np.arange(rows), "ill": draw.choice(["a", "b", "c"], rows)}), quasi="age", sensitive="ill"
    )


def size(release):
    return min(Counter(release.table.to_polars(cells="text")["age"]).values())


def test_sizes_are_drawn_between_the_smallest_that_keeps_the_promises_and_the_spread():
    read = table()
    smallest = size(shoal.anonymize(read, SecretBlind(), MODELS, measures=[]))
    made = [shoal.anonymize(read, SecretBlind(spread=1.0), MODELS, measures=[], seed=seed) for seed in range(25)]
    assert all(each.holds for each in made)
    sizes = {size(each) for each in made}
    assert len(sizes) > 2
    assert smallest <= min(sizes)
    assert max(sizes) <= 2 * smallest + 1
    drawn = {size(shoal.anonymize(read, SecretBlind(spread=1.0), MODELS, measures=[])) for _ in range(12)}
    assert len(drawn) > 1  # without a seed each run draws anew
    assert made[0].preserved == ()
    assert "by chance up to 100% larger" in made[0].steps[0]


@pytest.mark.parametrize("spread", [-0.1, 11, True, "much"])
def test_what_is_no_share_is_refused(spread):
    with pytest.raises(ParameterError, match="spread"):
        SecretBlind(spread=spread)


def test_people_with_rows_in_several_classes_end_the_search():
    """Both classes hold everybody already: there is no larger size, and each shows one secret."""
    rows = pl.DataFrame({"age": [1, 1, 9, 9], "ill": ["a", "a", "b", "b"], "who": ["p", "q", "p", "q"]})
    with pytest.raises(GuaranteeError, match="l-diversity cannot be kept: classes of all people reach only 1"):
        shoal.anonymize(rows, SecretBlind(), LDiversity(2), k=2, quasi="age", sensitive="ill", subject="who")
