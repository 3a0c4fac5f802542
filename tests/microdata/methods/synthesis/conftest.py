"""The Census file as it stands, and the two splits of its columns that the literature uses."""

import numpy as np
import pytest

from tacita import DataError, datasets


@pytest.fixture(scope="session")
def census():
    try:
        table = datasets.load("census")
    except DataError as absent:
        pytest.skip(f"benchmark census is not here: {absent}")
    return np.column_stack([table[name].to_numpy() for name in table.column_names]).astype(float)
