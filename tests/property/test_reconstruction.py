"""Whether the public files of a release give back what it hides: an attacker with these files and nothing else."""

import hashlib
from pathlib import Path

import pyarrow.parquet as pq
import pytest
from property.attacker import Rows, attack, text_rows

from shoal import cli

# A release as version 1 of the certificate described it: with a digest of the original and the loss of each column.
OLD = Path(__file__).parent / "format1"
SIX = """\
age,sex,zip,admitted,diagnosis
36,female,93614,2024-03-09,fracture
71,male,93727,2024-11-12,pneumonia
34,female,93611,2024-03-02,asthma
39,male,93618,2024-03-20,pneumonia
67,male,93722,2024-11-05,stroke
78,male,93730,2024-11-28,fracture
"""
# Sixty people who have their like, and four who have not: the four are those to protect.
OUTLIERS = "age,visits,ill\n" + "".join(
    f"{age},{visits},{ill}\n"
    for age, visits, ill in [
        *((20 + number % 6, 1 + number % 2, ("flu", "cold")[number % 2]) for number in range(60)),
        (71, 9, "stroke"), (96, 14, "flu"), (83, 17, "cancer"), (79, 12, "gout"),
    ]
)  # fmt: skip
TABLES = {
    "six": (SIX, ("age", "sex", "zip", "admitted"), "diagnosis", 3),
    "outliers": (OUTLIERS, ("age", "visits"), "ill", 4),
}


@pytest.mark.parametrize("name", TABLES)
def test_a_certificate_of_format_1_gives_the_original_back_cell_for_cell(name):
    """What the attacker can do is shown on what was once written; it must not work on what is written now."""
    text, quasi, _, _ = TABLES[name]
    found = attack(text_rows(OLD / f"{name}.csv"), quasi, [OLD / f"{name}.csv", OLD / f"{name}.certificate.json"])
    assert found.original == text
    assert found.settled


def public_files(folder: Path) -> list[Path]:
    """Give what the owner may pass on: all but what is private by its name, and the original."""
    return [
        path
        for path in sorted(folder.iterdir())
        if path.is_file() and ".private." not in path.name and path.name != "original.csv"
    ]


def released_rows(folder: Path, target: str) -> Rows:
    """Give a release as text, whatever it was written to."""
    if target == "text":
        return text_rows(folder / "out.csv")
    if target == "parquet":
        frame = pq.read_table(folder / "out.parquet").to_pylist()
    else:
        import duckdb

        with duckdb.connect(folder / "out.db", read_only=True) as base:
            frame = base.sql("SELECT * FROM shown").to_arrow_table().to_pylist()
    return [{name: as_text(value) for name, value in row.items()} for row in frame]


def as_text(value: object) -> str:
    if isinstance(value, dict):
        return f"[{value['lo']};{value['hi']}]"
    return "{" + ";".join(value) + "}" if isinstance(value, list) else str(value)


TARGETS = {"text": "out.csv", "parquet": "out.parquet", "duckdb": "duckdb:///out.db?table=shown"}


@pytest.fixture(
    params=[("six", "text"), ("outliers", "text"), ("outliers", "parquet"), ("outliers", "duckdb")],
    ids="-".join,
    scope="module",
)
def released(request, tmp_path_factory):
    """Release a table with all that can be written beside it: certificate, report for others, recipe."""
    name, target = request.param
    text, quasi, sensitive, k = TABLES[name]
    folder = tmp_path_factory.mktemp("public")
    (folder / "original.csv").write_text(text, encoding="utf-8")
    arguments = [
        "anonymize", "original.csv", "--out", TARGETS[target], "--quasi", ",".join(quasi), "--sensitive", sensitive,
        "--k", str(k), "--certificate", "out.certificate.json", "--report", "report.html", "--audience", "external",
        "--save-recipe", "recipe.toml",
    ]  # fmt: skip
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(folder)
        patch.setattr("sys.argv", ["shoal", *arguments])
        with pytest.raises(SystemExit) as ended:
            cli.main()
    assert not ended.value.code
    return text, quasi, released_rows(folder, target), public_files(folder)


# Certificates of format 1, above, show that the attack works.


def test_what_is_written_now_does_not_give_the_original_back(released):
    _, quasi, rows, public = released
    found = attack(rows, quasi, public)
    assert found.original is None
    assert not found.settled


def test_no_public_file_holds_a_plain_digest_of_the_original(released):
    text, _, _, public = released
    content = b"".join(path.read_bytes() for path in public)
    for digest in ("sha256", "sha512", "sha1", "md5", "sha3_256", "blake2b"):
        assert hashlib.new(digest, text.encode()).hexdigest().encode() not in content


def test_no_public_file_tells_the_loss_of_a_single_column(released):
    *_, public = released
    for path in public:
        if path.suffix == ".json":
            assert "per_attribute" not in path.read_text(encoding="utf-8")
        if path.suffix == ".html":
            assert "Information loss by column" not in path.read_text(encoding="utf-8")


def test_the_attacker_needs_the_files_to_tell():
    """From the cells alone nothing is settled: what the attacker finds comes from what lies beside them."""
    quasi = TABLES["six"][1]
    found = attack(text_rows(OLD / "six.csv"), quasi, [OLD / "six.csv"])
    assert found.original is None
    assert not found.settled
    assert all(fit == possible > 1 for fit, possible in found.fitting.values())
