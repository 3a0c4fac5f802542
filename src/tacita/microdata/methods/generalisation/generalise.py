"""Full-domain generalisation: one level for each key, the best of all that are allowed."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Annotated, Any, ClassVar

import numpy as np
from pydantic import BeforeValidator, Field, model_validator

from tacita.core import ParameterError, RunContext

from .generalisation_method import COARSER, Generalisation, Generalised
from .key_hierarchies import Keys
from .lattice import Lattice, check_lattice_size
from .quality import Aggregate, Quality, QualityName
from .search import Outcome, search


def as_weights(value: object) -> object:
    """COLUMN=WEIGHT as words of a command line, or a mapping."""
    if not isinstance(value, list | tuple):
        return value
    parted = [str(word).partition("=") for word in value]
    if not all(sign for _, sign, _ in parted):
        raise ParameterError("Generalise: wanted weights as COLUMN=WEIGHT with commas between.")
    return {name: weight for name, _, weight in parted}


Weights = Annotated[dict[str, float], BeforeValidator(as_weights)]


class Generalise(Generalisation):
    """The best level for every key, the same for all records; no other levels that are allowed cost less.

    A node has one level a key. Records in classes of equal keys that have fewer than k members (of k units,
    where units are named), or that break a model, are suppressed; a node is allowed if these are at most
    `suppression_limit` of all. Where a model speaks of the whole file, the smallest classes go too, those of
    one size together, until it holds. Of the allowed nodes the one of least `quality` is found and proven:
    too many suppressed at a node means too many at all below it; a score without suppression bounds the node,
    and where nothing may be suppressed all above it. Where a model is not monotone, every node under the
    bound is looked at. O(nodes) memory, O(tuples keys) a node that is looked at.
    Source: Samarati (2001), IEEE TKDE 13(6), 1010-1027; LeFevre, DeWitt & Ramakrishnan (2005), SIGMOD, 49-60;
    quality and suppression as Prasser et al. (2020), Software: Practice and Experience 50(7), 1277-1304.

    >>> import numpy as np
    >>> from tacita.core import Hierarchy
    >>> from tacita.microdata.methods.generalisation.key_hierarchies import Keys, Ladder
    >>> town = Ladder.of(Hierarchy.flat("town", ["Faro", "Porto"], "*"), missing=False)
    >>> keys = Keys((town,), np.array([[0, 0, 0, 1, 1]]), np.zeros(5, dtype=np.int64))
    >>> Generalise(k=3).generalise(keys).summary["levels"]
    {'town': 1}
    >>> Generalise(k=3, suppression_limit=0.4).generalise(keys).gone.tolist()
    [False, False, False, True, True]
    """

    guarantees: ClassVar[tuple[str, ...]] = (*COARSER, "levels-as-told", "optimum-proven")
    one_level_each: ClassVar[bool] = True

    quality: QualityName = Field(default="loss", description="what is to be least")
    aggregate: Aggregate = Field(default="geometric", description="of loss: how keys are put together")
    importance: Weights = Field(
        default_factory=dict, description="of loss: how much a key counts, COLUMN=WEIGHT; others 1"
    )
    balance: float = Field(
        default=0.5,
        ge=0,
        le=1,
        allow_inf_nan=False,
        description="of loss: below 0.5 suppression counts less, above it generalisation",
    )
    time_limit: float | None = Field(
        default=None, gt=0, allow_inf_nan=False, description="seconds after which the best so far is taken"
    )

    @model_validator(mode="after")
    def _makes_sense(self) -> Generalise:
        if self.quality != "loss":
            for name, unsaid in (("aggregate", "geometric"), ("importance", {}), ("balance", 0.5)):
                if getattr(self, name) != unsaid:
                    raise ParameterError(
                        f"Generalise: {name} belongs to quality 'loss', got '{self.quality}'."
                    )
        if any(not 0 < weight < np.inf for weight in self.importance.values()):
            raise ParameterError("Generalise: importance must be more than 0 and finite.")
        return self

    def promised(self) -> tuple[str, ...]:
        """What holds whatever is found; that nothing is better is promised where it was proven."""
        return self.kept_promises((*COARSER, "levels-as-told"))

    def judged_by(self) -> Quality:
        """The quality model."""
        return Quality(self.quality, self.aggregate, self.importance, self.balance)

    def check_columns(self, columns: Sequence[str]) -> None:
        """Raise where importance is given to what is no key."""
        self.check_column_names("importance", self.importance, columns)

    def search_best(self, keys: Keys, run: RunContext) -> tuple[Lattice, Outcome]:
        """The best node and its proof."""
        check_lattice_size(keys, self.display_name(), separable=self.judged_by().separable)
        lattice = Lattice(
            keys, self.of_classes(), self.suppression_limit, keep_outliers=self.outliers == "withhold"
        )
        return lattice, search(lattice, self.judged_by(), run, self.time_limit)

    def generalise(self, keys: Keys, run: RunContext | None = None) -> Generalised:
        """Every record at the levels of the best node."""
        lattice, outcome = self.search_best(keys, run or RunContext())
        proof, checked = outcome.certificate, outcome.checked
        names = [ladder.name for ladder in keys.ladders]
        levels = dict(zip(names, proof.best, strict=True))
        shown = np.array(
            [
                ladder.levels[level][leaves]
                for ladder, level, leaves in zip(keys.ladders, proof.best, keys.leaves, strict=True)
            ]
        )
        summary: dict[str, Any] = {
            "levels": levels,
            "score": proof.score[0] if len(proof.score) == 1 else list(proof.score),
            "proven": proof.proven,
            "checked": proof.checked,
            "nodes": lattice.nodes,
            "suppressed": checked.suppressed,
            "lower_bound": proof.lower[0] if len(proof.lower) == 1 else list(proof.lower),
        }
        gone = lattice.gone(proof.best)
        labels = tuple(ladder.labels for ladder in keys.ladders)
        terms = {"levels": levels, "certificate": vars(proof)}
        promised = ("optimum-proven",) if proof.proven else ()
        return Generalised(
            labels=labels, shown=shown, gone=gone, summary=summary, terms=terms, promised=promised
        )
