"""The queue: what a person waits for goes first, users take turns, and what is ended leaves its place to others."""

import threading
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from web.conftest import IN_A_PROCESS, until

from shoal.web.tasks import messages as m
from shoal.web.tasks import queue as queues
from shoal.web.tasks.job import Job, Part
from shoal.web.tasks.lanes import AHEAD, LANES, OPENING, SHOWN
from shoal.web.tasks.queue import Queue

SPECS = tuple(m.CandidateSpec(key=str(number), methods=({"name": "hilbert"},), models=()) for number in range(4))
NARROW = replace(AHEAD, at_once=1)


class Gated:
    """A worker that does one candidate each time it is let on, and writes down for whom."""

    reusable = True

    def __init__(self, done, gate):
        self._done, self._gate, self._stopped = done, gate, False

    def ask(self, line):
        request = m.CandidatesRequest.model_validate_json(line.partition(": ")[2][:-1])
        while not self._gate.acquire(timeout=0.005):
            if self._stopped:
                return
        self._done.append(request.name)
        left = request.exact[1:] if request.seconds else ()
        yield "result", m.CandidatesDone(exact=left, tried=request.tried + 1).plain()

    def stop(self):
        self._stopped = True

    end = stop


@pytest.fixture
def gated(monkeypatch):
    """A queue whose workers are let on by hand, one candidate at a time."""
    done, gate = [], threading.Semaphore(0)
    monkeypatch.setattr("shoal.web.tasks.processes.started", lambda lane: Gated(done, gate))
    monkeypatch.setattr(queues, "LANES", (*LANES, NARROW))
    queue = Queue()
    yield queue, done, gate
    queue.close()


def job(owner, lane=NARROW, candidates=1, seconds=None, **more):
    request = m.CandidatesRequest(
        file=Path("x"), name=owner, roles={}, exact=SPECS[:candidates], seconds=seconds
    )  # fmt: skip
    return Job("search", [Part(request, lane)], owner=owner, **more)


def test_users_take_turns(gated):
    queue, done, gate = gated
    jobs = [queue.start(job(owner)) for owner in "aaab"]
    for _ in jobs:
        gate.release()
    assert all(each.wait(10) for each in jobs)
    assert done == ["a", "b", "a", "a"]
    assert {each.state for each in jobs} == {"done"}


def test_work_ahead_is_done_in_slices_between_which_others_have_their_turn(gated):
    queue, done, gate = gated
    long = queue.start(job("a", candidates=4, seconds=1.0))
    short = queue.start(job("b"))
    for _ in range(5):
        gate.release()
    assert long.wait(10)
    assert short.over
    assert done == ["a", "b", "a", "a", "a"]
    assert long.result.tried == 4


def test_what_a_person_waits_for_does_not_wait_for_work_ahead(gated):
    queue, done, _ = gated
    ahead = [queue.start(job(owner, AHEAD)) for owner in "abcdefgh"]
    until(lambda: [each.state for each in ahead].count("running") == AHEAD.at_once)
    first, second = queue.start(job("x", SHOWN)), queue.start(job("y", OPENING))
    until(lambda: first.state == second.state == "running")
    assert not done


def test_a_job_goes_on_in_another_lane(gated):
    queue, done, gate = gated
    request = m.CandidatesRequest(file=Path("x"), name="a", roles={}, exact=SPECS[:1])
    two = queue.start(Job("search", [Part(request, SHOWN), Part(request, NARROW)], owner="a"))
    gate.release()
    until(lambda: two.lane is NARROW)
    assert not two.over
    gate.release()
    assert two.wait(10)
    assert done == ["a", "a"]


@pytest.mark.parametrize("running", [True, False])
def test_what_is_cancelled_leaves_its_place(gated, running):
    queue, done, gate = gated
    ended = []
    jobs = [queue.start(job(owner, ended=ended.append)) for owner in "ab"]
    until(lambda: jobs[0].state == "running")
    gone, stays = jobs if running else jobs[::-1]
    gone.cancel()
    assert gone.wait(10)
    gate.release()
    assert stays.wait(10)
    assert (gone.state, stays.state, len(done)) == ("cancelled", "done", 1)
    assert set(ended) == set(jobs)


def test_who_cannot_be_hired_fails_the_job(gated, monkeypatch):
    queue, _, _ = gated

    def none_left(lane):
        raise BlockingIOError

    monkeypatch.setattr("shoal.web.tasks.processes.started", none_left)
    failed = queue.start(job("a"))
    assert failed.wait(10)
    assert failed.state == "failed"
    assert "BlockingIOError" in failed.error


def look(**more):
    request = m.ProfileRequest(file=Path("/nowhere"), name="x")
    return Job("look", [Part(request, OPENING)], **more)


@pytest.fixture
def processes(monkeypatch):
    """A queue whose workers are processes."""
    monkeypatch.setattr("shoal.web.tasks.processes.started", IN_A_PROCESS)
    queue = Queue()
    yield queue
    queue.close()


def test_a_process_is_asked_again(processes, monkeypatch, tmp_path):
    started = []
    monkeypatch.setattr("shoal.web.tasks.processes.started", lambda lane: started.append(lane) or IN_A_PROCESS(lane))
    (tmp_path / "t.csv").write_text("age\n1\n2\n")
    request = m.PreviewRequest(file=tmp_path / "t.csv", name="t.csv", folder=tmp_path)
    held = np.ones(400 << 17)  # 400 MB here are none of the process
    for _ in range(3):
        done = processes.start(Job("preview", [Part(request, OPENING)]))
        assert done.wait(20)
        assert done.result.rows == (("1",), ("2",))
    assert started.count(OPENING) == 1
    assert held.all()


def test_a_process_that_dies_is_told_as_a_failure(processes, monkeypatch):
    monkeypatch.setattr("shoal.web.tasks.processes.sys.executable", "/bin/false")
    job = processes.start(look())
    assert job.wait(20)
    assert job.state == "failed"
    assert "stopped" in job.error


def test_processes_end_when_the_queue_is_closed():
    queue = Queue()
    worker = IN_A_PROCESS(OPENING)
    queue._workers.give_back(OPENING, worker)
    assert worker.reusable
    queue.close()
    assert not worker.reusable
