"""The paper's study at a small size: every step, file and claim."""

import json
from dataclasses import replace

import numpy as np
import polars as pl
import pytest

import shoal
from shoal.errors import ParameterError
from shoal_paper.datasets.discharges import discharges
from shoal_paper.reproduction.case import Case
from shoal_paper.reproduction.claims import COUNTED, KINDS, as_rows, check_claims, count
from shoal_paper.reproduction.experiments import Experiments
from shoal_paper.reproduction.files import write_files
from shoal_paper.reproduction.numbers import uniqueness
from shoal_paper.reproduction.records import Records, is_masked
from shoal_paper.reproduction.sentences import SENTENCES
from shoal_paper.reproduction.setting import CENSUS, Setting
from shoal_paper.reproduction.surfaces import RESOLUTIONS, surfaces
from shoal_paper.reproduction.tables import FILES


@pytest.fixture(scope="module")
def table():
    return discharges(3000)


@pytest.fixture(scope="module")
def case(table):
    return Case(Records.of(table), made_up=True)


@pytest.fixture(scope="module")
def results(case, tmp_path_factory):
    return Experiments(case, tmp_path_factory.mktemp("cache")).results()


@pytest.mark.parametrize("by", ["distinct", "width"])
def test_every_cell_of_the_surfaces_is_what_measuring_it_alone_gives(table, case, by):
    first, second = case.known(("spatial", "temporal")), case.known((CENSUS,))
    for row in surfaces(table, first, second, by)[:: 1 if by == "distinct" else 9]:
        wanted = dict.fromkeys(first, row["first"]) | dict.fromkeys(second, row["second"])
        coarse = shoal.methods.Coarsen({name: r for name, r in wanted.items() if r}, by).apply(table, (), 0)
        risk, loss = shoal.score(
            table, coarse, measures=[shoal.measures.Uniqueness(), shoal.measures.InformationLoss()]
        )
        assert row["unique"] == risk.detail["unique"]
        assert row["information_loss"] == pytest.approx(loss.value, rel=1e-9)


def test_spd_is_pd_made_whole_and_pd_is_the_truth_masked(table, case):
    """Who measures on the truth and calls it SPD measures another table than the paper."""
    records = case.records
    assert records.truth is table
    before, masked, after = (t.to_polars(cells="text") for t in (table, records.pd, records.spd))
    for name in table.schema.quasi:
        shown = masked[name].cast(str) == before[name].cast(str)
        assert (after[name].cast(str) == before[name].cast(str)).filter(shown).all()
        assert sorted(after[name].cast(str)) == sorted(before[name].cast(str))
    assert after.select(table.schema.quasi).rows() != before.select(table.schema.quasi).rows()


def test_results_are_kept_and_resumed(case, results, tmp_path, monkeypatch):
    steps = []
    with shoal.show_progress(lambda stage, share, left: steps.append((stage, share))):
        first = Experiments(case, tmp_path, beyond=False).results()
    names = [stage.removeprefix("experiments, ") for stage, _ in steps if stage.startswith("experiments")]
    assert list(dict.fromkeys(names)) == list(first)
    assert [share for _, share in steps if share is not None] == sorted(s for _, s in steps if s is not None)
    again = Experiments(case, tmp_path, beyond=False)
    monkeypatch.setattr(Experiments, "_cells", None)  # what is kept is not measured again, or this would fail
    monkeypatch.setattr(Experiments, "masking", None)
    assert again.results() == first
    assert {name: results[name] for name in ("masking", "knowledge", "closeness", "surfaces")} == {
        name: first[name] for name in ("masking", "knowledge", "closeness", "surfaces")
    }


def test_every_claim_is_measured_and_none_is_hard_wired(results, case):
    claims = check_claims(results, case)
    both = ((sentence, sentence.other) for sentence in SENTENCES)
    asked = [each.id for pair in both for each in pair if each is not None]
    # In so few records some pair of attributes has no two cells that are not masked, and so no correlation.
    assert [claim.id for claim in claims] == [name for name in asked if name != "table-s4"]
    assert all(claim.shown and claim.rule and (claim.holds or claim.reason) for claim in claims)
    # Spoil the numbers: claims about zero risk must then fail.
    spoilt = json.loads(json.dumps(results))
    for step in ("comparison", "closeness"):
        for row in spoilt[step]:
            row["value"] = 0.5 if row["value"] == 0 else 0.0 if row["measure"] != "information-loss" else row["value"]
    for row in spoilt["surfaces"]:
        row["unique"] = 0
    after = {claim.id: claim.holds for claim in check_claims(spoilt, case)}
    assert {claim.id for claim in claims if claim.holds and not after[claim.id]} >= {
        "no-unique-classes", "one-in-k", "closeness-ends-disclosure", "never-zero", "others-leave-some",
    }  # fmt: skip


