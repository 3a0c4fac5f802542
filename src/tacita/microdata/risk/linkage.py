"""Risk that records are linked by distance: who is nearest to whom."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, ClassVar, Literal

import numpy as np
from pydantic import Field

from tacita.core import Comparison, Floats, Ints, Matrix, ParameterError, Run, Score
from tacita.microdata.measure import ColumnMeasure, Measure
from tacita.microdata.mixed import Mixed


def linked_share(queries: Matrix, candidates: Matrix, weights: Floats, run: Run) -> Floats:
    """For each query 1/t if its own candidate is among the t nearest, else 0; exact, in any row order.

    Squared distance: sum of weight * difference^2. O(n^2 d) at worst; the scan of a query ends at the
    first candidate that is nearer than its own, or where the direction of largest spread says that none
    can be.
    """
    from tacita.kernels.records.linkage import Points, own_is_nearest

    scaled = candidates * np.sqrt(weights)
    centre = scaled.mean(axis=0)
    # turned to the main axes of what is searched; the axes only save work, so rounding does no harm
    axes = np.linalg.eigh((scaled - centre).T @ (scaled - centre))[1][:, ::-1]
    turned = (scaled - centre) @ axes
    order = np.argsort(turned[:, 0], kind="stable")
    turned = np.ascontiguousarray(turned[order])
    asking = np.ascontiguousarray((queries * np.sqrt(weights) - centre) @ axes)
    points = Points(queries, candidates, weights, asking, turned, order)

    def block(start: int, stop: int) -> Floats:
        found = np.empty(stop - start)
        own_is_nearest(points, start, stop, found)
        return found

    return np.concatenate(list(run.map_blocks("linking records", len(queries), block, block=512)))


def linked_share_mixed(queries: Matrix, candidates: Matrix, mixed: Mixed, run: Run) -> Floats:
    """The same by Gower's distance, for several kinds of attributes. O(n m d) at worst, m distinct rows."""
    from tacita.kernels.records.linkage import MixedPoints, own_is_nearest_mixed

    spread = np.where(mixed.nominal, -1.0, candidates.std(axis=0) * mixed.weights)
    pivot = int(np.argmax(spread)) if not mixed.nominal.all() else -1
    distinct, own, repeats = np.unique(candidates, axis=0, return_inverse=True, return_counts=True)
    order = np.argsort(distinct[:, pivot], kind="stable") if pivot >= 0 else np.arange(len(distinct))
    place = np.empty(order.size, dtype=np.int64)
    place[order] = np.arange(order.size)
    offered, times = np.ascontiguousarray(distinct[order]), repeats[order].astype(np.int64)
    own = place[own.reshape(-1)]
    points = MixedPoints(queries, offered, times, own, mixed.weights, mixed.nominal, pivot)

    def block(start: int, stop: int) -> Floats:
        found = np.empty(stop - start)
        own_is_nearest_mixed(points, start, stop, found)
        return found

    return np.concatenate(list(run.map_blocks("linking records", len(queries), block, block=512)))


