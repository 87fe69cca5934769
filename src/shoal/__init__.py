"""shoal hides every record in a crowd: it masks a table, proves what it promises, and measures what that costs."""

from __future__ import annotations

from importlib import import_module

from shoal.version import VERSION as __version__

TYPE_CHECKING = False  # or else all that typing needs would be loaded before a command can hear of Ctrl-C
if TYPE_CHECKING:
    from typing import Any

    from shoal.anonymization import anonymize
    from shoal.certificate import Certificate
    from shoal.engines import read
    from shoal.engines.spark import Spark
    from shoal.errors import (
        CertificateError,
        DataError,
        GuaranteeError,
        InternalError,
        ParameterError,
        RoomError,
        SchemaError,
        ShoalError,
    )
    from shoal.measures import Score, score
    from shoal.measures.accuracy_loss import AccuracyLoss
    from shoal.measures.attribute_disclosure import AttributeDisclosure
    from shoal.measures.average_class_size import AverageClassSize
    from shoal.measures.class_sizes import ClassSizes
    from shoal.measures.correlation_shift import CorrelationShift
    from shoal.measures.discernibility import Discernibility
    from shoal.measures.granularity import Granularity
    from shoal.measures.il1s import Il1s
    from shoal.measures.information_loss import InformationLoss
    from shoal.measures.kolmogorov_smirnov import KolmogorovSmirnov
    from shoal.measures.order_leak import OrderLeak
    from shoal.measures.propensity import Propensity
    from shoal.measures.query_error import QueryError
    from shoal.measures.random_reidentification import RandomReidentification
    from shoal.measures.sum_of_squares import SumOfSquares
    from shoal.measures.total_variation import TotalVariation
    from shoal.measures.uniqueness import Uniqueness
    from shoal.methods.coarsen import Coarsen
    from shoal.methods.hilbert import Hilbert
    from shoal.methods.k_anonymity_first import KAnonymityFirst
    from shoal.methods.mask_uniques import MaskUniques
    from shoal.methods.mdav import Mdav
    from shoal.methods.merge_clusters import MergeClusters
    from shoal.methods.mondrian import Mondrian
    from shoal.methods.optimal_univariate import OptimalUnivariate
    from shoal.methods.regenerate import Regenerate
    from shoal.methods.sorted_clusters import SortedClusters
    from shoal.methods.stratified_clusters import StratifiedClusters
    from shoal.methods.t_closeness_first import TClosenessFirst
    from shoal.methods.v_mdav import VMdav
    from shoal.models import Verdict, check
    from shoal.models.alpha_k import AlphaK
    from shoal.models.k_anonymity import KAnonymity
    from shoal.models.l_diversity import LDiversity
    from shoal.models.t_closeness import TCloseness, closeness_bound, cluster_size, smallest_cluster
    from shoal.private_record import PrivateRecord
    from shoal.progress.showing import show_progress
    from shoal.recipe import Recipe
    from shoal.release import Release
    from shoal.schema import Role
    from shoal.study import Study
    from shoal.table import Table
    from shoal.verification import Proof, verify

