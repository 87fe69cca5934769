"""What a study shows: the paper's numbers beside those measured, where they belong, and nothing that is not true."""

import json
import re
from dataclasses import replace

import polars as pl
import pytest

from shoal.charts import bars
from shoal.engines import read
from shoal.methods.mask_uniques import MaskUniques
from shoal.report.page import Section
from shoal.schema import ReadOptions, Roles
from shoal_paper.datasets.discharges import discharges
from shoal_paper.datasets.published import CORRELATIONS_S4, FULL, UNIQUE_PD
from shoal_paper.reproduction import figures as drawing
from shoal_paper.reproduction import report
from shoal_paper.reproduction.beyond import Experiment
from shoal_paper.reproduction.case import Case
from shoal_paper.reproduction.claims import COUNTED, check_claims, count
from shoal_paper.reproduction.experiments import Experiments
from shoal_paper.reproduction.figures import figures
from shoal_paper.reproduction.printed import by_pair
from shoal_paper.reproduction.publish import publish
from shoal_paper.reproduction.records import Records
from shoal_paper.reproduction.setting import Setting
from shoal_paper.reproduction.tables import tables


@pytest.fixture(scope="module")
def case():
    return Case(Records.of(discharges(1000)), made_up=True)


@pytest.fixture(scope="module")
def results(case):
    return Experiments(case).results()


@pytest.fixture(scope="module")
def full(results):
    """Give the rows as if they were of as many records as the paper's."""
    rows = [row | {"total": FULL} if row["value"] is None else row for row in results["masking"]]
    return results | {"masking": rows}


def page_of(results, case, claims=None, **made):
    published = case.setting.published
    drawn = figures(results, published=published, where=case.setting.where)
    listed = tables(results, case.table, case.setting.masking, published=published)
    claims = check_claims(results, case) if claims is None else claims
    return report.study_report(results, drawn, listed, claims, made, published=published)


def test_every_figure_and_table_of_the_paper_is_there(results, case):
    drawn = figures(results, published=True)
    assert {name.rstrip("abcd") for name in drawn} >= {f"Fig. S{number}" for number in range(1, 8)}
    assert all("<svg" in figure.svg and figure.rows for figure in drawn.values())
    listed = tables(results, case.table, MaskUniques(), published=True)
    assert {paper.number.removesuffix(" joint") for paper in listed} == {f"Table S{number}" for number in range(1, 11)}
    eighths = next(paper.rows for paper in listed if paper.number == "Table S8")
    assert [row["interval"] for row in eighths] == [
        "[0;9]", "[10;20]", "[21;31]", "[32;42]", "[43;52]", "[53;63]", "[64;74]", "[75;85]",
    ]  # fmt: skip


PRINTED = {
    "Fig. S1": "568k", "Fig. M1": "published: 21.15%", "Fig. S3": "0.26%", "Fig. R1": "75%",
    "Fig. S4a": "published: almost 75%", "Fig. S5": "the paper counts 51",
}  # fmt: skip


@pytest.mark.parametrize("number", PRINTED)
def test_published_numbers_stand_only_beside_as_many_records_of_the_same_kind(results, full, number):
    def texts(figure):
        return " ".join(re.findall(r">([^<>]+)</text>", figure.svg)) + figure.description

    assert texts(figures(full, published=True)[number]).replace(" ", " ").count(PRINTED[number])
    fewer = figures(results, published=True)[number]
    assert "◆" not in fewer.svg
    assert "published" not in texts(fewer)
    assert number == "Fig. S4a" or "about 3,985,166 records and not shown beside these 1,000" in fewer.description
    assert "paper" not in figures(full, published=False)[number].description


def test_published_numbers_are_in_the_data_behind_a_figure(full):
    rows = figures(full, published=True)["Fig. S3"].rows
    assert [row["published"] for row in rows if row["data"].startswith("PD")][-1] == UNIQUE_PD
    assert next(row["published"] for row in figures(full, published=True)["Fig. S1"].rows) == 568_394


