"""What a finished file must satisfy, whatever made it: measures with a limit, judged on the file itself."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, cast

from pydantic import ConfigDict, create_model, model_validator

from tacita.core import Comparison, Microdata, ParameterError, RequirementError, Run, registry
from tacita.core.document import parsed, text_of
from tacita.core.params import Parameters, shown
from tacita.core.release import Claim, Requirement
from tacita.core.score import Files
from tacita.core.verify import Verdict, faults
from tacita.io import content_of

from .alignment import aligned
from .assess import context_columns, measure, whole_files
from .measure import Measure


class RequireSection(Parameters):
    """[require]: each key a measure; its value a limit, a table with limit and settings, or a list of these.

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
    if name not in registry.names(*registry.MEASURING):
        known = ", ".join(registry.names(*registry.MEASURING))
        raise ParameterError(f"Require: there is no measure named {name!r}. Known: {known}.")
    settings = dict(value) if isinstance(value, Mapping) else {"limit": value}
    measured = cast("type[Measure]", registry.lookup(name, *registry.MEASURING))
    given = [settings.pop(each) for each in dict.fromkeys(("limit", measured.limit_name)) if each in settings]
    if len(given) > 1:
        raise ParameterError(f"Require: {name} has a limit and {measured.limit_name}, which is the same.")
    limit = _limit(name, measured, dict.fromkeys([measured.limit_name], *given) if given else {})
    measured(**settings)
    return Requirement(name, limit, settings)


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


def _measure(name: str, settings: Mapping[str, Any]) -> Measure:
    return cast("Measure", registry.lookup(name, *registry.MEASURING)(**settings))


def judge(asked: Sequence[Requirement], files: Files, run: Run | None = None) -> tuple[Verdict, ...]:
    """A verdict on each requirement, in counts and figures of the whole file. The cost of the measures."""
    return tuple(_judged(each, files, run or Run()) for each in asked)


def insist(verdicts: tuple[Verdict, ...]) -> tuple[Verdict, ...]:
    """The verdicts, if all requirements are met; otherwise an error, and nothing may be written."""
    if what := faults(verdicts):
        failed = [verdict.guarantee for verdict in verdicts if not verdict.passed]
        raise RequirementError(
            f"The release does not meet {len(failed)} of {len(verdicts)} requirements and was not written. "
            f"{what}. {_advice(failed)}"
        )
    return verdicts


def _advice(failed: Sequence[str]) -> str:
    """What may help where these requirements are not met."""
    kinds = registry.kinds_of(failed, registry.MEASURING)
    if "loss" not in kinds:
        return "Protect more strongly, or add a step."
    if set(kinds) == {"loss"}:
        return "Too much is lost: protect less, or by another method."
    return "Too much is lost, and too much is found: another method may serve both."


def required(claim: Claim, released: Microdata, run: Run | None = None) -> tuple[Verdict, ...]:
    """The requirements of a release, judged on its frame or what was read back from its bytes; or raise."""
    return insist(judge(claim.requirements, whole_files(released, claim.original, claim.rows), run))


def _judged(asked: Requirement, files: Files, run: Run) -> Verdict:
    measured = _measure(asked.name, asked.settings)
    fault = _fault(measured, asked.limit, files, run)
    return Verdict(asked.name, measured.promise(asked.limit, files), fault is None, fault or "holds")


def _fault(measured: Measure, limit: float, files: Files, run: Run) -> str | None:
    source, rows = files.original, files.rows
    if measured.of_files and (measured.alone or source is not None):
        return measured.fault(measured.score(Comparison.of_files(files), run), limit, files)
    if source is None or rows is None:
        return "cannot be computed without the original file"
    both = aligned(source, files.released)
    beside = [name for name in files.released.columns if name not in source.quasi]
    context = context_columns(source, beside, rows)
    (score,) = measure(
        both.before[rows], both.after, source.quasi, [measured], run, context=context, kinds=both.kinds
    )
    return measured.fault(score, limit, files)
