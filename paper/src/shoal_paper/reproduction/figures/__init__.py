"""The paper's figures, and those of the experiments beyond it, drawn from the rows of a study and nothing else."""

from __future__ import annotations

from shoal.charts import Figure
from shoal_paper.reproduction.beyond.all import EXPERIMENTS
from shoal_paper.reproduction.figures.comparison import closeness, comparison
from shoal_paper.reproduction.figures.masking import masking
from shoal_paper.reproduction.figures.risk import knowledge, regeneration
from shoal_paper.reproduction.figures.surfaces import surfaces
from shoal_paper.reproduction.numbers import Results
from shoal_paper.reproduction.printed import Printed


def figures(results: Results, *, published: bool = False, where: str = "") -> dict[str, Figure]:
    """Draw every figure, by its number.

    Parameters
    ----------
    results
        The rows of each step. A step that is not there, or has no rows, is not drawn.
    published
        Whether the table is of the kind that the paper is about, so that its numbers may stand beside those measured.
        Those that depend on the number of records are shown only beside as many records.
    where
        Which values of the confidential attribute nobody shall learn, in words.
    """
    printed = Printed.beside(results, published)
    found = masking(results["masking"], printed)
    found |= knowledge(results, printed)
    found |= regeneration(results["regeneration"], printed)
    found |= comparison(results, printed, where)
    found |= surfaces(results["surfaces"], printed)
    found |= closeness(results, where)
    for experiment in EXPERIMENTS:
        if rows := results.get(experiment.name):
            found |= experiment.figures(rows)
    return found
