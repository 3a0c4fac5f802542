"""The independent verifier of adjusted tables: are the values in the file what the method promises?

It shares no code with the methods. What an outsider reads in the bytes counts: every promise is tried on the
values as they were written, beside the true ones.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import ClassVar

import numpy as np

from tacita.core import Adjusted, DisclosureWarning, RunContext, Table, VerificationError
from tacita.core.arrays import Floats
from tacita.core.data.dataframes import Column, Framed
from tacita.core.data.saving import writer
from tacita.core.display.repr_html import Section, page
from tacita.core.results.release import warned
from tacita.core.results.verdicts import Check, Verdict, faults, verdicts
from tacita.core.spec.deprecated import renamed_attribute
from tacita.io.tables.published_table import Shown
from tacita.io.tables.reading import differs

from .claim import NOTHING_BESIDES, FileEvidence, TableClaim
from .inference import Inferred, infer, parts_of_sums
from .keyed import other_noise, unlike_noise
from .protection_criteria import Failure
from .published_tables import Part

# Share of the size of a line that 15 digits lose where values are not whole.
_DIGITS = 1e-12
# Share of a level that rounding may take.
_ROUNDING = 1e-9


@dataclass(frozen=True, eq=False, repr=False)
class AdjustedAudit(Framed):
    """What an attacker infers of the true values behind an adjusted table, and what is wrong. Confidential.

    As a frame, one row an attacked cell: its labels, the range of its true value, and the reason where that
    gives too much away. `accepted` failures were insisted on.
    """

    table: Table
    adjusted: Adjusted
    inferred: Inferred
    verdicts: tuple[Verdict, ...]
    failures: tuple[Failure, ...]
    warnings: tuple[DisclosureWarning, ...] = ()
    accepted: int = 0

    cautions = renamed_attribute("cautions", "warnings")

    @property
    def safe(self) -> bool:
        """Whether every promise holds, and nothing gives too much away."""
        return not self.failures and all(each.passed for each in self.verdicts)

    @property
    def exposed(self) -> int:
        """How many cells give too much away."""
        return len({each.cell for each in self.failures})

    @property
    def headline(self) -> str:
        """How many cells were attacked, and the verdict."""
        told = "safe" if self.safe else f"{self.exposed} cells not protected"
        kept = sum(each.passed for each in self.verdicts)
        promises = f"{kept} of {len(self.verdicts)} promises kept"
        return (
            f"Audit of {self.table.n} adjusted cells: {promises}, {self.inferred.cells.size} attacked, {told}"
        )

    def __repr__(self) -> str:
        return f"<{self.headline}>"

    def save(self, path: str | Path, *, force: bool = False) -> None:
        """Write the ranges of the attacked cells, in the format of the ending; confidential."""
        writer("audit")(self, path, force=force)

    def _columns(self) -> Iterable[Column]:
        cells = self.inferred.cells.tolist()
        labels = [self.table.label(cell) for cell in cells]
        reasons = {each.cell: each.reason for each in self.failures}
        for at, dimension in enumerate(self.table.dimensions):
            yield Column(dimension.name, str, [each[at] for each in labels], ours=False)
        yield Column("sensitive", bool, self.table.primary[self.inferred.cells].tolist())
        yield Column("low", float, self.inferred.low.tolist())
        yield Column("high", float, self.inferred.high.tolist())
        yield Column("reason", str, [reasons.get(cell) for cell in cells])

    def _repr_html_(self) -> str:
        told = Section(("Promise", "Verified"), tuple((v.promise, v.passed) for v in self.verdicts))
        return page(self.headline, [told, warned(self.warnings)])


@dataclass(frozen=True)
class Evidence:
    """Values as somebody reads them, next to the true ones and what is said of both."""

    values: Floats
    table: Table
    adjusted: Adjusted


def _sums_wrong(evidence: Evidence) -> str | None:
    relations, terms = evidence.table.relations, evidence.adjusted.terms
    off = np.abs(relations.residuals(evidence.values))
    size = np.abs(relations.signs * evidence.values[relations.cells])
    lines = np.bincount(relations.rows, weights=size, minlength=len(relations))
    # whole numbers are added without loss
    exact = terms.whole or bool((evidence.values == np.rint(evidence.values)).all())
    wrong = int((off > (0.0 if exact else _DIGITS * lines)).sum())
    return f"{wrong} of {len(relations)} sums do not add up" if wrong else None


def _no_multiples(evidence: Evidence) -> str | None:
    base = evidence.adjusted.terms.base
    if base is None:
        return "no base is named"
    units = evidence.values / base
    wrong = int((np.abs(units - np.rint(units)) > _ROUNDING * np.maximum(1.0, np.abs(units))).sum())
    return f"{wrong} values are no multiples of the base" if wrong else None


def _too_far(evidence: Evidence) -> str | None:
    reach = evidence.adjusted.terms.reach
    if reach is None:
        return "no reach is named"
    true, shown = evidence.table.values, evidence.values
    # whole numbers are subtracted without loss: the reach itself is too far
    exact = (true == np.rint(true)) & (shown == np.rint(shown))
    wrong = int((np.abs(shown - true) >= np.where(exact, reach, reach * (1 + _ROUNDING))).sum())
    return f"{wrong} values are too far from the true ones" if wrong else None


def _zeros_moved(evidence: Evidence) -> str | None:
    wrong = int(((evidence.table.values == 0) & (evidence.values != 0)).sum())
    return f"{wrong} zeros are no zeros any more" if wrong else None


def _hidden_shown(evidence: Evidence) -> str | None:
    terms, shown = evidence.adjusted.terms, evidence.values
    if terms.keys is not None and terms.flex is None:
        # of weighted counts, those of records
        weight = np.divide(
            evidence.table.values, terms.keys.count, out=np.ones(shown.size), where=terms.keys.count > 0
        )
        shown = shown / np.where(weight > 0, weight, 1.0)
    wrong = int(((shown > _ROUNDING) & (shown < terms.hidden + 1 - 1e-6)).sum()) if terms.flex is None else 0
    negative = int((shown < 0).sum()) if terms.flex is None else 0
    return f"{wrong + negative} counts are negative or too small to be shown" if wrong + negative else None


def _small_shown(evidence: Evidence) -> str | None:
    base, true, shown = evidence.adjusted.terms.small, evidence.table.values, evidence.values
    if base is None:
        return "no base is named"
    part = parts_of_sums(evidence.table)
    small = part & (true > 0) & (true < base)
    wrong = int((small & (shown != 0) & (shown != base)).sum()) + int((part & ~small & (shown != true)).sum())
    return f"{wrong} inner counts are not what they should be" if wrong else None


def _out_of_bounds(evidence: Evidence) -> str | None:
    table, terms = evidence.table, evidence.adjusted.terms
    slack = _ROUNDING * np.maximum(1.0, np.abs(table.values))
    wrong = int(((evidence.values < table.low - slack) | (evidence.values > table.high + slack)).sum())
    odd = int((evidence.values != np.rint(evidence.values)).sum()) if terms.whole else 0
    return f"{wrong} values are out of bounds, {odd} are not whole" if wrong or odd else None


def _inside_intervals(evidence: Evidence) -> str | None:
    table, shown = evidence.table, evidence.values
    slack = _ROUNDING * np.maximum.reduce([np.abs(table.values), table.lower, table.upper])
    above = (shown >= table.values + table.upper - slack) & (table.upper > 0)
    below = (shown <= table.values - table.lower + slack) & (table.lower > 0)
    wrong = int((table.primary & ~above & ~below).sum())
    return f"{wrong} sensitive cells are inside their protection intervals" if wrong else None


CHECKS: dict[str, Check[Evidence]] = {
    "adds-up": Check("Every sum is that of its parts, to the last digit.", _sums_wrong),
    "multiples-of-base": Check("Every value is a multiple of the base.", _no_multiples),
    "within-reach": Check("No value is as far from the true one as the stated reach.", _too_far),
    "zeros-stay": Check("Every true zero is published as zero.", _zeros_moved),
    "none-hidden": Check("No count is negative, or one of those that are never shown.", _hidden_shown),
    "small-are-rounded": Check(
        "Inner counts below the base became zero or the base, all others are true.", _small_shown
    ),
    "within-bounds": Check(
        "Every value is within the bounds of the table, and whole if required.", _out_of_bounds
    ),
    "outside-intervals": Check("Every sensitive cell is outside its protection interval.", _inside_intervals),
    "as-keyed": Check(
        "Every value is what the table of noise gives for its count and key.",
        lambda evidence: other_noise(evidence.values, evidence.table, evidence.adjusted.terms),
    ),
    "same-cell-same-noise": Check(
        "Cells of the same records have the same noise.",
        lambda evidence: unlike_noise(evidence.values, evidence.table, evidence.adjusted.terms),
    ),
}


def audit_adjusted(
    table: Table,
    adjusted: Adjusted,
    promises: Iterable[str],
    run: RunContext | None = None,
    *,
    insist: bool = False,
) -> AdjustedAudit:
    """Try to refute every promise of adjusted values, and infer what they give away.

    Sensitive cells must stay as open as their levels ask. With `insist`, less is accepted, and counted. The
    cost of the checks is O(cells); of the attack two programmes, or flows, for each sensitive cell.

    >>> table = Table.from_array([[4, 6]], frequency=True)
    >>> values = Adjusted.of(table, np.array([5.0, 5, 11, 5, 5, 10]))
    >>> audit_adjusted(table, values, ["adds-up"]).headline
    'Audit of 6 adjusted cells: 0 of 1 promises kept, 0 attacked, 0 cells not protected'
    """
    found = verdicts(Evidence(adjusted.values, table, adjusted), promises, CHECKS)
    inferred = infer(table, adjusted, run or RunContext())
    accepted = len({each.cell for each in inferred.failures}) if insist else 0
    failures = () if insist else inferred.failures
    warnings = tuple(_warnings(table, adjusted, inferred, accepted, "adds-up" in promises))
    return AdjustedAudit(
        table=table,
        adjusted=adjusted,
        inferred=inferred,
        verdicts=found,
        failures=failures,
        warnings=warnings,
        accepted=accepted,
    )


def require_safe(audit: AdjustedAudit) -> AdjustedAudit:
    """The audit itself where all is well; an error, without any figure of the table, where it is not."""
    if broken := faults(audit.verdicts):
        raise VerificationError(
            f"Audit: the adjusted table does not keep its promises ({broken}). It is refused."
        )
    if audit.failures:
        first = audit.failures[0]
        raise VerificationError(
            f"Audit: {audit.exposed} cells of the adjusted table give too much away (first: "
            f"{' / '.join(first.labels)}, {first.reason}). Adjust more (a larger base, more noise), or "
            "accept it, which is recorded (insist). Nothing was written."
        )
    return audit


def _warnings(
    table: Table, adjusted: Adjusted, inferred: Inferred, accepted: int, additive: bool
) -> Iterable[DisclosureWarning]:
    if np.array_equal(adjusted.values, table.values):
        text = "No value was changed: what would be published is the true table."
        yield DisclosureWarning("nothing-changed", text, table.n, "Choose a larger base, or another method.")
    if not table.judged and not table.frequency:
        text = (
            f"No rule, status or mark says which of {table.n} cells are sensitive: of none was it asked "
            "whether it stays open enough."
        )
        yield DisclosureWarning("nothing-judged", text, table.n, "Name rules, or mark the sensitive cells.")
    if accepted:
        text = f"{accepted} cells give more away than their levels allow, which was insisted on."
        yield DisclosureWarning(
            "levels-not-kept", text, accepted, "Adjust more: a larger base, or more noise."
        )
    if adjusted.relaxed:
        text = f"Wider than asked for: {adjusted.relaxed}. All sums hold."
        yield DisclosureWarning(
            "relaxed", text, 1, "Give it more time, merge labels, or publish fewer dimensions."
        )
    if not additive:
        off = int((np.abs(table.relations.residuals(adjusted.values)) > 0).sum())
        text = f"{off} of {len(table.relations)} sums are no longer those of their parts."
        yield DisclosureWarning(
            "additivity-lost", text, off, "Say so where the table is published, as the note does."
        )
    if adjusted.drawn and adjusted.terms.keys is not None:
        text = (
            f"The keys of {adjusted.drawn} cells were drawn for this table alone: in another table the same "
            "cells get other noise, and the mean of both is nearer the truth."
        )
        advice = "Keep a column of keys with the records, and make every table with it."
        yield DisclosureWarning("keys-drawn", text, adjusted.drawn, advice)
    if adjusted.terms.noise is not None and inferred.pinned:
        text = f"{inferred.pinned} small counts have one possible value for whoever adds up true counts."
        yield DisclosureWarning(
            "counts-pinned", text, inferred.pinned, "Raise the noise, or publish fewer sums."
        )
    if adjusted.terms.flex is not None and (inside := _close(table, adjusted)):
        text = f"{inside} sensitive cells are published within their protection levels; nobody knows which."
        yield DisclosureWarning(
            "inside-intervals", text, inside, "Raise the share, or move them by the method cta."
        )


def _close(table: Table, adjusted: Adjusted) -> int:
    moved = adjusted.values - table.values
    return int((table.primary & (moved < table.upper) & (moved > -table.lower)).sum())


def _not_all(evidence: FileEvidence) -> str | None:
    missing = int(evidence.seen.withheld.sum())
    return f"read back, {missing} cells are withheld" if missing else None


def _others(evidence: FileEvidence) -> str | None:
    wrong = int(differs(evidence.seen.values, evidence.claim.adjusted.values).sum())
    return f"read back, {wrong} values are not those that were audited" if wrong else None


def _promises_broken(evidence: FileEvidence) -> str | None:
    claim = evidence.claim
    promises = [each.guarantee for each in claim.audit.verdicts]
    on_file = verdicts(Evidence(evidence.seen.values, claim.table, claim.adjusted), promises, CHECKS)
    return faults(on_file) or None


def _not_attacked(evidence: FileEvidence) -> str | None:
    audit = evidence.claim.audit
    if audit.adjusted is not evidence.claim.adjusted:
        return "the audit was of other values"
    return None if audit.safe else f"{audit.exposed} cells give too much away"


FILE_CHECKS: dict[str, Check[FileEvidence]] = {
    "cells-published": Check("The file shows a value for every cell.", _not_all),
    "nothing-besides": NOTHING_BESIDES,
    "values-audited": Check("Every published value is the one that was audited, to 15 digits.", _others),
    "promises-on-file": Check("What the method promises holds of the values as written.", _promises_broken),
    "truth-attacked": Check("The true values were attacked, and none gives too much away.", _not_attacked),
}


@dataclass(frozen=True, repr=False)
class AdjustmentClaim(TableClaim):
    """What is said of an adjusted table: these values, and this came of attacking them. Confidential."""

    checks: ClassVar[Mapping[str, Check[FileEvidence]]] = FILE_CHECKS

    adjusted: Adjusted
    audit: AdjustedAudit
    linked: tuple[Part, ...] = ()

    @property
    def outcome(self) -> Adjusted:
        return self.adjusted

    @property
    def meant(self) -> Floats:
        return self.adjusted.values

    def shown(self, part: Part) -> Shown:
        return Shown.of_values(part.table, self.adjusted.values[part.cells])
