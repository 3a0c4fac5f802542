"""The audit: what an attacker can compute of every suppressed cell, and whether that is too much.

Imports nothing of the methods that make patterns. What counts as protected, with the true value a of a
sensitive cell and the range [lo, hi] that all published figures leave open:

- general: nothing is known of any cell, and neither lo nor hi exists;
- exact: the attacker knows bounds (as a rule, that no value is negative), and lo < hi;
- interval: lo <= a - lower, hi >= a + upper and hi - lo >= sliding. Levels end at the attacker's own bounds.
  A cell of which no level is left must still have lo < hi.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from time import monotonic
from typing import Literal, get_args

import numpy as np
import numpy.typing as npt

from tacita.core import (
    DataError,
    DisclosureWarning,
    ParameterError,
    Pattern,
    Problem,
    RunContext,
    Table,
    VerificationError,
)
from tacita.core.arrays import Floats, Ints, Mask
from tacita.core.data.dataframes import Column, Framed
from tacita.core.data.saving import writer
from tacita.core.display.repr_html import Section, page
from tacita.core.results.release import warned
from tacita.core.spec.accepted_risks import NO_SENSITIVE_CELLS, accepted_of_table
from tacita.core.spec.deprecated import renamed_arguments, renamed_attribute
from tacita.core.spec.setting_syntax import setting

from .attacker import Attacker
from .common import CommonTable, common_table_of, given_away_by_common_table
from .insiders import insider_leaks
from .integers import UNDECIDED, given_away_by_integers
from .protection_criteria import Failure, Judge, Leak, check_problem_meets_rules, with_known_zeros
from .singleton_and_sum_attacks import (
    KNOWN_SUM,
    LONE,
    lone_contributors,
    sensitive_sums,
    single_counts,
    singletons_of_separate_lists,
    unnamed_singletons,
)
from .unjudged import NOTHING_JUDGED, about_acceptance, accepted_risks, check_judged

# Steps up to which all ranges are sought (`Attacker.work`): about a minute.
_MUCH = 1e9
# The same of an attack that only a warning hangs on: about a second.
_LITTLE = 1e7
# Seconds for singletons who write down the common table of linked ones.
_SECONDS = 120.0


@dataclass(frozen=True, eq=False, repr=False)
class Audit(Framed):
    """The attacker's range of every suppressed cell, and what is wrong with the pattern. Confidential.

    `cells` are the suppressed ones, `low` and `high` their ranges (infinite where nothing limits them), at
    least so wide if not `exact_ranges`. As a frame, one row a suppressed cell: its labels, its range, and the
    reason where it is not protected. `insiders` are the sensitive cells that a contributor comes too close
    to who knows their own part of every suppressed cell, `lone` those that a singleton comes too close to.
    """

    table: Table
    problem: Problem
    cells: Ints
    low: Floats
    high: Floats
    failures: tuple[Failure, ...]
    warnings: tuple[DisclosureWarning, ...] = ()
    exact_ranges: bool = True
    insiders: tuple[Leak, ...] = ()
    lone: tuple[Leak, ...] = ()
    accepted: tuple[str, ...] = ()

    cautions = renamed_attribute("cautions", "warnings")

    @property
    def safe(self) -> bool:
        """Whether every sensitive cell is protected; nobody knows where nothing says which cells are."""
        return not self.failures and (bool(self.table.judged) or NO_SENSITIVE_CELLS in self.accepted)

    @property
    def exposed(self) -> int:
        """How many cells are not protected."""
        return len({failure.cell for failure in self.failures})

    def cells_that_fail(self, *reasons: str) -> list[int]:
        """The sensitive cells that fail for one of some reasons."""
        return sorted({failure.cell for failure in self.failures if failure.reason in reasons})

    @property
    def computable(self) -> Mask:
        """Suppressed cells of which the attacker can compute the value."""
        mask = np.zeros(self.table.n, dtype=bool)
        mask[self.cells] = self.low == self.high
        return mask

    def range_of(self, cell: int) -> tuple[float, float]:
        """What an attacker can compute of one suppressed cell."""
        at = np.flatnonzero(self.cells == cell)
        if not at.size:
            raise ParameterError("Audit: this cell is published; its range is its value.")
        return float(self.low[at[0]]), float(self.high[at[0]])

    @property
    def headline(self) -> str:
        """How many cells were attacked, and the verdict."""
        state = "safe" if self.safe else f"{self.exposed} cells not protected"
        if not self.table.judged:
            state = "that no cell is sensitive was accepted, not judged" if self.safe else NOTHING_JUDGED
        return f"Audit of {self.cells.size} suppressed cells, {self.problem}: {state}"

    def __repr__(self) -> str:
        return f"<{self.headline}>"

    def save(self, path: str | Path, *, force: bool = False) -> None:
        """Write the ranges of the attacked cells, in the format of the ending; confidential."""
        writer("audit")(self, path, force=force)

    def _columns(self) -> Iterable[Column]:
        labels = [self.table.label(cell) for cell in self.cells.tolist()]
        reasons = {failure.cell: failure.reason for failure in self.failures}
        for at, dimension in enumerate(self.table.dimensions):
            yield Column(dimension.name, str, [label[at] for label in labels], ours=False)
        yield Column("sensitive", bool, self.table.primary[self.cells].tolist())
        yield Column("low", float, self.low.tolist())
        yield Column("high", float, self.high.tolist())
        yield Column("reason", str, [reasons.get(cell) for cell in self.cells.tolist()])

    def _repr_html_(self) -> str:
        counted = Counter(failure.reason for failure in self.failures)
        faults = Section(("What is wrong", "Sensitive cells"), tuple(counted.items()))
        return page(self.headline, [faults, warned(self.warnings)])


@renamed_arguments(insist="accept_risks", accept="accept_risks", run="context")
def audit(
    table: Table,
    pattern: Pattern | npt.ArrayLike,
    problem: Problem | None = None,
    context: RunContext | None = None,
    *,
    strict: bool = False,
    accept_risks: bool | str | Sequence[str] = False,
    ranges: bool | None = None,
    zeros: Literal["publish", "withhold"] | None = None,
    insiders: bool = False,
) -> Audit:
    """Attack a suppression pattern: what an attacker can compute of each suppressed cell.

    The attacker knows all that is published. The exact range of a cell takes two maximum flows where the
    sums form a network, else two linear programs; none where cells move only together, or where an earlier
    solution proves the range. Verdicts are exact in any case.

    Suppressed cells whose sum is known and sensitive by the rules of the table are a failure. Contributors
    know their own part of every suppressed cell: the sensitive cells that one of them comes too close to
    are counted. A pattern for the general problem on a table that is known not to be negative is attacked
    with that knowledge.

    Parameters
    ----------
    table : Table
        The table with its true values.
    pattern : Pattern or array of bool
        The suppressed cells.
    problem : {"interval", "exact", "general"}, optional
        What protection means; see `suppress`. None: as the pattern says.
    context : RunContext, optional
        Listens to progress, and cancels the work.
    strict : bool, default=False
        Leaks to singletons are failures, not warnings.
    accept_risks : bool or list of str, default=False
        Risks that are accepted: "less-protection" (or True) audits for general or exact protection although
        a rule asks for intervals, and makes sensitive sums warnings; "no-sensitive-cells", where no rule,
        status or mark says which cells are sensitive.
    ranges : bool, optional
        Whether to compute exact ranges, or only as far as the verdict needs. None: exact where that takes
        about a minute at most.
    zeros : {"publish", "withhold"}, optional
        Whether zeros are published as a rule, so that a suppressed cell is known to be at least the
        smallest unit of the table (1 for counts). Of a bare list that unit is read off the values where
        zeros are published. None: as `suppress` does; a warning counts what follows where zeros may be
        published.
    insiders : bool, default=False
        Leaks to contributors are failures.

    Returns
    -------
    Audit
        The range of each suppressed cell, failures and warnings; `safe` is the verdict.

    Raises
    ------
    ParameterError
        If an argument is wrong, or the problem asks for less than a rule does.

    See Also
    --------
    suppress : Choose a pattern that passes the audit.

    Examples
    --------
    >>> table = Table.from_array(
    ...     [[11, 47, 58], [1, 15, 33], [2, 31, 20]], primary=[[0, 0, 0], [0, 1, 0], [0, 0, 0]]
    ... )
    >>> pattern = table.grid(np.zeros(16, dtype=bool)).copy()
    >>> pattern[1:3, 0:2] = True
    >>> audit(table, pattern, "exact").range_of(5)
    (13.0, 16.0)
    """
    context = context or RunContext()
    less_protection, accept = accepted_of_table(accept_risks)
    mask, chosen = _mask_and_problem(table, pattern, problem)
    if isinstance(pattern, Pattern):
        zeros = zeros or pattern.parameters.get("zeros")
        accept = accept or pattern.parameters.get("accept", ())
    check_problem_meets_rules(table, chosen, less_protection)
    if zeros == "publish":
        table = table.with_published_unit()
    table = with_known_zeros(table, mask, chosen, zeros)
    judge = Judge(table, chosen)
    attacker = judge.attacker(mask)
    if judge.free:
        # without bounds there is nothing to seek: what moves at all moves anywhere
        ranges = True
    elif ranges is None:
        ranges = attacker.work <= _MUCH
    low, high, exposed = _attack(judge, attacker, mask, context, brief=not ranges)
    computable = np.zeros(table.n, dtype=bool)
    computable[mask] = low == high
    common = common_table_of(judge, mask)
    known = [*_published(table, mask), *exposed]
    anybody = _found_by_anybody(judge, attacker, mask, known, common, less_protection, context)
    sums = sensitive_sums(table, mask, computable)
    contributors = _found_by_contributors(judge, attacker, mask, common, anybody, sums, context)
    firm, soft = _weighed(anybody, contributors, sums, less_protection, insiders)
    warnings = [] if strict else _soft_warnings(soft)
    warnings += _of_insiders(table, contributors.leaks, contributors.not_tried, insiders)
    warnings += _warnings(judge, mask, zeros)
    if zeros is None and not judge.free and attacker.work <= _LITTLE:
        warnings += _of_guessed_zeros(judge, mask, {failure.cell for failure in firm})
    if contributors.not_judged:
        warnings.append(_not_judged(contributors.not_judged))
    if anybody.undecided:
        warnings.append(_undecided(anybody.undecided))
    if not ranges:
        warnings.append(_at_least(attacker.n))
    context.report("auditing", 1, 1)
    failures = (*firm, *soft) if strict else tuple(firm)
    accepted = accepted_risks(table, accept)
    warnings += about_acceptance(table, accepted)
    return Audit(
        table=table,
        problem=chosen,
        cells=np.flatnonzero(mask),
        low=low,
        high=high,
        failures=failures,
        warnings=tuple(warnings),
        exact_ranges=ranges,
        insiders=tuple(contributors.leaks),
        lone=tuple(contributors.lone),
        accepted=accepted,
    )


def require_safe(result: Audit) -> Audit:
    """The audit itself where the pattern is safe; an error, without any figure, where it is not."""
    check_judged(result.table, result.accepted)
    if not result.safe:
        first = result.failures[0]
        where = " / ".join(first.labels)
        raise VerificationError(
            f"Audit: {result.exposed} of {int(result.table.primary.sum())} sensitive cells are not protected "
            f"(first: {where}, {first.reason}). The pattern is refused; nothing was written."
        )
    return result


def _mask_and_problem(
    table: Table, pattern: Pattern | npt.ArrayLike, problem: Problem | None
) -> tuple[Mask, Problem]:
    if isinstance(pattern, Pattern):
        problem = problem or pattern.problem
        pattern = pattern.withheld
    mask = np.asarray(pattern)
    if mask.dtype != bool or mask.size != table.n:
        raise DataError(
            f"Audit: wanted true or false for each of {table.n} cells, got {mask.size} of {mask.dtype}."
        )
    problem = problem or "interval"
    if problem not in get_args(Problem):
        raise ParameterError(
            f"Audit: problem must be one of {', '.join(get_args(Problem))}, got {problem!r}."
        )
    return mask.reshape(-1), problem


def _attack(
    judge: Judge, attacker: Attacker, mask: Mask, run: RunContext, brief: bool
) -> tuple[Floats, Floats, list[Failure]]:
    """The range of every suppressed cell, and the sensitive cells whose range is not enough."""
    table, cells = judge.table, np.flatnonzero(mask)
    low, high = np.empty(cells.size), np.empty(cells.size)
    failures = []
    # sensitive cells first: others use the movements found on the way
    for done, place in enumerate(np.argsort(~table.primary[cells], kind="stable").tolist()):
        cell = int(cells[place])
        low[place], high[place] = judge.range_of(attacker, cell, place, brief)
        if table.primary[cell]:
            reason, shortfall = judge.fault(attacker, cell, place, low[place], high[place])
            if reason:
                failures.append(
                    Failure(
                        cell=cell,
                        labels=table.label(cell),
                        reason=reason,
                        low=float(low[place]),
                        high=float(high[place]),
                        shortfall=shortfall,
                    )
                )
        if done % 64 == 0:
            run.report("auditing", done, cells.size + 1)
    return low, high, failures


@dataclass(frozen=True)
class _FoundByAnybody:
    """What follows from the publication alone: failures, and the sensitive cells that have none.

    Of these, so many are `undecided` for want of time, which was accepted, and so many `not_judged`.
    """

    failures: list[Failure]
    passed: list[int]
    undecided: int
    not_judged: int


def _found_by_anybody(
    judge: Judge,
    attacker: Attacker,
    mask: Mask,
    known: list[Failure],
    common: CommonTable | None,
    accept_less_protection: bool,
    run: RunContext,
) -> _FoundByAnybody:
    """Failures by ranges, by whole numbers and by the common table."""
    bad = {failure.cell for failure in known}
    passed = [cell for cell in np.flatnonzero(judge.table.primary & mask).tolist() if cell not in bad]
    pinned = given_away_by_integers(judge, attacker, mask, passed, run)
    # cells not decided in time may be accepted, and are attacked in other ways all the same
    undecided = [failure for failure in pinned if accept_less_protection and failure.reason == UNDECIDED]
    pinned = [failure for failure in pinned if failure not in undecided]
    passed = sorted(set(passed) - {failure.cell for failure in pinned})
    shared, not_judged = given_away_by_common_table(judge, mask, passed, run, common)
    return _FoundByAnybody(
        failures=[*known, *shared, *pinned],
        passed=passed,
        undecided=len(undecided),
        not_judged=not_judged,
    )


@dataclass(frozen=True)
class _FoundByContributors:
    """Leaks to singletons (`lone`) and to others who know their own part (`leaks`).

    So many cells were `not_tried` by the latter, and so many `not_judged` with the common table in mind.
    """

    lone: list[Leak]
    leaks: list[Leak]
    not_tried: int
    not_judged: int


def _found_by_contributors(
    judge: Judge,
    attacker: Attacker,
    mask: Mask,
    common: CommonTable | None,
    anybody: _FoundByAnybody,
    sums: list[Failure],
    run: RunContext,
) -> _FoundByContributors:
    """Of the sensitive cells that nobody else comes too close to."""
    bad = {failure.cell for failure in anybody.failures}
    not_judged = anybody.not_judged
    lone = lone_contributors(judge, mask, bad, run)
    if common is not None:
        # a contributor may write down the common table too
        judge, mask = Judge(common.table, judge.problem), common.suppressed(mask)
        attacker, until = judge.attacker(mask), monotonic() + _SECONDS
        found_alone = bad | {leak.failure.cell for leak in lone}
        lone += lone_contributors(judge, mask, found_alone, run, _SECONDS)
        not_judged = len(anybody.passed) if monotonic() > until else not_judged
    bad |= {leak.failure.cell for leak in lone} | {failure.cell for failure in sums}
    outside = [cell for cell in anybody.passed if cell not in bad]
    leaks, not_tried = insider_leaks(judge, attacker, mask, outside, run)
    return _FoundByContributors(lone=lone, leaks=leaks, not_tried=not_tried, not_judged=not_judged)


def _weighed(
    anybody: _FoundByAnybody,
    contributors: _FoundByContributors,
    sums: list[Failure],
    accept_less_protection: bool,
    insiders: bool,
) -> tuple[list[Failure], list[Failure]]:
    """Failures that refuse the pattern, and those that refuse it only in a strict audit."""
    firm, soft = list(anybody.failures), [leak.failure for leak in contributors.lone]
    # a known sum that is sensitive is a sensitive cell that is published
    (soft if accept_less_protection else firm).extend(sums)
    if insiders:
        # a singleton, too, is a contributor who knows their own part
        firm += [leak.failure for leak in (*contributors.leaks, *contributors.lone)]
        soft = [failure for failure in soft if failure not in firm]
    return firm, soft


def _published(table: Table, mask: Mask) -> list[Failure]:
    return [
        Failure(
            cell=cell,
            labels=table.label(cell),
            reason="published",
            low=value,
            high=value,
            shortfall=float("inf"),
        )
        for cell in np.flatnonzero(table.primary & ~mask).tolist()
        for value in [float(table.values[cell])]
    ]


def _at_least(count: int) -> DisclosureWarning:
    text = f"Ranges are at least so wide: of {count} suppressed cells few had to be sought."
    advice = "Verdicts are exact. To find all ranges takes long: audit(..., ranges=True)."
    return DisclosureWarning("ranges-at-least", text, count, advice)


def _of_insiders(table: Table, leaks: list[Leak], not_tried: int, demanded: bool) -> list[DisclosureWarning]:
    warnings = []
    if demanded and table.contributors is None and (count := int(table.primary.sum())):
        text = f"Nothing says who contributes to which cell: {count} sensitive cells were not attacked so."
        advice = "Make the table from records, or from the list of cells that tacita tabulate writes."
        warnings.append(DisclosureWarning("insiders-not-tried", text, count, advice))
    if leaks and not demanded:
        cells = "1 sensitive cell is" if len(leaks) == 1 else f"{len(leaks)} sensitive cells are"
        text = (
            f"{cells} protected from outsiders and singletons, but not from a contributor who knows "
            "their own part of every suppressed cell."
        )
        advice = f"Protect from these too: {setting('suppress', 'insiders', True)}."
        warnings.append(DisclosureWarning("insiders", text, len(leaks), advice))
    if not_tried:
        text = f"{not_tried} sensitive cells were not attacked by single contributors, for want of time."
        warnings.append(
            DisclosureWarning("insiders-not-tried", text, not_tried, "Let fewer cells be suppressed.")
        )
    return warnings


def _not_judged(count: int) -> DisclosureWarning:
    text = (
        f"{count} sensitive cells of linked tables were attacked by the sums of these tables alone. The "
        "table of all their dimensions, which has the same records behind it, is too large."
    )
    advice = "Link fewer dimensions, or coarser ones."
    return DisclosureWarning("common-table-not-judged", text, count, advice)


def _undecided(count: int) -> DisclosureWarning:
    text = (
        f"{count} sensitive counts are protected by linear programs. Whether whole numbers give them away "
        "was not decided in time."
    )
    return DisclosureWarning(
        "whole-numbers-undecided", text, count, "Suppress more around them, or merge labels."
    )


def _soft_warnings(soft: list[Failure]) -> list[DisclosureWarning]:
    lone = len({failure.cell for failure in soft if failure.reason == LONE})
    sums = len({failure.cell for failure in soft if failure.reason == KNOWN_SUM})
    warnings = []
    if lone:
        text = f"{lone} sensitive cells are too well known to the only contributor of a suppressed cell."
        advice = "Suppress more around cells of one contributor; strict audits refuse such patterns."
        warnings.append(DisclosureWarning("lone-contributors", text, lone, advice))
    if sums:
        text = (
            f"{sums} sensitive cells stand in a line whose suppressed cells add up to a known, sensitive sum."
        )
        warnings.append(
            DisclosureWarning("sensitive-sums", text, sums, "Suppress one more cell of the line.")
        )
    return warnings


def _warnings(judge: Judge, mask: Mask, zeros: str | None) -> list[DisclosureWarning]:
    table, warnings = judge.table, []
    if judge.free and (table.values >= 0).all() and (count := _fixed_if_nonnegative(table, mask, zeros)):
        text = f"{count} sensitive cells can be computed by someone who guesses that no value is negative."
        warnings.append(DisclosureWarning("sign-guessed", text, count, "Use exact protection."))
    if not judge.free and not judge.bounded and (count := _open_to_who_knows_signs(judge, mask, zeros)):
        text = (
            f"Nothing was taken to be known of any value: {count} sensitive cells are not protected from "
            "someone who knows which values are not negative."
        )
        warnings.append(
            DisclosureWarning("sign-guessed", text, count, "Give bounds: 0 below what is never negative.")
        )
    if count := int(judge.without_level.sum()):
        text = f"{count} sensitive cells have no protection level: only that nobody can compute them is kept."
        warnings.append(DisclosureWarning("no-level", text, count, "Give levels, or use exact protection."))
    if count := unnamed_singletons(table, mask):
        text = (
            f"{count} suppressed cells have one contributor each, and nothing says who: they were taken as "
            "different ones. The only contributor of several of them knows more than was tried."
        )
        advice = "Make the table from records that name the firm or household (unit)."
        warnings.append(DisclosureWarning("holders-unknown", text, count, advice))
    if count := singletons_of_separate_lists(table, mask):
        text = (
            f"{count} suppressed cells have one contributor each, and the lists that were linked number "
            "contributors by themselves: those of different lists were taken as different ones."
        )
        warnings.append(
            DisclosureWarning("holders-apart", text, count, "Make all tables of one plan from the records.")
        )
    if table.frequency and (count := single_counts(table, mask)):
        text = f"{count} published lines have a single count that is not zero: all of them share one label."
        warnings.append(
            DisclosureWarning("single-count", text, count, "Merge labels, or suppress these lines.")
        )
    return warnings


def _of_guessed_zeros(judge: Judge, mask: Mask, known_bad: set[int]) -> list[DisclosureWarning]:
    """Where nobody says whether zeros may be suppressed, or what the unit is: what follows if none may be."""
    table = with_known_zeros(judge.table.with_published_unit(), mask, judge.problem, "publish")
    if np.array_equal(table.low, judge.table.low):
        return []
    knowing = Judge(table, judge.problem)
    cells = [cell for cell in np.flatnonzero(table.primary & mask).tolist() if cell not in known_bad]
    count = sum(1 for _ in knowing.failures(mask, cells))
    if not count:
        return []
    text = (
        f"{count} sensitive cells are not protected from someone who takes it that all zeros are published, "
        "and that all values are multiples of one unit, as counts are."
    )
    advice = f"If zeros are published as a rule, say so: {setting('suppress', 'zeros', 'publish')}."
    return [DisclosureWarning("zeros-guessed", text, count, advice)]


def _open_to_who_knows_signs(judge: Judge, mask: Mask, zeros: str | None) -> int:
    """Sensitive cells that fail once 0 is known to lie below every value that is not negative."""
    table = judge.table
    low = np.where(table.values >= 0, 0.0, -np.inf)
    known = with_known_zeros(table.with_bounds(low, np.inf), mask, judge.problem, zeros)
    knowing = Judge(known, judge.problem)
    _, _, exposed = _attack(knowing, knowing.attacker(mask), mask, RunContext(), brief=True)
    return len({failure.cell for failure in exposed})


def _fixed_if_nonnegative(table: Table, mask: Mask, zeros: str | None) -> int:
    bounded = with_known_zeros(table.with_bounds(0.0, np.inf), mask, "general", zeros)
    known = Judge(bounded, "exact").attacker(mask)
    cells = np.flatnonzero(mask)
    return sum(not known.moves(int(place)) for place in np.flatnonzero(table.primary[cells]))
