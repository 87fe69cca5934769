"""Tables at the edge of what can be masked or measured, worked by hand: a release or a clear refusal, never a crash."""

import json
import warnings
from pathlib import Path

import numpy as np
import polars as pl
import pytest
from engines.pools import Memory
from engines.tiny import Tiny
from property.independent import columns_of

import shoal
from shoal.catalogue import build, entries
from shoal.cli import terminal
from shoal.engines.local import Local, counted
from shoal.engines.local.exact_means import means
from shoal.engines.parts.engine import PartsEngine
from shoal.engines.sources import Source
from shoal.kernels import MISSING, TOP
from shoal.kernels.spans import loss
from shoal.report.page import rendered
from shoal.report.release_report import release_report

TREE = "a;x;*\nb;x;*\nc;y;*\n"


@pytest.fixture
def released(tmp_path):
    """Release a table given as texts, prove it from its file, and give its columns and scores."""

    def release(text, method, *measures, k=2, engine=None, **roles):
        (tmp_path / "in.csv").write_text(text, "utf-8")
        (tmp_path / "tree.csv").write_text(TREE, "utf-8")
        trees = {name: str(tmp_path / "tree.csv") for name in roles.pop("trees", ())}
        table = shoal.read(tmp_path / "in.csv", sensitive=["s"], engine=engine, hierarchies=trees, masked=True, **roles)
        found = shoal.anonymize(
            table, method, [shoal.models.KAnonymity(k)] if k else [], measures=measures, no_promise=not k
        )
        found.write(tmp_path / "out.csv", row_order="input", overwrite=True)  # so that cells can be told by their rows
        shoal.verify(tmp_path / "out.csv", tmp_path / "out.certificate.json", engine=engine)
        return columns_of(tmp_path / "out.csv"), list(found.scores)

    return release


def told(score):
    """Give the reason why there was nothing to measure."""
    assert (score.value, score.lower, score.upper) == (0.0, 0.0, 0.0)
    return score.detail["nothing_to_measure"]


@pytest.mark.parametrize("kind", ["float", "datetime"])
def test_an_attribute_without_values_adds_nothing_to_the_loss(released, kind):
    """Its limits are reserved positions, behind which there is no number to look up."""
    text = "a,b,s\n*,1,x\n,2,y\n*,3,x\n,4,y\n"
    _, (found,) = released(
        text, shoal.methods.SortedClusters(), shoal.measures.InformationLoss(), quasi=["a", "b"], kinds={"a": kind}
    )
    assert found.detail["per_attribute"]["a"] == 0
    assert found.detail["per_attribute"]["b"] > 0
    hidden = "q,p,s\n,1,x\n,2,y\n,3,x\n"
    masking = shoal.methods.MaskUniques(order=("q -> *",))
    columns, _ = released(hidden, masking, shoal.measures.InformationLoss(), k=0, quasi=["q", "p"], kinds={"q": kind})
    assert columns["q"] == ["*", "*", "*"]


def test_the_loss_kernel_does_not_look_behind_reserved_positions():
    cells = np.array([[MISSING], [MISSING]], np.int32)
    wild = np.array([[TOP], [MISSING]], np.int32)
    limits = np.array([TOP], np.int32), np.array([MISSING], np.int32)
    for deviation in (0.0, 1.0):
        sums = loss(
            cells, wild, cells, np.full_like(cells, TOP), None, np.array([deviation]), *limits,
            np.array([7.0]), np.zeros(1, np.int64),
        )  # fmt: skip
        assert sums.tolist() == [0.0, 0.0]


def test_a_hierarchy_is_coarsened_to_its_own_nodes(released):
    """Intervals of its leaves need not be nodes, and only nodes have a name."""
    text = "q,s\na,1\nb,2\nc,3\nb,6\n"
    by_two, _ = released(text, shoal.methods.Coarsen(resolution=2), k=0, quasi="q", trees=["q"])
    assert by_two["q"] == ["x", "x", "c", "x"]  # y has no other leaf than c
    by_one, _ = released(text, shoal.methods.Coarsen(resolution=1), k=0, quasi="q", trees=["q"])
    assert by_one["q"] == ["*"] * 4
    by_three, _ = released(text, shoal.methods.Coarsen(resolution=3), k=0, quasi="q", trees=["q"])
    assert by_three["q"] == ["a", "b", "c", "b"]


def test_bands_over_a_hierarchy_are_refused(released):
    with pytest.raises(shoal.errors.ParameterError, match="'q' has a hierarchy"):
        released(
            "q,s\na,1\nb,2\nc,3\n", shoal.methods.MaskUniques(order=("q -> bands a,c",)), k=0, quasi="q", trees=["q"]
        )


@pytest.mark.parametrize(
    ("text", "kind"),
    [("q,s\nc,x\na,y\nc,x\n", "category"), ("q,s\n,x\n,y\n,x\n", "datetime"), ("q,s\n,x\n,y\n", "float")],
)
def test_one_attribute_has_no_correlations(released, text, kind):
    _, (found,) = released(
        text, shoal.methods.SortedClusters(), shoal.measures.CorrelationShift(), quasi="q", kinds={"q": kind}
    )
    assert told(found) == "no two attributes vary and show values in both tables"


