"""The experiments on synthetic data: Census split in two ways, one attribute in turn, and five clouds.

Published figures are those of document 004, a thesis on fuzzy c-regression for synthetic data; neither its
five clouds nor its programs are at hand. By its listing in R, what it calls IPSO-A is the bare prediction,
our `regression`, and its IPSO-B adds noise of variance 1 at most. It gives PIL and DR by their parts, and
leaves open over which attributes these run. Several readings of both were tried on the same runs, and the
two that come nearest stand beside our own definitions: PIL over dependent attributes alone
(`pil_dependent`), and DR without its part of probabilistic linkage (`dr_unlinked`). That they fit is no
proof that they are what was computed: they were chosen because they fit.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, fields
from typing import Any, Literal, get_args

import numpy as np
import numpy.typing as npt

from experiments.printed import thesis
from experiments.printed.thesis import SPLITS
from tacita import datasets
from tacita.core import Comparison, DataError, Run
from tacita.microdata.balance import DR, SCORE
from tacita.microdata.loss.probabilistic import PIL
from tacita.microdata.risk.probabilistic import PRL
from tacita.microdata.synthesis.base import FUNCTION_LIMIT, Synthesis
from tacita.microdata.synthesis.clusterwise import IPSOCluster
from tacita.microdata.synthesis.fcrm import FCRM
from tacita.microdata.synthesis.ipso import IPSOA, IPSOB, IPSOC, IPSOQ, LinearRegression

Matrix = npt.NDArray[np.float64]
Memberships = Literal["joint", "separate"]
Triple = tuple[float, float, float]

# Numbers of clusters with all readings of both measures; every printed one is in `against_c`.
SHOWN: dict[str, tuple[int, ...]] = {"S1": (2, 4, 8, 12, 15), "S2": (2, 10, 26, 45, 81)}
# our name -> that of the thesis
OF_THESIS = {"regression": "IPSO-A", "ipso-c": "IPSO-C"}

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
    them two readings of the thesis, chosen after the fact because they come nearest to what it prints:
    `pil_dependent`, over pairs of dependent attributes only, and `dr_unlinked`, DR without probabilistic
    linkage. `unchanged` is the share (%) of values that come out within a thousandth of the spread.
    """

    pil: float
    pil_dependent: float
    dr: float
    dr_unlinked: float
    score: float
    unchanged: float


@dataclass(frozen=True)
class Row:
    """One line of a table: ours, and PIL, DR and SCORE as published where they were."""

    experiment: str
    method: str
    memberships: Memberships | None
    c: int | None
    seeds: int
    ours: Figures
    published: Triple | None


@dataclass(frozen=True)
class Agreement:
    """Largest distance between ours and the published in one column under one setting."""

    experiment: str
    memberships: Memberships
    column: str
    from_c: int
    largest_gap: float


@dataclass(frozen=True)
class SurfacePoint:
    """S3: means over the dependent attribute, in turn; `left_out` were functions of the independent ones."""

    independents: int
    c: int
    ours: Figures
    attributes: int
    left_out: int


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
        score=_value(SCORE(), pair),
        unchanged=100 * float(close.mean()),
    )


def _value(measure: Any, pair: Comparison) -> float:
    score = measure.score(pair, Run(threads=1))
    if score.value is None:
        raise DataError(f"Reproduce: {score.name} has no value: {score.reason}.")
    return float(score.value)


def mean_figures(found: Sequence[Figures]) -> Figures:
    """Column by column."""
    return Figures(*(float(np.mean([getattr(each, f.name) for each in found])) for f in fields(Figures)))


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


def split_table(x: Matrix, split: str, run: Run, seeds: int = 10) -> list[Row]:
    """S1 or S2 of Census (n x 13, the file's order): FCRM at some printed c, both memberships, and IPSO.

    IPSO is the mean of `seeds` seeds; FCRM draws nothing. FCRM is insisted on (leverage and unchanged values
    would mostly be refused).
    """
    tasks = len(SHOWN[split]) * 2 + len(_IPSO)
    rows: list[Row] = []
    for row in _split_rows(x, split, run, seeds):
        rows.append(row)
        run.report(f"reproducing {split}", len(rows), tasks)
    return rows


def _split_rows(x: Matrix, split: str, run: Run, seeds: int) -> Iterator[Row]:
    y, s = divide(x, SPLITS[split])
    for memberships in get_args(Memberships):
        for c in SHOWN[split]:
            ours = figures(y, fcrm(c, memberships).synthesize(y, s, _inner(run, 0)), s)
            yield Row(split, "fcrm", memberships, c, 1, ours, printed_for(split, "fcrm", c))
    for name, method in _IPSO.items():
        count = 1 if name == "regression" else seeds
        found = [figures(y, method().synthesize(y, s, _inner(run, seed)), s) for seed in range(count)]
        yield Row(split, name, None, None, count, mean_figures(found), printed_for(split, name))


