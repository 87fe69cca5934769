"""The attacks on a release, with what each attempts, in plain words."""

from __future__ import annotations

from typing import Any

from shoal.languages import N_, _

ATTACKS = {
    "linkability": (
        N_("Linking"),
        N_("Two who know different things about a person find that they look at the same row."),
    ),
    "inference draw": (
        N_("Guessing a secret"),
        N_("Someone takes the secret of one of the rows that fit a person best."),
    ),
    "inference mode": (
        N_("Guessing the usual secret"),
        N_("Someone takes the secret that most of the rows have that fit a person best."),
    ),
    "homogeneity": (N_("A secret that all share"), N_("All rows that fit a person show one secret, the right one.")),
    "background": (
        N_("Ruling secrets out"),
        N_("One secret is left, the right one, for someone who can rule out another."),
    ),
    "singling out": (N_("Singling out"), N_("What a row shows describes exactly one person.")),
    "nearest record": (N_("Finding the row"), N_("The row that is nearest to what is known of a person is theirs.")),
    "membership": (N_("Who is in it"), N_("Someone tells a person who is in the release from one who is not.")),
    "dcr": (N_("Nearness"), N_("A row is nearer to someone who is in the release than to others.")),
    "range ends": (N_("Ends of ranges"), N_("The lower end of a range is the value of exactly one person.")),
    "row order": (N_("Order of the rows"), N_("The order of the rows tells more than their cells do.")),
}


def rows(found: dict[str, Any]) -> list[dict[str, Any]]:
    """Give the attacks of a summary, each with its name and what it attempts."""
    named = ((each, ATTACKS.get(each["name"])) for each in found["attacks"])
    return [
        {**each, "title": _(words[0]) if words else each["name"], "meaning": _(words[1]) if words else ""}
        for each, words in named
    ]
