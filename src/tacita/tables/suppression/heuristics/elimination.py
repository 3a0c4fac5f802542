"""Gaussian elimination over the relations of a table: which cells hide the primaries, and which need not."""

from __future__ import annotations

from heapq import heapify, heappop, heappush

import numpy as np

from tacita.core import RunContext
from tacita.core.arrays import Floats, Ints, Mask
from tacita.tables.suppression.optimal.relation_system import System

# Coefficients are counted modulo this prime: exact, and of bounded length. The chance that a nonzero number
# counts as zero is one in 10^18; the audit would find it.
_PRIME = 2**61 - 1
# Coefficients of presolved relations are fractions of small numbers; times this they are whole.
_WHOLE = 27_720

# What of the price of a cell that surely belongs to a cheap pattern is taken off.
_GUIDED = 0.95

Vector = dict[int, int]


def eliminated(system: System, likely: Floats, run: RunContext) -> Mask | None:
    """Columns to suppress so that no primary is a sum of published cells; None where one must be.

    Columns enter one by one, primaries first, then the cheapest; a column that depends on those before it
    closes a circuit, which is kept if it has a primary that no circuit has had. Then columns of the circuits
    are dropped again, most expensive first, unless a primary could not move without them. A column that is
    likely to belong to a cheap pattern (`likely`, 0 to 1) counts as cheaper. O(entries and fill).

    >>> from tacita.core import Table
    >>> from tacita.tables.suppression.optimal.relation_presolve import systems_of
    >>> regions = [[11, 47, 58], [1, 15, 33], [2, 31, 20]]
    >>> table = Table.from_array(regions, primary=[[0, 0, 0], [0, 1, 0], [0, 0, 0]])
    >>> (system,) = systems_of(table, "general")
    >>> sorted(system.of_table(eliminated(system, np.zeros(system.edges), RunContext())).tolist())
    [4, 5, 8, 9]
    """
    price = system.cost * (1 - _GUIDED * likely)
    order = np.lexsort((np.arange(system.edges), price, ~system.primary))
    own = set(system.own.tolist())
    circuits = _circuits(system, order, own, run)
    if circuits is None:
        return None
    vectors: dict[int, Vector] = {}
    for number, circuit in enumerate(circuits):
        for column, coefficient in circuit.items():
            vectors.setdefault(column, {})[number] = coefficient
    # sums may cancel: check the cells that have a demand, not the primaries that are suppressed anyway
    secondary = [column for column in order[::-1].tolist() if column in vectors and column not in own]
    _publish(vectors, [column for column in secondary if not system.primary[column]], own)
    chosen = system.primary.copy()
    chosen[[column for column, vector in vectors.items() if vector]] = True
    return chosen


