"""What the catalogue has for tables whose rows stand for themselves, and does the same whenever it is asked.

Linked tables and noise that is not to be repeated have contracts of their own.
"""

from shoal.catalogue import entries
from shoal.measures.traces.linked_measure import LinkedMeasure
from shoal.methods.traces.linked_method import LinkedMethod
from shoal.models.linked_model import LinkedModel

LINKED = (LinkedMethod, LinkedModel, LinkedMeasure)


def unlinked(shelf):
    """Give the entries of a shelf by name, but those for linked tables and those that cannot be repeated."""
    mine = {name: entry for name, entry in entries(shelf).items() if not issubclass(entry, LINKED)}
    return {name: entry for name, entry in mine.items() if getattr(entry, "repeatable", True)}


def unrepeatable():
    """Give the methods whose noise has no seed, by name."""
    return {name: entry for name, entry in entries("methods").items() if not getattr(entry, "repeatable", True)}