def against_c(
    x: Matrix,
    split: str,
    run: Run,
    clusters: Iterable[int] = range(1, 17),
    memberships: Memberships = "joint",
) -> list[Row]:
    """FCRM on S1 or S2 for many c, for a plot of PIL, DR and SCORE."""
    y, s = divide(x, SPLITS[split])
    wanted, rows = list(clusters), []
    for c in wanted:
        ours = figures(y, fcrm(c, memberships).synthesize(y, s, _inner(run, 0)), s)
        rows.append(Row(split, "fcrm", memberships, c, 1, ours, printed_for(split, "fcrm", c)))
        run.report(f"reproducing {split} against c", len(rows), len(wanted))
    return rows


def agreements(rows: Iterable[Row], from_c: int = 2) -> list[Agreement]:
    """How far FCRM's columns are from the published ones under each setting, from some c on."""
    shown = [row for row in rows if row.published and row.memberships and (row.c or 0) >= from_c]
    found = []
    for experiment, memberships in sorted({(row.experiment, row.memberships or "joint") for row in shown}):
        mine = [row for row in shown if (row.experiment, row.memberships) == (experiment, memberships)]
        for place, columns in enumerate((("pil", "pil_dependent"), ("dr", "dr_unlinked"), ("score",))):
            for column in columns:
                gaps = [abs(getattr(row.ours, column) - (row.published or ())[place]) for row in mine]
                found.append(Agreement(experiment, memberships, column, from_c, max(gaps)))
    return found


def five_clouds(seed: int = 2005, size: int = 60) -> Matrix:
    """Five clouds of our own in the plane, `size` points each: n x 2, the second attribute dependent."""
    frame = datasets.five_clouds(seed, size)
    return np.column_stack([frame["x"].to_numpy(), frame["y"].to_numpy()])


def cloud_table(run: Run, clusters: Iterable[int] = range(2, 11)) -> list[Row]:
    """FCRM on the five clouds for each c, beside what the thesis prints for its own."""
    points = five_clouds()
    s, y = points[:, :1], points[:, 1:]
    wanted, rows = list(clusters), []
    for c in wanted:
        ours = figures(y, fcrm(c, "joint").synthesize(y, s, _inner(run, 0)), s)
        rows.append(Row(CLOUDS, "fcrm", "joint", c, 1, ours, printed_for(CLOUDS, "fcrm", c)))
        run.report("reproducing the five clouds", len(rows), len(wanted))
    return rows


def surface(
    x: Matrix, run: Run, independents: Iterable[int] = range(1, 13), clusters: Iterable[int] = range(1, 11)
) -> list[SurfacePoint]:
    """S3: each attribute dependent in turn, on the first N others in the file's order, c clusters; means.

    The thesis takes the N attributes that follow, and prints N up to 19, which 13 attributes do not give. An
    attribute that is a function of the N
    others is left out and counted.
    """
    many, few = list(independents), list(clusters)
    d, done, points = x.shape[1], 0, []
    for n_independent in many:
        for c in few:
            found, left_out = [], 0
            for dependent in range(d):
                y, others = divide(x, (dependent,))
                s = others[:, :n_independent]
                try:
                    released = fcrm(c, "joint").synthesize(y, s, _inner(run, 0))
                except DataError:
                    left_out += 1
                    continue
                found.append(figures(y, released, s))
            if found:
                points.append(SurfacePoint(n_independent, c, mean_figures(found), d, left_out))
            done += 1
            run.report("reproducing S3", done, len(many) * len(few))
    return points


def divide(x: Matrix, dependent: Sequence[int]) -> tuple[Matrix, Matrix]:
    """Dependent and independent columns."""
    return np.ascontiguousarray(x[:, list(dependent)]), np.delete(x, list(dependent), axis=1)


def fcrm(c: int, memberships: Memberships) -> FCRM:
    """As in the thesis, but with intercept; leverage and unchanged values insisted on, no constraints."""
    return FCRM(c=c, memberships=memberships, max_leverage=1, max_unchanged=1, equalities=False)


def _inner(run: Run, seed: int) -> Run:
    """One release of many: silent, but it can be cancelled; seeds count on from the run's own."""
    return Run(seed=(run.seed or 0) + seed, threads=1, cancelled=run.cancelled)
