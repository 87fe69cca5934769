"""Kernels against NumPy and brute force."""

from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp
from property.independent import ordered_distance as exact_distance
from property.independent import variation as exact_variation

from shoal.errors import InternalError
from shoal.kernels import MISSING, TOP
from shoal.kernels.bit_packing import pack, room_for, unpack, unpack_some
from shoal.kernels.closeness import ordered_distance, total_variation
from shoal.kernels.grouping import by_label, count_distinct, count_labels, label_rows, mix_rows
from shoal.kernels.moments import moments, partial_moments
from shoal.kernels.radix import count_splits, order_by_integers, order_by_lengths, put_at, runs_in
from shoal.kernels.rendering import CARRIED, SLACK, SPAN, Form, SpanTexts, TextTable, write_rows
from shoal.kernels.spans import bitsets, hulls, hulls_and_loss, lengths, loss

PLAIN = np.zeros(1), np.full(8, -1, np.int64)


def int32(rows):
    return np.array(rows, np.int32).reshape(len(rows), -1)


@given(hnp.arrays(np.int32, st.integers(0, 200), elements=st.integers(-3, 3) | st.integers(-(2**31), 2**31 - 1)))
def test_integers_are_ordered_as_numpy_s_stable_sort_orders_them(keys):
    assert order_by_integers(keys).tolist() == np.argsort(keys, kind="stable").tolist()


LENGTHS = st.one_of(
    st.sampled_from([0.0, 5e-324, 1e-310, 2.2250738585072014e-308, 1.0, np.nextafter(1.0, 2), 1.7976931348623157e308]),
    st.floats(0, 1),
    st.floats(0, allow_nan=False, allow_infinity=False),
)


@given(hnp.arrays(np.float64, st.integers(0, 120), elements=LENGTHS))
def test_lengths_are_ordered_as_numpy_s_stable_sort_orders_them(keys):
    assert order_by_lengths(keys).tolist() == np.argsort(keys, kind="stable").tolist()


@pytest.mark.parametrize("spread", [0, 1, 40, 5000])
def test_long_runs_that_agree_in_their_leading_bits_are_put_right(spread):
    draw = np.random.default_rng(spread)
    near = 1.0 + draw.integers(0, spread + 1, 3000) * 2.0**-52
    keys = np.concatenate([near, [1e300, 0.0], near[::-1]])
    assert order_by_lengths(keys).tolist() == np.argsort(keys, kind="stable").tolist()


@given(hnp.arrays(np.int32, st.tuples(st.integers(1, 40), st.integers(1, 4)), elements=st.integers(-1, 2)), st.data())
def test_rows_with_equal_cells_and_only_those_have_the_same_number(lo, data):
    hi = lo + data.draw(hnp.arrays(np.int32, lo.shape, elements=st.integers(0, 1)))
    chosen = data.draw(st.lists(st.integers(0, lo.shape[1] - 1), min_size=1, unique=True))
    labels, groups = label_rows(lo, hi, np.array(chosen, np.int64))
    rows = [tuple((lo[i, j], hi[i, j]) for j in chosen) for i in range(len(lo))]
    assert groups == len(set(rows))
    assert len(set(zip(rows, labels.tolist(), strict=True))) == groups
    assert sorted(set(labels.tolist())) == list(range(groups))


def test_equal_cells_mix_to_equal_numbers_and_others_do_not():
    lo = np.array([[1, 5], [1, 6], [2, 5], [1, 5]], np.int32)
    hi = lo + np.array([[0, 0], [0, 0], [0, 0], [1, 0]], np.int32)
    first, second, both = (mix_rows(lo, hi, np.array(columns)).tolist() for columns in ([0], [1], [0, 1]))
    assert first[0] == first[1]
    assert second[0] == second[2] == second[3]
    assert len(set(both)) == 4  # the last has another upper end


