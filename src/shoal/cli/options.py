"""The application, and the options that several commands share."""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator
from contextlib import contextmanager, nullcontext, redirect_stdout
from pathlib import Path
from typing import Annotated, Any

import typer

from shoal.engines import AnyEngine
from shoal.engines.sources import Source
from shoal.errors import ParameterError


def new_app() -> typer.Typer:
    """Give an application that has no commands yet."""
    return typer.Typer(
        help="Publish data about people without giving anyone away.",
        no_args_is_help=True,
        pretty_exceptions_enable=False,
        rich_markup_mode=None,
    )


app = new_app()

# Paths would swallow the slashes of a URL and of a folder, so the text is read as it was typed.
File = Annotated[
    Source,
    typer.Argument(
        parser=Source.parse,
        metavar="FILE",
        help="Delimited text, also compressed; Parquet, also a folder of it; .xlsx, .sav, .dta, .xpt, .sas7bdat, .feather, .orc, .jsonl; postgresql://…?table=t, duckdb:///f.db?table=t, sqlite:///f.sqlite?query=SELECT…; or - for stdin.",
    ),
]
Target = Annotated[
    Source,
    typer.Option(
        "--out",
        "-o",
        parser=Source.parse,
        metavar="FILE",
        help="Where the release goes; .parquet gives Parquet, a slash at the end a folder of it, a URL a table in a database, - stdout.",
    ),
]
Overwrite = Annotated[
    bool, typer.Option("--overwrite", help="Replace files, and tables of earlier releases, that are there already.")
]
Quasi = Annotated[
    list[str] | None,
    typer.Option(
        help="Quasi-identifiers, separated by commas (repeat); a name with a comma in quotes: '\"height, cm\"'."
    ),
]
Sensitive = Annotated[list[str] | None, typer.Option(help="Confidential columns, released as they are (repeat).")]
PlainOption = Annotated[
    list[str] | None, typer.Option(help="Other columns to keep (repeat). Columns that are not named are left out.")
]
Identifier = Annotated[
    list[str] | None,
    typer.Option(
        metavar="COLUMN[=WHAT]",
        help="Columns that name people: left out, or id=pseudonym:patient, id=ff1:patient (codes keep their form), born=shift:182 (dates, by the same number of days for all of a person; shift:182:7 keeps weekdays) (repeat).",
    ),
]
PseudonymKey = Annotated[
    Path | None,
    typer.Option(
        metavar="FILE",
        help="The secret key of pseudonyms and shifted dates ('shoal key new'); that in SHOAL_KEY if left out.",
    ),
]
Weight = Annotated[
    str | None,
    typer.Option(help="The column of survey weights: how many people a record stands for. Released as it is."),
]
Household = Annotated[
    str | None, typer.Option(help="The column that says which household a record belongs to; never released.")
]
Stratum = Annotated[str | None, typer.Option(help="The column of the survey's strata, released as it is.")]
Subject = Annotated[
    str | None, typer.Option(help="The column that tells people apart: all promises then count people.")
]
SealKey = Annotated[
    Path | None,
    typer.Option(help="A file with a shared key: the certificate gets a MAC that those who have the key can check."),
]
SignOption = Annotated[
    Path | None,
    typer.Option(
        "--sign",
        metavar="KEY",
        help="A file with a pair of keys ('shoal key new --sign'): the certificate is signed (Ed25519), and everybody can check it.",
    ),
]
Linked = Annotated[
    bool,
    typer.Option(
        "--linked",
        help="Rows of a person belong together: others may know any few of them. With --subject or --baskets.",
    ),
]
Baskets = Annotated[
    bool, typer.Option("--baskets", help="Each line of the file is a person's items, without a header.")
]
PointsOption = Annotated[
    list[str] | None,
    typer.Option(
        "--points",
        metavar="NUMBERS",
        help="How many points, such as purchases, someone knows of a person: 1,2,3,4 if left out. With --linked.",
    ),
]
AtOption = Annotated[
    list[str] | None,
    typer.Option(
        "--at",
        metavar="COLUMN=LEVEL,…",
        help="How coarsely points are seen: 'day=7,store=10', 'price=50%', 'item=1' (a level of its hierarchy), 'day=*' to leave it out (repeat). With --linked.",
    ),
]
RolesOption = Annotated[
    str | None,
    typer.Option("--roles", help="'last-sensitive': the last column is confidential, all others quasi-identifiers."),
]
Kind = Annotated[
    list[str] | None,
    typer.Option(
        help="What a column is: age=integer, zip=category (repeat); what stands before the last = is its name."
    ),
]
Order = Annotated[
    list[str] | None,
    typer.Option(
        help="Ordered categories: size=small,medium,large (repeat); a name with = in quotes: '\"x=y\"=low,high'."
    ),
]
HierarchyOption = Annotated[
    list[str] | None,
    typer.Option(
        "--hierarchy",
        help="A tree of values: age=age.csv, or built: 'age=bands 5,20', 'zip=prefix 3,1', 'age=cuts 18,65', day=dates … (repeat).",
    ),
]
Delimiter = Annotated[str | None, typer.Option("--in-delimiter", help="The input's delimiter; found out if left out.")]
Encoding = Annotated[str | None, typer.Option(help="The input's encoding; UTF-8, else Windows-1252.")]
Decimal = Annotated[str | None, typer.Option(help="The input's decimal sign.")]
Thousands = Annotated[str | None, typer.Option(help="What separates thousands in the input: , or . or ' or a blank.")]
Dates = Annotated[str | None, typer.Option(help="How the input writes dates that are not ISO: dmy, mdy or ymd.")]
SheetName = Annotated[str | None, typer.Option(help="The sheet of a workbook; the first one if left out.")]
CellRange = Annotated[
    str | None, typer.Option("--range", help="The cells of a sheet, names first: B3:F200, or B3:F for all rows below.")
]
AtVersion = Annotated[
    str | None,
    typer.Option(help="The version of a Delta Lake or the snapshot of an Iceberg table; the last if left out."),
]
Header = Annotated[
    bool | None,
    typer.Option(
        "--header/--no-header",
        help="Whether the first line names the columns; without names they are c1, c2, …. A first line that looks like a record is refused if left out.",
    ),
]
Masked = Annotated[
    bool | None,
    typer.Option(
        "--masked/--no-masked",
        help="Whether cells of the input such as 937** and * hide something, or are values as they stand. Such cells are refused if left out.",
    ),
]
Missing = Annotated[
    list[str] | None,
    typer.Option(help="Texts that stand for a missing value, separated by commas (repeat). Empty cells always do."),
]
NoPromise = Annotated[
    bool, typer.Option("--no-promise", help="I know that the release promises nothing (methods that enforce no level).")
]
Json = Annotated[bool, typer.Option("--json", help="One JSON object on stdout, nothing else.")]
Where = Annotated[str | None, typer.Option(help="A confidential property: 'charge > 100000'.")]
MeasureOption = Annotated[
    list[str] | None,
    typer.Option(
        "--measure", help="Measure this too: granularity, 'query-error queries=500' (repeat); 'shoal list measures'."
    ),
]
MatchingOption = Annotated[
    str | None,
    typer.Option(
        "--matching",
        help="'signature': equal cells match; 'fit': a cell matches every value that it may stand for. Both if left out.",
    ),
]
ErrorOption = Annotated[
    list[str] | None,
    typer.Option(
        "--error",
        metavar="COLUMN=PROBABILITY",
        help="How likely an attacker is wrong about a column: age=0.3 (repeat). Tells how many matches he claims, and how many are right.",
    ),
]
ReportOption = Annotated[
    Path | None, typer.Option("--report", help="Also write a report for people: .html, or .pdf with WeasyPrint.")
]
MemoryOption = Annotated[
    str | None,
    typer.Option(
        "--memory",
        metavar="SIZE",
        help="How much memory may be used, such as 2GB; larger tables are worked on from disk. A share of what is free if left out.",
    ),
]
EngineOption = Annotated[
    str | None, typer.Option("--engine", help="Where tables are held: local (if left out) or spark.")
]
MasterOption = Annotated[
    str | None,
    typer.Option("--master", metavar="URL", help="Where Spark runs: local[4], spark://HOST:7077. With --engine spark."),
]
SudaOption = Annotated[
    bool,
    typer.Option("--suda", help="Find the smallest sets of attributes by which records stand alone, and score them."),
]
ThresholdOption = Annotated[
    str | None,
    typer.Option(
        metavar="RISK",
        help="The risk above which a record is at risk: 0.2, or public (0.09), customary (groups of 11), trusted (0.2), inside (0.33).",
    ),
]
PopulationOption = Annotated[
    Source | None,
    typer.Option(
        "--population",
        parser=Source.parse,
        metavar="FILE",
        help="A table of the population that the table comes from, with the same columns.",
    ),
]
PopulationColumns = Annotated[
    list[str] | None,
    typer.Option(
        "--population-columns",
        metavar="COLUMN=NAME",
        help="How a column is called there, where it has another name: age=AGE (repeat).",
    ),
]
PopulationSize = Annotated[
    int | None, typer.Option("--population-size", help="How many people the population has that the table comes from.")
]
SamplingFraction = Annotated[
    float | None, typer.Option("--sampling-fraction", help="The share of the population that is in the table.")
]
ScreenOption = Annotated[
    bool,
    typer.Option(
        "--screen", help="Find the few columns that single people out, and those that look like direct identifiers."
    ),
]
RiskCertificateOption = Annotated[
    Path | None,
    typer.Option(
        "--certificate",
        metavar="FILE",
        help="Also write a certificate of the risk: NAME.json, or NAME.html for a page with NAME.json beside it. The threshold is 'trusted' if none is given.",
    ),
]
WhyOption = Annotated[
    bool,
    typer.Option("--why", help="Tell which attributes put records at risk, and which one's coarsening helps most."),
]
RecordsOption = Annotated[
    Path | None,
    typer.Option(
        "--records",
        metavar="FILE",
        help="Also list the records at risk by number, with the reasons, in a .csv that only you can read.",
    ),
]
KnownOption = Annotated[
    list[str] | None, typer.Option(help="Attributes an attacker knows, separated by commas (repeat).")
]


