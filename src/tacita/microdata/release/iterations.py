"""A synthesis by fuzzy c-regression with a callback for every round, measured as a release would be."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np

from tacita.core import Matrix, Microdata, ParameterError, RecordsRelease, Report, RunContext
from tacita.microdata.measures.evaluate import context_columns, measure
from tacita.microdata.methods.synthesis.fcrm import FCRM, Iteration
from tacita.microdata.plans.plan import Protection

from .release import make_release


@dataclass(frozen=True, eq=False)
class Round:
    """What one round found, and what a release that ended with it would lose and give away."""

    iteration: Iteration
    _measured: Callable[[Matrix], Report]

    @cached_property
    def report(self) -> Report:
        """The scores; measured once, at the first access."""
        return self._measured(self.iteration.released + 0.0)


def watch(
    data: Microdata, protection: Protection, on_round: Callable[[Round], None], run: RunContext | None
) -> RecordsRelease:
    """Make the release of `protection`, and call `on_round` after every round.

    O(rounds n c (p + q)^2), and the cost of the measures where `report` is read.
    """
    method = protection.protect.build()
    if not isinstance(method, FCRM) or protection.whole.strata:
        raise ParameterError(
            "synthesize: a callback follows fcrm without strata. Leave it out for other methods.",
            field="callback",
        )
    context, roles = run or RunContext(), data.with_roles(protection.whole)
    if method.memberships == "separate" and len(roles.quasi) > 1:
        raise ParameterError(
            "synthesize: a callback needs joint memberships for several dependent columns.", field="callback"
        )

    def measured(released: Matrix) -> Report:
        used = roles.matrix(roles.used)
        rows = np.flatnonzero(~np.isnan(used).any(axis=1))
        left_out = (*protection.whole.identifiers, *protection.whole.pseudonyms)
        unprotected = [name for name in roles.columns if name not in roles.quasi and name not in left_out]
        return measure(
            roles.matrix(roles.quasi)[rows],
            released,
            roles.quasi,
            protection.measure.build(),
            context.silent(),
            context=context_columns(roles, unprotected, rows),
        )

    listening = replace(context, on_iteration=lambda seen: on_round(Round(seen, measured)))
    return make_release(data, protection, listening)
