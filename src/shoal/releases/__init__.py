"""Releases: how they are made, what they are, and how they are written."""
