"""Where kinds mix, linkage goes over all protected columns, and every other figure says what it covers."""

import json

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

import tacita
from tacita.core import Categories, Comparison
from tacita.microdata.measures.risk.linkage import DBRL, DLD
from tacita.microdata.measures.risk.probabilistic import PRL, PRLBounds
from tacita.microdata.measures.tradeoff import DR
from tacita.report import comparison_html, note_html, review_html, review_json
from twins.measures import gower_linked, prl

KINDS = ("numeric", "ordinal", "nominal")
rows = st.tuples(st.integers(0, 9), st.integers(0, 3), st.integers(0, 2))


def compared(x, z):
    x, z = np.asarray(x, dtype=float), np.asarray(z, dtype=float)
    codes = Categories(x[:, 1:], z[:, 1:], ("level", "name"), (True, False))
    return Comparison.of(x[:, :1], z[:, :1], ["number"], categories=codes)


@given(st.lists(st.tuples(rows, rows), min_size=2, max_size=25))
def test_linkage_over_mixed_columns_is_that_of_gowers_distance(pairs):
    x, z = (np.array(side, dtype=float) for side in zip(*pairs, strict=True))
    spans = np.ptp(x, axis=0)
    pair = compared(x, z)
    if not spans.any():
        assert DBRL().score(pair).value is None
        return
    assert DBRL().score(pair).value == pytest.approx(100 * gower_linked(x, z, KINDS, spans))
    assert DLD().score(pair).value == pytest.approx(gower_linked(z, x, KINDS, spans))


def test_an_attacker_may_know_the_first_attributes_only_and_weigh_them():
    rng = np.random.default_rng(5)
    x = np.column_stack([rng.integers(0, 9, 60), rng.integers(0, 4, 60), rng.integers(0, 3, 60)]).astype(
        float
    )
    z = x[rng.permutation(60)]
    pair, spans = compared(x, z), np.ptp(x, axis=0)
    two = gower_linked(x[:, :2], z[:, :2], KINDS[:2], spans[:2])
    assert DBRL(attributes=[2]).score(pair).value == pytest.approx(100 * two)
    # twice the weight is half the span
    heavy = gower_linked(x, z, KINDS, spans / [2, 4, 1])
    assert DBRL(weights=[2, 4, 1]).score(pair).value == pytest.approx(100 * heavy)
    with pytest.raises(tacita.ParameterError, match="wanted 3 weights"):
        DBRL(weights=[1]).score(pair)


def test_records_that_only_their_names_tell_apart_are_found():
    x = [[1, 0, 0], [1, 0, 1], [1, 0, 2], [5, 0, 0]]
    assert DBRL().score(compared(x, x)).value == 100
    assert PRL().score(compared(x, x)).value > 50
    assert PRLBounds(false_link=0.5).score(compared(x, x)).value == 100
    # by the numbers alone, three of them are one
    numbers = np.array(x, dtype=float)[:, :1]
    assert DBRL().score(Comparison.of(numbers, numbers)).value == 50


def test_probabilistic_linkage_takes_equal_names_for_agreement():
    rng = np.random.default_rng(2)
    x = np.column_stack([rng.normal(size=30), rng.integers(0, 3, 30)])
    z = np.column_stack([x[:, 0] + rng.normal(0, 0.2, 30), x[:, 1]])
    codes = Categories(x[:, 1:], z[:, 1:], ("name",), (False,))
    got = PRL().score(Comparison.of(x[:, :1], z[:, :1], categories=codes)).value
    # names as numbers far apart agree only where they are equal
    apart = np.array([1.0, 1000.0])
    assert got == pytest.approx(prl(x * apart, z * apart)[0])


@pytest.fixture(scope="module")
def release():
    rng = np.random.default_rng(0)
    n = 90
    frame = pa.table(
        {
            "turnover": rng.lognormal(3, 1, n),
            "staff": rng.integers(1, 99, n),
            "sector": rng.choice(["a", "b", "c"], n),
            "size": rng.choice(["small", "large"], n),
        }
    )
    return tacita.protect(
        frame,
        quasi=["turnover", "staff", "sector", "size"],
        nominal=["sector"],
        ordinal={"size": ["small", "large"]},
        method="gower",
        k=3,
    )


def test_figures_of_some_columns_say_so_and_linkage_is_of_all(release):
    numbers, codes = ("turnover", "staff"), ("sector", "size")
    for score in release.report:
        if score.value is None:
            continue
        whole = (
            "DBRL",
            "DLD",
            "PRL",
            "GOWER_loss",
            "k_anonymity",
            "sample_uniques",
            "SUPPRESSED",
            "WEIGHTED",
        )
        if score.name in whole:
            assert score.covers == ()
        else:
            of_codes = score.name in ("CATEGORIES", "TABLES_1", "TABLES_2", "CRAMER")
            assert score.covers == (codes if of_codes else numbers), score.name


def test_the_json_the_page_and_the_note_name_what_a_figure_covers(release):
    told = {each["name"]: each for each in json.loads(review_json(release))["scores"]}
    assert told["IL1"]["covers"] == ["turnover", "staff"]
    assert "covers" not in told["DBRL"]
    page = review_html(release)
    tile = page[page.index("<dt>DR,") : page.index("</dd>", page.index("<dt>DR,"))]
    assert "<bdi>turnover</bdi>, <bdi>staff</bdi> only" in tile
    note = note_html(release)
    loss = note[note.index("Information loss of") :]
    assert "<bdi>turnover</bdi>, <bdi>staff</bdi> only" in loss[:200]


def test_a_comparison_names_what_its_axes_cover(release):
    frame = release.claim.original.native
    trials = tacita.compare_methods(
        frame, quasi=["turnover", "sector"], nominal=["sector"], method="gower", k=[3, 4]
    )
    assert "<bdi>turnover</bdi> only" in comparison_html(trials)


def test_files_without_categories_say_nothing_of_coverage():
    frame = pa.table({"x": np.arange(12.0), "y": np.arange(12.0) ** 2})
    made = tacita.protect(frame, quasi=["x", "y"], k=3)
    assert all(not score.covers for score in made.report)
    assert " only</b>" not in review_html(made)
    assert DR().score(Comparison.of([[1.0], [2.0]], [[1.0], [2.0]])).covers == ()
