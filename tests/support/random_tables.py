"""Tables of any shape out of Hypothesis: random hierarchies, their cross, and cells to withhold."""

from dataclasses import replace

import numpy as np
from hypothesis import strategies as st

from tacita.core import Contributors, Hierarchy, Table

WORDS = ("a", "B 2", "Æble", "10", "9", "x,y", 'q"q', "<i>", "=1+1", "-", "Ω", "line", "é", "c;d", "0")


@st.composite
def hierarchies(draw, name, words=WORDS, most=7):
    """A tree of labels in any order; a top that is no leaf."""
    n = draw(st.integers(2, most))
    above = [draw(st.integers(0, at - 1)) for at in range(1, n)]
    order = draw(st.permutations(range(n)))
    place = {node: at for at, node in enumerate(order)}
    labels, parents = [""] * n, [-1] * n
    chosen = draw(st.permutations(words))[: n - 1]
    labels[place[0]] = "Total"
    for node, (label, parent) in enumerate(zip(chosen, above, strict=True), start=1):
        labels[place[node]], parents[place[node]] = label, place[parent]
    return Hierarchy(name, tuple(labels), tuple(parents))


@st.composite
def tables(draw, dimensions=(1, 3), words=WORDS, whole=False, behind=False):
    """A full cross with random values, some of them sensitive, and who stands behind each cell or not."""
    count = draw(st.integers(*dimensions))
    most = {1: 9, 2: 7, 3: 5, 4: 4}[count]
    made = [draw(hierarchies(f"dimension {at}", words, most)) for at in range(count)]
    generator = np.random.default_rng(draw(st.integers(0, 10**6)))
    shape = [each.leaves.size for each in made]
    inner = generator.integers(0, 5000, size=shape).astype(float)
    inner /= 1 if whole else draw(st.sampled_from([1, 2, 100, 3]))
    table = Table.cross(made, inner, margins=True, response="turnover")
    secret = generator.random(table.n) < 0.2
    table = table.with_primary(secret, 10, 20, draw(st.sampled_from([0, 15])))
    if not behind:
        return table
    numbers = generator.integers(1, 9, size=table.n)
    shares = -np.sort(-generator.integers(0, 90, size=(table.n, 2)).astype(float), axis=1)
    holders = generator.integers(-1, 6, size=(table.n, 2))
    who = Contributors(
        table.values, numbers, shares, holders, numbers.astype(float), shares[:, 1], shares[:, 0]
    )
    return replace(table, contributors=who)


def same(one, other, *fields):
    """Whether two tables hold the same figures for the same labels, in whatever order."""
    ours, theirs = ({table.label(cell): cell for cell in range(table.n)} for table in (one, other))
    assert ours.keys() == theirs.keys()
    pairs = np.array([(ours[label], theirs[label]) for label in ours])
    for name in ("values", "primary", *fields):
        left, right = getattr(one, name)[pairs[:, 0]], getattr(other, name)[pairs[:, 1]]
        if left.dtype == bool:
            assert np.array_equal(left, right), name
        else:
            assert np.allclose(left, right, rtol=1e-12, atol=0), name
    return pairs


def family(hierarchy):
    """Each label with the one above it."""
    above = [hierarchy.labels[parent] if parent >= 0 else None for parent in hierarchy.parents]
    return dict(zip(hierarchy.labels, above, strict=True))
