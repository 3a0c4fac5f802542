"""Broken methods of every kind: each breaks the law that was meant for it, by name."""

# a planted part keeps the whole signature of the one that it stands for
# ruff: noqa: ARG001, ARG005

from dataclasses import replace
from itertools import count
from types import SimpleNamespace

import numpy as np
import pyarrow as pa
import pytest
from pydantic import ConfigDict, Field

import tacita
from tacita import testing
from tacita.core import Cancelled, DataError, Method, Partition, Pattern, Run
from tacita.io.formats.csv import CSV
from tacita.io.formats.parquet import Parquet
from tacita.microdata.dropping.base import Dropping
from tacita.microdata.loss.squared import IL1
from tacita.microdata.masking.base import Masked, Masking
from tacita.microdata.masking.noise import Noise
from tacita.microdata.measure import Measure
from tacita.microdata.microaggregation.base import Microaggregation
from tacita.microdata.microaggregation.mdav import MDAV
from tacita.microdata.microaggregation.means import KMeans1
from tacita.microdata.recoding.base import Recoding
from tacita.microdata.synthesis.base import SYNTHETIC, Synthesis
from tacita.microdata.synthesis.ipso import IPSOA
from tacita.microdata.synthesis.trees import Trees
from tacita.tables.rules.base import Flags, Rule
from tacita.tables.rules.frequency import MinimumFrequency
from tacita.tables.suppression.base import Suppression

DOCUMENTED = "A fault is planted here. O(1).\n\nSource: planted.\n\n>>> 1\n1\n"


def planted(base, **parts):
    """A method of a base in which some parts are others."""
    return type(f"Planted{base.__name__}", (base,), {"__doc__": DOCUMENTED, "__module__": __name__, **parts})


def counted():
    """What every call has another value of: a clock, a state of the process."""
    ticks = count()
    return lambda: next(ticks)


