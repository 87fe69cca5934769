"""The workbench with many users at once: fifty of them for a minute. python benchmarks/load.py [USERS] [SECONDS]."""

from __future__ import annotations

import os
import statistics
import subprocess
import sys
import tempfile
import threading
import time
from dataclasses import dataclass, field

from workbench import Client

PAGES = ("/data", "/roles", "/risk", "/protect", "/compare", "/release", "/same", "/api/workbench")
TABLE = "age,sex,zip,shoe,ill\n" + "".join(
    f"{20 + i * 7 % 50},{'fm'[i % 2]},{90000 + i % 9},{36 + i % 9},{('flu', 'asthma', 'stroke')[i % 3]}\n"
    for i in range(200)
)


@dataclass
class Seen:
    """What the users saw: how long answers took, and what went wrong."""

    seconds: list[float] = field(default_factory=list)
    errors: list[str] = field(default_factory=list)


def use(address: str, seen: Seen, opened: threading.Barrier, over: threading.Event) -> None:
    """Open a table, decide on its columns, and look at one page after the other."""
    client, turn = Client(address), 0
    try:
        client.send("PUT", "/api/file?name=people.csv&wait=30", TABLE.encode())
        client.send("POST", "/roles/accept", b"")
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
    """Give the resident bytes and the open files of a process."""
    with open(f"/proc/{pid}/statm", encoding="ascii") as file:
        pages = int(file.read().split()[1])
    return pages * os.sysconf("SC_PAGE_SIZE"), len(os.listdir(f"/proc/{pid}/fd"))


def main(users: int, seconds: float) -> int:
    """Let users in, and tell what they saw."""
    command = [sys.executable, "-m", "shoal", "web", "--port", "0", "--no-browser", "--keep", tempfile.mkdtemp()]
    server = subprocess.Popen(command, stdout=subprocess.PIPE, text=True)
    assert server.stdout is not None
    address, seen = server.stdout.readline().split()[-1], Seen()
    opened, over = threading.Barrier(users + 1), threading.Event()
    people = [threading.Thread(target=use, args=(address, seen, opened, over)) for _ in range(users)]
    begun = time.monotonic()
    for person in people:
        person.start()
    opened.wait()  # opening fifty files takes as long as it takes; the minute begins when all are in
    print(f"all {users} in after {time.monotonic() - begun:.1f} s")
    before = held(server.pid)
    time.sleep(seconds)
    after = held(server.pid)
    over.set()
    for person in people:
        person.join()
    server.terminate()
    server.wait()
    spent = sorted(seen.seconds)
    slow = spent[int(len(spent) * 0.99)]
    print(f"{len(spent):,} answers, median {statistics.median(spent):.3f} s, 99 of 100 within {slow:.3f} s")
    print(f"{len(seen.errors)} errors {sorted(set(seen.errors))[:5]}")
    print(f"memory {before[0] / 1e6:.0f} -> {after[0] / 1e6:.0f} MB, open files {before[1]} -> {after[1]}")
    return min(len(seen.errors), 1)


if __name__ == "__main__":
    sys.exit(main(*(int(text) for text in sys.argv[1:3])) if len(sys.argv) > 2 else main(50, 60))
