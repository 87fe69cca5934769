"""Pitfalls: what makes a promise worth less than it seems."""
