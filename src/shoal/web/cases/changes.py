"""What differs between two versions of what was decided, in sentences, and the trail that all of them make."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from itertools import pairwise
from operator import itemgetter
from typing import Any

from shoal.errors import ParameterError
from shoal.languages import _, ngettext
from shoal.pseudonyms.treatments import DROP
from shoal.schema import Role
from shoal.web.cases.aims import Aim
from shoal.web.cases.decisions import Decisions
from shoal.web.cases.history import Version
from shoal.web.words import named, names

_NAMED = 3  # columns whose roles are given one by one


def changes(before: Decisions, after: Decisions) -> list[str]:
    """Say what changed.

    >>> a = Decisions({"age": Role.QUASI})
    >>> changes(a, a.with_roles({"age": Role.PLAIN}))
    ['Role of age: Quasi-identifier → Not identifying']
    >>> changes(a, a.with_pin("hilbert~5~none~0~", pinned=True))
    ['Compared: hilbert, k = 5']
    """
    return [
        *_roles(before, after),
        *_treatments(before, after),
        *_aim(before, after),
        *_hierarchies(before, after),
        *_comparison(before, after),
        *_layout(before, after),
        *_asked(before, after),
        *_files(before, after),
        *_rule(before, after),
    ]


def differences(before: Decisions, after: Decisions) -> list[str]:
    """Say in what two cases about one file differ, whatever is chosen or compared in them.

    >>> a = Decisions({"age": Role.QUASI})
    >>> differences(a, a.with_roles({"age": Role.PLAIN}).with_pin("hilbert~5~none~0~", pinned=True))
    ['Role of age: Quasi-identifier → Not identifying']
    """
    return [*_roles(before, after), *_treatments(before, after), *_hierarchies(before, after), *_layout(before, after)]


def _roles(before: Decisions, after: Decisions) -> Iterator[str]:
    names = [name for name, role in after.roles.items() if before.roles.get(name) != role]
    if len(names) > _NAMED:
        yield ngettext("Role of %(num)s column", "Roles of %(num)s columns", len(names))
        return
    for name in names:
        yield _(
            "Role of %(column)s: %(before)s → %(after)s",
            column=name, before=_role(before.roles.get(name)), after=_role(after.roles[name]),
        )  # fmt: skip


def _role(role: Role | None) -> str:
    return _("Undecided") if role is None else named("roles", role.value)[0]


def _treatments(before: Decisions, after: Decisions) -> Iterator[str]:
    for name in after.roles:
        now = after.treatments.get(name, DROP)
        if before.treatments.get(name, DROP) != now:
            yield _("What becomes of %(column)s: %(treatment)s", column=name, treatment=now)


def _aim(before: Decisions, after: Decisions) -> Iterator[str]:
    if before.aim != after.aim:
        yield f"{before.aim.label} → {after.aim.label}"


def _hierarchies(before: Decisions, after: Decisions) -> Iterator[str]:
    for name in dict.fromkeys([*before.hierarchies, *after.hierarchies]):
        if before.hierarchies.get(name) != after.hierarchies.get(name):
            yield _("Hierarchy of %(column)s", column=name)


def _layout(before: Decisions, after: Decisions) -> Iterator[str]:
    kinds, others = before.layout.kinds, after.layout.kinds
    for name in dict.fromkeys([*kinds, *others]):
        if kinds.get(name) != others.get(name):
            yield _("Kind of %(column)s: %(before)s → %(after)s",
                    column=name, before=_kind(kinds.get(name)), after=_kind(others.get(name)))  # fmt: skip
    if before.layout.model_copy(update={"kinds": others}) != after.layout:
        yield _("How the file is read")


def _asked(before: Decisions, after: Decisions) -> Iterator[str]:
    old, new = before.asked, after.asked
    if old.population != new.population:
        name = _("none") if new.population is None else new.population.name
        yield _("Table of the population: %(name)s", name=name)
    if old.model_copy(update={"population": new.population}) != new:
        yield _("What is asked of the risk")


def _files(before: Decisions, after: Decisions) -> Iterator[str]:
    for each in after.files:
        if each not in before.files:
            yield _("File beside the table: %(name)s", name=each.name)
    for name in {each.name for each in before.files} - {each.name for each in after.files}:
        yield _("No longer beside the table: %(name)s", name=name)


def _rule(before: Decisions, after: Decisions) -> Iterator[str]:
    if before.rule != after.rule:
        yield _("Safe harbor is promised where it is kept") if after.rule else _("Safe harbor is promised no more")


def _kind(kind: str | None) -> str:
    return _("as found") if kind is None else _(names("kinds")[kind])


def _comparison(before: Decisions, after: Decisions) -> Iterator[str]:
    for key in after.pinned:
        if key not in before.pinned:
            yield _("Compared: %(choice)s", choice=_choice(key))
    for key in before.pinned:
        if key not in after.pinned:
            yield _("No longer compared: %(choice)s", choice=_choice(key))


def _choice(key: str) -> str:
    try:
        return Aim.of(key).label
    except ParameterError:  # of a method that is no longer there
        return key.partition("~")[0]


def trail(versions: Sequence[Version], releases: Mapping[str, Mapping[str, Any]]) -> list[tuple[str, str]]:
    """Give moments and what happened then, the last first."""
    steps = [(after.at, "; ".join(changes(before.decisions, after.decisions))) for before, after in pairwise(versions)]
    steps += [(each["written"], release_line(each)) for each in releases.values()]
    known = [(at, what) for at, what in reversed(steps) if what]
    return sorted(known, key=itemgetter(0), reverse=True)  # of one moment, what came last stays first


def release_line(release: Mapping[str, Any]) -> str:
    """Say what was written, and who confirmed what.

    >>> release_line({"label": "hilbert, k = 5", "approver": "Ada", "confirmations": ["I have looked."]})
    'Written: hilbert, k = 5. Approved by Ada. Confirmed: I have looked.'
    """
    said = [_("Written: %(choice)s.", choice=release["label"])]
    if release.get("approver"):
        said.append(_("Approved by %(name)s.", name=release["approver"]))
    if release.get("confirmations"):
        said.append(_("Confirmed: %(what)s", what=" ".join(map(_, release["confirmations"]))))
    return " ".join(said)
