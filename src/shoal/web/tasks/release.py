"""Writing a release: table, certificate, report and recipe, all or none, and the proof from what was written."""

from __future__ import annotations

import os
import shutil
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import replace
from functools import partial
from pathlib import Path

from shoal.catalogue import build
from shoal.certification.certificate import Certificate
from shoal.certification.verification import verify
from shoal.engines import read
from shoal.errors import DataError
from shoal.releases.anonymization import anonymize
from shoal.report.page import rendered
from shoal.report.release_report import release_report
from shoal.web.tasks.candidates import methods_of, models_of, with_rule
from shoal.web.tasks.reading import options_of
from shoal.web.tasks.registry import Reporter
from shoal.web.tasks.release_messages import ReleaseDone, ReleaseFile, ReleaseRequest, ReleaseVerdict

_TREE = "hierarchy of "


def publish(request: ReleaseRequest, reporter: Reporter) -> ReleaseDone:
    """Make the release that was chosen, write it to a folder that is new, and prove it from what is there."""
    chosen, folder, names = request.candidate, request.folder, request.files
    reporter.step(f"Reading {request.name}")
    options = options_of(request)
    roles = replace(options.roles, identifier=request.identifiers or options.roles.identifier)
    original = read(request.file, options=replace(options, roles=roles))
    if request.sha256 not in (None, original.origin.sha256):
        raise DataError(
            "The file has changed since it was opened, so nothing was written.", "Open it again, and look again."
        )
    reporter.step("Making the release")
    models = models_of(chosen.models, original)
    release = with_rule(chosen, partial(anonymize, original, methods_of(chosen), cells=request.cells), models)
    methods = tuple(build("methods", each) for each in chosen.methods)  # which name files, and not where they lie here
    release = replace(release, recipe=replace(release.recipe, methods=methods))
    places = {kind: folder / name for kind, name in names.items()}
    recipe = replace(
        release.recipe, source=request.name, target=names["table"], certificate=names["certificate"],
        private=names["private"],
    )  # fmt: skip
    audience = request.audience

    pages: list[str] = []  # one is enough for all forms of the report

    def report(place: Path) -> Callable[[Certificate], bytes]:
        def made(sealed: Certificate) -> bytes:
            if not pages:
                reporter.step("Writing the report")
                pages.append(release_report(release, original, audience=audience, certificate=sealed, files=names))
            return rendered(pages[0], place)

        return made

    reports = {places[kind]: report(places[kind]) for kind in ("report", "pdf") if kind in places}
    trees = {places[kind]: Path(request.hierarchies[kind.removeprefix(_TREE)]) for kind in names if _TREE in kind}
    also = {place: _copied(tree) for place, tree in trees.items()}
    reporter.step("Writing the release")
    sealed = release.write(
        places["table"],
        certificate=places["certificate"],
        private=places["private"],
        also=also | {places["recipe"]: lambda _: recipe.to_toml().encode()} | reports,
        approval=request.approval,
    )
    reporter.step("Proving it from what was written")
    checked = partial(
        verify, places["table"], sealed, private=places["private"], original=request.file, population=request.population
    )
    proof = checked()
    together: list[str] = []
    if request.like:
        reporter.step("Laying earlier releases beside it")
        with _laid_out(request.beside, folder / "earlier") as laid:
            alone, proof = proof, checked(like=[laid / name for name in request.like])
        known = {*alone.proved, *alone.not_proved}
        together = [each for each in (*proof.by_original, *proof.not_proved) if each not in known]
    return ReleaseDone(
        files={kind: ReleaseFile(name=path.name, bytes=path.stat().st_size) for kind, path in places.items()},
        rows=release.table.rows,
        verdicts=tuple(ReleaseVerdict(sentence=each.sentence, holds=each.holds) for each in release.verdicts),
        scores={score.measure: float(score.value) for score in release.scores},
        proved=tuple(proof.proved),
        not_proved=tuple(proof.not_proved),
        by_original=tuple(proof.by_original),
        together=tuple(together),
        sha256=sealed.content["output"]["sha256"],
        digest=sealed.content["digest"],
    )


@contextmanager
def _laid_out(files: Mapping[str, Path], folder: Path) -> Iterator[Path]:
    """Lay files side by side under their names for a while, as releases and their papers lie."""
    folder.mkdir()
    try:
        for name, place in files.items():
            try:
                os.link(place, folder / name)
            except OSError:  # on another disk
                shutil.copy(place, folder / name)
        yield folder
    finally:
        shutil.rmtree(folder)


def _copied(tree: Path) -> Callable[[Certificate], bytes]:
    content = tree.read_bytes()
    return lambda _: content
