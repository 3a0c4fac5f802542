"""The experiments on synthetic data: Census split in two ways, and five clouds.

Published figures are those of document 004, a thesis on fuzzy c-regression for synthetic data; neither its
five clouds nor its programs are at hand. By its listing in R, what it calls IPSO-A is the bare prediction,
our `regression`, and its IPSO-B adds residuals of noise of variance 1. It gives PIL and DR by their parts,
and leaves open over which attributes these run. Three readings stand beside our own definitions: PIL over
dependent attributes alone (`pil_dependent`) and DR without its part of probabilistic linkage
(`dr_unlinked`), chosen because they come near the rows of FCRM; and DR with intervals of 1 % of the ranks
(`dr_rank`), chosen because it comes near the rows of IPSO-A (`calibration`). That they fit is no proof that
they are what was computed.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, fields
from typing import Any, Literal, get_args

import numpy as np
import numpy.typing as npt

from experiments.printed import thesis
from experiments.printed.thesis import SPLITS
from tacita import datasets
from tacita.core import Comparison, DataError, RunContext
from tacita.microdata.measures.loss.probabilistic import PIL
from tacita.microdata.measures.risk.probabilistic import PRL
from tacita.microdata.measures.tradeoff import DR, SCORE
from tacita.microdata.methods.synthesis.clusterwise import IPSOCluster
from tacita.microdata.methods.synthesis.fcrm import FCRM
from tacita.microdata.methods.synthesis.ipso import IPSOA, IPSOB, IPSOC, IPSOQ, LinearRegression
from tacita.microdata.methods.synthesis.regression import column_basis, without
from tacita.microdata.methods.synthesis.synthesis_method import FUNCTION_LIMIT, Synthesis
from tacita.microdata.statistics.standardise import standardise

from .written import Writing

Matrix = npt.NDArray[np.float64]
Memberships = Literal["joint", "separate"]
Triple = tuple[float, float, float]

# Numbers of clusters with all readings of both measures; every printed one is in `against_c`.
SHOWN: dict[str, tuple[int, ...]] = {"S1": (2, 4, 8, 12, 15), "S2": (2, 10, 26, 45, 81)}
# our name -> that of the thesis
LISTED = "ipso-b, listed"
OF_THESIS = {"regression": "IPSO-A", LISTED: "IPSO-B", "ipso-c": "IPSO-C"}

CLOUDS = "five clouds"
_IPSO: dict[str, type[Synthesis]] = {
    "regression": LinearRegression,
    "ipso-a": IPSOA,
    "ipso-b": IPSOB,
    "ipso-c": IPSOC,
    "ipso-q": IPSOQ,
    "ipso-cluster": IPSOCluster,
}


@dataclass(frozen=True)
class Figures:
    """What one release, or the mean of some, loses and gives away.

    `pil`, `dr` and `score` are by our own definitions, PIL over all pairs with a dependent attribute. Beside
    them readings of the thesis, chosen after the fact because they come nearest to what it prints:
    `pil_dependent`, over pairs of dependent attributes only, `dr_unlinked`, DR without probabilistic linkage,
    and `dr_rank`, DR with intervals of 1 % of the ranks. `unchanged` is the share (%) of values that come out
    within a thousandth of the spread.
    """

    pil: float
    pil_dependent: float
    dr: float
    dr_unlinked: float
    dr_rank: float
    score: float
    unchanged: float


@dataclass(frozen=True)
class Row:
    """One line of a table: ours, and PIL, DR and SCORE as published where they were.

    Of FCRM, `objective` is the sum of its fits, of standardised attributes, and `change` the largest change
    of a membership in their last rounds.
    """

    experiment: str
    method: str
    memberships: Memberships | None
    c: int | None
    seeds: int
    ours: Figures
    published: Triple | None
    objective: float | None = None
    change: float | None = None


@dataclass(frozen=True)
class Spread:
    """FCRM from the starts of several seeds: means, and the least and the largest of each figure."""

    experiment: str
    memberships: Memberships
    c: int
    seeds: int
    mean: Figures
    low: Figures
    high: Figures


@dataclass(frozen=True)
class Written:
    """FCRM by one reading of the thesis's text; None where its values leave all bounds."""

    experiment: str
    c: int
    writing: Writing
    ours: Figures | None
    objective: float
    change: float


@dataclass(frozen=True)
class Agreement:
    """Largest distance between ours and the published in one column under one setting."""

    experiment: str
    memberships: Memberships
    column: str
    from_c: int
    largest_gap: float


