"""How much a generalisation costs: one number, or several that are compared from the largest down."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal

import numpy as np

from tacita.core import Floats, Ints

from .lattice import Checked, Lattice

QualityName = Literal[
    "loss",
    "discernability",
    "discernability-monotonic",
    "aecs",
    "precision",
    "precision-monotonic",
    "entropy",
    "entropy-monotonic",
    "normalised-entropy",
    "ambiguity",
    "height",
]
Aggregate = Literal["geometric", "mean", "maximum", "sum", "rank"]


@dataclass(frozen=True)
class Quality:
    """A quality model; smaller is better. `floor` bounds it from below at every node, whatever is suppressed.

    With n records, s of them suppressed, D leaves, and share(v) those at or under v over D:
    loss, x_j = (mean share - 1/D) / (1 - 1/D) with 1 for what is suppressed, put together over the keys as
    `aggregate` says, times `weights` over the largest; `balance` f weighs suppression (2f below 1/2) against
    generalisation (2 - 2f above). discernability, sum of |E|^2 + n s. aecs, n / (classes + [s > 0]).
    precision, mean of ((n - s) level/height + s) / n. entropy, -sum c log2(c / c_group) plus the entropy of
    what is suppressed. ambiguity, sum of the combinations of leaves that a record may be. height, sum of
    levels.
    """

    name: QualityName = "loss"
    aggregate: Aggregate = "geometric"
    weights: Mapping[str, float] = field(default_factory=dict)
    balance: float = 0.5

    @property
    def separable(self) -> bool:
        """Whether the levels alone bound it, without looking at classes."""
        return self.name not in ("discernability", "discernability-monotonic", "aecs", "ambiguity")

    def floors(self, lattice: Lattice) -> Floats:
        """For every node (a row, the last key fastest) the score without suppression; 0 if not known."""
        if not self.separable:
            return np.zeros((lattice.nodes, 1))
        per_level = [self._untouched(lattice, j) for j in range(len(lattice.shape))]
        grids = np.meshgrid(*per_level, indexing="ij")
        return self._together(lattice, np.column_stack([grid.reshape(-1) for grid in grids]))

    def score(self, lattice: Lattice, checked: Checked) -> tuple[Floats, Floats]:
        """The score of a node with its failing classes suppressed, and a bound for all nodes above it."""
        node, s, n = checked.node, checked.suppressed, lattice.n
        kept = checked.totals[~checked.failing].astype(np.float64)
        totals = checked.totals.astype(np.float64)
        if self.name == "discernability":
            return _one((kept**2).sum() + float(n) * s), _one((totals**2).sum())
        if self.name == "discernability-monotonic":
            return _one((totals**2).sum()), _one((totals**2).sum())
        if self.name == "aecs":
            return _one(n / (kept.size + (s > 0))), _one(n / totals.size)
        if self.name == "ambiguity":
            return self._ambiguity(lattice, checked)
        parts = np.array([self._untouched(lattice, j)[level] for j, level in enumerate(node)])
        floor = self._together(lattice, parts[None])[0]
        if s:
            parts = self._with_suppressed(lattice, checked, parts)
        return self._together(lattice, parts[None])[0], floor

    def _factors(self) -> tuple[float, float]:
        """What suppression and generalisation count."""
        f = self.balance
        return (2 * f if f < 0.5 else 1.0), (1.0 if f <= 0.5 else 2 - 2 * f)

    def _untouched(self, lattice: Lattice, j: int) -> Floats:
        """The part of one key in the score at each of its levels, nothing suppressed."""
        known = (self.name, self.balance, j)
        if known not in lattice.parts:
            own = [self._part(lattice, j, level) for level in range(lattice.shape[j])]
            lattice.parts[known] = np.array(own)
        return lattice.parts[known]

    def _part(self, lattice: Lattice, j: int, level: int) -> float:
        counts = lattice.level_counts[j][level]
        if self.name == "loss":
            mean = float((counts * lattice.level_shares[j][level]).sum())
            return self._lost(lattice, j, mean, 0.0, 0)
        if self.name.startswith("precision"):
            return level / max(int(lattice.heights[j]), 1)
        if self.name == "height":
            return float(level)
        own, codes = lattice.level_counts[j][0], lattice.codes[j][0]
        present = own > 0
        groups = counts[codes[level][present]]
        bits = float(-(own[present] * np.log2(own[present] / groups)).sum())
        if self.name != "normalised-entropy":
            return bits
        most = float(-(own[present] * np.log2(own[present] / lattice.n)).sum())
        return bits / most if most else 0.0

    def _lost(self, lattice: Lattice, j: int, kept: float, suppressed: float, s: int) -> float:
        """The loss of one key: from sums of shares over kept and over suppressed records."""
        of_suppression, of_generalisation = self._factors()
        n, least = lattice.n, of_generalisation * lattice.n / lattice.keys.ladders[j].leaves
        total = kept * of_generalisation + suppressed + of_suppression * (s - suppressed)
        return max(0.0, (total - least) / (n - least)) if n > least else 0.0

    def _with_suppressed(self, lattice: Lattice, checked: Checked, parts: Floats) -> Floats:
        from tacita.kernels.records.classes import shares_lost

        node, s, n = checked.node, checked.suppressed, lattice.n
        tuples, picks = checked.tuples, lattice.picks(node)
        if self.name == "loss":
            shares, offsets = lattice.flat_shares
            lost = shares_lost(
                tuples.rows, picks, shares, offsets, checked.of, tuples.weights, checked.failing
            )
            whole = [
                float((lattice.level_counts[j][level] * lattice.level_shares[j][level]).sum())
                for j, level in enumerate(node)
            ]
            return np.array(
                [
                    self._lost(lattice, j, total - gone, gone, s)
                    for j, (total, gone) in enumerate(zip(whole, lost.tolist(), strict=True))
                ]
            )
        if self.name == "precision":
            return ((n - s) * parts + s) / n
        if self.name in ("entropy", "normalised-entropy"):
            return parts + self._entropy_of_suppressed(lattice, checked, picks)
        return parts

    def _entropy_of_suppressed(self, lattice: Lattice, checked: Checked, picks: Ints) -> Floats:
        tuples, gone = checked.tuples, checked.failing[checked.of]
        entropies = []
        for j, row in enumerate(picks.tolist()):
            counts = np.bincount(tuples.rows[row][gone], tuples.weights[gone])
            counts = counts[counts > 0]
            bits = float(-(counts * np.log2(counts / checked.suppressed)).sum())
            if self.name == "normalised-entropy":
                own = lattice.level_counts[j][0]
                most = float(-(own[own > 0] * np.log2(own[own > 0] / lattice.n)).sum())
                bits = bits / most if most else 0.0
            entropies.append(bits)
        return np.array(entropies)

    def _ambiguity(self, lattice: Lattice, checked: Checked) -> tuple[Floats, Floats]:
        from tacita.kernels.records.classes import ambiguity_of

        shares, offsets = lattice.flat_shares
        leaves = [ladder.leaves for ladder in lattice.keys.ladders]
        scale = np.repeat(leaves, [sum(part.size for part in own) for own in lattice.level_shares])
        every = float(np.prod(np.array(leaves, dtype=np.float64)))
        tuples = checked.tuples
        plain, whole = ambiguity_of(
            tuples.rows,
            lattice.picks(checked.node),
            shares * scale,
            offsets,
            checked.of,
            tuples.weights,
            checked.failing,
            every,
        )
        return _one(whole), _one(plain)

    def _together(self, lattice: Lattice, parts: Floats) -> Floats:
        """Parts of all keys (columns) as one score a row, or as several from the largest down."""
        if self.name != "loss":
            mean = self.name.startswith("precision")
            return (parts.mean(axis=1) if mean else parts.sum(axis=1))[:, None]
        weights = np.array([self.weights.get(ladder.name, 1.0) for ladder in lattice.keys.ladders])
        weighted = parts * (weights / weights.max())
        if self.aggregate == "rank":
            return np.asarray(-np.sort(-weighted, axis=1))
        if self.aggregate == "geometric":
            scores = np.exp(np.log1p(weighted).mean(axis=1)) - 1
        elif self.aggregate == "maximum":
            scores = weighted.max(axis=1)
        else:
            scores = weighted.mean(axis=1) if self.aggregate == "mean" else weighted.sum(axis=1)
        return np.asarray(scores[:, None])


def _one(value: float) -> Floats:
    return np.array([value], dtype=np.float64)
