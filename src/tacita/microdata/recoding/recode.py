"""Recoding by a map that is written down."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Annotated, ClassVar

from pydantic import BeforeValidator, Field, model_validator

from tacita.core import ParameterError

from .base import Recoding


def _as_map(value: object) -> object:
    """A mapping as it is, or words such as OLD=NEW from a command line."""
    if not isinstance(value, list | tuple):
        return value
    parted = [str(word).partition("=") for word in value]
    if not all(sign for _, sign, _ in parted):
        raise ParameterError("Recode: wanted the map as OLD=NEW with commas between.")
    return {old: new for old, _, new in parted}


Map = Annotated[dict[str, str | dict[str, str]], BeforeValidator(_as_map)]


class Recode(Recoding):
    """Values become those that a map names; others stay, or all become one.

    `map` has new values by old ones, for every column of the step; or for each column a map of its own. New
    values may be old ones too: each value is looked up once. O(n) and one look-up a distinct value.
    Source: global recoding, Hundepool et al. (2012), Statistical Disclosure Control, section 3.2.

    >>> Recode(map={"Porto": "North", "Faro": "South"}).relabel("town", ["Faro", "Lisbon", "Porto"])
    ['South', 'Lisbon', 'North']
    >>> Recode(map={"town": {"Porto": "North"}}, others="elsewhere").relabel("town", ["Faro", "Porto"])
    ['elsewhere', 'North']
    """

    guarantees: ClassVar[tuple[str, ...]] = ("recoded", "recoded-by-map")

    map: Map = Field(description="new values by old ones, OLD=NEW; or such a map for each column")
    others: str | None = Field(
        None, description="what values that the map does not name become; if not given, they stay"
    )

    @model_validator(mode="after")
    def _one_kind_of_map(self) -> Recode:
        if not self.map:
            raise ParameterError("Recode: map must name at least one value, got none.")
        if len({isinstance(each, dict) for each in self.map.values()}) > 1:
            raise ParameterError("Recode: map must have either values or columns, not both.")
        return self

    def relabel(self, column: str, labels: Sequence[str]) -> list[str]:
        """What the map says of each."""
        known = self.of_column(column)
        return [known.get(label, label if self.others is None else self.others) for label in labels]

    def of_column(self, column: str) -> Mapping[str, str]:
        """New values by old ones, of one column."""
        own = self.map.get(column)
        if isinstance(own, dict):
            return own
        if any(isinstance(each, dict) for each in self.map.values()):
            raise ParameterError(f"Recode: the map has columns, and {column} is not one of them. Add it.")
        return {old: new for old, new in self.map.items() if isinstance(new, str)}
