"""Figures as SVG text, drawn from tidy rows: one drawing serves page, notebook and report.

No figure needs a script, a network or a drawing library. Each has a title, a description and the table of its numbers
with it, follows the reader's light or dark theme, and says by pattern, shape or text what it says by colour.

>>> from shoal.charts import bars
>>> figure = bars([{"race": "Asian", "records": 130_597}], x="race", y="records", title="Masked records",
...               description="One bar.")
>>> "130,597" in figure.svg
True
"""

from shoal.charts.bar_chart import bars
from shoal.charts.before_after import binned, paired
from shoal.charts.correlations import matrix
from shoal.charts.drops import drops
from shoal.charts.family_bars import family_bars
from shoal.charts.figure import Figure, FigureColumn
from shoal.charts.heat_map import heatmap
from shoal.charts.line_chart import lines
from shoal.charts.panels import panels
from shoal.charts.risk_map import risk_utility_map
from shoal.charts.style import style

__all__ = [
    "Figure",
    "FigureColumn",
    "bars",
    "binned",
    "drops",
    "family_bars",
    "heatmap",
    "lines",
    "matrix",
    "paired",
    "panels",
    "risk_utility_map",
    "style",
]
