"""Commands that make and read data, study it, and compare methods on it."""

import json
import stat

import pytest

HEAD = "oshpd_id,age_yrs,sex,ethncty,race,patzip,patcnty,los,adm_qtr,charge,diag_p"
PUBLIC = HEAD + ",dnr\n380929,42,1,2,1,93722,10,33,1,505785,4829,N\n380929,*,*,*,*,937**,10,2,*,0,4829,N\n"


def test_discharges_are_the_same_each_time_and_begin_alike(desk):
    desk.run("data", "discharges", "--rows", "50", "--out", "a.csv").fine()
    desk.run("data", "discharges", "--rows", "80", "--out", "b.csv").fine()
    short, long = desk.read("a.csv").splitlines(), desk.read("b.csv").splitlines()
    assert short[0] == HEAD
    assert (len(short), len(long)) == (51, 81)
    assert long[:51] == short
    other = desk.run(
        "data", "discharges", "--rows", "50", "--seed", "7", "--out", "a.csv", "--overwrite", "--json"
    ).json()
    assert other == {"rows": 50, "seed": 7, "out": "a.csv"}
    assert desk.read("a.csv").splitlines() != short


def test_discharges_are_compared_with_what_was_published(desk):
    said = desk.run("data", "discharges", "--rows", "3000", "--describe").fine()
    assert "correlation of oshpd_id and patcnty" in said.out
    goals = desk.run("data", "discharges", "--rows", "3000", "--describe", "--json").json()["goals"]
    assert {goal["holds"] for goal in goals} == {True, False, None}


def test_discharges_that_cannot_be_made_are_refused(desk):
    desk.run("data", "discharges").refused(2, "nothing to do")
    desk.run("data", "discharges", "--rows", "0", "--out", "a.csv").refused(2)
    desk.run("data", "discharges", "--rows", "10", "--out", "nowhere/a.csv").refused(3, "nowhere")


def test_the_states_files_become_one_table(desk):
    desk.put("LA.csv", PUBLIC)
    desk.put("South.csv", PUBLIC)
    desk.run("data", "oshpd", "LA.csv", "South.csv", "--out", "all.csv").fine()
    assert desk.read("all.csv").splitlines() == [
        HEAD, *["380929,42,1,2,1,93722,10,33,1,505785,4829", "380929,*,*,*,*,[93700;93799],10,2,*,,4829"] * 2,
    ]  # fmt: skip
    found = desk.run("data", "oshpd", "LA.csv", "--charges", "codes", "--out", "one.csv", "--json").json()
    assert found == {"rows": 2, "out": "one.csv"}
    assert desk.read("one.csv").splitlines()[2].endswith(",0,4829")


@pytest.mark.parametrize(
    ("spoilt", "column"),
    [
        ("380929,42,9,", "sex"),
        ("380929,42,1,2,8,", "race"),
        ("380929,42,1,2,1,9372,", "patzip"),
        ("38092,42,", "oshpd_id"),
    ],
)
def test_a_code_that_cannot_be_is_refused_by_column_and_line(desk, spoilt, column):
    whole = "380929,42,1,2,1,93722,10,33,1,505785,4829,N"
    line = spoilt + whole.split(",", spoilt.count(","))[-1]
    desk.put("LA.csv", f"{HEAD},dnr\n{whole}\n{line}\n")
    desk.run("data", "oshpd", "LA.csv", "--out", "all.csv").refused(3, column, "line 3")


def test_unique_records_are_masked_counted_and_regenerated(desk):
    desk.run("data", "discharges", "--rows", "400", "--out", "full.csv").fine()
    quasi = ",".join(HEAD.split(",")[:9])
    kinds = [part for name in HEAD.split(",")[:9] for part in ("--kind", f"{name}=integer")]
    roles = ("--quasi", quasi, "--sensitive", "charge,diag_p", "--kind", "diag_p=category", *kinds)
    desk.run("anonymize", "full.csv", *roles, "--method", "mask-uniques", "--masked-counts", "counts.csv",
             "--out", "masked.csv", "--no-promise").fine()  # fmt: skip
    assert desk.read("counts.csv").startswith("column,value,count\n")
    # They are values of people who stood alone.
    assert stat.S_IMODE((desk.folder / "counts.csv").stat().st_mode) == 0o600
    both = desk.run("risk", "masked.csv", "--masked", "--quasi", quasi, "--json").json()
    fit = desk.run("risk", "masked.csv", "--masked", "--quasi", quasi, "--matching", "fit", "--json").json()
    signature = desk.run("risk", "masked.csv", "--masked", "--quasi", quasi, "--matching", "signature", "--json").json()
    assert (both["unique"], both["fit_unique"]) == (signature["unique"], fit["unique"])
    assert fit["matching"] == "fit"
    assert "fit_unique" not in signature
    assert "worst case" in desk.run("risk", "masked.csv", "--masked", "--quasi", quasi).fine().out
    desk.run("anonymize", "masked.csv", "--masked", *roles, "--method", "regenerate", "--param", "counts=counts.csv",
             "--out", "again.csv", "--no-promise").fine()  # fmt: skip
    first, second = ([row.split(",") for row in desk.read(name).splitlines()[1:]] for name in ("full.csv", "again.csv"))
    for j in range(9):
        assert sorted(row[j] for row in first) == sorted(row[j] for row in second)


