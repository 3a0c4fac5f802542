"""Rounding by chance that leaves every expected value as it is, sums kept: along circuits of a network.

Source: Cox (1987), A constructive procedure for unbiased controlled rounding, JASA 82, 520-524.
"""

from __future__ import annotations

import numpy as np

from tacita.core import DataError, Relations
from tacita.core.arrays import Floats, Ints

from .sums import Sums

# Digits behind the point that are looked for.
_DIGITS = 9
# Parts of a base that has more digits.
_PARTS = 2**40


class Circuits:
    """Cells between two multiples as edges between the relations that they stand in.

    Rests are whole numbers of parts, `whole` of which are one base: nothing is lost on the way.
    """

    def __init__(self, relations: Relations, rests: Ints, whole: int) -> None:
        n, outside = rests.size, len(relations)
        self.rests, self.whole, self.outside = rests.tolist(), whole, outside
        self.ends: list[list[tuple[int, float]]] = [[] for _ in range(n)]
        kept = relations.basis[relations.rows]
        for row, cell, sign in zip(
            relations.rows[kept].tolist(),
            relations.cells[kept].tolist(),
            relations.signs[kept].tolist(),
            strict=True,
        ):
            self.ends[cell].append((row, sign))
        self.at: list[set[int]] = [set() for _ in range(outside + 1)]
        for cell in np.flatnonzero(rests > 0).tolist():
            if len(self.ends[cell]) > 2:
                raise NoNetwork
            # the last node takes up what leaves the network; nothing must add up there
            self.ends[cell] += [(outside, 0.0)] * (2 - len(self.ends[cell]))
            for node, _ in self.ends[cell]:
                self.at[node].add(cell)

    def find(self, first: int) -> list[tuple[int, float]]:
        """Cells with the change of each, along a circuit through some of the open cells; sums stay."""
        (start, _), (node, sign) = self.ends[first]
        path, met = [(first, 1.0)], {start: 0, node: 1}
        if start == node:
            return path
        while True:
            last, amount = path[-1]
            cell = next((open_cell for open_cell in self.at[node] if open_cell != last), None)
            if cell is None:
                raise NoNetwork
            near, far = self.ends[cell] if self.ends[cell][0][0] == node else self.ends[cell][::-1]
            if node == self.outside and met[node] > 0:
                # what leaves and what enters need not be equal there: a circuit through it begins there
                path, met = [(cell, 1.0)], {node: 0}
            else:
                path.append((cell, -sign * amount / near[1] if near[1] else 1.0))
            node, sign = far
            if node in met:
                circuit = path[met[node] :]
                self._check(circuit, node, sign)
                return circuit
            met[node] = len(path)

    def _check(self, circuit: list[tuple[int, float]], node: int, sign: float) -> None:
        """A circuit must close: what comes in at its first node goes out again."""
        (first, amount), (_, last) = circuit[0], circuit[-1]
        into = next(own for at, own in self.ends[first] if at == node)
        if node != self.outside and into * amount + sign * last != 0:
            raise NoNetwork

    def move(self, circuit: list[tuple[int, float]], chance: float) -> None:
        """Along the circuit, up or down, until a cell is whole: so likely that nothing changes on average."""
        rests, whole = self.rests, self.whole
        forward = min(whole - rests[cell] if by > 0 else rests[cell] for cell, by in circuit)
        backward = min(rests[cell] if by > 0 else whole - rests[cell] for cell, by in circuit)
        step = forward if chance < backward / (forward + backward) else -backward
        for cell, by in circuit:
            rests[cell] += int(by) * step
            if rests[cell] in (0, whole):
                for node, _ in self.ends[cell]:
                    self.at[node].discard(cell)


class NoNetwork(DataError):
    """Sums that form no network: circuits do not close."""


def by_chance(relations: Relations, rests: Ints, whole: int, generator: np.random.Generator) -> Floats:
    """Zero or one for every rest, with mean rest / whole, all relations kept; NoNetwork without a network.

    O(cells times the length of a circuit).

    >>> from tacita.core import Hierarchy
    >>> relations = Relations.cross([Hierarchy.flat("r", ["a", "b"])])
    >>> drawn = by_chance(relations, np.array([1, 2, 3]), 4, np.random.default_rng(0))
    >>> bool(drawn[0] + drawn[1] == drawn[2]), sorted(set(drawn.tolist()))
    (True, [0.0, 1.0])
    """
    circuits = Circuits(relations, rests, whole)
    order = generator.permutation(np.flatnonzero(rests > 0))
    for first in order.tolist():
        while 0 < circuits.rests[first] < whole:
            circuits.move(circuits.find(first), float(generator.random()))
    return np.array(circuits.rests, dtype=np.float64) / whole


def in_parts(relations: Relations, values: Floats, base: float, sums: Sums) -> tuple[Ints, int]:
    """What values are beyond multiples of a base, in parts of it that are as fine as their digits.

    Values that have no end of digits are taken to the nearest of many parts, and sums are summed anew.
    """
    for digits in range(_DIGITS + 1):
        fine, whole = values * 10.0**digits, base * 10.0**digits
        near = np.rint(fine)
        fits = whole.is_integer() and np.abs(near).max(initial=0.0) < 2**52
        if fits and np.allclose(fine, near, 1e-13, 1e-6) and not np.abs(relations.residuals(near)).any():
            return near.astype(np.int64) % int(whole), int(whole)
    rests = values[sums.parts] / base
    parts = np.rint((rests - np.floor(rests)) * _PARTS).astype(np.int64)
    return np.asarray(sums.matrix.astype(np.int64) @ parts % _PARTS, dtype=np.int64), _PARTS
