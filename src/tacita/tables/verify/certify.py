"""A second opinion on a bound: nothing here knows the methods that claim it.

Two attempts to prove a claim wrong, each only where a table is small enough for it to cost little: publish
one more cell and attack again; and an integer program of its own, with all flows at once, that looks for any
pattern below the bound. A claim that survives is not proven by that; one that fails is refused.
"""

from __future__ import annotations

import numpy as np
from scipy import sparse
from scipy.optimize import Bounds, LinearConstraint, milp

from tacita.core import Pattern, Problem, Table, VerificationError
from tacita.core.arrays import Floats, Ints, Mask

from .integers import failures_of
from .protection_criteria import Judge

_MOST_ATTACKS = 3000
_MOST_VARIABLES = 600
_SECONDS = 5.0
_ROUNDING = 1e-6


def check_lower_bound(table: Table, pattern: Pattern) -> None:
    """Check the lower bound of a pattern; VerificationError where a pattern is found that costs less."""
    if pattern.lower_bound <= 0:
        return
    cheaper = pattern.lower_bound * (1 - 10 * _ROUNDING)
    if _needless(table, pattern, cheaper) or _below(table, pattern.problem, cheaper):
        raise VerificationError(
            f"{pattern.method}: the bound it claims is wrong: a pattern that protects costs less. "
            "The answer is refused."
        )


def protects(table: Table, suppressed: Mask, problem: Problem) -> bool:
    """Whether a pattern protects every sensitive cell, by the judge of the audit."""
    failures = failures_of(Judge(table, problem), suppressed, np.flatnonzero(table.primary).tolist())
    return next(failures, None) is None


def _needless(table: Table, pattern: Pattern, cheaper: float) -> bool:
    """Whether the pattern still protects, below the bound, with one cell less."""
    secondary = np.flatnonzero(pattern.secondary)
    if secondary.size * int(table.primary.sum()) > _MOST_ATTACKS:
        return False
    for cell in secondary[np.argsort(-table.cost[secondary], kind="stable")].tolist():
        if pattern.cost - table.cost[cell] > cheaper:
            return False
        fewer = pattern.withheld.copy()
        fewer[cell] = False
        if protects(table, fewer, pattern.problem):
            return True
    return False


def _below(table: Table, problem: Problem, cheaper: float) -> bool:
    """Whether a pattern below a cost exists; False where none is found in time or the model would be large.

    Per sensitive cell and direction a change d of all open cells: M d = 0, -down_j x_j <= d_j <= up_j x_j,
    and d at the cell itself is what it must be able to move; for a width two changes, whose d at the cell are
    that far apart. In a network no cell moves farther than that.
    """
    cells = np.flatnonzero(table.primary | ~table.forced)
    demands = _demands(table, problem, cells)
    n = cells.size
    # a choice per cell, a change per cell and demand, a direction per demand that leaves it open
    switches = n * (len(demands) + 1)
    width = switches + len(demands)
    if width > _MOST_VARIABLES:
        return False
    price = np.where(table.primary, 0.0, table.cost)[cells]
    constraints = [_row(width, {0: price / cheaper}, -np.inf, 1.0)]
    relations = _relations(table, cells)
    for number, demand in enumerate(demands):
        constraints += _rows_of(demand, relations, n * (number + 1), switches + number, width)
    spans = [number for number, demand in enumerate(demands) if demand[1] == _SPAN]
    for one, other in zip(spans[::2], spans[1::2], strict=True):
        own = _unit(n, demands[one][0])
        constraints.append(_row(width, {n * (one + 1): own, n * (other + 1): -own}, 1.0, np.inf))
    low, high, whole = np.full(width, -np.inf), np.full(width, np.inf), np.zeros(width)
    low[:n], high[:n], whole[:n] = table.primary[cells], 1.0, 1
    low[switches:], high[switches:], whole[switches:] = 0.0, 1.0, 1
    solution = milp(
        np.zeros(width),
        integrality=whole,
        bounds=Bounds(low, high),
        constraints=constraints,
        options={"time_limit": _SECONDS},
    )
    if solution.x is None:
        return False
    mask = np.zeros(table.n, dtype=bool)
    mask[cells] = solution.x[:n] > 0.5
    cost = float(table.cost[mask & ~table.primary].sum())
    # believed only where the attacker agrees
    return cost <= cheaper * (1 + _ROUNDING) and protects(table, mask, problem)