def in_runs(self, x, by):
    """Groups of k along an order."""
    labels = np.empty(len(x), dtype=np.int64)
    labels[np.argsort(by, kind="stable")] = np.minimum(np.arange(len(x)) // self.k, len(x) // self.k - 1)
    return labels


# entries


class Undescribed(Noise):
    __doc__ = DOCUMENTED
    strength: float = 1.0


class Clashing(Noise):
    __doc__ = DOCUMENTED
    shuffle: bool = Field(False, description="what the plan already has")


class Loose(Noise):
    __doc__ = DOCUMENTED
    model_config = ConfigDict(frozen=False)


class Greedy(Noise):
    __doc__ = DOCUMENTED
    model_config = ConfigDict(extra="allow")


ENTRIES = {
    "docstring has cost source": [
        planted(IL1, __doc__="No source. O(n).\n\n>>> 1\n1\n"),
        planted(IL1, __doc__="No cost.\n\nSource: planted.\n\n>>> 1\n1\n"),
        planted(IL1, __doc__=""),
    ],
    "example in its docstring runs": [planted(IL1, __doc__=DOCUMENTED.replace("\n1\n", "\n2\n"))],
    "parameter says what it means": [Undescribed],
    "name of an option of the plan": [Clashing],
    "cannot be changed once made": [Loose],
    "unknown parameter is refused": [Greedy],
    "verifier checks all that it promises": [planted(Noise, guarantees=("masked-cells", "nobody-is-harmed"))],
}


# groups


def small_groups(self, x, units, run):
    return np.arange(len(x)) // (self.k - 1)


def from_the_last_row(self, x, run=None, **given):
    found = MDAV(k=self.k).partition(x, run, **given)
    return SimpleNamespace(labels=found.labels.max() - found.labels, sizes=found.sizes[::-1], n=found.n)


def by_chance(self, x, units, run):
    return in_runs(self, x, np.random.default_rng().random(len(x)))


def by_row(self, x, units, run):
    return np.minimum(np.arange(len(x)) // self.k, len(x) // self.k - 1)


def by_number_of_columns(self, x, units, run):
    run.report("grouping", 1, 1)
    return in_runs(self, x, x[:, int(x.shape[1] > 3)])


def by_rounded_values(self, x, units, run):
    run.report("grouping", 1, 1)
    return in_runs(self, x, np.rint(x[:, 0]) + 1e-9 * x[:, 1 % x.shape[1]])


def in_place(self, x, run=None, **given):
    x *= 2.0
    return MDAV(k=self.k).partition(x, run, **given)


def whatever_n(self, x, run=None, **given):
    if len(x) < self.k:
        return Partition(np.zeros(len(x), dtype=np.int64), len(x))
    return MDAV(k=self.k).partition(x, run, **given)


def never_asked(self, x, units, run):
    return MDAV(k=self.k).group(x, units, Run())


def forgetful(self, x, run=None, *, start=None, **given):
    if start is None:
        return KMeans1(k=self.k).partition(x, run, **given)
    return Partition(np.arange(len(x)) % (len(x) // self.k), self.k)


def only_distinct(self, x, units, run):
    if len(np.unique(x, axis=0)) < len(x):
        raise ValueError("equal records")
    return MDAV(k=self.k).group(x, units, run)


def claims_more(self):
    return ("groups-of-k", "group-means", "marginals-preserved")


def impatient(self, x, labels, units, run):
    if run.enough():
        raise Cancelled("Cancelled while improving groups. Nothing was written.")
    return labels


def small_when_stopped(self, x, run=None, **given):
    found = MDAV(k=self.k).partition(x, run, **given)
    if run is None or not run.enough():
        return found
    return Partition(np.arange(len(x)) // (self.k - 1), self.k - 1)


def any_when_stopped(self, x, run=None, *, start=None, **given):
    if start is None or run is None or not run.enough():
        return KMeans1(k=self.k).partition(x, run, start=start, **given)
    return Partition(np.arange(len(x)) % (len(x) // self.k), self.k)


GROUPS = {
    "every group has k records whatever n": [planted(Microaggregation, group=small_groups)],
    "groups are numbered by their lowest row": [planted(MDAV, partition=from_the_last_row)],
    "same records give the same groups": [planted(Microaggregation, group=by_chance)],
    "order of rows only renames them": [planted(Microaggregation, group=by_row)],
    "a constant column changes nothing": [planted(Microaggregation, group=by_number_of_columns)],
    "scale of all columns changes nothing": [planted(Microaggregation, group=by_rounded_values)],
    "what comes in is left as it was": [planted(MDAV, partition=in_place)],
    "with units every group has k of them": [
        planted(MDAV, unit_aware=True, group=lambda self, x, units, run: MDAV(k=self.k).group(x, None, run))
    ],
    "fewer than k records are refused": [planted(MDAV, partition=whatever_n)],
    "cancelling stops it": [planted(Microaggregation, group=never_asked)],
    "told that it is enough it keeps groups of k": [
        planted(MDAV, partition=small_when_stopped),
        planted(KMeans1, partition=any_when_stopped),
        planted(MDAV, anytime=True),
        planted(KMeans1, improve=impatient),
    ],
    "a release of it is verified": [planted(MDAV, promised=claims_more)],
    "improvement is never worse than its start": [planted(KMeans1, partition=forgetful)],
    "equal records are no obstacle": [planted(Microaggregation, group=only_distinct)],
}


# maskings


def masking(change, **parts):
    return planted(Masking, change=lambda self, x, units, beside, run: Masked(change(x, run)), **parts)


def drawn(run, shape):
    return run.protective_generator().normal(size=shape)


def with_a_gap(x, run):
    return np.where(np.arange(len(x))[:, None] == 3, np.nan, x + x.std(axis=0) * drawn(run, x.shape))


def repeats(x):
    return len(np.unique(x[:, 0])) < len(x)


def doubled(self, x, run=None, **given):
    x *= 2.0
    return Noise().mask(x, run, **given)


def uncancelled(self, x, run=None, **given):
    return Noise().masked(x, replace(run or Run(), cancelled=lambda: False), **given)


MASKINGS = {
    "every value gets a finite one": [
        masking(with_a_gap),
        masking(lambda x, run: x.copy(), by_chance=False),
        masking(lambda x, run: x[1:]),
    ],
    "same seed gives the same bytes": [
        masking(lambda x, run: x + x.std(axis=0) * np.random.default_rng().normal(size=x.shape))
    ],
    "without a seed chance is never the same": [
        masking(lambda x, run: x + x.std(axis=0) * np.random.default_rng(0).normal(size=x.shape)),
        masking(lambda x, run: x + x.std(axis=0) * drawn(run, x.shape), by_chance=False),
    ],
    "unit of measurement changes nothing": [masking(lambda x, run: x + drawn(run, x.shape))],
    "a constant column stays": [
        masking(lambda x, run: x + np.abs(x).mean(axis=0) * drawn(run, x.shape)),
    ],
    "equal records and linear relations": [
        masking(
            lambda x, run: np.full_like(x, np.nan) if repeats(x) else x + x.std(axis=0) * drawn(run, x.shape)
        )
    ],
    "what comes in is left as it was": [planted(Noise, mask=doubled)],
    "cancelling stops it": [planted(Noise, masked=uncancelled)],
    "too few records are refused": [planted(Noise, fewest=lambda self, columns: 1)],
    "never groups of k": [planted(Noise, guarantees=("masked-cells", "noise-independent", "groups-of-k"))],
    "a release of it is verified": [planted(Noise, guarantees=("masked-cells", "marginals-preserved"))],
}


# recodings


def recoding(relabel):
    return planted(Recoding, relabel=lambda self, column, labels: relabel(labels))


def quoting(labels):
    if not all(label.isdigit() for label in labels):
        raise DataError(f"no number: {labels[0]}")
    return list(labels)


def all_alike(self, column, labels):
    return ["all"] * len(labels)


RECODINGS = {
    "every value becomes one text": [
        recoding(lambda labels: sorted(set(labels))[1:]),
        recoding(lambda labels: [3] * len(labels)),
    ],
    "equal values become equal ones": [
        recoding(lambda labels: [f"{label} {at}" for at, label in enumerate(labels)]),
        recoding(lambda labels: [min(labels)] * len(labels)),
        recoding(lambda labels: [f"{label} {labels[:at].count(label)}" for at, label in enumerate(labels)]),
    ],
    "refused without quoting them": [recoding(quoting)],
    "a release of it is verified": [
        planted(
            Recoding, relabel=lambda *_: ["all"] * len(_[2]), guarantees=("recoded", "marginals-preserved")
        )
    ],
    "never groups of k": [planted(Recoding, relabel=all_alike, guarantees=("recoded", "k-units"))],
}


# dropping


def dropping(leaving, **parts):
    """Asks for a number, and for a word that some records miss."""
    asks = property(lambda self: ("x", "town"))
    return planted(Dropping, asks=asks, leaving=lambda self, asked, n: leaving(asked, n), **parts)


def high(asked, n):
    return asked["x"] > 9


def spoiling(asked, n):
    asked["town"][:] = "nowhere"
    return high(asked, n)


DROPPINGS = {
    "every record is told": [
        dropping(lambda asked, n: high(asked, n)[1:]),
        dropping(lambda asked, n: high(asked, n).astype(float)),
    ],
    "the order of the records changes nothing": [
        dropping(lambda asked, n: np.arange(n) < 9),
        dropping(lambda asked, n: asked["x"] > asked["x"][0]),
    ],
    "leaves the cells that it is given as they are": [dropping(spoiling)],
    "never groups of k": [
        dropping(high, guarantees=("dropped", "k-anonymous")),
        dropping(high, guarantees=("dropped", "groups-of-k")),
        dropping(high, guarantees=()),
    ],
    "a release of it is verified": [
        dropping(high, guarantees=("dropped", "marginals-preserved", "expected-frequencies")),
        dropping(lambda asked, n: asked["x"] > -99),
    ],
}


# synthesis


def synthesis(draw, **parts):
    return planted(Synthesis, draw=lambda self, regression, run: draw(regression, run), **parts)


def normal(regression, run):
    noise = drawn(run, (regression.n, regression.residual_rank)) / np.sqrt(regression.n)
    run.report("drawing", 1, 1)
    return regression.with_residuals(noise)


def by_number(regression, run):
    run.report("drawing", 1, 1)
    return regression.fitted + np.sin(np.arange(regression.n))[:, None]


def halved(self, y, s):
    y /= 2.0
    return IPSOA().regress(y, s)


def impatient(self, y, s):
    if len(y) < 3:
        raise ValueError("too few")
    return IPSOA().regress(y, s)


SYNTHESES = {
    "dependent value gets a finite and other one": [
        synthesis(lambda regression, run: regression.y.copy()),
        synthesis(lambda regression, run: np.where(regression.y > 1, np.inf, 0.0)),
    ],
    "same seed gives the same bytes": [synthesis(lambda regression, run: normal(regression, Run()))],
    "without a seed chance is never the same": [
        synthesis(lambda regression, run: normal(regression, Run(seed=1)))
    ],
    "unit of measurement changes nothing": [
        synthesis(lambda regression, run: normal(regression, run) + 1 / regression.scale)
    ],
    "order of rows only renames them": [
        synthesis(
            lambda regression, run: regression.fitted + np.sin(np.arange(regression.n))[:, None],
            by_chance=False,
        )
    ],
    "what comes in is left as it was": [planted(IPSOA, regress=halved)],
    "too few records are refused": [planted(IPSOA, regress=impatient)],
    "would come out unchanged is refused": [
        planted(IPSOA, regress=lambda self, y, s: IPSOA().regress(y, s if y.shape[1] > 1 else None))
    ],
    "cancelling stops it": [
        synthesis(lambda regression, run: normal(regression, replace(run, cancelled=lambda: False)))
    ],
    "promises changed cells and never groups": [
        planted(IPSOA, guarantees=("synthetic-cells",)),
        planted(Trees, guarantees=("synthetic-cells", "values-changed")),
    ],
    "categories come back as codes": [
        planted(
            Trees,
            synthesize=lambda self, y, s=None, run=None, columns=None: (
                Trees().synthesize(y, s, run, columns=columns) + (columns is not None) * 0.5
            ),
        ),
    ],
    "a release of it is verified": [planted(IPSOA, guarantees=(*SYNTHETIC, "means-preserved"))],
}


# measures


def measure(value, **parts):
    own = {"kind": "loss", "name": "PLANTED", **parts}
    return planted(Measure, compute=lambda self, pair, run: self.result(value(pair)), **own)


tick = counted()
MEASURES = {
    "figure lies in its range": [
        measure(lambda pair: np.inf),
        measure(lambda pair: -1.0),
        measure(lambda pair: 101.0, span=(0.0, 100.0)),
        planted(IL1, result=lambda self, value, **detail: replace(IL1().result(value, **detail), name="IL9")),
    ],
    "nothing is lost where nothing varies": [measure(lambda pair: 7.0)],
    "order of rows changes nothing": [
        measure(lambda pair: abs(np.arange(pair.n) @ (pair.original - pair.released)[:, 0]))
    ],
    "computed once per comparison": [
        planted(IL1, score=lambda self, pair, run=None: self.compute(pair, Run()))
    ],
}


# rules


def rule(flag, **parts):
    return planted(Rule, flag=lambda self, cells: flag(cells), **parts)


def but_the_last(cells):
    found = MinimumFrequency(threshold=4).flag(cells)
    found.mask[-1] = False
    return found


def of_the_smallest(cells):
    return Flags.of(cells.count == cells.count[cells.count > 0].min(), cells.total)


RULES = {
    "some cells sensitive but not all": [
        rule(lambda cells: Flags.of(cells.count < 0, cells.total)),
        rule(lambda cells: Flags.of(cells.count >= 0, cells.total)),
    ],
    "by its own contributors alone": [
        rule(but_the_last),
        rule(of_the_smallest),
    ],
    "levels are finite and not negative": [
        rule(lambda cells: Flags.of(cells.count < 4, np.full(cells.total.size, np.inf))),
        rule(lambda cells: Flags.of(cells.count < 4, -cells.total)),
    ],
    "can be withheld and audited": [rule(lambda cells: Flags.of(cells.count < 4, 0.0 * cells.total))],
}


# suppressions


def optimal(table, problem):
    return tacita.method("optimal").suppress(table, problem)


def suppression(choose, **parts):
    return planted(
        Suppression,
        choose=lambda self, table, problem, run: choose(table, problem),
        shapes=("two-way",),
        **parts,
    )


def an_open_one(table, problem):
    found = optimal(table, problem)
    withheld = found.withheld.copy()
    withheld[np.flatnonzero(table.primary)[:1]] = False
    return replace(found, withheld=withheld, cost=found.cost)


def a_sum_too(table, problem):
    found = optimal(table, problem)
    withheld = found.withheld | ~table.inner & table.primary.any()
    return Pattern(
        withheld, found.primary, float(table.cost[withheld & ~table.primary].sum()), 0.0, problem=problem
    )


def not_more_than_asked(table, problem):
    return Pattern.of(table, table.primary, problem=problem)


def dearer(table, problem):
    found = optimal(table, problem)
    return replace(
        found, cost=found.cost + 1, lower_bound=0.0, problem_cost=found.cost + 1, status="feasible"
    )


def all_of_them(table, problem, bound=1.0):
    found = Pattern.of(table, ~table.forced & table.primary.any(), problem=problem)
    return replace(found, lower_bound=bound * found.cost)


def by_the_clock(table, problem):
    found = all_of_them(table, problem, 0.0)
    return found if tick() % 2 else optimal(table, problem)


def whatever_is_asked(self, table, problem="interval", run=None):
    (run or Run()).report("choosing", 0, 1)
    return optimal(table, problem)


def stopped(broken):
    """A suppression that is right unless it is told that it is enough."""

    def suppress(self, table, problem="interval", run=None):
        steered = run or Run()
        steered.report("choosing", 0, 1)
        return broken(table, problem) if steered.enough() else optimal(table, problem)

    return suppression(optimal, suppress=suppress, anytime=True)


SUPPRESSIONS = {
    "every sensitive cell is withheld": [suppression(an_open_one), suppression(a_sum_too)],
    "attack of the audit fails": [suppression(not_more_than_asked)],
    "its cost is that of the other cells": [suppression(dearer)],
    "no pattern is found below its bound": [suppression(all_of_them)],
    "same table gives the same pattern": [suppression(by_the_clock)],
    "not made for are refused by name": [
        suppression(optimal, suppress=whatever_is_asked, problems=("exact",)),
        suppression(optimal, problems=()),
    ],
    "no sensitive cell means nothing is withheld": [
        suppression(
            lambda table, problem: (
                optimal(table, problem) if table.primary.any() else Pattern.of(table, ~table.forced)
            )
        )
    ],
    "cancelling stops it": [suppression(optimal)],
    "told that it is enough it protects": [
        stopped(not_more_than_asked),
        stopped(all_of_them),
        stopped(lambda table, problem: all_of_them(table, problem, 0.0)),
        suppression(optimal, suppress=whatever_is_asked, anytime=True),
    ],
}


# formats


def column(table, at, values):
    return table.set_column(at, table.column_names[at], pa.array(values))


def packed(change):
    return planted(Parquet, pack=lambda self, table: Parquet().pack(change(table)))


def filled(table):
    return column(table, 3, [value or 0.0 for value in table["share"].to_pylist()])


def in_haste(self, path, rows):
    path.read_bytes()
    return Parquet().chunks(path, rows)


def mixed(table):
    """Values that stand several times, as those of groups do, in another order."""
    shares = table["share"].drop_null().to_pylist()
    return table if len(set(shares)) == len(shares) else column(table, 3, sorted(shares, key=repr)[::-1])


def trusting(self, content, source):
    try:
        return Parquet().unpack(content, source)
    except DataError:
        return pa.table({"x": [1]})


def telling(self, content, source):
    try:
        return Parquet().unpack(content, source)
    except DataError:
        raise DataError(f"{source}: cannot read {content!r}") from None


def remembering(self, table):
    return (
        Parquet().pack(table)
        if not table.schema.metadata
        else Parquet().pack(column(table, 1, ["SECRET"] * len(table)))
    )


FORMATS = {
    "declares its endings": [planted(Parquet, endings=()), planted(Parquet, endings=("PQT",))],
    "reads what it wrote": [
        packed(lambda table: table.select(["share", "count", "note", "code"])),
        packed(lambda table: column(table, 3, np.asarray(table["share"]).astype(np.float32).astype(float))),
        packed(lambda table: column(table, 0, [code.lstrip("0") for code in table["code"].to_pylist()])),
    ],
    "missing stays missing": [packed(filled)],
    "refused not changed": [planted(Parquet, pads=True), planted(Parquet, writes=False, instead=".csv")],
    "same bytes also when written again": [
        planted(CSV, encode=lambda self, data: CSV().encode(data) + b"\n" * (tick() % 2)),
    ],
    "nothing is written that no record has": [planted(Parquet, pack=remembering)],
    "parts joined are the whole": [
        planted(Parquet, chunks=lambda self, path, rows: Parquet().chunks(path, rows + 1)),
        planted(Parquet, chunks=lambda self, path, rows: list(Parquet().chunks(path, rows))[1:]),
    ],
    "refused without quoting them": [planted(Parquet, unpack=trusting), planted(Parquet, unpack=telling)],
    "a release in it is verified": [packed(mixed)],
    "parts of what is no such file are refused in words": [planted(Parquet, chunks=in_haste)],
}

KINDS = {
    "microaggregation": GROUPS,
    "masking": MASKINGS,
    "recoding": RECODINGS,
    "dropping": DROPPINGS,
    "synthesis": SYNTHESES,
    "loss": MEASURES,
    "rule": RULES,
    "suppression": SUPPRESSIONS,
    "format": FORMATS,
}
PLANTED = [
    pytest.param(law, method, id=f"{law} {number}")
    for kind in (ENTRIES, *KINDS.values())
    for law, methods in kind.items()
    for number, method in enumerate(methods, 1)
]


@pytest.mark.parametrize(("law", "method"), PLANTED)
def test_a_broken_method_breaks_the_law_that_says_so(law, method):
    with pytest.raises(AssertionError, match=f"^Planted|^{method.__name__}") as told:
        testing.check_method(method)
    assert law in str(told.value).partition("(")[0], told.value


@pytest.mark.parametrize("kind", KINDS)
def test_every_law_has_a_method_that_breaks_it(kind):
    planted_for = {**ENTRIES, **KINDS[kind]}
    assert not [str(law) for law in testing.laws(kind) if not any(part in str(law) for part in planted_for)]


def test_a_method_of_no_kind_is_refused_by_the_kinds_that_there_are():
    with pytest.raises(
        tacita.ParameterError, match=r"no laws of kind 'adjustment'. Known: microaggregation, "
    ):
        testing.check_method(planted(Method, kind="adjustment"))
    with pytest.raises(tacita.ParameterError, match="no laws of kind ''"):
        testing.check_method(3)


def test_a_method_that_needs_parameters_is_checked_as_an_instance():
    recode = type(tacita.method("recode", map={"town 1": "town 2"}))
    with pytest.raises(
        tacita.ParameterError, match=r"Recode cannot be made without parameters\. Check an instance"
    ):
        testing.check_method(recode)


def test_laws_are_parametrized_one_by_one():
    sentences = [str(law) for law in testing.laws("masking")]
    assert len(set(sentences)) == len(sentences) > 15
    with pytest.raises(
        AssertionError, match=r"breaks the law 'the unit of measurement changes nothing' \(masking\)"
    ):
        next(law for law in testing.laws("masking") if "unit" in str(law)).check(
            MASKINGS["unit of measurement changes nothing"][0]()
        )