class _Basis:
    """Independent columns, reduced one by one: column k less those before it has a row that they lack."""

    def __init__(self, system: System) -> None:
        matrix = system.relations[np.flatnonzero(~system.implied)].tocsc()
        self._start, self._rows = matrix.indptr.tolist(), matrix.indices.tolist()
        self._values = [round(value * _WHOLE) % _PRIME for value in matrix.data.tolist()]
        self._filled = np.bincount(matrix.indices, minlength=matrix.shape[0]).tolist()
        self._pivot: dict[int, int] = {}
        self._reduced: list[Vector] = []
        self._row_of: list[int] = []
        self._marked: list[bool] = []
        self._made_of: list[tuple[int, int, dict[int, int]]] = []

    def take(self, column: int) -> dict[int, int] | None:
        """Add a column; its parts, by number, if it depends on the columns before it, else None."""
        span = range(self._start[column], self._start[column + 1])
        left = {self._rows[at]: self._values[at] for at in span}
        waiting = [self._pivot[row] for row in left if row in self._pivot]
        heapify(waiting)
        used: dict[int, int] = {}
        while waiting:
            number = heappop(waiting)
            reduced = self._reduced[number]
            factor = left.get(self._row_of[number], 0)
            if not factor:
                continue
            used[number] = factor
            for row, value in reduced.items():
                now = (left.get(row, 0) - factor * value) % _PRIME
                if now:
                    if row not in left and row in self._pivot:
                        heappush(waiting, self._pivot[row])
                    left[row] = now
                else:
                    left.pop(row, None)
        if not left:
            return used
        # the emptiest row: what comes later meets it least
        pivot = min(left, key=lambda row: (self._filled[row], row))
        scale = pow(left[pivot], _PRIME - 2, _PRIME)
        self._pivot[pivot] = len(self._reduced)
        self._reduced.append({row: value * scale % _PRIME for row, value in left.items()})
        self._row_of.append(pivot)
        self._made_of.append((column, scale, used))
        return None

    def mark(self, wanted: set[int]) -> None:
        """Remember which numbers are made of wanted columns: other circuits need not be spelled out."""
        self._marked = []
        for own, _, parts in self._made_of:
            self._marked.append(own in wanted or any(self._marked[other] for other in parts))

    def may_have(self, used: dict[int, int]) -> bool:
        """Whether a circuit can have one of the columns that were last marked as wanted."""
        return any(self._marked[number] if number < len(self._marked) else True for number in used)

    def circuit(self, column: int, used: dict[int, int]) -> Vector:
        """The columns, with coefficients, that add up to zero with a dependent one."""
        circuit = {column: _PRIME - 1}
        left = dict(used)
        waiting = [-number for number in left]
        heapify(waiting)
        while waiting:
            number = -heappop(waiting)
            factor = left.pop(number, 0)
            if not factor:
                continue
            own, scale, parts = self._made_of[number]
            factor = factor * scale % _PRIME
            circuit[own] = factor
            for other, value in parts.items():
                if other not in left:
                    heappush(waiting, -other)
                left[other] = (left.get(other, 0) - factor * value) % _PRIME
        return circuit


def _circuits(system: System, order: Ints, own: set[int], run: RunContext) -> list[Vector] | None:
    """Circuits that have every column of a demand, made of cheap columns; None where there are none."""
    basis, bare, circuits = _Basis(system), set(own), list[Vector]()
    marked = len(bare)
    for done, column in enumerate(order.tolist()):
        if not bare:
            break
        if done % 256 == 0:
            run.report("eliminating", done, order.size)
        used = basis.take(column)
        if used is None or not (column in bare or basis.may_have(used)):
            continue
        circuit = basis.circuit(column, used)
        if not bare.isdisjoint(circuit):
            bare -= circuit.keys()
            circuits.append(circuit)
        if len(bare) < 0.8 * marked:
            basis.mark(bare)
            marked = len(bare)
    return None if bare else circuits


def _publish(vectors: dict[int, Vector], secondary: list[int], own: set[int]) -> None:
    """Drop columns, in order, unless a column with a demand needs them to move; changes `vectors`."""
    holding: dict[int, set[int]] = {}
    for column, vector in vectors.items():
        for number in vector:
            holding.setdefault(number, set()).add(column)
    for column in secondary:
        vector = vectors[column]
        if not vector:
            continue
        pivot = min(vector, key=lambda number: (len(holding[number]), number))
        inverse = pow(vector[pivot], _PRIME - 2, _PRIME)
        others = [other for other in holding[pivot] if other != column]
        if any(other in own and _parallel(vectors[other], vector, pivot, inverse) for other in others):
            continue
        for number in vector:
            holding[number].discard(column)
        vectors[column] = {}
        for other in others:
            _subtract(vectors[other], vector, pivot, inverse, other, holding)


def _parallel(one: Vector, other: Vector, pivot: int, inverse: int) -> bool:
    if one.keys() != other.keys():
        return False
    factor = one[pivot] * inverse % _PRIME
    return all((value * factor - one[number]) % _PRIME == 0 for number, value in other.items())


def _subtract(
    from_: Vector, vector: Vector, pivot: int, inverse: int, column: int, holding: dict[int, set[int]]
) -> None:
    """Subtract a multiple of one vector from another, so that it is zero at the pivot."""
    factor = from_[pivot] * inverse % _PRIME
    for number, value in vector.items():
        now = (from_.get(number, 0) - factor * value) % _PRIME
        if now:
            from_[number] = now
            holding[number].add(column)
        elif number in from_:
            del from_[number]
            holding[number].discard(column)
