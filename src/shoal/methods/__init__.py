"""Masking methods. Group-forming ones only say which records belong together; the engine publishes the groups."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, ClassVar, Protocol, TypeVar, runtime_checkable

from shoal.errors import ParameterError
from shoal.lazy import attach
from shoal.models import PrivacyModel
from shoal.table import Table

if TYPE_CHECKING:  # The one list of what there is, in the order in which it is shown. An entry is named as its file is.
    # isort: off
    from shoal.methods.sorted_clusters import SortedClusters as SortedClusters
    from shoal.methods.hilbert import Hilbert as Hilbert
    from shoal.methods.coarsen import Coarsen as Coarsen
    from shoal.methods.stratified_clusters import StratifiedClusters as StratifiedClusters
    from shoal.methods.mdav import MDAV as MDAV
    from shoal.methods.v_mdav import VMDAV as VMDAV
    from shoal.methods.mondrian import Mondrian as Mondrian
    from shoal.methods.merge_clusters import MergeClusters as MergeClusters
    from shoal.methods.k_anonymity_first import KAnonymityFirst as KAnonymityFirst
    from shoal.methods.t_closeness_first import TClosenessFirst as TClosenessFirst
    from shoal.methods.optimal_univariate import OptimalUnivariate as OptimalUnivariate
    from shoal.methods.secret_blind import SecretBlind as SecretBlind
    from shoal.methods.same_classes import SameClasses as SameClasses
    from shoal.methods.same_signatures import SameSignatures as SameSignatures
    from shoal.methods.suppress import Suppress as Suppress
    from shoal.methods.hide_rare import HideRare as HideRare
    from shoal.methods.hide_risky import HideRisky as HideRisky
    from shoal.methods.code_extremes import CodeExtremes as CodeExtremes
    from shoal.methods.round_ends import RoundEnds as RoundEnds
    from shoal.methods.mask_uniques import MaskUniques as MaskUniques
    from shoal.methods.first_level import FirstLevel as FirstLevel
    from shoal.methods.full_domain import FullDomain as FullDomain
    from shoal.methods.layers import Layers as Layers
    from shoal.methods.regenerate import Regenerate as Regenerate
    from shoal.methods.private_averages import PrivateAverages as PrivateAverages
    from shoal.methods.private_tree import PrivateTree as PrivateTree
    from shoal.methods.noise import Noise as Noise
    from shoal.methods.romm import ROMM as ROMM
    from shoal.methods.rank_swap import RankSwap as RankSwap
    from shoal.methods.shuffle import Shuffle as Shuffle
    from shoal.methods.pram import Pram as Pram
    from shoal.methods.record_swap import RecordSwap as RecordSwap
    from shoal.methods.synthesize import Synthesize as Synthesize
    from shoal.methods.cover_cut import CoverCut as CoverCut
    from shoal.methods.suppress_points import SuppressPoints as SuppressPoints
    from shoal.methods.cut_and_suppress import CutAndSuppress as CutAndSuppress
    # isort: on
else:
    __getattr__, __dir__ = attach(__name__, __file__)

Required = TypeVar("Required", bound=PrivacyModel)
_ASKED = {"k-anonymity": "k=5, --k 5", "t-closeness": "t=0.1, --t 0.1", "km-anonymity": "k=5, m=2, --k 5 --m 2"}


class Method(Protocol):
    """A way to mask a table."""

    name: ClassVar[str]
    enforces: ClassVar[tuple[str, ...]]

    def apply(self, table: Table, models: Sequence[PrivacyModel], seed: int) -> Table:
        """Give the masked table. Models that the method enforces shape it; the others are only checked."""
        ...

    def explain(self, table: Table, models: Sequence[PrivacyModel]) -> str:
        """Say in one sentence what is done to the table."""
        ...


@runtime_checkable
class Asking(Protocol):
    """A method that says more of the models that it keeps: how they are to count what it does."""

    def asks(self, models: Sequence[PrivacyModel]) -> tuple[PrivacyModel, ...]:
        """Give the models as the method keeps them."""
        ...


def required_model(models: Sequence[PrivacyModel], kind: type[Required], method: str) -> Required:
    """Give the one model of a kind that a method works towards."""
    found = [model for model in models if isinstance(model, kind)]
    if len(found) != 1:
        raise ParameterError(
            f"{method} needs {kind.name} exactly once; it was asked for {len(found)} times.",
            f"Ask for it once ({_ASKED.get(kind.name, 'models=[…]')}).",
        )
    return found[0]
