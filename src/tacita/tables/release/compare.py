"""Methods of suppression side by side on one table: what each suppresses and proves, and in what time."""

from __future__ import annotations

import time
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from tacita.core import DataError, ParameterError, RunContext, Table, VerificationError
from tacita.core.data.dataframes import Column, Framed
from tacita.core.display.repr_html import Section, page
from tacita.core.spec import registry
from tacita.core.spec.deprecated import renamed_arguments

# What a frame and JSON have of each trial, in this order, with its type.
_FIGURES = {
    "method": str,
    "secondary_count": int,
    "value": float,
    "cost": float,
    "lower_bound": float,
    "gap": float,
    "proven": bool,
    "status": str,
    "seconds": float,
    "audit": str,
    "warnings": int,
}


@dataclass(frozen=True, kw_only=True)
class PatternTrial:
    """The outcome of one method. Confidential: costs are sums of true values.

    `secondary_count` is the number of secondary suppressions, `value` the sum of their sizes, `cost` their
    cost by the objective; no pattern for the problem costs less than `lower_bound`, zero where nothing is
    proven. `audit` is safe, or says why there is no pattern; `reason` has the message.
    """

    method: str
    secondary_count: int | None = None
    value: float | None = None
    cost: float | None = None
    lower_bound: float | None = None
    gap: float | None = None
    proven: bool | None = None
    status: str | None = None
    seconds: float
    audit: str
    warnings: int | None = None
    reason: str | None = None

    @property
    def gap_percent(self) -> float | None:
        """By how much a better pattern might undercut it, in percent of its cost."""
        return None if self.gap is None else 100 * self.gap

    def as_dict(self) -> dict[str, Any]:
        """For JSON."""
        return {**{name: getattr(self, name) for name in _FIGURES}, "reason": self.reason}


@dataclass(frozen=True, repr=False)
class PatternTrials(Framed):
    """All methods that were tried on a table, in the order of the request. As a frame, a row each."""

    trials: tuple[PatternTrial, ...]
    problem: str

    def __iter__(self) -> Iterator[PatternTrial]:
        return iter(self.trials)

    def __len__(self) -> int:
        return len(self.trials)

    def __repr__(self) -> str:
        return f"<{self.headline}>"

    @property
    def headline(self) -> str:
        """How many methods, for what, and which of them costs least."""
        succeeded = [trial for trial in self.trials if trial.cost is not None]
        best = min(succeeded, key=lambda trial: float(trial.cost or 0.0), default=None)
        least = "" if best is None else f"; the least cost is that of {best.method}"
        return f"{len(succeeded)} of {len(self.trials)} methods found a pattern, {self.problem}{least}"

    def as_dict(self) -> dict[str, Any]:
        """For JSON."""
        return {"confidential": True, "problem": self.problem, "trials": [trial.as_dict() for trial in self]}

    def _columns(self) -> Iterable[Column]:
        for name, kind in {**_FIGURES, "reason": str}.items():
            yield Column(name, kind, [getattr(trial, name) for trial in self.trials])

    def _repr_html_(self) -> str:
        names = ("method", "secondary_count", "gap", "status", "seconds", "audit")
        rows = tuple(tuple(getattr(trial, name) for name in names) for trial in self.trials)
        return page(self.headline, [Section(tuple(name.replace("_", " ") for name in names), rows)])


@renamed_arguments(run="context")
def compare_suppressions(
    table: Table,
    methods: Sequence[str] | str = ("optimal",),
    problem: str = "interval",
    *,
    context: RunContext | None = None,
    **options: Any,
) -> PatternTrials:
    """Try methods of suppression on the same table, and audit each pattern.

    A method that fails keeps its reason and does not stop the others. If all fail, the first error is raised.

    Parameters
    ----------
    table : Table
        The table with its sensitive cells.
    methods : str or list of str, default="optimal"
        Names of methods.
    problem : {"interval", "exact", "general"}, default="interval"
        What protection means; see `suppress`.
    context : RunContext, optional
        Listens to progress, and stops or cancels the work.
    **options
        Options of `suppress` (`objective`, `margins`, `zeros`, `insist`, `strict`, `insiders`, `accept`), and
        parameters of methods, such as ``seconds=60``; a parameter goes to the methods that have it.

    Returns
    -------
    PatternTrials
        What each method suppresses and proves, and how long it takes; `to_pandas()` gives a row each.

    Raises
    ------
    ParameterError
        If an argument is wrong.
    DataError, VerificationError
        If all methods fail.

    Examples
    --------
    >>> table = Table.from_array([[9, 5, 3], [2, 8, 7], [6, 4, 9]], primary=np.diag([1, 0, 0]))
    >>> trials = compare_suppressions(table, ["optimal", "hypercube"], "exact")
    >>> [(trial.method, trial.secondary_count, trial.audit) for trial in trials]
    [('optimal', 3, 'safe'), ('hypercube', 3, 'safe')]
    """
    named = [methods] if isinstance(methods, str) else [*methods]
    names = [registry.canonical(name, *registry.SUPPRESSING) for name in named]
    if not names or len(set(names)) < len(names):
        raise ParameterError("compare: wanted methods of suppression, each once.")
    suppress_options = {name: options.pop(name) for name in _SUPPRESS_OPTIONS if name in options}
    suppress_options["accept_less_protection"] = suppress_options.pop("insist", False)
    known = {name: registry.lookup(name, *registry.SUPPRESSING).model_fields for name in names}
    # methods that are always fast have no time limit
    taken = {"seconds", *(name for fields in known.values() for name in fields)}
    if stray := [name for name in options if name not in taken]:
        raise ParameterError(f"compare: no method among these has {', '.join(stray)}.")
    context, trials, problems = context or RunContext(), list[PatternTrial](), list[Exception]()
    for done, (name, fields) in enumerate(known.items()):
        context.report(f"trying {name}", done, len(names))
        own = {key: value for key, value in options.items() if key in fields}
        trial, refused = _tried(table, name, problem, suppress_options, own, context)
        trials.append(trial)
        problems += [] if refused is None else [refused]
    context.report("comparing", 1, 1)
    if len(problems) == len(trials):
        raise problems[0]
    return PatternTrials(tuple(trials), problem)


_SUPPRESS_OPTIONS = ("objective", "margins", "zeros", "insist", "strict", "insiders", "accept")


def _tried(
    table: Table,
    name: str,
    problem: str,
    suppress_options: dict[str, Any],
    own: dict[str, Any],
    run: RunContext,
) -> tuple[PatternTrial, Exception | None]:
    from .suppress import suppress

    started = time.perf_counter()
    try:
        method = registry.lookup(name, *registry.SUPPRESSING)(**own)
        claim = suppress(table, method, problem, **suppress_options, run=run.silent(), name=name)  # type: ignore[arg-type]
    except (ParameterError, DataError) as refusal:
        seconds = time.perf_counter() - started
        return PatternTrial(method=name, seconds=seconds, audit="none", reason=str(refusal)), refusal
    except VerificationError as refusal:
        seconds = time.perf_counter() - started
        return PatternTrial(method=name, seconds=seconds, audit="refused", reason=str(refusal)), refusal
    pattern = claim.pattern
    return (
        PatternTrial(
            method=name,
            secondary_count=pattern.secondary_count,
            value=float(np.abs(table.values[pattern.secondary]).sum()),
            cost=pattern.cost,
            lower_bound=pattern.lower_bound,
            gap=pattern.gap,
            proven=pattern.proven,
            status=pattern.status,
            seconds=time.perf_counter() - started,
            audit="safe",
            warnings=len(claim.audit.warnings),
        ),
        None,
    )
