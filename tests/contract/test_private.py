"""What every method whose noise has no seed must be able to do, on every engine: cells differ, promises do not."""

import json

import numpy as np
import polars as pl
import pytest
from clusters import cluster
from engines.pools import Memory
from engines.tiny import Tiny
from shelves import stating

import shoal
from shoal.catalogue import build
from shoal.engines.local import Local
from shoal.engines.parts.engine import PartsEngine
from shoal.errors import CertificateError, DataError, GuaranteeError, ParameterError, SchemaError
from shoal.private.mechanisms import NoiseMechanism

pytest.importorskip("opendp")

METHODS = stating()
ENGINES = {"local": Local, "parts": lambda: PartsEngine(Memory(), 5), "disk": Tiny, "spark": cluster}
NUMBERS = {"age": "0..90 step 2", "share": "0..1 step 0.05", "day": "2000-01-01..2000-12-31", "zip": "90001..90040"}
WIDTHS = {"age": 90, "share": 1, "day": 365, "zip": 39}
CASES = [(kind, name) for kind in ENGINES for name in METHODS if kind != "spark"]
CASES += [pytest.param("spark", name, marks=pytest.mark.large) for name in METHODS]


def frame(rows=203):
    random = np.random.default_rng(7)
    age = random.integers(-3, 99, rows)  # some lie outside of what is declared
    return pl.DataFrame(
        {
            "age": [None if i % 41 == 0 else int(a) for i, a in enumerate(age)],
            "share": np.round(random.random(rows), 3),
            "day": pl.Series(random.integers(10957, 11300, rows)).cast(pl.Int32).cast(pl.Date),
            "zip": 90001 + (age + random.integers(0, 20, rows)) % 40,
            "ill": random.choice(["flu", "cold", "none"], rows),
        }
    )


def read_by(kind, **roles):
    return shoal.read(frame(), engine=ENGINES[kind](), **({"quasi": [*NUMBERS]} | roles))


def method(name, **given):
    usual = {"domains": NUMBERS, "rho": 0.5} | ({"k": 20} if name == "private-averages" else {})
    return build("methods", {"name": name} | usual | given)


@pytest.fixture
def without_chance(monkeypatch):
    """Take chance out, here and only here, to compare engines cell by cell."""
    monkeypatch.setattr(NoiseMechanism, "added", lambda self, numbers: list(numbers))
    monkeypatch.setattr(NoiseMechanism, "best", lambda self, scores: int(np.argmax(scores)))
    monkeypatch.setattr("shoal.methods.private_tree.fresh_random", lambda: np.random.default_rng(3))


@pytest.mark.parametrize(("kind", "name"), CASES)
def test_but_for_chance_a_release_does_not_depend_on_how_the_table_is_held(kind, name, tmp_path, without_chance):
    for number, engine in enumerate(("local", kind)):
        shoal.anonymize(read_by(engine), method(name)).write(tmp_path / f"{number}.csv")
    assert (tmp_path / "0.csv").read_bytes() == (tmp_path / "1.csv").read_bytes()


@pytest.mark.parametrize(("kind", "name"), CASES)
def test_a_release_is_stated_and_its_arithmetic_proved_from_the_file(kind, name, tmp_path):
    release = shoal.anonymize(read_by(kind), method(name))
    assert release.holds
    assert release.warnings == ()
    for suffix in ("csv", "parquet"):
        written = release.write(tmp_path / f"out.{suffix}", overwrite=True)
        proof = shoal.verify(tmp_path / f"out.{suffix}")
        assert proof.holds
        assert proof.promised == ("zero-concentrated-differential-privacy",)
        assert proof.stated[0] == release.stated.sentence
        assert "taken on trust in shoal and in opendp" in proof.stated[1]
        assert written.content["stated"]["kind"] == "stated"


@pytest.mark.parametrize("name", METHODS)
def test_two_releases_have_one_shape_and_different_cells(name):
    one, other = (shoal.anonymize(read_by("local"), method(name)).to_polars() for _ in range(2))
    assert one.schema == other.schema
    assert not one.equals(other)
    assert abs(one.height - other.height) < 100  # five deviations of the noise, and more
    for column, width in WIDTHS.items():  # one distribution, as far as the noise lets see
        kind = pl.Int32 if column == "day" else pl.Float64
        middles = [float(each[column].cast(kind).mean()) for each in (one, other)]
        assert abs(middles[0] - middles[1]) < 0.75 * width


@pytest.mark.parametrize("name", METHODS)
def test_a_certificate_has_no_seed_and_nothing_of_the_original_that_has_no_noise(name, tmp_path):
    asked = ["marginal-distance", "total-variation", "query-error", "class-sizes"]
    shoal.anonymize(read_by("local"), method(name), measures=asked).write(tmp_path / "out.csv")
    paper = json.loads((tmp_path / "out.certificate.json").read_text(encoding="utf-8"))
    assert "seed" not in paper["recipe"]["release"]
    assert [score["value"] for score in paper["scores"][:3]] == [None, None, None]
    assert paper["scores"][3]["value"] is not None
    assert list(paper["input"]) == ["commitment"]
    record = tmp_path / "out.private.json"
    proof = shoal.verify(tmp_path / "out.csv", private=record, original=frame())
    assert not proof.not_proved
    assert any("total-variation" in line for line in proof.by_original)


