"""Plain twins for cell suppression: the attacker, exhaustive search, a compact integer model."""

import itertools

import numpy as np
from scipy import sparse
from scipy.optimize import Bounds, LinearConstraint, linprog, milp


def relations(shape):
    """Rows of M with M a = 0: every line adds up to its total, the totals to the grand total."""
    rows, columns = shape
    lines = []
    for i in range(rows):
        line = np.zeros(shape)
        line[i, :-1], line[i, -1] = 1, -1
        lines.append(line.ravel())
    for j in range(columns):
        line = np.zeros(shape)
        line[:-1, j], line[-1, j] = 1, -1
        lines.append(line.ravel())
    return np.array(lines)


def change_range(grid, withheld, cell):
    """How far a cell can fall and rise while published cells stay, bounds hold and totals add up."""
    free = np.flatnonzero(withheld.ravel())
    low = (grid.low - grid.values).ravel()[free]
    high = (grid.high - grid.values).ravel()[free]
    # far enough for any level, near enough for the solver
    bounds = np.column_stack([np.maximum(low, -1e4), np.minimum(high, 1e4)])
    matrix = relations(grid.values.shape)[:, free]
    aim = (free == cell).astype(float)
    ends = []
    for sign in (1, -1):
        found = linprog(sign * aim, A_eq=matrix, b_eq=np.zeros(len(matrix)), bounds=bounds, method="highs")
        assert found.status == 0
        ends.append(sign * found.fun)
    return ends[0], ends[1]


def protects(grid, withheld):
    """Whether every primary is protected, by two linear programmes each."""
    for cell in np.flatnonzero(grid.primary.ravel()):
        fall, rise = change_range(grid, withheld, cell)
        if grid.problem == "interval":
            lower, upper = grid.lower.ravel()[cell], grid.upper.ravel()[cell]
            too_narrow = rise - fall < grid.sliding.ravel()[cell] - 1e-6
            if too_narrow or rise < upper - 1e-6 or fall > -lower + 1e-6:
                return False
        elif rise - fall < 1e-6:
            return False
    return True


def nothing_cheaper(grid, cost):
    """Whether no pattern below `cost` protects: all maximal sets of free cells under it are tried."""
    free = np.flatnonzero((grid.allowed & ~grid.primary).ravel())
    prices = grid.cost.ravel()[free]
    for bits in itertools.product((False, True), repeat=len(free)):
        taken = np.array(bits, dtype=bool)
        total = prices[taken].sum()
        if total >= cost - 1e-9 or (total + prices[~taken] < cost - 1e-9).any():
            continue
        withheld = grid.primary.copy()
        withheld.reshape(-1)[free[taken]] = True
        if not _alone_in_a_line(grid.primary, withheld) and protects(grid, withheld):
            return False
    return True


def _alone_in_a_line(primary, withheld):
    """Whether some primary is the only withheld cell of its row or column: then it is a mere difference."""
    alone = (withheld.sum(axis=1) == 1)[:, None] | (withheld.sum(axis=0) == 1)[None, :]
    return (primary & alone).any()


