"""What a release by methods that change values keeps, in words: exactly, and in expectation."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from shoal.methods.perturbation.preserved import KeptStep, kept_by_all
from shoal.report.page import PageBlock, bullets


def preserved_words(steps: Sequence[KeptStep]) -> Iterator[PageBlock]:
    """Say what each step keeps, and what the release keeps of the original."""
    if not steps:
        return
    yield "What each step keeps of the table that it was given, before whole numbers and dates are rounded:"
    yield bullets(f"{step.method}: {said(step)}." for step in steps)
    whole = [each.sentence() for each in kept_by_all(steps)]
    yield (
        f"Kept exactly from the original to the release: {'; '.join(whole)}."
        if whole
        else ("Nothing is kept exactly from the original to the release.")
    )


def said(step: KeptStep) -> str:
    """Say in words what a step keeps."""
    exactly, drawn = ([each.sentence() for each in step.keeps if each.exactly is way] for way in (True, False))
    parts = [f"exactly the {'; the '.join(exactly)}"] if exactly else []
    parts += [f"in expectation the {'; the '.join(drawn)}"] if drawn else []
    return ", ".join(parts) or f"no statement; it changes {', '.join(step.changed)}"
