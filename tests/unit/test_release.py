"""Writing a release with its certificate, and proving it again."""

import hashlib
import json

import polars as pl
import pytest
from property.independent import rows_of

import shoal
from shoal.certification.certificate import Certificate
from shoal.certification.signatures import digest
from shoal.report import release_report

FRAME = pl.DataFrame({
    "age": [30, 31, 45, 47, 60, 62],
    "sex": ["f", "m", "f", "f", "m", "m"],
    "charge": [10, 20, 30, 40, 50, 60],
})  # fmt: skip
KEY = b"a key of more than sixteen bytes"
MODELS = [shoal.models.KAnonymity(2), shoal.models.TCloseness(0.5)]


@pytest.fixture
def original(tmp_path):
    FRAME.write_csv(tmp_path / "in.csv")
    return tmp_path / "in.csv"


@pytest.fixture
def release(original):
    table = shoal.read(original, quasi=["age", "sex"], sensitive=["charge"])
    measures = [
        shoal.measures.Uniqueness(),
        shoal.measures.AttributeDisclosure("charge > 30"),
        shoal.measures.ClassSizes(),
        shoal.measures.InformationLoss(),
    ]
    return shoal.anonymize(table, shoal.methods.StratifiedClusters(), MODELS, measures=measures, seed=11)


@pytest.fixture
def written(release, tmp_path):
    release.write(tmp_path / "out.csv")
    return tmp_path / "out.csv", tmp_path / "out.certificate.json"


def resealed(content):
    """Seal a changed certificate anew, as someone without the key could."""
    content = {key: value for key, value in content.items() if key != "signature"}
    return Certificate(content | {"digest": digest(content)})


def test_the_certificate_says_what_was_done_what_holds_and_what_is_left(release, original, written):
    content = json.loads(written[1].read_text(encoding="utf-8"))
    assert hashlib.sha256(original.read_bytes()).hexdigest() not in json.dumps(content)
    assert content["output"]["sha256"] == hashlib.sha256(written[0].read_bytes()).hexdigest()
    assert content["output"]["bytes"] == written[0].stat().st_size
    assert content["input"]["records"] == content["output"]["records"] == 6
    assert content["engine"] == "local"
    assert content["recipe"]["release"]["seed"] == 11
    assert content["recipe"]["method"] == [{"name": "stratified-clusters", "publish": "range", "mixed": 1}]
    assert set(content["software"]) >= {"shoal", "python", "numpy"}
    assert content["steps"] == list(release.steps)
    assert [verdict["model"]["name"] for verdict in content["verdicts"]] == ["k-anonymity", "t-closeness"]
    assert all(verdict["holds"] for verdict in content["verdicts"])
    assert "distinct values" in content["verdicts"][1]["convention"]
    assert len(content["scores"]) == 4


def test_the_file_alone_proves_the_verdicts_and_the_original_the_loss(written, original):
    proof = shoal.verify(*written)
    assert [verdict.holds for verdict in proof.verdicts] == [True, True]
    assert proof.not_proved == ("information-loss (needs private record and original)",)
    with pytest.raises(shoal.errors.ParameterError, match="private record"):
        shoal.verify(*written, original=original)
    whole = shoal.verify(*written, private=original.with_name("out.private.json"), original=original)
    assert whole.not_proved == ()
    assert {score.measure for score in whole.scores} >= {"information-loss", "uniqueness"}


def test_frames_come_in_the_released_order_and_in_that_of_the_input_on_demand():
    turned = FRAME[[5, 2, 0, 4, 1, 3]]
    table = shoal.read(turned, quasi=["age"], sensitive=["charge"])
    release = shoal.anonymize(table, shoal.methods.SortedClusters(), [shoal.models.KAnonymity(2)])
    shown = release.to_pandas()
    assert shown["charge"].tolist() == [10, 20, 30, 40, 50, 60]
    assert shown.index.tolist() == list(range(6))
    assert release.to_pandas(row_order="input")["charge"].tolist() == turned["charge"].to_list()
    assert (
        release.to_polars()["charge"].to_list() == release.to_arrow()["charge"].to_pylist() == [10, 20, 30, 40, 50, 60]
    )
    with pytest.raises(shoal.errors.ParameterError, match="no order of rows"):
        release.to_arrow(row_order="random")


