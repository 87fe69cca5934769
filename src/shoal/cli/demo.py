"""The guided tour behind ``shoal demo``: a table, its danger, its release, and the proof."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from shoal.assessment.disclosure_risk import risk_of
from shoal.atomic_files import refuse_overwriting
from shoal.certification.papers import Places
from shoal.certification.verification import verify
from shoal.cli.terminal import comparison, proof
from shoal.datasets.patients import QUASI, SENSITIVE, write_patients
from shoal.engines import read
from shoal.engines.workspace import folder_until_exit
from shoal.measures import score
from shoal.measures.attribute_disclosure import AttributeDisclosure
from shoal.measures.information_loss import InformationLoss
from shoal.methods.sorted_clusters import SortedClusters
from shoal.methods.stratified_clusters import StratifiedClusters
from shoal.models.k_anonymity import KAnonymity
from shoal.models.t_closeness import TCloseness
from shoal.releases.anonymization import anonymize
from shoal.releases.release import STANDARD_MEASURES, Release

_WHERE = "charge > 40000"


def tour(folder: Path | None, *, overwrite: bool = False) -> None:
    """Anonymize the example, show it before and after, and check what was written."""
    if folder is None:
        _tour(folder_until_exit())
        return
    places = [Places.of(folder / f"patients-{name}.csv") for name in ("k5", "k5-t10")]
    outputs = [folder / "patients.csv", *(output.path for each in places for output in each.outputs())]
    refuse_overwriting(outputs, [], overwrite=overwrite)
    folder.mkdir(parents=True, exist_ok=True)
    _tour(folder)


def _tour(folder: Path) -> None:
    original = folder / "patients.csv"
    write_patients(original)
    table = read(original, quasi=QUASI, sensitive=SENSITIVE)
    before = risk_of(table, where=_WHERE)
    print(f"{before['records']:,} made-up patients; {before['uniqueness']:.1%} of them stand alone:\n")
    _show(original)
    report: dict[str, Any] = {"original": before, "releases": []}
    measures = [*STANDARD_MEASURES, AttributeDisclosure(_WHERE)]
    releases: dict[str, Release] = {
        "k5": anonymize(table, SortedClusters(), [KAnonymity(5)], measures=measures),
        "k5-t10": anonymize(table, StratifiedClusters(), [KAnonymity(5), TCloseness(0.1, "charge")], measures=measures),
    }
    for name, release in releases.items():
        target = folder / f"patients-{name}.csv"
        release.write(target, overwrite=True)  # what must not be replaced was refused before
        loss = score(table, release.table, measures=[InformationLoss()])[0].value
        report["releases"].append(
            {"path": str(target), "information_loss": loss} | risk_of(release.table, where=_WHERE)
        )
    print("\nThe same people, each in a crowd of at least five:\n")
    _show(folder / "patients-k5.csv")
    print(f"\nBefore and after (disclosed: {_WHERE}):\n")
    comparison(report)
    print()
    checked = folder / "patients-k5-t10.csv"
    proof(checked, verify(checked, checked.with_suffix(".certificate.json")))


def _show(path: Path, rows: int = 5) -> None:
    with path.open(encoding="utf-8") as file:
        for _ in range(rows + 1):
            print("  " + next(file).rstrip("\n"))
