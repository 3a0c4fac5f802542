"""The independent verifier: does a finished release keep its promises?

It shares no code with the methods. It reads the released cells from the frame or from the bytes of the file,
groups them again, and compares them with the originals by the rows that the claim states. There is one check
for each named guarantee.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property

from tacita.core import DataError, InferenceError, Microdata
from tacita.core.results.release import DECLARED, Claim
from tacita.core.results.verdicts import Check, Verdict, faults, verdicts
from tacita.core.results.verdicts import require_passed as require_all_passed
from tacita.core.spec.setting_syntax import accepting
from tacita.io.formats.record_format import RecordFormat

from . import (
    categories,
    checks,
    dropping,
    file_metadata,
    generalisation,
    hidden_content,
    inference,
    local_suppression,
    maskings,
    membership,
    mixed,
    optimum,
    pram,
    pseudonyms,
    recoding,
    record_swapping,
    restrictions,
    rounding_attack,
    synthesis,
)
from .evidence import Evidence
from .type_restoration import restored

__all__ = ["ALWAYS", "CHECKS", "Check", "Evidence", "WrittenFile", "require_passed", "verify", "verify_file"]


CHECKS: dict[str, Check[Evidence]] = {
    "columns-kept": Check(
        "No identifier is released; all other columns are, in their order.", checks.columns_kept
    ),
    "rows-complete": Check(
        "Every record is released exactly once, or dropped by a rule.", checks.rows_complete
    ),
    "others-identical": Check(
        "Columns that no step changes are identical to the last bit.", checks.others_identical
    ),
    "no-leftovers": Check(
        "No category list, dictionary, empty slot or metadata contains a value that no record has.",
        hidden_content.no_leftovers,
    ),
    "identifiers-replaced": Check(pseudonyms.PROMISE, pseudonyms.identifiers_replaced),
    "groups-of-k": Check(
        "Every combination of quasi-identifiers occurs at least k times in its stratum.", checks.groups_of_k
    ),
    "k-units": Check("Every group has records of at least k distinct units.", checks.k_units),
    "group-means": Check(
        "Every published value is the mean of the originals of its group, to the last bit and digit.",
        checks.group_means,
    ),
    "group-categories": Check(
        "Every published category is the lower median (ordinal) or mode (nominal) of its group, or the next "
        "best if fewer than k records (k units, if units are named) have that combination.",
        categories.group_categories,
    ),
    "suppressed-cells": Check(
        "Only values that are missing in the originals or suppressed by a rule are missing, and at least k "
        "records (k units, if units are named) of a stratum miss the same columns.",
        local_suppression.suppressed_cells,
    ),
    "masked-cells": Check(
        "Masked columns have numbers (whole ones if rounding was requested) or categories of the originals, "
        "and the missing values of the originals (unless missing was drawn as a category).",
        checks.masked_cells,
    ),
    "column-groups": Check(
        "In each masked column, every value occurs at least k times in its stratum.",
        checks.column_groups,
    ),
    "column-units": Check(
        "In each masked column, every value occurs in at least k distinct units.",
        checks.column_units,
    ),
    "column-means": Check(
        "Every published value is the mean of the originals of its column that it replaces, to the last bit.",
        checks.column_means,
    ),
    "marginals-preserved": Check(
        "In each stratum, each masked column has the original values, each as often as before.",
        maskings.marginals_preserved,
    ),
    "moments-preserved": Check(
        "In each stratum, means and covariances of masked columns equal those of the originals, to 1e-12.",
        maskings.moments_preserved,
    ),
    "ranks-near": Check(
        "Every published value comes from a rank at most p percent of the stratum away.", maskings.ranks_near
    ),
    "bounds-kept": Check("No published value is outside the declared bounds.", maskings.bounds_kept),
    "noise-independent": Check(
        "In each stratum, the noise of each masked column has the declared variance, by a statistical test.",
        maskings.noise_independent,
    ),
    "noise-correlated": Check(
        "In each stratum, noise has alpha times the covariance of the originals, by a statistical test.",
        maskings.noise_correlated,
    ),
    "drawn-from-matrix": Check(
        "Every category was drawn with the probabilities of the declared matrix, by a statistical test, and "
        "none has probability zero.",
        pram.drawn_from_matrix,
    ),
    "expected-frequencies": Check(
        "In each stratum, the matrix preserves the expected frequencies of categories, to 1e-12.",
        pram.expected_frequencies,
    ),
    "swapped-in-pairs": Check(
        "Every unit keeps its regions or was swapped with one other of the same profile and stratum.",
        record_swapping.swapped_in_pairs,
    ),
    "profiles-kept": Check(
        "In every region of every level, the counts of records by the columns common to all profiles, and of "
        "units by size, equal those of the originals.",
        record_swapping.profiles_kept,
    ),
    "swapped-as-stated": Check(
        "Every unit at risk was moved to another area, and as many units as stated were swapped, unless no "
        "unit of the same profile was left in another area.",
        record_swapping.swapped_as_stated,
    ),
    "rounding-withstood": Check(
        "Rounding published values to the decimals of the originals restores, beyond chance, at most half of "
        "the originals of a column, and at most a fifth of all records.",
        rounding_attack.rounding_withstood,
    ),
    "synthetic-cells": Check(
        "Dependent columns have numbers, written to the last digit, or categories of the originals, and no "
        "missing values unless missing was drawn as a category.",
        synthesis.synthetic_cells,
    ),
    "values-changed": Check(
        "In each stratum, at most the stated share of values of a dependent column is within a thousandth of "
        "its spread of the original.",
        synthesis.values_changed,
    ),
    "means-preserved": Check(
        "In each stratum, means of dependent columns equal those of the originals, to 1e-12 of their spread.",
        synthesis.means_preserved,
    ),
    "covariances-preserved": Check(
        "In each stratum, covariances of dependent columns, with each other and with independent ones, equal "
        "those of the originals, to 1e-12.",
        synthesis.covariances_preserved,
    ),
    "coefficients-preserved": Check(
        "In each stratum, the regression of dependent on independent columns has the normal equations, and "
        "so the coefficients, of the originals, to 1e-12.",
        synthesis.coefficients_preserved,
    ),
    "linear-relations": Check(
        "Sums and other linear relations of dependent and independent columns that hold in the originals of "
        "a stratum hold in the release, to 1e-9 of the spread.",
        synthesis.linear_relations,
    ),
    "values-redrawn": Check(
        "In each stratum, at most the stated share of values of a dependent column is unchanged beyond "
        "chance, and at most a fifth of all records.",
        mixed.values_redrawn,
    ),
    "extremes-hidden": Check(
        "In each stratum, no number is beyond the mean of the k smallest or of the k largest originals of "
        "its column (one of each unit, if units are named), unless a rule determines it.",
        mixed.extremes_hidden,
    ),
    "labels-shared": Check(
        "In each stratum, every published category, missing included, occurs in at least k originals (k "
        "units, if units are named), unless a rule determines it.",
        mixed.labels_shared,
    ),
    "membership-bounded": Check(
        "In tests on random halves of the units, the method reproduced sample uniques of the half that it "
        "was fitted on at most max_advantage percentage points more often than those of the other (upper end "
        "of a 95 % interval).",
        membership.membership_bounded,
    ),
    "rules-kept": Check(
        "Every record satisfies the declared rules, and none has a combination declared impossible.",
        restrictions.rules_kept,
    ),
    "edits-kept": Check(
        "Every record with values in all columns of a declared edit satisfies it, sums to 1e-9 of the terms.",
        restrictions.edits_kept,
    ),
    "recoded": Check(
        "Records with the same value of a recoded column still share one, and missing values are missing.",
        recoding.recoded,
    ),
    "recoded-by-map": Check(
        "Every value of a recoded column is that of the declared map for the original.",
        recoding.recoded_by_map,
    ),
    "recoded-by-level": Check(
        "Every value of a recoded column is that of its hierarchy for the original at the declared level.",
        recoding.recoded_by_level,
    ),
    "recoded-by-breaks": Check(
        "Every value of a recoded column is the interval of declared breaks that contains the original.",
        recoding.recoded_by_breaks,
    ),
    "k-anonymous": Check(
        "Every combination of keys (of m keys, if m was set) occurs in at least k records of its stratum (k "
        "units, if units are named); a missing key counts as a value.",
        generalisation.k_anonymous,
    ),
    "generalised": Check(
        "Every key is published unchanged, as an ancestor in its hierarchy, or as a range that contains it.",
        generalisation.generalised,
    ),
    "models-hold": Check(
        "Every class of equal keys satisfies the declared models of confidential columns and of the "
        "population (counted in units, if units are named), and the file satisfies those of the whole file.",
        generalisation.models_hold,
    ),
    "few-suppressed": Check(
        "No more records are suppressed than the declared share.", generalisation.few_suppressed
    ),
    "levels-as-told": Check(
        "Each key is published at one declared level of its hierarchy, and only records of classes that "
        "violate a model are suppressed.",
        optimum.levels_as_declared,
    ),
    "optimum-proven": Check(
        "No other allowed levels cost less by the declared quality measure: the proof was replayed.",
        optimum.optimum_proven,
    ),
    "coded": Check(
        "Coded columns have numbers (whole ones if rounding was requested) and the missing values of the "
        "originals.",
        checks.masked_cells,
    ),
    "top-coded": Check(
        "Numbers up to the limit equal the originals, and all above it are one number, as declared.",
        recoding.top_coded,
    ),
    "bottom-coded": Check(
        "Numbers down to the limit equal the originals, and all below it are one number, as declared.",
        recoding.bottom_coded,
    ),
    "rounded-to-base": Check(
        "Every number is a multiple of the base: the nearest to the original, or one of the two around it.",
        recoding.rounded_to_base,
    ),
    "only-withheld": Check(
        "Every cell of the keys is the original or empty; only missing and suppressed cells are empty, and "
        "they cannot be distinguished.",
        local_suppression.only_suppressed,
    ),
    "k-anonymous-to-all": Check(
        "In each stratum, every original combination of keys (of m keys, if m was set) agrees with at least "
        "k released records in all cells in which both have a value, and every released one with at least k "
        "original records (of k units, if units are named).",
        local_suppression.k_anonymous_to_all,
    ),
    "dropped": Check(
        "The columns to drop are removed, and the remaining records are in their order, unless records were "
        "shuffled.",
        dropping.dropped,
    ),
    "dropped-by-condition": Check(
        "Exactly the records whose original values meet the declared condition are removed.",
        dropping.dropped_by_condition,
    ),
    inference.NAME: Check(
        "Suppressed or changed values cannot be inferred from other released columns, or inferred ones leave "
        "at most a hundredth of the protected records in classes of fewer than k (without a k: at most half "
        "of a column can be inferred).",
        inference.withstands_inference,
    ),
    "units-agree": Check(
        "Records of one unit have the same values in the columns protected by unit.", recoding.units_agree
    ),
    "file-plain": Check(
        "The file can be read back and contains only names, cells, and labels that cells use.",
        file_metadata.nothing_but_cells,
    ),
    "file-written-again": Check(
        "The file can be read back, and writing only its names and cells again gives the same bytes; no "
        "other reader checked it.",
        file_metadata.written_again,
    ),
}

# The accepted risk that other columns determine protected cells.
GIVEN_BACK = inference.ACCEPTED

# Promises about written files only.
OF_FILES = ("file-plain", "file-written-again")

# Promised by every release of microdata, whatever the method.
ALWAYS = ("columns-kept", "rows-complete", "others-identical", "no-leftovers")

# If units are named, a promise of k records is one of k units too.
_OF_UNITS = {"groups-of-k": "k-units", "column-groups": "column-units"}

# Steps with one of these publish coarser or fewer originals and nothing else.
_COARSER = frozenset(("recoded", "generalised", "coded", "only-withheld", "dropped"))

# Checked for each of several steps in addition to its promises.
_OF_A_STEP = ("rows-complete", "others-identical")

# Without the right columns and rows the other checks would compare wrong cells.
_FIRST = ("columns-kept", "rows-complete")


def verify(released: Microdata, claim: Claim, *, finished: bool = True) -> tuple[Verdict, ...]:
    """Try to refute every promise of a release. O(n d + n log n).

    Inference from other columns is checked for a `finished` file only: a later step may remove columns.
    """
    return _verdicts(Evidence(released=released, claim=claim), finished=finished)


def require_passed(results: tuple[Verdict, ...], *, to_look_at: bool = False) -> tuple[Verdict, ...]:
    """The verdicts if all promises hold; raises otherwise, and nothing may be written.

    Cells that other columns determine are a fault of the data, all others are faults of the program. The
    former are returned among the verdicts if the release is only `to_look_at`.
    """
    failed = [verdict for verdict in results if not verdict.passed]
    if failed and all(verdict.inferred for verdict in failed):
        if to_look_at:
            return results
        refusal = InferenceError(
            f"Other columns of the release determine protected values, so it was not written: "
            f"{faults(results)}. "
            f"{inference.advice(failed)} Or {accepting(GIVEN_BACK)}.",
            determined=[cells for verdict in failed for cells in verdict.inferred],
        )
        refusal.accepted_as = GIVEN_BACK
        raise refusal
    return require_all_passed(results)


def verify_frame(released: Microdata, claim: Claim) -> tuple[Verdict, ...]:
    """Try to refute the promises about a frame itself; those about cells are checked on its file."""
    return verdicts(
        Evidence(released=released, claim=claim), ("columns-kept", "no-leftovers"), CHECKS, _FIRST
    )


@dataclass(frozen=True, repr=False)
class WrittenFile:
    """The bytes of a file to write, and the records that its format reads back from them, once."""

    content: bytes
    form: RecordFormat
    name: str = "release"

    @cached_property
    def decoded(self) -> Microdata:
        """The records as the format reads them; raises if it cannot."""
        return self.form.decode(self.content, self.name)

    def records(self, claim: Claim) -> Microdata:
        """The records in the types and spellings of the claim."""
        out_of_text = claim.original.dialect is not None and not self.form.spells
        plain = self.form.keeps_types and not out_of_text
        return self.decoded if plain else restored(self.decoded, claim)


def verify_file(written: WrittenFile, claim: Claim) -> tuple[Verdict, ...]:
    """Try to refute every promise of a release from the bytes to be written."""
    name = file_metadata.promise_of(written.form)
    try:
        decoded = written.decoded
    except DataError:
        return (
            Verdict(
                guarantee=name,
                promise=CHECKS[name].promise,
                passed=False,
                detail="the bytes cannot be read back as records",
            ),
        )
    evidence = Evidence(
        released=written.records(claim), claim=claim, content=written.content, form=written.form, read=decoded
    )
    return _verdicts(evidence, name)


def _verdicts(evidence: Evidence, *more: str, finished: bool = True) -> tuple[Verdict, ...]:
    claim = evidence.claim
    always = (*ALWAYS, *pseudonyms.promised(claim, finished=finished))
    if not claim.steps:
        names = (*always, *_promised(claim), *_inference(claim, finished), *more)
        return _with_inferred(verdicts(evidence, names, CHECKS, _FIRST), evidence)
    results = list(verdicts(evidence, (*always, *more), CHECKS, _FIRST))
    masked: frozenset[str] = frozenset()
    for number, step in enumerate(claim.steps, 1):
        # columns of other steps and the file as a whole are checked above and with those steps
        part = Evidence(released=evidence.released, claim=step, content=evidence.content, masked=masked)
        masked |= frozenset(() if _COARSER & set(step.guarantees) else step.original.quasi)
        rows = verdicts(part, _OF_A_STEP, CHECKS) if step.representing is None else ()
        agree = verdicts(part, ["units-agree"], CHECKS) if step.representing is not None else ()
        # inference may use every record of a unit
        inferred = _with_inferred(verdicts(part, _inference(step, finished), CHECKS), part)
        promised = verdicts(part.representing(), _promised(step), CHECKS)
        for verdict in (*rows, *agree, *promised, *inferred):
            promise = verdict.promise + _except_empty(step, verdict)
            results.append(replace(verdict, step=number, promise=promise))
    return tuple(results)


def _inference(claim: Claim, finished: bool) -> list[str]:
    """The promise that protected values cannot be inferred, if some were protected."""
    if not finished or inference.ACCEPTED in claim.accepted_risks:
        return []
    return [inference.NAME] if inference.speaks_of(claim.guarantees) else []


def _with_inferred(results: Sequence[Verdict], evidence: Evidence) -> tuple[Verdict, ...]:
    """The verdicts; the one on inference lists the cells that other columns determine."""
    if any(verdict.guarantee == inference.NAME for verdict in results):
        # empty if inference could not be checked
        cells = evidence.inferred[0] if evidence.inferred else ()
        return tuple(
            replace(verdict, inferred=cells) if verdict.guarantee == inference.NAME else verdict
            for verdict in results
        )
    return tuple(results)


# Promises of a step that cells emptied by later steps do not affect.
_OF_ALL_CELLS = frozenset((*_OF_A_STEP, "units-agree", "k-anonymous-to-all", "only-withheld", inference.NAME))


def _except_empty(step: Claim, verdict: Verdict) -> str:
    """The exception to a promise about values if a later step suppressed cells."""
    if step.emptied is None or verdict.guarantee in _OF_ALL_CELLS:
        return ""
    return " Cells suppressed by a later step are excepted."


def _promised(claim: Claim) -> list[str]:
    """The promises of a claim, and those that they imply."""
    roles, promised = claim.original.roles, claim.guarantees
    has_units = roles is not None and roles.unit is not None
    units = [_OF_UNITS[name] for name in promised if name in _OF_UNITS] if has_units else []
    # with the means of numeric columns, the categories of others are promised
    of_means = roles is not None and roles.categorical and "group-means" in promised
    categories_of_groups = ["group-categories"] if of_means else []
    # values without groups of k must have been changed, whatever the method promises
    changed_later = bool(claim.touched) or claim.dropped_later.size > 0
    exempt = DECLARED & set(promised) or (changed_later and not promised)
    # categories cannot be rounded
    exempt = exempt or "numeric" not in claim.original.scales
    rounding = (
        ["rounding-withstood"] if not exempt and "rounding-restores" not in claim.accepted_risks else []
    )
    # suppressed cells are accounted for unless another step changes the columns
    accounted = "only-withheld" in promised or claim.dropped_later.size > 0
    kept = claim.suppressed is not None and not accounted and not claim.touched & set(claim.original.quasi)
    suppressed = ["suppressed-cells"] if kept else []
    return list(dict.fromkeys((*promised, *categories_of_groups, *units, *rounding, *suppressed)))