def test_figures_are_drawn_from_kept_rows_alone_and_always_the_same(results):
    again = json.loads(json.dumps(results))
    assert figures(again, published=True) == figures(results, published=True)


def test_the_risk_of_the_map_is_that_of_the_record_which_is_worst_off(results):
    for row in figures(results)["Fig. S4"].rows:
        if row["release"].startswith("k = "):
            assert row["largest-risk"] == pytest.approx(1 / int(re.findall(r"\d+", row["release"])[0]))
        else:
            assert row["largest-risk"] == 1  # someone stands alone
        assert row["random-reidentification"] <= row["largest-risk"]


def test_coarsening_that_is_better_on_average_contradicts_the_paper_only_if_it_is_for_everyone(results, case):
    def with_coarsening(**values):
        rows = [
            row | {"value": values.get(row["measure"].replace("-", "_"), row["value"])}
            if row["label"] == "1/32"
            else row
            for row in results["comparison"]
        ]
        return page_of(results | {"comparison": rows}, case)

    better = {"information_loss": 0.001, "random_reidentification": 0.001}
    assert "does not contradict the paper" in with_coarsening(**better)
    assert "does not contradict the paper" not in with_coarsening(**better, largest_risk=0.4)
    assert "No record is worse off than with k = 2 either" in with_coarsening(**better, largest_risk=0.4)
    assert "on average a guess is right less often" not in with_coarsening()


def test_correlations_stand_beside_the_published_ones(results, case):
    papers = {p.number: p for p in tables(results, case.table, MaskUniques(), published=True)}
    rows = {f"{row['first']} ~ {row['second']}": row for row in papers["Table S4"].rows}
    printed = by_pair(CORRELATIONS_S4)
    assert len(printed) == 36
    assert {pair: row["published"] for pair, row in rows.items()}.items() <= printed.items()
    assert rows["oshpd_id ~ patcnty"]["published"] == 0.811
    assert all(row["difference"] == row["measured"] - row["published"] for row in rows.values())
    assert "these of 1,000" in papers["Table S4"].caption
    assert re.search(r"0\.8\d\d<br><small>0\.811<br>\([+−]0\.\d{3}\)</small>", page_of(results, case))


def test_zip_codes_are_no_amounts(results, case):
    page = page_of(results, case)
    assert ">93722<" in page
    assert "93,722" not in page
    assert ">505,785<" in page


def test_the_caption_of_table_s6_says_what_the_paper_prints(results, case):
    paper = next(p for p in tables(results, case.table, MaskUniques(), published=True) if p.number == "Table S6")
    assert "[42-52]" in paper.caption
    assert paper.rows[0]["age"] == "[35;52]"


def test_records_are_said_to_stand_alone_no_longer_only_if_none_does(results, case):
    def with_alone(number):
        rows = [row | {"unique": number} if row["data"] == "PD" else row for row in results["knowledge"]]
        return page_of(results | {"knowledge": rows}, case)

    assert "until they no longer did" in with_alone(0)
    assert "no longer did" not in with_alone(1)
    assert "1 record still stands alone" in with_alone(1)


def test_regeneration_is_said_to_miss_the_risk_only_where_it_does(results, case):
    def with_truth(share):
        rows = [row | {"uniqueness": share} if row["data"] == "truth" else row for row in results["knowledge"]]
        return page_of(results | {"knowledge": rows}, case)

    assert "Regeneration does not recover the risk" in with_truth(0.5)
    same = next(r["uniqueness"] for r in reversed(results["knowledge"]) if r["data"] == "SPD")
    assert "Regeneration does not recover the risk" not in with_truth(same)
    assert "records that cannot be" in with_truth(same)


