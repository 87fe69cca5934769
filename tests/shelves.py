"""What the catalogue has for tables whose rows stand for themselves; linked tables have a contract of their own."""

from shoal.catalogue import entries
from shoal.measures.traces.linked_measure import LinkedMeasure
from shoal.methods.traces.linked_method import LinkedMethod
from shoal.models.linked_model import LinkedModel

LINKED = (LinkedMethod, LinkedModel, LinkedMeasure)


def unlinked(shelf):
    """Give the entries of a shelf by name, but those for linked tables."""
    return {name: entry for name, entry in entries(shelf).items() if not issubclass(entry, LINKED)}
