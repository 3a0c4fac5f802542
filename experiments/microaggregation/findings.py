"""All experiments in one run."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass, replace
from typing import Any

from experiments.files import FILES, standardised
from experiments.printed import kmedoids
from tacita import datasets
from tacita.core import ParameterError, RunContext

from . import ceiling, choice, counts, medoids, phases, plain, ranks, readings, steps, strategies, unrepaired
from .losses import GROUP_SIZES, LARGE_SIZES, Loss, all_losses, from_numbers

# Random starts of the free means, in full and quickly.
FREE_STARTS = (100, 2)


@dataclass(frozen=True)
class Findings:
    """What every experiment gave; `shown` is the file of the plot and of the choice of k."""

    quick: bool
    shown: str
    losses: list[Loss]
    releases: list[medoids.Release]
    searches: list[steps.Step]
    ranked: list[Loss]
    counts: list[counts.Count]
    phases: list[phases.Phases]
    ceilings: list[ceiling.Ceiling]
    from_starts: strategies.Shares
    choices: list[choice.Choice]
    alone: list[plain.PlainStep]
    unrepaired: list[unrepaired.Unrepaired]
    every_number: list[Loss]
    readings: list[readings.Reading]
    readings_tried: int

    @property
    def plotted(self) -> list[Loss]:
        """Every method on the file shown, at k = 3; settings that change nothing there are left out."""
        here = [one for one in self.losses if (one.file, one.k) == (self.shown, 3)]
        usual = {(one.method, one.ours) for one in here if not one.settings}
        return [one for one in here if not one.settings or (one.method, one.ours) not in usual]

    def numbers(self) -> dict[str, Any]:
        """All there is as JSON."""
        return {
            "quick": self.quick,
            "shown": self.shown,
            "losses": [asdict(one) for one in self.losses],
            "medoids": [asdict(one) for one in self.releases],
            "dfo": [asdict(one) for one in self.searches],
            "ranks": [asdict(one) for one in self.ranked],
            "counts": [asdict(one) for one in self.counts],
            "phases": [asdict(one) for one in self.phases],
            "ceilings": [asdict(one) for one in self.ceilings],
            "strategies": asdict(self.from_starts),
            "choice": [asdict(one) for one in self.choices],
            "algorithm_2": [asdict(one) for one in self.alone],
            "unrepaired": [asdict(one) for one in self.unrepaired],
            "every_number": [asdict(one) for one in self.every_number],
            "il2": [asdict(one) for one in self.readings],
            "il2_tried": self.readings_tried,
        }

    @classmethod
    def from_numbers(cls, numbers: Mapping[str, Any]) -> Findings:
        """What `numbers` made of them."""
        return cls(
            quick=numbers["quick"],
            shown=numbers["shown"],
            losses=[from_numbers(row) for row in numbers["losses"]],
            releases=[medoids.Release(**row) for row in numbers["medoids"]],
            searches=[steps.Step(**row) for row in numbers["dfo"]],
            ranked=[from_numbers(row) for row in numbers["ranks"]],
            counts=[counts.Count(**row) for row in numbers.get("counts", [])],
            phases=[phases.Phases(**row) for row in numbers.get("phases", [])],
            ceilings=[ceiling.Ceiling(**row) for row in numbers["ceilings"]],
            from_starts=strategies.Shares.from_numbers(numbers["strategies"]),
            choices=[choice.Choice(**row) for row in numbers["choice"]],
            alone=[plain.PlainStep(**row) for row in numbers.get("algorithm_2", [])],
            unrepaired=[unrepaired.Unrepaired(**row) for row in numbers.get("unrepaired", [])],
            every_number=[Loss(**row) for row in numbers.get("every_number", [])],
            readings=[readings.Reading(**row) for row in numbers.get("il2", [])],
            readings_tried=numbers.get("il2_tried", 0),
        )


def gather(run: RunContext, quick: bool) -> Findings:
    """Everything; `quick`: one file, k = 3 alone, eight synthetic sets, three k to choose from."""
    raw = {file: datasets.attributes(file) for file in (FILES[:1] if quick else FILES)}
    data = {file: standardised(x) for file, x in raw.items()}
    shown = "tarragona" if quick else "census"
    printed = list(all_losses(data, (3,) if quick else None, run))
    sizes, large = ((3,), (3,)) if quick else (GROUP_SIZES, LARGE_SIZES)
    nearest, tried = readings.nearest(raw)
    return Findings(
        quick=quick,
        shown=shown,
        losses=printed,
        releases=list(medoids.releases(raw, kmedoids.SIZES[:1] if quick else kmedoids.SIZES, run)),
        searches=list(steps.searches(data, sizes, run)),
        ranked=list(ranks.compared(data, printed, run)),
        counts=list(counts.tried(data, run, {"kc": (2, 3)} if quick else None)),
        phases=list(phases.cases(data, run)),
        ceilings=list(ceiling.ceilings(data, large, FREE_STARTS[quick], run)),
        from_starts=strategies.Shares.of(list(strategies.cases(quick, run))),
        choices=list(choice.choices(raw[shown], choice.SIZES[:3] if quick else choice.SIZES, run)),
        alone=list(plain.searches(data, sizes, run)),
        unrepaired=list(unrepaired.cases(data, (100,) if quick else kmedoids.SIZES, run)),
        every_number=list(unrepaired.every_number(data, (100,) if quick else unrepaired.LARGE, run)),
        readings=nearest,
        readings_tried=tried,
    )


# Parts that can be run by themselves, in minutes, beside the numbers of an earlier run.
PARTS = (
    *(f"{what}-{file}" for what in ("algorithm-2", "centres") for file in FILES),
    "phases",
    "medoids",
    "il2",
)


def renewed(numbers: Mapping[str, Any], part: str, run: RunContext) -> Findings:
    """The findings of an earlier run in full, with one part run again."""
    found = Findings.from_numbers(numbers)
    if part not in PARTS:
        raise ParameterError(
            f"reproduce microaggregation: there is no part {part!r}. There are: {', '.join(PARTS)}."
        )
    if found.quick:
        raise ParameterError(
            "reproduce microaggregation: the numbers in the folder are a quick part. Run all first."
        )
    if part.startswith("algorithm-2-"):
        file = part.removeprefix("algorithm-2-")
        data = {file: standardised(datasets.attributes(file))}
        again = [one for one in found.alone if one.file != file]
        again += plain.searches(data, GROUP_SIZES, run)
        return replace(found, alone=sorted(again, key=lambda one: FILES.index(one.file)))
    if part.startswith("centres-"):
        file = part.removeprefix("centres-")
        by_count = [one for one in found.counts if one.file != file]
        by_count += counts.tried({file: standardised(datasets.attributes(file))}, run)
        return replace(found, counts=sorted(by_count, key=lambda one: FILES.index(one.file)))
    if part == "phases":
        every = {file: standardised(datasets.attributes(file)) for file in FILES}
        return replace(found, phases=list(phases.cases(every, run)))
    raw = {file: datasets.attributes(file) for file in kmedoids.TABLE_2}
    if part == "il2":
        nearest, tried = readings.nearest(raw)
        return replace(found, readings=nearest, readings_tried=tried)
    data = {file: standardised(x) for file, x in raw.items()}
    return replace(
        found,
        unrepaired=list(unrepaired.cases(data, kmedoids.SIZES, run)),
        every_number=list(unrepaired.every_number(data, unrepaired.LARGE, run)),
    )
