"""A linear program for each sensitive cell, then clean-up."""

from __future__ import annotations

from tacita.core import RunContext
from tacita.tables.suppression.time_limit import Watch

from .large_table_method import Large, replaced, spared
from .movement_certificates import Proofs


class Constructive(Large):
    """Protects one sensitive cell after the other by the cheapest movement, then drops what none needs.

    For a cell k that must be able to move by d, least sum of w_i (up_i + down_i) over all movements with
    M (up - down) = 0, up_k - down_k = d, 0 <= up_i <= high_i - a_i, 0 <= down_i <= a_i - low_i; w_i is the
    cost of cell i times d over what it can move, a hundredth of that if it is suppressed already. Cells that
    move are suppressed, and the movement is kept as the proof of all demands that it meets. At first a cell
    costs up to 95 % less, in proportion to its value in the LP over single relations (`Lines`). Then cells
    are published again, most expensive first, where all proofs that use them can be replaced by others among
    the suppressed cells, or by others for which cheaper cells are suppressed, until a round gains nothing. In
    systems of more than 2000 cells a movement is sought among the 1000, 4000, 16 000 nearest cells, then
    among all. Sensitive cells come in random order, by a seed that is fixed unless given. The lower bound is
    that of the LP over single relations, in whole numbers and by cuts where there is time for it.

    An LP or two for each demand, O(secondary cells times proofs that use one) a round of clean-up, which
    `seconds` ends. The first pattern may take longer: where nearly all cells of a large table are connected,
    an LP takes seconds. From twice the time on, any movement is a proof.
    Source: Kelly, Golden & Assad (1992), Networks 22, 397-417, and Fischetti & Salazar (2001) for linear
    programs instead of flows; the proofs are ours.

    >>> from tacita.core import Table
    >>> import numpy as np
    >>> cube = np.arange(1.0, 28.0).reshape(3, 3, 3)
    >>> table = Table.from_array(cube, primary=cube == 1.0, lower=50, upper=50)
    >>> found = Constructive().suppress(table, "interval")
    >>> found.secondary_count, found.cost
    (7, 59.0)
    """

    def search(self, parts: list[Proofs], watch: Watch, run: RunContext) -> float:
        spared(parts, watch, run)
        replaced(parts, watch, run)
        return 0.0
