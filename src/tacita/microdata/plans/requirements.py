"""The section [require] of a plan: measures with a limit that a finished file must keep."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any, cast

from pydantic import ConfigDict, create_model, model_validator

from tacita.core import ParameterError
from tacita.core.results.release import Requirement
from tacita.core.spec import registry
from tacita.core.spec.params import Parameters, shown
from tacita.io import toml_of
from tacita.microdata.measures.measure import Measure


class RequireSection(Parameters):
    """[require]: measures by name, with a limit, a table of limit and settings, or a list of these.

    `by_column` in such a table is a limit for every column, or a table of limits by column. It replaces the
    limit of the file or add to it.

    >>> [limit.name for limit in RequireSection(k_anonymity={"k": 3, "keys": ["sex"]}, DBRL=20).requirements]
    ['k_anonymity', 'DBRL']
    """

    model_config = ConfigDict(extra="allow")

    @model_validator(mode="before")
    @classmethod
    def _by_canonical_names(cls, values: dict[str, Any]) -> dict[str, Any]:
        return registry.by_canonical(values, *registry.MEASURING)

    @model_validator(mode="after")
    def _known(self) -> RequireSection:
        _ = self.requirements
        return self

    @property
    def values(self) -> dict[str, Any]:
        """The values of the plan."""
        return dict(self.model_extra or {})

    @property
    def requirements(self) -> tuple[Requirement, ...]:
        """One for each limit."""
        return tuple(
            _requirement(name, limit)
            for name, value in self.values.items()
            for limit in (value if isinstance(value, list | tuple) else [value])
        )

    @classmethod
    def load(cls, path: str | Path) -> RequireSection:
        """Read a TOML file of requirements, under [require] or at the top level."""
        path = Path(path)
        values = toml_of(path)
        values.pop("version", None)
        requirements = values.get("require", values)
        if not isinstance(requirements, dict) or not requirements:
            raise ParameterError(f"{path.name}: wanted requirements, such as k_anonymity = 3, got none.")
        return cls(**requirements)

    @classmethod
    def from_argument(cls, require: Mapping[str, Any] | str | Path | None) -> RequireSection:
        """The section from the argument of a caller: values, a file of them, or None."""
        if isinstance(require, str | Path):
            return cls.load(require)
        if require is not None and not isinstance(require, Mapping):
            raise ParameterError(
                f"Require: wanted measures with limits, or the file that names them, got {shown(require)}."
            )
        return cls(**(require or {}))

    def with_included(self, path: str | Path) -> RequireSection:
        """The section joined with that of a file; raises if both name a measure."""
        included = RequireSection.load(path).values
        if twice := [name for name in self.values if name in included]:
            raise ParameterError(
                f"Require: {', '.join(twice)} is named in {Path(path).name} too. Keep it in one place."
            )
        return RequireSection(**included, **self.values)


def _requirement(name: str, value: Any) -> Requirement:
    if name not in registry.names(*registry.MEASURING):
        known = ", ".join(registry.names(*registry.MEASURING))
        raise ParameterError(f"Require: there is no measure named {name!r}. Known: {known}.")
    settings = dict(value) if isinstance(value, Mapping) else {"limit": value}
    measured = cast("type[Measure]", registry.lookup(name, *registry.MEASURING))
    limit_keys = [key for key in dict.fromkeys(("limit", measured.limit_name)) if key in settings]
    limits = [settings.pop(key) for key in limit_keys]
    if len(limits) > 1:
        raise ParameterError(f"Require: {name} has a limit and {measured.limit_name}, which is the same.")
    by_column = _by_column(name, measured, settings.pop("by_column", None))
    limit = None
    if limits or by_column is None:
        limit = _limit(name, measured, dict.fromkeys([measured.limit_name], *limits) if limits else {})
    try:
        measured(**settings)
    except ParameterError as error:
        raise error.reworded(f"Require: {error} Also known: limit and by_column.") from None
    return Requirement(name, limit, settings, by_column)


def _by_column(name: str, measured: type[Measure], limits: Any) -> float | Mapping[str, float] | None:
    """Limits of columns: one for all, or one for each."""
    if limits is None:
        return None
    if isinstance(limits, Mapping):
        if not limits:
            raise ParameterError(f"Require: {name}: by_column must name a column, got none.")
        key = measured.limit_name
        return {column: _limit(name, measured, {key: limit}) for column, limit in limits.items()}
    return _limit(name, measured, {measured.limit_name: limits})


def _limit(name: str, measured: type[Measure], values: Mapping[str, Any]) -> float:
    """A limit, checked as the measure checks it."""

    class Limit(Parameters):
        @classmethod
        def display_name(cls) -> str:
            return f"Require: {name}"

    if any(isinstance(value, bool | str) for value in values.values()):
        raise ParameterError(f"Require: {name}: {measured.limit_name} must be a number.")
    fields: dict[str, Any] = {measured.limit_name: (measured.limit_type, ...)}
    model = create_model("Limit", __base__=Limit, **fields)
    return float(getattr(model(**values), measured.limit_name))
