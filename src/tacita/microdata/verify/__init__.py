"""The independent verifier: does a finished release keep what it promises?

It shares no code with the methods. It looks at the released cells as they stand in the frame or in the
bytes of the file, groups them afresh, and compares with the original through the claim of which row came
from which. One check per named guarantee.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property

from tacita.core import DataError, InferenceError, Microdata
from tacita.core.results.release import DECLARED, Claim
from tacita.core.results.verdicts import Check, Verdict, faults, verdicts
from tacita.core.results.verdicts import insist as insist_on_all
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

__all__ = ["ALWAYS", "CHECKS", "Check", "Evidence", "WrittenFile", "insist", "verify", "verify_file"]


CHECKS: dict[str, Check[Evidence]] = {
    "columns-kept": Check(
        "No identifier is left; all other columns are there, in order.", checks.columns_kept
    ),
    "rows-complete": Check(
        "Every record is released exactly once (or dropped by rule).", checks.rows_complete
    ),
    "others-identical": Check(
        "Columns that were not to be changed are the same to the last bit.", checks.others_identical
    ),
    "no-leftovers": Check(
        "No category, dictionary, hidden slot or metadata remembers what no record has.",
        hidden_content.no_leftovers,
    ),
    "identifiers-replaced": Check(pseudonyms.PROMISE, pseudonyms.identifiers_replaced),
    "groups-of-k": Check(
        "Every distinct row of quasi-identifiers stands at least k times in its stratum.", checks.groups_of_k
    ),
    "k-units": Check("Every group holds records of at least k distinct units.", checks.k_units),
    "group-means": Check(
        "Every published value is the mean of the originals it stands for, to the last bit and letter.",
        checks.group_means,
    ),
    "group-categories": Check(
        "Every published category is the lower median (ordinal) or mode (nominal) of its group, or the next "
        "best where that combination is the record of fewer than k (of fewer than k units, where they are "
        "named).",
        categories.group_categories,
    ),
    "suppressed-cells": Check(
        "Beside what the originals miss, only values suppressed by rule are missing, and at least k records "
        "(k units, where they are named) of a stratum miss the same columns.",
        local_suppression.suppressed_cells,
    ),
    "masked-cells": Check(
        "Masked columns hold numbers, whole where rounding was asked for, or categories of the originals, "
        "and miss what the originals miss (unless missing was drawn as a category).",
        checks.masked_cells,
    ),
    "column-groups": Check(
        "In each masked column by itself, every value stands at least k times in its stratum.",
        checks.column_groups,
    ),
    "column-units": Check(
        "In each masked column by itself, every value stands for at least k distinct units.",
        checks.column_units,
    ),
    "column-means": Check(
        "Every published value is the mean of those of its column that it stands for, to the last bit.",
        checks.column_means,
    ),
    "marginals-preserved": Check(
        "In each stratum, each masked column holds the original values, each as often as before.",
        maskings.marginals_preserved,
    ),
    "moments-preserved": Check(
        "In each stratum, means and covariances of the masked columns are those of the originals, to 1e-12.",
        maskings.moments_preserved,
    ),
    "ranks-near": Check(
        "Every published value comes from a rank at most p percent of the stratum away.", maskings.ranks_near
    ),
    "bounds-kept": Check("No published value lies beyond the bounds that were given.", maskings.bounds_kept),
    "noise-independent": Check(
        "In each stratum, each masked column carries noise of the declared size, as far as chance can tell.",
        maskings.noise_independent,
    ),
    "noise-correlated": Check(
        "In each stratum, noise has alpha times the covariance of the originals, as far as chance can tell.",
        maskings.noise_correlated,
    ),
    "drawn-from-matrix": Check(
        "Every category was drawn from the probabilities that the declared matrix gives, as far as chance "
        "can tell, and none that has probability nought.",
        pram.drawn_from_matrix,
    ),
    "expected-frequencies": Check(
        "In each stratum, the matrix leaves expected frequencies of categories what they were, to 1e-12.",
        pram.expected_frequencies,
    ),
    "swapped-in-pairs": Check(
        "Every unit has its own regions or changed places with one other of the same profile and stratum.",
        record_swapping.swapped_in_pairs,
    ),
    "profiles-kept": Check(
        "In every region of every level, counts of records by the columns that all profiles share, and of "
        "units by size, are those of the originals.",
        record_swapping.profiles_kept,
    ),
    "swapped-as-stated": Check(
        "Every unit at risk left its area, and as many units as stated changed places, unless no other of "
        "the same profile was left in another area.",
        record_swapping.swapped_as_stated,
    ),
    "rounding-withstood": Check(
        "Rounded as the originals are written, published values give back no more than half of the originals "
        "that chance would not, in any column, and no more than a fifth of all records.",
        rounding_attack.rounding_withstood,
    ),
    "synthetic-cells": Check(
        "Dependent columns hold numbers, written to the last digit, or categories of the originals, and none "
        "is missing unless what is missing was drawn like any other value.",
        synthesis.synthetic_cells,
    ),
    "values-changed": Check(
        "In each stratum, no more values of a dependent column than stated come out within a thousandth of "
        "its spread.",
        synthesis.values_changed,
    ),
    "means-preserved": Check(
        "In each stratum, means of dependent columns are those of the originals, to 1e-12 of their spread.",
        synthesis.means_preserved,
    ),
    "covariances-preserved": Check(
        "In each stratum, covariances of dependent columns, among each other and with independent ones, are "
        "those of the originals, to 1e-12.",
        synthesis.covariances_preserved,
    ),
    "coefficients-preserved": Check(
        "In each stratum, the regression of dependent on independent columns has the normal equations of the "
        "originals, to 1e-12, and so their coefficients.",
        synthesis.coefficients_preserved,
    ),
    "linear-relations": Check(
        "Sums and other linear relations of dependent and independent columns that hold in the originals of "
        "a stratum hold in the release, to 1e-9 of the spread.",
        synthesis.linear_relations,
    ),
    "values-redrawn": Check(
        "In each stratum, of the values of a dependent column that chance would not give back, no larger "
        "share than stated comes out unchanged, and no more than a fifth of all records.",
        mixed.values_redrawn,
    ),
    "extremes-hidden": Check(
        "In each stratum, no number lies beyond the mean of the k smallest or of the k largest originals of "
        "its column (one of each unit, where they are named), unless a rule gives it.",
        mixed.extremes_hidden,
    ),
    "labels-shared": Check(
        "In each stratum, every published category, and what is missing, was that of at least k originals "
        "(k units, where they are named), unless a rule gives it.",
        mixed.labels_shared,
    ),
    "membership-bounded": Check(
        "Tried on random halves of the units, the method gave back unique records of the half that it was "
        "fitted on at most max_advantage percentage points more often than of the other (upper end of a 95 % "
        "interval).",
        membership.membership_bounded,
    ),
    "rules-kept": Check(
        "Every record keeps the declared rules, and none is a combination that never occurs.",
        restrictions.rules_kept,
    ),
    "edits-kept": Check(
        "Every record that has all columns of a declared edit keeps it, sums to 1e-9 of their terms.",
        restrictions.edits_kept,
    ),
    "recoded": Check(
        "Records that shared a value of a recoded column share one still, and what was missing is.",
        recoding.recoded,
    ),
    "recoded-by-map": Check(
        "Every value of a recoded column is what the declared map makes of the original.",
        recoding.recoded_by_map,
    ),
    "recoded-by-level": Check(
        "Every value of a recoded column is what its hierarchy has for the original at the declared level.",
        recoding.recoded_by_level,
    ),
    "recoded-by-breaks": Check(
        "Every value of a recoded column is the interval between declared breaks that the original lies in.",
        recoding.recoded_by_breaks,
    ),
    "k-anonymous": Check(
        "Every combination of keys (of m keys, where m was asked for) stands for at least k records of its "
        "stratum (k units, where they are named), a missing key counting as a value.",
        generalisation.k_anonymous,
    ),
    "generalised": Check(
        "Every key is shown as it was, as one above it in its hierarchy, or as a range that it lies in.",
        generalisation.generalised,
    ),
    "models-hold": Check(
        "Every class of equal keys satisfies the declared models of confidential columns and of the "
        "population, counted in units where they are named, and the file those of the whole.",
        generalisation.models_hold,
    ),
    "few-suppressed": Check(
        "No more records are suppressed than the declared share.", generalisation.few_suppressed
    ),
    "levels-as-told": Check(
        "Each key is shown at one declared level of its hierarchy, and only records whose class may not "
        "stand are suppressed.",
        optimum.levels_as_told,
    ),
    "optimum-proven": Check(
        "No other levels that are allowed cost less by the declared quality: the proof was replayed.",
        optimum.optimum_proven,
    ),
    "coded": Check(
        "Coded columns hold numbers, whole where rounding was asked for, and miss what the originals miss.",
        checks.masked_cells,
    ),
    "top-coded": Check(
        "Numbers up to the limit are the originals, and all beyond it are one, as declared.",
        recoding.top_coded,
    ),
    "bottom-coded": Check(
        "Numbers down to the limit are the originals, and all beyond it are one, as declared.",
        recoding.bottom_coded,
    ),
    "rounded-to-base": Check(
        "Every number is a multiple of the base, the nearest to the original or one of the two beside it.",
        recoding.rounded_to_base,
    ),
    "only-withheld": Check(
        "Every cell of the keys is the original or empty; beside what the originals miss, only what was "
        "withheld is empty, and nobody can tell which is which.",
        local_suppression.only_withheld,
    ),
    "k-anonymous-to-all": Check(
        "In each stratum, every original combination of keys (of m keys, where m was asked for) agrees with "
        "at least k released records wherever both have a value, and every released one with at least k "
        "original records; of k units where they are named.",
        local_suppression.k_anonymous_to_all,
    ),
    "dropped": Check(
        "The columns that were to leave are gone, and every record that stayed stands where it did, unless "
        "records were shuffled.",
        dropping.dropped,
    ),
    "dropped-by-condition": Check(
        "Exactly the records that meet the declared condition by their original values are gone.",
        dropping.dropped_by_condition,
    ),
    inference.NAME: Check(
        "What was suppressed or changed does not follow from other released columns, or what follows leaves "
        "every record one of k but a hundredth of those protected (where no k is promised: half of a "
        "column).",
        inference.withstands_inference,
    ),
    "units-agree": Check(
        "Records of one unit show the same in the columns that were protected by unit.", recoding.units_agree
    ),
    "file-plain": Check(
        "The file can be read back and holds nothing but names and cells, and labels that cells bear out.",
        file_metadata.nothing_but_cells,
    ),
    "file-written-again": Check(
        "The file can be read back, and its format writes names and cells alone as the same bytes again; "
        "only the format itself has read it.",
        file_metadata.written_again,
    ),
}

# By this name it is recorded that a release gives back what it hid.
GIVEN_BACK = inference.ACCEPTED

# Promised of a written file alone.
OF_FILES = ("file-plain", "file-written-again")

# Promised by every release of microdata, whatever the method.
ALWAYS = ("columns-kept", "rows-complete", "others-identical", "no-leftovers")

# Where units are named, a promise of k records is one of k units too.
_OF_UNITS = {"groups-of-k": "k-units", "column-groups": "column-units"}

# Steps with one of these show less of the originals, and nothing else.
_COARSER = frozenset(("recoded", "generalised", "coded", "only-withheld", "dropped"))

# Of a step among several, whose columns and file are those of the whole.
_OF_A_STEP = ("rows-complete", "others-identical")

# Without the right columns and rows the other checks would compare the wrong things.
_FIRST = ("columns-kept", "rows-complete")


def verify(released: Microdata, claim: Claim, *, finished: bool = True) -> tuple[Verdict, ...]:
    """Try to refute every promise of a release. O(n d + n log n).

    What columns give away is judged of a `finished` file: a later step may take them out.
    """
    return _verdicts(Evidence(released=released, claim=claim), finished=finished)


def insist(found: tuple[Verdict, ...], *, to_look_at: bool = False) -> tuple[Verdict, ...]:
    """The verdicts, if all promises hold; otherwise an error, and nothing may be written.

    That other columns give back what was hidden lies in the data, all else in the program. The former may
    stand among the verdicts on what is only `to_look_at`.
    """
    failed = [verdict for verdict in found if not verdict.passed]
    if failed and all(verdict.inferred for verdict in failed):
        if to_look_at:
            return found
        refusal = InferenceError(
            f"The release would give back what was hidden and was not written: {faults(found)}. "
            f"{inference.advice(failed)} Or insist (--insist; it is recorded as {inference.ACCEPTED}).",
            found=[each for verdict in failed for each in verdict.inferred],
        )
        refusal.accepted_as = GIVEN_BACK
        raise refusal
    return insist_on_all(found)


def verify_frame(released: Microdata, claim: Claim) -> tuple[Verdict, ...]:
    """Try to refute what is promised of a frame beside its cells, which the bytes of its file stand for."""
    return verdicts(
        Evidence(released=released, claim=claim), ("columns-kept", "no-leftovers"), CHECKS, _FIRST
    )


@dataclass(frozen=True, repr=False)
class WrittenFile:
    """The bytes that a file will have, and what its format reads from them; they are read once."""

    content: bytes
    form: RecordFormat
    name: str = "release"

    @cached_property
    def decoded(self) -> Microdata:
        """The records as the format reads them; raises where it cannot."""
        return self.form.decode(self.content, self.name)

    def records(self, claim: Claim) -> Microdata:
        """The same in the types and words in which a claim speaks of them."""
        out_of_text = claim.original.dialect is not None and not self.form.spells
        plain = self.form.keeps_types and not out_of_text
        return self.decoded if plain else restored(self.decoded, claim)


def verify_file(written: WrittenFile, claim: Claim) -> tuple[Verdict, ...]:
    """Try to refute every promise of a release from the very bytes that would be written."""
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
        alone = verdicts(
            evidence, (*always, *_promised(claim), *_undone(claim, finished), *more), CHECKS, _FIRST
        )
        return _with_inferred(alone, evidence)
    found = list(verdicts(evidence, (*always, *more), CHECKS, _FIRST))
    masked: frozenset[str] = frozenset()
    for number, step in enumerate(claim.steps, 1):
        # the columns of other steps and the file as a whole are spoken of above and by those steps
        part = Evidence(released=evidence.released, claim=step, content=evidence.content, masked=masked)
        masked |= frozenset(() if _COARSER & set(step.guarantees) else step.original.quasi)
        told = verdicts(part, _OF_A_STEP, CHECKS) if step.representing is None else ()
        agree = verdicts(part, ["units-agree"], CHECKS) if step.representing is not None else ()
        # every record of a unit may give it away
        undone = _with_inferred(verdicts(part, _undone(step, finished), CHECKS), part)
        for each in (*told, *agree, *verdicts(part.representing(), _promised(step), CHECKS), *undone):
            found.append(replace(each, step=number, promise=each.promise + _but_for_empty(step, each)))
    return tuple(found)


def _undone(claim: Claim, finished: bool) -> list[str]:
    """The promise that what was hidden is not given back, where something was hidden."""
    if not finished or inference.ACCEPTED in claim.insisted:
        return []
    return [inference.NAME] if inference.speaks_of(claim.guarantees) else []


def _with_inferred(found: Sequence[Verdict], evidence: Evidence) -> tuple[Verdict, ...]:
    """The verdicts, and with the one on inference what was found."""
    if any(each.guarantee == inference.NAME for each in found):
        # where it could not be looked at, nothing was found
        told = evidence.inferred[0] if evidence.inferred else ()
        return tuple(
            replace(each, inferred=told) if each.guarantee == inference.NAME else each for each in found
        )
    return tuple(found)


# Of a step by itself these speak of files and rows, or of gaps as they are.
_OF_ALL_CELLS = frozenset((*_OF_A_STEP, "units-agree", "k-anonymous-to-all", "only-withheld", inference.NAME))


def _but_for_empty(step: Claim, verdict: Verdict) -> str:
    """What a promise of values no longer says where a later step left cells empty."""
    if step.emptied is None or verdict.guarantee in _OF_ALL_CELLS:
        return ""
    return " Cells that a later step left empty apart."


def _promised(claim: Claim) -> list[str]:
    """What a claim promises by name, and what goes with that."""
    roles, promised = claim.original.roles, claim.guarantees
    named = roles is not None and roles.unit is not None
    units = [_OF_UNITS[name] for name in promised if name in _OF_UNITS] if named else []
    # what is promised of means in numeric columns is promised of categories beside them
    of_means = roles is not None and roles.categorical and "group-means" in promised
    middles = ["group-categories"] if of_means else []
    # values that do not hide behind k others must have been changed, whatever the method says
    since = bool(claim.touched) or claim.leaving_later.size > 0
    hiding = DECLARED & set(promised) or (since and not promised)
    # a category has no step to be rounded to
    hiding = hiding or "numeric" not in claim.original.scales
    hidden = ["rounding-withstood"] if not hiding and "rounding-restores" not in claim.insisted else []
    # what is taken away is always accounted for, until another step changes the columns
    told = "only-withheld" in promised or claim.leaving_later.size > 0
    kept = claim.suppressed is not None and not told and not claim.touched & set(claim.original.quasi)
    taken = ["suppressed-cells"] if kept else []
    return list(dict.fromkeys((*promised, *middles, *units, *hidden, *taken)))
