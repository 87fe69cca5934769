"""The workbench: a page on one's own computer that leads from a file to a release, and the same through HTTP.

The parts, from the inside out: `work` reads tables, in processes of its own; `jobs` starts, follows and ends those
processes; `session` holds what one user has decided and what was found; `api` and `pages` are two ways to the same
session; `guard` lets nobody else in.
"""
