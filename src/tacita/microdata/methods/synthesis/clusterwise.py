"""IPSO-C inside fuzzy clusters: moments exact in every cluster, and so in all."""

from __future__ import annotations

from typing import ClassVar

import numpy as np
from pydantic import Field

from tacita.core import Labels, Matrix, RunContext

from .fuzzy import fuzzy_c_means
from .ipso import ALL_MOMENTS, exact_directions
from .regression import Regression
from .synthesis_method import Synthesis, fault_of


class IPSOCluster(Synthesis):
    """IPSO-C inside each of c fuzzy clusters, so that it follows bends that one regression does not.

    Fuzzy c-means on all attributes, standardised; every record goes to the cluster of its largest share;
    IPSO-C in each cluster. A cluster that IPSO-C would refuse (too few records, an attribute that does not
    vary in it or is a function of the independent ones, a record of high leverage) joins the one with the
    nearest centre first. Means, covariances and coefficients are exact in every cluster, hence in the whole
    file; linear relations too. An attacker who guesses a record's cluster knows its regression: more
    clusters, better distributions and more risk.

    O(rounds n c d + n (p + q)^2 + c^2 d) time with d = p + q and at most 100 rounds, O(n (c + d)) memory.
    Source: ours, from IPSO-C (Burridge 2003, Statistics and Computing 13(4), 321-327) and fuzzy c-means
    (Bezdek 1981).

    >>> rng = np.random.default_rng(0)
    >>> s = rng.normal(size=(200, 1))
    >>> y = s**2 + 0.1 * rng.normal(size=(200, 1))
    >>> released = IPSOCluster(c=3).synthesize(y, s)
    >>> bool(np.isclose(released.var(), y.var(), rtol=1e-12))
    True
    """

    guarantees: ClassVar[tuple[str, ...]] = ALL_MOMENTS

    c: int = Field(default=2, ge=1, le=10_000, description="number of clusters before small ones are merged")
    m: float = Field(default=1.5, gt=1, le=10, description="fuzziness of the clusters")

    def draw(self, regression: Regression, run: RunContext) -> Matrix:
        x = np.hstack([regression.s, regression.y])
        clustered = fuzzy_c_means(
            x,
            min(self.c, regression.n),
            run.search_generator(),
            m=self.m,
            report=lambda done, total: run.report("finding clusters", done, total),
        )
        labels, parts = self.sound_clusters(x, clustered.labels, regression)
        released = np.empty_like(regression.y)
        generator = run.protective_generator()
        for done, (label, part) in enumerate(sorted(parts.items())):
            draws = generator.standard_normal((part.n, part.residual_rank))
            values = part.with_residuals(exact_directions(part, draws))
            released[labels == label] = part.original_scale(values)
            run.report("drawing values", done + 1, len(parts))
        return released

    def sound_clusters(
        self, x: Matrix, labels: Labels, whole: Regression
    ) -> tuple[Labels, dict[int, Regression]]:
        """Merge clusters that IPSO-C refuses; the regression of each that is left (at worst the whole)."""
        labels = labels.copy()
        sound: dict[int, Regression] = {}
        waiting = np.unique(labels).tolist()
        while waiting:
            label = waiting.pop(0)
            rows = labels == label
            part = Regression.of(whole.y[rows], whole.s[rows])
            if rows.all() or fault_of(part, self.max_leverage) is None:
                sound[label] = part
                continue
            others = [other for other in np.unique(labels).tolist() if other != label]
            centres = np.array([x[labels == other].mean(axis=0) for other in others])
            gaps = ((centres - x[rows].mean(axis=0)) ** 2).sum(axis=1)
            host = others[int(gaps.argmin())]
            labels[rows] = host
            sound.pop(host, None)
            if host not in waiting:
                waiting.append(host)
        return labels, sound
