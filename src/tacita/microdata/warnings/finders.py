"""What finds warnings: functions of a release, or of one of its steps; a decorator says of which."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property, partial
from inspect import isfunction
from types import ModuleType
from typing import Literal, TypeVar

from tacita.core import DisclosureWarning, Report
from tacita.core.results.inferred_cells import Determined
from tacita.core.results.plot_data import Estimate
from tacita.core.results.score import Files
from tacita.core.results.uniqueness import Uniqueness
from tacita.microdata.protection.protect import ProtectedStep
from tacita.microdata.protection.steps import PipelineResult

# a recoding or coding publishes what it says, and shows in what is unique
_PLAIN = ("recoding", "generalisation", "coding", "withholding", "dropping")

OfStep = Callable[[ProtectedStep], Iterator[DisclosureWarning]]
LooksAt = Literal["release", "step", "masking", "synthesis"]


@dataclass(frozen=True, kw_only=True)
class Finished:
    """A release as warnings look at it.

    `files` and `report` are those after the last step, `estimates` of the population where it has weights;
    `inferred` is what the verifier found to follow of hidden cells.
    """

    made: PipelineResult
    uniqueness: Uniqueness
    files: Files
    report: Report
    estimates: Sequence[Estimate]
    inferred: Sequence[Determined]
    shuffled: bool

    def steps(
        self, looks_at: LooksAt
    ) -> Iterator[tuple[ProtectedStep, Callable[[DisclosureWarning], DisclosureWarning]]]:
        """Each step that still stands, and what adds its number to a warning where there are several."""
        for number, part in self._parts.items():
            if looks_at == "step" or (looks_at == "synthesis") == (part.method.kind == "synthesis"):
                yield part, partial(_of_step, number=number, made=self.made)

    @cached_property
    def _parts(self) -> Mapping[int, ProtectedStep]:
        standing = self.made.standing.items()
        return {at: _shown(step, self.made) for at, step in standing if step.method.kind not in _PLAIN}


OfRelease = Callable[[Finished], Iterator[DisclosureWarning]]
_Finder = TypeVar("_Finder", OfRelease, OfStep)

# Where a function keeps what it looks at.
_LOOKS_AT = "looks_at"


def finders_of(module: ModuleType) -> list[tuple[Callable[..., Iterator[DisclosureWarning]], LooksAt]]:
    """The finders that a module declares, and what each looks at."""
    own = [value for value in vars(module).values() if getattr(value, "__module__", "") == module.__name__]
    return [
        (value, vars(value)[_LOOKS_AT]) for value in own if isfunction(value) and _LOOKS_AT in vars(value)
    ]


def of_releases(finder: OfRelease) -> OfRelease:
    """Run a finder once a release."""
    return _marked(finder, "release")


def of_steps(finder: OfStep) -> OfStep:
    """Run a finder for each step that changes values otherwise than by rule."""
    return _marked(finder, "step")


def of_maskings(finder: OfStep) -> OfStep:
    """Run a finder for each step of `of_steps` that draws no column anew."""
    return _marked(finder, "masking")


def of_synthesis(finder: OfStep) -> OfStep:
    """Run a finder for each step that draws columns anew."""
    return _marked(finder, "synthesis")


def _marked(finder: _Finder, looks_at: LooksAt) -> _Finder:
    vars(finder)[_LOOKS_AT] = looks_at
    return finder


def _shown(part: ProtectedStep, made: PipelineResult) -> ProtectedStep:
    """A step with the columns that are released in the end: identifiers leave after the last one."""
    there = [name for name in part.data.columns if name in made.data.columns]
    if len(there) == len(part.data.columns):
        return part
    return replace(part, data=part.data.with_frame(part.data.frame.select(there)))


def _of_step(warning: DisclosureWarning, number: int, made: PipelineResult) -> DisclosureWarning:
    if not made.stages:
        return warning
    return replace(warning, text=f"Step {number} ({'+'.join(made.steps[number - 1].names)}): {warning.text}")
