"""What flows between the rows and columns of a table, as the kernels take it.

Edges join a row node to a column node. An edge carries up to forward[e] from its row to its column, or up to
backward[e] the other way; `net` is what flows from row to column, less what flows back.
"""

from __future__ import annotations

from typing import NamedTuple

from tacita.core.arrays import Floats, Ints, Mask

# What meets a demand for a flow between two nodes:
# a flow from its source to its sink; one in either direction; one a direction, that make it up together
ONE_WAY, EITHER_WAY, BOTH_WAYS = 0, 1, 2


class Graph(NamedTuple):
    """Edges with their capacities; those at node v are incident[start[v]:start[v+1]], in order."""

    start: Ints
    incident: Ints
    row: Ints
    column: Ints
    forward: Floats
    backward: Floats


class Demands(NamedTuple):
    """Demand q asks for amount[q] from source[q] to sink[q] without the edge own[q], as ways[q] says."""

    source: Ints
    sink: Ints
    own: Ints
    amount: Floats
    ways: Ints


class Flow(NamedTuple):
    """What flows along the alive edges; by which edge a search came to each node (-2: not), and its queue."""

    alive: Mask
    net: Floats
    parent: Ints
    queue: Ints


class Route(NamedTuple):
    """Scratch of a search for the cheapest path: a number per node."""

    distance: Floats
    heap: Ints
    place: Ints


class Cuts(NamedTuple):
    """Cuts as they are found, a line each: two sets of nodes, and the demand; filled[0] says how many."""

    sides: Mask
    others: Mask
    whose: Ints
    filled: Ints


class CutRows(NamedTuple):
    """Cuts in the form from which their entries follow; columns of form: clip, delta, fraction, scale."""

    sides: Mask
    others: Mask
    form: Floats
    counted: Mask


class Pooled(NamedTuple):
    """Rows a x >= b one behind the other, and the least number that makes a row whole (0: none is known)."""

    start: Ints
    at: Ints
    value: Floats
    right: Floats
    whole: Ints


class Terms(NamedTuple):
    """What may be added up: which row, times what before its entries are rounded up, and its slack then."""

    row: Ints
    times: Ints
    slack: Floats
