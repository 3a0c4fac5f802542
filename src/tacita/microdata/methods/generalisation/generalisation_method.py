"""What all methods that make keys coarser share: classes of k, models of them, who may be left out."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from math import floor
from pathlib import Path
from typing import Any, ClassVar, Literal

import numpy as np
from pydantic import Field, model_validator

from tacita.core import DataError, Floats, Hierarchy, Ints, Mask, ParameterError, RecordMethod, RunContext
from tacita.core.spec.roles import KINDS, Kind

from .file_models import DeltaPresence, KMap, OfAPopulation, OfTheFile
from .key_hierarchies import Columns, Keys, Population
from .models import KNOWN, Models, ModelSettings, OfAClass, TCloseness, built, guard_of

COARSER = ("k-anonymous", "generalised", "models-hold", "few-suppressed")


@dataclass(frozen=True, repr=False)
class Generalised:
    """Generalised records: for each key the labels (None for nothing) and the place of each record's label.

    `gone` are records that could not be made to fit. `summary` describes the search, `terms` has what a
    verifier needs in addition to the parameters.
    """

    labels: tuple[Sequence[str | None], ...]
    shown: Ints
    gone: Mask
    summary: Mapping[str, Any] = field(default_factory=dict)
    terms: Mapping[str, Any] = field(default_factory=dict)
    promised: tuple[str, ...] = ()


class Generalisation(RecordMethod):
    """Shows coarser keys, so that every combination stands for k records. Subclasses say how coarse.

    Takes columns of any kind as text and publishes text. A missing value is one more value of its column.
    `one_level_each` is True where all records show a key at one level: only then are the classes of a
    population known, and is what the whole file satisfies decided by levels.
    """

    kind: ClassVar[str] = "generalisation"
    guarantees: ClassVar[tuple[str, ...]] = COARSER
    takes: ClassVar[tuple[Kind, ...]] = KINDS
    reads_missing: ClassVar[bool] = True
    by_chance: ClassVar[bool] = False

    one_level_each: ClassVar[bool] = False

    k: int = Field(
        default=3,
        ge=1,
        description="smallest class; 1 only with a model of the population or of the whole file",
    )
    models: ModelSettings = Field(
        default_factory=dict,
        description='what classes must satisfy besides k, as {"l_diversity": {"column": "disease", "l": 3}}',
    )
    suppression_limit: float = Field(
        default=0.0,
        ge=0,
        le=1,
        allow_inf_nan=False,
        description="share of the records that may be suppressed",
    )
    outliers: Literal["drop", "withhold"] = Field(
        default="drop",
        description="suppressed records leave the file (drop), or stay without keys (`withhold`; k or none)",
    )

    @model_validator(mode="after")
    def _models_fit(self) -> Generalisation:
        who, models = self.display_name(), built(self.models)
        bounding = [model for model in models if not isinstance(model, OfAClass)]
        if self.k < 2 and not bounding:
            raise ParameterError(
                f"{who}: k must be at least 2, got {self.k}. Only with a model that bounds the risk in "
                "another way (k_map, delta_presence, average_risk, sample_uniqueness, "
                "population_uniqueness) may classes have one record."
            )
        whole = [model for model in bounding if isinstance(model, OfTheFile) or _table_of(model) is not None]
        named = ", ".join(name for name, kind in KNOWN.items() if any(type(model) is kind for model in whole))
        if whole and not self.one_level_each:
            raise ParameterError(
                f"{who}: {named} cannot guard a class that is made by itself: of a table of the population "
                "nobody knows who would be in it, and what the whole file satisfies is no matter of one "
                "class. Use the method generalise, ask for a larger k, or for k_map by weight."
            )
        if whole and self.outliers == "withhold":
            raise ParameterError(
                f"{who}: outliers must be 'drop' with {named}: records without keys belong to no class "
                "that the model could speak of."
            )
        return self

    @property
    def reads(self) -> tuple[str, ...]:
        """Columns that models speak of."""
        return tuple(dict.fromkeys((*self.confidential, *self.weights)))

    @property
    def confidential(self) -> tuple[str, ...]:
        """Columns whose values models speak of."""
        return tuple(
            dict.fromkeys(model.column for model in built(self.models) if isinstance(model, OfAClass))
        )

    @property
    def weights(self) -> tuple[str, ...]:
        """Columns of weights that models speak of."""
        columns = [model.weight for model in built(self.models) if isinstance(model, KMap)]
        return tuple(dict.fromkeys(name for name in columns if name is not None))

    @property
    def populations(self) -> tuple[Path, ...]:
        """Files of populations that models speak of."""
        paths = map(_table_of, built(self.models))
        return tuple(dict.fromkeys(path for path in paths if path is not None))

    @property
    def allows_singletons(self) -> bool:
        """Whether a record may be the only one of its class."""
        return self.k == 1

    @property
    def group_size(self) -> int | None:
        """The k of classes; none where records may stand alone."""
        return None if self.allows_singletons else self.k

    @property
    def drops_records(self) -> bool:
        return self.outliers == "drop"

    @property
    def needs_whole_file(self) -> str:
        return "classes of equal keys lie across parts, and levels are chosen for all records"

    def kept_promises(self, names: Sequence[str]) -> tuple[str, ...]:
        """Those of some promises that this very setting makes: none of k where records may stand alone."""
        return tuple(name for name in names if name != "k-anonymous" or not self.allows_singletons)

    def promised_of_read(self, names: Iterable[str]) -> tuple[str, ...]:
        """What models say of other columns; all else is about keys alone."""
        return tuple(name for name in names if name == "models-hold")

    def promised(self) -> tuple[str, ...]:
        """What holds with this very setting."""
        return self.kept_promises(self.guarantees)

    def of_classes(self) -> Models:
        """k and the models of a class."""
        return Models.of(self.k, built(self.models))

    def own_parameters(self) -> dict[str, Any]:
        """The parameters in the form that a record keeps; models only where there are any."""
        parameters = super().own_parameters()
        return {name: value for name, value in parameters.items() if value not in ({}, None)}

    @abstractmethod
    def generalise(self, keys: Keys, run: RunContext | None = None) -> Generalised:
        """What every record shows, and which do not fit."""

    def weighing_of(self, weighing: dict[str, Floats], units: Ints | None) -> dict[str, Floats]:
        """The persons that records stand for, by column of weights. Raises where one stands for nobody."""
        self._check_no_units(units)
        for name, own in weighing.items():
            if wrong := int((~(own > 0)).sum()):
                raise DataError(
                    f"{self.display_name()}: weight column {name} is missing, zero or negative in {wrong} "
                    "records. Correct them, or name another."
                )
        return weighing

    def _check_no_units(self, units: Ints | None) -> None:
        counting = [name for name in ("k_map", "delta_presence") if name in self.models]
        if units is not None and counting:
            raise ParameterError(
                f"{self.display_name()}: {', '.join(counting)} counts persons, one a record, and a unit is "
                "named that may have several records. Leave out the unit, or protect one record a unit."
            )

    def populations_of(
        self, keys: Keys, tables: Mapping[Path, tuple[Columns, Ints]]
    ) -> dict[Path, Population]:
        """Who else is like the records. Raises where records of a presence are not among them."""
        populations = {
            path: Population.of(keys.ladders, columns, strata, self.display_name())
            for path, (columns, strata) in tables.items()
        }
        for model in built(self.models):
            if isinstance(model, DeltaPresence):
                strange = populations[model.population].strangers(keys.leaves, keys.strata)
                if strange:
                    raise DataError(
                        f"{self.display_name()}: {strange} of {keys.n} records are not in the population of "
                        "delta_presence, by their keys. It must hold all of them; spaces and capitals count."
                    )
        return populations

    def orders_of(self, texts: Mapping[str, Sequence[str]]) -> dict[str, Ints]:
        """Values from low to high, of columns whose models need an order."""
        orders = {}
        for model in built(self.models):
            if isinstance(model, TCloseness) and model.kind == "ordered":
                orders[model.column] = _order(self.display_name(), model, texts[model.column])
        return orders

    def trees_of(self, texts: Mapping[str, Sequence[str]], known: Mapping[str, Hierarchy]) -> dict[str, Ints]:
        """Places of values at each level, of columns whose models need a hierarchy."""
        trees = {}
        for model in built(self.models):
            if isinstance(model, TCloseness) and model.kind == "hierarchical":
                trees[model.column] = _tree(self.display_name(), model, texts[model.column], known)
        return trees


class Guarded:
    """Whether records may be a class, and whether those that are in none may be left out."""

    def __init__(self, keys: Keys, method: Generalisation) -> None:
        from tacita.kernels.records.local_recoding import Room

        self.keys, self.method = keys, method
        models = method.of_classes()
        values = np.array(list((keys.confidential or {}).values()), dtype=np.int64)
        masses = np.array(list((keys.weighing or {}).values()))
        self.guard = guard_of(keys, models, np.ones(keys.n, dtype=np.int64), values, keys.units, masses)
        widest = max([1, *(int(codes.max()) + 1 for codes in (keys.confidential or {}).values())])
        units = 1 if keys.units is None else int(keys.units.max()) + 1
        self.room = Room(
            np.zeros(widest),
            np.zeros(widest, dtype=np.int64),
            np.zeros(max(units, int(self.guard.pairs.max(initial=-1)) + 1), dtype=np.int64),
            np.zeros(units, dtype=np.int64),
            np.zeros(1, dtype=np.int64),
        )
        self.plain = keys.units is None and not models.rows

    def stands(self, members: Ints) -> bool:
        """Whether some records may be one."""
        from tacita.kernels.records.local_recoding import stands

        return bool(stands(members, self.guard, self.room))

    def may_go(self, gone: Mask) -> bool:
        """Whether some records may be left out: few enough, and a class of their stratum if suppressed."""
        if gone.sum() > floor(self.method.suppression_limit * self.keys.n + 1e-9):
            return False
        left = np.flatnonzero(gone) if self.method.outliers == "withhold" else np.zeros(0, dtype=np.int64)
        strata = self.keys.strata[left]
        return all(self.stands(left[strata == stratum]) for stratum in np.unique(strata))


def _table_of(model: object) -> Path | None:
    return model.population if isinstance(model, OfAPopulation) else None


def _order(who: str, model: TCloseness, texts: Sequence[str]) -> Ints:
    place: dict[str, float] = {value: at for at, value in enumerate(model.order)}
    if not model.order:
        try:
            place = {text: float(text) for text in texts}
        except ValueError:
            raise ParameterError(
                f"{who}: t_closeness of kind 'ordered' needs an order of the values of column "
                f"{model.column}, which are no numbers. Name it: order, from low to high."
            ) from None
    if unknown := sum(text not in place for text in texts):
        raise DataError(
            f"{who}: {unknown} of {len(texts)} values of column {model.column} are not in the order of "
            "t_closeness. Complete it. Spaces and capitals count, and missing values have no order."
        )
    return np.argsort([place[text] for text in texts], kind="stable").astype(np.int64)


def _tree(who: str, model: TCloseness, texts: Sequence[str], known: Mapping[str, Hierarchy]) -> Ints:
    if model.column not in known:
        raise ParameterError(
            f"{who}: t_closeness of kind 'hierarchical' needs the hierarchy of column {model.column}. Name "
            "it among the hierarchies of the roles."
        )
    hierarchy = known[model.column]
    place = {hierarchy.labels[leaf]: at for at, leaf in enumerate(hierarchy.leaves.tolist())}
    if unknown := sum(text not in place for text in texts):
        raise DataError(
            f"{who}: {unknown} of {len(texts)} values of column {model.column} are not in its hierarchy. Add "
            "them. Spaces and capitals count."
        )
    return hierarchy.levels[:, [place[text] for text in texts]]
