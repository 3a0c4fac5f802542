"""What all methods that make keys coarser share: classes of k, models of them, who may be left out."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, ClassVar, Literal

import numpy as np
from pydantic import Field

from tacita.core import DataError, Hierarchy, Ints, Mask, Method, ParameterError, Run
from tacita.core.params import GroupSize
from tacita.core.roles import KINDS, Kind

from .ladders import Keys
from .models import Models, ModelSettings, TCloseness, built

COARSER = ("k-anonymous", "generalised", "models-hold", "few-suppressed")


@dataclass(frozen=True, repr=False)
class Generalised:
    """What records show: for each key labels (None for nothing) and the place of each record's among them.

    `gone` are records that could not be made to fit. `told` says what was searched and found, `terms` what a
    verifier needs beside the parameters.
    """

    labels: tuple[Sequence[str | None], ...]
    shown: Ints
    gone: Mask
    told: Mapping[str, Any] = field(default_factory=dict)
    terms: Mapping[str, Any] = field(default_factory=dict)
    promised: tuple[str, ...] = ()


class Generalisation(Method):
    """Shows coarser keys, so that every combination stands for k records. Subclasses say how coarse.

    Takes columns of any kind as text and publishes text. A missing value is one more value of its column.
    """

    kind: ClassVar[str] = "generalisation"
    guarantees: ClassVar[tuple[str, ...]] = COARSER
    takes: ClassVar[tuple[Kind, ...]] = KINDS
    reads_missing: ClassVar[bool] = True
    by_chance: ClassVar[bool] = False

    k: GroupSize = 3
    models: ModelSettings = Field(
        default_factory=dict,
        description='what classes must satisfy beside k, as {"l_diversity": {"column": "disease", "l": 3}}',
    )
    suppression_limit: float = Field(
        0.0, ge=0, le=1, allow_inf_nan=False, description="share of the records that may be suppressed"
    )
    outliers: Literal["drop", "withhold"] = Field(
        "drop",
        description="suppressed records leave the file (drop), or stay without keys (withhold; k or none)",
    )

    @property
    def reads(self) -> tuple[str, ...]:
        """Columns that models speak of."""
        return tuple(dict.fromkeys(model.column for model in built(self.models)))

    def of_classes(self) -> Models:
        """k and the models of a class."""
        return Models.of(self.k, built(self.models))

    def own_parameters(self) -> dict[str, Any]:
        """The parameters in the form that a record keeps; models only where there are any."""
        told = super().own_parameters()
        return {name: value for name, value in told.items() if value not in ({}, None)}

    @abstractmethod
    def generalise(self, keys: Keys, run: Run | None = None) -> Generalised:
        """What every record shows, and which do not fit."""

    def orders_of(self, texts: Mapping[str, Sequence[str]]) -> dict[str, Ints]:
        """Values from low to high, of columns whose models need an order."""
        found = {}
        for model in built(self.models):
            if isinstance(model, TCloseness) and model.kind == "ordered":
                found[model.column] = _order(self.spoken_name(), model, texts[model.column])
        return found

    def trees_of(self, texts: Mapping[str, Sequence[str]], known: Mapping[str, Hierarchy]) -> dict[str, Ints]:
        """Places of values at each level, of columns whose models need a hierarchy."""
        found = {}
        for model in built(self.models):
            if isinstance(model, TCloseness) and model.kind == "hierarchical":
                found[model.column] = _tree(self.spoken_name(), model, texts[model.column], known)
        return found


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
