"""The pictures of README and docs that are made by shoal itself: python tools/pictures.py."""

from __future__ import annotations

import tempfile
from pathlib import Path

from playwright.sync_api import sync_playwright
from screenshots import CHROMIUM, FLAGS, opened, table, workbench

import shoal
from shoal.charts import risk_utility_map
from shoal.datasets.patients import write_patients

PICTURES = Path(__file__).resolve().parents[1] / "docs" / "pictures"
SIZE = {"width": 1200, "height": 820}


def page(target: Path) -> None:
    """Take a picture of the workbench, where k is chosen for a table of made-up people."""
    with sync_playwright() as playwright, tempfile.TemporaryDirectory() as private, workbench(Path(private)) as address:
        browser = playwright.chromium.launch(executable_path=CHROMIUM, args=FLAGS)
        seen = browser.new_page(viewport=SIZE, color_scheme="light")
        clinic = Path(private) / "clinic.csv"
        clinic.write_text(table(), encoding="utf-8")
        opened(seen, address, clinic)
        for button in seen.get_by_role("button", name="Take the suggestions").all():
            button.click()
        seen.goto(f"{address}protect")
        seen.locator("#poll").wait_for(state="detached", timeout=240_000)
        seen.screenshot(path=target)
        browser.close()


def risk_and_utility(target: Path) -> None:
    """Draw releases of 2,000 made-up patients by four methods on a map of risk and loss."""
    with tempfile.TemporaryDirectory() as private:
        write_patients(Path(private) / "patients.csv")
        given = shoal.read(
            Path(private) / "patients.csv", quasi=["age", "sex", "race", "zip", "quarter", "stay"], sensitive=["charge"]
        )
    measures = ["random-reidentification", "information-loss"]
    rows = []
    for method in ("sorted-clusters", "mdav", "mondrian", "hilbert"):
        for k in (2, 3, 5, 10, 20):
            risk, loss = (score.value for score in shoal.anonymize(given, method, k=k, measures=measures).scores)
            rows.append({"method": method, "name": f"k = {k}", "loss": loss, "risk": risk})
    figure = risk_utility_map(
        rows, x="loss", y="risk", group="method", label="name", frontier=True, log=True,
        title="2,000 made-up patients, released in twenty ways",
        description="At equal risk, hilbert loses least.",
        x_label="information loss", y_label="chance of a right guess",
    )  # fmt: skip
    target.write_text(figure.svg_document(), encoding="utf-8")


if __name__ == "__main__":
    PICTURES.mkdir(exist_ok=True)
    risk_and_utility(PICTURES / "risk-utility.svg")
    page(PICTURES / "workbench.png")
