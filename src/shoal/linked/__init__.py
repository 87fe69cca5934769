"""Linked tables: rows of one person stay together, and what others may know is any few of them."""
