"""Where tables lie: files, folders of Parquet files, and tables in databases; how they are named, and named in public.

A password may stand in the address of a database. It is used to connect and goes nowhere else: what is shown, kept
in a recipe or written into a certificate is put together from the other parts.
"""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Literal
from urllib.parse import parse_qsl, quote, unquote, urlencode, urlsplit

from shoal.atomic_files.lakehouses import lakehouse_at
from shoal.engines.file_forms import COMPRESSED, TEXT, FileForm, form_of
from shoal.errors import ParameterError, suggest
from shoal.table import printable

_PARQUET = (".parquet", ".pq")
STREAMS = ("-", "/dev/stdin")
_OWN = ("table", "query", "if_exists")
_CALLED = {"duckdb": "DuckDB", "sqlite": "SQLite"}
_IN_FILES = ("duckdb", "sqlite")
_KNOWN = (
    "Known are postgresql://USER@HOST/DATABASE?table=NAME, duckdb:///FILE?table=NAME, sqlite:///FILE?table=NAME, "
    "and s3://, gs:// and abfss:// for files in the cloud."
)
# No driver of these that speaks Arrow is kept up where Python packages come from.
_WITHOUT_DRIVER = {"mysql": "MySQL", "mariadb": "MariaDB", "mssql": "SQL Server", "sqlserver": "SQL Server"}
_REMOTE = ("s3", "gs", "gcs", "abfs", "abfss")
_HERE = ("localhost", "127.0.0.1", "[::1]", "::1")


