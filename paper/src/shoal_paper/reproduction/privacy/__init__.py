"""Differential privacy beside k-anonymity: which is nearer the truth, for few coarse and for many fine questions."""
