"""The public tables that come with the tests are the ones that numbers were published about."""

import hashlib
import re

from public_files import DATA

TOLD = dict(
    re.findall(r"^\| `(\S+)` \|.*\| `(\w{64})` \|$", (DATA / "README.md").read_text(encoding="utf-8"), re.MULTILINE)
)


def test_tables_that_come_with_the_tests_are_what_their_page_says(public_file):
    found = {place: hashlib.sha256(public_file(place).read_bytes()).hexdigest() for place in TOLD}
    assert found == TOLD
    made = {
        path.relative_to(DATA).as_posix().removesuffix(".gz") for path in DATA.glob("*/*") if path.name != "LICENSE"
    }
    assert made | {"adult/adult_int.csv"} == set(TOLD)
