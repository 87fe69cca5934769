"""What every method, model and measure of the catalogue must be able to do, whatever it is."""

import dataclasses
import datetime
import inspect
import json
import math
from functools import cache
from pathlib import Path

import polars as pl
import pytest
from clusters import cluster
from engines.pools import Memory
from engines.tiny import Tiny
from property.independent import columns_of, covers
from shelves import unlinked

import shoal
from shoal.catalogue import SHELVES, build, describe, entries
from shoal.engines.local import Local
from shoal.engines.parts.engine import PartsEngine
from shoal.errors import ParameterError, SchemaError
from shoal.measures import ClassMeasure, PairMeasure, TableMeasure
from shoal.schema import RELEASED

METHODS, MODELS, MEASURES = map(unlinked, ("methods", "models", "measures"))
del METHODS["same-signatures"]  # which asks who is who: tests/property/test_m_invariance.py
ALL = {f"{shelf}: {name}": entry for shelf in SHELVES for name, entry in entries(shelf).items()}
# Models ask for a level; these are ordinary ones.
LEVELS = {
    "km-anonymity": {"k": 3, "m": 2},
    "coherence": {"k": 2, "p": 2, "h": 0.5, "private": ["a"]},
    "rho-uncertainty": {"rho": 0.5, "m": 2, "private": ["a"]},
    "k-anonymity": {"k": 3},
    "t-closeness": {"t": 0.4, "column": "charge"},
    "l-diversity": {"l": 2, "column": "ill"},
    "alpha-k": {"alpha": 0.7, "column": "ill"},
    "safe-harbor": {"year": 2026},
    "rounded-ends": {"ends": 100},
    "m-invariance": {"m": 2, "column": "ill"},
    "person-diversity": {"l": 2, "column": "ill"},
    "person-closeness": {"t": 0.9, "column": "ill"},
    "k-map": {"k": 3, "alpha": 0.05, "fraction": 0.5},
    "reidentification-risk": {"highest": 0.4},
    "delta-presence": {"most": 1.0, "population": "everybody.csv"},
}
# Measures that need to be told what to look for.
ASKED = {"attribute-disclosure": {"where": "charge > 50"}, "accuracy-loss": {"target": "ill"}}
# Methods that need to be told which columns they are for.
WAYS = {
    "record-swap": {"geography": ["race"], "risk": ["code"], "similar": ["stage"], "carried": ["ill"]},
    "optimal-univariate": {"k": 3},
    "same-classes": {"release": str(Path(__file__).parents[1] / "data" / "mixed_release.csv")},
    "rank-swap": {"percent": 20},
    "shuffle": {"given": ["day"]},
    "code-extremes": {"top": {"whole": 5, "day": "2000-10-01"}, "bottom": {"share": 0.15}},
    "mask-uniques": {
        "order": [
            "whole -> bands -4,0,5", "code -> prefix 1", "stage -> bands low,high", "share -> bands 0,0.5",
            "day -> bands 1999-12-25,2000-06-01", "hour -> bands 2001-02-03 00:00:00,2001-02-04 00:00:00", "race -> *",
        ],
    },
}  # fmt: skip

# Methods that change values at random.
DRAWING = [name for name, method in METHODS.items() if not getattr(method, "repeatable", True)]
# Of these, those that move whole cells from record to record, missing ones too.
MOVING = ("record-swap", "synthesize")

# Releases of every shape: classes with ranges and sets, coarser values, wildcards among exact cells, exact cells.
SHAPES = ("hilbert", "coarsen", "mask-uniques", "regenerate")

KINDS = {
    "whole": "integer",
    "large": "integer",
    "share": "float",
    "day": "date",
    "hour": "datetime",
    "race": "category",
    "code": "category",
    "stage": "ordered",
}
ORDER = ("low", "middle", "high")


