"""Whatever a table is like, no command crashes: it releases cells that cover their values, or says why it does not."""

import json
import os
import random
import time
import warnings
from dataclasses import fields
from itertools import count, takewhile

import pytest
from clusters import cluster
from engines.pools import Memory
from engines.tiny import Tiny
from property.degenerate import covered, drawn, within
from property.independent import columns_of, sizes
from shelves import unlinked

import shoal
from shoal.catalogue import build, look_up
from shoal.engines.local import Local
from shoal.engines.parts.engine import PartsEngine
from shoal.errors import InternalError, ShoalError
from shoal.methods.perturbation.preserved import draws
from shoal.report.release_report import release_report

# How many tables are drawn: for longer runs, and fewer where each is slow.
TABLES = int(os.environ.get("SHOAL_DEGENERATE", "200"))
MODELS = {"t-closeness": {"t": 0.5}, "l-diversity": {"l": 2}, "alpha-k": {"alpha": 0.7}}
METHODS = list(unlinked("methods"))
MEASURES = [name for name in unlinked("measures") if name != "accuracy-loss"]  # that takes longer than all the rest


def methods_for(draw, table):
    """Draw a way to mask a table, with parameters."""
    name = draw.choice(METHODS)
    column = draw.choice(list(table.kinds))
    if name == "coarsen":
        given = {"resolution": draw.choice([1, 2, 3]), "by": draw.choice(["distinct", "width"])}
    elif name in ("mask-uniques", "regenerate"):
        given = {"order": tuple(f"{column} -> {level}" for level in draw.choice([["*"], ["prefix 1", "*"]]))}
        masking = build("methods", {"name": "mask-uniques"} | given)
        return [masking, build("methods", {"name": name})] if name == "regenerate" else [masking]
    elif name == "full-domain":
        given = {
            "limit": draw.choice([0, 0.3, 1]),
            "utility": draw.choice(["loss", "entropy", "discernibility", "ambiguity"]),
        }
    elif name == "layers":
        given = {"least_share": draw.choice([0.01, 0.5])}
    elif not any(each.name == "publish" for each in fields(look_up("methods", name))) or name == "code-extremes":
        given = {}
    else:
        given = {"publish": draw.choice(["range", "mean", "median", "mode"])}
        given |= {"k": draw.choice([2, 3])} if name == "optimal-univariate" else {}
        given |= {"objective": draw.choice(["loss", "certainty"])} if name == "hilbert" else {}
    return [build("methods", {"name": name} | given)]


def models_for(draw, method, rows):
    """Draw promises: those that a method enforces, at levels that may be out of reach."""
    if not method.enforces:
        return []
    names = [name for name in MODELS if name in method.enforces and draw.random() < 0.4]
    if method.name in ("stratified-clusters", "merge-clusters", "k-anonymity-first", "t-closeness-first"):
        names = sorted({*names, "t-closeness"})
    wanted = [build("models", {"name": name, "column": "s"} | MODELS[name]) for name in names]
    return [build("models", {"name": "k-anonymity", "k": min(draw.choice([2, 2, 3]), max(rows, 2))}), *wanted]


def measures_for(table, names):
    """Give measures, and one more of another parameter."""
    asked = {"attribute-disclosure": {"where": table.condition}, "accuracy-loss": {"target": "s"}}
    found = [build("measures", {"name": name} | asked.get(name, {})) for name in names]
    return [*found, build("measures", {"name": "uniqueness", "matching": "fit", "effort": 100_000})]