def test_masking_that_cannot_be_done_is_refused(desk, people):
    people = desk.put("people.csv", people).name
    mask = ("anonymize", people, "--quasi", "age,zip", "--out", "out.csv", "--no-promise", "--method")
    desk.run(*mask, "mask-uniques").refused(2, "no masking order")
    desk.run(*mask, "mask-uniques", "--param", 'order=["age -> stairs"]').refused(2, "not a masking step")
    desk.run(*mask, "regenerate", "--param", "counts=nowhere.csv").refused(3, "nowhere.csv")
    desk.put("counts.csv", "column,value,count\nage,34,2\n")
    desk.run(*mask, "regenerate", "--param", "counts=counts.csv").refused(3, "'age'", "0 masked cells")
    desk.run("anonymize", people, "--quasi", "age", "--k", "2", "--masked-counts", "c.csv", "--out", "out.csv").refused(
        2
    )
    desk.run("risk", people, "--quasi", "age", "--matching", "some").refused(2, "some")


def test_the_papers_study_writes_figures_tables_claims_and_a_report(desk):
    found = desk.run("study", "--rows", "600", "--out", "study", "--json").json()
    assert len(found["claims"]) >= 20
    names = {path.name for path in (desk.folder / "study").iterdir()}
    assert {
        "report.html",
        "claims.csv",
        "study.json",
        "fig_s3.svg",
        "fig_s3.csv",
        "fig_s5.svg",
        "table_s9.csv",
    } <= names
    page = desk.read("study/report.html")
    assert "<script" not in page
    assert page.count("<figure") >= 12
    again = desk.run("study", "--rows", "600", "--out", "study").fine()
    assert "statements of the paper that count here hold" in again.out
    desk.run("study", "--rows", "5", "--out", "other").refused(2, "100 records")


def test_a_study_of_ones_own_is_run_from_toml(desk, people):
    desk.put("people.csv", people)
    desk.put("my.toml", """
[table]
file = "people.csv"
quasi = ["age", "zip"]
sensitive = ["charge"]
[[method]]
name = "sorted-clusters"
[[model]]
name = "k-anonymity"
k = [2, 3]
""")  # fmt: skip
    done = desk.run("study", "my.toml", "--out", "mine").fine()
    assert "sorted-clusters k=3" in done.out
    assert desk.read("mine/study.csv").startswith("method,parameters,models,seed,measure,value")


def test_methods_are_compared_on_one_table(desk, people):
    people = desk.put("people.csv", people).name
    roles = ("--quasi", "age,zip", "--sensitive", "charge")
    grid = ("compare", people, "--methods", "sorted-clusters,coarsen", "--k", "2,3", *roles)
    done = desk.run(*grid, "--report", "report.html").fine()
    assert "sorted-clusters loses" in done.out
    assert "Risk and utility" in desk.read("report.html")
    rows = desk.run(*grid, "--json").json()["rows"]
    assert {json.dumps(row["models"]) for row in rows if row["method"] == "coarsen"} == {"{}"}
    desk.run("compare", people, *roles).refused(2, "nothing to compare")
    desk.run("compare", people, "--methods", "sorted-cluster", *roles).refused(2, "sorted-clusters")
    desk.run("compare", people, "--methods", "coarsen", "--k", "two", *roles).refused(2, "whole numbers")


