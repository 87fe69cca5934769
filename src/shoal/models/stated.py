"""Claims of a certificate by what they rest on; and those that no file can show, which follow from a mechanism."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Literal

PROVED: ClaimKind = "proved"
ATTESTED: ClaimKind = "attested"
STATED: ClaimKind = "stated"
# Measured again on the file alone; said by the holder of the original, of which the file shows a part; or said of a
# mechanism, of which no output can show anything but its arithmetic.
ClaimKind = Literal["proved", "attested", "stated"]


@dataclass(frozen=True)
class Stated:
    """A promise about how numbers came to be, such as differential privacy. No file can show it, ever.

    What can be proved is the arithmetic: that the loss follows from sensitivity and scale, and that the values are
    such as the mechanism gives.

    Attributes
    ----------
    claim
        What is promised, by the name of its definition.
    sentence
        The same in words.
    terms
        All that the arithmetic needs, as plain values: loss, sensitivity, scale, domains, neighbours.
    software
        The name of the library that drew the noise, and its version.
    """

    claim: str
    sentence: str
    terms: Mapping[str, Any] = field(default_factory=dict)
    software: tuple[str, str] = ("", "")

    @property
    def content(self) -> dict[str, Any]:
        """The claim as it stands in a certificate."""
        return {
            "kind": STATED,
            "claim": self.claim,
            "sentence": self.sentence,
            **self.terms,
            "software": {self.software[0]: self.software[1]},
        }

    @property
    def rests_on(self) -> str:
        """What has to be believed, in words."""
        name, version = self.software
        return (
            f"No file can show this. The arithmetic was proved again; that the noise was drawn as is said is taken on "
            f"trust in shoal and in {name} {version}, and so is that nothing else of the original was given away."
        )


def kind_of(claim: Mapping[str, Any]) -> str:
    """Give the kind of a claim in a certificate; of earlier ones, which said only whether the file proves it.

    >>> kind_of({"kind": "stated"}), kind_of({"provable_from_file": True}), kind_of({"provable_from_file": False})
    ('stated', 'proved', 'attested')
    """
    if "kind" in claim:
        return str(claim["kind"])
    return {True: PROVED, False: ATTESTED}[claim["provable_from_file"]]
