"""What models have to do with each other, on classes drawn at random."""

from dataclasses import replace

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from tacita.core import Hierarchy
from tacita.microdata.methods.generalisation.key_hierarchies import Keys, Ladder
from tacita.microdata.methods.generalisation.lattice import Lattice
from tacita.microdata.methods.generalisation.models import Models, built

TOWNS = Hierarchy.flat("town", [f"t{i}" for i in range(6)], "*")


@st.composite
def keys(draw, values=4):
    n = draw(st.integers(20, 60))
    generator = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    codes = np.concatenate([np.arange(values), generator.choice(values, n - values)]).astype(np.int64)
    flat = Hierarchy.flat("s", [str(i) for i in range(values)], "*").levels
    return Keys(
        (Ladder.of(TOWNS, False),),
        generator.choice(6, (1, n)).astype(np.int64),
        np.zeros(n, dtype=np.int64),
        None,
        {"s": codes},
        {"s": np.arange(values)},
        {"s": flat},
    )


def failing(records, name, **setting):
    models = Models.of(1, built({name: {"column": "s", **setting}}))
    lattice = Lattice(records, replace(models, k=1), 1.0)
    return lattice.check((0,), lattice.every).failing


@given(keys(), st.floats(0.05, 0.9))
def test_hierarchical_closeness_on_a_flat_hierarchy_is_the_equal_one(records, t):
    one, other = (failing(records, "t_closeness", kind=kind, t=t) for kind in ("hierarchical", "equal"))
    assert np.array_equal(one, other)


@given(keys(values=2), st.floats(0.05, 0.9))
def test_of_two_values_ordered_closeness_is_the_equal_one(records, t):
    one, other = (failing(records, "t_closeness", kind=kind, t=t) for kind in ("ordered", "equal"))
    assert np.array_equal(one, other)


@given(keys(), st.integers(2, 4), st.floats(0.1, 3.0))
def test_the_stricter_kind_of_a_model_implies_the_other(records, least, beta):
    distinct, entropy = (
        failing(records, "l_diversity", kind=kind, l=least) for kind in ("distinct", "entropy")
    )
    basic, enhanced = (
        failing(records, "beta_likeness", kind=kind, beta=beta) for kind in ("basic", "enhanced")
    )
    assert not (distinct & ~entropy).any()
    assert not (basic & ~enhanced).any()
