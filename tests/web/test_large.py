"""The workbench under load: millions of rows, many users at once, and whatever its description lets programs send."""

import subprocess
import sys

import pytest
from web.conftest import people

pytestmark = pytest.mark.large
CHECKS = "not_a_server_error,status_code_conformance,content_type_conformance,response_schema_conformance"


@pytest.fixture(scope="module")
def discharges(tmp_path_factory):
    """As many discharges as California had in a year, none of them real."""
    path = tmp_path_factory.mktemp("large") / "discharges.csv"
    subprocess.run([sys.executable, "-m", "shoal", "data", "discharges", "--out", str(path)], check=True)
    return path


def test_four_million_rows(discharges):
    from workbench import measured

    found = measured(str(discharges))
    assert found.seconds["columns from a sample"] < 3
    assert found.seconds["risk exactly"] < 10
    assert found.seconds["k = 5 from a sample"] < 5
    assert found.seconds["release"] < 30
    assert {"columns exactly", "k = 5 exactly"} <= found.seconds.keys()
    assert found.slider < 0.2
    assert found.peak < 3e9


def test_fifty_users_for_a_minute():
    from load import loaded

    found = loaded(50, 60)
    assert not found.seen.errors
    assert len(found.seen.seconds) > 1000
    assert max(found.seen.opening) < 5
    assert found.after[0] < found.before[0] * 1.15
    assert found.after[1] <= found.before[1] + 10


def test_every_answer_fits_the_description(tmp_path):
    """Schemathesis makes up what the description allows, and some of what it does not."""
    from workbench import Client, serving

    with serving() as (address, _):
        client = Client(address)
        client.send("PUT", "/api/file?name=people.csv&wait=30", people(30))
        client.show("/roles")
        client.form("/roles/accept")
        command = [
            sys.executable,
            "-m",
            "schemathesis.cli",
            "--no-color",
            "run",
            f"{address.partition('?')[0]}api/openapi.json",
        ]
        command += ["--header", f"Cookie: {client.cookies}", "--checks", CHECKS, "--max-examples", "25"]
        command += ["--exclude-path", "/api/file", "--phases", "examples,coverage,fuzzing"]
        done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True)
    assert done.returncode == 0, done.stdout[-4000:] + done.stderr[-1000:]
