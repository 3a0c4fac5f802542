"""What a finished file must satisfy, whatever made it: measures with a limit, judged on the file itself."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, cast

import numpy as np
from pydantic import ConfigDict, Field, model_validator

from tacita.core import Ints, Microdata, ParameterError, RequirementError, Run, registry
from tacita.core.document import parsed, text_of
from tacita.core.params import Parameters, shown
from tacita.core.release import Claim, Requirement
from tacita.core.roles import Names
from tacita.core.verify import Verdict, faults
from tacita.io import content_of

from .alignment import aligned
from .assess import context_columns, measure
from .measure import Measure
from .verify import keys
from .verify.evidence import one_each

K_ANONYMITY = "k_anonymity"


class SharedKeys(Parameters):
    """What k_anonymity asks: k records, or records of k distinct units, behind every combination of keys."""

    k: int = Field(ge=2, description="records that share each combination of keys, at least")
    keys: Names = Field((), description="columns an attacker may know; if not given, all that were protected")
    unit: str | None = Field(None, description="column whose distinct values are counted instead of records")

    @classmethod
    def spoken_name(cls) -> str:
        """As a plan calls it."""
        return f"Require: {K_ANONYMITY}"


class RequireSection(Parameters):
    """[require]: each key a measure; its value a limit, a table with limit and settings, or a list of these.

    >>> [each.name for each in RequireSection(k_anonymity={"k": 3, "keys": ["sex"]}, DBRL=20).requirements]
    ['k_anonymity', 'DBRL']
    """

    model_config = ConfigDict(extra="allow")

    @model_validator(mode="before")
    @classmethod
    def _by_canonical_names(cls, values: dict[str, Any]) -> dict[str, Any]:
        return registry.by_canonical(values, *registry.MEASURING, also=(K_ANONYMITY,))

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
        values = parsed(text_of(content_of(place), place.name))
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
    if name == K_ANONYMITY:
        asked = SharedKeys(**(value if isinstance(value, Mapping) else {"k": value}))
        return Requirement(name, float(asked.k), asked.model_dump(exclude={"k"}))
    if name not in registry.names(*registry.MEASURING):
        known = ", ".join((K_ANONYMITY, *registry.names(*registry.MEASURING)))
        raise ParameterError(f"Require: there is no measure named {name!r}. Known: {known}.")
    settings = dict(value) if isinstance(value, Mapping) else {"limit": value}
    limit = settings.pop("limit", None)
    if isinstance(limit, bool) or not isinstance(limit, int | float) or not np.isfinite(limit):
        raise ParameterError(f"Require: {name} must have a number as its limit, got {type(limit).__name__}.")
    _measure(name, settings)
    return Requirement(name, float(limit), settings)


def _measure(name: str, settings: Mapping[str, Any]) -> Measure:
    return cast("Measure", registry.lookup(name, *registry.MEASURING)(**settings))


@dataclass(frozen=True, repr=False)
class Finished:
    """A finished file, and beside it the source it was made of, with roles, where that is known.

    `rows[i]` is the row of the source that released row i came from.
    """

    file: Microdata
    source: Microdata | None = None
    rows: Ints | None = None


def judge(asked: Sequence[Requirement], finished: Finished, run: Run | None = None) -> tuple[Verdict, ...]:
    """A verdict on each requirement, in counts and figures of the whole file. The cost of the measures."""
    return tuple(
        _shared(each, finished) if each.name == K_ANONYMITY else _measured(each, finished, run or Run())
        for each in asked
    )


def insist(verdicts: tuple[Verdict, ...]) -> tuple[Verdict, ...]:
    """The verdicts, if all requirements are met; otherwise an error, and nothing may be written."""
    if what := faults(verdicts):
        failed = sum(not verdict.passed for verdict in verdicts)
        raise RequirementError(
            f"The release does not meet {failed} of {len(verdicts)} requirements and was not written. "
            f"{what}. Protect more strongly, or add a step."
        )
    return verdicts


def required(claim: Claim, released: Microdata, run: Run | None = None) -> tuple[Verdict, ...]:
    """The requirements of a release, judged on its frame or what was read back from its bytes; or raise."""
    return insist(judge(claim.requirements, Finished(released, claim.original, claim.rows), run))


def _shared(asked: Requirement, finished: Finished) -> Verdict:
    file, source = finished.file, finished.source
    roles = source.roles if source is not None else None
    names = tuple(asked.settings["keys"]) or (source.quasi if source is not None else ())
    unit = asked.settings["unit"] or (roles.unit if roles is not None else None)
    k, what = int(asked.limit), "records" if unit is None else "distinct units"
    promise = (
        f"Every combination of {', '.join(names) or 'keys'} stands for at least {k} {what} (a missing cell "
        "counts as a value)."
    )

    def verdict(fault: str | None) -> Verdict:
        return Verdict(asked.name, promise, fault is None, fault or "holds")

    if not names:
        return verdict("no keys are named, and nothing tells which columns were protected")
    if absent := [name for name in names if name not in file.columns]:
        return verdict(f"the file has no column {', '.join(absent)}")
    units = None if unit is None else _units(finished, unit)
    if isinstance(units, str):
        return verdict(units)
    short, fewest = keys.short_of(keys.sharing(file, names), k, units)
    return verdict(
        f"{short} of {file.n} records share their keys with fewer than {k} {what} (fewest: {fewest})"
        if short
        else None
    )


def _units(finished: Finished, unit: str) -> Ints | str:
    if unit in finished.file.columns:
        return one_each(finished.file, unit)
    if finished.source is None or finished.rows is None or unit not in finished.source.columns:
        return f"the file has no column {unit} to count units by"
    return one_each(finished.source, unit)[finished.rows]


def _measured(asked: Requirement, finished: Finished, run: Run) -> Verdict:
    measured = _measure(asked.name, asked.settings)
    most, unit = measured.direction == "lower", f" {measured.unit}" if measured.unit else ""
    promise = f"{asked.name} is at {'most' if most else 'least'} {asked.limit:g}{unit}."
    if finished.source is None or finished.rows is None:
        return Verdict(asked.name, promise, False, "cannot be computed without the original file")
    source, rows = finished.source, finished.rows
    both = aligned(source, finished.file)
    beside = [name for name in finished.file.columns if name not in source.quasi]
    context = context_columns(source, beside, rows)
    (score,) = measure(
        both.before[rows], both.after, source.quasi, [measured], run, context=context, kinds=both.kinds
    )
    if score.value is None:
        return Verdict(asked.name, promise, False, f"cannot be computed: {score.reason}")
    kept = score.value <= asked.limit if most else score.value >= asked.limit
    detail = (
        f"it is {score.value:.4g}{unit} of {rows.size} records, {abs(score.value - asked.limit):.3g} too "
        f"{'much' if most else 'little'}"
    )
    return Verdict(asked.name, promise, bool(kept), "holds" if kept else detail)