# Where each public name lives. It is fetched when it is first used, so that a command loads only what it needs.
_HOMES = {
    "AccuracyLoss": "shoal.measures.accuracy_loss",
    "AlphaK": "shoal.models.alpha_k",
    "AttributeDisclosure": "shoal.measures.attribute_disclosure",
    "AverageClassSize": "shoal.measures.average_class_size",
    "Certificate": "shoal.certificate",
    "CertificateError": "shoal.errors",
    "ClassSizes": "shoal.measures.class_sizes",
    "Coarsen": "shoal.methods.coarsen",
    "CorrelationShift": "shoal.measures.correlation_shift",
    "DataError": "shoal.errors",
    "Discernibility": "shoal.measures.discernibility",
    "Granularity": "shoal.measures.granularity",
    "GuaranteeError": "shoal.errors",
    "Hilbert": "shoal.methods.hilbert",
    "Il1s": "shoal.measures.il1s",
    "InformationLoss": "shoal.measures.information_loss",
    "InternalError": "shoal.errors",
    "KAnonymity": "shoal.models.k_anonymity",
    "KAnonymityFirst": "shoal.methods.k_anonymity_first",
    "KolmogorovSmirnov": "shoal.measures.kolmogorov_smirnov",
    "LDiversity": "shoal.models.l_diversity",
    "MaskUniques": "shoal.methods.mask_uniques",
    "Mdav": "shoal.methods.mdav",
    "MergeClusters": "shoal.methods.merge_clusters",
    "Mondrian": "shoal.methods.mondrian",
    "OptimalUnivariate": "shoal.methods.optimal_univariate",
    "ParameterError": "shoal.errors",
    "PrivateRecord": "shoal.private_record",
    "Proof": "shoal.verification",
    "Propensity": "shoal.measures.propensity",
    "QueryError": "shoal.measures.query_error",
    "OrderLeak": "shoal.measures.order_leak",
    "RandomReidentification": "shoal.measures.random_reidentification",
    "Recipe": "shoal.recipe",
    "Regenerate": "shoal.methods.regenerate",
    "Release": "shoal.release",
    "Role": "shoal.schema",
    "RoomError": "shoal.errors",
    "SchemaError": "shoal.errors",
    "Score": "shoal.measures",
    "ShoalError": "shoal.errors",
    "SortedClusters": "shoal.methods.sorted_clusters",
    "Spark": "shoal.engines.spark",
    "StratifiedClusters": "shoal.methods.stratified_clusters",
    "Study": "shoal.study",
    "SumOfSquares": "shoal.measures.sum_of_squares",
    "TCloseness": "shoal.models.t_closeness",
    "TClosenessFirst": "shoal.methods.t_closeness_first",
    "Table": "shoal.table",
    "TotalVariation": "shoal.measures.total_variation",
    "Uniqueness": "shoal.measures.uniqueness",
    "VMdav": "shoal.methods.v_mdav",
    "Verdict": "shoal.models",
    "anonymize": "shoal.anonymization",
    "check": "shoal.models",
    "closeness_bound": "shoal.models.t_closeness",
    "cluster_size": "shoal.models.t_closeness",
    "read": "shoal.engines",
    "score": "shoal.measures",
    "show_progress": "shoal.progress.showing",
    "smallest_cluster": "shoal.models.t_closeness",
    "verify": "shoal.verification",
}

__all__ = [
    "AccuracyLoss",
    "AlphaK",
    "AttributeDisclosure",
    "AverageClassSize",
    "Certificate",
    "CertificateError",
    "ClassSizes",
    "Coarsen",
    "CorrelationShift",
    "DataError",
    "Discernibility",
    "Granularity",
    "GuaranteeError",
    "Hilbert",
    "Il1s",
    "InformationLoss",
    "InternalError",
    "KAnonymity",
    "KAnonymityFirst",
    "KolmogorovSmirnov",
    "LDiversity",
    "MaskUniques",
    "Mdav",
    "MergeClusters",
    "Mondrian",
    "OptimalUnivariate",
    "OrderLeak",
    "ParameterError",
    "PrivateRecord",
    "Proof",
    "Propensity",
    "QueryError",
    "RandomReidentification",
    "Recipe",
    "Regenerate",
    "Release",
    "Role",
    "RoomError",
    "SchemaError",
    "Score",
    "ShoalError",
    "SortedClusters",
    "Spark",
    "StratifiedClusters",
    "Study",
    "SumOfSquares",
    "TCloseness",
    "TClosenessFirst",
    "Table",
    "TotalVariation",
    "Uniqueness",
    "VMdav",
    "Verdict",
    "__version__",
    "anonymize",
    "check",
    "closeness_bound",
    "cluster_size",
    "read",
    "score",
    "show_progress",
    "smallest_cluster",
    "verify",
]


def __getattr__(name: str) -> Any:
    """Fetch a public name."""
    if name not in _HOMES:
        raise AttributeError(f"module 'shoal' has no attribute '{name}'")
    value = getattr(import_module(_HOMES[name]), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    """List the public names."""
    return sorted(__all__)