def mixed() -> dict[str, list]:
    """Give a table with every kind of column, ties, and missing cells."""
    rows = range(23)
    day, hour = datetime.date(1999, 12, 25), datetime.datetime(2001, 2, 3, 4, 5, 6)
    return {
        "whole": [None if i % 11 == 5 else (i * 7) % 13 - 4 for i in rows],
        "large": [3_000_000_000 * ((i * 5) % 4) - 7 for i in rows],
        "share": [None if i % 7 == 3 else ((i * 3) % 10) / 10 for i in rows],
        "day": [day + datetime.timedelta((i * 37) % 400) for i in rows],
        "hour": [None if i == 20 else hour + datetime.timedelta(seconds=(i * 4001) % 90_000) for i in rows],
        "race": [None if i % 9 == 8 else ("White", "Black", "Other; {mixed}", "As*an")[(i * i) % 4] for i in rows],
        "code": [f"{(i * 17) % 71:03}" for i in rows],
        "stage": [ORDER[(i * 2) % 3] for i in rows],
        "charge": [(i * 29) % 101 for i in rows],
        "ill": [("flu", "cold", "none")[i % 3] for i in rows],
    }


# One holds so few records in a part that classes reach over many; one is a cluster of several processes.
ENGINES = {"local": Local, "parts": lambda: PartsEngine(Memory(), 5), "disk": Tiny, "spark": cluster}


def everywhere(names, few=()):
    """Give every engine with every name; the cluster, which takes seconds for each, at first with few of them."""
    return [
        pytest.param(kind, name, marks=pytest.mark.large if kind == "spark" and name not in few else ())
        for kind in ENGINES
        for name in names
    ]


# Every engine; what these find on the cluster is compared with what they find here for tables that were changed.
ON_EVERY_ENGINE = pytest.mark.parametrize(
    "kind", [pytest.param(kind, marks=pytest.mark.large if kind == "spark" else ()) for kind in ENGINES]
)


@cache
def engine_of(kind):
    return ENGINES[kind]()


def read_by(kind):
    frame, roles = pl.DataFrame(mixed()), {"quasi": list(KINDS), "sensitive": ["charge", "ill"]}
    return shoal.read(frame, engine=engine_of(kind), orders={"stage": ORDER}, **roles)


def model_of(name):
    """Make a model; of its population the table itself is a table."""
    beside = {"population": table_of("local")} if "population" in LEVELS[name] else {}
    return build("models", {"name": name} | LEVELS[name] | beside)


@cache
def table_of(kind):
    """Give the table as an engine holds it, read once for all tests."""
    return read_by(kind)


@pytest.fixture
def table(kind):
    return table_of(kind)


def models_for(method):
    """Give the models that a method enforces."""
    return [model_of(name) for name in method.enforces]


def method_of(name):
    return build("methods", {"name": name} | WAYS.get(name, {}))


def masked(table, name):
    """Mask a table; methods that change values at random draw a seed for themselves unless a test gives them one."""
    method = method_of(name)
    known, seed = table.schema.of(*RELEASED), 5 if name in DRAWING else None
    return shoal.anonymize(table, method, models_for(method), no_promise=True, allow_identifiers=known, seed=seed)


@cache
def release_of(kind, name):
    """Give the release that a method makes, made once for all tests."""
    return masked(table_of(kind), name)


def test_the_shelves_hold_what_the_paper_needs():
    assert set(METHODS) >= {"sorted-clusters", "coarsen", "stratified-clusters"}
    assert set(MODELS) >= {"k-anonymity", "t-closeness"}
    assert set(MEASURES) >= {
        "uniqueness", "random-reidentification", "information-loss", "attribute-disclosure", "class-sizes",
    }  # fmt: skip


@pytest.mark.parametrize("entry", ALL.values(), ids=ALL)
def test_every_entry_is_a_frozen_value_under_its_own_name(entry):
    assert dataclasses.is_dataclass(entry)
    assert entry.__dataclass_params__.frozen
    assert entry in [entries(shelf).get(entry.name) for shelf in SHELVES]
    assert entry.name == entry.name.lower().replace("_", "-").replace(" ", "-")


@pytest.mark.parametrize("entry", ALL.values(), ids=ALL)
def test_every_entry_says_in_one_line_what_it_is_and_cites_its_source(entry):
    text = inspect.getdoc(entry)
    assert text.splitlines()[0].endswith(".")
    assert not text.startswith(f"{entry.__name__}(")
    assert "References" in text
    assert "doi:10." in text


@pytest.mark.parametrize("entry", ALL.values(), ids=ALL)
def test_every_parameter_is_documented(entry):
    text = inspect.getdoc(entry)
    for field in dataclasses.fields(entry):
        assert f"\n{field.name}\n" in text, field.name


