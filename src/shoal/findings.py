"""What was found, as plain values by name, which JSON can hold, and as a small table for people."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

TextRows = Iterable[Sequence[str]]


class Findings(dict[str, Any]):
    """What was found, by name, as ``--json`` of the command gives it. It shows itself as a table, also in notebooks."""

    def caption(self) -> str:
        """Say in a sentence what was found."""
        raise NotImplementedError

    def rows(self) -> TextRows:
        """Give the lines of the table, the first of which is its head."""
        raise NotImplementedError

    def remarks(self) -> Iterable[str]:
        """Say what belongs below the table."""
        return ()

    def __repr__(self) -> str:
        """Show the table as text."""
        return "\n".join([self.caption(), *as_text(self.rows()), *self.remarks()])

    def _repr_html_(self) -> str:
        """Show the table in a notebook."""
        return as_html(self.caption(), self.rows(), self.remarks())


def as_text(rows: TextRows) -> list[str]:
    """Give the lines of a table with its columns one below the other.

    >>> as_text([("name", "kind"), ("age", "integer")])
    ['  name  kind', '  age   integer']
    """
    lines = [tuple(row) for row in rows]
    widths = [max(map(len, column)) for column in zip(*lines, strict=True)]
    padded = (zip(line, widths, strict=True) for line in lines)
    return [f"  {'  '.join(cell.ljust(width) for cell, width in line)}".rstrip() for line in padded]


def as_html(caption: str, rows: TextRows, remarks: Iterable[str] = ()) -> str:
    """Give a table as HTML for a notebook.

    >>> as_html("Ages", [("<5", "3")])
    '<table><caption>Ages</caption><tbody><tr><td>&lt;5</td><td>3</td></tr></tbody></table>'
    """
    from html import escape  # commands do without it

    body = "".join(f"<tr>{''.join(f'<td>{escape(text)}</td>' for text in row)}</tr>" for row in rows)
    below = "".join(f"<p>{escape(remark)}</p>" for remark in remarks)
    return f"<table><caption>{escape(caption)}</caption><tbody>{body}</tbody></table>{below}"
