"""Hierarchies from the labels of values in files of statistical programs: code, label, and what a tree ends with."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from shoal.domains.codebook import Codebook, code_text
from shoal.domains.hierarchy import ROOT, Hierarchy
from shoal.domains.hierarchy_builders import LABELS
from shoal.domains.hierarchy_file import apart
from shoal.engines.column_trees import EACH, Reader, alone, tree_of
from shoal.errors import ParameterError
from shoal.schema import ReadOptions


def columns_by_label(hierarchies: Mapping[str, Any]) -> tuple[str, ...]:
    """Give the columns whose hierarchy comes from the labels of their values.

    >>> columns_by_label({"age": "labels", "zip": "prefix 3"})
    ('age',)
    """
    return tuple(name for name, how in hierarchies.items() if isinstance(how, str) and how.strip() == LABELS)


def with_trees_of_labels(options: ReadOptions, read: Reader) -> ReadOptions:
    """Give the same way to read a table, with trees in the place of the word for hierarchies from labels.

    These columns are read as codes. A code without a label stands by itself, below the whole.
    """
    names = columns_by_label(options.hierarchies)
    if not names:
        return options
    table = read(replace(alone(options, dict.fromkeys(names, EACH)), coded=names))
    book = table.origin.codebook or Codebook("", {})
    trees = {}
    for name in names:
        labels = {code_text(code): text for code, text in book.of(name).values.items()}
        if not labels:
            raise ParameterError(
                f"The values of '{name}' have no labels.", "Build its hierarchy in another way, or name a CSV file."
            )
        rows = [[code, labels.get(code, ROOT), ROOT] for code in tree_of(table, name).leaves]
        trees[name] = Hierarchy.of(apart(rows)[0], name)
    return replace(options, hierarchies={**options.hierarchies, **trees}, coded=names)
