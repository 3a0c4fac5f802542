"""What a finished file must satisfy, as a plan says it: measures with a limit."""

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
    """[require]: each key a measure; its value a limit, a table with limit and settings, or a list of these.

    `by_column` in such a table is a limit for each column, or a table of columns with a limit each; beside a
    limit of the whole or in its place.

    >>> [each.name for each in RequireSection(k_anonymity={"k": 3, "keys": ["sex"]}, DBRL=20).requirements]
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
        """As they were given."""
        return dict(self.model_extra or {})

    @property
    def requirements(self) -> tuple[Requirement, ...]:
        """One for each limit."""
        return tuple(
            _requirement(name, each)
            for name, value in self.values.items()
            for each in (value if isinstance(value, list | tuple) else [value])
        )

    @classmethod
    def load(cls, path: str | Path) -> RequireSection:
        """An office's rules: a TOML file of requirements, under [require] or by themselves."""
        place = Path(path)
        values = toml_of(place)
        values.pop("version", None)
        given = values.get("require", values)
        if not isinstance(given, dict) or not given:
            raise ParameterError(f"{place.name}: wanted requirements, such as k_anonymity = 3, got none.")
        return cls(**given)

    @classmethod
    def given(cls, require: Mapping[str, Any] | str | Path | None) -> RequireSection:
        """Out of what a caller names: values, a file of them, or nothing."""
        if isinstance(require, str | Path):
            return cls.load(require)
        if require is not None and not isinstance(require, Mapping):
            raise ParameterError(
                f"Require: wanted measures with limits, or the file that names them, got {shown(require)}."
            )
        return cls(**(require or {}))

    def with_included(self, path: str | Path) -> RequireSection:
        """Those of a file too; what both name must stand in one place."""
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
    given = [settings.pop(each) for each in dict.fromkeys(("limit", measured.limit_name)) if each in settings]
    if len(given) > 1:
        raise ParameterError(f"Require: {name} has a limit and {measured.limit_name}, which is the same.")
    by_column = _by_column(name, measured, settings.pop("by_column", None))
    limit = None
    if given or by_column is None:
        limit = _limit(name, measured, dict.fromkeys([measured.limit_name], *given) if given else {})
    try:
        measured(**settings)
    except ParameterError as problem:
        raise problem.reworded(f"Require: {problem} Beside these, limit and by_column are known.") from None
    return Requirement(name, limit, settings, by_column)


def _by_column(name: str, measured: type[Measure], given: Any) -> float | Mapping[str, float] | None:
    """Limits of columns: one for each, or each its own."""
    if given is None:
        return None
    if isinstance(given, Mapping):
        if not given:
            raise ParameterError(f"Require: {name}: by_column must name a column, got none.")
        return {column: _limit(name, measured, {measured.limit_name: each}) for column, each in given.items()}
    return _limit(name, measured, {measured.limit_name: given})


def _limit(name: str, measured: type[Measure], given: Mapping[str, Any]) -> float:
    """A limit as the measure takes it, or an error in its words."""

    class Limit(Parameters):
        @classmethod
        def spoken_name(cls) -> str:
            return f"Require: {name}"

    if any(isinstance(value, bool | str) for value in given.values()):
        raise ParameterError(f"Require: {name}: {measured.limit_name} must be a number.")
    fields: dict[str, Any] = {measured.limit_name: (measured.limit_type, ...)}
    made = create_model("Limit", __base__=Limit, **fields)
    return float(getattr(made(**given), measured.limit_name))
