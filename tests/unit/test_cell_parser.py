"""What cell texts mean, kind by kind."""

import datetime

import pytest

from shoal.domains.cell_parser import Odd, Reading, Texts, interpret, parse
from shoal.errors import DataError
from shoal.kernels import MISSING, TOP


def spans(texts, **reading):
    found = parse(texts, Reading(**reading))
    return found.axis, list(zip(found.lo.tolist(), found.hi.tolist(), strict=True))


def rendered(texts, **reading):
    axis, cells = spans(texts, **reading)
    return [axis.render(cell) for cell in cells]


def test_whole_numbers_are_their_own_positions():
    axis, cells = spans(["35", "[20;29]", "*", ""])
    assert axis.kind == "integer"
    assert axis.values is None
    assert cells == [(35, 35), (20, 29), (MISSING, TOP), (MISSING, MISSING)]


def test_a_prefix_of_a_number_is_the_range_of_all_numbers_that_begin_so():
    axis, cells = spans(["93701", "937**", "9****"])
    assert cells == [(93701, 93701), (93700, 93799), (90000, 99999)]
    assert axis.render(cells[1]) == "[93700;93799]"


def test_any_number_of_stars_is_the_wildcard():
    _, cells = spans(["5", "*", "***", "*****"])
    assert cells[1:] == [(MISSING, TOP)] * 3


def test_signs_and_blanks_around_a_number_mean_nothing():
    _, cells = spans(["+5", " 5 ", "[ -1 ; +3 ]"])
    assert cells == [(5, 5), (5, 5), (-1, 3)]


def test_numbers_beyond_32_bits_are_listed():
    axis, cells = spans(["3000000000", "-5", "[-5;3000000000]"])
    assert axis.values.tolist() == [-5, 3_000_000_000]
    assert cells == [(1, 1), (0, 0), (0, 1)]
    assert axis.value(1) == 3_000_000_000


@pytest.mark.parametrize("largest", [2**31 - 2, -(2**31) + 2])
def test_the_ends_of_the_32_bit_range_that_are_not_reserved_are_plain(largest):
    axis, cells = spans([str(largest), "0"])
    assert axis.values is None
    assert cells[0] == (largest, largest)


@pytest.mark.parametrize("reserved", [2**31 - 1, -(2**31) + 1, -(2**31), 2**31])
def test_reserved_positions_are_never_mistaken_for_values(reserved):
    axis, cells = spans([str(reserved), "0", "*", ""])
    assert axis.value(cells[0][0]) == reserved
    assert cells[2:] == [(MISSING, TOP), (MISSING, MISSING)]


def test_floats_are_written_so_that_they_read_back_exactly():
    texts = ["0.1", "1e-300", "-2.5", "12345678.00000001"]
    axis, cells = spans(texts)
    assert axis.kind == "float"
    assert [axis.value(lo) for lo, _ in cells] == [float(text) for text in texts]
    assert [float(axis.render(cell)) for cell in cells] == [float(text) for text in texts]


def test_minus_zero_is_zero():
    axis, cells = spans(["-0.0", "0.0", "0.5"])
    assert cells[0] == cells[1]
    assert axis.render(cells[0]) == "0.0"


def test_a_decimal_comma_is_found_where_all_cells_are_numbers():
    axis, cells = spans(["1,5", "2", "[1,5;2,25]"])
    assert axis.kind == "float"
    assert axis.values.tolist() == [1.5, 2.0, 2.25]
    assert cells == [(0, 0), (1, 1), (0, 2)]


def test_a_comma_in_text_is_not_a_decimal():
    assert spans(["1,5", "a"], kind="category")[0].values.tolist() == ["1,5", "a"]


def test_dates_and_times():
    axis, cells = spans(["1970-01-02", "[1969-12-31;1970-01-03]"])
    assert axis.kind == "date"
    assert cells == [(1, 1), (-1, 2)]
    assert axis.value(1) == datetime.date(1970, 1, 2)
    axis, cells = spans(["1970-01-01 00:00:01", "1970-01-01T00:00", "1970-01-01 00:00:00.000001"])
    assert axis.kind == "datetime"
    assert axis.values.tolist() == [0, 1, 1_000_000]
    assert rendered(["2020-02-29 23:59:59.999999"]) == ["2020-02-29 23:59:59.999999"]


