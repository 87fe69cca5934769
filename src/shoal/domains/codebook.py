"""What a file of a statistical program says of its variables: labels, codes for what is missing, formats."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Mapping
from dataclasses import dataclass, field, replace

Code = float | int | str
CodeSpan = tuple[Code, Code]  # from, to: the same twice where it is a single code


@dataclass(frozen=True)
class CodedVariable:
    """What is said of a variable.

    Attributes
    ----------
    label
        What it is, in words.
    values
        The labels of its values.
    missing
        The codes that its holder declared to be missing, as intervals.
    measure
        ``nominal``, ``ordinal`` or ``scale``; empty if nobody said it.
    format
        How the program shows its values, in the program's own words.
    storage
        The type in which the program keeps it: ``int8``, ``double`` or ``string``.
    width
        How wide the program shows it; 0 if that is not said.
    """

    label: str = ""
    values: Mapping[Code, str] = field(default_factory=dict)
    missing: tuple[CodeSpan, ...] = ()
    measure: str = ""
    format: str = ""
    storage: str = ""
    width: int = 0

    def is_missing(self, code: Code) -> bool:
        """Tell whether a code was declared to be missing."""
        return any(_within(code, low, high) for low, high in self.missing)

    @property
    def missing_texts(self) -> tuple[str, ...]:
        """What is declared to be missing, as texts.

        >>> CodedVariable(missing=((9.0, 9.0), (97.0, 99.0))).missing_texts
        ('9', '97 to 99')
        """
        return tuple(
            code_text(low) if low == high else f"{code_text(low)} to {code_text(high)}" for low, high in self.missing
        )

    def texts(self) -> dict[Code, str]:
        """Give each labelled code a text of its own, in the order of the codes.

        >>> CodedVariable(values={2: "other", 1: "yes", 3: "other"}).texts()
        {1: 'yes', 2: 'other (2)', 3: 'other (3)'}
        """
        ordered = sorted(self.values, key=lambda code: (isinstance(code, str), code))
        found = {code: self.values[code].strip() or code_text(code) for code in ordered}
        while twice := {text for text, often in Counter(found.values()).items() if often > 1}:
            # again, as what is put behind a label may make it one that is there already
            found = {code: f"{text} ({code_text(code)})" if text in twice else text for code, text in found.items()}
        return found

    def with_values_of(self, codes: Collection[Code]) -> CodedVariable:
        """Leave out labels of values that do not occur; those of codes for what is missing stay."""
        kept = {code: text for code, text in self.values.items() if code in codes or self.is_missing(code)}
        return replace(self, values=kept)


@dataclass(frozen=True)
class Codebook:
    """What a file says of its variables, by their names, and which program it is of."""

    program: str
    variables: Mapping[str, CodedVariable]

    def of(self, name: str) -> CodedVariable:
        """Give what is said of a variable; of one that is not known, nothing."""
        return self.variables.get(name, CodedVariable())


def _within(code: Code, low: Code, high: Code) -> bool:
    if isinstance(code, str) or isinstance(low, str) or isinstance(high, str):
        return code == low
    return low <= code <= high


def code_text(code: Code) -> str:
    """Write a code; whole numbers have no point.

    >>> code_text(98.0), code_text(0.5), code_text("a")
    ('98', '0.5', 'a')
    """
    return str(int(code)) if isinstance(code, float) and code.is_integer() else str(code)
