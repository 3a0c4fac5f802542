"""Risk that records are linked by distance: who is nearest to whom."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Annotated, ClassVar, Literal

import numpy as np
from pydantic import Field

from tacita.core import Comparison, Floats, Ints, Mask, Matrix, ParameterError, RunContext, Score
from tacita.microdata.measures.gower import Mixed
from tacita.microdata.measures.measure import ColumnMeasure, Measure
from tacita.microdata.measures.moments import spreads
from tacita.microdata.measures.partial_aggregation import Part, PartialStatistic, Reduction

from .linkage_common import BLOCK, Linked, distinct_rows, foreseen, link_sample, people, shares

# People of a file in parts who are linked. Where records are in groups, chances are 1/2 at the most, and the
# share of linked people is estimated to 0.2 % with 95 % confidence.
_PEOPLE = 100_000
# Candidates of a box that is not cut any further.
_LEAF = 16

_Budget = Annotated[
    float,
    Field(gt=0, description="boxes and records to look at before a sample of people is taken"),
]


def nearest_share(
    queries: Matrix,
    candidates: Matrix,
    weights: Floats,
    run: RunContext,
    budget: float,
    nominal: Mask | None = None,
) -> Linked:
    """For each query 1/t if its own candidate is among the t nearest, else 0; exact, in any row order.

    Squared distance: sum of weight * difference^2; where some columns are nominal or none is, as `nominal`
    says, Gower's: sum of weight * gap. O(n d) a query at worst; of a tree of the distinct candidates only the
    boxes within the own distance are opened. Beyond `budget` boxes and candidates a sample is linked.
    """
    if run.device == "cuda":
        distinct, own, repeats = distinct_rows(candidates)
        return Linked.of_all(_on_card(queries, distinct, own, repeats, weights, nominal, run))
    search, n = Search(queries, candidates, candidates, weights, nominal), len(queries)
    # those who stand near each other ask one after the other: what they look at is at hand
    place = search.places[search.own]

    def link(rows: Ints) -> Floats:
        order = np.argsort(place[rows], kind="stable")
        chances = np.empty(rows.size)
        chances[order] = shares(search.as_near(rows[order], run))
        return chances

    if 2.0 * n * search.size > budget:
        share = budget / foreseen(n, search.looked_at, run)
        if share < 1:
            return link_sample(share, search.mine, link, run)
    return Linked.of_all(link(np.arange(n)))


class Search:
    """Distinct candidates in a tree; who asks among them, and how far each of those is from its own."""

    def __init__(
        self, queries: Matrix, owned: Matrix, candidates: Matrix, weights: Floats, nominal: Mask | None = None
    ) -> None:
        from tacita.kernels.records.kd_boxes import grow
        from tacita.kernels.records.linkage import Points, own_distances

        distinct, self.own, repeats = distinct_rows(candidates)
        gower = nominal is not None
        names = np.zeros(weights.size, dtype=bool) if nominal is None else nominal
        scale, centre = (weights if gower else np.sqrt(weights)), distinct.mean(axis=0)
        scaled, asking = (distinct - centre) * scale, (queries - centre) * scale
        if not gower:
            # turned to the main axes of what is searched; the axes only save work, so rounding does no harm
            axes = np.linalg.eigh(scaled.T @ scaled)[1][:, ::-1]
            scaled, asking = scaled @ axes, np.ascontiguousarray(asking @ axes)
        own_distances(queries, owned, weights, names, gower, mine := np.empty(len(queries)))
        tree = grow(scaled, _LEAF)
        self._points = Points(
            queries=queries,
            candidates=distinct,
            repeats=repeats,
            mine=mine,
            weights=weights,
            nominal=names,
            gower=gower,
            asking=asking,
            tree=tree,
        )

    @property
    def size(self) -> int:
        """How many candidates differ."""
        return len(self._points.candidates)

    @property
    def mine(self) -> Floats:
        """How far each of those who ask is from its own."""
        return self._points.mine

    @property
    def places(self) -> Ints:
        """Where each distinct candidate stands in the tree."""
        order = self._points.tree.order
        place = np.empty(order.size, dtype=np.int64)
        place[order] = np.arange(order.size)
        return place

    def looked_at(self, rows: Ints) -> float:
        """Boxes and candidates that some of those who ask look at."""
        from tacita.kernels.records.linkage import as_near

        return float(as_near(self._points, rows, np.empty(rows.size, dtype=np.int64)))

    def as_near(self, rows: Ints, run: RunContext) -> Ints:
        """How many candidates are as near to each of some as its own; -1 where one is nearer."""
        from tacita.kernels.records.linkage import as_near

        counts = np.empty(rows.size, dtype=np.int64)

        def block(start: int, stop: int) -> None:
            as_near(self._points, rows[start:stop], counts[start:stop])

        for _ in run.map_blocks("linking records", rows.size, block, BLOCK):
            pass
        return counts


def _linked_in_parts(protected: int, among: Literal["original", "released"]) -> Reduction[Linked | None]:
    """People of all parts, or their released records, linked among the records of all parts.

    None where no original column varies.
    """
    known = yield from spreads(protected)
    if not known.varying.size:
        return None
    drawn = yield from people(_PEOPLE, known)
    asking, own = (
        (drawn.original, drawn.released) if among == "released" else (drawn.released, drawn.original)
    )
    columns, weights = tuple(known.varying.tolist()), 1 / known.scale[known.varying] ** 2
    return drawn.linked((yield NearStatistic(asking, own, columns, weights, among)))


@dataclass(frozen=True, eq=False)
class NearStatistic(PartialStatistic):
    """How many records of a part are as near to each of some as its own; -1 where one is nearer."""

    asking: Matrix
    own: Matrix
    columns: tuple[int, ...]
    weights: Floats
    among: Literal["original", "released"]

    def compute(self, part: Part) -> Ints:
        candidates = np.ascontiguousarray(getattr(part.pair, self.among)[:, list(self.columns)])
        search = Search(self.asking, self.own, candidates, self.weights)
        return search.as_near(np.arange(len(self.asking)), part.run)


def _on_card(
    queries: Matrix,
    distinct: Matrix,
    own: Ints,
    repeats: Ints,
    weights: Floats,
    nominal: Mask | None,
    run: RunContext,
) -> Floats:
    """The same of all pairs on a graphics card, always exact. O(n^2 d) at worst."""
    from tacita.kernels import gpu

    if reason := gpu.missing():
        raise ParameterError(f"Linkage: the device cuda cannot be used here: {reason}.", field="device")
    from tacita.kernels.gpu.linkage import QUERIES, Candidates

    names = np.zeros(weights.size, dtype=bool) if nominal is None else nominal
    held = Candidates(distinct, repeats, np.asarray(weights, dtype=np.float64), names, nominal is not None)
    chances = np.empty(len(queries))
    for first in range(0, len(queries), QUERIES):
        run.report("linking records", first, len(queries))
        rows = slice(first, first + QUERIES)
        chances[rows] = held.own_is_nearest(queries[rows], own[rows])
    run.report("linking records", 1, 1)
    return chances


class DLD(Measure):
    """Share of released records whose nearest original record is their own.

    Euclidean distance over all protected attributes, each divided by the original's standard deviation;
    Gower's distance where some are nominal or ordinal (gaps as a share of the range, names equal or not). t
    originals at the same least distance (to 9 digits) share 1/t each. The attacker knows all n original
    records. 0: nobody is found; 1: everybody is. O(n^2 d) at worst, and a sample, as DBRL.
    Records are linked, whatever units there are: a link to another record of the same unit counts as wrong,
    although it finds the unit.
    Source: Domingo-Ferrer & Torra (2001), A quantitative comparison of disclosure control methods for
    microdata, in Confidentiality, Disclosure and Data Access, North-Holland, 111-133.

    >>> round(DLD().score(Comparison.of([[0.0], [1.0], [9.0]], [[0.1], [8.0], [9.2]])).value, 4)
    0.6667
    """

    kind: ClassVar[str] = "risk"
    name: ClassVar[str] = "DLD"
    family: ClassVar[str] = "records linked"
    span: ClassVar[tuple[float, float | None]] = (0.0, 1.0)
    measured_in: ClassVar[str] = ""
    of_categories: ClassVar[bool] = True

    budget: _Budget = 1e9

    def in_parts(self, names: tuple[str, ...], run: RunContext) -> Reduction[Score]:
        linked = yield from _linked_in_parts(len(names), "original")
        if linked is None:
            return self.none("no original column varies")
        return self.result(linked.mean, error=linked.error)

    def compute(self, pair: Comparison, run: RunContext) -> Score:
        if pair.categories is not None:
            mixed = Mixed.of(pair)
            if not mixed.attributes:
                return self.none("no original column varies")
            linked = nearest_share(
                mixed.released, mixed.original, mixed.weights, run, self.budget, mixed.nominal
            )
        else:
            pair = pair.varying()
            if not pair.attributes:
                return self.none("no original column varies")
            linked = nearest_share(pair.released, pair.original, 1 / pair.scale**2, run, self.budget)
        return self.result(linked.mean, error=linked.error, per_record=linked.per_record)


class DBRL(Measure):
    """Share of people whose nearest released record is their own: they can be found by distance.

    Distance-based record linkage: share of original records whose nearest released record is their own.
    The attacker knows some attributes of everybody and links each person to the nearest released record;
    t released records at the same least distance share 1/t each, since rows of a group are identical.
    `distance`: euclidean on standardised attributes, or mahalanobis with the original's covariance. Where
    some attributes are nominal or ordinal, euclidean is Gower's distance over all of them (gaps as a share of
    the range, names equal or not), and mahalanobis looks at numbers only. `attributes`: how many of the first
    protected attributes, numbers before others, the attacker knows, averaged over the list (such as 3,5,8);
    all if empty. `weights`: one per attribute.

    O(n^2 d) at worst; on real data O(n d log n): a search tree of distinct released records skips the boxes
    that are farther away than a person's own record. A thousand people give an estimate of the work. If it
    exceeds `budget` boxes and records, a sample of people is linked to all released records, drawn within
    fifty strata of people at a similar distance from their own record; the figure then has its standard
    error. A million records of 8
    skewed columns in groups take a quarter of the default, a million of 13 unrelated columns under noise six
    times as much. A budget of 1e18 is exact for any file. Of a file in parts 100 000 people are linked, each
    to the released records of all parts.
    Records are linked, whatever units there are: a link to another record of the same unit counts as wrong,
    although it finds the unit.
    Source: Domingo-Ferrer & Torra (2001), A quantitative comparison of disclosure control methods for
    microdata, in Confidentiality, Disclosure and Data Access, North-Holland, 111-133.

    >>> DBRL().score(Comparison.of([[0.0], [1.0], [9.0]], [[0.5], [0.5], [9.0]])).value
    66.66666666666667
    """

    kind: ClassVar[str] = "risk"
    name: ClassVar[str] = "DBRL"
    family: ClassVar[str] = "records linked"
    pictured: ClassVar[bool] = True
    span: ClassVar[tuple[float, float | None]] = (0.0, 100.0)
    of_categories: ClassVar[bool] = True

    distance: Annotated[Literal["euclidean", "mahalanobis"], Field(description="what nearest means")] = (
        "euclidean"
    )
    attributes: Annotated[
        tuple[Annotated[int, Field(ge=1)], ...],
        Field(description="numbers of first attributes known to the attacker, averaged; empty: all"),
    ] = ()
    weights: Annotated[
        tuple[Annotated[float, Field(gt=0)], ...],
        Field(description="weight of each protected attribute; empty: all alike"),
    ] = ()
    budget: _Budget = 1e9

    def in_parts(self, names: tuple[str, ...], run: RunContext) -> Reduction[Score] | None:
        usual = self.distance == "euclidean" and not self.attributes and not self.weights
        return self._in_parts(names) if usual else None

    def _in_parts(self, names: tuple[str, ...]) -> Reduction[Score]:
        linked = yield from _linked_in_parts(len(names), "released")
        if linked is None:
            return self.none("no original column varies")
        return self.result(linked.percent().mean, error=linked.percent().error)

    def compute(self, pair: Comparison, run: RunContext) -> Score:
        mixed = pair.categories is not None and self.distance == "euclidean"
        if not pair.attributes and not mixed:
            return self.none("no protected attribute is numeric")
        names = pair.attributes
        if pair.categories is not None and mixed:
            names = (*names, *pair.categories.attributes)
        if self.weights and len(self.weights) != len(names):
            raise ParameterError(
                f"DBRL: wanted {len(names)} weights, one per attribute, got {len(self.weights)}."
            )
        weight = dict(zip(names, self.weights or (1.0,) * len(names), strict=True))
        linked = self._linked_mixed if mixed else self._linked
        known = [min(m, len(names)) for m in self.attributes] or [len(names)]
        results = [linked(pair, dict(list(weight.items())[:m]), run) for m in known]
        reasons = [result for result in results if isinstance(result, str)]
        if reasons:
            return self.none(reasons[0])
        whole = Linked.average([result for result in results if isinstance(result, Linked)]).percent()
        left_out = pair.categories is not None and not mixed
        return self.result(
            whole.mean,
            error=whole.error,
            per_record=whole.per_record,
            covers=pair.attributes if left_out else (),
        )

    def _linked_mixed(self, pair: Comparison, weight: Mapping[str, float], run: RunContext) -> Linked | str:
        """Share linked by some attributes of any kind, or why not."""
        mixed = Mixed.of(pair).only(weight)
        if not mixed.attributes:
            return "no original column varies"
        return nearest_share(mixed.original, mixed.released, mixed.weights, run, self.budget, mixed.nominal)

    def _linked(self, pair: Comparison, weight: Mapping[str, float], run: RunContext) -> Linked | str:
        """Share linked by the first attributes, or why not."""
        m = len(weight)
        part = Comparison.of(pair.original[:, :m], pair.released[:, :m], pair.attributes[:m]).varying()
        if not part.attributes:
            return "no original column varies"
        if self.distance == "euclidean":
            own = np.array([weight[name] for name in part.attributes])
            return nearest_share(part.original, part.released, own / part.scale**2, run, self.budget)
        x, z = part.original / part.scale, part.released / part.scale
        covariance = np.cov(x, rowvar=False, ddof=1).reshape(x.shape[1], x.shape[1])
        values, vectors = np.linalg.eigh(covariance)
        if values[0] < 1e-9 * values[-1]:
            return "the original attributes are linearly dependent, their covariance has no inverse"
        whiten = vectors / np.sqrt(values)
        return nearest_share(x @ whiten, z @ whiten, np.ones(x.shape[1]), run, self.budget)


class DBRLAssigned(ColumnMeasure):
    """Share of people found by an attacker who gives everybody a released record of their own.

    One-to-one assignment of least total squared distance on standardised attributes (Hungarian method).
    Rows of a group are identical, so which of them is drawn is chance: a record assigned to any row equal
    to its own counts 1 / how many such rows there are. O(n^3) time and O(n^2) memory: up to 5 000 records.
    Records are linked, whatever units there are: a link to another record of the same unit counts as wrong,
    although it finds the unit.
    Source: Herranz, Nin, Rodríguez & Tassa (2015), Revisiting distance-based record linkage for privacy-
    preserving release of statistical datasets, Data & Knowledge Engineering 100, 78-93.

    >>> DBRLAssigned().score(Comparison.of([[0.0], [1.0], [9.0]], [[0.4], [1.4], [9.0]])).value
    100.0
    """

    kind: ClassVar[str] = "risk"
    name: ClassVar[str] = "DBRL_assigned"
    family: ClassVar[str] = "records linked"
    span: ClassVar[tuple[float, float | None]] = (0.0, 100.0)
    by_default: ClassVar[bool] = False

    def compute(self, pair: Comparison, run: RunContext) -> Score:
        if pair.n > 5_000:
            return self.none(f"an assignment of {pair.n} records would need more than 200 MB; at most 5000")
        return super().compute(pair, run)

    def figures(self, pair: Comparison, run: RunContext) -> tuple[None, Floats]:
        from scipy.optimize import linear_sum_assignment
        from scipy.spatial.distance import cdist

        run.report("assigning records", 0, 1)
        # in an order of their own: which of several best assignments is found must not depend on the rows
        person, alike = _numbered(pair.original)
        row, repeats = _numbered(pair.released)
        asking, offered = np.argsort(person, kind="stable"), np.argsort(row, kind="stable")
        x, z = pair.original[asking] / pair.scale, pair.released[offered] / pair.scale
        assigned_row = row[offered][linear_sum_assignment(cdist(x, z, "sqeuclidean"))[1]]
        # people who are alike share what they were given, and so do equal rows
        pairs, times = np.unique(np.column_stack([person[asking], assigned_row]), axis=0, return_counts=True)
        assigned = {tuple(key): count for key, count in zip(pairs.tolist(), times.tolist(), strict=True)}
        own = [assigned.get(key, 0) for key in zip(person.tolist(), row.tolist(), strict=True)]
        run.report("assigning records", 1, 1)
        return None, 100 * np.array(own) / alike[person] / repeats[row]


def _numbered(x: Matrix) -> tuple[Ints, Ints]:
    """The number of each row among the distinct ones in sorted order, and how often each stands."""
    _, number, count = np.unique(x, axis=0, return_inverse=True, return_counts=True)
    return number.reshape(-1).astype(np.int64), count.astype(np.int64)
