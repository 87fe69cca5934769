"""What the catalogue has for tables whose rows stand for themselves; linked and private ones have other contracts."""

from shoal.catalogue import entries
from shoal.measures.traces.linked_measure import LinkedMeasure
from shoal.methods.traces.linked_method import LinkedMethod
from shoal.models.linked_model import LinkedModel

LINKED = (LinkedMethod, LinkedModel, LinkedMeasure)


def unlinked(shelf):
    """Give the entries of a shelf by name, but those for linked tables and those that state what no file can show."""
    mine = {name: entry for name, entry in entries(shelf).items() if not issubclass(entry, LINKED)}
    return {name: entry for name, entry in mine.items() if not hasattr(entry, "stated")}


def stating():
    """Give the methods that promise differential privacy, by name."""
    return {name: entry for name, entry in entries("methods").items() if hasattr(entry, "stated")}
