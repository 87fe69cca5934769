"""Questions: what they may say, what is said of wrong ones, and by how much one person changes an answer."""

from fractions import Fraction

import pytest

from shoal.errors import ParameterError, SchemaError
from shoal.private.accounting import Price
from shoal.private.declarations import Bounds, Declarations, DeclaredColumn
from shoal.private.grammar import Query
from shoal.private.queries import planned

DECLARED = Declarations(
    {
        "age": DeclaredColumn("float", edges=("0", "18", "65", "120")),
        "charge": DeclaredColumn("float", Bounds.parse("0..100000")),
        "sex": DeclaredColumn("category", categories=("female", "male")),
        "county": DeclaredColumn("category"),
        "day": DeclaredColumn("date"),
        "length of stay": DeclaredColumn("float", Bounds.parse("-5..30")),
    },
    "id",
    5,
)
RHO = Price.of(rho="1/18")


def plan(text, declared=DECLARED, price=RHO):
    return planned(Query.parse(text), declared, price)


def sensitivities(text, declared=DECLARED):
    return {each.what: each.noise.sensitivity for each in plan(text, declared).counted}


def test_questions_are_read():
    query = Query.parse('count by sex(female, "non, binary"), county where age >= 65 and county = "by the sea"')
    assert [(each.column, each.categories) for each in query.by] == [
        ("sex", ("female", "non, binary")),
        ("county", None),
    ]
    assert [part.value for part in query.where.parts] == ["65", "by the sea"]
    assert Query.parse('mean "length of stay" in 0..30 step 0.5').column == "length of stay"
    assert Query.parse("quantile 0.9 of charge over 0..10 step 5").values == ("0", "5", "10")
    assert Query.parse("median charge over 1, 2, 5").fraction == (1, 2)
    assert Query.parse("COUNT WHERE age > 3 BY sex").kind == "count"


@pytest.mark.parametrize(
    "text",
    [
        "", "  ", "cont", "count age", "sum", "sum charge charge", "count by", "count by sex county", "count by sex,",
        "count by sex, sex", "count where", "count where age", "count where age > 1 where age < 5", "count in 0..5",
        "mean charge in 5..0", "mean charge in 0..nan", "mean charge in 0..5 step 0", "mean charge over 0..5 step 1",
        "quantile 2 of charge over 1,2", "quantile of charge over 1,2", "median charge over 2,1",
        "median charge over 0..1 step 0.3", "count by sex(", "count where sex = 'female", "count\nby sex",
        "sum charge in 5", "median charge in 1,2",
        "histogram age in 1", "median charge over nan,1", "quantile 1/7919 of charge over 1,2", None, 5,
    ],
)  # fmt: skip
def test_what_is_no_question_is_refused_with_what_to_write(text):
    with pytest.raises(ParameterError) as refused:
        plan(text)
    assert refused.value.remedy


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("count by county", "--categories county"),
        ("count by charge", "--groups charge"),
        ("median age", "over 0..100"),
        ("mean age", "in 0..100000"),
        ("mean sex in 0..1", "numbers"),
        ("median sex over 1,2", "counts"),
        ("count where sex > 3", "="),
        ("count where age = old", "condition"),
        ("count by aeg", "Did you mean 'age'"),
        ("count by id", "other columns"),
        ("histogramm age", "Did you mean 'histogram'"),
    ],
)
def test_errors_say_what_to_do(text, said):
    with pytest.raises((ParameterError, SchemaError), match="(?s).*" + said.replace("(", "\\(")):
        plan(text)


def test_one_person_changes_no_more_than_the_table_of_the_specification_says():
    one = Declarations(DECLARED.columns)
    assert sensitivities("count", one) == {"rows": 1}
    assert sensitivities("sum charge in -3..7 step 0.5", one) == {"steps": 14}
    assert sensitivities("mean charge in 0..100000 step 1", one) == {"steps": 50_000, "rows": 1}
    assert sensitivities("histogram sex", one) == {"rows": 1}
    assert sensitivities("median charge over 1,2", one) == {"scores": 1}
    assert sensitivities("quantile 1/4 of charge over 1,2", one) == {"scores": 3}
    assert sensitivities("quantile 9/10 of charge over 1,2", one) == {"scores": 9}


def test_with_c_rows_everything_is_c_times_as_much():
    assert sensitivities("count by sex") == {"rows": 5}
    assert sensitivities("mean charge") == {"steps": 250_000, "rows": 5}
    assert sensitivities("quantile 3/4 of charge over 1,2 by sex") == {"scores": 15}


def test_bounds_that_are_one_value_need_no_noise():
    assert sensitivities("mean charge in 5..5") == {"steps": 0, "rows": 5}
    assert plan("mean charge in 5..5").counted[0].noise.rho == 0


def test_disjoint_groups_cost_as_much_as_one():
    alone, many = plan("count"), plan("count by sex, age, county(a, b, c)")
    assert alone.rho == many.rho == Fraction(1, 18)
    assert alone.counted == many.counted
    assert many.cells == 3 * 4 * 4


def test_the_parts_of_a_mean_cost_what_the_mean_costs():
    for price in (RHO, Price.of(epsilon="0.1")):
        found = plan("mean charge", price=price)
        assert sum(each.noise.rho for each in found.counted) <= found.rho
    assert plan("mean charge", price=Price.of(epsilon="0.1")).rho == Fraction(1, 400)


def test_other_is_always_there_and_only_once():
    assert plan("count by sex").groups[0].labels == ("female", "male", "other")
    assert plan("count by sex(other, male)").groups[0].labels == ("male", "other")
    empty = Declarations({"sex": DeclaredColumn("category", categories=())})
    assert plan("count by sex", empty).groups[0].labels == ("other",)


def test_answers_of_too_many_cells_are_refused():
    with pytest.raises(ParameterError, match="cells"):
        plan(
            "count by county(" + ",".join(map(str, range(2000))) + "), sex, age(" + ",".join(map(str, range(500))) + ")"
        )


def test_a_step_so_fine_that_sums_do_not_fit_is_refused():
    with pytest.raises(ParameterError, match="too fine"):
        plan("sum charge in 0..1e9 step 1e-9")


def test_what_counts_as_what_is_said_whether_it_happens_or_not():
    said = " ".join(plan("mean charge by sex").notes)
    for part in ("at most 5 rows", "0..100000", "other", "missing"):
        assert part in said
    assert "Every row counts as a person" in plan("count", Declarations(DECLARED.columns)).notes[0]


def test_without_people_every_row_is_one():
    with pytest.raises(ParameterError, match="--subject"):
        Declarations(DECLARED.columns, None, 5)
    for count in (0, -1, True, 1.5):
        with pytest.raises(ParameterError):
            Declarations(DECLARED.columns, "id", count)
