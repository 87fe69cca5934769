"""Keep the numbers of the paper's study at a reduced size, which tests compare with those of a fresh run.

It writes reproduction/reduced/study.json. `make study` runs it after the whole study, whose numbers are kept too.
"""

from __future__ import annotations

from pathlib import Path

from shoal.files import all_or_none
from shoal.reproduction.case import Case
from shoal.reproduction.experiments import Experiments
from shoal.reproduction.keeping import as_json
from shoal.reproduction.provenance import provenance

ROWS, SEED = 20_000, 2009
KEPT = Path(__file__).parents[1] / "reproduction" / "reduced" / "study.json"


def main() -> None:
    """Run every step, and write what it gave."""
    case = Case.stand_in(ROWS, SEED)
    results = Experiments(case).results()
    KEPT.parent.mkdir(parents=True, exist_ok=True)
    with all_or_none([KEPT]) as (draft,):
        draft.write_text(as_json(provenance(case, "stand-in", SEED), results), encoding="utf-8", newline="\n")


if __name__ == "__main__":
    main()
