"""The notebook of the study's figures, run cell by cell as Jupyter does, without starting it."""

import ast
import json
from itertools import pairwise
from pathlib import Path

import pytest

from shoal.charts import Figure
from shoal_paper.reproduction.figures import figures
from shoal_paper.reproduction.kept_results import load
from shoal_paper.reproduction.setting import DISCHARGES

NOTEBOOK = Path(__file__).parents[2] / "reproduction" / "figures.ipynb"
CELLS = json.loads(NOTEBOOK.read_text(encoding="utf-8"))["cells"]


def run(cells):
    """Run cells one after the other, and give what each shows: what it hands to display, and its last value."""
    shown = []
    names = {"display": shown.append}
    for cell in cells:
        *lines, last = ast.parse("".join(cell["source"])).body
        whole = lines if isinstance(last, ast.Expr) else [*lines, last]
        exec(compile(ast.Module(whole, []), NOTEBOOK.name, "exec"), names)
        if isinstance(last, ast.Expr):
            found = eval(compile(ast.Expression(last.value), NOTEBOOK.name, "eval"), names)
            shown += [] if found is None else [found]
    return shown


def test_every_figure_of_the_report_is_drawn_from_the_kept_numbers(monkeypatch):
    monkeypatch.chdir(NOTEBOOK.parent)
    made, *drawn = run([cell for cell in CELLS if cell["cell_type"] == "code"])
    known, results = load(Path("proper_anonymization/study.json"))
    assert made == known
    wanted = figures(results, published=DISCHARGES.published, where=DISCHARGES.where)
    assert sorted(figure.svg_document() for figure in drawn) == sorted(
        figure.svg_document() for figure in wanted.values()
    )
    assert all(isinstance(figure, Figure) and "<svg" in figure._repr_html_() for figure in drawn)


def test_each_figure_has_a_sentence_before_it():
    for before, cell in pairwise(CELLS):
        if "drawn.pop" in "".join(cell["source"]):
            heading, _, sentence = "".join(before["source"]).partition("\n\n")
            assert f'"{heading.removeprefix("## ")}"' in "".join(cell["source"])
            assert sentence.endswith(".")


@pytest.mark.parametrize("cell", CELLS, ids=lambda cell: cell["id"])
def test_no_results_are_stored_in_it(cell):
    """They would go stale without a sign of it."""
    assert cell.get("outputs", []) == []
    assert cell.get("execution_count") is None