@pytest.mark.parametrize("name", METHODS)
def test_methods_are_made_without_arguments(name):
    method = METHODS[name]()
    assert method == METHODS[name]()
    assert build("methods", {"name": name}) == method
    assert set(method.enforces) <= set(MODELS)


@pytest.mark.parametrize("name", MODELS)
def test_models_have_no_level_that_nobody_chose(name):
    with pytest.raises(TypeError):
        MODELS[name]()
    with pytest.raises(ParameterError, match="needs"):
        build("models", {"name": name})
    required = [f for f in dataclasses.fields(MODELS[name]) if f.default is f.default_factory is dataclasses.MISSING]
    assert required


@pytest.mark.parametrize(("shelf", "name"), [(shelf, name) for shelf in SHELVES for name in entries(shelf)])
def test_describing_and_building_are_inverse(shelf, name):
    given = {"name": name} | LEVELS.get(name, {}) | ASKED.get(name, {})
    value = build(shelf, given)
    assert describe(value).items() >= given.items()
    assert build(shelf, describe(value)) == value
    assert describe(build(shelf, describe(value))) == describe(value)


@pytest.mark.parametrize(("shelf", "name"), [(shelf, name) for shelf in SHELVES for name in entries(shelf)])
def test_an_unknown_parameter_is_refused(shelf, name):
    with pytest.raises(ParameterError, match="no parameter 'colour'"):
        build(shelf, {"name": name, "colour": 1} | LEVELS.get(name, {}))


@pytest.mark.parametrize(("kind", "name"), everywhere(METHODS, SHAPES))
def test_the_result_of_a_method_covers_every_record_in_its_place(kind, name, tmp_path):
    release_of(kind, name).write(tmp_path / "out.csv", row_order="input")
    released, original = columns_of(tmp_path / "out.csv"), mixed()
    assert list(released) == list(original)
    changed = method_of(name).changed(table_of(kind)) if name in DRAWING else ()
    for column, form in KINDS.items():
        if column in changed:  # other values, but none where there was none, and as many
            gone = [text == "" for text in released[column]], [value is None for value in original[column]]
            assert gone[0] == gone[1] or name in MOVING
            continue
        for text, value in zip(released[column], original[column], strict=True):
            assert covers(text, value, form, ORDER), (column, text)
    assert "charge" in changed or released["charge"] == [str(value) for value in original["charge"]]
    assert "ill" in changed or released["ill"] == original["ill"]


@pytest.mark.parametrize(("kind", "name"), everywhere(METHODS))
def test_what_a_method_enforces_holds_and_is_proved_from_the_file(kind, name, tmp_path):
    release = release_of(kind, name)
    assert release.holds == bool(METHODS[name].enforces)
    assert not release.broken
    assert {verdict.model.name for verdict in release.verdicts} == set(METHODS[name].enforces)
    release.write(tmp_path / "out.csv", overwrite=True)
    shoal.verify(tmp_path / "out.csv", tmp_path / "out.certificate.json")
    release.write(tmp_path / "out.parquet", overwrite=True)
    shoal.verify(tmp_path / "out.parquet", tmp_path / "out.certificate.json")


@pytest.mark.parametrize(("kind", "name"), everywhere(METHODS))  # all are compared with the local engine's below
def test_the_same_input_gives_the_same_bytes(kind, name, tmp_path):
    for number, release in enumerate([release_of(kind, name), masked(read_by(kind), name)]):
        release.write(tmp_path / f"{number}.csv", certificate=tmp_path / f"{number}.json", overwrite=True)
        release.write(tmp_path / f"{number}.parquet", certificate=tmp_path / f"{number}.pq.json", overwrite=True)
    for suffix in ("csv", "parquet"):
        assert len({(tmp_path / f"{number}.{suffix}").read_bytes() for number in range(2)}) == 1
    papers = [json.loads((tmp_path / f"{number}.json").read_text(encoding="utf-8")) for number in range(2)]
    for paper in papers:  # but for the name, and for what is drawn anew for every release
        assert paper["output"].pop("name")
        assert paper["input"].pop("commitment")
        assert paper.pop("digest")
    assert papers[0] == papers[1]