def test_releases_are_compared_in_a_report_by_the_measures_that_are_asked_for(desk, people):
    people = desk.put("people.csv", people).name
    roles = ("--quasi", "age,zip", "--sensitive", "charge")
    desk.run("anonymize", people, "--out", "out.csv", "--k", 2, *roles).fine()
    asked = ("--target", "sex", "--measure", "pmse", "--measure", "query-error queries=7 attributes=1")
    desk.run("anonymize", people, "--out", "sexes.csv", "--k", 2, *roles, "--plain", "sex").fine()
    grid = ("compare", people, "sexes.csv", *roles, *asked, "--measure", "discernibility")
    found = desk.run(*grid, "--json").json()["releases"][0]
    scores = {score["measure"]: score for score in found["scores"]}
    assert list(scores) == [
        "information-loss", "kolmogorov-smirnov", "total-variation", "pmse", "query-error", "discernibility",
        "accuracy-loss",
    ]  # fmt: skip
    assert scores["query-error"]["detail"]["queries"] == 7
    assert set(scores["total-variation"]["detail"]["per_attribute"]) == {"age", "zip"}
    assert found["total_variation"] == scores["total-variation"]["value"] > 0
    done = desk.run(*grid, "--report", "report.html").fine()
    assert "accuracy that a model loses" in done.out
    assert "A decision tree that learned from the release is right in " in done.out
    assert "discernibility" in done.out
    assert "by column" in done.out
    page = desk.read("report.html")
    for words in (
        "sexes.csv",
        "Risk and utility",
        "Column by column",
        "define-kolmogorov-smirnov",
        "doi.org/10.1111/rssa",
    ):
        assert words in page
    desk.run("compare", people, "out.csv", *roles, "--target", "sex").refused(2, "no column 'sex'")
    desk.run(*grid, "--report", people).refused(2, ".html")
    desk.run("compare", people, "out.csv", *roles, "--measure", "pmsee").refused(2, "Did you mean 'pmse'")
    desk.run("compare", people, "out.csv", *roles, "--measure", "pmse 'most").refused(2, "not a measure")
    desk.run("compare", people, "out.csv", *roles, "--measure", "pmse most=few").refused(2, "whole number")


def test_a_release_is_measured_as_asked_and_what_a_model_found_is_not_proved_again(desk, people):
    made = desk.mask(people, "--quasi", "age,zip,sex", "--sensitive", "charge",
                     "--measure", "total-variation", "--measure", "accuracy-loss target=charge held_out=0.5",
                     "--measure", "uniqueness known=age,sex", "--json").json()  # fmt: skip
    names = [score["measure"] for score in made["scores"]]
    assert names[4:] == ["total-variation", "accuracy-loss", "uniqueness"]
    proof = desk.run(
        "check",
        "out.csv",
        "--certificate",
        "out.certificate.json",
        "--private",
        "out.private.json",
        "--original",
        "in.csv",
        "--json",
    ).json()
    assert any(line.startswith("total-variation is") for line in proof["proved"])
    assert [line.partition(" ")[0] for line in proof["not_proved"]] == ["accuracy-loss"]


def test_diversity_and_hierarchies_are_asked_for_by_options(desk, people):
    people = desk.put("people.csv", people).name
    desk.put("sex.csv", "m;person\nf;person\n")
    roles = ("--quasi", "age,sex", "--sensitive", "charge")
    desk.run("anonymize", people, *roles, "--k", "2", "--l", "2", "--hierarchy", "sex=sex.csv",
             "--hierarchy", "age=bands 10,100", "--out", "out.csv").fine()  # fmt: skip
    shown = [line.split(",")[:2] for line in desk.read("out.csv").splitlines()[1:]]
    assert {sex for _, sex in shown} <= {"m", "f", "person"}
    desk.run("check", "out.csv", "--certificate", "out.certificate.json").fine()
    desk.run("anonymize", people, *roles, "--k", "2", "--l", "9", "--out", "o.csv").refused(1, "cannot hold 9")
    desk.run("anonymize", people, *roles, "--k", "2", "--hierarchy", "sex=none.csv", "--out", "o.csv").refused(
        3, "none.csv"
    )
    desk.put("half.csv", "m;person\n")
    desk.run("anonymize", people, *roles, "--k", "2", "--hierarchy", "sex=half.csv", "--out", "o.csv").refused(
        3, "sex", "line 3"
    )


def test_a_confidential_column_with_a_hierarchy_is_protected_and_proved_by_it(desk):
    rows = "".join(f"{20 + i},{['flu', 'cold', 'ulcer', 'colitis'][i % 4]}\n" for i in range(40))
    desk.put("people.csv", "age,ill\n" + rows)
    desk.put("ill.csv", "flu;breath\ncold;breath\nulcer;belly\ncolitis;belly\n")
    asked = ("--quasi", "age", "--sensitive", "ill", "--hierarchy", "ill=ill.csv", "--k", "4", "--t", "0.2")
    more = ("--t-distance", "hierarchical", "--out", "out.csv", "--save-recipe", "way.toml", "--report", "out.html")
    desk.run("anonymize", "people.csv", *asked, *more).fine()
    assert "distance over a hierarchy" in desk.read("out.certificate.json")
    first = desk.read("out.csv")
    desk.run("run", "way.toml", "--overwrite").fine()
    assert desk.read("out.csv") == first
    (desk.folder / "ill.csv").unlink()
    desk.run("check", "out.csv", "--certificate", "out.certificate.json").fine()
    desk.put("people.csv", "age,ill\n" + rows + "70,breath\n")
    desk.put("ill.csv", "flu;breath\ncold;breath\nulcer;belly\ncolitis;belly\n")
    desk.run("anonymize", "people.csv", *asked, "--out", "o.csv").refused(3, "ill", "line 42")
