"""The commands that this package adds to shoal: study, and tables of shoal data."""