def test_correlations_skip_an_attribute_without_values(released):
    text = "p,q,r,s\n1,,2,x\n3,,1,y\n2,,5,x\n9,,7,y\n"
    measure = shoal.measures.CorrelationShift()
    roles = {"quasi": ["p", "q", "r"], "kinds": {"q": "float"}}
    _, (found,) = released(text, shoal.methods.SortedClusters(), measure, **roles)
    assert found.detail["before"]["p ~ q"] is None
    assert found.detail["before"]["p ~ r"] is not None
    assert "nothing_to_measure" not in found.detail


@pytest.mark.parametrize("kind", ["category", "float", "integer", "date"])
def test_nothing_can_be_asked_of_attributes_without_values(released, kind):
    text = "q,s\n,x\n,y\n"
    _, (found,) = released(
        text, shoal.methods.SortedClusters(), shoal.measures.QueryError(), quasi="q", kinds={"q": kind}
    )
    assert told(found) == "no attribute has a value"


@pytest.mark.parametrize("measure", [shoal.measures.SumOfSquares(), shoal.measures.IL1s()])
def test_one_range_beside_a_wildcard_does_not_vary(released, measure):
    _, (found,) = released("q,s\n[0;5],x\n*,y\n", shoal.methods.SortedClusters(), measure, quasi="q")
    assert told(found) == "no attribute varies"


def test_it_is_shown_that_there_was_nothing_to_measure(capsys):
    table = shoal.read(pl.DataFrame({"q": ["a", "b"]}), quasi="q")
    release = shoal.anonymize(
        table, shoal.methods.MDAV(), [shoal.models.KAnonymity(2)], measures=[shoal.measures.CorrelationShift()]
    )
    terminal.release(release, Source.parse("out.csv"), Path("out.certificate.json"), Path("out.private.json"))
    assert "correlation-shift: nothing to measure (no two attributes vary" in capsys.readouterr().out


def test_categories_have_no_order_to_compare(released):
    _, (found,) = released(
        "q,s\na,x\nb,y\n", shoal.methods.SortedClusters(), shoal.measures.KolmogorovSmirnov(), quasi="q"
    )
    assert told(found) == "no attribute has an order"


LARGE = "q,s\n[0.6;0.9],1\n1e308,2\n[-1e308;0.0],3\n0.7,4\n-1e308,5\n5e-324,6\n"


@pytest.mark.parametrize("publish", ["range", "mean", "median", "mode"])
def test_every_measure_of_the_largest_and_smallest_numbers_is_a_number(released, publish):
    """Also nothing is said to the user by a library on the way."""
    names = [name for name in entries("measures") if name not in ("accuracy-loss", "attribute-disclosure")]
    measures = [build("measures", {"name": name}) for name in names]
    measures = [measure for measure in measures if not hasattr(measure, "compared")]  # but for linked tables
    names = [measure.name for measure in measures]
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        _, scores = released(LARGE, shoal.methods.SortedClusters(publish), *measures, quasi="q")
    assert [score.measure for score in scores] == names
    json.dumps([(score.value, score.detail) for score in scores], allow_nan=False)


def test_short_and_long_stretches_are_compared_exactly(released):
    """A record in three is moved by the widest range, whatever tiny ranges lie beside it."""
    text = "q,s\n[0.25;0.5],1\n[0.25;0.5],2\n-1e308,3\n1e308,4\n"
    _, (found,) = released(text, shoal.methods.SortedClusters(), shoal.measures.TotalVariation(), quasi="q", k=4)
    assert found.value == pytest.approx(1.0, abs=1e-9)


ENGINES = {"local": Local, "parts": lambda: PartsEngine(Memory(), 3), "disk": lambda: Tiny(rows_per_part=3)}


@pytest.mark.parametrize("engine", ENGINES)
@pytest.mark.parametrize("publish", ["mean", "median"])
def test_a_mean_depends_on_nothing_but_its_class(released, engine, publish):
    """Not on larger numbers elsewhere, nor on how records are divided: equal numbers stay what they are."""
    text = "q,s\n" + "1e-300,x\n" * 3 + "0.1,x\n" * 3 + "1e308,x\n1.5e308,x\n1.7e308,x\n" + "-1.7e308,y\n" * 3
    columns, _ = released(text, shoal.methods.Mondrian(publish), k=3, quasi="q", engine=ENGINES[engine]())
    assert columns["q"][:6] == ["1e-300"] * 3 + ["0.1"] * 3
    assert columns["q"][6:9] == (["1.4e+308"] * 3 if publish == "mean" else ["1.5e+308"] * 3)
    assert columns["q"][9:] == ["-1.7e+308"] * 3


