"""Recoding by a map that is written down, up a hierarchy, or into intervals."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from math import inf
from typing import Annotated, Any, ClassVar

import numpy as np
import pyarrow as pa
from pydantic import BeforeValidator, Field, PrivateAttr, model_validator

from tacita.core import DataError, Hierarchy, ParameterError
from tacita.core.data.labels import interval_label
from tacita.core.data.number_parsing import parse_numbers
from tacita.core.spec.setting_syntax import setting

from .recoding_method import Recoding


def _as_map(value: object) -> object:
    """A mapping as it is, or words such as OLD=NEW from a command line."""
    if not isinstance(value, list | tuple):
        return value
    parted = [str(word).partition("=") for word in value]
    if not all(sign for _, sign, _ in parted):
        raise ParameterError("Recode: wanted the map as OLD=NEW with commas between.")
    return {old: new for old, _, new in parted}


def _as_levels(value: object) -> object:
    """A level as it is, a mapping, or words such as COLUMN=2 from a command line."""
    if isinstance(value, list | tuple) and len(value) == 1 and "=" not in str(value[0]):
        return value[0]
    return _as_map(value)


def _as_breaks(value: object) -> object:
    """Numbers, also as the words of a command line; or a mapping from columns to numbers."""
    if isinstance(value, int | float):
        return (value,)
    if isinstance(value, str):
        return tuple(value.split(","))
    return value


Map = Annotated[dict[str, str | dict[str, str]], BeforeValidator(_as_map)]


Levels = Annotated[int | dict[str, int], BeforeValidator(_as_levels)]
Breaks = Annotated[tuple[float, ...] | dict[str, tuple[float, ...]], BeforeValidator(_as_breaks)]


class Recode(Recoding):
    """Values become those that a map names, coarser ones of a hierarchy, or intervals of numbers.

    `map` has new values by old ones, for every column of the step; or for each column a map of its own. New
    values may be old ones too: each value is looked up once; others stay, or all become one. `level` goes up
    the hierarchy of each column, of which the roles tell: 0 are the values themselves. `breaks` cut numbers
    into intervals, each from one break on to below the next. O(n) and one look-up a distinct value.
    Source: global recoding, Hundepool et al. (2012), Statistical Disclosure Control, section 3.2.

    >>> Recode(map={"Porto": "North", "Faro": "South"}).relabel("town", ["Faro", "Lisbon", "Porto"])
    ['South', 'Lisbon', 'North']
    >>> Recode(map={"town": {"Porto": "North"}}, others="elsewhere").relabel("town", ["Faro", "Porto"])
    ['elsewhere', 'North']
    >>> Recode(breaks=[18, 65]).relabel("age", ["7", "40", "71"])
    ['under 18', '18-64', '65 or more']
    """

    guarantees: ClassVar[tuple[str, ...]] = (
        "recoded",
        "recoded-by-map",
        "recoded-by-level",
        "recoded-by-breaks",
    )

    map: Map | None = Field(
        default=None, description="new values by old ones, OLD=NEW; or such a map for each column"
    )
    others: str | None = Field(
        default=None, description="what values that the map does not name become; if not given, they stay"
    )
    level: Levels | None = Field(
        default=None, description="how far up its hierarchy a value goes; or COLUMN=LEVEL for each column"
    )
    breaks: Breaks | None = Field(
        default=None, description="numbers at which intervals begin, from low to high"
    )
    _hierarchies: Mapping[str, Hierarchy] = PrivateAttr(default_factory=dict)

    @model_validator(mode="after")
    def _one_way(self) -> Recode:
        ways = [name for name in ("map", "level", "breaks") if getattr(self, name) is not None]
        if len(ways) != 1:
            raise ParameterError(
                f"Recode: wanted one of map, level or breaks, got {' and '.join(ways) or 'none'}."
            )
        if self.others is not None and self.map is None:
            raise ParameterError("Recode: others tells what a map does not name, and there is no map.")
        if self.map is not None and not self.map:
            raise ParameterError("Recode: map must name at least one value, got none.")
        if len({isinstance(value, dict) for value in (self.map or {}).values()}) > 1:
            raise ParameterError("Recode: map must have either values or columns, not both.")
        cuts = (
            self.breaks.values()
            if isinstance(self.breaks, dict)
            else [(0.0,) if self.breaks is None else self.breaks]
        )
        for cut in cuts:
            if not cut or not np.isfinite(cut).all() or sorted(set(cut)) != list(cut):
                raise ParameterError("Recode: breaks must be finite numbers from low to high, each once.")
        lowest = self.level.values() if isinstance(self.level, dict) else [self.level or 0]
        if min(lowest, default=0) < 0:
            raise ParameterError("Recode: level must be at least 0.")
        return self

    def promised(self) -> tuple[str, ...]:
        """What holds of the way that was chosen."""
        way = next(name for name in ("map", "level", "breaks") if getattr(self, name) is not None)
        return ("recoded", f"recoded-by-{way}")

    def own_parameters(self) -> dict[str, Any]:
        """The parameters that were given, in the form that a record keeps."""
        return {name: value for name, value in super().own_parameters().items() if value is not None}

    def within(self, hierarchies: Mapping[str, Hierarchy]) -> Recode:
        """The same, knowing the hierarchies of columns."""
        bound = self.model_copy()
        bound._hierarchies = hierarchies
        return bound

    def relabel(self, column: str, labels: Sequence[str]) -> list[str]:
        """What the map, the hierarchy or the breaks make of each."""
        if self.level is not None:
            return self._climbed(column, labels, _own(self.level, column, "level"))
        if self.breaks is not None:
            return self._cut(column, labels, _own(self.breaks, column, "breaks"))
        known = self.of_column(column)
        return [known.get(label, label if self.others is None else self.others) for label in labels]

    def of_column(self, column: str) -> Mapping[str, str]:
        """New values by old ones, of one column."""
        values = self.map or {}
        if any(isinstance(value, dict) for value in values.values()):
            own = _own(values, column, "map")
            return own if isinstance(own, dict) else {}
        return {old: new for old, new in values.items() if isinstance(new, str)}

    def _climbed(self, column: str, labels: Sequence[str], level: int) -> list[str]:
        if column not in self._hierarchies:
            raise ParameterError(
                f"Recode: column {column} has no hierarchy to go up. Name one: "
                f"{setting('roles', 'hierarchy', f'{column}=FILE')}."
            )
        hierarchy = self._hierarchies[column]
        if level > hierarchy.height:
            raise ParameterError(
                f"Recode: level of column {column} must be at most {hierarchy.height}, the top of its "
                f"hierarchy, got {level}."
            )
        known = hierarchy.relabelled(level)
        if unknown := sum(label not in known for label in labels):
            raise DataError(
                f"Recode: {unknown} of {len(labels)} values of column {column} are not in its hierarchy. Add "
                "them, or recode them first. Spaces and capitals count."
            )
        return [known[label] for label in labels]

    def _cut(self, column: str, labels: Sequence[str], breaks: Sequence[float]) -> list[str]:
        cells = pa.chunked_array([pa.array(labels, pa.string())])
        parsed = parse_numbers(cells, "," if any("," in label for label in labels) else ".", ())
        if parsed.bad:
            raise DataError(
                f"Recode: {parsed.bad} of {len(labels)} values of column {column} are no numbers, and breaks "
                "cut numbers. Use a map."
            )
        edges = [-inf, *breaks, inf]
        whole = all(value.is_integer() for value in (*breaks, *parsed.values.tolist()))
        place = np.searchsorted(np.array(breaks), parsed.values, side="right")
        return [interval_label(edges[at], edges[at + 1], whole) for at in place.tolist()]


def _own(setting: Any, column: str, what: str) -> Any:
    """The setting of one column, or of all."""
    if not isinstance(setting, dict):
        return setting
    if column not in setting:
        raise ParameterError(f"Recode: {what} has columns, and {column} is not one of them. Add it.")
    return setting[column]