@dataclass(frozen=True)
class Source:
    """A place that holds a table, or is to hold one.

    Attributes
    ----------
    kind
        What it is.
    path
        The file or the folder; of a table in DuckDB or SQLite, the file of its database.
    schema, table
        The name of a table in a database. Without a schema, it is looked for where the database looks first.
    replace
        Whether a table of this name that an earlier release made may be replaced.
    address
        What the driver of a PostgreSQL server is given to connect, which may hold a password; or where a file is in the
        cloud, which holds none.
    copied
        Whether the file is a private copy of what came from stdin, through a pipe or from the cloud: nobody knows it by
        its name.
    query
        What is asked of a database, instead of one of its tables: it is only read.
    """

    kind: Literal["file", "folder", "duckdb", "sqlite", "postgresql", "stream", "remote"]
    path: Path = Path()
    schema: str | None = None
    table: str = ""
    replace: bool = False
    address: str = field(default="", repr=False)
    copied: bool = False
    query: str = ""

    @classmethod
    def parse(cls, given: str | os.PathLike[str] | Source) -> Source:
        """Read the name of a file, of a folder (it ends with a slash), or of a table in a database (a URL).

        A hyphen stands for stdin, or for stdout where something is to be written.

        >>> Source.parse("duckdb:///clinic.db?table=people").path.name
        'clinic.db'
        >>> str(Source.parse("postgresql://keeper:secret@db.example/clinic?table=people"))
        'postgresql://db.example/clinic?table=people'
        """
        if isinstance(given, Source):
            return given
        if not isinstance(given, str | os.PathLike):
            raise ParameterError(f"A {type(given).__name__} is no name of a file or table.", "Give a path, or a URL.")
        text = os.fspath(given)
        if text in STREAMS:
            return cls("stream")
        if "://" in text:
            return _from_url(text)
        slashes = tuple(filter(None, (os.sep, os.altsep)))
        named = Path(text).name not in ("", "..") and text.endswith(slashes)
        path = Path(text) if text.strip("./") != "-" else Path(text).absolute()  # ./- is a file, and stays one
        if path.suffix.lower() in COMPRESSED and form_of(path).form not in ("text", "json lines"):
            called = "Parquet" if is_parquet(path.with_suffix("")) else form_of(path).called.capitalize()
            own = path.with_suffix("").suffix
            raise ParameterError(
                f"{called} is compressed in itself, and not once more as a file.", f"Name a file that ends in {own}."
            )
        return cls("folder" if named else "file", path)

    @property
    def is_table(self) -> bool:
        """Whether it is a table in a database."""
        return self.kind in ("duckdb", "sqlite", "postgresql")

    @property
    def is_folder(self) -> bool:
        """Whether it is a folder, by its name or because there is one."""
        return self.kind == "folder" or (self.kind == "file" and self.path.is_dir())

    @property
    def is_lakehouse(self) -> bool:
        """Whether it is a folder whose log, not its files, says which rows there are."""
        return self.is_folder and lakehouse_at(self.path) is not None

    @property
    def is_text(self) -> bool:
        """Whether it is delimited text, which may be compressed."""
        return self.form is TEXT

    @property
    def form(self) -> FileForm | None:
        """The form of a file; None of what is none."""
        if self.kind == "stream":
            return TEXT
        if self.kind == "remote":
            return form_of(self.path)
        return None if self.kind != "file" or self.path.is_dir() else form_of(self.path)

    @property
    def is_typed_file(self) -> bool:
        """Whether it is a file whose columns have types: neither text nor Parquet, which have readers of their own."""
        return self.form is not None and self.form.form not in ("text", "parquet")

    @property
    def format(self) -> str:
        """What certificates call the form of a release."""
        if self.kind == "stream":
            return "text"
        if self.kind in ("file", "remote"):
            return form_of(self.path).format
        return "parquet folder" if self.kind == "folder" else f"{self.kind} table"

    @property
    def name(self) -> str:
        """The name in public: a file without its folder, a table without host and user."""
        if self.kind == "postgresql":
            return printable(f"postgresql://{urlsplit(self.address).path or '/'}?{self._query(public=True)}")
        if (self.copied and not self.address) or self.kind == "stream":
            return "stdin" if self.copied else "stdout"
        name = printable(self.path.name)
        if self.kind in _IN_FILES:
            return f"{self.kind}:///{quote(name)}?{self._query(public=True)}"
        return name + "/" * (self.kind == "folder")

    def __str__(self) -> str:
        """Give the name for those who run the command: with host and folder, without user and password."""
        if self.kind == "postgresql":
            parts = urlsplit(self.address)
            return f"postgresql://{parts.netloc.rpartition('@')[2]}{parts.path}?{self._query()}"
        return self.seen_from(None)

    def seen_from(self, folder: Path | None) -> str:
        """Give the text that names it in a recipe that lies in a folder: with the user of a database, no password."""
        if self.kind == "postgresql":
            parts = urlsplit(self.address)
            user, at, host = parts.netloc.rpartition("@")
            more = {k: v for k, v in parse_qsl(parts.query) if "pass" not in k and k != "connect_timeout"}
            return f"postgresql://{user.partition(':')[0]}{at}{host}{parts.path}?{self._query(more)}"
        if self.kind == "remote" or (self.copied and self.address):
            return self.address
        if self.copied or self.kind == "stream":
            return "-"
        path = str(self.path) if folder is None else os.path.relpath(self.path, folder)
        if self.kind in _IN_FILES:
            return f"{self.kind}:///{quote(path)}?{self._query()}"
        return path + "/" * (self.kind == "folder")

    def _query(self, more: Mapping[str, str] | None = None, *, public: bool = False) -> str:
        """Give what stands behind the question mark. A query may hold values, so in public it is only named as one."""
        if self.query:
            return "query" if public else urlencode({**(more or {}), "query": self.query})
        name = self.table if self.schema is None else f"{self.schema}.{self.table}"
        return urlencode({**(more or {}), "table": name, **({"if_exists": "replace"} if self.replace else {})})

    def files(self) -> list[Path]:
        """Give the files that must not be overwritten while the table is needed."""
        if self.kind in ("postgresql", "stream", "remote"):
            return []
        return [self.path, *(parquet_files(self.path) if self.is_folder else [])]

    def same_table(self, other: Source) -> bool:
        """Tell whether two names stand for one table in a database."""
        return self.is_table and self.identity() == other.identity()

    def identity(self) -> tuple[str, ...]:
        """Give what is the same for all names of one place; of a table in a database without user and password."""
        if self.kind in _IN_FILES:
            schema = (self.schema or "main").lower()
            return self.kind, os.path.realpath(self.path), schema, self.table.lower(), self.query
        if self.kind == "postgresql":
            parts = urlsplit(self.address)
            host = parts.netloc.rpartition("@")[2].removesuffix(":5432")
            name, colon, port = host.rpartition(":") if not host.endswith("]") else ("", "", host)
            name, port = (name, port) if colon else (port, "")
            return "postgresql", "" if name in _HERE else name, port, parts.path, self.schema or "public", self.table
        return self.kind, self.address if self.kind == "remote" else os.path.realpath(self.path)


def is_parquet(path: Path) -> bool:
    """Tell whether a path names a Parquet file."""
    return path.suffix.lower() in _PARQUET


def parquet_files(folder: Path) -> list[Path]:
    """Give the Parquet files of a folder and of the folders in it, by name; hidden ones are drafts of others."""
    found = (path for path in folder.rglob("*") if path.suffix.lower() in _PARQUET and path.is_file())
    inner = ((path, path.relative_to(folder)) for path in found)
    return [path for path, name in sorted(inner, key=lambda both: both[1].parts) if not _hidden(name)]