def test_means_are_rounded_once_and_stay_in_order():
    """Of a range whose ends are means, the lower is never above the upper."""
    lower = np.array([5e-324, 5e-324, 0.1, 0.7, 0.9])
    upper = np.array([5e-324, 1e308, np.nextafter(0.1, 1), 0.7, 0.9])
    first, size = np.array([0, 2]), np.array([2, 3])
    low, high = means(lower, first, size), means(upper, first, size)
    assert low[0] == 5e-324
    assert (low <= high).all()
    assert means(np.array([1.7e308] * 4), np.array([0]), np.array([4])).tolist() == [1.7e308]
    assert means(np.array([1.7e308, 1.7e308, -1.7e308, -1.7e308]), np.array([0]), np.array([4])).tolist() == [0.0]
    assert means(np.array([3, 4, 4, 2**62, 2**62 - 2]), np.array([0, 3]), np.array([3, 2])).tolist() == [4, 2**62 - 1]


def test_a_mean_of_ranges_is_a_range_that_its_own_check_accepts(released):
    text = "q,s\n[5e-324;1e308],1\n[5e-324;5e-324],2\n[-1e308;5e-324],3\n"
    columns, _ = released(text, shoal.methods.SortedClusters("mean"), k=3, quasi="q")
    low, high = columns["q"][0].strip("[]").split(";")
    assert float(low) <= float(high)


@pytest.mark.parametrize("engine", ENGINES)
def test_a_class_larger_than_a_part_is_written(released, engine):
    """Then some parts hold no class at all, and have nothing to spell."""
    text = "q,s\n" + "a,x\n" * 20
    columns, _ = released(text, shoal.methods.SortedClusters(), k=10, quasi="q", engine=ENGINES[engine]())
    assert columns["q"] == ["a"] * 20


def test_a_part_without_records_has_no_counts():
    """On a cluster a part may hold nothing."""
    assert [side.size for side in counted(np.empty(0, np.int32))] == [0, 0]


@pytest.mark.parametrize("name", ["q -> prefix 1", "q -> *"])
def test_masking_a_column_without_values(released, name):
    columns, _ = released(
        "p,q,s\n1,,x\n2,,y\n", shoal.methods.MaskUniques(order=(name,)), k=0, quasi=["p", "q"], kinds={"q": "integer"}
    )
    assert columns["q"] == (["*", "*"] if name.endswith("*") else ["", ""])


def test_prefixes_of_the_largest_numbers_cover_them(released):
    """Bands of a power of ten may end beyond what positions can say."""
    text = "p,q,s\n1,2147483646,x\n2,-2147483646,y\n"
    columns, _ = released(
        text, shoal.methods.MaskUniques(order=("q -> prefix 1",)), k=0, quasi=["p", "q"], kinds={"q": "integer"}
    )
    ends = [tuple(map(int, cell.strip("[]").split(";"))) for cell in columns["q"]]
    assert ends[0][0] <= 2147483646 <= ends[0][1]
    assert ends[1][0] <= -2147483646 <= ends[1][1]


@pytest.fixture
def few(monkeypatch):
    """Let memory hold three records, as if their numbers had two bits."""
    for module in ("memory", "factory"):
        monkeypatch.setattr(f"shoal.engines.{module}.MOST_RECORDS", 3)


@pytest.mark.parametrize("kind", ["csv", "parquet", "frame"])
def test_more_records_than_can_be_numbered_in_memory_are_refused(few, tmp_path, kind):
    """The number of a record has 32 bits there: others would be taken for it."""
    frame = pl.DataFrame({"q": [1, 2, 3, 4]})
    frame.write_csv(tmp_path / "t.csv")
    frame.write_parquet(tmp_path / "t.parquet")
    source = frame if kind == "frame" else tmp_path / f"t.{kind}"
    with pytest.raises(shoal.errors.RoomError, match="4 records, and in memory at most 3") as refused:
        shoal.read(source, quasi="q", engine=Local())
    assert "--memory" in refused.value.remedy
    assert shoal.read(frame.head(3), quasi="q", engine=Local()).rows == 3


def test_a_file_with_so_many_records_is_held_on_disk(few, tmp_path):
    frame = pl.DataFrame({"q": [1, 2, 3, 4]})
    frame.write_parquet(tmp_path / "t.parquet")
    assert shoal.read(tmp_path / "t.parquet", quasi="q", memory="2GB").engine.name == "disk"
    frame.head(3).write_parquet(tmp_path / "t.parquet")
    assert shoal.read(tmp_path / "t.parquet", quasi="q", memory="2GB").engine.name == "local"


@pytest.mark.parametrize(
    ("kind", "values"),
    [
        ("datetime", ["0001-01-01 00:00:00", "9999-12-31 23:59:59.999999"]),
        ("date", ["0001-01-01", "9999-12-31"]),
        ("float", ["-1e308", "1.7976931348623157e308", "5e-324"]),
    ],
)
def test_a_report_can_be_drawn_of_the_first_and_last_of_all_values(tmp_path, kind, values):
    (tmp_path / "in.csv").write_text("q\n" + "".join(f"{value}\n" * 6 for value in values), "utf-8")
    table = shoal.read(tmp_path / "in.csv", quasi="q", kinds={"q": kind}, masked=True)
    release = shoal.anonymize(table, shoal.methods.Hilbert(), [shoal.models.KAnonymity(2)])
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert rendered(release_report(release, table, audience="internal"), tmp_path / "report.html")