def test_only_claims_that_could_fail_are_counted_and_coloured(results, case):
    claims = [replace(claim, low=0.1, high=0.9) for claim in check_claims(results, case)]
    page = page_of(results, case, claims)
    held, counted = count(claims)
    assert f"{held} of {counted} statements that could have failed hold here." in page
    assert len(re.findall(r'class="verdict (?:holds|fails)"', page)) == counted
    assert len(re.findall(r'class="verdict plain"', page)) == len(claims) - counted
    heads = re.findall(r"<h3[^>]*>([^<]+)</h3>", page)
    assert [head.lower() for head in heads][: len(COUNTED)] == list(COUNTED)
    assert page.count("In tables made anew: 0.1 to 0.9.") == len(claims)
    assert page.count("Holds if: ") == len(claims)
    assert "Published: 0.75." in page


def test_everything_known_of_how_a_study_was_made_is_told(results, case):
    page = page_of(results, case, records=1000, commit=None, **{"SHA-256 of SPD": "ab12"})
    assert all(said in page for said in ("<dd>1,000</dd>", "<dt>SHA-256 of SPD</dt><dd>ab12</dd>"))
    assert "<dt>commit</dt>" not in page


def fake(name):
    row = {"known": "<all>", "share": 0.4}

    def drawn(found):
        return {"Fig. C9": bars(found, x="known", y="share", title="Fig. C9. Something", description="One bar.")}

    return Experiment(
        name, 1, lambda case: [row], drawn, lambda found, html: Section(f"Beyond, {len(found)}", *html.values())
    )


def test_experiments_beyond_the_paper_follow_it_and_those_without_rows_are_left_out(results, case, monkeypatch):
    beyond = fake("asked"), fake("not asked")
    for module in (drawing, report):
        monkeypatch.setattr(module, "EXPERIMENTS", beyond)
    page = page_of(results | {"asked": [{"known": "<all>", "share": 0.4}], "not asked": []}, case)
    assert page.index("Closeness ends the rest") < page.index("Beyond, 1") < page.index("The claims, checked")
    assert "Beyond, 0" not in page
    assert page.count("Fig. S3. Risk by what the attacker knows</strong>") == 1  # it is given its own figures only
    assert page.count("Fig. C9. Something</strong>") == 1


KNOWN = {
    2: {"years": "census", "branch": "work"},
    4: {"years": "census", "branch": "work", "town": "place", "month": "time"},
}


@pytest.mark.parametrize("groups", KNOWN)
@pytest.mark.parametrize("with_truth", [True, False])
def test_a_table_of_another_kind_is_shown_without_what_the_paper_published(groups, with_truth, tmp_path):
    """No race, no age, no published number, other groups of features, and perhaps nobody who knows the records."""
    known = KNOWN[groups]
    columns = {
        "years": [i % 7 for i in range(120)], "branch": [i % 5 for i in range(120)],
        "town": [i % 11 for i in range(120)], "month": [i % 3 for i in range(120)],
    }  # fmt: skip
    frame = pl.DataFrame({name: columns[name] for name in known} | {"pay": [1000 + i for i in range(120)]})
    setting = Setting(
        "pay",
        ReadOptions(roles=Roles(quasi=tuple(known), sensitive=("pay",)), knowledge=known, masked=True),
        MaskUniques(("branch -> *", "years -> bands 0,4")),
        "pay",
        "pay > 1100",
    )
    records = Records.of(read(frame, options=setting.options), masking=setting.masking)
    case = Case(records if with_truth else replace(records, truth=None), setting)
    results = Experiments(case, beyond=with_truth).results()
    publish(results, case, tmp_path, {"data": "pay"})
    names = {path.name for path in tmp_path.glob("*.svg")}
    assert names >= {f"fig_{number}.svg" for number in ("m1", "s3", "s4", "s4a", "s5", "s6", "s7a", "s7b", "r1")}
    assert not names & {"fig_s1.svg", "fig_s2.svg"}
    page = (tmp_path / "report.html").read_text(encoding="utf-8")
    assert "published" not in re.sub(r"<style>.*?</style>", "", page, flags=re.DOTALL).replace(
        "as published", ""
    ).replace(" is published ", "")
    assert "Table S10" not in page
    assert "pay &gt; 1100" in page
    assert ("records in full are not known" in page) != with_truth
