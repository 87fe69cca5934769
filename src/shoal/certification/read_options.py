"""How a released file, and the original that it came from, are read: as the certificate tells."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from shoal.domains.hierarchy import Hierarchy
from shoal.engines.label_trees import columns_by_label
from shoal.models import PrivacyModel
from shoal.pseudonyms.treatments import treatments_of
from shoal.schema import ReadOptions, Roles


def release_options(
    content: Mapping[str, Any], models: Sequence[PrivacyModel], *, canonical: bool = False
) -> ReadOptions:
    """Give the way to read the released file.

    No mark for missing values touches a quasi-identifier or a column that a model looks at: it would make different
    cells equal.
    """
    given, output = content["recipe"]["table"], content["output"]
    roles = _roles(given)
    named = [getattr(model, "column", "") for model in models]
    looked_at = [column for name in named for column in ((name,) if name else roles.sensitive if name is None else ())]
    kinds = given["kinds"] | output.get("kinds", {})
    trees = output.get("hierarchies", {})
    gone = {given.get("household"), *(() if roles.person or roles.subject else (given.get("subject"),))}
    return ReadOptions(
        roles=roles,
        kinds={name: kind for name, kind in kinds.items() if name not in gone},
        orders={name: tuple(order) for name, order in given.get("orders", {}).items()},
        hierarchies={name: Hierarchy.of([tuple(row) for row in rows], name) for name, rows in trees.items()},
        stands_for=output.get("stands_for", {}),
        delimiter=output.get("delimiter"),
        encoding="utf-8",
        decimal=".",
        missing=marks_of(content),
        header=True,  # the certificate names the columns
        masked=given.get("masked"),
        released=True,
        unmarked=(*roles.quasi, *looked_at),
        canonical=canonical,
        bounds=tuple(output.get("bounds", ())),
    )


def original_options(content: Mapping[str, Any], layout: Mapping[str, Any]) -> ReadOptions:
    """Give the way to read the original, whose layout stands in the private record."""
    given = content["recipe"]["table"]
    return replace(
        release_options(content, ()),
        roles=_roles(given, original=True),
        kinds=layout.get("kinds", given["kinds"]),
        orders={name: tuple(order) for name, order in layout.get("orders", given.get("orders", {})).items()},
        delimiter=layout.get("delimiter"),
        encoding=layout.get("encoding"),
        decimal=layout.get("decimal"),
        thousands=layout.get("thousands"),
        dates=layout.get("dates"),
        sheet=layout.get("sheet"),
        range=layout.get("range"),
        at_version=layout.get("at_version"),
        header=layout.get("header", True),
        masked=layout.get("masked", True),  # where nothing was said, no cell left a question
        missing=tuple(layout.get("missing", ())),
        linked=given.get("linked", False),
        baskets=layout.get("baskets", False),
        released=False,
        stands_for={},
        unmarked=(),
        bounds=(),
        coded=columns_by_label(layout.get("hierarchies", {})),
    )


def with_trees(options: ReadOptions, trees: Mapping[str, Hierarchy]) -> ReadOptions:
    """Give a way of reading in which the nodes of hierarchies lie where the trees say, and are no mere categories."""
    kinds = {name: kind for name, kind in options.kinds.items() if name not in trees}
    return replace(options, kinds=kinds, hierarchies={**options.hierarchies, **trees})


def marks_of(content: Mapping[str, Any]) -> tuple[str, ...]:
    """Give what stands for a missing value in columns of a release that no model looks at."""
    place = content["recipe"]["table"] if content["format"] == 1 else content["output"]
    return tuple(place.get("missing", ()))


def nodes_of(content: Mapping[str, Any]) -> tuple[str, ...]:
    """Give the quasi-identifiers of which a release shows names of nodes, not where they lie."""
    if content["format"] > 1:
        return tuple(content["output"].get("nodes", ()))
    given = content["recipe"]["table"]
    return tuple(name for name in given["quasi"] if name in given.get("hierarchies", ()))


def names_subject(given: Mapping[str, Any]) -> bool:
    """Tell whether the column that tells people apart is released under other names, so that the file shows people."""
    treated = treatments_of(given.get("identifier", ()))
    return given.get("subject") in [name for name, treatment in treated.items() if treatment.names]


def counts_unseen_people(given: Mapping[str, Any]) -> bool:
    """Tell whether people are counted by a column that is not released."""
    return given.get("subject") is not None and not names_subject(given)


def _roles(given: Mapping[str, Any], *, original: bool = False) -> Roles:
    return Roles(
        quasi=tuple(given["quasi"]),
        sensitive=tuple(given.get("sensitive", ())),
        plain=tuple(given.get("plain", ())),
        weight=given.get("weight"),
        stratum=given.get("stratum"),
        household=given.get("household") if original else None,
        identifier=tuple(given.get("identifier", ())),
        subject=given.get("subject") if original or names_subject(given) else None,
        person=given.get("subject") if given.get("linked") and not original else None,
    )
