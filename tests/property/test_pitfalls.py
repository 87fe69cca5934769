"""Where other tools break their promise: each row of the list that concerns releases, as a test."""

import random
from collections import Counter

import pandas as pd
import polars as pl
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from property.independent import cell, classes, columns_of, covers, farthest

import shoal
from shoal.assessment.disclosure_risk import risk_of

S2, S4 = shoal.methods.SortedClusters(), shoal.methods.StratifiedClusters()
OPTIONS = {"quasi": ["age", "sex"], "sensitive": ["salary"]}


def people(rows: int = 60, seed: int = 5) -> pd.DataFrame:
    """Give a pandas frame with a plain index."""
    draw = random.Random(seed)
    return pd.DataFrame({
        "age": [draw.randint(18, 90) for _ in range(rows)],
        "sex": [draw.choice(["f", "m"]) for _ in range(rows)],
        "salary": [draw.randint(1000, 9000) for _ in range(rows)],
    })  # fmt: skip


def released(frame, method=S4, k=3, t=0.3):
    models = [shoal.models.KAnonymity(k), shoal.models.TCloseness(t)]
    return shoal.anonymize(shoal.read(frame, **OPTIONS), method, models)


def texts(release):
    frame = release.table.to_pandas()
    return {name: [str(value) for value in frame[name]] for name in frame.columns}


DISTURBED = {
    "sorted": lambda f: f.sort_values("salary"),
    "sorted backwards": lambda f: f.sort_values(["sex", "age"], ascending=False),
    "sampled": lambda f: f.sample(frac=0.6, random_state=3),
    "filtered": lambda f: f[f["age"] > 40],
    "concatenated": lambda f: pd.concat([f.iloc[30:], f.iloc[:40]]),
    "with duplicate labels": lambda f: f.set_index(pd.Index([7] * len(f))),
    "with labels of another table": lambda f: f.set_index(pd.Index(range(1000, 1000 - len(f), -1))),
    "with text labels": lambda f: f.set_index(pd.Index([f"r{i % 3}" for i in range(len(f))])),
    "with a hierarchical index": lambda f: f.set_index(pd.MultiIndex.from_arrays([[1] * len(f), range(len(f))])),
    "with a named index like a column": lambda f: f.set_index(pd.Index(range(len(f)), name="age")),
}


@pytest.mark.parametrize("how", DISTURBED)
def test_a_frame_with_a_past_gives_the_same_as_a_fresh_one(how):
    frame = DISTURBED[how](people())
    fresh = pd.DataFrame({name: frame[name].tolist() for name in frame.columns})
    one, other = released(frame), released(fresh)
    assert texts(one) == texts(other)
    assert [v.level for v in one.verdicts] == [v.level for v in other.verdicts]
    assert one.table.rows == len(frame)
    values = frame["salary"].tolist()
    groups = classes(texts(one), OPTIONS["quasi"])
    assert min(map(len, groups.values())) >= 3
    assert one.verdicts[1].level == pytest.approx(float(farthest(values, groups, "ordered-distinct")))
    assert texts(one)["salary"] == [str(value) for value in values]


