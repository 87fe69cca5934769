"""shoal hides every record in a crowd: it masks a table, proves what it promises, and measures what that costs."""

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
from shoal.measures.information_loss import InformationLoss
from shoal.measures.random_reidentification import RandomReidentification
from shoal.measures.uniqueness import Uniqueness
from shoal.methods.coarsen import Coarsen
from shoal.methods.sorted_clusters import SortedClusters
from shoal.methods.stratified_clusters import StratifiedClusters
from shoal.models import Verdict, check
from shoal.models.k_anonymity import KAnonymity
from shoal.models.t_closeness import TCloseness, closeness_bound, cluster_size, smallest_cluster
from shoal.recipe import Recipe
from shoal.release import Release, anonymize
from shoal.schema import Role
from shoal.table import Table
from shoal.version import VERSION as __version__

__all__ = [
    "AttributeDisclosure",
    "Certificate",
    "CertificateError",
    "ClassSizes",
    "Coarsen",
    "DataError",
    "GuaranteeError",
    "InformationLoss",
    "InternalError",
    "KAnonymity",
    "ParameterError",
    "RandomReidentification",
    "Recipe",
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
