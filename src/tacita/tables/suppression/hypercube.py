"""Hypercube: each primary becomes the corner of a rectangle of withheld cells."""

from __future__ import annotations

import numpy as np

from tacita.core import Run

from .base import Outcome, Suppression, Watch
from .circuit import Floats, Mask, Network
from .patterns import Builder


class Hypercube(Suppression):
    """Withholds the cheapest rectangle that has the primary as a corner, one primary after the other.

    Primary (i, j) with (i, t), (s, j), (s, t): raised by d, the two cells beside it fall by d and the one
    opposite rises by d, or all reversed. A rectangle counts if its cells can carry that: in both directions
    as far as the levels ask (interval), in one of them (exact), always (general). Cells that are withheld
    already cost nothing. Largest demand first. A primary without such a rectangle is protected by cheapest
    paths. What no primary needs is dropped at the end; there is no bound beyond the trivial one.

    O(primaries m n) time, O(m n) memory.
    Source: Giessing & Repsilber (2002), the method GHMITER, here for two dimensions, without its sliding of
    protection over sub-tables.

    >>> from tacita.tables.suppression.grid import Grid
    >>> grid = Grid.from_interior([[11, 47, 58], [1, 15, 33], [2, 31, 20]], [[0, 0, 0], [0, 1, 0], [0, 0, 0]])
    >>> Hypercube().suppress(grid).secondary_count
    3
    """

    def search(self, network: Network, watch: Watch, run: Run) -> Outcome:
        price, ahead, behind = (np.zeros(network.shape) for _ in range(3))
        price[:] = np.inf
        for full, part in ((price, network.cost), (ahead, network.forward), (behind, network.backward)):
            full.reshape(-1)[network.cell] = part
        chosen = np.zeros(network.shape, dtype=bool)
        demands: dict[int, list[int]] = {}
        for q, own in enumerate(network.own.tolist()):
            demands.setdefault(own, []).append(q)
        order = sorted(demands, key=lambda own: (-float(network.amount[demands[own]].max()), own))
        for done, own in enumerate(order):
            if done % 20 == 0:
                run.report("placing rectangles", done, len(order))
            i, j = divmod(int(network.cell[own]), network.shape[1])
            fits = np.ones(network.shape, dtype=bool)
            for q in demands[own]:
                down = bool(network.sink[q] == network.row[own])
                one = _carries(i, j, ahead, behind, network.amount[q], down)
                if network.either[q]:
                    one |= _carries(i, j, ahead, behind, network.amount[q], not down)
                fits &= one
            new = np.where(chosen, 0.0, price)
            total = np.where(fits, new + new[i][None, :] + new[:, j][:, None], np.inf)
            total[i, :] = total[:, j] = np.inf
            s, t = np.unravel_index(int(np.argmin(total)), total.shape)
            if np.isfinite(total[s, t]):
                chosen[s, t] = chosen[i, t] = chosen[s, j] = True
        start = chosen.reshape(-1)[network.cell]
        builder = Builder(network)
        grown = builder.grow(start, network.cost, np.argsort(-network.amount, kind="stable"))
        return Outcome(builder.clean(np.ones(network.edges, dtype=bool) if grown is None else grown))


def _carries(i: int, j: int, ahead: Floats, behind: Floats, amount: float, back_to_row: bool) -> Mask:
    """Opposite corners (s, t) by which the amount returns from column j to row i, or the other way."""
    beside, opposite = (behind, ahead) if back_to_row else (ahead, behind)
    enough = amount * (1 - 1e-9)
    return (beside[i] >= enough)[None, :] & (beside[:, j] >= enough)[:, None] & (opposite >= enough)
