"""Distinct numbers and their places, as NumPy finds them, however far apart they lie."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from shoal.engines.packed_cells import cells_among, packed
from shoal.kernels import MISSING, TOP
from shoal.kernels.grouping import distinct, places_among

NUMBERS = st.lists(st.integers(-(2**62), 2**62) | st.integers(-20, 20), max_size=60)
ENDS = st.integers(-5, 5) | st.sampled_from([MISSING, MISSING + 1, TOP - 1, 10**7])


@given(NUMBERS)
def test_distinct_numbers_and_their_places(numbers):
    keys = np.array(numbers, np.int64)
    values, places = np.unique(keys, return_inverse=True)
    assert (distinct(keys) == values).all()
    assert (places_among(values, keys) == places).all()


@given(st.lists(st.tuples(ENDS, ENDS), max_size=60), st.booleans())
def test_places_of_cells_with_and_without_a_value(ends, exact):
    sides = np.array(ends, np.int32).reshape(-1, 2)
    cells = packed(sides[:, 0], sides[:, 0] if exact else sides[:, 1])
    values, places = np.unique(cells, return_inverse=True)
    assert (cells_among(values, cells) == places).all()
