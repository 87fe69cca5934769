"""Assessment: a first look at a table, its risk, releases beside their original, and grids of releases."""
