"""Local suppression: the fewest empty cells that make records alike.

Patterns of empty columns are tried in increasing cost, and records that agree on the rest take one
together; then patterns are opened and joined while that saves. The sum over records of the cheapest columns
without which k originals fit is a lower bound. If at most `options` pairs of a combination and a set of
empty columns could matter, an integer program (HiGHS) follows. It proves the least cost, or a better bound
within `nodes` of its search. Beyond that, up to 5000 records, parts of the file are solved in the same way,
read as categories.

A single half of (k, k)-anonymity protects nothing: k empty records would be compatible with every record.
"""

from __future__ import annotations

from collections.abc import Sequence
from math import comb
from typing import Annotated, Any, ClassVar, Literal

import numpy as np
from pydantic import BeforeValidator, Field, model_validator

from tacita.core import Bounds, DataError, Floats, Ints, ParameterError, RunContext

from . import category, wildcard
from .exact import Terms, improved, polished
from .key_patterns import Keys, as_masks, as_sets, least
from .local_suppression_method import CellSuppression, SuppressedCells

_ROUNDING = 1e-9


def search_cells(keys: Keys, terms: Terms, run: RunContext) -> SuppressedCells:
    """Cells that keep the promise, the least that they cost, and how it ended."""
    stars = _heuristic(keys, terms, run) & ~keys.missing
    bound = _bound(keys, terms)
    cost = keys.price(stars)
    run.on_bounds(Bounds(min(bound, cost), cost))
    status = "heuristic"
    if not _proven(cost, bound) and terms.options and not run.should_stop():
        proof = improved(keys, stars, terms.families(keys.d), terms, run)
        if proof is not None:
            stars, bound, status = proof.stars, max(bound, proof.bound), "unfinished"
        elif not terms.wildcard and terms.m is None:
            stars = polished(keys, stars, terms.k, run)
        cost = keys.price(stars)
        run.on_bounds(Bounds(min(bound, cost), cost))
    return SuppressedCells(keys.taken(stars), min(bound, cost), "optimal" if _proven(cost, bound) else status)


def _proven(cost: float, bound: float) -> bool:
    return cost - bound <= _ROUNDING * max(1.0, cost)


def _heuristic(keys: Keys, terms: Terms, run: RunContext) -> Ints:
    """Combination by combination, each building on what was suppressed for the others."""
    if not terms.wildcard or not keys.lone:
        # records that are equal are compatible, units and all
        return _alike(keys, terms, run)
    stars = np.zeros(keys.n, dtype=np.int64)
    for columns in terms.families(keys.d):
        part, before = keys.on_columns(columns), as_sets(as_masks(stars, keys.d)[:, columns])
        own = wildcard.compatible(part, before, terms.k, run)
        if own is None:
            return _alike(keys, terms, run)
        stars |= _spread(own, columns)
    return stars


def _alike(keys: Keys, terms: Terms, run: RunContext) -> Ints:
    """Sets of empty columns so that records are alike in every combination; cells only ever become empty."""
    stars = np.zeros(keys.n, dtype=np.int64)
    families = terms.families(keys.d)
    while True:
        before = stars
        for columns in families:
            part = keys.without(stars).on_columns(columns)
            if category.short(part, np.zeros(keys.n, dtype=np.int64), terms.k).any():
                stars = stars | _spread(category.alike(part, terms.k, run), columns)
        if np.array_equal(before, stars):
            return stars


def _spread(sets: Ints, columns: list[int]) -> Ints:
    """Sets of some of the columns as sets of all of them."""
    return as_masks(sets, len(columns)).astype(np.int64) @ (1 << np.array(columns, dtype=np.int64))


def _bound(keys: Keys, terms: Terms) -> float:
    """What records must lose in combinations that share no column adds up."""
    bounds = [
        (float(least(keys.on_columns(columns), terms.k, terms.wildcard).sum()), columns)
        for columns in terms.families(keys.d)
    ]
    total, taken = 0.0, set[int]()
    for bound, columns in sorted(bounds, key=lambda entry: -entry[0]):
        if taken.isdisjoint(columns):
            total += bound
            taken.update(columns)
    return total


_MOST_COLUMNS = 60
# combinations of m keys, each of which is searched, bounded and verified by itself
_MOST_COMBINATIONS = 20_000


def _as_importance(value: object) -> object:
    """A mapping as it is, or words such as COLUMN=2 from a command line."""
    words = (value,) if isinstance(value, str) else value
    if not isinstance(words, list | tuple):
        return value
    parted = [str(word).partition("=") for text in words for word in str(text).split(",")]
    if any(not sign or not column for column, sign, _ in parted):
        raise ParameterError("LocalSuppression: wanted importance as COLUMN=NUMBER with commas between.")
    if len({column for column, _, _ in parted}) < len(parted):
        raise ParameterError("LocalSuppression: importance names a column twice. Once is enough.")
    return {column: number for column, _, number in parted}


Importance = Annotated[
    dict[str, Annotated[float, Field(gt=0, le=1e6, allow_inf_nan=False)]], BeforeValidator(_as_importance)
]
Reading = Literal["category", "wildcard"]