def test_claims_tell_what_they_can_show_and_only_those_that_could_fail_count(results, case):
    claims = check_claims(results, case)
    assert {claim.kind for claim in claims} == set(KINDS)
    held, counted = count(claims)
    assert counted == sum(claim.counted for claim in claims)
    assert held == sum(claim.counted and claim.holds for claim in claims)
    assert all(claim.kind in COUNTED for claim in claims if claim.counted)
    # Nothing is calibrated to a table that was given, and a number about all discharges does not count for 3,000.
    given = check_claims(results, Case(case.records))
    assert {claim.kind for claim in given} == {"by construction", "tested"}
    assert not next(claim for claim in given if claim.id == "unique-spd").counted
    assert set(as_rows(claims)[0]) >= {"id", "kind", "published", "measured", "low", "high", "holds"}


def test_tables_drawn_anew_give_each_number_a_range(results, case):
    drawn = [{"draw": d, "id": "unique-spd", "measured": value} for d, value in enumerate((0.7, 0.8, 0.75))]
    claims = {claim.id: claim for claim in check_claims({**results, "repeats": drawn}, case)}
    assert (claims["unique-spd"].low, claims["unique-spd"].high) == (0.7, 0.8)
    assert claims["one-in-k"].low is None


def test_a_masked_table_is_studied_without_the_truth(case, results, tmp_path):
    """Whoever has the state's files has PD and how often each value was masked, and nothing else."""
    counts = tmp_path / "counts.csv"
    lines = ["column,value,count"]
    for name, (positions, numbers) in case.records.pd.masked.items():
        axis = case.table.schema[name].axis
        lines += [f"{name},{axis.text(p)},{n}" for p, n in zip(positions.tolist(), numbers.tolist(), strict=True)]
    counts.write_text("\n".join(lines), encoding="utf-8")
    records = Records.of(replace(case.records.pd, masked={}), counts)
    assert records.truth is None
    found = Experiments(Case(records), beyond=False).results()
    risks = uniqueness(found)
    assert risks["truth"] is None
    assert (risks["pd"], risks["spd"]) == (uniqueness(results)["pd"], uniqueness(results)["spd"])
    assert "margins-kept" not in {claim.id for claim in check_claims(found, Case(records))}


@pytest.mark.parametrize("cells", [["937**", "93701"], ["{a;b}", "a"], ["*", "a"]])
def test_a_table_with_a_pattern_a_set_or_a_star_is_masked(cells):
    """Taken for the records in full, it would be masked a second time."""
    frame = pl.DataFrame({"place": [*cells, cells[1]]})
    assert is_masked(shoal.read(frame, quasi=["place"], kinds={"place": "category"}, masked=True))
    assert not is_masked(shoal.read(frame[1:], quasi=["place"], kinds={"place": "category"}, masked=True))


def test_impossible_records_come_from_regeneration_alone(results):
    found = {(row["data"], row["what"]): row["value"] for row in results["regeneration"]}
    births = "childbirths of men or outside 10-55 years"
    assert found["truth", births] == 0 == found["truth", "ZIP codes outside their county"]
    assert found["SPD", births] > found["joint", births] >= 0
    assert found["SPD", "ZIP codes outside their county"] > 0
    assert found["SPD", "different counts"] == 0 == found["joint", "different counts"]


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ('[paper]\nname = "x"\n', "tells name, secret, where"),
        ('[paper]\nname = "x"\nsecret = "pay"\nwhere = "pay >"\n[method]\nname = "coarsen"\n', "condition"),
        ('[paper]\nname = "x"\nsecret = "pay"\nwhere = "pay > 1"\n[method]\nname = "coarsen"\n', "mask-uniques"),
        (
            '[paper]\nname = "x"\nsecret = "pay"\nwhere = "pay > 1"\n[method]\nname = "mask-uniques"\n'
            'order = ["age -> *"]\n[table]\nquasi = ["age"]\nknowledge = {age = "census"}\n',
            "group of census features and at least one other",
        ),
    ],
)
def test_a_setting_that_cannot_be_is_refused(tmp_path, text, said):
    path = tmp_path / "own.toml"
    path.write_text(text, encoding="utf-8")
    with pytest.raises(ParameterError, match=said):
        Setting.load(path)


def test_the_files_of_table_s10_are_written_and_proved(table, tmp_path):
    written = [path.name for path in write_files(table, tmp_path)]
    assert set(written) == set(FILES)
    lengths = {name: len((tmp_path / name).read_text(encoding="utf-8").splitlines()) for name in written}
    assert set(lengths.values()) == {3001}
    heads = {(tmp_path / name).read_text(encoding="utf-8").splitlines()[0] for name in written}
    assert heads == {"oshpd_id,age_yrs,sex,ethncty,race,patzip,patcnty,los,adm_qtr,charge"}
    for name in written[1:]:
        shoal.verify(tmp_path / name, (tmp_path / name).with_suffix(".certificate.json"))


def test_the_surface_falls_from_fine_to_coarse(results):
    rows = [row for row in results["surfaces"] if row["reading"] == "distinct"]
    grid = {(row["first"], row["second"]): row["uniqueness"] for row in rows}
    order = list(RESOLUTIONS)
    values = np.array([[grid[a, b] for b in order] for a in order])
    assert values[0, 0] < values[-1, -1]
    assert (np.diff(values[-1]) >= 0).all()
