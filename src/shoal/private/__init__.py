"""Differential privacy: answers from a budget, with noise of OpenDP and a ledger of what they cost."""

from __future__ import annotations

from shoal.lazy import attach

TYPE_CHECKING = False
if TYPE_CHECKING:  # The one list of the public names.
    from shoal.private.accounting import Budget as Budget
    from shoal.private.accounting import Price as Price
    from shoal.private.declarations import Said as Said
    from shoal.private.ledger import BudgetAccount as BudgetAccount
    from shoal.private.ledger import Ledger as Ledger
    from shoal.private.ledger import PaidAnswer as PaidAnswer
    from shoal.private.ledger_proof import LedgerProof as LedgerProof
    from shoal.private.ledger_proof import Receipt as Receipt
    from shoal.private.ledger_proof import proved as proved
else:
    __getattr__, __dir__ = attach(__name__, __file__)
