"""t-closeness by microaggregation on the CASC "Census" data against independently reproduced numbers.

Two quasi-identifiers (TAXINC, POTHVAL), k = 2; the share of the squared error is 100 SSE/SST, distances are taken over
records for t-closeness first and over distinct values for merging.
"""

import pytest

import shoal

# t: the strata it asks for; largest distance and loss for FEDTAX, then for FICA.
T_FIRST = {
    0.01: (49, 0.00762, 68.21, 0.00807, 54.18),
    0.05: (10, 0.04469, 60.50, 0.04115, 41.15),
    0.09: (6, 0.07877, 58.57, 0.07077, 37.88),
    0.13: (4, 0.12026, 56.20, 0.11716, 34.67),
    0.17: (3, 0.16272, 53.70, 0.14625, 31.74),
    0.21: (3, 0.16272, 53.70, 0.14625, 31.74),
    0.25: (2, 0.24885, 44.07, 0.24610, 26.76),
}
# t: mean class size and loss for FICA.
MERGED = {0.01: (1080, 100), 0.05: (1080, 100), 0.13: (1080, 100), 0.17: (43.2, 21.63), 0.21: (8.3, 10.35),
          0.25: (4.2, 7.04)}  # fmt: skip


@pytest.fixture(scope="module")
def census(public_file):
    path = public_file("census/census.csv")
    return {column: shoal.read(path, quasi=["TAXINC", "POTHVAL"], sensitive=column) for column in ("FEDTAX", "FICA")}


def found(table, method, t, distance):
    models = [shoal.models.KAnonymity(2), shoal.models.TCloseness(t, distance=distance)]
    release = shoal.anonymize(table, method, models, measures=[shoal.measures.SumOfSquares()])
    assert release.holds
    return release.verdicts[1], release.scores[0].value, release.steps[0]


@pytest.mark.parametrize("t", T_FIRST)
@pytest.mark.parametrize("column", ["FEDTAX", "FICA"])
def test_t_closeness_first_takes_the_strata_that_t_asks_for_and_loses_what_was_reproduced(census, column, t):
    strata, distance, loss = T_FIRST[t][0], *T_FIRST[t][1 if column == "FEDTAX" else 3 :][:2]
    verdict, lost, told = found(census[column], shoal.methods.TClosenessFirst("mean"), t, "ordered-records")
    assert f" {strata} strata" in told
    assert verdict.classes == 1080 // strata
    assert verdict.level == pytest.approx(distance, abs=1e-5)
    assert lost == pytest.approx(loss, abs=0.01)


@pytest.mark.parametrize("t", MERGED)
def test_merging_joins_as_many_classes_and_loses_as_much_as_was_reproduced(census, t):
    verdict, lost, _ = found(census["FICA"], shoal.methods.MergeClusters("mean"), t, "ordered-distinct")
    assert 1080 / verdict.classes == pytest.approx(MERGED[t][0], abs=0.05)
    assert lost == pytest.approx(MERGED[t][1], abs=0.01)


@pytest.mark.parametrize("t", [0.09, 0.17, 0.25])
def test_k_anonymity_first_keeps_far_more_classes_than_merging(census, t):
    kept = [
        found(census["FICA"], method, t, "ordered-records")[0].classes
        for method in (shoal.methods.KAnonymityFirst("mean"), shoal.methods.MergeClusters("mean"))
    ]
    assert kept[0] > 3 * kept[1]