@pytest.mark.parametrize("name", DRAWING)
def test_what_is_drawn_is_drawn_anew_and_never_told(name, tmp_path):
    method = method_of(name)
    tables = set()
    for number in range(8):  # few rows may be drawn alike once or twice, by chance
        made = shoal.anonymize(
            table_of("local"), method, no_promise=True, allow_identifiers=table_of("local").schema.of(*RELEASED)
        )
        made.write(tmp_path / f"{number}.csv", recipe=tmp_path / f"{number}.toml", row_order="input")
        tables.add((tmp_path / f"{number}.csv").read_bytes())
        assert made.recipe.seed is None
        for paper in ("certificate.json", "private.json", "toml"):
            assert "seed" not in (tmp_path / f"{number}.{paper}").read_text(encoding="utf-8")
        if len(tables) > 1:
            break
    assert len(tables) > 1
    release_of("local", name).write(tmp_path / "given.csv")  # by a seed, which is told to nobody either
    for paper in ("certificate", "private"):
        assert "seed" not in (tmp_path / f"given.{paper}.json").read_text(encoding="utf-8")


@pytest.mark.parametrize(("kind", "name"), everywhere(DRAWING, SHAPES))
def test_what_a_method_keeps_exactly_is_proved_with_the_original(kind, name, tmp_path):
    release_of(kind, name).write(tmp_path / "out.csv")
    paper = json.loads((tmp_path / "out.certificate.json").read_text(encoding="utf-8"))
    (step,) = paper["preserved"]
    assert step["method"] == name
    assert set(step["changes"]) == set(method_of(name).changed(table_of(kind)))
    proof = shoal.verify(
        tmp_path / "out.csv", private=tmp_path / "out.private.json", original=pl.DataFrame(mixed()),
        engine=engine_of(kind),
    )  # fmt: skip
    shown = [line for line in proof.by_original if line.startswith("Kept as in the original")]
    assert len(shown) == len(step["exactly"])
    alone = shoal.verify(tmp_path / "out.csv")
    assert sum("are those of the original" in line for line in alone.not_proved) == len(shown)
    assert sum("in expectation" in line for line in alone.not_proved) == len(step["in_expectation"])


@pytest.mark.parametrize(("kind", "name"), everywhere(METHODS, SHAPES))
def test_a_method_leaves_its_table_as_it_was(kind, name):
    release_of(kind, name)
    assert table_of(kind).to_arrow().equals(table_of("local").to_arrow())


@pytest.mark.parametrize(("kind", "name"), everywhere(METHODS, SHAPES))
def test_a_method_says_what_it_did_in_a_sentence_without_cells(kind, name):
    (sentence,) = release_of(kind, name).steps
    assert sentence[0].isupper()
    assert sentence.endswith(".")
    assert "White" not in sentence


@pytest.mark.parametrize(("kind", "name"), everywhere(METHODS, SHAPES[:1]))
def test_a_method_never_certifies_itself(table, name, monkeypatch):
    """A method that does nothing gets a failed verdict, never a wrong certificate."""
    monkeypatch.setattr(METHODS[name], "apply", lambda self, table, models, seed: table)
    release = shoal.anonymize(table, method_of(name), [shoal.models.KAnonymity(3)])
    assert not release.holds
    with pytest.raises(shoal.errors.GuaranteeError):
        release.to_native()


@pytest.mark.parametrize(("kind", "name"), everywhere(MODELS))
def test_a_model_is_measured_with_a_level_a_sentence_and_a_convention(kind, name):
    model = model_of(name)
    for released in (table_of(kind), release_of(kind, "stratified-clusters").table):
        (verdict,) = shoal.models.check(released, [model])
        assert math.isfinite(verdict.level)
        assert verdict.holds == (verdict.failing == 0)
        assert 0 <= verdict.failing <= verdict.classes
        assert verdict.sentence.endswith(".")
        assert verdict.convention
    assert verdict.holds or name in (
        "safe-harbor",
        "rounded-ends",
        "m-invariance",
    )  # ranges of days are finer than a year


@pytest.mark.parametrize(("kind", "name"), everywhere(MEASURES))
def test_a_measure_states_its_direction_and_range_and_stays_in_it(kind, name):
    measure = build("measures", {"name": name} | ASKED.get(name, {}))
    assert measure.direction in ("lower is safer", "lower is more useful", "describes")
    low, high = measure.range
    assert low < high
    assert sum(isinstance(measure, kind) for kind in (ClassMeasure, PairMeasure, TableMeasure)) == 1
    for method in METHODS if kind == "local" else SHAPES:
        (found,) = shoal.score(table_of(kind), release_of(kind, method).table, measures=[measure])
        assert found.measure == name
        assert low <= found.lower <= found.value <= found.upper <= high
        assert found.detail


