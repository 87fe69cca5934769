"""A release that promises nothing never looks like success."""

import polars as pl
import pytest

import shoal
from shoal.errors import GuaranteeError

TABLE = "age,sex,ill\n" + "".join(f"{20 + i},{'mf'[i % 2]},{'abc'[i % 3]}\n" for i in range(12))
COARSE = ("--quasi", "age,sex", "--sensitive", "ill", "--method", "coarsen", "--param", "resolution=12")


def test_nothing_is_written_that_promises_nothing(desk):
    """Records that stand alone must not go out because a method was chosen that enforces no level."""
    desk.put("t.csv", TABLE)
    for method in (COARSE, ("--quasi", "age", "--method", "mask-uniques", "--param", 'order=["age -> bands 0,30"]')):
        done = desk.run("anonymize", "t.csv", "--out", "o.csv", "--overwrite", *method)
        done.refused(1, "promises nothing", "--k", "--no-promise")


def test_who_knows_may_write_it_and_its_check_is_no_success(desk):
    desk.put("t.csv", TABLE)
    made = desk.run(
        "anonymize", "t.csv", "--out", "o.csv", "--overwrite", *COARSE, "--no-promise", "--save-recipe", "r.toml"
    ).fine()
    assert made.out.startswith("! This release promises nothing.")
    assert "✓" not in made.out
    assert desk.paper("o.certificate.json")["recipe"]["release"]["no_promise"] is True
    done = desk.run("check", "o.csv", "--certificate", "o.certificate.json")
    assert (done.code, done.err) == (1, "")
    assert done.out.startswith("! This release promises nothing: o.csv\n")
    assert "✓" not in done.out
    told = desk.run("check", "o.csv", "--certificate", "o.certificate.json", "--json")
    assert told.code == 1
    assert '"verified": false' in told.out
    known = desk.run("check", "o.csv", "--certificate", "o.certificate.json", "--no-promise").fine()
    assert "✓" not in known.out
    (desk.folder / "o.csv").unlink()
    desk.run("run", "r.toml", "--overwrite").fine()


def test_a_recipe_without_a_promise_is_refused_before_any_work(desk):
    desk.put("t.csv", TABLE)
    text = 'table = {file = "t.csv", quasi = ["age"]}\nmethod = {name = "coarsen"}\nrelease = {file = "o.csv"}\n'
    desk.put("r.toml", text)
    desk.run("run", "r.toml", "--overwrite").refused(1, "promises nothing")
    desk.put("r.toml", text.replace('"o.csv"', '"o.csv", no_promise = "yes"'))
    desk.run("run", "r.toml", "--overwrite").refused(2, "no_promise", "true or false")


def test_a_promise_is_one_also_if_someone_would_do_without(desk):
    desk.put("t.csv", TABLE)
    desk.run("anonymize", "t.csv", "--out", "o.csv", "--overwrite", "--quasi", "sex", "--k", 2, "--no-promise").fine()
    assert "no_promise" not in desk.paper("o.certificate.json")["recipe"]["release"]
    desk.run("check", "o.csv", "--certificate", "o.certificate.json").fine()


def test_in_python_it_can_be_looked_at_but_not_given_away(tmp_path):
    table = shoal.read(pl.DataFrame({"age": [1, 2, 3]}), quasi=["age"])
    release = shoal.anonymize(table, shoal.methods.Coarsen(3))
    assert "promises nothing" in repr(release)
    assert "promises nothing" in release._repr_html_()
    assert release.scores
    with pytest.raises(GuaranteeError, match="promises nothing"):
        release.to_native()
    with pytest.raises(GuaranteeError, match="promises nothing"):
        release.write(tmp_path / "o.csv")
    assert not list(tmp_path.iterdir())
    known = shoal.anonymize(table, shoal.methods.Coarsen(3), no_promise=True)
    assert known.to_polars()["age"].to_list() == [1, 2, 3]