class DLD(Measure):
    """Share of released records whose nearest original record is their own.

    Euclidean distance over all protected attributes, each divided by the original's standard deviation;
    Gower's distance where some are nominal or ordinal (gaps as a share of the range, names equal or not). t
    originals at the same least distance (to 9 digits) share 1/t each. The attacker knows all n original
    records. 0: nobody is found; 1: everybody is. O(n^2 d) at worst, far less on real data.
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

    def compute(self, pair: Comparison, run: Run) -> Score:
        if pair.categories is not None:
            mixed = Mixed.of(pair)
            if not mixed.attributes:
                return self.none("no original column varies")
            linked = linked_share_mixed(mixed.released, mixed.original, mixed, run)
        else:
            pair = pair.varying()
            if not pair.attributes:
                return self.none("no original column varies")
            linked = linked_share(pair.released, pair.original, 1 / pair.scale**2, run)
        return self.result(linked.mean(), per_record=linked)


class DBRL(Measure):
    """Share of people whose nearest released record is their own: they can be found by distance.

    Distance-based record linkage: share of original records whose nearest released record is their own.
    The attacker knows some attributes of everybody and links each person to the nearest released record;
    t released records at the same least distance share 1/t each, since rows of a group are identical.
    `distance`: euclidean on standardised attributes, or mahalanobis with the original's covariance. Where
    some attributes are nominal or ordinal, euclidean is Gower's distance over all of them (gaps as a share of
    the range, names equal or not), and mahalanobis looks at numbers only. `attributes`: how many of the first
    protected attributes, numbers before others, the attacker knows, averaged over the list (such as 3,5,8);
    all if empty. `weights`: one per attribute. O(n^2 d) at worst, far less on real data.
    Source: Domingo-Ferrer & Torra (2001), A quantitative comparison of disclosure control methods for
    microdata, in Confidentiality, Disclosure and Data Access, North-Holland, 111-133.

    >>> DBRL().score(Comparison.of([[0.0], [1.0], [9.0]], [[0.5], [0.5], [9.0]])).value
    66.66666666666667
    """

    kind: ClassVar[str] = "risk"
    name: ClassVar[str] = "DBRL"
    family: ClassVar[str] = "records linked"
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

    def compute(self, pair: Comparison, run: Run) -> Score:
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
        found = [linked(pair, dict(list(weight.items())[:m]), run) for m in known]
        reasons = [each for each in found if isinstance(each, str)]
        if reasons:
            return self.none(reasons[0])
        per_record = 100 * np.mean(np.array(found), axis=0)
        left_out = pair.categories is not None and not mixed
        return self.result(
            per_record.mean(), per_record=per_record, covers=pair.attributes if left_out else ()
        )

    def _linked_mixed(self, pair: Comparison, weight: Mapping[str, float], run: Run) -> Floats | str:
        """Share linked by some attributes of any kind, or why not."""
        mixed = Mixed.of(pair).only(weight)
        if not mixed.attributes:
            return "no original column varies"
        return linked_share_mixed(mixed.original, mixed.released, mixed, run)

    def _linked(self, pair: Comparison, weight: Mapping[str, float], run: Run) -> Floats | str:
        """Share linked by the first attributes, or why not."""
        m = len(weight)
        part = Comparison.of(pair.original[:, :m], pair.released[:, :m], pair.attributes[:m]).varying()
        if not part.attributes:
            return "no original column varies"
        if self.distance == "euclidean":
            own = np.array([weight[name] for name in part.attributes])
            return linked_share(part.original, part.released, own / part.scale**2, run)
        x, z = part.original / part.scale, part.released / part.scale
        covariance = np.cov(x, rowvar=False, ddof=1).reshape(x.shape[1], x.shape[1])
        values, vectors = np.linalg.eigh(covariance)
        if values[0] < 1e-9 * values[-1]:
            return "the original attributes are linearly dependent, their covariance has no inverse"
        whiten = vectors / np.sqrt(values)
        return linked_share(x @ whiten, z @ whiten, np.ones(x.shape[1]), run)


class DBRLAssigned(ColumnMeasure):
    """Share of people found by an attacker who gives everybody a released record of their own.

    One-to-one assignment of least total squared distance on standardised attributes (Hungarian method).
    Rows of a group are identical, so which of them is drawn is chance: a record assigned to any row equal
    to its own counts 1 / how many such rows there are. O(n^3) time and O(n^2) memory: up to 5 000 records.
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

    def compute(self, pair: Comparison, run: Run) -> Score:
        if pair.n > 5_000:
            return self.none(f"an assignment of {pair.n} records would need more than 200 MB; at most 5000")
        return super().compute(pair, run)

    def figures(self, pair: Comparison, run: Run) -> tuple[None, Floats]:
        from scipy.optimize import linear_sum_assignment
        from scipy.spatial.distance import cdist

        run.report("assigning records", 0, 1)
        # in an order of their own: which of several best assignments is found must not depend on the rows
        person, alike = _numbered(pair.original)
        row, repeats = _numbered(pair.released)
        asking, offered = np.argsort(person, kind="stable"), np.argsort(row, kind="stable")
        x, z = pair.original[asking] / pair.scale, pair.released[offered] / pair.scale
        given = row[offered][linear_sum_assignment(cdist(x, z, "sqeuclidean"))[1]]
        # people who are alike share what they were given, and so do equal rows
        pairs, times = np.unique(np.column_stack([person[asking], given]), axis=0, return_counts=True)
        assigned = {tuple(key): count for key, count in zip(pairs.tolist(), times.tolist(), strict=True)}
        own = [assigned.get(key, 0) for key in zip(person.tolist(), row.tolist(), strict=True)]
        run.report("assigning records", 1, 1)
        return None, 100 * np.array(own) / alike[person] / repeats[row]


def _numbered(x: Matrix) -> tuple[Ints, Ints]:
    """The number of each row among the distinct ones in sorted order, and how often each stands."""
    _, number, count = np.unique(x, axis=0, return_inverse=True, return_counts=True)
    return number.reshape(-1).astype(np.int64), count.astype(np.int64)