def figures(y: Matrix, released: Matrix, s: Matrix) -> Figures:
    """Loss and risk of one release."""
    pair, alone = Comparison.of(y, released, context=s), Comparison.of(y, released)
    close = np.abs(y - released) < FUNCTION_LIMIT * y.std(axis=0, ddof=1)
    risk, linked = _value(DR(), pair), _value(PRL(), pair)
    return Figures(
        pil=_value(PIL(), pair),
        pil_dependent=_value(PIL(), alone),
        dr=risk,
        dr_unlinked=risk - 0.25 * linked,
        dr_rank=_value(DR(interval="rank", widths=(0.01,)), pair),
        score=_value(SCORE(), pair),
        unchanged=100 * float(close.mean()),
    )


def _value(measure: Any, pair: Comparison) -> float:
    score = measure.score(pair, RunContext(threads=1))
    if score.value is None:
        raise DataError(f"Reproduce: {score.name} has no value: {score.reason}.")
    return float(score.value)


def mean_figures(found: Sequence[Figures]) -> Figures:
    """Column by column."""
    return _by_column(np.mean, found)


def _by_column(of: Callable[[list[float]], Any], found: Sequence[Figures]) -> Figures:
    return Figures(*(float(of([getattr(each, f.name) for each in found])) for f in fields(Figures)))


def printed_for(experiment: str, method: str, c: int | None = None) -> Triple | None:
    """PIL, DR and SCORE that the thesis prints of a method, ours by our name.

    >>> printed_for("S1", "regression"), printed_for("S1", "ipso-q")
    ((49.163, 10.044, 29.603), None)
    """
    of_fcrm = {CLOUDS: thesis.TABLE_5, **thesis.FCRM}
    if method == "fcrm":
        row = of_fcrm[experiment].get(c or 0)
    else:
        row = thesis.IPSO[experiment].get(OF_THESIS.get(method, ""))
    return None if row is None else (row.pil, row.dr, row.score)


def row_from_numbers(numbers: Mapping[str, Any]) -> Row:
    """One row of an earlier run, beside what is known to be printed today."""
    published = printed_for(numbers["experiment"], numbers["method"], numbers["c"])
    return Row(**{**numbers, "ours": Figures(**numbers["ours"]), "published": published})


def spread_from_numbers(numbers: Mapping[str, Any]) -> Spread:
    """One row over several seeds of an earlier run."""
    return Spread(**{**numbers, **{each: Figures(**numbers[each]) for each in ("mean", "low", "high")}})


def written_from_numbers(numbers: Mapping[str, Any]) -> Written:
    """One row as written of an earlier run."""
    ours = Figures(**numbers["ours"]) if numbers["ours"] else None
    return Written(**{**numbers, "ours": ours, "writing": Writing(**numbers["writing"])})


def split_table(x: Matrix, split: str, run: RunContext, seeds: int = 10) -> list[Row]:
    """S1 or S2 of Census (n x 13, the file's order): FCRM at some printed c, both memberships, and IPSO.

    IPSO is the mean of `seeds` seeds; FCRM starts at one (`seed_table` has more). FCRM is insisted on
    (leverage and unchanged values would mostly be refused).
    """
    tasks = len(SHOWN[split]) * 2 + len(_IPSO) + 1
    rows: list[Row] = []
    for row in _split_rows(x, split, run, seeds):
        rows.append(row)
        run.report(f"reproducing {split}", len(rows), tasks)
    return rows


def _split_rows(x: Matrix, split: str, run: RunContext, seeds: int) -> Iterator[Row]:
    y, s = divide(x, SPLITS[split])
    for memberships in get_args(Memberships):
        for c in SHOWN[split]:
            yield _fcrm_row(split, y, s, c, memberships, run)
    for name, method in _IPSO.items():
        count = 1 if name == "regression" else seeds
        found = [figures(y, method().synthesize(y, s, inner(run, seed)), s) for seed in range(count)]
        yield Row(split, name, None, None, count, mean_figures(found), printed_for(split, name))
    found = [figures(y, listed_ipso_b(y, s, seed), s) for seed in range(seeds)]
    yield Row(split, LISTED, None, None, seeds, mean_figures(found), printed_for(split, LISTED))


def listed_ipso_b(y: Matrix, s: Matrix, seed: int) -> Matrix:
    """IPSO-B by the thesis's listing (appendix A.1): predictions and residuals of noise of variance 1.

    The noise of each attribute has mean 0 and variance 1, whatever the attribute is measured in; its
    residuals are those of a regression on all attributes.
    """
    prediction = LinearRegression().synthesize(y, s)
    noise = np.random.default_rng(seed).normal(size=y.shape)
    noise = (noise - noise.mean(axis=0)) / noise.std(axis=0, ddof=1)
    return prediction + without(noise, column_basis(standardise(np.hstack([y, s]))))