@pytest.mark.parametrize("how", DISTURBED)
def test_models_are_measured_by_position_and_not_by_label(how):
    frame = DISTURBED[how](people()).assign(age=lambda f: f["age"] // 30)
    crowd, close = shoal.models.check(
        shoal.read(frame, **OPTIONS), [shoal.models.KAnonymity(2), shoal.models.TCloseness(0.5)]
    )
    columns = {name: [str(value) for value in frame[name]] for name in frame.columns}
    groups = classes(columns, OPTIONS["quasi"])
    assert crowd.level == min(map(len, groups.values()))
    assert close.level == pytest.approx(float(farthest(frame["salary"].tolist(), groups, "ordered-distinct")))


@pytest.mark.parametrize("kind", ["integer", "float"])
@pytest.mark.parametrize("method", [S2, S4])
def test_rows_with_a_missing_quasi_identifier_stay_and_are_in_a_class(kind, method):
    frame = people()
    frame["age"] = frame["age"].astype("Int64" if kind == "integer" else "float64")
    frame.loc[frame.index[[3, 10, 11, 40]], "age"] = None
    frame.loc[frame.index[[10, 25]], "sex"] = None
    shown = released(frame, method, t=1.0).table.to_arrow(cells="text").to_pydict()
    columns = {name: ["" if value is None else str(value) for value in values] for name, values in shown.items()}
    assert len(columns["age"]) == 60
    assert min(map(len, classes(columns, OPTIONS["quasi"]).values())) >= 3
    for row in range(60):
        age, sex = frame["age"].iloc[row], frame["sex"].iloc[row]
        assert covers(columns["age"][row], None if pd.isna(age) else age, kind)
        assert covers(columns["sex"][row], None if pd.isna(sex) else sex, "category")


def test_a_row_whose_only_quasi_identifier_is_missing_counts_for_k():
    table = shoal.read(pl.DataFrame({"a": [1, 1, None]}), quasi=["a"])
    (verdict,) = shoal.models.check(table, [shoal.models.KAnonymity(2)])
    assert (verdict.level, verdict.failing, verdict.classes) == (1, 1, 2)
    assert risk_of(table)["unique"] == 1


@given(st.lists(st.none() | st.integers(0, 3), min_size=2, max_size=20), st.integers(2, 5))
def test_k_holds_whether_a_missing_cell_is_a_value_of_its_own_or_could_be_any(values, k):
    assume(len(values) >= k)
    release = shoal.anonymize(
        shoal.read(pl.DataFrame({"a": pl.Series(values, dtype=pl.Int64)}), quasi=["a"]),
        S2,
        [shoal.models.KAnonymity(k)],
    )
    frame = release.table.to_arrow(cells="text").column("a").to_pylist()
    own = Counter(frame)
    assert min(own.values()) >= k
    # Read as "could be any", a cell only gains companions.
    for text in own:
        anything = text in (None, "*")
        alike = sum(count for other, count in own.items() if anything or other in (None, "*", text))
        assert alike >= k


@pytest.mark.parametrize("method", [S2, S4])
def test_three_rows_with_k_of_five_are_refused(method):
    with pytest.raises(shoal.errors.ParameterError, match="only 3 records"):
        released(people(3), method, k=5)


def test_a_level_that_no_method_reached_is_refused_and_not_answered_with_an_empty_table(tmp_path):
    table = shoal.read(people(), **OPTIONS)
    release = shoal.anonymize(table, shoal.methods.Coarsen(20), [shoal.models.KAnonymity(30)])
    assert release.table.rows == 60
    assert not release.holds
    with pytest.raises(shoal.errors.GuaranteeError):
        release.write(tmp_path / "out.csv")
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("t", [0.01, 0.05, 0.1])
def test_the_t_that_was_asked_for_is_the_t_that_is_published(t):
    # Confidential values that follow the quasi-identifier, so that neighbours are alike.
    frame = pd.DataFrame({"age": range(60), "sex": ["f"] * 60, "salary": [1000 * (i // 20) for i in range(60)]})
    release = released(frame, S4, k=2, t=t)
    groups = classes(texts(release), OPTIONS["quasi"])
    found = float(farthest(frame["salary"].tolist(), groups, "ordered-distinct"))
    assert found <= t
    assert release.verdicts[1].level == pytest.approx(found, abs=1e-15)


def test_the_certificate_measures_t_itself_and_does_not_ask_the_method(monkeypatch):
    """A method whose own idea of distance is broken gets a failed verdict."""
    frame = pd.DataFrame({"age": range(60), "sex": ["f"] * 60, "salary": range(60)})
    monkeypatch.setattr(
        "shoal.methods.partitioning.merged_until_met", lambda table, labels, groups, models: (labels, groups)
    )
    monkeypatch.setattr("shoal.methods.stratified_clusters._extras_placed", lambda table, labels, extra, model: labels)
    monkeypatch.setattr("shoal.methods.stratified_clusters.smallest_cluster", lambda n, t: 1.0)
    release = released(frame, S4, k=2, t=0.01)
    groups = classes(texts(release), OPTIONS["quasi"])
    assert release.verdicts[1].level == pytest.approx(float(farthest(list(range(60)), groups, "ordered-distinct")))
    assert not release.verdicts[1].holds
    with pytest.raises(shoal.errors.GuaranteeError, match="t-closeness does not hold"):
        release.to_native()


def test_the_remainder_records_of_the_published_algorithm_do_not_break_t():
    # As published, with n = 3s + r, classes with an extra record reach 1.4 times the bound of Eq. 6.
    for seed in range(8):
        frame = people(32, seed).assign(salary=list(range(32)))
        t = shoal.models.closeness_bound(32, 3)
        models = [shoal.models.KAnonymity(3), shoal.models.TCloseness(t, "salary", "ordered-records")]
        release = shoal.anonymize(shoal.read(frame, **OPTIONS), S4, models)
        groups = classes(texts(release), OPTIONS["quasi"])
        assert float(farthest(list(range(32)), groups, "ordered-records")) <= t
        assert release.holds


@pytest.mark.parametrize("method", [S2, S4])
def test_nothing_in_the_release_tells_the_row_number_or_an_unnamed_column(method, tmp_path):
    frame = people().assign(name=[f"person {i}" for i in range(60)])
    release = released(frame.set_index("name", drop=False), method, t=1.0)
    release.write(tmp_path / "out.csv", overwrite=True)
    assert list(columns_of(tmp_path / "out.csv")) == ["age", "sex", "salary"]
    assert release.to_native().columns.tolist() == ["age", "sex", "salary"]
    assert release.to_native().index.tolist() == list(range(60))
    assert "person" not in (tmp_path / "out.csv").read_text(encoding="utf-8")
    assert "person 1" not in (tmp_path / "out.certificate.json").read_text(encoding="utf-8")
    release.write(tmp_path / "out.parquet", overwrite=True)
    assert pl.read_parquet(tmp_path / "out.parquet").columns == ["age", "sex", "salary"]


@pytest.mark.parametrize("by", ["distinct", "width"])
@pytest.mark.parametrize("resolution", [2, 3, 5, 7, 10])
def test_values_on_a_boundary_lie_in_their_interval(by, resolution):
    values = [v / 10 for v in range(0, 101, 5)]
    table = shoal.read(pl.DataFrame({"a": values}), quasi=["a"])
    frame = shoal.anonymize(table, shoal.methods.Coarsen(resolution, by)).table.to_pandas()
    for text, value in zip(frame["a"], values, strict=True):
        assert covers(text, value, "float")


@pytest.mark.parametrize("method", [S2, S4])
def test_ranges_are_those_of_the_records_and_not_of_a_box_around_them(method):
    frame = people()
    columns = texts(released(frame, method, t=1.0))
    for signature, rows in classes(columns, OPTIONS["quasi"]).items():
        ages = [int(frame["age"].iloc[row]) for row in rows]
        assert cell(signature[0], "integer") == (min(ages), max(ages))
        assert cell(signature[1], "category") == frozenset(frame["sex"].iloc[rows])


def test_average_risk_is_averaged_over_records_and_not_over_classes():
    # 99 alike and one alone: classes would average (1/99 + 1) / 2 = 0.505, records average 2/100.
    table = shoal.read(pl.DataFrame({"a": [1] * 99 + [2]}), quasi=["a"])
    assert risk_of(table)["random_reidentification"] == pytest.approx(0.02)


def test_rows_of_stars_only_are_counted_like_all_others():
    table = shoal.read(
        pl.DataFrame({"a": ["1", "1", "*"], "b": ["x", "x", "*"], "s": [1, 2, 9]}),
        quasi=["a", "b"],
        sensitive=["s"],
        masked=True,
    )
    crowd, close = shoal.models.check(table, [shoal.models.KAnonymity(2), shoal.models.TCloseness(0.3)])
    assert (crowd.level, crowd.failing, crowd.classes) == (1, 1, 2)
    assert not close.holds
    assert risk_of(table)["records"] == 3
    assert risk_of(table)["unique"] == 1


def test_a_release_of_stars_only_is_in_the_proof(tmp_path):
    table = shoal.read(pl.DataFrame({"a": [1, None], "b": [None, "x"], "s": [1, 2]}), quasi=["a", "b"], sensitive=["s"])
    release = shoal.anonymize(table, S2, [shoal.models.KAnonymity(2)])
    release.write(tmp_path / "out.csv")
    assert (tmp_path / "out.csv").read_text(encoding="utf-8") == "a,b,s\n*,*,1\n*,*,2\n"
    proof = shoal.verify(tmp_path / "out.csv", tmp_path / "out.certificate.json")
    assert proof.verdicts[0].level == 2


@pytest.mark.parametrize("number", [-999, -9, 0, 99, 999, -1, 2**31 - 1, -(2**31)])
def test_a_number_that_others_use_for_missing_is_a_number(number, tmp_path):
    frame = pl.DataFrame({"a": [number, number + 1, 50, 51], "s": [1, 2, 3, number]})
    frame.write_csv(tmp_path / "in.csv")
    for source in (frame, tmp_path / "in.csv"):
        table = shoal.read(source, quasi=["a"], sensitive=["s"])
        assert table.to_pandas().to_dict("list") == {"a": [number, number + 1, 50, 51], "s": [1, 2, 3, number]}
        columns = shoal.anonymize(table, S2, [shoal.models.KAnonymity(2)]).table.to_pandas()
        for text, value in zip(columns["a"], [number, number + 1, 50, 51], strict=True):
            assert covers(text, value, "integer")


def test_a_number_is_missing_only_where_someone_says_so(tmp_path):
    (tmp_path / "in.csv").write_text("a,s\n-999,1\n5,2\n6,-999\n7,4\n", encoding="utf-8")
    table = shoal.read(tmp_path / "in.csv", quasi=["a"], sensitive=["s"], missing=["-999"])
    assert table.to_arrow().column("a").to_pylist() == [None, 5, 6, 7]


@pytest.mark.parametrize("method", [S2, S4])
def test_the_same_input_gives_the_same_output_whatever_the_time(method, tmp_path):
    for number in range(2):
        released(people(), method, t=1.0).write(tmp_path / f"{number}.csv")
    assert (tmp_path / "0.csv").read_bytes() == (tmp_path / "1.csv").read_bytes()
    certificates = [
        shoal.certification.certificate.Certificate.load(tmp_path / f"{n}.certificate.json").content for n in range(2)
    ]
    for one, other in zip(certificates[0].items(), certificates[1].items(), strict=True):
        if one[0] not in ("input", "output", "digest"):  # the commitment is drawn anew, and with it the digest
            assert one == other


@given(
    st.lists(st.tuples(st.integers(0, 50), st.integers(0, 50)), min_size=4, max_size=20),
    st.sampled_from([1, 2, 64, 4096]),
    st.sampled_from([1, 8, 1024]),
)
def test_measures_do_not_change_with_the_unit_of_a_column(rows, one, other):
    """Multiplying a column by a power of two is exact, so nothing at all may change but the numbers in the cells."""

    def scores(a, b):
        frame = pl.DataFrame({"a": [x * a for x, _ in rows], "b": [y * b for _, y in rows]})
        release = shoal.anonymize(shoal.read(frame, quasi=["a", "b"]), S2, [shoal.models.KAnonymity(2)])
        return [(score.measure, pytest.approx(score.value, rel=1e-12)) for score in release.scores]

    assert scores(1, 1) == scores(one, other)


def test_a_percentage_is_not_a_proportion():
    """t is a distance between 0 and 1: thirty per cent written as 30 is refused, not taken for something else."""
    with pytest.raises(shoal.errors.ParameterError):
        shoal.models.TCloseness(30)
