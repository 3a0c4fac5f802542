"""What closes the gap of two-way tables under interval protection: each means by itself, table by table.

Tables as in `suppression`, least value. Bounds are those at the root, no branch opened: cuts of one demand
with their covers; then bridge-less cuts of secondaries; then cuts that show only once amounts are rounded;
then sums of cuts over several lines, halved and rounded. Patterns: the cheapest before and after parts of it
are given up and proven anew (local branching). Gaps are shares of the cheapest pattern. Last, what a
Lagrangean relaxation could add: it takes demands one by one, or sensitive cells one by one, so that its bound
is that of the cuts wherever these leave no gap for one alone.
"""

from __future__ import annotations

import time
from collections.abc import Iterator
from dataclasses import replace

import numpy as np

from tacita.core import RunContext
from tacita.core.arrays import Ints
from tacita.tables.suppression.optimal.branch_and_cut import Tree
from tacita.tables.suppression.optimal.flow_network import Network, network_of
from tacita.tables.suppression.optimal.local_branching import search_nearby
from tacita.tables.suppression.optimal.network_presolve import reduced
from tacita.tables.suppression.optimal.network_search import Search
from tacita.tables.suppression.optimal.provers import tree
from tacita.tables.suppression.optimal.two_way_grid import grid_of
from tacita.tables.suppression.optimal.two_way_method import compile_kernels
from tacita.tables.suppression.time_limit import Watch, processor_time

from .measuring import Result
from .suppression import table

# Sides, and how many sensitive cells: few, one to four lines, or two to a line.
TABLES = ((100, 25), (200, 50), (200, 400), (500, 1000))
MEANS = ("separate_bridges", "separate_amounts")
# Seconds of a search, of which looking for patterns takes its share; sensitive cells taken one by one.
LIMIT, ALONE = 240.0, 12


def results() -> Iterator[Result]:
    """One table of each kind."""
    compile_kernels()
    with processor_time():
        for side, primaries in TABLES:
            yield from _measured(f"{side} x {side} / {primaries}", _network(side, primaries))
        side, primaries = TABLES[1]
        yield from _alone(f"{side} x {side} / {primaries}", _network(side, primaries))


def _network(side: int, primaries: int) -> Network:
    return network_of(grid_of(table("interval", side, primaries, 0).with_margins(False), "interval"))


def _measured(case: str, whole: Network) -> Iterator[Result]:
    network, _ = reduced(whole)
    bounds = []
    for left in range(len(MEANS) + 1):
        search = Search(network, Watch(LIMIT), RunContext())
        for name in MEANS[left:]:
            setattr(search.master, name, _nothing)
        start = time.process_time()
        search.relax()
        bounds.append((search.bound, time.process_time() - start))
    search.follow(search.fractional(), 20, 100)
    before, start = search.cost, time.process_time()
    search_nearby(search)
    nearby = time.process_time() - start
    start = time.process_time()
    search.keep_within_gap()
    if not search.closed:
        # a root without a cheaper pattern is a proof
        planted = Tree(search).plant()
        bounds.append((search.cost if planted is None else planted.bound, time.process_time() - start))
    words = ("cuts of single demands", "and bridges", "and amounts", "and half sums of several")
    for said, (bound, seconds) in zip(words, bounds, strict=False):
        gap = 100 * (1 - min(bound, search.cost) / search.cost)
        yield Result(f"{case}: {said}, gap %", gap, "", None, f"bound {bound:.6g} in {seconds:.3g} CPU s")
    note = f"pattern {before:g} -> {search.cost:g} in {nearby:.3g} CPU s"
    yield Result(f"{case}: parts given up, saved %", 100 * (1 - search.cost / before), "", None, note)


def _alone(case: str, whole: Network) -> Iterator[Result]:
    """Gaps at the root for one demand, and for both demands of one sensitive cell."""
    cells = np.unique(whole.own)[:ALONE]
    sets = {
        "one demand alone": [[demand] for cell in cells for demand in np.flatnonzero(whole.own == cell)],
        "both of one cell": [np.flatnonzero(whole.own == cell) for cell in cells],
    }
    for said, each in sets.items():
        gaps = [_gap_of(whole, np.asarray(demands)) for demands in each]
        note = f"{sum(gap > 0.01 for gap in gaps)} of {len(gaps)} have one"
        yield Result(f"{case}: {said}, gap %", float(np.mean(gaps)), "", None, note)


def _gap_of(whole: Network, demands: Ints) -> float:
    asked = {name: getattr(whole, name)[demands] for name in ("source", "sink", "own", "amount", "ways")}
    network, _ = reduced(replace(whole, **asked))
    if not len(network.source):
        return 0.0
    search = Search(network, Watch(60.0), RunContext())
    search.relax()
    bound = search.bound
    search.follow(search.fractional(), 20, 100)
    if not search.done():
        tree(search)
    return 100 * max(0.0, 1 - bound / search.cost)


def _nothing(*_: object, **__: object) -> int:
    return 0
