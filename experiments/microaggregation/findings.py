"""All experiments in one run."""

from __future__ import annotations

from dataclasses import dataclass

from experiments.files import FILES, standardised
from tacita import datasets
from tacita.core import Run

from . import ceiling, choice, ranks, steps, strategies
from .losses import GROUP_SIZES, LARGE_SIZES, Loss, all_losses

# Random starts of the free means, in full and quickly.
FREE_STARTS = (100, 2)


@dataclass(frozen=True)
class Findings:
    """What every experiment gave; `shown` is the file of the plot and of the choice of k."""

    quick: bool
    shown: str
    losses: list[Loss]
    searches: list[steps.Step]
    ranked: list[Loss]
    ceilings: list[ceiling.Ceiling]
    from_starts: list[strategies.Case]
    choices: list[choice.Choice]

    @property
    def plotted(self) -> list[Loss]:
        """Every method on the file shown, at k = 3; of settings that change nothing there the default alone."""
        here = [one for one in self.losses if (one.file, one.k) == (self.shown, 3)]
        usual = {(one.method, one.ours) for one in here if not one.settings}
        return [one for one in here if not one.settings or (one.method, one.ours) not in usual]


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
        searches=list(steps.searches(data, sizes, run)),
        ranked=list(ranks.compared(data, printed, run)),
        ceilings=list(ceiling.ceilings(data, large, FREE_STARTS[quick], run)),
        from_starts=list(strategies.cases(quick, run)),
        choices=list(choice.choices(raw[shown], choice.SIZES[:3] if quick else choice.SIZES, run)),
    )
