"""Runs fuzzy c-regression and reports every iteration, measured as a release would be."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np

from tacita.core import Matrix, Microdata, ParameterError, RecordsRelease, Report, Run
from tacita.microdata.measures.evaluate import context_columns, measure
from tacita.microdata.methods.synthesis.fcrm import FCRM, Iteration
from tacita.microdata.plans.plan import Protection

from .release import make_release


@dataclass(frozen=True, eq=False)
class Round:
    """One iteration, and the measures of the release that would result from it."""

    iteration: Iteration
    _measured: Callable[[Matrix], Report]

    @cached_property
    def report(self) -> Report:
        """The scores, computed on first use."""
        return self._measured(self.iteration.released + 0.0)


def watch(
    data: Microdata, protection: Protection, on_round: Callable[[Round], None], run: Run | None
) -> RecordsRelease:
    """The same release as without `on_round`, which is called after every iteration.

    O(rounds n c (p + q)^2), and the cost of the measures that are used.
    """
    method = protection.protect.build()
    if not isinstance(method, FCRM) or protection.whole.strata:
        raise ParameterError("Watch: wanted fcrm without strata. Use synthesize for all else.")
    run, source = run or Run(), data.with_roles(protection.whole)
    if method.memberships == "separate" and len(source.quasi) > 1:
        raise ParameterError("Watch: memberships must be joint for several dependent columns.")
    silent = run.silent()

    def measured(released: Matrix) -> Report:
        used = source.matrix(source.used)
        rows = np.flatnonzero(~np.isnan(used).any(axis=1))
        left_out = (*protection.whole.identifiers, *protection.whole.pseudonyms)
        others = [name for name in source.columns if name not in source.quasi and name not in left_out]
        return measure(
            source.matrix(source.quasi)[rows],
            released,
            source.quasi,
            protection.measure.build(),
            silent,
            context=context_columns(source, others, rows),
        )

    observed = replace(run, on_iteration=lambda iteration: on_round(Round(iteration, measured)))
    return make_release(data, protection, observed)
