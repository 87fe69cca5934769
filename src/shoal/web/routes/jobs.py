"""What is being done: how far it is, how it is ended, and how it is begun again."""

from __future__ import annotations

from fastapi.responses import Response

from shoal.web.errors import NotThereError
from shoal.web.routes.shared import Here, JobStatus, Shown, Wait, routers, see

api, pages = routers()
_SCREENS = {
    "look": "/data",
    "measure": "/risk",
    "unicity": "/risk#unicity",
    "reasons": "/risk#reasons",
    "harbor": "/safe-harbor",
    "sections": "/risk#who",
    "certificate": "/risk#certificate",
    "population": "/risk#who",
    "tree": "/hierarchies",
    "search": "/protect",
    "levels": "/levels",
    "spread": "/compare",
    "scores": "/compare",
    "attack": "/attacks",
    "publish": "/release",
}


@api.get("/jobs/{id}")
def job(case: Here, id: str, wait: Wait = 0) -> JobStatus:
    """Tell how a job is."""
    return JobStatus.of_job(case.jobs.by_id(id), wait)


@api.delete("/jobs/{id}")
def cancel(case: Here, shown: Shown, id: str) -> JobStatus:
    """End a job. It leaves nothing behind."""
    with case.changing(shown):
        found = case.jobs.by_id(id)
        found.cancel()
    return JobStatus.of_job(found, 5)


@pages.post("/jobs/{id}/cancel")
def cancel_by_form(case: Here, shown: Shown, id: str) -> Response:
    """End a job."""
    return see(_SCREENS.get(cancel(case, shown, id).task, "/"))


@pages.post("/tasks/{task}/retry")
def retry(case: Here, shown: Shown, task: str) -> Response:
    """Begin a task again."""
    if task not in _SCREENS:
        raise NotThereError("There is no such work.", "Reload the page.")
    with case.changing(shown):
        case.jobs.retry(task)
    return see(_SCREENS[task])
