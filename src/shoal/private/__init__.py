"""Differential privacy: answers from a budget, with noise of OpenDP and a ledger of what they cost."""