def released(engine, path, table, asked):
    """Release a table and give the texts that are published, or the sentence that says why there are none."""
    methods, models, measures = asked
    try:
        original = shoal.read(path, engine=engine, **table.options)
        drawn = {"seed": 7} if draws(methods) else {}  # so that all engines draw the same
        release = shoal.anonymize(original, methods, models, measures=measures, no_promise=True, **drawn)
        names = {measure.name: measure for measure in measures}
        for score in release.scores:
            json.dumps([score.value, score.lower, score.upper, score.detail], allow_nan=False)
            low, high = names[score.measure].range
            assert low <= score.lower <= score.value <= score.upper <= high, score.measure
        out = table.folder / "out.csv"
        release.write(out, row_order="input", overwrite=True)
    except InternalError:
        raise
    except ShoalError as error:
        return error.what
    shoal.verify(out, out.with_name("out.certificate.json"), engine=engine)
    if isinstance(engine, Local) and table.rows % 2:  # one table in two or so
        for audience in ("internal", "external"):
            release_report(release, original, audience=audience)
    release.write(out.with_suffix(".parquet"), row_order="input", overwrite=True)
    shoal.verify(out.with_suffix(".parquet"), out.with_name("out.certificate.json"), engine=engine)
    return out.read_bytes()


def run(seed, folder, engines, measures=MEASURES):
    """Draw a table and what to do with it, and do that in each engine."""
    draw = random.Random(seed)
    table = drawn(draw, folder)
    methods = methods_for(draw, table)
    asked = methods, models_for(draw, methods[0], table.rows), measures_for(table, measures)
    path = table.write()
    told = f"seed {seed}: {asked[:2]}, {table.columns}, {table.kinds}"
    outcomes = set()
    for engine in engines:
        try:
            with warnings.catch_warnings():
                warnings.simplefilter("error")
                outcomes.add(released(engine(), path, table, asked))
        except Exception as error:
            error.add_note(told)
            raise
    # Which values go into which cells is drawn anew for each piece of a table.
    assert len(outcomes) == 1 or methods[-1].name == "regenerate", (told, outcomes)
    outcome = outcomes.pop()
    if isinstance(outcome, bytes):
        check(table, methods[-1], asked[1][0].k if asked[1] else 1, told)
    return isinstance(outcome, bytes)


def check(table, method, k, told):
    """Compare what is published with the original, text by text."""
    found = columns_of(table.folder / "out.csv")
    assert draws([method]) or found["s"] == table.columns["s"], told
    assert min(sizes(found, list(table.kinds)).values()) >= k, told
    single = getattr(method, "publish", "range") != "range" or method.name == "regenerate" or draws([method])
    for name, kind in table.kinds.items():
        now = "float" if single and kind == "integer" else kind
        for text, original in zip(found[name], table.columns[name], strict=True):
            assert within(text, now), (told, name, text)
            assert single or covered(text, original, kind), (told, name, text, original)


@pytest.mark.parametrize("stretch", range(4))
def test_no_table_is_too_odd(stretch, tmp_path):
    done = [run(seed, tmp_path, (Local,)) for seed in range(stretch, TABLES, 4)]
    assert len(done) < 50 or 0.2 < sum(done) / len(done) < 0.9  # neither is all refused, nor nothing


ENGINES = {
    "parts": lambda size: PartsEngine(Memory(), size),
    "disk": lambda size: Tiny(rows_per_part=size),
    "spark": lambda size: cluster(),
}


@pytest.mark.slow
@pytest.mark.parametrize(("kind", "tables"), [("parts", TABLES // 15), ("disk", TABLES // 15), ("spark", 1)])
def test_no_table_is_too_odd_elsewhere(kind, tables, tmp_path):
    """And whatever holds a table, it is released alike."""
    for seed in range(TABLES, TABLES + tables):
        run(seed, tmp_path, (Local, lambda seed=seed: ENGINES[kind](seed % 4 + 1)))


@pytest.mark.large
def test_no_table_is_too_odd_in_minutes(tmp_path):
    first, end = random.SystemRandom().randrange(10**9), time.monotonic() + 300
    done = [
        run(seed, tmp_path, (Local, lambda: PartsEngine(Memory(), 2)))
        for seed in takewhile(within_time(end), count(first))
    ]
    assert any(done)


def within_time(end):
    return lambda _: time.monotonic() < end