def with_the_same_mix(rows):
    """Give so many different rows of two cells that all mix to the same number: the second makes up for the first."""
    whole, odd, first = 2**64, 0x9E3779B97F4A7C15, 0x243F6A8885A308D3
    second = first * odd % whole
    cells = [(i, (-(i ^ first >> 32) * first * pow(second, -1, whole) % whole) ^ second >> 32) for i in range(rows)]
    ends = np.array(cells, np.uint64)
    return (ends >> np.uint64(32)).astype(np.uint32).view(np.int32), ends.astype(np.uint32).view(np.int32)


def test_rows_are_told_apart_though_they_mix_to_the_same_number():
    lo, hi = with_the_same_mix(300)
    columns = np.arange(2)
    assert np.unique(mix_rows(lo, hi, columns)).size == 1
    twice = np.concatenate([lo, lo]), np.concatenate([hi, hi])
    labels, groups = label_rows(*twice, columns)
    assert groups == 300
    assert labels.tolist() == [*range(300), *range(300)]


def test_many_rows_are_numbered_as_they_come():
    lo = np.repeat(np.random.default_rng(5).permutation(200_000).astype(np.int32), 2).reshape(-1, 1)
    labels, groups = label_rows(lo, lo, np.array([0], np.int64))
    assert groups == 200_000
    assert labels.tolist() == np.repeat(np.arange(200_000), 2).tolist()


@given(st.lists(st.tuples(st.integers(0, 4), st.integers(0, 5)), min_size=1, max_size=40))
def test_groups_are_counted_listed_and_their_codes_told_apart(pairs):
    labels = np.array([g for g, _ in pairs], np.int32)
    codes = np.array([c for _, c in pairs], np.int32)
    sizes = count_labels(labels, 5)
    assert sizes.tolist() == [sum(g == want for g, _ in pairs) for want in range(5)]
    weighed = count_labels(labels, 5, codes.astype(np.int64))
    assert weighed.tolist() == [sum(c for g, c in pairs if g == want) for want in range(5)]
    order, starts = by_label(labels, 5)
    assert order.tolist() == np.argsort(labels, kind="stable").tolist()
    assert starts.tolist() == [0, *np.cumsum(sizes)]
    assert count_distinct(codes[order], starts, 6).tolist() == [
        len({c for g, c in pairs if g == want}) for want in range(5)
    ]


