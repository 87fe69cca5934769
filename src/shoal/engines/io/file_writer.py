"""Tables out, to files whose columns have types, in the form that the name of a file promises."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import replace
from functools import partial
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any

from shoal.domains.codebook import Codebook
from shoal.engines.file_forms import FileKind, form_of
from shoal.engines.sources import Source
from shoal.engines.values import Layout
from shoal.schema import RELEASED, Role, Schema
from shoal.table import Written

# What writes files whose bytes depend on its version, beside shoal itself.
_WRITERS = {
    **dict.fromkeys((".sav", ".zsav", ".xpt"), ("pyreadstat",)),
    **dict.fromkeys((".feather", ".arrow", ".arrows", ".ipc", ".orc"), ("pyarrow",)),
    ".xlsx": ("xlsxwriter",),
}


def cells_in(target: Source, layout: Layout) -> str:
    """Tell what a generalized cell is in a file: the struct of its two ends where the form has structs, else text."""
    form = target.form
    return "text" if layout.cells == "text" or (form is not None and form.form in ("labelled", "excel")) else "struct"


def form_in(target: Source) -> str:
    """Tell what keeps the columns of a release: a database, or files of a form."""
    if target.is_table:
        return "database"
    return "parquet" if target.form is None else target.form.form


def write_file(
    tables: Iterable[Any], path: Path, schema: Schema, layout: Layout, lists: Mapping[str, Any] | None = None
) -> Written:
    """Write a table that comes in pieces to a new file; ``lists`` are the categories of columns that are kept so."""
    form = form_of(path).form
    if form == "labelled":
        from shoal.engines.io.labelled.writing import write_labelled

        kept = {a.name for a in schema.attributes if a.role is Role.PLAIN and a.treatment is None}
        measured = {a.name for a in schema.attributes if a.axis.numeric and a.axis.tree is None}
        return write_labelled(tables, path, _book(layout, schema), orders_of(schema), kept, measured - kept)
    return writer_of(form, lists)(tables, path)


def _book(layout: Layout, schema: Schema) -> Codebook | None:
    """Give what is said of variables, and no labels where a hierarchy or pseudonyms are other values than these."""
    book = layout.codebook
    if book is None:
        return None
    trees = {a.name: a.axis.tree for a in schema.attributes if a.axis.tree is not None}
    other = [name for name, tree in trees.items() if not set(tree.leaves) <= set(book.of(name).texts().values())]
    other += [a.name for a in schema.attributes if a.treatment is not None and a.treatment.names]
    return replace(book, variables={**book.variables, **{name: replace(book.of(name), values={}) for name in other}})


def writer_of(form: FileKind, lists: Mapping[str, Any] | None = None) -> Callable[[Iterable[Any], Path], Written]:
    """Give what writes files of a form that holds rows and nothing else."""
    if form == "arrow":
        from shoal.engines.io.typed_files.arrow_files import write_arrow

        return partial(write_arrow, lists=lists or {})
    if form == "orc":
        from shoal.engines.io.typed_files.orc_files import write_orc

        return write_orc
    if form == "json lines":
        from shoal.engines.io.typed_files.json_lines import write_json_lines

        return write_json_lines
    if form == "excel":
        from shoal.engines.io.typed_files.excel_sheets import write_sheet

        return write_sheet
    from shoal.engines.io.parquet_writer import write_parquet

    return partial(write_parquet, lists=lists or {})


def writers_of(target: Source) -> dict[str, str]:
    """Give the libraries that write a file, with their versions, where its bytes depend on them and do not say so."""
    names = _WRITERS.get(target.path.suffix.lower(), ()) if target.is_typed_file else ()
    try:
        return {name: version(name) for name in names}
    except PackageNotFoundError:
        return {}


def orders_of(schema: Schema) -> dict[str, tuple[str, ...]]:
    """Give the categories, from low to high, of released columns that have an order of them."""
    axes = {name: schema[name].axis for name in schema.of(*RELEASED)}
    return {
        name: tuple(map(str, axis.values))
        for name, axis in axes.items()
        if axis.kind == "ordered" and axis.tree is None and axis.values is not None
    }
