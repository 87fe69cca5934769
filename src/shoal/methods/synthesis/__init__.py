"""Synthetic records: what is learned of a table, and drawn from that."""
