"""The names that the page has for methods and further promises, and for a candidate that is made of them."""

from __future__ import annotations

from shoal.languages import N_, _
from shoal.web.cases.aims import GUARD_LETTERS, Aim
from shoal.web.cases.method_steps import summary

METHOD_NAMES = {
    "hilbert": (N_("Close neighbours"), N_("groups people who are alike in everything; loses least")),
    "mondrian": (N_("Cuts at medians"), N_("cuts the table in halves again and again; known from other tools")),
    "sorted-clusters": (N_("Sorted groups"), N_("sorts people and takes them in turn; the plainest way")),
    "full-domain": (N_("One level per column"), N_("every column means the same in all rows; proven to lose least")),
    "layers": (N_("Levels in layers"), N_("each layer of rows has levels of its own")),
    "suppress": (N_("Single cells hidden"), N_("hides few cells and keeps all others exact")),
    "mdav": (N_("Groups around the farthest"), N_("microaggregation; slow for large tables")),
    "v-mdav": (N_("Groups of varying size"), N_("microaggregation; slow for large tables")),
    "stratified-clusters": (N_("Groups across a secret"), N_("needs t-closeness")),
    "merge-clusters": (N_("Merged until close"), N_("needs t-closeness")),
    "k-anonymity-first": (N_("Groups first, then closeness"), N_("needs t-closeness")),
    "t-closeness-first": (N_("Closeness first, then groups"), N_("needs t-closeness")),
    "coarsen": (N_("So many intervals"), N_("makes each column coarser by itself, whatever the others say")),
    "optimal-univariate": (N_("Groups column by column"), N_("groups the values of each column by itself")),
    "mask-uniques": (
        N_("Hide those who stand alone"),
        N_("hides single cells of people who stand alone, step by step"),
    ),
    "regenerate": (N_("Made-up values"), N_("puts made-up values into cells that were hidden")),
}
GUARD_NAMES = {
    "none": (N_("No further promise"), ""),
    "t-closeness": (N_("Spread as in the whole table (t-closeness)"), N_("at most this far from the whole table: t =")),
    "l-diversity": (N_("Several different values (l-diversity)"), N_("at least so many values in every group: l =")),
    "alpha-k": (N_("No value too frequent (alpha-k)"), N_("no value has more than this share of a group: alpha =")),
    "person-diversity": (
        N_("All rows of a person leave several values (person-diversity)"),
        N_("at least so many values stay possible: l ="),
    ),
    "person-closeness": (
        N_("All rows of a person tell little (person-closeness)"),
        N_("at most this far from the whole table: t ="),
    ),
}


def method_title(name: str) -> str:
    """Give the friendly name of a method with that of the catalogue.

    >>> method_title("hilbert"), method_title("my-own")
    ('Close neighbours (hilbert)', 'my-own')
    """
    return f"{_(METHOD_NAMES[name][0])} ({name})" if name in METHOD_NAMES else name


def method_meaning(name: str) -> str:
    """Say what a method does: in plain words if there are any, else as it says of itself.

    >>> method_meaning("mdav")
    'microaggregation; slow for large tables'
    """
    return _(METHOD_NAMES[name][1]) if name in METHOD_NAMES else summary(name)


def guard_title(name: str) -> tuple[str, str]:
    """Give the friendly name of a further promise, and what its level means.

    >>> guard_title("l-diversity")[0]
    'Several different values (l-diversity)'
    """
    title, meaning = GUARD_NAMES.get(name, (name, f"{GUARD_LETTERS.get(name, 'level')} ="))
    return _(title), _(meaning) if meaning else ""


def candidate_title(aim: Aim) -> str:
    """Give the friendly name of a candidate with that of the catalogue.

    >>> candidate_title(Aim("mondrian", 7))
    'Cuts at medians (mondrian), k = 7'
    """
    return aim.named(method_title(aim.method))
