"""The workbench with many users at once: fifty of them for a minute. python benchmarks/load.py [USERS] [SECONDS]."""

from __future__ import annotations

import json
import os
import statistics
import sys
import threading
import time
from dataclasses import dataclass, field

from workbench import Client, serving

PAGES = ("/data", "/roles", "/risk", "/protect", "/compare", "/release", "/same", "/api/workbench")
TABLE = "age,sex,zip,shoe,ill\n" + "".join(
    f"{20 + i * 7 % 50},{'fm'[i % 2]},{90000 + i % 9},{36 + i % 9},{('flu', 'asthma', 'stroke')[i % 3]}\n"
    for i in range(200)
)


@dataclass
class Seen:
    """What the users saw: how long opening a file took, how long answers took, and what went wrong."""

    opening: list[float] = field(default_factory=list)
    seconds: list[float] = field(default_factory=list)
    errors: list[str] = field(default_factory=list)


def use(address: str, seen: Seen, opened: threading.Barrier, over: threading.Event) -> None:
    """Open a table, decide on its columns, wait for what is found out, and look at one page after the other."""
    client, turn = Client(address), 0
    try:
        begun = time.monotonic()
        job = json.loads(client.send("PUT", "/api/file?name=people.csv&wait=30", TABLE.encode()))
        seen.opening.append(time.monotonic() - begun)
        if job["state"] != "done":
            seen.errors.append(f"opening: {job['state']} {job['error']}")
        client.show("/roles")
        client.form("/roles/accept")
        for path in ("/api/risk", "/api/candidates"):  # what is found out is kept, so it is not to grow afterwards
            while client.ask("GET", f"{path}?wait=30")["job"]["state"] in ("waiting", "running"):
                pass
    except OSError as error:
        seen.errors.append(f"opening: {error}")
    opened.wait()
    while not over.is_set():
        page = PAGES[turn % len(PAGES)]
        begun = time.monotonic()
        try:
            client.send("GET", page)
        except OSError as error:  # also what the server refuses
            seen.errors.append(f"{page}: {error}")
        seen.seconds.append(time.monotonic() - begun)
        turn += 1


def held(pid: int) -> tuple[int, int]:
    """Give the resident bytes and the open files of a process.

    Of several looks the one with the fewest files counts: a connection over which someone is just answered is not kept.
    """
    files = len(os.listdir(f"/proc/{pid}/fd"))
    for _ in range(20):
        time.sleep(0.05)
        files = min(files, len(os.listdir(f"/proc/{pid}/fd")))
    with open(f"/proc/{pid}/statm", encoding="ascii") as file:
        pages = int(file.read().split()[1])
    return pages * os.sysconf("SC_PAGE_SIZE"), files


@dataclass
class Load:
    """How a server did: what its users saw, and what it held at the beginning and at the end, as `held` tells it."""

    seen: Seen
    before: tuple[int, int]
    after: tuple[int, int]


def loaded(users: int, seconds: float) -> Load:
    """Let users in, and look at the server when all are in, and when the time is over."""
    with serving() as (address, pid):
        seen, opened, over = Seen(), threading.Barrier(users + 1), threading.Event()
        people = [threading.Thread(target=use, args=(address, seen, opened, over)) for _ in range(users)]
        for person in people:
            person.start()
        opened.wait()  # opening fifty files takes as long as it takes; the minute begins when all are in
        time.sleep(min(seconds / 4, 15))  # until every page was shown once, so that only what grows on is counted
        before = held(pid)
        time.sleep(seconds)
        after = held(pid)
        over.set()
        for person in people:
            person.join()
    return Load(seen, before, after)


def main(users: int, seconds: float) -> int:
    """Let users in, and tell what they saw."""
    found = loaded(users, seconds)
    spent, errors = sorted(found.seen.seconds), found.seen.errors
    slow = spent[int(len(spent) * 0.99)]
    print(f"{len(spent):,} answers, median {statistics.median(spent):.3f} s, 99 of 100 within {slow:.3f} s")
    print(
        f"a file was open after {statistics.median(found.seen.opening):.2f} s, at most {max(found.seen.opening):.2f} s"
    )
    print(f"{len(errors)} errors {sorted(set(errors))[:5]}")
    grown = f"{found.before[0] / 1e6:.0f} -> {found.after[0] / 1e6:.0f} MB"
    print(f"memory {grown}, open files {found.before[1]} -> {found.after[1]}")
    return min(len(errors), 1)


if __name__ == "__main__":
    sys.exit(main(*(int(text) for text in sys.argv[1:3])) if len(sys.argv) > 2 else main(50, 60))