@pytest.mark.parametrize("text", ["2021-02-29", "2020-13-01", "2020-00-10"])
def test_a_day_that_is_not_in_the_calendar_is_refused_without_showing_it(text):
    with pytest.raises(DataError, match="line 3") as error:
        parse(["2020-01-01", text], Reading(kind="date"), "born")
    assert text not in str(error.value)
    assert "'born'" in error.value.what


def test_ordered_categories_have_their_declared_places():
    order = ("low", "middle", "high")
    axis, cells = spans(["high", "[low;middle]", "*", ""], order=order)
    assert axis.kind == "ordered"
    assert cells == [(2, 2), (0, 1), (MISSING, TOP), (MISSING, MISSING)]
    assert rendered(["high", "[low;middle]", "*", ""], order=order) == ["high", "[low;middle]", "*", ""]


@pytest.mark.parametrize("text", ["huge", "[high;low]", "lo*", "{low;high}"])
def test_what_is_not_in_the_order_is_refused_without_showing_it(text):
    with pytest.raises(DataError, match=r"line 3") as error:
        parse(["low", text], Reading(order=("low", "high")))
    assert "huge" not in str(error.value)


def test_an_ordered_kind_without_an_order_is_refused():
    with pytest.raises(DataError, match="no order is given"):
        parse(["low"], Reading(kind="ordered"))


@pytest.mark.parametrize("order", [("a;b", "c"), ("{a}", "b"), ("x*", "y"), ("\\p", "q"), ("[1;2]", "3")])
def test_ordered_categories_with_signs_of_the_grammar_read_back(order):
    axis, cells = spans(list(order), order=order)
    hull = (cells[0][0], cells[1][1])
    texts = [
        axis.render(hull),
        axis.render(hull, ranged=True),
        axis.render(cells[0], ranged=True),
        axis.render(cells[0]),
    ]
    assert spans(texts, order=order)[1] == [hull, hull, cells[0], cells[0]]


@pytest.mark.parametrize("decimal", [None, ","])
def test_a_decimal_comma_does_not_change_ordered_categories(decimal):
    order = ("0,5", "1,5")
    assert spans(["1,5", "[0,5;1,5]"], order=order, decimal=decimal)[1] == [(1, 1), (0, 1)]


def test_a_decimal_comma_does_not_change_sets_of_categories():
    axis, cells = spans(["{a,b;c}", "c"], kind="category", decimal=",")
    assert axis.values.tolist() == ["a,b", "c"]
    assert axis.members(cells[0][0]) == (0, 1)


def test_categories_are_sorted_and_sets_lie_behind_them():
    axis, cells = spans(["White", "{Black;White}", "Black", "{White;Black}", "*", ""])
    assert axis.kind == "category"
    assert axis.values.tolist() == ["Black", "White"]
    assert cells == [(1, 1), (2, 2), (0, 0), (2, 2), (MISSING, TOP), (MISSING, MISSING)]
    assert axis.members(2) == (0, 1)


def test_a_set_of_one_is_that_category():
    axis, cells = spans(["{Black}", "Black"], kind="category")
    assert cells == [(0, 0), (0, 0)]
    assert axis.groups == ()


@pytest.mark.parametrize(
    "name",
    ["a;b", "{a", "a}", "{a;b}", "[1;2]", "[", "*", "**", "a*", "*a", "\\", "\\\\", "\\*", 'say "no"', "a,b", "a|b\tc",
     "two\nlines", "{", "{}", "}", "é€", "a\\", "\\;}"],
)  # fmt: skip
def test_odd_category_names_read_back_alone_and_in_a_set(name):
    axis, places = parse(["\\" + name, "plain"], Reading(kind="category")).axis.with_groups([(0, 1)])
    values = axis.values.tolist()
    assert set(values) == {name, "plain"}
    texts = [axis.render((p, p)) for p in (0, 1, places[(0, 1)])]
    again = parse(texts, Reading(kind="category"))
    assert again.axis.values.tolist() == values
    assert again.lo.tolist() == again.hi.tolist() == [0, 1, 2]
    assert again.axis.members(2) == (0, 1)


