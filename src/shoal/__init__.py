"""shoal hides every record in a crowd: it masks a table, proves what it promises, and measures what that costs."""

from __future__ import annotations

from shoal.lazy import attach
from shoal.version import VERSION as __version__  # noqa: F401 - as packages call it

TYPE_CHECKING = False  # or else all that typing needs would be loaded before a command can hear of Ctrl-C
if TYPE_CHECKING:  # The one list of the public names.
    from shoal import attacks as attacks
    from shoal import errors as errors
    from shoal import measures as measures
    from shoal import methods as methods
    from shoal import models as models
    from shoal.assessment.comparison import compare as compare
    from shoal.assessment.disclosure_risk import risk as risk
    from shoal.assessment.exploration import explore as explore
    from shoal.assessment.harbor import safe_harbor as safe_harbor
    from shoal.assessment.inspection import inspect as inspect
    from shoal.assessment.red_team import attack as attack
    from shoal.assessment.study import Study as Study
    from shoal.certification.verification import verify as verify
    from shoal.engines import read as read
    from shoal.engines.spark import Spark as Spark
    from shoal.errors import ShoalError as ShoalError
    from shoal.measures import score as score
    from shoal.progress.display import show_progress as show_progress
    from shoal.recipe import Recipe as Recipe
    from shoal.releases.anonymization import anonymize as anonymize
    from shoal.releases.release import Release as Release
    from shoal.table import Table as Table
else:
    __getattr__, __dir__ = attach(__name__, __file__)