def test_a_report_says_that_rows_stand_in_the_order_of_the_original(original):
    table = shoal.read(original, quasi=["age", "sex"], sensitive=["charge"])
    for order in ("released", "input"):
        release = shoal.anonymize(table, shoal.methods.SortedClusters(), [shoal.models.KAnonymity(2)], row_order=order)
        page = release_report(release, table, audience="external")
        assert ("stand in the order of the original" in page) is (order == "input")


def test_a_certificate_cannot_ask_for_any_number_of_measures(written):
    path, certificate = written
    content = json.loads(certificate.read_text(encoding="utf-8"))
    content["recipe"]["measure"] *= 20
    content["scores"] *= 20
    with pytest.raises(shoal.errors.CertificateError, match="more than can be proved"):
        shoal.verify(path, resealed(content))


def test_every_byte_of_the_file_counts(written):
    path, certificate = written
    whole = path.read_bytes()
    for place in range(0, len(whole), 7):
        path.write_bytes(whole[:place] + bytes([whole[place] ^ 1]) + whole[place + 1 :])
        with pytest.raises(shoal.errors.CertificateError):
            shoal.verify(path, certificate)
    path.write_bytes(whole + b"\n")
    with pytest.raises(shoal.errors.CertificateError):
        shoal.verify(path, certificate)
    path.write_bytes(whole)
    shoal.verify(path, certificate)


def leaves(value, path=()):
    if isinstance(value, dict):
        for key, item in value.items():
            yield from leaves(item, (*path, key))
    elif isinstance(value, list):
        for key, item in enumerate(value):
            yield from leaves(item, (*path, key))
    else:
        yield path, value


def changed(content, path, value):
    whole = json.loads(json.dumps(content))
    place = whole
    for key in path[:-1]:
        place = place[key]
    place[path[-1]] = value
    return whole


def another(value):
    if isinstance(value, bool):
        return not value
    return value + 1 if isinstance(value, (int, float)) else f"{value}!"


def test_every_field_of_the_certificate_counts(written):
    path, certificate = written
    content = json.loads(certificate.read_text(encoding="utf-8"))
    fields = list(leaves(content))
    assert len(fields) > 40
    for place, value in fields:
        with pytest.raises(shoal.errors.CertificateError):
            shoal.verify(path, Certificate(changed(content, place, another(value))))


def test_a_claim_that_the_file_does_not_bear_out_fails_even_when_sealed_anew(written):
    path, certificate = written
    content = json.loads(certificate.read_text(encoding="utf-8"))
    shoal.verify(path, resealed(content))
    for place in [
        ("verdicts", 0, "level"), ("verdicts", 1, "level"), ("verdicts", 0, "classes"), ("verdicts", 0, "holds"),
        ("verdicts", 0, "model", "k"), ("verdicts", 1, "convention"), ("verdicts", 1, "sentence"),
        ("scores", 0, "value"), ("scores", 1, "value"), ("scores", 0, "measure"),
        ("output", "sha256"), ("output", "records"),
    ]:  # fmt: skip
        value = content
        for key in place:
            value = value[key]
        new = 4 if place[-1] == "k" else another(value)
        with pytest.raises(shoal.errors.CertificateError):
            shoal.verify(path, resealed(changed(content, place, new)))


def test_every_score_is_proved_also_when_a_measure_is_taken_twice(original, tmp_path):
    table = shoal.read(original, quasi=["age", "sex"], sensitive=["charge"])
    measures = [shoal.measures.Uniqueness(("age",)), shoal.measures.Uniqueness()]
    release = shoal.anonymize(table, shoal.methods.SortedClusters(), [shoal.models.KAnonymity(2)], measures=measures)
    content = release.write(tmp_path / "out.csv").content
    shoal.verify(tmp_path / "out.csv", Certificate(content))
    for place in [("scores", 0, "value"), ("scores", 1, "value")]:
        with pytest.raises(shoal.errors.CertificateError):
            shoal.verify(tmp_path / "out.csv", resealed(changed(content, place, 0.125)))


