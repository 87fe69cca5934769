"""How much memory there is: as Linux tells it, as a container limits it, and as psutil tells it elsewhere."""

import subprocess
import sys
from pathlib import Path

import psutil
import pytest

from shoal.engines import process_memory
from shoal.engines.memory import LEAST, limit_of

NOWHERE = Path("/no/such/folder")


@pytest.fixture(params=["proc", "psutil"])
def told(request, monkeypatch):
    """Ask the files of Linux, or do without them as other systems do."""
    monkeypatch.setattr(process_memory, "_GROUPS", ())
    if request.param == "psutil":
        monkeypatch.setattr(process_memory, "_PROC", NOWHERE)
    return request.param


def test_what_is_available_is_what_the_system_says(told):
    found, expected = process_memory.available(), psutil.virtual_memory()
    assert 0.5 * expected.available < found <= expected.total  # others take and give in between
    assert limit_of(None) >= LEAST


HOLD = """
import sys
from pathlib import Path
import numpy as np
from shoal.engines import process_memory

process_memory._PROC = Path(sys.argv[1])
before = process_memory.resident()
held = np.ones(1 << 23)
print(before, process_memory.resident(), held.nbytes)
"""


def test_what_is_resident_grows_with_what_is_held(told):
    """A process of its own is asked: this one gives memory of other tests back while it is looked at."""
    asked = [sys.executable, "-c", HOLD, str(process_memory._PROC)]
    answer = subprocess.run(asked, capture_output=True, text=True, check=True).stdout
    before, after, held = map(int, answer.split())
    assert 0.9 * held < after - before < 2 * held
    assert before < psutil.virtual_memory().total


def test_the_limit_of_a_container_is_kept(monkeypatch, tmp_path):
    most, used = tmp_path / "memory.max", tmp_path / "memory.current"
    monkeypatch.setattr(process_memory, "_GROUPS", ((most, used),))
    used.write_text("1000\n", encoding="ascii")
    for limit, found in (("5000\n", 4000), ("500\n", 0)):
        most.write_text(limit, encoding="ascii")
        assert process_memory.available() == found
    most.write_text("max\n", encoding="ascii")
    assert process_memory.available() > 5000


def test_where_nothing_tells_it_a_common_size_is_taken(monkeypatch):
    monkeypatch.setattr(process_memory, "_GROUPS", ())
    monkeypatch.setattr(process_memory, "_PROC", NOWHERE)
    monkeypatch.setitem(sys.modules, "psutil", None)
    assert process_memory.available() == 4 * 10**9
    assert process_memory.resident() == 0
