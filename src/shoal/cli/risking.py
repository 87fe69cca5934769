"""The command that measures risk."""

from __future__ import annotations

from collections.abc import Sequence

import typer

from shoal.assessment.disclosure_risk import Risk, risk
from shoal.assessment.known_points import LinkedRisk
from shoal.assessment.records_at_risk import insist_on_list, write_records
from shoal.certification.signatures import Seals
from shoal.cli import options as opt
from shoal.cli import terminal
from shoal.cli.certifying import insist_on_certificate, write_certificate
from shoal.cli.options import app, chosen_engine, print_json
from shoal.cli.parsing import (
    asked_errors,
    asked_measures,
    asked_points,
    listed,
    pairs,
    read_options,
    shared_key,
    signing_pair,
)
from shoal.engines.io.streams import at_hand
from shoal.measures import Measure
from shoal.progress.display import in_command


@app.command("risk")
def risk_command(
    file: opt.File, quasi: opt.Quasi = None, sensitive: opt.Sensitive = None, roles: opt.RolesOption = None, known: opt.KnownOption = None,
    weight: opt.Weight = None, household: opt.Household = None, stratum: opt.Stratum = None,
    subject: opt.Subject = None, linked: opt.Linked = False, baskets: opt.Baskets = False, points: opt.PointsOption = None, at: opt.AtOption = None,
    population: opt.PopulationOption = None, population_columns: opt.PopulationColumns = None,
    threshold: opt.ThresholdOption = None, population_size: opt.PopulationSize = None, sampling_fraction: opt.SamplingFraction = None,
    where: opt.Where = None, matching: opt.MatchingOption = None, error: opt.ErrorOption = None, measure: opt.MeasureOption = None,
    suda: opt.SudaOption = False, screen: opt.ScreenOption = False, why: opt.WhyOption = False, records: opt.RecordsOption = None,
    certificate: opt.RiskCertificateOption = None, key: opt.SealKey = None, sign: opt.SignOption = None,
    kind: opt.Kind = None, order: opt.Order = None, hierarchy: opt.HierarchyOption = None, in_delimiter: opt.Delimiter = None,
    encoding: opt.Encoding = None, decimal: opt.Decimal = None, missing: opt.Missing = None,
    thousands: opt.Thousands = None, dates: opt.Dates = None, sheet: opt.SheetName = None, cell_range: opt.CellRange = None, at_version: opt.AtVersion = None, header: opt.Header = None, masked: opt.Masked = None,
    page: opt.ReportOption = None, overwrite: opt.Overwrite = False, memory: opt.MemoryOption = None, engine: opt.EngineOption = None, master: opt.MasterOption = None,
    as_json: opt.Json = False,
) -> None:  # fmt: skip
    """Measure how many records stand alone."""
    if page is not None:
        from shoal.report.page import usable

        usable(page, file.files(), overwrite=overwrite)
    if records is not None:
        insist_on_list(records, file.files(), overwrite=overwrite)
    seals = Seals(shared_key(key), signing_pair(sign))
    if certificate is not None:
        insist_on_certificate(certificate, file.files(), overwrite=overwrite)
        threshold = threshold or "trusted"
    errors = asked_errors(error)
    extra = asked_measures(measure)
    options = read_options(
        quasi, sensitive, None, subject, roles, kind, order, in_delimiter, encoding, decimal, missing, hierarchy,
        thousands=thousands, dates=dates, sheet=sheet, cell_range=cell_range, at_version=at_version, header=header, masked=masked, linked=linked, baskets=baskets, weight=weight, household=household, stratum=stratum,
    )  # fmt: skip
    file, sets = at_hand(file), [listed(text) for text in known or ()]
    with in_command(f"reading {file.name}"):
        report = risk(
            file, known=sets, where=where, matching=matching, errors=errors, measures=extra,  # type: ignore[arg-type]
            points=asked_points(points), at=at or (), threshold=threshold, population_size=population_size,
            population=population, sampling_fraction=sampling_fraction,
            population_columns=pairs(population_columns, "COLUMN=NAME", "age=AGE"), suda=suda, screen=screen, why=why or records is not None, engine=chosen_engine(engine, master), memory=memory,
            options=options,
        )  # fmt: skip
        report["file"] = file.name
        if page is not None:
            from shoal.report.page import write_page

            write_page(page, _risk_page(report, extra), file.files(), overwrite=overwrite)
            report["report"] = str(page)
        if certificate is not None and isinstance(report, Risk):
            written = write_certificate(report, certificate, seals, file.files(), overwrite=overwrite)
            report["certificate"] = [str(path) for path in written]
        if records is not None and isinstance(report, Risk) and report.reasons is not None:
            listed_records = write_records(report.reasons, records, file.files(), overwrite=overwrite)
            report["records_at_risk"] = {"file": str(records), "records": listed_records}
    if as_json:
        print_json(report)
    else:
        if isinstance(report, LinkedRisk):
            terminal.linked_risk(report)
        else:
            terminal.risk(report)
        if certificate is not None:
            typer.echo(f"\nCertificate of risk: {certificate}")
        if records is not None:
            typer.echo(f"\nRecords at risk: {records} (never to be passed on)")
        if page is not None:
            typer.echo(f"\nReport: {page}")


def _risk_page(report: Risk | LinkedRisk, measures: Sequence[Measure]) -> str:
    if isinstance(report, LinkedRisk):
        from shoal.report.known_points_report import known_points_report

        return known_points_report(report.table, report, measures)
    from shoal.report.risk_report import risk_report

    return risk_report(report.table, report, measures, report.sections)
