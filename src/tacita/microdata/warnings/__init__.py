"""Where the promise of k is thinner than it sounds: one small function per weakness, each with a count."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from functools import partial

from tacita.core import Caution, Report
from tacita.core.results.inferred_cells import Determined
from tacita.core.results.plot_data import Estimate
from tacita.core.results.score import Files
from tacita.core.results.uniqueness import Uniqueness
from tacita.core.results.warning_severity import gravest_first
from tacita.microdata.protection.protect import Protected
from tacita.microdata.protection.steps import Made

from . import (
    accepted_risks,
    groups,
    maskings,
    suppressed,
    synthesis,
    units,
    unmasked_columns,
    usefulness,
    values,
)
from .not_promised import not_promised, promises_withdrawn
from .usefulness import as_they_were

__all__ = ["as_they_were", "find", "not_promised"]


def find(
    made: Made,
    uniqueness: Uniqueness,
    files: Files,
    report: Report,
    estimates: Sequence[Estimate],
    inferred: Sequence[Determined] = (),
    *,
    shuffled: bool,
) -> tuple[Caution, ...]:
    """All that apply to one release, the gravest first: to the file as it is, and to what each step made that
    still stands.

    `files` and `report` are those after the last step, `estimates` of the population where it has weights;
    `inferred` is what the verifier found to follow of hidden cells.
    """
    whole = made.whole
    # a recoding or coding publishes what it says, and shows in what is unique
    plain = ("recoding", "generalisation", "coding", "withholding", "dropping")
    parts = {at: _shown(each, made) for at, each in made.standing.items() if each.method.kind not in plain}
    changed = {name for step in made.steps for name in step.columns}
    emptied = [caution for each in made.standing.values() for caution in suppressed.much_withheld(each)]

    def of_steps(
        finder: Callable[[Protected], Iterator[Caution]], synthetic: bool | None = None
    ) -> Iterator[Caution]:
        for number, part in parts.items():
            if synthetic in (None, part.method.kind == "synthesis"):
                for caution in finder(part):
                    yield caution if not made.stages else _of_step(caution, number, made)

    finders = (
        accepted_risks.guessable_seed(whole),
        suppressed.given_back(inferred),
        promises_withdrawn(made),
        suppressed.records_left_out(made),
        usefulness.changed(made),
        usefulness.one_value_left(made),
        usefulness.little_left(made, files, report),
        usefulness.relations_lost(report),
        usefulness.estimates_moved(made, estimates),
        of_steps(suppressed.values_suppressed),
        suppressed.keys_withheld(made),
        iter(emptied),
        *(accepted_risks.alone_by_keys(each) for each in made.standing.values()),
        unmasked_columns.unique_combinations(whole, uniqueness),
        unmasked_columns.nearly_unique(uniqueness),
        unmasked_columns.skipped(whole),
        units.unit_released(whole),
        units.units_merged(whole),
        unmasked_columns.pseudonyms(made),
        units.no_longer_alike(made),
        unmasked_columns.recomputable(whole),
        unmasked_columns.index(whole),
        unmasked_columns.row_order(whole, shuffled),
        of_steps(groups.zero_variance),
        *(of_steps(finder, synthetic=False) for finder in _OF_MASKINGS),
        of_steps(partial(synthesis.beside_synthetic, changed=changed), synthetic=True),
        *(of_steps(finder, synthetic=True) for finder in _OF_SYNTHESIS),
        of_steps(values.true_records),
        of_steps(values.rounding_restores),
        of_steps(values.impossible_values),
        of_steps(values.broken_relations),
        of_steps(units.unit_unused),
        of_steps(groups.constant_columns),
        of_steps(groups.codes_averaged),
        of_steps(groups.unrounded_integers),
        of_steps(groups.homogeneous),
        of_steps(groups.thin_strata),
        unmasked_columns.formulas(whole),
    )
    return gravest_first(caution for found in finders for caution in found)


_OF_MASKINGS = (
    maskings.singled_out,
    maskings.cells_kept,
    maskings.extremes_reproduced,
    maskings.rare_categories,
    maskings.likely_unchanged,
    maskings.not_swapped,
)
_OF_SYNTHESIS = (
    synthesis.values_near,
    synthesis.extremes_near,
    synthesis.exact_moments,
    synthesis.membership_open,
    synthesis.copies,
    synthesis.rare_values,
    synthesis.levels_lost,
)


def _shown(part: Protected, made: Made) -> Protected:
    """A step with the columns that are released in the end: identifiers leave after the last one."""
    there = [name for name in part.data.columns if name in made.data.columns]
    if len(there) == len(part.data.columns):
        return part
    return replace(part, data=part.data.with_frame(part.data.frame.select(there)))


def _of_step(caution: Caution, number: int, made: Made) -> Caution:
    return replace(caution, text=f"Step {number} ({'+'.join(made.steps[number - 1].names)}): {caution.text}")
