"""What finds warnings: functions of a release, or of one of its steps; a decorator says of which."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property, wraps
from inspect import isfunction
from types import ModuleType

from tacita.core import Caution, Report
from tacita.core.results.inferred_cells import Determined
from tacita.core.results.plot_data import Estimate
from tacita.core.results.score import Files
from tacita.core.results.uniqueness import Uniqueness
from tacita.microdata.protection.protect import Protected
from tacita.microdata.protection.steps import Made

# a recoding or coding publishes what it says, and shows in what is unique
_PLAIN = ("recoding", "generalisation", "coding", "withholding", "dropping")

OfStep = Callable[[Protected], Iterator[Caution]]


@dataclass(frozen=True, kw_only=True)
class Finished:
    """A release as warnings look at it.

    `files` and `report` are those after the last step, `estimates` of the population where it has weights;
    `inferred` is what the verifier found to follow of hidden cells.
    """

    made: Made
    uniqueness: Uniqueness
    files: Files
    report: Report
    estimates: Sequence[Estimate]
    inferred: Sequence[Determined]
    shuffled: bool

    def by_step(self, finder: OfStep, synthetic: bool | None = None) -> Iterator[Caution]:
        """What a finder says of each step that still stands; of several steps the text names which."""
        for number, part in self._parts.items():
            if synthetic in (None, part.method.kind == "synthesis"):
                for caution in finder(part):
                    yield caution if not self.made.stages else _of_step(caution, number, self.made)

    @cached_property
    def _parts(self) -> Mapping[int, Protected]:
        standing = self.made.standing.items()
        return {at: _shown(each, self.made) for at, each in standing if each.method.kind not in _PLAIN}


OfRelease = Callable[[Finished], Iterator[Caution]]

# Where a function keeps how a release runs it.
_RUN_AS = "of_release"


def finders_of(module: ModuleType) -> list[OfRelease]:
    """The finders that a module declares, each as a release runs it."""
    own = [value for value in vars(module).values() if getattr(value, "__module__", "") == module.__name__]
    return [vars(value)[_RUN_AS] for value in own if isfunction(value) and _RUN_AS in vars(value)]


def of_releases(finder: OfRelease) -> OfRelease:
    """Run a finder once a release."""
    vars(finder)[_RUN_AS] = finder
    return finder


def of_steps(finder: OfStep) -> OfStep:
    """Run a finder for each step that changes values otherwise than by rule."""
    return _by_step(finder, synthetic=None)


def of_maskings(finder: OfStep) -> OfStep:
    """Run a finder for each step of `of_steps` that draws no column anew."""
    return _by_step(finder, synthetic=False)


def of_synthesis(finder: OfStep) -> OfStep:
    """Run a finder for each step that draws columns anew."""
    return _by_step(finder, synthetic=True)


def _by_step(finder: OfStep, synthetic: bool | None) -> OfStep:
    @wraps(finder)
    def of_release(release: Finished) -> Iterator[Caution]:
        return release.by_step(finder, synthetic)

    vars(finder)[_RUN_AS] = of_release
    return finder


def _shown(part: Protected, made: Made) -> Protected:
    """A step with the columns that are released in the end: identifiers leave after the last one."""
    there = [name for name in part.data.columns if name in made.data.columns]
    if len(there) == len(part.data.columns):
        return part
    return replace(part, data=part.data.with_frame(part.data.frame.select(there)))


def _of_step(caution: Caution, number: int, made: Made) -> Caution:
    return replace(caution, text=f"Step {number} ({'+'.join(made.steps[number - 1].names)}): {caution.text}")
