"""Commands on a cluster: the same results, and nothing else on the screen."""

import json

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from architecture.markdown import shoal_command
from clusters import cluster
from typer.testing import CliRunner

from shoal.cli import application


@pytest.fixture
def people(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    rows = range(40)
    table = pa.table({"age": [i * 7 % 23 for i in rows], "town": [f"t{i % 4}" for i in rows], "charge": list(rows)})
    pq.write_table(table, "people.parquet", row_group_size=15)
    return ["people.parquet", "--quasi", "age,town", "--sensitive", "charge"]


def run(*arguments):
    done = CliRunner().invoke(application(), list(arguments))
    assert done.exit_code == 0, done.output
    # Sums of fractions depend on their order in the last digit.
    return json.loads(done.stdout, parse_float=lambda text: round(float(text), 12))


def test_a_command_shows_one_json_object_and_nothing_else(people):
    pytest.importorskip("pyspark", reason="PySpark is not installed: make install EXTRAS=spark")
    asked = ["--k", "4", "--method", "sorted-clusters", "--json"]
    done = shoal_command("anonymize", *people, *asked, "--out", "out/", "--engine", "spark", "--master", "local[1]")
    assert done.returncode == 0, done.stdout
    assert json.loads(done.stdout)["verdicts"][0]["holds"]  # what Spark says on stderr would stand here too
    local = run("anonymize", *people, *asked, "--out", "local.parquet")
    assert [score["value"] for score in json.loads(done.stdout)["scores"]] == pytest.approx(
        [score["value"] for score in local["scores"]], rel=1e-12
    )
    assert pq.read_table("out").equals(pq.read_table("local.parquet"))


def test_every_command_that_reads_takes_the_engine(people):
    cluster()
    there = ["--json", "--engine", "spark"]
    found, here = run("inspect", people[0], *there), run("inspect", people[0], "--json")
    assert found.pop("next") == here.pop("next").replace(" --quasi", " --engine spark --quasi")
    assert found == here
    assert run("risk", *people, *there) == run("risk", *people, "--json")
    made = ["anonymize", *people, "--k", "4", "--method", "sorted-clusters", "--save-recipe", "recipe.toml"]
    run(*made, "--out", "out.csv", *there)
    assert run("check", "out.csv", "--certificate", "out.certificate.json", *there)["verified"]
    assert run("compare", people[0], "out.csv", *people[1:], *there) == run(
        "compare", people[0], "out.csv", *people[1:], "--json"
    )
    assert run("run", "recipe.toml", "--overwrite", *there)["verdicts"][0]["holds"]


def test_a_master_needs_the_engine(people):
    done = shoal_command("risk", *people, "--master", "local[1]")
    assert done.returncode == 2
    assert "--engine spark" in done.stdout
