"""Registry of the functions that find warnings; a decorator says whether one examines releases or steps."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property, wraps

from tacita.core import Caution, Report
from tacita.core.results.inferred_cells import Determined
from tacita.core.results.plot_data import Estimate
from tacita.core.results.score import Files
from tacita.core.results.uniqueness import Uniqueness
from tacita.microdata.protection.protect import Protected
from tacita.microdata.protection.steps import Made

# these publish values by rule, and `unique_combinations` counts what stays identifiable
_PLAIN = ("recoding", "generalisation", "coding", "withholding", "dropping")

OfStep = Callable[[Protected], Iterator[Caution]]


@dataclass(frozen=True, kw_only=True)
class Finished:
    """What warnings examine of a release.

    made        the steps and their results
    uniqueness  sample uniqueness of the release
    files       originals and released values after the last step
    report      the measures of the release
    estimates   weighted estimates of the population; empty without weights
    inferred    suppressed cells that other columns determine
    shuffled    whether the release has a random order
    """

    made: Made
    uniqueness: Uniqueness
    files: Files
    report: Report
    estimates: Sequence[Estimate]
    inferred: Sequence[Determined]
    shuffled: bool

    def by_step(self, finder: OfStep, synthetic: bool | None = None) -> Iterator[Caution]:
        """Warnings of a finder for all steps that no later step replaced; the text names the step."""
        for number, part in self._parts.items():
            if synthetic in (None, part.method.kind == "synthesis"):
                for caution in finder(part):
                    yield caution if not self.made.stages else _of_step(caution, number, self.made)

    @cached_property
    def _parts(self) -> Mapping[int, Protected]:
        standing = self.made.standing.items()
        return {at: _shown(part, self.made) for at, part in standing if part.method.kind not in _PLAIN}


OfRelease = Callable[[Finished], Iterator[Caution]]

# All finders; those of steps are wrapped as finders of a release.
FINDERS: list[OfRelease] = []


def of_releases(finder: OfRelease) -> OfRelease:
    """Run a finder once a release."""
    FINDERS.append(finder)
    return finder


def of_steps(finder: OfStep) -> OfStep:
    """Run a finder for each step that does not change values by a fixed rule."""
    return _by_step(finder, synthetic=None)


def of_maskings(finder: OfStep) -> OfStep:
    """Run a finder for each step of `of_steps` that is no synthesis."""
    return _by_step(finder, synthetic=False)


def of_synthesis(finder: OfStep) -> OfStep:
    """Run a finder for each synthesis."""
    return _by_step(finder, synthetic=True)


def _by_step(finder: OfStep, synthetic: bool | None) -> OfStep:
    @wraps(finder)
    def of_release(release: Finished) -> Iterator[Caution]:
        return release.by_step(finder, synthetic)

    of_releases(of_release)
    return finder


def _shown(part: Protected, made: Made) -> Protected:
    """A step with the columns of the release only: identifiers are dropped after the last step."""
    released = [name for name in part.data.columns if name in made.data.columns]
    if len(released) == len(part.data.columns):
        return part
    return replace(part, data=part.data.with_frame(part.data.frame.select(released)))


def _of_step(caution: Caution, number: int, made: Made) -> Caution:
    return replace(caution, text=f"Step {number} ({'+'.join(made.steps[number - 1].names)}): {caution.text}")
