"""The paper's study at a small size: every step, figure, table, file and claim."""

import json

import numpy as np
import pytest

import shoal
from shoal.datasets.discharges import discharges
from shoal.reproduction.claims import SENTENCES, check_claims
from shoal.reproduction.experiments import CENSUS, SPATIAL, TEMPORAL, Experiments
from shoal.reproduction.figures import figures
from shoal.reproduction.files import write_files
from shoal.reproduction.surfaces import RESOLUTIONS, surfaces
from shoal.reproduction.tables import FILES, tables


@pytest.fixture(scope="module")
def table():
    return discharges(3000)


@pytest.fixture(scope="module")
def results(table, tmp_path_factory):
    return Experiments(table, tmp_path_factory.mktemp("cache")).results()


def test_every_cell_of_the_surfaces_is_what_measuring_it_alone_gives(table):
    attributes = table.schema.attributes
    first = tuple(a.name for a in attributes if a.knowledge in (SPATIAL, TEMPORAL))
    second = tuple(a.name for a in attributes if a.knowledge == CENSUS)
    for row in surfaces(table, first, second):
        wanted = dict.fromkeys(first, row["first"]) | dict.fromkeys(second, row["second"])
        coarse = shoal.methods.Coarsen({name: r for name, r in wanted.items() if r}).apply(table, (), 0)
        risk, loss = shoal.score(
            table, coarse, measures=[shoal.measures.Uniqueness(), shoal.measures.InformationLoss()]
        )
        assert row["unique"] == risk.detail["unique"]
        assert row["information_loss"] == pytest.approx(loss.value, rel=1e-9)


def test_results_are_kept_and_resumed(table, tmp_path):
    steps = {}
    with shoal.show_progress(lambda stage, share, left: steps.setdefault(stage, share)):
        first = Experiments(table, tmp_path).results()
    assert steps == {"working": None} | {
        f"experiments, {name}": share
        for name, share in (
            ("masking", 0), ("knowledge", 0.06), ("correlations", 0.22), ("comparison", 0.48), ("closeness", 0.6),
            ("surfaces", 0.78),
        )
    }  # fmt: skip
    again = Experiments(table, tmp_path)
    assert again.results() == first
    assert "masked" not in vars(again)  # nothing was computed again


def test_every_claim_is_measured_and_none_is_hard_wired(results):
    claims = check_claims(results)
    assert len(claims) == len(SENTENCES) >= 20
    assert all(claim.measured and (claim.holds or claim.reason) for claim in claims)
    # Spoil the numbers: claims about zero risk must then fail.
    spoilt = json.loads(json.dumps(results))
    for step in ("comparison", "closeness"):
        for row in spoilt[step]:
            row["value"] = 0.5 if row["value"] == 0 else 0.0
    for row in spoilt["surfaces"]:
        row["unique"] = 0
    before = {claim.claim: claim.holds for claim in claims}
    after = {claim.claim: claim.holds for claim in check_claims(spoilt)}
    assert sum(before[c] and not after[c] for c in before) >= 8


def test_every_figure_and_table_is_drawn(results, table):
    drawn = figures(results)
    assert {name.rstrip("abcd") for name in drawn} == {f"Fig. S{i}" for i in range(1, 8)}
    assert all("<svg" in figure.svg and figure.rows for figure in drawn.values())
    made = tables(results, table)
    numbers = {made_table.number.removesuffix(" joint") for made_table in made}
    assert numbers == {f"Table S{i}" for i in range(1, 11)}
    assert all(made_table.rows for made_table in made)
    s8 = next(t for t in made if t.number == "Table S8")
    assert [row["interval"] for row in s8.rows] == [
        "[0;9]", "[10;20]", "[21;31]", "[32;42]", "[43;52]", "[53;63]", "[64;74]", "[75;85]",
    ]  # fmt: skip


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
    grid = {(row["first"], row["second"]): row["uniqueness"] for row in results["surfaces"]}
    order = list(RESOLUTIONS)
    values = np.array([[grid[a, b] for b in order] for a in order])
    assert values[0, 0] < values[-1, -1]
    assert (np.diff(values[-1]) >= 0).all()