def _relations(table: Table, cells: Ints) -> sparse.csr_array:
    """M, of some cells only."""
    chosen, place = np.zeros(table.n, dtype=bool), np.full(table.n, -1)
    chosen[cells], place[cells] = True, np.arange(cells.size)
    rows, entries, signs = table.relations.among(chosen, only_basis=True)
    shape = (len(table.relations), cells.size)
    return sparse.csr_array((signs, (rows, place[entries])), shape=shape)[np.unique(rows)]


def _rows_of(
    demand: _Demand, relations: sparse.csr_array, start: int, switch: int, width: int
) -> list[LinearConstraint]:
    """The constraints of one demand on its change, whose columns begin at `start`."""
    cell, amount, down, up, either = demand
    rows, n = relations.shape
    before, after = sparse.csr_array((rows, start)), sparse.csr_array((rows, width - start - n))
    constraints = [
        LinearConstraint(sparse.hstack([before, relations, after]), 0, 0),
        *_tied(width, n, start, down, up),
    ]
    if amount == _SPAN:
        return constraints
    # either up by the amount or down by it: d = amount (2 y - 1)
    direction = {switch: np.array([-2.0 * amount])} if either else {}
    wanted = -amount if either else amount
    return [*constraints, _row(width, {start: _unit(n, cell), **direction}, wanted, wanted)]


_Demand = tuple[int, float, Floats, Floats, bool]
# Instead of how far the cell must move: this change and the next demand's must be 1 apart there.
_SPAN = 0.0


def _demands(table: Table, problem: Problem, cells: Ints) -> list[_Demand]:
    """Per demand: the cell, how far it must move, how far others may move then, and whether down will do."""
    down, up = (table.values - table.low)[cells], (table.high - table.values)[cells]
    primary = np.flatnonzero(table.primary[cells])
    if problem == "general":
        return [(int(at), 1.0, np.ones(cells.size), np.ones(cells.size), False) for at in primary]
    if problem == "exact":
        falls, rises = ((side > 0).astype(np.float64) for side in (down, up))
        return [(int(at), 1.0, falls, rises, True) for at in primary]
    need_low, need_high, need_width = (bound[cells] for bound in table.needed())
    values, made = table.values[cells], list[_Demand]()

    def ask(at: int, size: float, sign: float) -> None:
        # in units of the demand, so that no value is lost in a solver's tolerance
        falls, rises = (np.minimum(side, size) / size for side in (down, up))
        made.append((at, sign, falls, rises, False))

    for at in primary.tolist():
        for amount in (need_high[at] - values[at], need_low[at] - values[at]):
            if amount:
                ask(at, abs(float(amount)), float(np.sign(amount)))
        if need_width[at] > need_high[at] - need_low[at]:
            ask(at, float(need_width[at]), _SPAN)
            ask(at, float(need_width[at]), _SPAN)
    return made


def _unit(n: int, place: int) -> Floats:
    unit = np.zeros(n)
    unit[place] = 1.0
    return unit


def _row(width: int, parts: dict[int, Floats], low: float, high: float) -> LinearConstraint:
    row = np.zeros((1, width))
    for start, coefficients in parts.items():
        row[0, start : start + coefficients.size] = coefficients
    return LinearConstraint(sparse.csr_array(row), low, high)


def _tied(width: int, n: int, start: int, down: Floats, up: Floats) -> list[LinearConstraint]:
    """-down x <= d <= up x."""
    identity = sparse.eye_array(n, format="csr")

    def placed(first: sparse.csr_array) -> sparse.csr_array:
        between = sparse.csr_array((n, start - n))
        after = sparse.csr_array((n, width - start - n))
        return sparse.hstack([first, between, identity, after])

    return [
        LinearConstraint(placed(sparse.diags_array(-up)), -np.inf, 0.0),
        LinearConstraint(placed(sparse.diags_array(down)), 0.0, np.inf),
    ]
