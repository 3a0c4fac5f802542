"""Models in addition to k records in a class: of its confidential values, and of the whole file."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from math import ceil
from typing import Annotated, Any, Literal

import numpy as np
from pydantic import BeforeValidator, Field, model_validator

from tacita.core import Floats, Ints, ParameterError
from tacita.core.spec.params import Parameters
from tacita.core.spec.size_limits import values_of_json

from .file_models import (
    AverageRisk,
    DeltaPresence,
    KMap,
    OfAPopulation,
    OfTheFile,
    PopulationUniqueness,
    SampleUniqueness,
)
from .key_hierarchies import Keys

_KINDS = (
    "distinct",
    "entropy",
    "recursive",
    "equal",
    "ordered",
    "hierarchical",
    "basic",
    "enhanced",
    "disclosure",
    "weighed",
)


class LDiversity(Parameters):
    """Enough different values of a confidential column in every class.

    distinct: at least l of them; entropy: at least log l; recursive: r_1 < c (r_l + ... + r_m), r the counts
    from the largest down. Source: Machanavajjhala et al. (2007), ACM TKDD 1(1), 3.
    """

    column: str = Field(description="the confidential column")
    kind: Literal["distinct", "entropy", "recursive"] = Field(
        default="distinct", description="how values count"
    )
    l: float = Field(ge=1, allow_inf_nan=False, description="how many values, or as many as in effect")  # noqa: E741
    c: float | None = Field(
        default=None,
        gt=0,
        allow_inf_nan=False,
        description="of recursive: how often the most frequent may stand",
    )

    @model_validator(mode="after")
    def _makes_sense(self) -> LDiversity:
        if (self.kind == "recursive") != (self.c is not None):
            raise ParameterError("LDiversity: c belongs to kind 'recursive', which needs it.")
        if self.kind != "entropy" and self.l != int(self.l):
            raise ParameterError(
                f"LDiversity: l must be a whole number for kind '{self.kind}', got {self.l}."
            )
        return self

    def row(self) -> tuple[str, float, float]:
        """Kind and two numbers."""
        return (self.kind, self.c, self.l) if self.c is not None else (self.kind, self.l, 0.0)


class TCloseness(Parameters):
    """The values of a confidential column in every class are spread nearly as in the whole file.

    Distance of the shares at most t: equal, half the sum of differences; ordered, cumulated differences over
    (values - 1); hierarchical, by how far up its hierarchy a share must move.
    Source: Li, Li & Venkatasubramanian (2007), ICDE, 106-115.
    """

    column: str = Field(description="the confidential column")
    kind: Literal["equal", "ordered", "hierarchical"] = Field(
        default="equal", description="what two values are apart"
    )
    t: float = Field(ge=0, le=1, allow_inf_nan=False, description="largest distance")
    order: tuple[str, ...] = Field(
        default=(), description="of ordered: the values from low to high; numbers need none"
    )

    @model_validator(mode="after")
    def _makes_sense(self) -> TCloseness:
        if self.order and self.kind != "ordered":
            raise ParameterError("TCloseness: order belongs to kind 'ordered'.")
        if len(set(self.order)) != len(self.order):
            raise ParameterError("TCloseness: order names a value twice. Once each, from low to high.")
        return self

    def row(self) -> tuple[str, float, float]:
        """Kind and two numbers."""
        return self.kind, self.t, 0.0


class BetaLikeness(Parameters):
    """No value of a confidential column is much more frequent in a class than in the whole file.

    (q - p) / p at most beta; enhanced: at most min(beta, -log p). Source: Cao & Karras (2012), PVLDB 5(11).
    """

    column: str = Field(description="the confidential column")
    kind: Literal["basic", "enhanced"] = Field(
        default="basic", description="whether frequent values are bound closer"
    )
    beta: float = Field(gt=0, allow_inf_nan=False, description="largest relative gain")

    def row(self) -> tuple[str, float, float]:
        """Kind and two numbers."""
        return self.kind, self.beta, 0.0


class DeltaDisclosure(Parameters):
    """Values that a class has are neither much more nor much less frequent there than in the whole file.

    |log2(q / p)| < delta. Source: Brickell & Shmatikov (2008), KDD, 70-78.
    """

    column: str = Field(description="the confidential column")
    delta: float = Field(gt=0, allow_inf_nan=False, description="largest difference, in bits")

    def row(self) -> tuple[str, float, float]:
        """Kind and two numbers."""
        return "disclosure", self.delta, 0.0


OfAClass = LDiversity | TCloseness | BetaLikeness | DeltaDisclosure
Model = OfAClass | OfAPopulation | OfTheFile
KNOWN: dict[str, type[Model]] = {
    "l_diversity": LDiversity,
    "t_closeness": TCloseness,
    "beta_likeness": BetaLikeness,
    "delta_disclosure": DeltaDisclosure,
    "k_map": KMap,
    "delta_presence": DeltaPresence,
    "average_risk": AverageRisk,
    "sample_uniqueness": SampleUniqueness,
    "population_uniqueness": PopulationUniqueness,
}


def _as_models(value: object) -> object:
    """A mapping from names to one or several settings, or the same as JSON on a command line."""
    if isinstance(value, list | tuple) and value and all(isinstance(word, str) for word in value):
        value = ",".join(value)
    if isinstance(value, str):
        try:
            value = values_of_json(value, "Models")
        except ParameterError:
            # too large or too deep to be read
            raise
        except ValueError:
            raise ParameterError(
                'Models: wanted them as {"l_diversity": {"column": "disease", "l": 3}}, got other text.'
            ) from None
    if not isinstance(value, Mapping):
        return value
    checked = {}
    for name, settings in value.items():
        if name not in KNOWN:
            raise ParameterError(f"Models: there is no model {name!r}. Known: {', '.join(KNOWN)}.")
        several = settings if isinstance(settings, list | tuple) else [settings]
        if not several or not all(isinstance(section, Mapping) for section in several):
            raise ParameterError(f"Models: wanted the settings of {name} as a section, or several in a list.")
        made = [KNOWN[name](**section).model_dump(mode="json", exclude_defaults=True) for section in several]
        checked[name] = made[0] if len(made) == 1 else made
    return checked


ModelSettings = Annotated[dict[str, Any], BeforeValidator(_as_models)]


def built(settings: Mapping[str, Any]) -> list[Model]:
    """The models of checked settings."""
    return [
        KNOWN[name](**section)
        for name, entry in settings.items()
        for section in (entry if isinstance(entry, list) else [entry])
    ]


@dataclass(frozen=True)
class Models:
    """k, models of a class as rows of kind, column and two numbers, and those of a population or the file."""

    k: int
    rows: tuple[tuple[str, str, float, float], ...] = ()
    populations: tuple[OfAPopulation, ...] = ()
    whole: tuple[OfTheFile, ...] = ()

    @classmethod
    def of(cls, k: int, models: Sequence[Model]) -> Models:
        """Classes of at least k, and of as many as the models need anyway."""
        rows, populations, whole = [], [], []
        for model in models:
            if isinstance(model, OfTheFile):
                whole.append(model)
            elif isinstance(model, KMap) and model.weight is not None:
                rows.append(("weighed", model.weight, float(model.k), 0.0))
            elif isinstance(model, OfAPopulation):
                populations.append(model)
            else:
                rows.append((model.row()[0], model.column, *model.row()[1:]))
        needed = [ceil(first) for kind, _, first, _ in rows if kind in ("distinct", "entropy")]
        needed += [int(second) for kind, _, _, second in rows if kind == "recursive"]
        return cls(max([k, *needed]), tuple(rows), tuple(populations), tuple(whole))

    @property
    def monotone(self) -> bool:
        """Whether more general classes of records that stood still do, and those that fail get fewer."""
        lasting = all(kind in ("distinct", "weighed") for kind, *_ in self.rows)
        return (
            lasting
            and not self.whole
            and all(isinstance(population, KMap) for population in self.populations)
        )

    @property
    def monotone_whole(self) -> bool:
        """Whether, once no class fails, none does at any more general node."""
        estimates = any(isinstance(model, PopulationUniqueness) for model in self.whole)
        return not estimates and all(kind != "disclosure" for kind, *_ in self.rows)


def _pairs(values: Ints, units: Ints | None) -> Ints:
    """Numbers of unit and value together, a row for each column, beyond those of units and other columns."""
    if units is None:
        return np.zeros((0, 0), dtype=np.int64)
    pairs = np.empty((len(values), units.size), dtype=np.int64)
    first = int(units.max(initial=-1)) + 1
    for row, own in zip(pairs, values.astype(np.int64), strict=True):
        together = own * (int(units.max(initial=0)) + 1) + units
        row[:] = first + np.unique(together, return_inverse=True)[1].reshape(-1)
        first = int(row.max(initial=first - 1)) + 1
    return pairs


def guard_of(  # type: ignore[no-untyped-def]
    keys: Keys, models: Models, weights: Ints, values: Ints, units: Ints | None, masses: Floats
):
    """What the compiled guards look at. O(values of confidential columns)."""
    from tacita.kernels.records.class_models import Guard

    confidential = keys.confidential or {}
    nothing = np.zeros(0, dtype=np.int64)
    shares: list[Floats] = []
    orders: list[Ints] = []
    parents: list[Ints] = []
    widths: list[int] = []
    stages = np.zeros((max(len(confidential), 1), 3), dtype=np.int64)
    for at, (name, share) in enumerate(keys.input_shares.items()):
        shares.append(share)
        orders.append((keys.orders or {}).get(name, np.arange(share.size)))
        tree = (keys.trees or {}).get(name)
        stages[at] = len(widths), sum(parent.size for parent in parents), len(widths)
        if tree is not None:
            steps = [np.unique(level, return_inverse=True)[1] for level in tree]
            # the values themselves stay as they are numbered
            steps[0] = np.arange(share.size)
            for below, above in pairwise(steps):
                step = np.zeros(int(below.max()) + 1, dtype=np.int64)
                step[below] = above
                parents.append(step)
                widths.append(step.size)
            widths.append(int(steps[-1].max()) + 1)
            stages[at, 2] = len(widths) - 1
    places = {"weighed": tuple(keys.weighing or {})}
    rows = [
        (_KINDS.index(kind), places.get(kind, tuple(confidential)).index(column), first, second)
        for kind, column, first, second in models.rows
    ]
    return Guard(
        k=models.k,
        weights=weights.astype(np.int64),
        units=nothing if units is None else units.astype(np.int64),
        values=np.ascontiguousarray(values.astype(np.int64)).reshape(len(confidential), weights.size),
        pairs=_pairs(values, units),
        models=np.array(rows, dtype=np.float64).reshape(-1, 4),
        shares=np.concatenate(shares) if shares else np.zeros(0),
        starts=np.concatenate([[0], np.cumsum([share.size for share in shares])]).astype(np.int64),
        order=np.concatenate(orders).astype(np.int64) if orders else nothing,
        parents=np.concatenate(parents) if parents else nothing,
        widths=np.array(widths or [0], dtype=np.int64),
        stages=stages,
        masses=np.ascontiguousarray(masses).reshape(len(keys.weighing or {}), weights.size),
    )
