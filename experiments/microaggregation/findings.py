"""All experiments in one run."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass
from typing import Any

from experiments.files import FILES, standardised
from experiments.printed import kmedoids
from tacita import datasets
from tacita.core import Run

from . import ceiling, choice, medoids, ranks, steps, strategies
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
    ceilings: list[ceiling.Ceiling]
    from_starts: strategies.Shares
    choices: list[choice.Choice]

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
            "ceilings": [asdict(one) for one in self.ceilings],
            "strategies": asdict(self.from_starts),
            "choice": [asdict(one) for one in self.choices],
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
            ceilings=[ceiling.Ceiling(**row) for row in numbers["ceilings"]],
            from_starts=strategies.Shares.from_numbers(numbers["strategies"]),
            choices=[choice.Choice(**row) for row in numbers["choice"]],
        )


def gather(run: Run, quick: bool) -> Findings:
    """Everything; `quick`: one file, k = 3 alone, eight synthetic sets, three k to choose from."""
    raw = {file: datasets.attributes(file) for file in (FILES[:1] if quick else FILES)}
    data = {file: standardised(x) for file, x in raw.items()}
    shown = "tarragona" if quick else "census"
    printed = list(all_losses(data, (3,) if quick else None, run))
    sizes, large = ((3,), (3,)) if quick else (GROUP_SIZES, LARGE_SIZES)
    return Findings(
        quick=quick,
        shown=shown,
        losses=printed,
        releases=list(medoids.releases(raw, kmedoids.SIZES[:1] if quick else kmedoids.SIZES, run)),
        searches=list(steps.searches(data, sizes, run)),
        ranked=list(ranks.compared(data, printed, run)),
        ceilings=list(ceiling.ceilings(data, large, FREE_STARTS[quick], run)),
        from_starts=strategies.Shares.of(list(strategies.cases(quick, run))),
        choices=list(choice.choices(raw[shown], choice.SIZES[:3] if quick else choice.SIZES, run)),
    )
