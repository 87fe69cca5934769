"""The numbers of a study as they are kept: a row a line, with what they were made from, and where fresh ones differ."""

from __future__ import annotations

import json
import math
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from shoal.assessment.study import Row
from shoal.errors import DataError
from shoal_paper.reproduction.numbers import Results

RELATIVE = 1e-9
ABSOLUTE = 1e-12  # what is as small as this is zero, but for the last digits of sums
_TIMES = ("seconds", "CPU seconds")  # no two runs take equally long
_NAMES = 4  # leading texts of a row, which tell it from others


def as_json(made: Mapping[str, object], results: Results) -> str:
    """Give the numbers of a study as JSON, in lines that can be compared one by one."""
    steps = []
    for name, rows in results.items():
        lines = ",\n".join(json.dumps(row, ensure_ascii=False, default=str) for row in rows)
        steps.append(f"{json.dumps(name)}: [\n{lines}\n]")
    origin = json.dumps(dict(made), ensure_ascii=False, indent=1, default=str)
    return f'{{"made": {origin},\n"results": {{\n{",".join(steps)}\n}}}}\n'


def load(path: Path) -> tuple[dict[str, Any], dict[str, list[Row]]]:
    """Read what a study was made from, and its numbers."""
    try:
        content = json.loads(path.read_text(encoding="utf-8"))
        return dict(content["made"]), dict(content["results"])
    except OSError as error:
        raise DataError(f"'{path}' cannot be read: {error.strerror}.", "Name the study.json of a study.") from None
    except (ValueError, KeyError, TypeError):
        raise DataError(f"'{path.name}' is not the study.json of a study.", "Make it again: shoal study.") from None


def differences(kept: Results, fresh: Results) -> Iterator[str]:
    """Tell where the numbers of two studies differ, by step and row. How long it took does not count."""
    for step in dict.fromkeys((*kept, *fresh)):
        if step not in kept or step not in fresh:
            yield f"{step}: {'not kept' if step not in kept else 'no longer measured'}"
        elif len(kept[step]) != len(fresh[step]):
            yield f"{step}: {len(kept[step])} rows are kept, {len(fresh[step])} were measured"
        else:
            for number, (before, after) in enumerate(zip(kept[step], fresh[step], strict=True), 1):
                for name in dict.fromkeys((*before, *after)):
                    if name not in _TIMES and not _alike(before.get(name), after.get(name)):
                        yield (
                            f"{step}, row {number} ({_named(before)}): {name} is kept as {before.get(name)!r} and was "
                            f"measured as {after.get(name)!r}"
                        )


def _alike(before: Any, after: Any) -> bool:
    if _is_number(before) and _is_number(after):
        same = before == after or (math.isnan(before) and math.isnan(after))
        return same or math.isclose(before, after, rel_tol=RELATIVE, abs_tol=ABSOLUTE)
    if isinstance(before, Mapping) and isinstance(after, Mapping):
        return before.keys() == after.keys() and all(_alike(before[k], after[k]) for k in before if k not in _TIMES)
    if isinstance(before, list) and isinstance(after, list):
        return len(before) == len(after) and all(map(_alike, before, after))
    return type(before) is type(after) and bool(before == after)


def _is_number(value: Any) -> bool:
    return isinstance(value, (int, float)) and not isinstance(value, bool)


def _named(row: Row) -> str:
    return ", ".join([str(value) for value in row.values() if isinstance(value, str)][:_NAMES]) or "no name"