@given(st.permutations(range(20)), st.integers(1, 25))
def test_rows_that_follow_each_other_are_one_run(order, size):
    numbers, starts = runs_in(np.array(order, np.int32), size)
    runs = max(20 // size, 1)
    assert [numbers[row] for row in order] == [min(place // size, runs - 1) for place in range(20)]
    assert starts.tolist() == [*range(0, runs * size, size), 20]


@given(st.permutations(range(20)))
def test_numbers_are_put_where_rows_say(rows):
    found = put_at(np.array(rows, np.int32), np.arange(20, dtype=np.int32))
    assert [found[row] for row in rows] == list(range(20))


@pytest.mark.parametrize("rows", [[0, 2], [-1, 0]])
def test_numbers_are_not_put_elsewhere(rows):
    with pytest.raises(InternalError):
        put_at(np.array(rows, np.int32), np.zeros(2, np.int32))


@given(
    st.lists(st.integers(0, 2**64 - 1) | st.integers(0, 9), max_size=30),
    st.sets(st.integers(0, 2**64 - 1) | st.integers(0, 9), max_size=40),
)
def test_splits_up_to_a_key_are_counted(keys, splits):
    found, alike = count_splits(np.array(keys, np.uint64), np.array(sorted(splits), np.uint64))
    assert found.tolist() == [sum(split <= key for split in splits) for key in keys]
    assert alike.tolist() == [row for row, key in enumerate(keys) if key in splits]


@given(st.lists(st.integers(0, 6), min_size=1, max_size=30), st.data())
def test_ordered_distance_is_the_earth_mover_s_distance(values, data):
    cut = data.draw(st.integers(1, len(values)))
    bins = {value: place for place, value in enumerate(sorted(set(values)))}
    column = np.array([bins[value] for value in values], np.int32)
    counts = np.bincount(column).astype(np.int64)
    starts = np.array([0, cut, len(values)] if cut < len(values) else [0, cut], np.int64)
    found = ordered_distance(column, starts, counts)
    for g in range(len(starts) - 1):
        members = column[starts[g] : starts[g + 1]].tolist()
        assert found[g] == float(exact_distance(members, column.tolist()))


@given(st.lists(st.integers(0, 6), min_size=1, max_size=30), st.data())
def test_total_variation_is_half_the_sum_of_differences(values, data):
    cut = data.draw(st.integers(1, len(values)))
    column = np.array(values, np.int32)
    starts = np.array([0, cut, len(values)] if cut < len(values) else [0, cut], np.int64)
    found = total_variation(column, starts, np.bincount(column, minlength=7).astype(np.int64))
    for g in range(len(starts) - 1):
        members = values[starts[g] : starts[g + 1]]
        assert found[g] == pytest.approx(float(exact_variation(members, values)), abs=1e-15)


def test_distances_in_tables_too_large_for_whole_numbers_are_still_right():
    counts = np.array([2 * 10**17, 10**17, 10**17], np.int64)
    found = ordered_distance(np.array([0, 0, 2, 1] * 3, np.int32), np.array([0, 12]), counts)
    assert found[0] == pytest.approx(0.0, abs=1e-15)
    found = ordered_distance(np.array([2] * 12, np.int32), np.array([0, 12]), counts)
    assert found[0] == pytest.approx(float(Fraction(2 + 3, 4) / 2))


def test_moments_of_a_column_worked_by_hand():
    cells = int32([[1, 10], [2, 10], [4, MISSING], [9, 10]])
    count, mean, deviation, lowest, highest = moments([partial_moments(cells, cells, PLAIN[1])], *PLAIN)
    assert count.tolist() == [4, 3]
    assert mean.tolist() == [4.0, 10.0]
    assert deviation.tolist() == [pytest.approx((38 / 3) ** 0.5), 0.0]
    assert (lowest.tolist(), highest.tolist()) == ([1, 10], [9, 10])


def test_a_column_of_one_value_has_no_deviation_whatever_the_rounding():
    table, offsets = np.array([0.0, 0.1]), np.array([1], np.int64)
    cells = np.zeros((3, 1), np.int32)
    assert moments([partial_moments(cells, cells, offsets)], table, offsets)[2].tolist() == [0.0]


@pytest.mark.parametrize("scale", [0, 1, 3, 2**15, 2**31 - 2])
@pytest.mark.parametrize("exact", [True, False])
def test_sums_are_exact_and_do_not_depend_on_how_rows_are_divided(scale, exact):
    draw = np.random.Generator(np.random.PCG64(scale))
    lo = draw.integers(-scale, scale, (300, 4), endpoint=True).astype(np.int32)
    hi = lo if exact else np.maximum(lo, draw.integers(-scale, scale, (300, 4), endpoint=True).astype(np.int32))
    lo[::7, 1] = MISSING
    if not exact:
        hi[::7, 1] = np.where(draw.integers(0, 2, hi[::7, 1].size) == 1, np.int32(MISSING), np.int32(TOP))
    table, offsets = np.append(0.0, draw.normal(size=7)), np.array([-1, -1, -1, 1])
    low = draw.integers(0, 7, (2, 300)).astype(np.int32)
    lo[:, 3], hi[:, 3] = (low[0], low[0]) if exact else (low.min(0), low.max(0))
    whole = partial_moments(lo, hi, offsets)
    for j in range(3):
        there = lo[:, j] != MISSING
        both = [int(a) + int(b) for a, b in zip(lo[there, j], hi[there, j], strict=True)]
        assert (whole.count[j], whole.total[j], whole.squares[j]) == (len(both), sum(both), sum(b * b for b in both))
    together = moments([whole], table, offsets)
    for cuts in ([100, 150], [1], [299], [7, 14, 21]):
        halves = [lo] if exact else [lo, hi]
        parts = zip(*(np.split(side, cuts) for side in halves), strict=True)
        divided = moments([partial_moments(part[0], part[-1], offsets) for part in parts], table, offsets)
        for one, other in zip(together, divided, strict=True):
            assert one.tolist() == other.tolist()


def test_lengths_skip_missing_cells_and_constants():
    cells = int32([[3, 5, 4], [3, 5, MISSING]])
    deviation = np.array([1.5, 0.0, 2.0])
    assert lengths(cells, cells, deviation, *PLAIN).tolist() == [pytest.approx(8**0.5), 2.0]


def test_hulls_are_tight_and_mixed_groups_are_wildcards():
    cells = int32([[1, MISSING, 7], [4, MISSING, MISSING], [2, 5, 7], [2, 6, 8]])
    low, high = hulls(cells, cells, by_label(np.array([0, 0, 1, 1], np.int32), 2))
    assert low.tolist() == [[1, MISSING, MISSING], [2, 5, 7]]
    assert high.tolist() == [[4, MISSING, TOP], [2, 6, 8]]


def test_hulls_come_without_a_loss_where_cells_are_missing():
    cells = int32([[1, 5], [4, MISSING]])
    low, high, sums = hulls_and_loss(cells, by_label(np.array([0, 0], np.int32), 1), np.ones(2))
    assert low.tolist() == [[1, MISSING]]
    assert high.tolist() == [[4, TOP]]
    assert sums is None


def test_bitsets_hold_the_codes_of_each_group():
    codes = np.array([0, 3, 61, MISSING, 3], np.int32)
    assert bitsets(codes, np.array([0, 0, 1, 1, 1], np.int32), 2).tolist() == [0b1001, 1 << 61 | 0b1000]


def test_loss_takes_the_farthest_end_and_the_domain_for_wildcards():
    cells = int32([[1], [4], [MISSING]])
    low, high = int32([[1], [MISSING]]), int32([[3], [TOP]])
    arguments = (np.array([2.0]), np.array([1], np.int32), np.array([4], np.int32), *PLAIN)
    # 1 in [1;3] is 2 away, 4 in * is 3 away from the domain's other end, a missing cell in * is the whole domain away.
    sums = loss(cells, cells, low, high, by_label(np.array([0, 1, 1], np.int32), 2), *arguments)
    assert sums.tolist() == [(2 + 3 + 3) / 2, (2 + 3 + 3) / 2]


@pytest.mark.parametrize("width", range(1, 15))
@pytest.mark.parametrize("scale", [10, 2**31 - 1])
def test_rows_of_every_width_are_worked_alike(width, scale):
    draw = np.random.Generator(np.random.PCG64(width))
    cells = draw.integers(-scale, scale, (50, width)).astype(np.int32)
    labels = draw.permutation(np.arange(50) % 7).astype(np.int32)
    plain = np.zeros(1), np.full(width, -1, np.int64)
    _, mean, deviation, lowest, highest = moments([partial_moments(cells, cells, plain[1])], *plain)
    exact = cells.astype(np.float64)
    np.testing.assert_allclose(mean, exact.mean(0), rtol=1e-9, atol=1e-6)
    np.testing.assert_allclose(deviation, exact.std(0, ddof=1))
    np.testing.assert_allclose(lengths(cells, cells, deviation, *plain), np.sqrt(((exact / deviation) ** 2).sum(1)))
    members = by_label(labels, 7)
    low, high = hulls(cells, cells, members)
    for g in range(7):
        assert low[g].tolist() == cells[labels == g].min(0).tolist()
        assert high[g].tolist() == cells[labels == g].max(0).tolist()
    parts = np.maximum(high[labels] - exact, exact - low[labels]) / deviation
    wanted = [np.sqrt((parts**2).sum(1)).sum(), *parts.sum(0)]
    rest = deviation, lowest, highest, *plain
    np.testing.assert_allclose(loss(cells, cells, low, high, members, *rest), wanted)
    np.testing.assert_allclose(loss(cells, cells, low[labels], high[labels], None, *rest), wanted)
    if scale == 10:
        *both, sums = hulls_and_loss(cells, members, deviation)
        assert [side.tolist() for side in both] == [low.tolist(), high.tolist()]
        assert sums.tolist() == loss(cells, cells, low, high, members, *rest).tolist()
    told = loss(cells, cells, low, high, members, *rest, complete=True)
    assert told.tolist() == loss(cells, cells, low, high, members, *rest).tolist()


def test_loss_of_a_complete_table_sees_wildcards_in_its_release():
    cells, low, high = int32([[1], [4]]), int32([[1], [MISSING]]), int32([[3], [TOP]])
    rest = np.array([2.0]), np.array([1], np.int32), np.array([4], np.int32), *PLAIN
    for complete in (False, True):
        assert loss(cells, cells, low, high, None, *rest, complete=complete).tolist() == [(2 + 3) / 2, (2 + 3) / 2]


@pytest.mark.parametrize("digits", [2, 3, 7, 9])
@pytest.mark.parametrize("shared", [True, False])
def test_rows_that_follow_each_other_with_the_same_cells_repeat_their_texts(digits, shared):
    draw = np.random.Generator(np.random.PCG64(digits))
    lengths = draw.integers(1, digits + 1, (40, 1))
    low = draw.integers(-(10**lengths) + 1, 10**lengths, (40, 5)).astype(np.int32)
    high = (low + draw.integers(0, 10**lengths, (40, 5))).astype(np.int32)
    low[draw.random(low.shape) < 0.1] = MISSING
    high[low == MISSING] = draw.choice([MISSING, TOP], np.count_nonzero(low == MISSING))
    index = np.repeat(draw.integers(0, 40, 300), draw.integers(1, 5, 300)).astype(np.int32)
    index[1::7] = draw.integers(0, 40, index[1::7].size)
    n, runs = index.size, np.array([0, 3, 5], np.int64)  # two runs of columns, a carried column between them
    nothing = TextTable(np.full(5, -1, np.int64), np.zeros(1, np.int64), np.zeros(1, np.uint8))
    cells = (low, high, index) if shared else (low[index], high[index], index[:0])
    spans = SpanTexts(*cells, np.ones(5, np.int32), np.zeros(5, np.int32), runs, nothing)
    codes, out = np.arange(n, dtype=np.int32).reshape(-1, 1), np.empty(n * (5 * 28 + 12) + SLACK, np.uint8)
    form = Form(int32([SPAN, CARRIED, SPAN]), int32([0, 0, 1]), codes, nothing, ",")
    halves = []
    for first, stop in ((0, n // 2), (n // 2, n)):
        halves += out[: write_rows(first, stop, spans, form, out)].tobytes().decode().splitlines()

    def text(a, b):
        return f"[{a};{b}]" if a != MISSING else "*" if b == TOP else ""

    texts = [[text(a, b) for a, b in zip(*ends, strict=True)] for ends in zip(low.tolist(), high.tolist(), strict=True)]
    assert halves == [",".join([*texts[g][:3], str(row), *texts[g][3:]]) for row, g in enumerate(index.tolist())]


def test_numbers_of_every_length_are_written_as_python_writes_them():
    edges = [10**e + d for e in range(10) for d in (-1, 0, 1)] + [2**31 - 2, 123456789, 1000000007]
    values = np.array([v for e in edges for v in (e, -e) if abs(v) < 2**31 - 1] + list(range(10000)), np.int32)
    out = np.empty(values.size * 12 + SLACK, np.uint8)
    nothing = TextTable(np.array([-1], np.int64), np.zeros(1, np.int64), np.zeros(1, np.uint8))
    form = Form(np.array([CARRIED], np.int32), np.zeros(1, np.int32), values.reshape(-1, 1), nothing, ",")
    none, nowhere = np.empty((values.size, 0), np.int32), np.empty(0, np.int32)
    spans = SpanTexts(none, none, nowhere, nowhere, nowhere, np.zeros(1, np.int64), nothing)
    length = write_rows(0, values.size, spans, form, out)
    assert out[:length].tobytes().decode() == "".join(f"{v}\n" for v in values.tolist())


def packed(cells):
    """Pack the rows of a matrix; what is behind them in the buffer must not change."""
    room = room_for(*cells.shape)
    buffer = np.full(room + 8, 0xA5, np.uint8)
    size = pack(cells, buffer[:room])
    assert (buffer[room:] == 0xA5).all()
    return buffer[:size]


def fewest_bytes(cells):
    """Give how many bytes a row needs: those of each column that hold how far its numbers lie apart."""
    total = 0
    for column in cells.T.astype(np.int64):
        plain = column[(column != MISSING) & (column != TOP)]
        last = int(plain.max() - plain.min()) if plain.size else 0
        last += 2 if (column == MISSING).any() else int((column == TOP).any())
        total += max(1, (last.bit_length() + 7) // 8)
    return total


@given(st.data(), st.integers(1, 70), st.integers(1, 14))
def test_packed_rows_come_back_and_take_the_fewest_bytes(data, n, m):
    columns = []
    for _ in range(m):
        low = data.draw(st.sampled_from([MISSING, MISSING + 1, -5, 0, 2**20, TOP]) | st.integers(MISSING, TOP))
        reach = data.draw(st.sampled_from([0, 1, 253, 254, 255, 256, 2**16 - 1, 2**16, 2**24 - 1, 2**24, 2**32 - 1]))
        numbers = st.integers(low, min(low + reach, TOP))
        reserved = data.draw(st.sampled_from([(), (MISSING,), (TOP,), (MISSING, TOP)]))
        cells = numbers | st.sampled_from(reserved) if reserved else numbers
        columns.append(data.draw(hnp.arrays(np.int32, n, elements=cells)))
    cells = np.stack(columns, axis=1)
    found, out = packed(cells), np.zeros((n + 1, m), np.int32)
    assert unpack(np.append(found, np.zeros(9, np.uint8)), out) == (found.size, n)
    assert (out[:n] == cells).all()
    assert (out[n] == 0).all()
    assert 0 <= found.size - n * fewest_bytes(cells) - room_for(0, m) < 4
    some = np.array(data.draw(st.lists(st.integers(0, n - 1), max_size=9)), np.int32)
    assert (unpack_some(found, some, m) == cells[some]).all()


@pytest.mark.parametrize("last", [254, 255, 2**16 - 1, 2**16, 2**24 - 1, 2**24, 2**31 - 2, 2**31 - 1])
def test_every_width_is_packed_whatever_stands_beside_it(last):
    draw = np.random.default_rng(last)
    cells = np.stack([draw.integers(0, last, 1000), np.full(1000, 7), draw.integers(-last, 0, 1000)], axis=1)
    cells[0], cells[-1] = 0, last
    cells[5], cells[6] = MISSING, TOP
    cells = cells.astype(np.int32)
    out = np.empty_like(cells)
    unpack(packed(cells), out)
    assert (out == cells).all()


def test_packed_rows_that_are_not_whole_are_refused():
    cells = np.arange(60, dtype=np.int32).reshape(20, 3)
    found = packed(cells)
    for short in (found[:0], found[:7], found[:-1]):
        with pytest.raises(InternalError, match="not whole"):
            unpack(short, cells)
        with pytest.raises(InternalError, match="not whole"):
            unpack_some(short, np.zeros(1, np.int32), 3)
    with pytest.raises(InternalError, match="not those"):
        unpack(found, cells[:19])
    with pytest.raises(InternalError, match="no room"):
        pack(cells, found)
