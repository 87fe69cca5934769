"""Catalogues of formats of SAS: what the values of its files mean, which these files do not say themselves."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from shoal.domains.codebook import Code
from shoal.engines.io.labelled.programs import in_words, library
from shoal.engines.io.sealed_files import Sealed

ENDING = ".sas7bcat"
_USUAL = "formats"  # what SAS calls the catalogue of a library, which is a folder
_WIDTH = re.compile(r"\d*\.?\d*$")


@dataclass(frozen=True)
class Catalogue:
    """Labels of values, by the names of formats."""

    path: Path
    formats: Mapping[str, Mapping[Code, str]]

    def labels_for(self, shown: str) -> Mapping[Code, str]:
        """Give the labels of the values of a variable that is shown in a format, however wide it is shown."""
        name = shown.upper()
        return self.formats.get(name) or self.formats.get(_WIDTH.sub("", name), {})


def catalogue_beside(path: Path, encoding: str | None) -> Catalogue | None:
    """Find the catalogue that lies beside a file of SAS: under its name, or under that which SAS gives it."""
    if path.suffix.lower() != ".sas7bdat":
        return None
    names = {path.stem.lower(): 0, _USUAL: 1}
    try:
        near = [each for each in path.parent.iterdir() if each.suffix.lower() == ENDING and each.stem.lower() in names]
    except OSError:
        return None
    found = min(near, key=lambda each: (names[each.stem.lower()], each.name), default=None)
    if found is None:
        return None
    asked = {} if encoding is None else {"encoding": encoding}
    with in_words(found, "a catalogue of SAS"), Sealed.of(found).open() as file:
        said = library(f"Reading '{found.name}'").read_sas7bcat(file, output_format="dict", **asked)[1]
    return Catalogue(found, {name.upper(): labels for name, labels in said.value_labels.items()})
