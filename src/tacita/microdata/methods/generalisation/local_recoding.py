"""Local recoding: each class shows the lowest places that cover its own members."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any, ClassVar

import numpy as np
from pydantic import Field, model_validator

from tacita.core import DataError, Floats, Ints, Mask, ParameterError, RunContext

from .generalisation_method import COARSER, Generalisation, Generalised, Guarded
from .generalise import Weights
from .key_hierarchies import Keys
from .lattice import Lattice, check_lattice_size
from .quality import Quality
from .search import search

# of all records, how many a round of peeling must free
_PEELED = 0.01
_ROUNDS = 40


class RecodeLocal(Generalisation):
    """Every class of records shows the lowest places of each hierarchy that cover its own members.

    Records are peeled off by the least general levels that free one in a hundred of them. Then, as long as it
    saves: a class shows no more than covers it; it is split by the children of a place that it shows, if all
    parts may stand; a record moves to a finer class that covers it, if its own may stand without it; a class
    is given up if all its members find cheaper ones. No move costs more, and the result is never worse than
    full-domain generalisation by mean loss: (share of leaves - 1/D) / (1 - 1/D), over records and keys.
    With hierarchies of one step (value, *) this is suppression of single cells. O(rounds records classes).
    Source: the peeling is that of Prasser et al. (2020), Software: Practice and Experience 50(7), 1277-1304;
    local recoding as Xu et al. (2006), KDD, 785-790.

    >>> import numpy as np
    >>> from tacita.core import Hierarchy
    >>> from tacita.microdata.methods.generalisation.key_hierarchies import Keys, Ladder
    >>> town = Hierarchy("town", ("a", "b", "c", "ab", "*"), (3, 3, 4, 4, -1))
    >>> keys = Keys((Ladder.of(town, False),), np.array([[0, 1, 2, 2, 0, 1]]), np.zeros(6, dtype=np.int64))
    >>> made = RecodeLocal(k=2).generalise(keys)
    >>> [made.labels[0][place] for place in made.shown[0]]
    ['a', 'b', 'c', 'c', 'a', 'b']
    """

    guarantees: ClassVar[tuple[str, ...]] = COARSER

    importance: Weights = Field(
        default_factory=dict, description="how much a key counts, COLUMN=WEIGHT; others 1"
    )

    @model_validator(mode="after")
    def _makes_sense(self) -> RecodeLocal:
        if any(not 0 < weight < np.inf for weight in self.importance.values()):
            raise ParameterError("RecodeLocal: importance must be more than 0 and finite.")
        return self

    def check_columns(self, columns: Sequence[str]) -> None:
        """Raise where importance is given to what is no key."""
        self.check_column_names("importance", self.importance, columns)

    def generalise(self, keys: Keys, run: RunContext | None = None) -> Generalised:
        """Places for every class, and who is in it."""
        run = run or RunContext()
        quality = Quality("loss", "mean", self.importance)
        # before any search: one that lacks memory must not be taken for one that finds nothing
        check_lattice_size(keys, self.display_name(), separable=quality.separable)
        classes = _Classes(keys, self, run)
        full = _full_domain(self, keys, quality, run)
        of = classes.improved(_peeled(self, keys, quality, run))
        best, loss, gone = of, classes.loss(of), np.zeros(keys.n, dtype=bool)
        if full is not None and full.loss < loss:
            best, loss, gone = full.of, full.loss, full.gone
        # a class that is gone shows nothing, whatever would cover it
        shown = classes.places(best)
        for j, start in enumerate(classes.starts.tolist()):
            shown[j] -= start
        summary: dict[str, Any] = {
            "score": float(loss),
            "proven": False,
            "classes": int(np.unique(best[~gone]).size),
            "full_domain": None if full is None else float(full.loss),
        }
        run.report("recoding classes", 1, 1)
        return Generalised(
            labels=tuple(ladder.labels for ladder in keys.ladders), shown=shown, gone=gone, summary=summary
        )


@dataclass(frozen=True, repr=False)
class _Full:
    of: Ints
    gone: Mask
    loss: float


def _full_domain(method: RecodeLocal, keys: Keys, quality: Quality, run: RunContext) -> _Full | None:
    """The best full-domain generalisation by mean loss; None where there is none."""
    lattice = Lattice(
        keys, method.of_classes(), method.suppression_limit, keep_outliers=method.outliers == "withhold"
    )
    try:
        outcome = search(lattice, quality, run)
    except DataError:
        return None
    checked = lattice.check(outcome.certificate.best, lattice.every)
    of = checked.of[lattice.of_record].astype(np.int64)
    return _Full(of, checked.failing[of], float(outcome.certificate.score[0]))


def _peeled(method: RecodeLocal, keys: Keys, quality: Quality, run: RunContext) -> Ints:
    """A class for every record: again and again the least general levels that free enough of those left."""
    of, classes = np.full(keys.n, -1, dtype=np.int64), 0
    free = replace(quality, balance=0.0)
    inner = replace(run, on_progress=lambda _: None, on_bounds=lambda _: None)
    while (left := np.flatnonzero(of < 0)).size:
        run.report("peeling records", keys.n - left.size, keys.n)
        wanted = max(method.k, int(np.ceil(_PEELED * keys.n)))
        part = keys.taken(left)
        lattice = Lattice(part, method.of_classes(), max(1 - wanted / left.size, 0.0))
        try:
            best = search(lattice, free, inner).certificate.best
        except DataError:
            break
        checked = lattice.check(best, lattice.every)
        own = checked.of[lattice.of_record].astype(np.int64)
        stays = ~checked.failing[own]
        of[left[stays]] = classes + own[stays]
        classes += int(own.max()) + 1
    return _with_rest(method, keys, of)


def _with_rest(method: RecodeLocal, keys: Keys, of: Ints) -> Ints:
    """Those that no round freed, as a class of their stratum, with as many classes as they need to stand."""
    of = of.copy()
    guarded = Guarded(keys, method)
    for stratum in np.unique(keys.strata[of < 0]).tolist():
        here = keys.strata == stratum
        rest = np.flatnonzero(here & (of < 0))
        joined = int(of.max()) + 1
        of[rest] = joined
        # the smallest classes are the last to be freed, and the least like others
        labels, counts = np.unique(of[here & (of != joined)], return_counts=True)
        waiting = labels[np.argsort(counts, kind="stable")].tolist()
        while not guarded.stands(np.flatnonzero(of == joined)):
            if not waiting:
                raise DataError(
                    f"RecodeLocal: {int(here.sum())} records of one stratum cannot satisfy what is required, "
                    "not even all together. Lower k, or require less of the models."
                )
            of[of == waiting.pop(0)] = joined
    return np.unique(of, return_inverse=True)[1].reshape(-1).astype(np.int64)


class _Classes(Guarded):
    """Records with the trees of their keys, and what makes classes of them finer."""

    def __init__(self, keys: Keys, method: RecodeLocal, run: RunContext) -> None:
        from tacita.kernels.records.local_recoding import Trees

        super().__init__(keys, method)
        self.keys, self.run = keys, run
        ladders = keys.ladders
        self.starts = np.concatenate([[0], np.cumsum([len(ladder.labels) for ladder in ladders])[:-1]])
        weights = np.array([method.importance.get(ladder.name, 1.0) for ladder in ladders])
        parents, depths, costs = [], [], []
        for start, ladder, weight in zip(self.starts.tolist(), ladders, weights / weights.max(), strict=True):
            parents.append(np.where(ladder.parents < 0, -1, ladder.parents + start))
            depths.append(depths_of(ladder.parents))
            least = 1 / ladder.leaves
            lost = (ladder.shares - least) / (1 - least) if ladder.leaves > 1 else np.zeros(1)
            costs.append(weight * np.maximum(lost, 0.0) / len(ladders))
        self.trees = Trees(
            self.starts.astype(np.int64),
            np.concatenate(parents),
            np.concatenate(depths),
            np.concatenate(costs),
        )
        self.leaves = np.array(
            [
                ladder.levels[0][own] + start
                for start, ladder, own in zip(self.starts.tolist(), ladders, keys.leaves, strict=True)
            ],
            dtype=np.int64,
        )

    def _shown(self, of: Ints) -> tuple[Ints, Floats]:
        """What each class shows and costs a record."""
        from tacita.kernels.records.classes import members_of
        from tacita.kernels.records.local_recoding import refine

        classes = int(of.max()) + 1
        shown = np.zeros((classes, len(self.leaves)), dtype=np.int64)
        costs = np.full(classes, np.inf)
        order, starts = members_of(of, classes)
        refine(self.trees, self.leaves, order, starts, shown, costs)
        return shown, costs

    def loss(self, of: Ints) -> float:
        """Mean over all records of what their class costs."""
        return float(self._shown(of)[1][of].mean())

    def places(self, of: Ints) -> Ints:
        """What each record shows of each key."""
        return np.ascontiguousarray(self._shown(of)[0][of].T)

    def improved(self, of: Ints) -> Ints:
        """Split, reassign and give up until nothing is saved."""
        from tacita.kernels.records.classes import members_of
        from tacita.kernels.records.local_recoding import dissolve, reassign, splits

        trees, leaves, strata = self.trees, self.leaves, self.keys.strata
        before = np.inf
        for done in range(_ROUNDS):
            self.run.report("recoding classes", done, _ROUNDS)
            fresh = np.zeros(of.size, dtype=np.int64)
            order, starts = members_of(of, int(of.max()) + 1)
            splits(trees, leaves, order, starts, self.guard, self.room, fresh)
            of = fresh
            shown, costs = self._shown(of)
            reassign(trees, leaves, strata, of, costs.size, shown, costs, self.guard, self.room, self.plain)
            of = np.unique(of, return_inverse=True)[1].reshape(-1).astype(np.int64)
            if self.plain:
                shown, costs = self._shown(of)
                members = members_of(of, costs.size)
                dissolve(trees, leaves, strata, of, costs.size, shown, costs, *members)
                of = np.unique(of, return_inverse=True)[1].reshape(-1).astype(np.int64)
            now = self.loss(of)
            if before - now < 1e-7:
                break
            before = now
        return of


def depths_of(parents: Ints) -> Ints:
    """Steps from each place up to the top."""
    depths = np.zeros(parents.size, dtype=np.int64)
    for place in range(parents.size):
        at = int(parents[place])
        while at >= 0:
            depths[place] += 1
            at = int(parents[at])
    return depths
