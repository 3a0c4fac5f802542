"""Better patterns nearby: a part of the best is given up, and the least with the rest is proven."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from tacita.core.arrays import Floats, Ints, Mask

from .network_master import Master
from .network_presolve import reduced
from .network_search import Search
from .provers import tree


@dataclass(frozen=True)
class LocalBranchingSettings:
    """How parts of a pattern are given up; measured by `python -m experiments tables`.

    Those called `alike` are for cells that all cost the same, of which a branch holds or leaves out one among
    thousands alike.
    """

    # secondary cells that are given up at first, and at least
    first: int = 16
    least: int = 8
    # branches that a part may take
    branches: int = 10
    # cells that a part grows from, at most, for each of two reasons
    seeds: int = 4
    # factors by which parts grow where the least was proven, and shrink where it was not
    grow: float = 1.1
    shrink: float = 0.8
    # share of the cost from which on a gap is wide: below it branches close it sooner
    wide: float = 0.03
    # times that (on average) every cell of the pattern is given up in vain before the search goes on
    turns_wide: float = 3.0
    turns_narrow: float = 1.0
    # steps of the cost above the bound up to which other patterns are begun with
    steps: int = 1
    steps_alike: int = 6
    # other patterns that are begun with, at most
    starts: int = 10
    starts_alike: int = 40
    # shares of the time that is left, the rest being for the proof, which needs more where the gap is narrow
    share_wide: float = 0.35
    share_narrow: float = 0.1
    share_alike: float = 0.7
    # cost: duals up to this are none
    priced: float = 1e-9


SETTINGS = LocalBranchingSettings()


def search_nearby(search: Search) -> None:
    """Free one part of the best pattern after the other, until none of them has a cheaper solution.

    A part is some secondary cells near to those where the pattern costs more than the bound, and near to some
    others: expensive cells can often be replaced only together with others. All other cells are held at no
    cost: they meet most demands and join most nodes, so that the network of a part is small. Where the best
    pattern costs hardly more than the bound, the search also starts from other patterns. O(parts) searches.
    """
    if search.done():
        return
    excess = Excess(search.master)
    step = search.network.whole_costs
    alike = (search.network.cost[~search.network.primary] == step).all()
    if alike:
        steps, starts, share = SETTINGS.steps_alike, SETTINGS.starts_alike, SETTINGS.share_alike
    else:
        steps, starts = SETTINGS.steps, SETTINGS.starts
        share = SETTINGS.share_wide if _wide(search) else SETTINGS.share_narrow
    end = search.watch.seconds + share * search.watch.left
    pattern: Mask | None = search.best
    for _ in range(starts):
        # a small pattern as a whole is for the tree
        if pattern is None or (pattern & ~search.network.primary).sum() <= SETTINGS.first:
            return
        _descend(search, pattern, excess, end)
        close = search.network.rounded_up(search.bound) > search.cost - (steps + 0.5) * step
        if search.done() or search.watch.seconds >= end or not close:
            return
        pattern = search.along(search.fractional(), chance=True)


def _descend(search: Search, pattern: Mask, excess: Excess, end: float) -> None:
    """Make a pattern cheaper, part by part, until all of it was given up in vain."""
    size, idle = float(SETTINGS.first), 0.0
    while not search.done() and search.watch.seconds < end:
        secondary = np.flatnonzero(pattern & ~search.network.primary)
        if len(secondary) <= size:
            return
        part = near(search, pattern, excess.of(pattern), int(size))
        better, proven = give_up(search, pattern, part)
        search.offer(better)
        idle = idle + len(part) / len(secondary) if better is None else 0.0
        pattern = pattern if better is None else better
        if idle > (SETTINGS.turns_wide if _wide(search) else SETTINGS.turns_narrow):
            return
        size = max(SETTINGS.least, size * (SETTINGS.grow if proven else SETTINGS.shrink))


def _wide(search: Search) -> bool:
    """Whether the gap is too wide for branches alone."""
    return bool(search.cost - search.bound > SETTINGS.wide * search.cost)


def near(search: Search, pattern: Mask, excess: Floats, size: int) -> Ints:
    """So many of its secondary cells, the fewest steps through the pattern away from those it grows from."""
    network, generator = search.network, search.generator
    row, column = network.lines(np.arange(network.edges))
    secondary = np.flatnonzero(pattern & ~network.primary)
    cells = np.flatnonzero(pattern | network.primary)
    first = _seeds(secondary, excess[secondary], generator)
    away = np.full(network.edges, np.inf)
    away[first] = -1
    lines = np.zeros(network.nodes, dtype=bool)
    lines[row[first]] = lines[network.shape[0] + column[first]] = True
    for step in range(len(cells)):
        touched = cells[lines[row[cells]] | lines[network.shape[0] + column[cells]]]
        new = touched[away[touched] == np.inf]
        away[new] = step
        if not len(new) or np.isfinite(away[secondary]).sum() >= size:
            break
        lines[row[new]] = lines[network.shape[0] + column[new]] = True
    order = np.lexsort((generator.random(len(secondary)), away[secondary]))
    return secondary[order[:size]]


def _seeds(secondary: Ints, excess: Floats, generator: np.random.Generator) -> Ints:
    """A few cells by what they cost beyond the bound, and a few by chance."""
    n_costly = min(SETTINGS.seeds, int((excess > 1e-6).sum()))
    by_chance = min(len(secondary), int(generator.integers(0 if n_costly else 1, SETTINGS.seeds + 1)))
    seeds: Ints = generator.choice(secondary, by_chance, replace=False)
    if not n_costly:
        return seeds
    wanted = int(generator.integers(1, n_costly + 1))
    weights = np.where(excess > 1e-6, excess, 0.0)
    chosen = generator.choice(secondary, wanted, replace=False, p=weights / weights.sum())
    return np.concatenate([chosen, seeds])


def give_up(search: Search, pattern: Mask, part: Ints) -> tuple[Mask | None, bool]:
    """Prove the least pattern with all but a part of one: a cheaper one or None, and whether it is proven."""
    network = search.network
    trial: Mask = pattern.copy()
    trial[part] = False
    within = np.flatnonzero(search.master.active | pattern | network.primary)
    rest, left = reduced(network.part(within, trial))
    if not len(rest.source):
        return trial, True
    known = np.zeros(network.edges, dtype=bool)
    known[part] = True
    inside = Search(rest, search.watch, search.run.silent())
    start: Mask = rest.primary | known[within[left]]
    # the part itself may hold cells that others replace at no more cost, which are not there any more
    if inside.builder.protects(start):
        inside.offer(start)
    inside.relax()
    if not inside.done():
        tree(inside, SETTINGS.branches)
    trial[within[left[inside.best & ~rest.primary]]] = True
    cheaper = network.cost[trial].sum() < network.cost[pattern].sum() - 1e-9
    return trial if cheaper else None, inside.closed


class Excess:
    """The prices at which the LP was solved, to compare with any pattern.

    With duals y of its rows a x >= b and reduced costs r, the cost of a pattern x within its columns is the
    value of the LP, plus r x + y (a x - b), plus what cells are worth that the LP holds for certain and the
    pattern does not. So the difference lies in cells at a reduced cost and in rows with a price whose left
    side exceeds the right; the cells in such a row share its excess by their entries.
    """

    def __init__(self, master: Master) -> None:
        rows, right = master.lp.rows()
        priced = np.flatnonzero(master.dual > SETTINGS.priced)
        self._rows, self._right, self._dual = rows[priced], right[priced], master.dual[priced]
        # a bridge has an entry below 0: it asks for others, and meets nothing
        self._meets = self._rows.maximum(0.0)
        self._columns = master.columns
        reduced = master.reduced_costs()
        # the LP knows the reduced costs of its own columns exactly
        reduced[self._columns[: len(master.reduced)]] = master.reduced
        self._reduced = np.maximum(reduced, 0.0)

    def of(self, pattern: Mask) -> Floats:
        """What each cell of a pattern adds, 0 for others. O(entries of rows with a price)."""
        chosen = pattern[self._columns].astype(float)
        beyond = self._dual * np.maximum(0.0, self._rows @ chosen - self._right)
        shares = beyond / np.maximum(SETTINGS.priced, self._meets @ chosen)
        excess: Floats = np.where(pattern, self._reduced, 0.0)
        excess[self._columns] += chosen * (self._meets.T @ shares)
        return excess
