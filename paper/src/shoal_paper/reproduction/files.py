"""The data files of Table S10, under their own names and in the paper's format."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

from shoal.atomic_files import all_or_none
from shoal.engines import Layout
from shoal.engines.sources import Source
from shoal.methods import Method
from shoal.methods.coarsen import Coarsen
from shoal.methods.sorted_clusters import SortedClusters
from shoal.methods.stratified_clusters import StratifiedClusters
from shoal.models import PrivacyModel
from shoal.models.k_anonymity import KAnonymity
from shoal.models.t_closeness import TCloseness
from shoal.progress import counted, stage
from shoal.releases.anonymization import anonymize
from shoal.table import Table
from shoal_paper.reproduction.case import COARSENINGS, LEVELS

CLOSENESS = dict(zip(LEVELS, (0.25, 0.17, 0.10, 0.05), strict=True))


def write_files(table: Table, folder: Path) -> Iterator[Path]:
    """Write one file after the other, each with its certificate, over those of an earlier run; tell which is done."""
    folder.mkdir(parents=True, exist_ok=True)
    table = _with_charges_only(table)
    whole = folder / "SPD_dataset.txt"
    with all_or_none([whole]) as (draft,):
        stage(f"writing {whole.name}")
        with table.write(Source("file", draft), Layout()) as stored:
            stored.commit()
    yield whole
    releases = _releases()
    with counted(len(releases), alone=True) as part:
        for name, (method, models) in releases.items():
            part.what = f"writing {name}"
            found = anonymize(table, method, models, measures=(), no_promise=not models)
            found.write(folder / name, row_order="input", overwrite=True)
            part.done += 1
            yield folder / name


def _releases() -> dict[str, tuple[Method, tuple[PrivacyModel, ...]]]:
    found: dict[str, tuple[Method, tuple[PrivacyModel, ...]]] = {}
    for k in LEVELS:
        found[f"{k}_anonymous_SPD.txt"] = SortedClusters(), (KAnonymity(k),)
    for k, t in CLOSENESS.items():
        name = f"{k}_an_{round(t * 100):03}_clos_SPD.txt"
        found[name] = StratifiedClusters(), (KAnonymity(k), TCloseness(t, "charge", "ordered-records"))
    for resolution in COARSENINGS:
        found[f"{resolution}_coarsened_SPD.txt"] = Coarsen(resolution), ()
    return found


def _with_charges_only(table: Table) -> Table:
    """Leave out every confidential attribute but the charges, as the paper's files do."""
    others = tuple(name for name in table.schema.sensitive if name != "charge")
    kept = tuple(attribute for attribute in table.schema.attributes if attribute.name not in others)
    left_out = (*table.schema.left_out, *others)
    return replace(table, schema=replace(table.schema, attributes=kept, left_out=left_out))