def test_a_certificate_without_a_part_is_refused(written):
    path, certificate = written
    content = json.loads(certificate.read_text(encoding="utf-8"))
    for part in ("output", "verdicts", "scores", "recipe", "digest"):
        with pytest.raises(shoal.errors.CertificateError):
            shoal.verify(path, Certificate({key: value for key, value in content.items() if key != part}))


def test_a_key_binds_the_certificate(release, tmp_path):
    path = tmp_path / "out.csv"
    signed = release.write(path, key=KEY * 4)
    assert "issued by a holder of the key" in shoal.verify(path, signed, key=KEY * 4).proved[0]
    with pytest.raises(shoal.errors.CertificateError, match="not sealed with this key"):
        shoal.verify(path, signed, key=KEY[::-1] * 4)
    with pytest.raises(shoal.errors.CertificateError, match="not sealed"):
        shoal.verify(path, resealed(signed.content), key=KEY * 4)
    forged = dict(resealed(changed(signed.content, ("steps", 0), "Nothing.")).content)
    with pytest.raises(shoal.errors.CertificateError, match="not sealed with this key"):
        shoal.verify(path, Certificate(forged | {"signature": signed.content["signature"]}), key=KEY * 4)
    assert KEY.decode() not in signed.to_json()


def test_a_certificate_of_another_file_is_refused(release, tmp_path):
    release.write(tmp_path / "one.csv")
    release.write(tmp_path / "two.csv", delimiter=";")
    with pytest.raises(shoal.errors.CertificateError, match="not the file"):
        shoal.verify(tmp_path / "one.csv", tmp_path / "two.certificate.json")


def test_the_wrong_original_is_refused(written, tmp_path):
    FRAME.with_columns(age=pl.col("age") + 1).write_csv(tmp_path / "other.csv")
    with pytest.raises(shoal.errors.CertificateError, match="does not commit to this original"):
        shoal.verify(*written, private=tmp_path / "out.private.json", original=tmp_path / "other.csv")


@pytest.mark.parametrize(
    ("content", "options"),
    [
        ("a:s\n1:x\n2:y\n3:z\n4:w\n", {"delimiter": ":"}),
        ("a;s\n1,5;x\n2,5;y\n3,5;z\n4;w\n", {"decimal": ","}),
        ("a,s\n\u0161,x\n\u0161,y\nb,z\nb,w\n", {"encoding": "cp1250"}),
        ("a,s\nNA,x\n5,y\n3,z\n4,w\n", {"missing": ["NA"]}),
    ],
    ids=["delimiter", "decimal", "encoding", "missing"],
)
def test_an_original_that_needed_to_be_explained_proves_the_loss_too(tmp_path, content, options):
    path = tmp_path / "in.csv"
    path.write_text(content, encoding=options.get("encoding", "utf-8"))
    table = shoal.read(path, quasi=["a"], sensitive=["s"], **options)
    release = shoal.anonymize(table, shoal.methods.SortedClusters(), [shoal.models.KAnonymity(2)])
    release.write(tmp_path / "out.csv")
    papers = [tmp_path / f"out.{name}.json" for name in ("certificate", "private")]
    proof = shoal.verify(tmp_path / "out.csv", papers[0], private=papers[1], original=path)
    assert proof.not_proved == ()


def test_people_are_attested_and_not_provable_from_the_file(tmp_path):
    frame = FRAME.with_columns(person=pl.Series([1, 1, 2, 2, 3, 3]))
    table = shoal.read(frame, quasi=["age"], sensitive=["charge"], subject="person")
    shoal.anonymize(table, shoal.methods.SortedClusters(), [shoal.models.KAnonymity(2)]).write(tmp_path / "out.csv")
    proof = shoal.verify(tmp_path / "out.csv", tmp_path / "out.certificate.json")
    assert "person" not in (tmp_path / "out.csv").read_text(encoding="utf-8")
    assert "people are counted by a column that is not released" in proof.not_proved[0]