@pytest.mark.parametrize("name", METHODS)
def test_certificates_of_neighbours_tell_them_not_apart(name, tmp_path, without_chance):
    """One record with a decimal makes a column of whole numbers one of decimals: its kind is the declared one."""
    rows = [{"n": value, "m": value % 5} for value in range(40)]
    papers = []
    for number, last in enumerate((39, 38.7)):
        people = pl.DataFrame([*rows[:-1], {"n": last, "m": 4}], schema={"n": pl.Float64, "m": pl.Int64})
        path = tmp_path / f"{number}.csv"
        people.with_columns(pl.col("n").map_elements(lambda v: f"{v:g}", pl.String)).write_csv(path)
        table = shoal.read(path, quasi=["n", "m"])
        assert table.schema["n"].axis.kind == ("integer", "float")[number]
        release = shoal.anonymize(table, method(name, domains={"n": "0..40 step 4", "m": "0..4"}))
        release.write(tmp_path / f"out-{number}.csv")
        papers.append(json.loads((tmp_path / f"out-{number}.certificate.json").read_text(encoding="utf-8")))
        shoal.verify(tmp_path / f"out-{number}.csv", private=tmp_path / f"out-{number}.private.json", original=path)
    for paper in papers:
        paper.pop("digest"), paper["input"].pop("commitment")
        for drawn in ("name", "sha256", "bytes"):
            paper["output"].pop(drawn)
    assert papers[0] == papers[1]


@pytest.mark.parametrize("path", [
    ("stated", "loss", "rho"), ("stated", "kind"), ("stated", "sentence"), ("stated", "neighbours"),
    ("recipe", "method", 0, "rho"), ("recipe", "method", 0, "domains", "age"), ("stated", "claim"),
], ids=str)  # fmt: skip
@pytest.mark.parametrize("name", METHODS)
def test_what_is_stated_cannot_be_changed_though_the_digest_is_made_anew(name, path, tmp_path):
    shoal.anonymize(read_by("local"), method(name)).write(tmp_path / "out.csv")
    certificate = tmp_path / "out.certificate.json"
    paper = json.loads(certificate.read_text(encoding="utf-8"))
    holder = paper
    for key in path[:-1]:
        holder = holder[key]
    changed = {"0..90 step 2": "0..80 step 2", 0.5: 0.25, "0.5": "0.25"}
    holder[path[-1]] = changed.get(holder[path[-1]], "proved")
    paper["digest"] = shoal.certification.certificate.digest(paper)
    certificate.write_text(json.dumps(paper), encoding="utf-8")
    with pytest.raises(CertificateError):
        shoal.verify(tmp_path / "out.csv")


@pytest.mark.parametrize("name", METHODS)
def test_values_off_the_grid_are_found_out(name, tmp_path):
    """A file with real values in it, and a certificate that fits its bytes, is refused all the same."""
    shoal.anonymize(read_by("local"), method(name)).write(tmp_path / "out.csv")
    head, first, *rest = (tmp_path / "out.csv").read_text(encoding="utf-8").splitlines()
    cells = first.split(",")
    text = "\n".join([head, ",".join(["1", *cells[1:]]), *rest]) + "\n"
    (tmp_path / "out.csv").write_text(text, encoding="utf-8")
    certificate = tmp_path / "out.certificate.json"
    paper = json.loads(certificate.read_text(encoding="utf-8"))
    written = Local().digest(shoal.engines.sources.Source.parse(tmp_path / "out.csv"))
    paper["output"] |= {"sha256": written.sha256, "bytes": written.size}
    paper["digest"] = shoal.certification.certificate.digest(paper)
    certificate.write_text(json.dumps(paper), encoding="utf-8")
    with pytest.raises(CertificateError):
        shoal.verify(tmp_path / "out.csv")


@pytest.mark.parametrize("name", METHODS)
def test_what_would_make_the_promise_false_is_refused(name):
    table, way = read_by("local"), method(name)
    with pytest.raises(SchemaError, match="'ill' would be released as it is"):
        shoal.anonymize(read_by("local", sensitive=["ill"]), way)
    with pytest.raises(SchemaError, match="'ill' says that a person may have several"):
        shoal.anonymize(read_by("local", subject="ill"), way)
    with pytest.raises(ParameterError, match="none was declared for 'zip'"):
        shoal.anonymize(table, method(name, domains={key: NUMBERS[key] for key in ("age", "share", "day")}))
    with pytest.raises(ParameterError, match="has no seed"):
        shoal.anonymize(table, way, seed=1)
    with pytest.raises(ParameterError, match="no row for each row"):
        shoal.anonymize(table, way, row_order="input")
    with pytest.raises(ParameterError, match="no row for each row"):
        shoal.anonymize(table, way).to_arrow(row_order="input")
    with pytest.raises(ParameterError, match="row by row"):
        shoal.anonymize(table, way, measures="information-loss")
    with pytest.raises(ParameterError, match="only method"):
        shoal.anonymize(table, ["coarsen", way])
    with pytest.raises(ParameterError, match="rho"):
        shoal.anonymize(table, method(name, rho=None))
    with pytest.raises(SchemaError, match="holds ranges"):
        shoal.anonymize(shoal.anonymize(table, k=20).table, way)
    with pytest.raises(DataError, match="no records"):
        shoal.anonymize(frame().head(0), way, quasi=[*NUMBERS], kinds={"age": "integer", "zip": "integer"})
    for rho in (-1, 0, "much"):
        with pytest.raises(ParameterError):
            method(name, rho=rho)
    with pytest.raises(GuaranteeError):
        shoal.anonymize(table, "coarsen").to_arrow()