@pytest.mark.parametrize(
    ("kind", "name"), everywhere(name for name, each in MEASURES.items() if hasattr(each, "known"))
)
def test_a_measure_of_risk_can_be_asked_for_any_set_of_known_attributes(table, name):
    given = {"name": name} | ASKED.get(name, {})
    tables = (table, table) if isinstance(build("measures", given), PairMeasure) else (table,)
    values = [
        shoal.score(*tables, measures=[build("measures", given | {"known": known})])[0].value
        for known in ([*KINDS], ["race"], ["stage", "race"])
    ]
    assert shoal.score(*tables, measures=[build("measures", given)])[0].value == values[0]
    with pytest.raises(SchemaError):
        shoal.score(*tables, measures=[build("measures", given | {"known": ["charge"]})])


@ON_EVERY_ENGINE
def test_measures_that_lose_nothing_on_an_untouched_table_say_so(table):
    for name, entry in MEASURES.items():
        measure = build("measures", {"name": name} | ASKED.get(name, {}))
        if isinstance(measure, PairMeasure) and entry.direction != "lower is safer":
            (loss,) = shoal.score(table, table, measures=[measure])
            assert loss.value == 0, name
            assert entry.direction == "lower is more useful"


@ON_EVERY_ENGINE
def test_measures_of_risk_that_compare_two_tables_find_people_in_an_untouched_one(table):
    for name, entry in MEASURES.items():
        measure = build("measures", {"name": name} | ASKED.get(name, {}))
        if isinstance(measure, PairMeasure) and entry.direction == "lower is safer":
            (risk,) = shoal.score(table, table, measures=[measure])
            nothing = "nothing_to_measure" in risk.detail  # beside people who were held out, of whom there are none
            assert risk.value == (0 if nothing else 1), name  # in which no two records are equal
            assert nothing is (name == "closest-record")


@pytest.mark.parametrize(("kind", "name"), everywhere(METHODS, SHAPES))
def test_a_release_does_not_depend_on_how_the_table_is_held(kind, name, tmp_path):
    one, other = release_of("local", name), release_of(kind, name)
    for suffix in ("csv", "parquet"):
        paths = [tmp_path / f"{number}.{suffix}" for number in range(2)]
        for release, path in zip((one, other), paths, strict=True):
            release.write(path, overwrite=True)
        assert paths[0].read_bytes() == paths[1].read_bytes()
    assert [s.value for s in other.scores] == pytest.approx([s.value for s in one.scores], rel=1e-12)
    assert [v.level for v in other.verdicts] == [v.level for v in one.verdicts]
    other.write(tmp_path / "out.csv")
    for engine in {"local", kind if kind != "spark" or name in SHAPES else "local"}:
        shoal.verify(tmp_path / "out.csv", tmp_path / "out.certificate.json", engine=engine_of(engine))


@cache
def held(kind, method):
    """Give a table and a release of it as an engine holds them."""
    tables = table_of("local"), release_of("local", method).table
    return tables if kind == "local" else tuple(engine_of(kind).from_local(table) for table in tables)


ELSEWHERE = [
    pytest.param(kind, method, marks=pytest.mark.large if kind == "spark" and method != "hilbert" else ())
    for kind in ENGINES
    for method in SHAPES
    if kind != "local"
]


@pytest.mark.parametrize("name", MEASURES)
@pytest.mark.parametrize(("kind", "method"), ELSEWHERE)
def test_a_measure_does_not_depend_on_how_the_tables_are_held(kind, name, method):
    measure = build("measures", {"name": name} | ASKED.get(name, {}))
    (one,), (other,) = (
        shoal.score(original, released, measures=[measure])
        for original, released in (held("local", method), held(kind, method))
    )
    assert (other.value, other.lower, other.upper) == pytest.approx((one.value, one.lower, one.upper), rel=1e-12)


@pytest.mark.parametrize("name", MODELS)
@pytest.mark.parametrize(("kind", "method"), ELSEWHERE)
def test_a_verdict_does_not_depend_on_how_the_table_is_held(kind, name, method):
    model = model_of(name)
    assert shoal.models.check(held(kind, method)[1], [model]) == shoal.models.check(held("local", method)[1], [model])