def _fcrm_row(
    experiment: str, y: Matrix, s: Matrix, c: int, memberships: Memberships, run: RunContext, seed: int = 0
) -> Row:
    released, fits = fcrm(c, memberships).searched(y, s, inner(run, seed))
    objective, change = sum(fit["objective"] for fit in fits), max(fit["change"] for fit in fits)
    ours, published = figures(y, released, s), printed_for(experiment, "fcrm", c)
    return Row(experiment, "fcrm", memberships, c, 1, ours, published, objective, change)


def seed_table(
    x: Matrix, split: str, run: RunContext, clusters: Iterable[int], seeds: int = 5
) -> list[Spread]:
    """FCRM from the starts of several seeds: how much of a figure is chance."""
    y, s = divide(x, SPLITS[split])
    wanted, rows = [(c, kind) for kind in get_args(Memberships) for c in clusters], []
    for c, kind in wanted:
        found = [_fcrm_row(split, y, s, c, kind, run, seed).ours for seed in range(seeds)]
        rows.append(
            Spread(split, kind, c, seeds, *(_by_column(of, found) for of in (np.mean, np.min, np.max)))
        )
        run.report(f"reproducing {split} at several seeds", len(rows), len(wanted))
    return rows


def written_table(
    x: Matrix, split: str, run: RunContext, writings: Iterable[Writing], clusters: Iterable[int]
) -> list[Written]:
    """FCRM as the thesis writes it, at some c, by some readings of its text."""
    y, s = divide(x, SPLITS[split])
    wanted, rows = [(writing, c) for writing in writings for c in clusters], []
    for writing, c in wanted:
        released, objective, change = writing.synthesize(y, s, c, run.seed or 0)
        ours = figures(y, released, s) if np.isfinite(released).all() else None
        rows.append(Written(split, c, writing, ours, objective, change))
        run.report(f"reproducing {split} as written", len(rows), len(wanted))
    return rows


def against_c(
    x: Matrix,
    split: str,
    run: RunContext,
    clusters: Iterable[int] = range(1, 17),
    memberships: Memberships = "joint",
) -> list[Row]:
    """FCRM on S1 or S2 for many c, for a plot of PIL, DR and SCORE."""
    y, s = divide(x, SPLITS[split])
    wanted, rows = list(clusters), []
    for c in wanted:
        rows.append(_fcrm_row(split, y, s, c, memberships, run))
        run.report(f"reproducing {split} against c", len(rows), len(wanted))
    return rows


def agreements(rows: Iterable[Row], from_c: int = 2) -> list[Agreement]:
    """How far FCRM's columns are from the published ones under each setting, from some c on."""
    shown = [row for row in rows if row.published and row.memberships and (row.c or 0) >= from_c]
    found = []
    for experiment, memberships in sorted({(row.experiment, row.memberships or "joint") for row in shown}):
        mine = [row for row in shown if (row.experiment, row.memberships) == (experiment, memberships)]
        for place, columns in enumerate(
            (
                ("pil", "pil_dependent"),
                ("dr", "dr_unlinked", "dr_rank"),
                ("score",),
            )
        ):
            for column in columns:
                gaps = [abs(getattr(row.ours, column) - (row.published or ())[place]) for row in mine]
                found.append(Agreement(experiment, memberships, column, from_c, max(gaps)))
    return found


def five_clouds(seed: int = 2005, size: int = 60) -> Matrix:
    """Five clouds of our own in the plane, `size` points each: n x 2, the second attribute dependent."""
    frame = datasets.five_clouds(seed, size)
    return np.column_stack([frame["x"].to_numpy(), frame["y"].to_numpy()])


def cloud_table(run: RunContext, clusters: Iterable[int] = range(2, 11)) -> list[Row]:
    """FCRM on the five clouds for each c, beside what the thesis prints for its own."""
    points = five_clouds()
    s, y = points[:, :1], points[:, 1:]
    wanted, rows = list(clusters), []
    for c in wanted:
        rows.append(_fcrm_row(CLOUDS, y, s, c, "joint", run))
        run.report("reproducing the five clouds", len(rows), len(wanted))
    return rows


def divide(x: Matrix, dependent: Sequence[int]) -> tuple[Matrix, Matrix]:
    """Dependent and independent columns."""
    return np.ascontiguousarray(x[:, list(dependent)]), np.delete(x, list(dependent), axis=1)


def fcrm(c: int, memberships: Memberships) -> FCRM:
    """As in the thesis, but with intercept; leverage and unchanged values insisted on, no constraints."""
    return FCRM(c=c, memberships=memberships, max_leverage=1, max_unchanged=1, equalities=False)


def inner(run: RunContext, seed: int) -> RunContext:
    """One release of many: silent, but it can be cancelled; seeds count on from the run's own."""
    return RunContext(seed=(run.seed or 0) + seed, threads=1, should_cancel=run.should_cancel)
