"""Build the wheels of all platforms on this one, look at what is in them, and try the one that fits here.

    python tools/wheels.py --out dist [TAG …]

The wheel for this platform is installed into an empty environment, away from the sources, and the tour is run there;
then the wheel of the paper, which is the same for all platforms, and one of its commands.
"""

from __future__ import annotations

import argparse
import os
import subprocess
import sys
import tempfile
import venv
import zipfile
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT))

from hatch_build import WHEELS, suffix  # noqa: E402

ANY = "any"


def build(tag: str, out: Path, folder: Path = ROOT) -> Path:
    """Build the wheel of a platform, or that of the paper for any."""
    command = [sys.executable, "-m", "hatchling", "build", "--target", "wheel", "--directory", str(out)]
    environment = {**os.environ, "SHOAL_WHEEL": tag}
    subprocess.run(command, cwd=folder, env=environment, check=True, stdout=subprocess.DEVNULL)
    wheel = max(out.glob(f"*-py3-none-{tag}.whl"), key=lambda path: path.stat().st_mtime)
    libraries = [name for name in zipfile.ZipFile(wheel).namelist() if "/_native" in name]
    if libraries != ([] if tag == ANY else [f"shoal/kernels/_native{suffix(tag)}"]):
        raise SystemExit(f"{wheel.name} holds {libraries or 'no library'}.")
    return wheel


def fits(wheel: Path, python: Path) -> bool:
    """Tell whether pip would install a wheel here."""
    asked = [str(python), "-m", "pip", "install", "--dry-run", "--no-deps", "--no-index", "--quiet", str(wheel)]
    return subprocess.run(asked, capture_output=True, check=False).returncode == 0


def attempt(wheels: list[Path], paper: Path) -> None:
    """Install the wheel that fits into an empty environment, and run the tour from it; then the paper's."""
    with tempfile.TemporaryDirectory() as scratch:
        place = Path(scratch) / "venv"
        venv.create(place, with_pip=True)
        programs = place / ("Scripts" if os.name == "nt" else "bin")
        fitting = [wheel for wheel in wheels if fits(wheel, programs / "python")]
        if not fitting:
            raise SystemExit("None of the wheels fits this platform.")
        environment = {name: value for name, value in os.environ.items() if name != "PYTHONPATH"}
        made = ["data", "discharges", "--rows", "9", "--out", "discharges.csv"]
        install = [programs / "python", "-m", "pip", "--quiet", "install"]
        for command in (
            [*install, fitting[0]], [programs / "shoal", "demo"],
            [*install, "--no-index", paper], [programs / "shoal", *made],
        ):  # fmt: skip
            subprocess.run([str(part) for part in command], cwd=scratch, env=environment, check=True)
        print(f"{fitting[0].name} and {paper.name} were installed and tried.")


def main() -> None:
    """Do what the command line asks for."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("tags", nargs="*", default=list(WHEELS), metavar="TAG")
    parser.add_argument("--out", type=Path, default=ROOT / "dist")
    asked = parser.parse_args()
    if strange := set(asked.tags) - set(WHEELS):
        parser.error(f"there is no wheel {', '.join(sorted(strange))}; there are {', '.join(WHEELS)}")
    asked.out.mkdir(parents=True, exist_ok=True)
    wheels = []
    for tag in (*asked.tags, ANY):
        wheels.append(build(tag, asked.out, ROOT / "paper" if tag == ANY else ROOT))
        print(f"{wheels[-1].name}: {wheels[-1].stat().st_size / 1e6:.2f} MB", flush=True)
    attempt(wheels[:-1], wheels[-1])


if __name__ == "__main__":
    main()
