"""Numbers of keys: close together or far apart, the same."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from tacita.core.arrays import numbered


@given(st.lists(st.one_of(st.integers(-5, 5), st.integers(-(2**62), 2**62))))
def test_keys_are_numbered_in_their_order_however_far_apart(keys):
    given_keys = np.array(keys, dtype=np.int64)
    assert np.array_equal(numbered(given_keys), np.unique(given_keys, return_inverse=True)[1])
