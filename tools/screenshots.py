"""Pictures of every screen and state of the workbench, light and dark, wide and narrow: python tools/screenshots.py."""

from __future__ import annotations

import argparse
import os
import random
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from playwright.sync_api import Page, sync_playwright

from shoal.web.cases.aims import K_LEVELS

CHROMIUM = os.environ.get("SHOAL_CHROMIUM") or shutil.which("chromium") or shutil.which("google-chrome")
FLAGS = ["--no-sandbox", "--disable-gpu", "--disable-background-networking", "--disable-component-update"]
SIZES = {"wide": (1440, 900), "phone": (390, 844)}
FIRST_SIGHT = ("4-protect", "4-protect-secret", "4-protect-rows", "4-protect-working")  # without scrolling


@contextmanager
def workbench(kept: Path, *arguments: str) -> Iterator[str]:
    """Start a workbench on a free port and give its address."""
    command = [
        sys.executable,
        "-m",
        "shoal",
        "web",
        "--port",
        "0",
        "--no-browser",
        "--no-token",
        "--keep",
        str(kept),
        *arguments,
    ]
    process = subprocess.Popen(command, stdout=subprocess.PIPE, text=True)
    assert process.stdout is not None
    try:
        yield process.stdout.readline().split()[-1]
    finally:
        process.terminate()
        process.wait(10)


def table(rows: int = 6000) -> str:
    """Make up a table with a name, columns to decide on, and secrets."""
    draw = random.Random(7)  # noqa: S311 - nothing secret hangs on it
    lines = ["patient_name,age,sex,postcode,admitted,shoe_size,bmi,diagnosis"]
    for number in range(rows):
        age, zone = min(99, int(draw.gammavariate(9, 5))), draw.choice("ABCDEF")
        day = f"2025-{draw.randint(1, 12):02}-{draw.randint(1, 28):02}"
        ill = draw.choice(["asthma", "fracture", "birth", "stroke", "sepsis"])
        shape = f"{draw.randint(35, 47)},{draw.gauss(26, 4):.1f}"
        lines.append(f"Person {number},{age},{draw.choice('fm')},{zone}{draw.randint(1, 40)},{day},{shape},{ill}")
    return "\n".join(lines) + "\n"


def opened(page: Page, address: str, path: Path) -> None:
    """Send a file, and wait for its columns."""
    page.goto(f"{address}data")
    page.get_by_label("A table as text").set_input_files(path)
    page.get_by_role("heading", name="What could others know?").wait_for()


def journey(page: Page, address: str, folder: Path, shot: Callable[[str], None]) -> None:
    """Walk from an empty page to a release, and stop at everything worth a look."""
    page.goto(address)
    shot("1-data-empty")
    page.goto(f"{address}risk")
    shot("3-risk-not-yet")
    bad = folder / "picture.csv"
    bad.write_bytes(bytes(range(256)) * 40)
    page.goto(f"{address}data")
    page.get_by_label("A table as text").set_input_files(bad)
    page.get_by_role("alert").filter(has_text="✗").wait_for()
    shot("1-data-refused")
    tiny = folder / "tiny.csv"
    tiny.write_text("age,sex\n" + "".join(f"{age},{'fm'[age % 2]}\n" for age in range(20, 60)), encoding="utf-8")
    opened(page, address, tiny)
    page.goto(f"{address}protect")
    page.get_by_label("Everyone hides among").fill("9")
    page.get_by_role("heading", name="This cannot be done").wait_for()
    page.locator("#poll").wait_for(state="detached")
    shot("4-protect-impossible")
    broad = folder / "broad.csv"
    names = ["نام خانوادگی", *(f"a_rather_long_name_of_column_number_{number}" for number in range(299))]
    broad.write_text("\n".join([",".join(names), *(",".join([str(row)] * 300) for row in range(9))]), encoding="utf-8")
    opened(page, address, broad)
    shot("2-roles-many")
    clinic = folder / "clinic.csv"
    clinic.write_text(table(), encoding="utf-8")
    opened(page, address, clinic)
    shot("2-roles-undecided")
    for button in page.get_by_role("button", name="Take the suggestions").all():
        button.click()
    shot("2-roles-decided")
    page.goto(f"{address}data")
    page.get_by_role("button", name="Show the first 50 rows").click()
    page.get_by_role("region", name="The first rows").wait_for()
    shot("1-data-open")
    page.goto(f"{address}risk")
    page.get_by_role("figure").filter(has_text="Which columns give people away").wait_for()
    page.locator("#poll").wait_for(state="detached")
    shot("3-risk")
    page.goto(f"{address}hierarchies")
    page.get_by_role("button", name="Build").click()
    page.get_by_role("button", name="Merge").wait_for()
    shot("4-hierarchies")
    page.get_by_role("button", name="Remove").click()
    page.goto(f"{address}risk")
    page.get_by_role("link", name="Protect them").click()
    shot("4-protect-working")
    page.locator("#poll").wait_for(state="detached", timeout=120_000)
    shot("4-protect")
    page.get_by_label("Six rows").check()
    page.get_by_role("button", name="Show six rows").click()
    page.locator(".sample .changed").first.wait_for()
    shot("4-protect-rows")
    page.get_by_label("Map", exact=True).check()
    page.get_by_label("What a group may tell").select_option("t-closeness")
    page.get_by_label("at most this far").wait_for()
    page.locator("#poll").wait_for(state="detached", timeout=240_000)
    page.get_by_role("button", name="Add to the comparison").click()
    page.wait_for_load_state()
    shot("4-protect-secret")
    for place in ("1", "5", "8"):
        page.get_by_label("Everyone hides among").fill(place)
        page.get_by_role("heading", name=f"k = {K_LEVELS[int(place)]}").wait_for()
        page.get_by_role("button", name="Add to the comparison").click()
        page.wait_for_load_state()
    page.goto(f"{address}compare")
    page.get_by_text("Who loses detail, by").first.wait_for()
    shot("5-compare")
    page.goto(f"{address}release")
    shot("6-release-checklist")
    for box in page.get_by_role("checkbox").all():
        box.check()
    page.get_by_role("button", name="Write release").click()
    page.get_by_role("heading", name="written and proved").wait_for(timeout=60_000)
    page.get_by_role("button", name="Keep after").click()
    page.wait_for_load_state()
    shot("6-release-written")
    page.goto(f"{address}same")
    shot("7-same")
    page.goto(f"{address}cases")
    shot("7-cases")
    page.goto(f"{address}api/docs")
    shot("8-api")
    page.goto(f"{address}nowhere")
    shot("9-missing")


def take(out: Path) -> None:
    """Take all pictures."""
    out.mkdir(parents=True, exist_ok=True)
    with sync_playwright() as playwright, tempfile.TemporaryDirectory() as private:
        browser = playwright.chromium.launch(executable_path=CHROMIUM, args=FLAGS)
        for scheme in ("light", "dark"):
            for size, (width, height) in SIZES.items():
                options: dict[str, Any] = {"color_scheme": scheme, "viewport": {"width": width, "height": height}}
                with workbench(Path(private) / f"kept-{scheme}-{size}") as address:
                    page = browser.new_page(**options)

                    def shot(name: str, page: Page = page, end: str = f"{scheme}-{size}") -> None:
                        whole = "many" not in name and name not in FIRST_SIGHT
                        page.screenshot(path=out / f"{name}-{end}.png", full_page=whole)

                    journey(page, address, Path(private), shot)
                    page.close()
        browser.close()


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--out", type=Path, default=Path("screenshots"))
    take(parser.parse_args().out)