def compact_least_cost(grid):
    """Least cost by one integer programme: a change of the table for every primary and direction.

    Variables: x per cell (withheld or not), per demand a change of every cell, bounded by its room times x;
    for exact protection a binary per primary chooses whether it goes up or down by 1. The two changes of a
    primary may be larger than asked; together they are as wide as its range must be.
    """
    shape, size = grid.values.shape, grid.values.size
    primary = np.flatnonzero(grid.primary.ravel())
    top = max(1.0, *(level.ravel()[primary].max() for level in (grid.upper, grid.lower, grid.sliding)))
    up = np.minimum((grid.high - grid.values).ravel(), top)
    down = np.minimum((grid.values - grid.low).ravel(), top)
    demands = []
    for cell in primary:
        if grid.problem == "interval":
            demands += [(cell, grid.upper.ravel()[cell], None), (cell, -grid.lower.ravel()[cell], None)]
        elif grid.problem == "general":
            up, down = np.ones(size), np.ones(size)
            demands += [(cell, 1.0, None)]
        else:
            up, down = (up > 0).astype(float), (down > 0).astype(float)
            demands += [(cell, 1.0, cell), (cell, -1.0, cell)]
    directions = {cell: at for at, cell in enumerate(primary)} if grid.problem == "exact" else {}
    variables = size * (1 + len(demands)) + len(directions)
    rows, low, high = [], [], []
    matrix = sparse.csr_matrix(relations(shape))
    eye = sparse.identity(size, format="csr")
    for q, (cell, amount, either) in enumerate(demands):

        def place(x_part, change_part, q=q):
            blocks = [x_part] + [sparse.csr_matrix((x_part.shape[0], size))] * len(demands)
            blocks[q + 1] = change_part
            blocks.append(sparse.csr_matrix((x_part.shape[0], len(directions))))
            return sparse.hstack(blocks)

        rows += [place(sparse.csr_matrix((matrix.shape[0], size)), matrix)]
        low += [np.zeros(matrix.shape[0])]
        high += [np.zeros(matrix.shape[0])]
        rows += [place(sparse.diags(-up), eye), place(sparse.diags(down), eye)]
        low += [np.full(size, -np.inf), np.zeros(size)]
        high += [np.zeros(size), np.full(size, np.inf)]
        reach = sparse.lil_matrix((1, variables))
        reach[0, size * (q + 1) + cell] = np.sign(amount) if amount else 1.0 - 2.0 * (q % 2)
        needed = abs(amount)
        if either is not None:
            # the chosen direction asks for 1, the other for nothing
            reach[0, size * (1 + len(demands)) + directions[either]] = -1.0 if amount > 0 else 1.0
            needed = 0.0 if amount > 0 else 1.0
        rows += [reach.tocsr()]
        low += [np.array([needed])]
        high += [np.array([np.inf])]
    for q in range(0, len(demands) if grid.problem == "interval" else 0, 2):
        width = sparse.lil_matrix((1, variables))
        cell = demands[q][0]
        width[0, size * (q + 1) + cell], width[0, size * (q + 2) + cell] = 1.0, -1.0
        rows += [width.tocsr()]
        low += [np.array([grid.sliding.ravel()[cell]])]
        high += [np.array([np.inf])]
    cost = np.zeros(variables)
    cost[:size] = np.where(grid.primary, 0.0, grid.cost).ravel()
    least = np.concatenate([grid.primary.ravel().astype(float), np.full(size * len(demands), -np.inf)])
    most = np.concatenate(
        [(grid.primary | grid.allowed).ravel().astype(float), np.full(size * len(demands), np.inf)]
    )
    least = np.concatenate([least, np.zeros(len(directions))])
    most = np.concatenate([most, np.ones(len(directions))])
    whole = np.concatenate([np.ones(size), np.zeros(size * len(demands)), np.ones(len(directions))])
    found = milp(
        cost,
        integrality=whole,
        bounds=Bounds(least, most),
        constraints=LinearConstraint(sparse.vstack(rows).tocsc(), np.concatenate(low), np.concatenate(high)),
        options={"mip_rel_gap": 0.0, "time_limit": 60},
    )
    assert found.status == 0, found.message
    return float(found.fun)


def published_by_elimination(grid):
    """Withheld cells by plain ranks: dearest first, publish what reveals no primary."""
    size = grid.values.size
    matrix = relations(grid.values.shape)
    open_cells = (grid.allowed | grid.primary).ravel()
    withheld = open_cells.copy()
    candidates = np.flatnonzero(open_cells & ~grid.primary.ravel())
    order = np.lexsort((candidates, grid.cost.ravel()[candidates]))[::-1]

    def hidden(mask):
        free = np.flatnonzero(mask)
        rank = np.linalg.matrix_rank(matrix[:, free])
        # a cell is determined if its column is independent of all others
        return all(
            np.linalg.matrix_rank(matrix[:, free[free != cell]]) == rank
            for cell in np.flatnonzero(grid.primary.ravel())
        )

    for cell in candidates[order]:
        withheld[cell] = False
        if not hidden(withheld):
            withheld[cell] = True
    assert withheld.shape == (size,)
    return withheld.reshape(grid.values.shape)
