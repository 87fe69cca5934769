"""shoal hides every record in a crowd: it masks a table, proves what it promises, and measures what that costs."""

from importlib import import_module
from typing import TYPE_CHECKING, Any

from shoal.version import VERSION as __version__

if TYPE_CHECKING:
    from shoal.certificate import Certificate, verify
    from shoal.engines import read
    from shoal.errors import (
        CertificateError,
        DataError,
        GuaranteeError,
        InternalError,
        ParameterError,
        SchemaError,
        ShoalError,
    )
    from shoal.measures import Score, score
    from shoal.measures.attribute_disclosure import AttributeDisclosure
    from shoal.measures.class_sizes import ClassSizes
    from shoal.measures.correlation_shift import CorrelationShift
    from shoal.measures.information_loss import InformationLoss
    from shoal.measures.random_reidentification import RandomReidentification
    from shoal.measures.uniqueness import Uniqueness
    from shoal.methods.coarsen import Coarsen
    from shoal.methods.mask_uniques import MaskUniques
    from shoal.methods.regenerate import Regenerate
    from shoal.methods.sorted_clusters import SortedClusters
    from shoal.methods.stratified_clusters import StratifiedClusters
    from shoal.models import Verdict, check
    from shoal.models.k_anonymity import KAnonymity
    from shoal.models.t_closeness import TCloseness, closeness_bound, cluster_size, smallest_cluster
    from shoal.recipe import Recipe
    from shoal.release import Release, anonymize
    from shoal.schema import Role
    from shoal.table import Table

# Where each public name lives. It is fetched when it is first used, so that a command loads only what it needs.
_HOMES = {
    "AttributeDisclosure": "shoal.measures.attribute_disclosure",
    "Certificate": "shoal.certificate",
    "CertificateError": "shoal.errors",
    "ClassSizes": "shoal.measures.class_sizes",
    "Coarsen": "shoal.methods.coarsen",
    "CorrelationShift": "shoal.measures.correlation_shift",
    "DataError": "shoal.errors",
    "GuaranteeError": "shoal.errors",
    "InformationLoss": "shoal.measures.information_loss",
    "InternalError": "shoal.errors",
    "KAnonymity": "shoal.models.k_anonymity",
    "MaskUniques": "shoal.methods.mask_uniques",
    "ParameterError": "shoal.errors",
    "RandomReidentification": "shoal.measures.random_reidentification",
    "Recipe": "shoal.recipe",
    "Regenerate": "shoal.methods.regenerate",
    "Release": "shoal.release",
    "Role": "shoal.schema",
    "SchemaError": "shoal.errors",
    "Score": "shoal.measures",
    "ShoalError": "shoal.errors",
    "SortedClusters": "shoal.methods.sorted_clusters",
    "StratifiedClusters": "shoal.methods.stratified_clusters",
    "TCloseness": "shoal.models.t_closeness",
    "Table": "shoal.table",
    "Uniqueness": "shoal.measures.uniqueness",
    "Verdict": "shoal.models",
    "anonymize": "shoal.release",
    "check": "shoal.models",
    "closeness_bound": "shoal.models.t_closeness",
    "cluster_size": "shoal.models.t_closeness",
    "read": "shoal.engines",
    "score": "shoal.measures",
    "smallest_cluster": "shoal.models.t_closeness",
    "verify": "shoal.certificate",
}

__all__ = [
    "AttributeDisclosure",
    "Certificate",
    "CertificateError",
    "ClassSizes",
    "Coarsen",
    "CorrelationShift",
    "DataError",
    "GuaranteeError",
    "InformationLoss",
    "InternalError",
    "KAnonymity",
    "MaskUniques",
    "ParameterError",
    "RandomReidentification",
    "Recipe",
    "Regenerate",
    "Release",
    "Role",
    "SchemaError",
    "Score",
    "ShoalError",
    "SortedClusters",
    "StratifiedClusters",
    "TCloseness",
    "Table",
    "Uniqueness",
    "Verdict",
    "__version__",
    "anonymize",
    "check",
    "closeness_bound",
    "cluster_size",
    "read",
    "score",
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
