"""Run shoal as a module: python -m shoal."""

from shoal.cli import main

main()
