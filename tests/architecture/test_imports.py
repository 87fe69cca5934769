"""Imports point one way, and each outside library has its place."""

import pytest
from architecture.source import MODULES, ORDER, Import, imports, stage

# What may be imported against the order, and why: by the type checker alone, or by a function when it is called. What
# is no longer needed fails a test.
FOR_TYPES = {
    ("shoal.table", "shoal.engines.protocol"): "a table carries its engine, and engines give tables",
    ("shoal.table", "shoal.engines.sources"): "a table is written somewhere, by its engine",
    ("shoal.table", "shoal.engines.values"): "what engines give speaks of classes, as tables do",
}
WHEN_CALLED = {
    ("shoal.releases.release", "shoal.report.page"): "a release writes its report as a page",
    ("shoal.releases.release", "shoal.report.release_report"): "reports are made of releases",
}
EXCEPTIONS = FOR_TYPES | WHEN_CALLED

# Outside libraries, and ctypes, with the only parts of the house that may import them.
HOMES = {
    "adbc_driver_manager": {"engines"},
    "adbc_driver_postgresql": {"engines"},
    "babel": {"languages"},
    "cryptography": {"certification", "pseudonyms"},
    "ctypes": {"engines", "kernels", "__main__"},  # engines: what the system tells of memory
    "duckdb": {"engines"},
    "fastapi": {"web"},
    "highspy": {"methods"},
    "jinja2": {"report", "web"},
    "markupsafe": {"report", "web"},
    "numba": set(),
    "opendp": {"private"},
    "pandas": {"engines"},
    "polars": {"engines"},
    "psutil": {"engines"},
    "pyarrow": {"engines", "shoal_paper.datasets"},
    "pydantic": {"web"},
    "pyspark": {"engines"},
    "python_multipart": {"web"},
    "rich": {"cli"},
    "sklearn": {"measures", "methods"},
    "starlette": {"web"},
    "typer": {"cli", "shoal_paper.commands"},
    "uvicorn": {"web"},
    "weasyprint": {"report"},
}


def said(found: Import) -> str:
    return f"{found.importer} (line {found.line}) imports {found.imported}"


def inside() -> list[Import]:
    return [found for found in imports() if found.imported.split(".")[0] in ("shoal", "shoal_paper")]


def test_every_module_has_a_place_in_the_order():
    strange = sorted({stage(module) for module in MODULES} - set(ORDER))
    assert not strange, f"name these in the order in CONTRIBUTING.md: {strange}"


def test_the_order_names_only_what_exists():
    assert not set(ORDER) - {stage(module) for module in MODULES}


def test_imports_point_one_way():
    wrong = [
        said(found)
        for found in inside()
        if ORDER.index(stage(found.imported)) > ORDER.index(stage(found.importer))
        and (found.importer, found.imported) not in EXCEPTIONS
    ]
    assert not wrong, "\n".join(wrong)


def test_nothing_imports_the_package_itself():
    """The public names are for users: inside, each module imports from where a thing is made."""
    wrong = [said(found) for found in inside() if found.imported in ("shoal", "shoal_paper")]
    assert not wrong, "\n".join(wrong)


def test_no_module_depends_on_itself_through_others():
    needs: dict[str, set[str]] = {module: set() for module in MODULES}
    for found in inside():
        offered = found.typing_only and found.imported.startswith(f"{found.importer}.")  # the list of a public module
        if (found.importer, found.imported) not in EXCEPTIONS and not offered:
            needs[found.importer].add(found.imported)
    settled: set[str] = set()
    while ready := {module for module, others in needs.items() if module not in settled and others <= settled}:
        settled |= ready
    assert settled == set(needs), f"in a circle: {sorted(set(needs) - settled)}"


@pytest.mark.parametrize("edge", EXCEPTIONS, ids=" -> ".join)
def test_exceptions_are_still_needed_and_cost_nothing_at_start(edge):
    found = [each for each in inside() if (each.importer, each.imported) == edge]
    assert found, "this exception is no longer needed: remove it"
    assert all(each.typing_only if edge in FOR_TYPES else each.when_called for each in found)


@pytest.mark.parametrize("library", HOMES)
def test_outside_libraries_stay_in_their_place(library):
    wrong = [
        said(found)
        for found in imports()
        if found.imported.split(".")[0] == library and stage(found.importer) not in HOMES[library]
    ]
    assert not wrong, "\n".join(wrong)