def test_the_output_may_not_be_the_input(original):
    release = shoal.anonymize(
        shoal.read(original, quasi=["age"], sensitive=["charge"]),
        shoal.methods.SortedClusters(),
        [shoal.models.KAnonymity(2)],
    )
    before = original.read_bytes()
    with pytest.raises(shoal.errors.ParameterError, match="overwrite the input"):
        release.write(original)
    with pytest.raises(shoal.errors.ParameterError, match="overwrite the input"):
        release.write(original.with_name("out.csv"), certificate=original)
    with pytest.raises(shoal.errors.ParameterError, match="same name"):
        release.write(original.with_name("out.csv"), certificate=original.with_name("out.csv"))
    assert original.read_bytes() == before
    assert list(original.parent.iterdir()) == [original]


def test_a_release_that_is_there_is_replaced_only_when_asked_for(release, tmp_path):
    release.write(tmp_path / "out.csv")
    first = (tmp_path / "out.certificate.json").read_bytes()
    for path in (tmp_path / "out.csv", tmp_path / "out.parquet"):  # which has the same papers
        with pytest.raises(shoal.errors.ParameterError, match="is there already") as refused:
            release.write(path)
        assert "overwrite=True" in refused.value.remedy
    assert (tmp_path / "out.certificate.json").read_bytes() == first
    release.write(tmp_path / "out.csv", overwrite=True)
    assert (tmp_path / "out.certificate.json").read_bytes() != first
    shoal.verify(tmp_path / "out.csv", tmp_path / "out.certificate.json")


@pytest.mark.parametrize("delimiter", ["", ",,", '"', "\n", "[", "*"])
def test_a_delimiter_that_cannot_separate_cells_is_refused(release, tmp_path, delimiter):
    with pytest.raises(shoal.errors.ParameterError):
        release.write(tmp_path / "out.csv", delimiter=delimiter)
    assert sorted(path.name for path in tmp_path.iterdir()) == ["in.csv"]


def test_a_folder_that_is_not_there_leaves_nothing_behind(release, tmp_path):
    with pytest.raises(shoal.errors.DataError, match="cannot be written"):
        release.write(tmp_path / "none" / "out.csv")
    with pytest.raises(shoal.errors.DataError, match="cannot be written"):
        release.write(tmp_path / "out.csv", certificate=tmp_path / "none" / "out.json")
    assert sorted(path.name for path in tmp_path.iterdir()) == ["in.csv"]


def test_a_semicolon_as_delimiter_puts_ranges_in_quotes(release, tmp_path):
    release.write(tmp_path / "out.csv", delimiter=";")
    lines = (tmp_path / "out.csv").read_text(encoding="utf-8").splitlines()
    assert lines[0] == "age;sex;charge"
    assert lines[1].startswith('"[')
    shoal.verify(tmp_path / "out.csv", tmp_path / "out.certificate.json")


@pytest.mark.parametrize("delimiter", ["1", "0", ".", "a", "f", "-", " "])
def test_a_delimiter_that_occurs_in_cells_is_quoted_away_or_refused(release, tmp_path, delimiter):
    try:
        release.write(tmp_path / "out.csv", delimiter=delimiter)
    except shoal.errors.ParameterError:
        assert not (tmp_path / "out.csv").exists()
    else:
        header, rows = rows_of(tmp_path / "out.csv", delimiter)
        assert header == ["age", "sex", "charge"]
        assert [row[2] for row in rows] == ["10", "20", "30", "40", "50", "60"]
        shoal.verify(tmp_path / "out.csv", tmp_path / "out.certificate.json")


def test_floats_as_large_as_they_come_are_released_with_a_certificate(tmp_path):
    table = shoal.read(pl.DataFrame({"a": [-1.7e308, 1.7e308, 1e308, -1e308]}), quasi=["a"])
    shoal.anonymize(table, shoal.methods.SortedClusters(), [shoal.models.KAnonymity(2)]).write(tmp_path / "out.csv")
    shoal.verify(tmp_path / "out.csv", tmp_path / "out.certificate.json")


def test_no_quasi_identifier_no_release():
    with pytest.raises(shoal.errors.ParameterError, match="No column is a quasi-identifier"):
        shoal.anonymize(shoal.read(FRAME, sensitive=["charge"]), shoal.methods.SortedClusters(), MODELS)
