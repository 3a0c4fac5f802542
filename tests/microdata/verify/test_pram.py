"""Broken draws of categories and broken swaps of households are caught by the promise they break."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pyarrow as pa
import pytest

import tacita
from households_at_hand import REGIONS, persons
from planting import cell, failed, judge, with_column
from seeds import SEED
from tacita.core import Microdata
from tacita.microdata import verify

FORMS = ("pyarrow", "csv", "parquet")
MATRIX = {
    "sex": {"f": {"f": 0.7, "m": 0.3}, "m": {"f": 0.4, "m": 0.6}},
    "age": {
        str(i): {str(j): 0.55 if i == j else 0.15 for j in range(6) if (j - i) % 6 < 4} for i in range(6)
    },
}


def table():
    return persons(400, 21)


MADE = {
    "generated": {
        "quasi": ["sex", "education", "age"],
        "ordinal": ["age"],
        "strata": ["half"],
        "pd": 0.2,
        "alpha": 1,
    },
    "given": {"quasi": ["sex", "age"], "matrix": MATRIX},
    "invariant": {"quasi": ["sex", "age"], "matrix": MATRIX, "invariant": True},
    "jointly": {"quasi": ["sex", "education"], "jointly": True, "pd": 0.2, "alpha": 1},
    "by unit": {"quasi": ["nuts3"], "unit": "household", "unit_columns": ["nuts3"], "pd": 0.2, "alpha": 1},
    "swap": {
        "method": "record-swap",
        "quasi": REGIONS,
        "unit": "household",
        "strata": ["half"],
        "risk_columns": ["age", "sex", "education"],
        "similar": [["sex", "age"], ["sex"]],
        "rate": 60,
    },
}
_KEPT: dict[str, object] = {}


def release(name):
    if name not in _KEPT:
        options = {"method": "pram", "measures": ["CATEGORIES"], "seed": SEED, **MADE[name]}
        _KEPT[name] = tacita.protect(table(), **options)
    return _KEPT[name]


# what may be done to a release: functions of its table and its claim that hand back both


def data(change):
    return lambda made, claim: (change(made, claim), claim)


def terms(**told):
    return lambda made, claim: (made, _with_terms(claim, **told))


def _with_terms(claim, **told):
    changed = replace(claim, terms={**claim.terms, **told})
    return replace(changed, steps=tuple(_with_terms(step, **told) for step in claim.steps))


def labels(change):
    return lambda made, claim: (made, replace(claim, labels=change(claim.labels)))


def transition(change, label=0, block=0):
    """One matrix of the claim replaced."""

    def planted(made, claim):
        told = [list(blocks) for blocks in claim.terms["transitions"]]
        told[label][block] = change(told[label][block])
        return made, _with_terms(claim, transitions=tuple(map(tuple, told)))

    return planted


def matrix(change):
    return transition(lambda each: each._replace(matrix=change(each.matrix.copy())))


def column(name, change):
    """Other cells in a column, out of the published and the original ones."""

    def planted(made, claim):
        old = claim.original.column(name).to_arrow().to_pylist()
        cells = change(made[name].to_pylist(), [old[row] for row in claim.rows.tolist()])
        return with_column(made, name, cells)

    return data(planted)


def originals(made, claim):
    for name in claim.original.quasi:
        made = with_column(made, name, claim.original.column(name).to_arrow().to_pylist())
    return made


def changes_first(new, old):
    """The same transitions, but the first records of a category are those that change."""
    cells = list(new)
    for category in set(old):
        rows = [i for i, each in enumerate(old) if each == category]
        drawn = sorted((new[i] for i in rows), key=lambda each: each == category)
        for i, each in zip(rows, drawn, strict=True):
            cells[i] = each
    return cells


def half_undone(new, old):
    return [b if i % 2 else a for i, (a, b) in enumerate(zip(new, old, strict=True))]


def rotated(new, _):
    names = sorted({each for each in new if each is not None}, key=str)
    return [each if each is None else names[(names.index(each) + 1) % len(names)] for each in new]


def together(made, claim):
    """Ages change on the records whose sex changes, as often as they should."""
    sex, age = ([claim.original.column(name)[row] for row in claim.rows.tolist()] for name in ("sex", "age"))
    first = [a != b for a, b in zip(made["sex"].to_pylist(), sex, strict=True)]
    cells = list(age)
    drawn = made["age"].to_pylist()
    for each in set(age):
        rows = sorted((i for i, value in enumerate(age) if value == each), key=lambda i: not first[i])
        others = sorted((drawn[i] for i in rows), key=lambda value: value == each)
        for i, value in zip(rows, others, strict=True):
            cells[i] = value
    return with_column(made, "age", cells)


def impossible(made, claim):
    """One record gets an age that its own never becomes."""
    ages = claim.original.column("age").to_arrow().to_pylist()
    return cell("age", 5, (ages[int(claim.rows[5])] + 5) % 6)(made, claim)


def uniform(m):
    return np.full_like(m, 1 / len(m))


def entry(row, place, value):
    def change(m):
        m[row, place] = value
        return m

    return change


def tilted(m):
    """Rows still sum to one; frequencies are no longer what they were."""
    m[0, 0] -= 1e-9
    m[0, 1] += 1e-9
    return m


def strata_exchanged(made, claim):
    return made, _with_terms(claim, transitions=claim.terms["transitions"][::-1])


def repeated(each):
    return each._replace(categories=(each.categories[0], *each.categories[:-1]))


def shorter(each):
    return each._replace(
        categories=each.categories[:-1],
        matrix=each.matrix[:-1, :-1] / each.matrix[:-1, :-1].sum(axis=1, keepdims=True),
    )


def renamed(each):
    return each._replace(columns=("sex",) if each.columns != ("sex",) else ("education",))


def one_member_moved(made, claim):
    """One person of a larger household shows another region than the others."""
    names = claim.original.column("household").to_arrow().to_pylist()
    row = next(i for i, name in enumerate(names) if names.count(name) > 2)
    shown = made["nuts3"].to_pylist()
    return cell("nuts3", row, next(each for each in shown if each != shown[row]))(made, claim)


PRAM = {
    ("generated", "the originals"): ("masked-cells", data(originals)),
    ("generated", "a category nobody has"): ("masked-cells", data(cell("sex", 3, "x"))),
    ("generated", "another spelling"): ("masked-cells", data(cell("sex", 3, lambda each: f" {each}"))),
    ("generated", "another case"): ("masked-cells", data(cell("education", 3, "HIGH"))),
    ("generated", "a missing value filled"): (
        "masked-cells",
        column("education", lambda new, _: ["low" if each is None else each for each in new]),
    ),
    ("generated", "a value taken away"): (
        "masked-cells",
        column("education", lambda new, _: [None if i < 2 else each for i, each in enumerate(new)]),
    ),
    ("generated", "one column as it was"): ("drawn-from-matrix", column("sex", lambda _, old: old)),
    ("generated", "half of the changes undone"): ("drawn-from-matrix", column("age", half_undone)),
    ("generated", "each category the next"): ("drawn-from-matrix", column("age", rotated)),
    ("generated", "one category for all"): (
        "drawn-from-matrix",
        column("sex", lambda new, _: ["f"] * len(new)),
    ),
    ("generated", "changes on the first records"): ("drawn-from-matrix", column("age", changes_first)),
    ("generated", "records in another order"): (
        "drawn-from-matrix",
        column("age", lambda new, _: new[1:] + new[:1]),
    ),
    ("generated", "no matrix in the claim"): ("drawn-from-matrix", terms(transitions=())),
    ("generated", "no matrix for a record"): ("drawn-from-matrix", labels(lambda _: None)),
    ("generated", "a matrix for each cell"): (
        "drawn-from-matrix",
        labels(lambda each: np.column_stack([each] * 3)),
    ),
    ("generated", "a matrix that is not there"): ("drawn-from-matrix", labels(lambda each: each + 1)),
    ("generated", "a matrix before the first"): ("drawn-from-matrix", labels(lambda each: each - 1)),
    ("generated", "one matrix for two strata"): ("drawn-from-matrix", labels(lambda each: 0 * each)),
    ("generated", "matrices of two strata exchanged"): ("drawn-from-matrix", strata_exchanged),
    ("generated", "a row that sums to more"): ("drawn-from-matrix", matrix(lambda m: m * 1.01)),
    ("generated", "a negative probability"): (
        "drawn-from-matrix",
        matrix(lambda m: entry(0, 1, -m[0, 1])(entry(0, 0, m[0, 0] + 2 * m[0, 1])(m))),
    ),
    ("generated", "a probability that is no number"): ("drawn-from-matrix", matrix(entry(0, 0, np.nan))),
    ("generated", "the matrix that changes nothing"): ("drawn-from-matrix", matrix(lambda m: np.eye(len(m)))),
    ("generated", "the matrix that tells nothing"): (
        "drawn-from-matrix",
        transition(lambda each: each._replace(matrix=uniform(each.matrix)), block=2),
    ),
    ("generated", "a category twice"): ("drawn-from-matrix", transition(repeated)),
    ("generated", "a category less"): ("drawn-from-matrix", transition(shorter)),
    ("generated", "a matrix of another shape"): ("drawn-from-matrix", matrix(lambda m: m[:, :-1])),
    ("generated", "another column"): ("drawn-from-matrix", transition(renamed)),
    ("generated", "less mixing than told"): ("drawn-from-matrix", terms(alpha=0.05)),
    ("generated", "frequencies a little off"): ("expected-frequencies", matrix(tilted)),
    ("generated", "frequencies of the other stratum"): ("expected-frequencies", strata_exchanged),
    ("generated", "frequencies without a claim"): ("expected-frequencies", labels(lambda _: None)),
    ("given", "an impossible change"): ("drawn-from-matrix", data(impossible)),
    ("given", "columns that change together"): ("drawn-from-matrix", data(together)),
    ("given", "another matrix than declared"): (
        "drawn-from-matrix",
        terms(matrix={**MATRIX, "sex": {"f": {"f": 0.69, "m": 0.31}, "m": {"f": 0.4, "m": 0.6}}}),
    ),
    ("given", "declared to be made invariant"): ("drawn-from-matrix", terms(invariant=True)),
    ("given", "declared for another column"): ("drawn-from-matrix", terms(matrix={"age": MATRIX["age"]})),
    ("invariant", "declared to be as written"): ("drawn-from-matrix", terms(invariant=False)),
    ("invariant", "frequencies a little off"): ("expected-frequencies", matrix(tilted)),
    ("jointly", "columns shifted against each other"): (
        "drawn-from-matrix",
        column("education", lambda new, _: new[::-1]),
    ),
    ("jointly", "one column as it was"): ("drawn-from-matrix", column("sex", lambda _, old: old)),
    ("by unit", "a member that shows another region"): ("units-agree", data(one_member_moved)),
    ("by unit", "the originals"): ("masked-cells", data(originals)),
}


# swaps


def units(claim):
    """The rows of each household, by its name."""
    found: dict[str, list[int]] = {}
    names = claim.original.column("household").to_arrow().to_pylist()
    for place, row in enumerate(claim.rows.tolist()):
        found.setdefault(names[row], []).append(place)
    return found


def regions(made):
    return list(zip(*(made[name].to_pylist() for name in REGIONS), strict=True))


def homes_of(claim):
    old = regions({name: claim.original.column(name).to_arrow() for name in REGIONS})
    return {name: old[int(claim.rows[rows[0]])] for name, rows in units(claim).items()}


def placed(made, claim, where):
    """Households at other places."""
    cells = regions(made)
    for name, region in where.items():
        for row in units(claim)[name]:
            cells[row] = region
    for name, column_cells in zip(REGIONS, zip(*cells, strict=True), strict=True):
        made = with_column(made, name, list(column_cells))
    return made


def pairs(claim):
    """Households that share a label."""
    found: dict[int, list[str]] = {}
    for name, rows in units(claim).items():
        found.setdefault(int(claim.labels[rows[0]]), []).append(name)
    return [each for each in found.values() if len(each) == 2], [
        each[0] for each in found.values() if len(each) == 1
    ]


def claimed_as(claim, groups):
    """The claim with other groups of partners; others as they were."""
    fresh = claim.labels.copy()
    for group in groups:
        for name in group:
            fresh[units(claim)[name]] = (
                fresh.max() + 1 if name == group[0] else fresh[units(claim)[group[0]]][0]
            )
    return replace(claim, labels=fresh)


def half_of(claim, name):
    rows = units(claim)[name]
    return claim.original.column("half")[int(claim.rows[rows[0]])]


def size_of(claim, name):
    return len(units(claim)[name])


def undone(count, relabel=True):
    """Some pairs back at home."""

    def planted(made, claim):
        home = homes_of(claim)
        chosen = pairs(claim)[0][:count]
        back = {name: home[name] for pair in chosen for name in pair}
        singles = [[name] for pair in chosen for name in pair]
        return placed(made, claim, back), claimed_as(claim, singles) if relabel else claim

    return planted


def one_back(made, claim):
    """One of a pair at home, so that two households stand at one place."""
    name = pairs(claim)[0][0][0]
    return placed(made, claim, {name: homes_of(claim)[name]}), claim


def exchanged(made, claim, wanted):
    """Two that have not changed places do, and the claim says so."""
    home, (_, alone) = homes_of(claim), pairs(claim)
    one, other = next((a, b) for a in alone for b in alone if home[a] != home[b] and wanted(claim, a, b))
    return placed(made, claim, {one: home[other], other: home[one]}), claimed_as(claim, [[one, other]])


def unlike(made, claim):
    return exchanged(
        made, claim, lambda c, a, b: size_of(c, a) != size_of(c, b) and half_of(c, a) == half_of(c, b)
    )


def across_strata(made, claim):
    return exchanged(
        made, claim, lambda c, a, b: size_of(c, a) == size_of(c, b) and half_of(c, a) != half_of(c, b)
    )


def three_in_a_ring(made, claim):
    home, alone = homes_of(claim), pairs(claim)[1]
    a, b, c = alone[0], next(n for n in alone if home[n] != home[alone[0]]), None
    c = next(n for n in alone if home[n] not in (home[a], home[b]))
    return placed(made, claim, {a: home[b], b: home[c], c: home[a]}), claimed_as(claim, [[a, b, c]])


def neighbours(made, claim):
    """Two of one region are claimed to have changed places."""
    home, alone = homes_of(claim), pairs(claim)[1]
    one, other = next((a, b) for a in alone for b in alone if a != b and home[a] == home[b])
    return made, claimed_as(claim, [[one, other]])


def only_the_finest(made, claim):
    """One household shows another fine region, in the coarse ones that it had."""
    cells = made["nuts3"].to_pylist()
    rows = units(claim)[pairs(claim)[1][0]]
    new = next(each for each in cells if each != cells[rows[0]])
    for row in rows:
        cells[row] = new
    return with_column(made, "nuts3", cells)


def one_member_elsewhere(made, claim):
    rows = next(rows for rows in units(claim).values() if len(rows) > 1)
    cells = regions(made)
    cells[rows[0]] = next(each for each in cells if each != cells[rows[0]])
    for name, column_cells in zip(REGIONS, zip(*cells, strict=True), strict=True):
        made = with_column(made, name, list(column_cells))
    return made


def several_labels(made, claim):
    rows = next(rows for rows in units(claim).values() if len(rows) > 1)
    fresh = claim.labels.copy()
    fresh[rows[0]] = fresh.max() + 1
    return made, replace(claim, labels=fresh)


def joined(made, claim):
    """Two pairs are claimed to be one."""
    first, second = pairs(claim)[0][:2]
    return made, claimed_as(claim, [[*first, *second]])


SWAPS = {
    ("swap", "the originals"): ("masked-cells", data(originals)),
    ("swap", "a region nobody has"): ("masked-cells", data(cell("nuts3", 3, "C99"))),
    ("swap", "a region taken away"): ("masked-cells", data(cell("nuts3", 3, None))),
    ("swap", "one of a pair at home"): ("swapped-in-pairs", one_back),
    ("swap", "one of a pair at home, by counts"): ("profiles-kept", one_back),
    ("swap", "a pair at home, claimed to have left"): ("swapped-in-pairs", undone(1, relabel=False)),
    ("swap", "households of other sizes"): ("swapped-in-pairs", unlike),
    ("swap", "households of other sizes, by counts"): ("profiles-kept", unlike),
    ("swap", "households of two strata"): ("swapped-in-pairs", across_strata),
    ("swap", "three in a ring"): ("swapped-in-pairs", three_in_a_ring),
    ("swap", "neighbours as partners"): ("swapped-in-pairs", neighbours),
    ("swap", "a fine region alone"): ("swapped-in-pairs", data(only_the_finest)),
    ("swap", "a fine region alone, by counts"): ("profiles-kept", data(only_the_finest)),
    ("swap", "a member elsewhere"): ("units-agree", data(one_member_elsewhere)),
    ("swap", "a member elsewhere, by pairs"): ("swapped-in-pairs", data(one_member_elsewhere)),
    ("swap", "a member elsewhere, by counts"): ("profiles-kept", data(one_member_elsewhere)),
    ("swap", "another column changed"): ("others-identical", data(cell("sex", 3, "x"))),
    ("swap", "no partners in the claim"): ("swapped-in-pairs", labels(lambda _: None)),
    ("swap", "no partners in the claim, as stated"): ("swapped-as-stated", labels(lambda _: None)),
    ("swap", "partners of cells"): ("swapped-in-pairs", labels(lambda each: np.column_stack([each] * 3))),
    ("swap", "a household of two partners"): ("swapped-in-pairs", several_labels),
    ("swap", "two pairs in one"): ("swapped-in-pairs", joined),
    ("swap", "all partners of all"): ("swapped-in-pairs", labels(lambda each: 0 * each)),
    ("swap", "a narrower profile than told"): (
        "swapped-in-pairs",
        terms(similar=[["sex", "age", "education", "income"]]),
    ),
    ("swap", "a narrower profile, by counts"): (
        "profiles-kept",
        terms(similar=[["sex", "age", "education"]]),
    ),
    ("swap", "pairs back at home"): ("swapped-as-stated", undone(60)),
    ("swap", "all but a few back at home"): ("swapped-as-stated", undone(110)),
    ("swap", "more at risk than told"): ("swapped-as-stated", terms(k=9)),
    ("swap", "risk by another column"): ("swapped-as-stated", terms(risk_columns=["income"])),
    ("swap", "a higher rate than kept"): ("swapped-as-stated", terms(rate=100.0)),
    ("swap", "one stayed, says the claim"): ("swapped-as-stated", terms(not_swapped=(1,))),
    ("swap", "too few, says the claim"): ("swapped-as-stated", terms(too_few=(2,))),
}
PLANTED = {**PRAM, **SWAPS}


@pytest.mark.each_once
@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("name", list(MADE))
def test_sound_releases_pass(name, form):
    made = release(name)
    assert failed(judge(form, made.data, made.claim)) == set()


@pytest.mark.parametrize("case", list(PLANTED), ids=" ".join)
def test_is_caught_by_the_promise_it_breaks(case):
    guarantee, change = PLANTED[case]
    made = release(case[0])
    broken, claim = change(made.data, made.claim)
    verdicts = judge("pyarrow", broken, claim)
    assert guarantee in failed(verdicts)
    # found out, not stumbled over
    assert not [verdict for verdict in verdicts if "cannot be checked" in (verdict.detail or "")]


@pytest.mark.each_once
@pytest.mark.parametrize("form", ["csv", "parquet"])
@pytest.mark.parametrize(
    "case",
    [
        case
        for case in PLANTED
        if case[1]
        in (
            "one column as it was",
            "a region nobody has",
            "another spelling",
            "one of a pair at home",
            "an impossible change",
        )
    ],
    ids=" ".join,
)
def test_is_caught_in_the_file_too(case, form):
    guarantee, change = PLANTED[case]
    made = release(case[0])
    assert guarantee in failed(judge(form, *change(made.data, made.claim)))


def test_there_are_enough_planted_failures_and_every_new_promise_has_some():
    assert len(PLANTED) >= 70
    caught = {guarantee for guarantee, _ in PLANTED.values()}
    new = {
        "drawn-from-matrix",
        "expected-frequencies",
        "swapped-in-pairs",
        "profiles-kept",
        "swapped-as-stated",
    }
    assert new <= caught


def test_sound_draws_are_not_taken_for_broken_ones():
    """Every test of chance together fails one sound release in a thousand million."""
    rng = np.random.default_rng(5)
    frame = pa.table({"c": rng.choice(["a", "b", "c"], 90), "d": rng.choice(["x", "y"], 90)})
    for seed in range(150):
        made = tacita.protect(
            frame, quasi=["c", "d"], method="pram", pd=0.4, alpha=1, measures=(), seed=SEED + seed
        )
        assert all(verdict.passed for verdict in verify.verify(Microdata.of(made.data), made.claim))
