"""Domains: which values a column may have, how they lie, how coarse they are shown, and cells as text."""
