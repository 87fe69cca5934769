"""Cases as one file for others: what was decided, tried and written, without anything of the original."""

from __future__ import annotations

import hashlib
import json
from typing import Annotated, Any, Self

from pydantic import Field, ValidationError

from shoal.errors import DataError, ShoalError
from shoal.languages import _
from shoal.web.cases.findings import Found
from shoal.web.cases.library import CaseLibrary
from shoal.web.cases.serialization import StoredHierarchy, StoredVersion
from shoal.web.cases.store import CaseInfo, CaseStore
from shoal.web.tasks.checked_values import Moment
from shoal.web.tasks.messages import Headline, ImpossibleCandidate, Message, TableProfile

FORMAT = 1
MOST_BYTES = 64 << 20


Tried = Annotated[Headline | ImpossibleCandidate, Field(union_mode="left_to_right")]


class TriedBefore(Message):
    """A candidate that was tried, and the digest of the decisions that it hangs on."""

    digest: str
    candidate: Tried

    @classmethod
    def of(cls, digest: str, found: Found) -> Self:
        """Give what is passed on of a candidate."""
        kind = ImpossibleCandidate if "impossible" in found else Headline
        said = {name: found[name] for name in kind.model_fields if name in found}
        return cls(digest=digest, candidate=kind.model_validate(said))


class WrittenSummary(Message, extra="allow"):
    """What is known of a release that was written: at least what the trail says of it."""

    written: Moment
    label: str
    approver: str = ""
    confirmations: tuple[str, ...] = ()


class WrittenBefore(Message):
    """A release that was written, and who confirmed what."""

    id: str
    release: WrittenSummary


class PassedCase(Message):
    """A case as it is passed on."""

    info: CaseInfo
    profile: TableProfile
    versions: tuple[StoredVersion, ...]
    hierarchies: dict[str, StoredHierarchy]
    tried: tuple[TriedBefore, ...]
    written: tuple[WrittenBefore, ...]


def exported(store: CaseStore) -> bytes:
    """Give a case as a file.

    How many people have a value, labels of values, and where files lie, are left out; of hierarchies that are built by
    a rule, also the values. Those that are files of their own are in it, as they lie beside each release.
    """
    info, versions = store.info, store.versions()
    columns = tuple(each.model_copy(update={"bars": (), "value_labels": {}}) for each in store.profile.columns)
    hierarchies = {each.digest: each for version in versions for each in version.decisions.hierarchies.values()}
    content = PassedCase(
        info=info.model_copy(update={"path": "", "sent": True, "copy_of": ""}),
        profile=store.profile.model_copy(update={"columns": columns}),
        versions=tuple(_without_places(StoredVersion.of(version)) for version in versions),
        hierarchies={
            digest: StoredHierarchy(how=each.how, rows=() if each.how else each.rows, counts=())
            for digest, each in hierarchies.items()
        },
        tried=tuple(
            TriedBefore.of(digest, found) for kind, digest, _key, found in store.findings() if kind == "candidate"
        ),
        written=tuple(
            WrittenBefore(id=id, release=WrittenSummary.model_validate(release))
            for id, release in store.releases().items()
        ),
    ).plain()
    return json.dumps({"shoal-case": FORMAT, "sha256": _digest(content), "case": content}, indent=1).encode()


def _without_places(version: StoredVersion) -> StoredVersion:
    """Leave out where a table of the population lies."""
    population = version.asked.population
    if population is None:
        return version
    asked = version.asked.model_copy(update={"population": population.model_copy(update={"path": ""})})
    return version.model_copy(update={"asked": asked})


def imported(library: CaseLibrary, content: bytes, id: str) -> CaseInfo:
    """Begin a case with what a file holds, unless it is damaged or of a newer version."""
    passed = _checked(content)
    info = passed.info.model_copy(update={"id": id, "path": "", "sent": True, "copy_of": ""})
    try:
        versions = [each.version(passed.hierarchies) for each in passed.versions]
    except (ShoalError, LookupError):
        raise _damaged() from None
    store = library.begin(info, passed.profile)
    try:
        for version in versions:
            store.add_version(version)
        for tried in passed.tried:
            store.add_finding("candidate", tried.digest, tried.candidate.key, tried.candidate.plain())
        for each in passed.written:
            store.add_release(each.id, each.release.plain())
    finally:
        store.close()
    return info


def _checked(content: bytes) -> PassedCase:
    try:
        whole = json.loads(content)
        if whole["shoal-case"] > FORMAT:
            raise DataError(_("The case was written by a newer version."), _("Update shoal."))
        if whole["sha256"] != _digest(whole["case"]):
            raise _damaged()
        passed = PassedCase.model_validate(whole["case"])
    except (ValueError, LookupError, TypeError, RecursionError, ValidationError):
        raise _damaged() from None
    numbers = [each.number for each in passed.versions]
    if not numbers or numbers != sorted(set(numbers)):
        raise _damaged()
    return passed


def _damaged() -> DataError:
    return DataError(_("The case is damaged, or is none."), _("Export it again, and import that file."))


def _digest(content: Any) -> str:
    text = json.dumps(content, sort_keys=True, ensure_ascii=False, separators=(",", ":"), allow_nan=False)
    return hashlib.sha256(text.encode()).hexdigest()
