"""Commands that release: anonymize, run, check."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import asdict, replace
from pathlib import Path
from typing import Annotated

import typer

from shoal.assessment.disclosure_risk import shared_secrets
from shoal.atomic_files import files_read_by
from shoal.catalogue import build
from shoal.certification.certificate import Certificate, exact_score, exact_verdict
from shoal.certification.papers import Places
from shoal.cli import options as opt
from shoal.cli import terminal
from shoal.cli.options import app, chosen_engine, print_json, refuse_json_on_stdout, results_beside
from shoal.cli.parsing import (
    asked_ends,
    asked_entries,
    asked_measures,
    asked_models,
    listed,
    method_parameters,
    models_of_people,
    pairs,
    read_options,
    shared_key,
    signing_pair,
)
from shoal.conditions import Condition
from shoal.engines import read
from shoal.engines.io.streams import at_hand
from shoal.engines.sources import Source
from shoal.errors import CertificateError, ParameterError
from shoal.measures import Measure
from shoal.measures.attribute_disclosure import AttributeDisclosure
from shoal.progress.display import in_command
from shoal.recipe import Recipe, refuse_strange_order
from shoal.releases.anonymization import anonymize
from shoal.releases.linked_release import MEASURES as LINKED_MEASURES
from shoal.releases.linked_release import USUAL as OF_LINKED
from shoal.releases.linked_release import refuse_half
from shoal.releases.release import PROMISES_NOTHING, STANDARD_MEASURES, Release, insist_on_promise
from shoal.releases.shown_cells import refuse_strange_cells
from shoal.releases.stated_release import MEASURES as STATED_MEASURES
from shoal.releases.stated_release import stating_method
from shoal.table import Table


@app.command("anonymize")
def anonymize_command(
    file: opt.File,
    out: opt.Target,
    quasi: opt.Quasi = None, sensitive: opt.Sensitive = None, plain: opt.PlainOption = None, subject: opt.Subject = None, weight: opt.Weight = None, household: opt.Household = None, stratum: opt.Stratum = None,
    identifier: opt.Identifier = None, roles: opt.RolesOption = None,
    k: Annotated[int | None, typer.Option(help="Each combination occurs at least k times.")] = None,
    m: Annotated[int | None, typer.Option(help="With --linked: who knows up to m points of a person finds at least k people.")] = None,
    within: Annotated[list[str] | None, typer.Option(help="With --m: the quasi-identifiers that are attributes of people, of which k share all, and among these k^m-anonymity holds.")] = None,
    linked: opt.Linked = False, baskets: opt.Baskets = False,
    t: Annotated[list[float] | None, typer.Option(help="Confidential values are spread within t of the whole table (repeat, each with its column).")] = None,
    t_column: Annotated[list[str] | None, typer.Option(help="The confidential column that t is about (repeat).")] = None,
    t_distance: Annotated[list[str] | None, typer.Option(help="ordered-distinct, ordered-records, variation or hierarchical (repeat).")] = None,
    diversity: Annotated[list[float] | None, typer.Option("--l", help="Every class holds at least l confidential values (repeat, each with its column).")] = None,
    l_column: Annotated[list[str] | None, typer.Option(help="The confidential column that l is about (repeat).")] = None,
    l_kind: Annotated[list[str] | None, typer.Option(help="distinct (if left out), entropy or recursive (repeat).")] = None,
    alpha: Annotated[list[float] | None, typer.Option(help="No confidential value has more than this share of a class (repeat, each with its column).")] = None,
    alpha_column: Annotated[list[str] | None, typer.Option(help="The confidential column that alpha is about (repeat).")] = None,
    person_l: Annotated[int | None, typer.Option(help="With --subject: all rows of a person together leave at least l confidential values open.")] = None,
    person_t: Annotated[float | None, typer.Option(help="With --subject: what all rows of a person together tell is within t of the whole table.")] = None,
    person_column: Annotated[str | None, typer.Option(help="The confidential column that --person-l and --person-t are about.")] = None,
    method: Annotated[str | None, typer.Option(help="See 'shoal list methods'.")] = None,
    publish: Annotated[str | None, typer.Option(help="What is shown of a class: range, mean, median or mode.")] = None,
    param: Annotated[list[str] | None, typer.Option(help="A parameter of the method: resolution=16 (repeat).")] = None,
    like: Annotated[Path | None, typer.Option(metavar="RELEASE", help="Form the classes of this earlier release again, so that the two laid side by side tell no more (method same-classes).")] = None,
    ends: Annotated[list[str] | None, typer.Option(help="Let ranges end on a public grid: 5, or age=5,born=month (repeat).")] = None,
    where: opt.Where = None,
    measure: opt.MeasureOption = None,
    model: Annotated[list[str] | None, typer.Option(help="Promise this, too: 'k-map k=5 population=POP.csv' (repeat); 'shoal list models'.")] = None,
    certificate: Annotated[Path | None, typer.Option(help="Where the certificate goes; beside the release if left out.")] = None,
    private: Annotated[Path | None, typer.Option(help="Where the private record goes, which is kept with the original; beside the release if left out.")] = None,
    row_order: Annotated[str, typer.Option(help="released, or input for experiments: a sorted input then bounds the ranges of the release.")] = "released",
    key: opt.SealKey = None,
    sign: opt.SignOption = None,
    pseudonym_key: opt.PseudonymKey = None,
    joined_with: Annotated[list[Source] | None, typer.Option(parser=Source.parse, metavar="RELEASE", help="Another release with pseudonyms of the same domain: what both tell together is measured (repeat).")] = None,
    recipe: Annotated[Path | None, typer.Option("--save-recipe", help="Also write the recipe, for 'shoal run'.")] = None,
    masked_counts: Annotated[Path | None, typer.Option(help="Also write how often each value was masked (mask-uniques); keep it with the original.")] = None,
    report: opt.ReportOption = None,
    audience: Annotated[str | None, typer.Option(help="Who reads the report: internal (if left out) or external, without small counts.")] = None,
    delimiter: Annotated[str | None, typer.Option(help="The release's delimiter; a comma if left out, in .tsv a tab.")] = None,
    cells: Annotated[str | None, typer.Option(help="How ranges of numbers and dates are shown: text, bounds (age_lo, age_hi) or middle; as suits the file if left out.")] = None,
    seed: Annotated[int | None, typer.Option(help="The seed of methods that draw random numbers. Of those that change values it is for tests only: who knows it undoes the change.")] = None,
    no_promise: opt.NoPromise = False,
    allow_identifier: Annotated[list[str] | None, typer.Option(help="Columns that may be released as they are though they tell who people are (repeat).")] = None,
    kind: opt.Kind = None, order: opt.Order = None, hierarchy: opt.HierarchyOption = None, in_delimiter: opt.Delimiter = None,
    encoding: opt.Encoding = None, decimal: opt.Decimal = None, missing: opt.Missing = None,
    thousands: opt.Thousands = None, dates: opt.Dates = None, sheet: opt.SheetName = None, cell_range: opt.CellRange = None, at_version: opt.AtVersion = None, header: opt.Header = None, masked: opt.Masked = None, memory: opt.MemoryOption = None,
    engine: opt.EngineOption = None, master: opt.MasterOption = None, overwrite: opt.Overwrite = False, as_json: opt.Json = False,
) -> None:  # fmt: skip
    """Mask a table, prove what is promised, and write it with a certificate."""
    options = read_options(
        quasi, sensitive, plain, subject, roles, kind, order, in_delimiter, encoding, decimal, missing, hierarchy,
        identifier, weight, thousands, dates, header, masked, linked, baskets, household, stratum,
        sheet=sheet, cell_range=cell_range, at_version=at_version,
    )  # fmt: skip
    models = asked_models(k, t, t_column, t_distance, diversity, l_column, l_kind, alpha, alpha_column, m, within)
    models += models_of_people(person_l, person_t, person_column)
    models += asked_entries("models", model)
    refuse_half(k, m, linked=options.linked)
    way = {} if publish is None else {"publish": publish}
    if like is not None and method is not None:
        raise ParameterError("--like says how classes are formed, and so does --method.", "Give one of them.")
    usual_method = OF_LINKED if options.linked else "hilbert"
    named = {"name": method or usual_method} if like is None else {"name": "same-classes", "release": str(like)}
    chosen = build("methods", named | way | method_parameters(param))
    if not models and chosen.enforces:
        raise ParameterError(
            "No privacy level is given.",
            f"Give at least {'--k and --m' if options.linked else '--k'}: a level that nobody chose should not exist.",
        )
    stating = stating_method([chosen])
    insist_on_promise((*models, stating), no_promise=no_promise)
    usual = STANDARD_MEASURES if stating is None else STATED_MEASURES
    measures: list[Measure] = [*(LINKED_MEASURES if options.linked else usual)]
    if where:
        Condition.parse(where)
        measures.append(AttributeDisclosure(where))
    measures += [asked for asked in asked_measures(measure) if asked not in measures]
    delimiter = "\t" if delimiter == "\\t" else delimiter
    refuse_strange_order(row_order)
    refuse_strange_cells(cells)
    secret, pair = shared_key(key), signing_pair(sign)
    reporting = _reporting(report, audience, recipe, certificate)
    refuse_json_on_stdout(out, as_json)
    reports = () if report is None else (report,)
    places = Places.of(out, certificate, private, recipe, masked_counts, reports, overwrite=overwrite)
    beside = [each.path for each in joined_with or () if each.kind == "file"]
    needed = (*beside, *(path for path in (key, sign, pseudonym_key) if path is not None))
    places.refuse(file, [*needed, *files_read_by([options, chosen, *models, *measures])])
    with in_command(f"reading {file.name}"):
        original = read(file, engine=chosen_engine(engine, master), memory=memory, target=out, options=options)
        release = anonymize(
            original, chosen, models, ends=asked_ends(ends), measures=measures, seed=seed, row_order=row_order, no_promise=no_promise,
            allow_identifiers=listed(allow_identifier), cells=cells, pseudonym_key=pseudonym_key, joined_with=joined_with or (),
        )  # fmt: skip
        release = replace(release, recipe=replace(release.recipe, memory=memory))
        also = {} if report is None else {report: reporting(release, original)}
        del original  # Unless a report needs it, its memory is free for the text of the release.
        sealed = release.write(
            out, certificate=certificate, private=private, recipe=recipe, masked_counts=masked_counts,
            delimiter=delimiter, key=secret, sign=pair, overwrite=overwrite, needed=needed, also=also,
        )  # fmt: skip
    _show_release(release, sealed, places, row_order, as_json, report)


ReportWriter = Callable[[Certificate], bytes]


def _reporting(
    report: Path | None, audience: str | None, recipe: Path | None, certificate: Path | None
) -> Callable[[Release, Table], ReportWriter]:
    """Give the way from a release to the bytes of its report; refuse what cannot work before any work is done."""
    if report is None and audience is not None:
        raise ParameterError("--audience says who reads the report.", "Say where it goes: --report report.html.")
    if report is None:
        return lambda release, original: lambda sealed: b""
    from shoal.report.discretion import Discretion
    from shoal.report.page import rendered, usable
    from shoal.report.release_report import release_report

    usable(report, overwrite=True)  # whether it may is asked of all places at once
    reader = Discretion.towards(audience or "internal", ()).audience
    names = {kind: path.name for kind, path in (("recipe", recipe), ("certificate", certificate)) if path}

    def prepare(release: Release, original: Table) -> ReportWriter:
        def made(sealed: Certificate) -> bytes:
            page = release_report(release, original, audience=reader, certificate=sealed, files=names)
            return rendered(page, report)

        return made

    return prepare


def _show_release(
    release: Release, sealed: Certificate, places: Places, row_order: str, as_json: bool, report: Path | None = None
) -> None:
    """Show what was released: to its holder, so with exact numbers."""
    out, paper, private = places.target, places.certificate, places.private
    if as_json:
        schema = release.table.schema
        result = {"out": str(out), "certificate": str(paper), "private": str(private), "row_order": row_order}
        result |= {"report": str(report)} if report else {}
        exact = {
            **({"recoding": dict(release.table.recoding)} if release.table.recoding else {}),
            **release.table.hidden,
            "verdicts": [exact_verdict(verdict, schema) for verdict in release.verdicts],
            "scores": [exact_score(value) for value in release.scores],
            **({} if release.homogeneity is None else shared_secrets(release.homogeneity)),
            "homogeneous": [asdict(found) for found in release.homogeneous],
            "several_rows": None if release.several_rows is None else asdict(release.several_rows),
            "warnings": list(release.warnings),
            **({} if release.stated is None else {"stated": release.stated.content}),
            **({"joined": [each.content() for each in release.joined]} if release.joined else {}),
            **({"identifiers": [each.exact() for each in release.identifiers]} if release.identifiers else {}),
        }
        public = ("steps", "preserved", "left_out", "digest")
        print_json(result | exact | {part: sealed.content[part] for part in public if part in sealed.content})
        return
    with results_beside(out):
        terminal.release(release, out, paper, private, row_order)
        if report:
            typer.echo(f"Report: {report}")


@app.command("run")
def run_command(
    recipe: Annotated[Path, typer.Argument(help="A recipe in TOML.")],
    key: opt.SealKey = None,
    sign: opt.SignOption = None,
    pseudonym_key: opt.PseudonymKey = None,
    memory: opt.MemoryOption = None,
    engine: opt.EngineOption = None,
    master: opt.MasterOption = None,
    overwrite: opt.Overwrite = False,
    as_json: opt.Json = False,
) -> None:
    """Do what a recipe says."""
    asked, pair = Recipe.load(recipe), signing_pair(sign)
    if not asked.source or not asked.target:
        raise ParameterError("The recipe names no input or no output.", "Add file = … to [table] and to [release].")
    if not any(method.enforces for method in asked.methods):  # those that do ask for a level themselves
        insist_on_promise((*asked.models, stating_method(asked.methods)), no_promise=asked.no_promise)
    source, target = Source.parse(asked.source), Source.parse(asked.target)
    beside = [each.path for each in map(Source.parse, asked.joined_with) if each.kind == "file"]
    needed = (recipe, *beside, *(path for path in (key, sign, pseudonym_key) if path is not None))
    refuse_json_on_stdout(target, as_json)
    places = Places.of(target, asked.certificate, asked.private, overwrite=overwrite)
    parts = (asked.options, *asked.methods, *asked.models, *(asked.measures or ()))
    places.refuse(source, [*needed, *files_read_by(parts)])
    held_by, limit = chosen_engine(engine, master), memory or (None if engine == "spark" else asked.memory)
    with in_command(f"reading {source.name}"):
        release = anonymize(  # which alone holds the table: its memory is free for the text of the release
            read(source, engine=held_by, memory=limit, target=target, options=asked.options),
            asked.methods, asked.models, measures=asked.measures, seed=asked.seed, row_order=asked.row_order,
            no_promise=asked.no_promise, allow_identifiers=asked.allow_identifiers, cells=asked.cells, pseudonym_key=pseudonym_key, joined_with=asked.joined_with,
        )  # fmt: skip
        sealed = release.write(
            target, certificate=asked.certificate, private=asked.private, delimiter=asked.delimiter,
            key=shared_key(key), sign=pair, overwrite=overwrite, needed=needed,
        )  # fmt: skip
    _show_release(release, sealed, places, asked.row_order, as_json)


@app.command("check")
def check_command(
    file: Annotated[Source, typer.Argument(parser=Source.parse, metavar="FILE", help="The released file, folder or table.")],
    certificate: Annotated[Path | None, typer.Option(help="Its certificate; the one beside the release if left out.")] = None,
    key: Annotated[Path | None, typer.Option(help="The shared key of the certificate's MAC.")] = None,
    public_key: Annotated[Path | None, typer.Option(help="The public key that the certificate was signed with.")] = None,
    private: Annotated[Path | None, typer.Option(help="The private record, to prove exact scores too.")] = None,
    original: Annotated[Source | None, typer.Option(parser=Source.parse, metavar="FILE", help="The original, to prove the commitment and the information loss too.")] = None,
    receipts: Annotated[list[Path] | None, typer.Option(help="Of a ledger: answers as --json gave them, none of which may be missing from it (repeat).")] = None,
    population: opt.PopulationOption = None, hierarchy: opt.HierarchyOption = None,
    pseudonym_key: Annotated[Path | None, typer.Option(metavar="FILE", help="The secret key of pseudonyms and shifted dates: with the original, they are computed again.")] = None,
    like: Annotated[list[Source] | None, typer.Option(parser=Source.parse, metavar="RELEASE", help="An earlier release of the same people, with its papers beside it: what the two tell together is proved too (repeat).")] = None,
    no_promise: opt.NoPromise = False,
    memory: opt.MemoryOption = None,
    engine: opt.EngineOption = None, master: opt.MasterOption = None,
    as_json: opt.Json = False,
) -> None:  # fmt: skip
    """Prove a certificate again from the released file alone; or the ledger of a budget."""
    from shoal.assessment.risk_certificate import is_of_risk
    from shoal.certification.verification import verify
    from shoal.private.ledger_proof import is_ledger

    if file.kind == "file" and is_ledger(file.path):
        from shoal.cli.budgeting import check_ledger, refuse_for_ledgers

        refuse_for_ledgers(certificate=certificate, private=private, original=original, pseudonym_key=pseudonym_key)
        check_ledger(file.path, key, receipts, as_json=as_json)
        return
    if certificate is not None and is_of_risk(certificate):
        from shoal.cli.certifying import check_certificate

        if private or original or receipts or pseudonym_key:
            raise ParameterError(
                "A certificate of risk has no original beside its file.",
                "Leave out --private, --original, --pseudonym-key, --receipts.",
            )
        check_certificate(
            file, certificate, shared_key(key), public_key, population, as_json=as_json,
            engine=chosen_engine(engine, master), memory=memory,
        )  # fmt: skip
        return
    if receipts:
        raise ParameterError("--receipts are of a ledger, and this is none.", "Leave them out.")

    if original is not None and file.kind == original.kind == "stream":
        raise ParameterError("The release and the original cannot both come from stdin.", "Name one of them.")
    try:
        file = at_hand(file)
        with in_command(f"checking {file.name}"):
            proof = verify(
                file, certificate, key=shared_key(key), public_key=public_key, private=private, original=original,
                engine=chosen_engine(engine, master), memory=memory,
                pseudonym_key=pseudonym_key,
                population=population, hierarchies=pairs(hierarchy, "COLUMN=FILE", "age=age.csv"), like=like or (),
            )  # fmt: skip
    except CertificateError as error:
        if as_json:
            print_json({"verified": False, "reason": error.what})
        raise
    kept = bool(proof.promised) or no_promise
    if as_json:
        parts = (
            "proved",
            "not_proved",
            "stated",
            "promised",
            "protected",
            "unprotected",
            "changed",
            "attested",
            "remarks",
        )
        result = {"verified": True} if kept else {"verified": False, "reason": PROMISES_NOTHING}
        approval = {"approval": proof.approval.content} if proof.approval is not None else {}
        print_json(result | {part: list(getattr(proof, part)) for part in parts} | approval)
    else:
        terminal.proof(file, proof)
    if not kept:
        raise typer.Exit(1)
