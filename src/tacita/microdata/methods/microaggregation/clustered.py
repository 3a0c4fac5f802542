"""Clusters first, groups of k inside them."""

from __future__ import annotations

from typing import Annotated, ClassVar

import numpy as np
from pydantic import Field

from tacita.core import Labels, Matrix, RunContext

from .mdav import MDAV
from .microaggregation_method import Microaggregation
from .reassignment import nearest_centres, reassign
from .repair import merge_short_groups

_USUAL = 200


def spread_out(x: Matrix, count: int, generator: np.random.Generator) -> Matrix:
    """First centres, each a record drawn with chance proportional to its squared distance from those before.

    O(n count d). Source: Arthur & Vassilvitskii (2007), k-means++, Proc. SODA, 1027-1035.

    >>> centres = spread_out(np.array([[0.0], [0.1], [9.0], [9.1]]), 2, np.random.default_rng(0))
    >>> sorted(centres.round().ravel().tolist())
    [0.0, 9.0]
    """
    centres = [x[generator.integers(len(x))]]
    gap = ((x - centres[0]) ** 2).sum(axis=1)
    while len(centres) < count and gap.sum() > 0:
        centres.append(x[generator.choice(len(x), p=gap / gap.sum())])
        gap = np.minimum(gap, ((x - centres[-1]) ** 2).sum(axis=1))
    return np.array(centres)


class Clustered(Microaggregation):
    """Cuts the records into clusters by k-means, then groups by MDAV inside each.

    Clusters minimise sum ||x_i - centre||^2 from k-means++ centres; one with fewer than k records (or k
    units) joins the one that takes it in most cheaply. No group then spans two clusters, and the work falls
    from all pairs of records to the pairs inside clusters: n records in m clusters of equal size take 1/m of
    MDAV's time. Groups at the borders are worse for it. The search repeats with the seed of the run.

    O(n^2 d / (m k) + rounds n m d) time for m clusters, O(n d) memory.
    Source: customary practice with large files; the pieces are k-means and MDAV.

    >>> x = np.array([[0.], [1.], [2.], [50.], [51.], [52.], [53.]])
    >>> Clustered(k=3, clusters=2).partition(x).labels.tolist()
    [0, 0, 0, 1, 1, 1, 1]
    """

    unit_aware: ClassVar[bool] = True

    clusters: Annotated[
        int | None, Field(ge=1, le=100_000, description=f"how many; one for {_USUAL} records unless given")
    ] = None

    def group(self, x: Matrix, units: Labels | None, run: RunContext) -> Labels:
        n = len(x)
        count = min(self.clusters or -(-n // _USUAL), n)
        # drawn from the records in an order of their own, so that the order of the rows does not matter
        canonical = np.ascontiguousarray(x[np.lexsort(x.T[::-1])])
        centres = spread_out(canonical, count, run.search_generator())
        clusters = reassign(x, nearest_centres(x, centres, 1)[:, 0], 0, run.silent())
        clusters = merge_short_groups(x, clusters, self.k, units)
        labels = np.empty(n, dtype=np.int64)
        made, total = 0, int(clusters.max()) + 1
        for cluster in range(total):
            rows = np.flatnonzero(clusters == cluster)
            inside = None if units is None else np.unique(units[rows], return_inverse=True)[1].reshape(-1)
            inner = MDAV(k=self.k).group(np.ascontiguousarray(x[rows]), inside, run.silent())
            labels[rows] = made + inner
            made += int(inner.max()) + 1
            run.report("grouping clusters", cluster + 1, total)
        return labels