def test_a_marked_category_with_a_blank_behind_the_mark_reads_back_as_itself():
    axis, cells = spans(["\\ a", "b"], kind="category")
    again, same = spans([axis.render(cell) for cell in cells], kind="category")
    assert again.values.tolist() == axis.values.tolist()
    assert same == cells


def test_blanks_around_a_category_mean_nothing():
    axis, cells = spans([" a", "a ", "a"], kind="category")
    assert axis.values.tolist() == ["a"]
    assert cells == [(0, 0)] * 3


def test_codes_with_leading_zeros_are_categories_and_say_why():
    found = parse(["02139", "94304", "021**"])
    assert found.axis.kind == "category"
    assert "leading zeros" in found.reason
    assert found.axis.render((int(found.lo[2]),) * 2) == "021**"
    assert found.axis.members(int(found.lo[2])) == (0,)


def test_declared_missing_marks_are_no_values():
    _, cells = spans(["NA", "5", "-999"], missing=frozenset({"", "NA", "-999"}))
    assert cells == [(MISSING, MISSING), (5, 5), (MISSING, MISSING)]


@pytest.mark.parametrize(
    ("texts", "kind", "reason"),
    [
        (["1", "-2"], "integer", "whole numbers"),
        (["1", "2.5"], "float", "decimals"),
        (["2020-01-01"], "date", "ISO dates"),
        (["2020-01-01", "2020-01-01 10:00"], "datetime", "times"),
        (["a", "b"], "category", "text"),
        (["", "*"], "category", "no cell has a value"),
        (["1", "a", "b"], "category", "text"),
    ],
)
def test_kinds_are_found_and_the_reason_is_given(texts, kind, reason):
    found = parse(texts)
    assert found.axis.kind == kind
    assert reason in found.reason


@pytest.mark.parametrize(
    ("odd", "counts", "found"),
    [
        (["secret"], [1], Odd(1, 4, ())),
        (["?", "N/A"], [900, 5], Odd(905, 4, ("?", "N/A"))),  # marks, however many
        ([f"V{i}" for i in range(10)], [1] * 10, Odd(10, 4, ())),  # 10 of 1,010 cells
        ([f"V{i}" for i in range(10)], [2] * 10, None),  # codes, some of which look like numbers
        (["unk"], [400], Odd(400, 4, ())),  # one text, again and again
        (["some", "words"], [600, 600], None),
    ],
)
def test_text_among_numbers_is_noticed_unless_all_are_codes(odd, counts, found):
    texts = Texts("age", ["34", "35", *odd], [500, 500, *counts], [2, 3, *range(4, 4 + len(odd))])
    read = interpret(texts, Reading())
    assert (read.axis.kind, read.odd) == ("category", found)


@pytest.mark.parametrize(
    ("texts", "kind", "words"),
    [
        (["1", "inf"], "float", "infinite"),
        (["-Infinity"], None, "infinite"),
        (["9223372036854775808"], None, "beyond 64 bits"),
        (["[5;4]"], None, "lower end is above"),
        (["{1;2}"], "integer", "sets of categories"),
        (["x"], "integer", "not of kind integer"),
        (["1.5"], "integer", "not of kind integer"),
        (["2020-01-01 25:00"], "datetime", "not of kind datetime"),
    ],
)
def test_cells_that_lie_on_no_axis_are_refused(texts, kind, words):
    with pytest.raises(DataError, match=words) as error:
        parse(texts, Reading(kind=kind))
    assert error.value.exit_code == 3
    assert error.value.remedy


def test_a_range_with_an_end_that_is_no_number_is_named_by_its_line():
    assert parse(["[1;2]", "[3;x]", "5"]).odd == Odd(1, 3, ())
