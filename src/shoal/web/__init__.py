"""The workbench: a page on one's own computer that leads from a file to a release, and the same through HTTP.

The parts, from the inside out: `work` reads tables, in processes of its own; `jobs` starts, follows and ends those
processes; `cases` hold what is decided about a file, what was found and what was written; `routes` has one file for
each screen, with its page and its API; `guard` lets nobody else in.
"""