class LocalSuppression(CellSuppression):
    """Leaves the fewest cells empty that make every record one of k, all others stay as they were.

    Minimises the sum of importance over suppressed cells; the guarantee holds within each stratum, and for k
    distinct units if units are named.

    - `category`: an empty cell is a value of its own, and k records share every published combination of
      keys. This is k-anonymity as it is usually proven, and implies the other reading.
    - `wildcard`: an empty cell may be any value. Records are compatible if they agree in all cells in which
      both have a value. Every original combination is compatible with k released records and every released
      record with k original ones: (k, k)-anonymity. Either half by itself protects nothing.

    With `m`, the same for every combination of m keys. A cell of a column of importance 2 is suppressed
    only if that saves more than two of importance 1. Use it to suppress single values of files whose keys
    are mostly safe; recode first if many cells would be suppressed. The result has a proven lower bound of
    its cost.

    O(2^d n log n) for d keys, O(4096 n log n) beyond 12 keys, and the integer program. If it is stopped
    early, it returns the best choice so far.
    Source: cell suppression of Meyerson & Williams (2004), PODS, 223-228; (k, k)-anonymity of Gionis, Mazza
    & Tassa (2008), ICDE, 744-753; importance as in sdcMicro, Templ, Kowarik & Meindl (2015), J. Stat. Softw.
    67(4).

    >>> codes = np.array([[0, 0], [0, 1], [1, 0], [1, 1]])
    >>> LocalSuppression(k=2).suppress(codes, np.array([1.0, 2.0]), RunContext()).cells.tolist()
    [[True, False], [True, False], [True, False], [True, False]]
    """

    guarantees: ClassVar[tuple[str, ...]] = ("only-withheld", "k-anonymous", "k-anonymous-to-all")
    anytime: ClassVar[bool] = True

    importance: Importance = Field(
        default_factory=dict, description="what a cell of a column costs, COLUMN=NUMBER; if not given, 1"
    )
    missing_as: Reading = Field(
        default="category",
        description="how an empty cell is read: category (a value of its own) or wildcard (anything)",
    )
    m: int | None = Field(
        default=None, ge=1, description="protect every combination of m keys; if not given, all keys together"
    )
    options: int = Field(
        default=20_000, ge=0, le=1_000_000, description="size up to which the least cost is sought; 0: never"
    )
    nodes: int = Field(
        default=500, ge=0, le=1_000_000, description="nodes of that search at most, in each stratum"
    )

    @property
    def missing_keys(self) -> str:
        return self.missing_as

    @model_validator(mode="after")
    def _names(self) -> LocalSuppression:
        if any(not name for name in self.importance):
            raise ParameterError("LocalSuppression: importance wants names of columns, got an empty one.")
        return self

    def promised(self) -> tuple[str, ...]:
        """What holds in the reading that was chosen; records that are equal are compatible too."""
        if self.missing_as == "wildcard":
            return ("only-withheld", "k-anonymous-to-all")
        return self.guarantees

    def own_parameters(self) -> dict[str, Any]:
        """The parameters that were given, in the form that a record keeps."""
        return {name: value for name, value in super().own_parameters().items() if value not in (None, {})}

    def check_columns(self, columns: Sequence[str]) -> None:
        """Raise where importance is given to what is no key."""
        self.check_column_names("importance", self.importance, columns)

    def weights(self, names: Sequence[str]) -> Floats:
        """The importance of each column; raises where m, or the combinations of m keys, are too many."""
        if self.m is not None and self.m > len(names):
            raise ParameterError(
                f"LocalSuppression: m must be at most {len(names)}, the number of keys, got {self.m}."
            )
        if len(names) > _MOST_COLUMNS:
            raise ParameterError(
                f"LocalSuppression: wanted at most {_MOST_COLUMNS} keys, got {len(names)}. Leave some out."
            )
        if (combinations := comb(len(names), self.m or len(names))) > _MOST_COMBINATIONS:
            raise ParameterError(
                f"LocalSuppression: m={self.m} of {len(names)} keys are {combinations:,} combinations, and "
                f"at most {_MOST_COMBINATIONS:,} can be protected. Leave keys out, or choose another m."
            )
        return np.array([self.importance.get(name, 1.0) for name in names])

    def suppress(
        self, codes: Ints, weights: Floats, run: RunContext, *, units: Ints | None = None
    ) -> SuppressedCells:
        """The cells of one stratum; raises where it has fewer than k records or units."""
        numbers = np.arange(len(codes)) if units is None else _numbered(units)
        if np.unique(numbers).size < self.k:
            what = "records" if units is None else "distinct units"
            raise DataError(f"LocalSuppression: k={self.k} needs at least {self.k} {what} in a stratum.")
        keys = Keys(codes.astype(np.int64) + 1, numbers.astype(np.int64), np.asarray(weights, dtype=float))
        terms = Terms(self.k, self.missing_as == "wildcard", self.m, self.options, self.nodes)
        return search_cells(keys, terms, run)


def _numbered(units: Ints) -> Ints:
    return np.unique(units, return_inverse=True)[1].reshape(-1)
