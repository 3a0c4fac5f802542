"""Before the search: demands that primaries meet by themselves, and cells that no least pattern holds."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from tacita.core.arrays import Ints, Mask
from tacita.kernels.interpreted import dispatch

from .flow_network import Network
from .network_search import cheapest_cells

# Of every line, the cells from which cheaper ways round are made.
_EACH = 10


def without_met(network: Network) -> Network:
    """The network with the demands that the primaries, suppressed in every pattern, do not meet.

    O(demands) flows.
    """
    from tacita.kernels.tables.flows import unmet_demands

    primaries = np.flatnonzero(network.primary)
    unmet = dispatch(unmet_demands)(*network.among(primaries), np.ones(len(primaries), dtype=bool))
    return replace(
        network,
        source=network.source[unmet],
        sink=network.sink[unmet],
        own=network.own[unmet],
        amount=network.amount[unmet],
        ways=network.ways[unmet],
    )


def reduced(network: Network) -> tuple[Network, Ints]:
    """A network with patterns of the same least cost, and which edges of the whole it has.

    Nodes that primaries join so well that no demand parts them, its own cell left out, are made one; what
    then leads from a node to itself is of no use. Cells go that `needless` names. O(demands + cells) flows.
    """
    from tacita.kernels.tables.dominated_cells import joined

    network = without_met(network)
    most = float(network.amount.max(initial=0.0))
    leader = dispatch(joined)(network.among(np.flatnonzero(network.primary))[0], most)
    ends = {name: leader[getattr(network, name)] for name in ("row", "column", "source", "sink")}
    joint = replace(network, **ends)
    left = np.flatnonzero((joint.row != joint.column) & ~needless(joint))
    return joint.part(left), left


def needless(network: Network) -> Mask:
    """Dominated cells: at least one cheapest pattern does without them.

    A cell e joins two nodes. If a path of other cells joins them, each of which carries the largest demand
    both ways, then the path crosses every cut that e crosses, and meets the demand of the cut by itself. So
    if the path costs less than e, a pattern with e is not the cheapest. Of cells with the same ends, the
    first of the cheapest that carry as much replaces all that are not cheaper.
    O(rows cells log) at worst, with ten cells of each line for the paths.
    """
    from tacita.kernels.tables.dominated_cells import replaceable

    most = float(network.amount.max(initial=0.0))
    free = ~network.primary
    able = free & (network.forward >= most) & (network.backward >= most)
    few = cheapest_cells(network, _EACH, able)
    worse = dispatch(replaceable)(
        network.among(few)[0], network.cost[few], network.row, network.column, network.cost
    )
    dominated: Mask = free & (worse | _parallel_to_cheaper(network, able))
    return dominated


def _parallel_to_cheaper(network: Network, able: Mask) -> Mask:
    """Cells parallel to another with the same ends that costs no more and carries every demand."""
    low, high = np.minimum(network.row, network.column), np.maximum(network.row, network.column)
    ends = low * network.nodes + high
    order = np.flatnonzero(able)
    order = order[np.lexsort((order, network.cost[order], ends[order]))]
    pairs, first = np.unique(ends[order], return_index=True)
    at = np.minimum(np.searchsorted(pairs, ends), max(0, len(pairs) - 1))
    if not len(pairs):
        return np.zeros(network.edges, dtype=bool)
    chosen = order[first[at]]
    same = pairs[at] == ends
    parallel: Mask = same & (network.cost >= network.cost[chosen]) & (chosen != np.arange(network.edges))
    return parallel