def chosen_engine(engine: str | None, master: str | None) -> AnyEngine | str | None:
    """Give the engine that was asked for."""
    if master is None:
        return engine
    if engine != "spark":
        raise ParameterError("--master says where Spark runs.", "Add --engine spark, or leave --master out.")
    from shoal.engines.spark import Spark

    return Spark(master=master)


def refuse_json_on_stdout(out: Source, as_json: bool) -> None:
    """Refuse two things on stdout."""
    if as_json and out.kind == "stream":
        raise ParameterError("The table goes to stdout, so JSON cannot.", "Leave out --json, or name a file in --out.")


@contextmanager
def results_beside(out: Source) -> Iterator[None]:
    """Send what people are to see to stderr where a table goes to stdout."""
    with redirect_stdout(sys.stderr) if out.kind == "stream" else nullcontext():
        yield


def given_options(context: typer.Context) -> list[str]:
    """Give the options of a command that were given to it, as they can be given again; but for the form of output."""
    found: list[str] = []
    for option in context.command.params:
        name, value = str(option.name), context.params.get(str(option.name))
        refused = value is False and option.default is None  # said by the other name: --no-header
        if option.param_type_name != "option" or name == "as_json" or (value in (None, False, [], ()) and not refused):
            continue
        said = max(option.secondary_opts if refused else option.opts, key=len)
        values = value if isinstance(value, (list, tuple)) else [value]
        found += [said] if isinstance(value, bool) else [part for each in values for part in (said, str(each))]
    return found


def print_json(content: Any) -> None:
    """Write one JSON object to stdout."""
    plain = sys.stdout.encoding.lower() not in ("utf-8", "utf8")
    sys.stdout.write(json.dumps(content, ensure_ascii=plain, allow_nan=False) + "\n")
