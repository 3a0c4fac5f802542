"""Data shuffling: exact marginals, rank correlations within and with the columns beside."""

from __future__ import annotations

import numpy as np
import pyarrow as pa
import pytest

import tacita
from seeds import SEED
from tacita.core import RunContext
from tacita.microdata.methods.masking.shuffling import Shuffle


def skewed(n=4000, seed=0):
    """Three columns, correlated, far from normal."""
    normal = np.random.default_rng(seed).normal(size=(n, 3)) @ [
        [1.0, 0.8, 0.3],
        [0.0, 0.6, 0.5],
        [0.0, 0.0, 0.8],
    ]
    return np.column_stack([np.exp(normal[:, 0]), normal[:, 1] ** 3, np.exp(normal[:, 2] / 2)])


def rank_correlations(x):
    return np.corrcoef(np.argsort(np.argsort(x, axis=0), axis=0).T)


def test_marginals_are_exact_and_rank_correlations_near():
    x = skewed()
    z = Shuffle().mask(x, RunContext(seed=1))
    assert np.array_equal(np.sort(z, axis=0), np.sort(x, axis=0))
    assert np.abs(rank_correlations(z) - rank_correlations(x)).max() < 0.05


def test_without_columns_beside_the_true_values_play_no_part():
    x = skewed()
    z = Shuffle().mask(x, RunContext(seed=1))
    assert (
        np.abs([rank_correlations(np.column_stack([x[:, j], z[:, j]]))[0, 1] for j in range(3)]).max() < 0.05
    )


def test_the_relation_with_columns_beside_is_kept():
    x = skewed()
    y, s = x[:, :2], x[:, 2:]
    z = Shuffle().mask(y, RunContext(seed=1), beside=s)
    before, after = rank_correlations(np.column_stack([y, s])), rank_correlations(np.column_stack([z, s]))
    assert np.abs(before - after).max() < 0.05


def test_given_what_is_beside_the_new_values_do_not_depend_on_the_true_ones():
    rng = np.random.default_rng(0)
    s = rng.normal(size=(6000, 1))
    y = 0.7 * s + rng.normal(size=(6000, 1))
    z = Shuffle().mask(y, RunContext(seed=1), beside=s)
    slope = np.linalg.lstsq(s, y, rcond=None)[0]
    assert abs(np.corrcoef((y - s @ slope)[:, 0], (z - s @ slope)[:, 0])[0, 1]) < 0.05


def test_columns_beside_are_named_in_a_release_and_stay_as_they_were():
    x = skewed(400)
    table = pa.table({"a": x[:, 0], "b": x[:, 1], "kept": x[:, 2]})
    made = tacita.protect(
        table, quasi=["a", "b"], method="shuffle", beside=["kept"], seed=SEED, measures=["IL1"]
    )
    assert made.data["kept"].equals(table["kept"])
    cells = np.column_stack([made.data[name].to_numpy() for name in ("a", "b", "kept")])
    assert np.abs(rank_correlations(cells) - rank_correlations(x)).max() < 0.15
    assert made.record.parameters["beside"] == ["kept"]


@pytest.mark.parametrize(
    ("beside", "says"),
    [
        (["ghost"], "no column ghost"),
        (["a"], "cannot be a context column"),
        (["text"], "numbers"),
        (["gaps"], "missing"),
    ],
)
def test_columns_that_cannot_stand_beside_are_refused(beside, says):
    rng = np.random.default_rng(0)
    table = pa.table(
        {
            "a": rng.normal(size=30),
            "text": ["t"] * 30,
            "gaps": pa.array(rng.normal(size=30), mask=np.arange(30) < 3),
        }
    )
    with pytest.raises((tacita.DataError, tacita.ParameterError), match=says):
        tacita.protect(table, quasi="a", method="shuffle", beside=beside)


def test_the_command_line_takes_their_names(tmp_path):
    from tacita.cli import run_command

    source = tmp_path / "in.csv"
    rows = np.random.default_rng(0).normal(size=(30, 3)).round(3)
    source.write_text("a,b,c\n" + "\n".join(",".join(map(str, row)) for row in rows) + "\n")
    words = [
        "protect",
        str(source),
        "--out",
        str(tmp_path / "out.csv"),
        "--method",
        "shuffle",
        "--quasi",
        "a",
    ]
    assert run_command([*words, "--beside", "b,c"]) == 0
