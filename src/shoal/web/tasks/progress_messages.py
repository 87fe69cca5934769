"""What a task says of itself: how far it is, or why it failed."""

from __future__ import annotations

from shoal.web.tasks.messages import Message


class Progress(Message):
    """What is being done, how much of it, and about how many seconds it still takes if that is known."""

    step: str
    done: int = 0
    of: int = 0
    left: float | None = None


class Failure(Message):
    """Why a task failed, and what to do."""

    error: str
    remedy: str