def _hidden(name: Path) -> bool:
    return any(part.startswith((".", "_")) for part in name.parts)


def beside(folder: Path, text: str) -> str:
    """Give the place that a text in a recipe names, as seen from the folder of the recipe."""
    source = Source.parse(text)
    if source.kind in ("postgresql", "stream", "remote"):
        return text
    if source.kind in _IN_FILES:
        return replace(source, path=folder / source.path).seen_from(None)
    return str(folder / text) + "/" * (source.kind == "folder")


def _from_url(text: str) -> Source:
    scheme = text.partition("://")[0].lower()
    other = _WITHOUT_DRIVER.get(scheme.partition("+")[0])
    if other is not None:
        raise ParameterError(
            f"Tables in {other} are not read directly: no driver for it is kept up.",
            "Read it with a library of yours and hand over the frame (shoal.read(frame)), or export CSV or Parquet.",
        )
    if scheme in _REMOTE:
        return _remote(text)
    if scheme not in ("postgresql", "postgres", *_IN_FILES):
        near = suggest(scheme, ("postgresql", *_IN_FILES))
        hint = f"Did you mean '{near}://'? " if near else ""
        raise ParameterError(
            "This kind of address cannot be read or written.",
            f"{hint}{_KNOWN}",
        )
    try:
        parts = urlsplit(text)
        asked = dict(parse_qsl(parts.query, keep_blank_values=True, strict_parsing=bool(parts.query)))
    except ValueError:
        raise ParameterError("The address of the database is not well formed.", _form(scheme)) from None
    if "@" in parts.path + parts.query + parts.fragment or parts.fragment:
        # It is not known where the password ends, so nothing of the address can be shown.
        raise ParameterError(
            "The address of the database holds signs that have a meaning there.",
            "Write @ as %40, / as %2F, ? as %3F and # as %23 in names and in the password.",
        )
    name, query = asked.pop("table", ""), asked.pop("query", "").strip().rstrip(";").strip()
    if name and query:
        raise ParameterError("The address names both a table and a query.", "Give one of them.")
    if query and "if_exists" in asked:
        raise ParameterError("Nothing can be written into a query.", "Leave if_exists out, or name a table.")
    if not name and not query:
        raise ParameterError(
            "The address of the database names no table.", f"Add ?table=NAME, or ?query=SELECT…: {_form(scheme)}"
        )
    schema, dot, table = name.partition(".")
    if dot and not (schema and table):
        raise ParameterError(f"'{name}' is not the name of a table.", "Write ?table=NAME or ?table=SCHEMA.NAME.")
    manner = asked.pop("if_exists", "fail")
    if manner not in ("fail", "replace"):
        raise ParameterError("if_exists is neither 'fail' nor 'replace'.", "Leave it out, or write if_exists=replace.")
    whose, named, again = (schema if dot else None), (table if dot else name), manner == "replace"
    if scheme in _IN_FILES:
        path = unquote(parts.path.removeprefix("/"))
        if parts.netloc or not path:
            raise ParameterError(f"The address names no {_CALLED[scheme]} file.", _form(scheme))
        if asked:
            raise ParameterError(
                f"'{next(iter(asked))}' means nothing in the address of a {_CALLED[scheme]} table.",
                f"Known are: {', '.join(_OWN)}.",
            )
        return Source(scheme, Path(path), whose, named, again, query=query)  # type: ignore[arg-type]
    if not parts.path.strip("/"):
        raise ParameterError("The address names no database.", _form(scheme))
    asked.setdefault("connect_timeout", "10")  # a wrong host may otherwise not answer for minutes
    address = parts._replace(scheme="postgresql", query=urlencode(asked, quote_via=quote)).geturl()
    return Source("postgresql", Path(), whose, named, again, address, query=query)


def _remote(text: str) -> Source:
    """Read the address of a file in the cloud, which may name an account, and no key."""
    parts = urlsplit(text)
    user = parts.netloc.rpartition("@")[0]
    if ":" in user or (user and not parts.scheme.lower().startswith("abfs")):
        raise ParameterError(
            "An address in the cloud holds no keys.", "Put them where its tools look, such as AWS_SECRET_ACCESS_KEY."
        )
    if not parts.netloc or not parts.path.strip("/"):
        raise ParameterError("The address names no file.", f"Write {parts.scheme}://BUCKET/PATH/people.parquet.")
    return Source("remote", Path(unquote(parts.path)), address=text)


def _form(scheme: str) -> str:
    if scheme in _IN_FILES:
        return f"Write {scheme}:///FILE?table=NAME, with a fourth slash before an absolute path."
    return "Write postgresql://USER:PASSWORD@HOST:PORT/DATABASE?table=NAME."
