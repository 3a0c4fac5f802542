"""Runs the steps of a plan one after another, and decides which of their promises hold in the release.

A step starts from the result of the step before, and is verified on its own result. Its promises hold in the
finished file unless a later step changed the columns concerned and does not preserve them by construction.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import narwhals as nw
import numpy as np

from tacita.core import DataError, Ints, Mask, Microdata, ParameterError, RecordMethod, Roles, RunContext
from tacita.core.results.release import Claim, LabelMaps, Withdrawn
from tacita.core.spec import registry
from tacita.core.spec.release_options import Missing, ReleaseOptions
from tacita.io.frames import gathered, regathered, without_memory
from tacita.microdata import verify
from tacita.microdata.plans.plan import PlannedStep

from .label_maps import recodings_of
from .prepare import complete_rows
from .protect import ProtectedStep, protect, without_identifiers

# Promises about cells, or about a step itself: they still hold after records are removed.
_OF_ANY_RECORDS = frozenset(
    (
        "recoded",
        "recoded-by-map",
        "recoded-by-level",
        "recoded-by-breaks",
        "coded",
        "top-coded",
        "bottom-coded",
        "rounded-to-base",
        "bounds-kept",
        "generalised",
        "only-withheld",
        "few-suppressed",
        "masked-cells",
        "synthetic-cells",
        "rules-kept",
        "edits-kept",
        "dropped",
        "dropped-by-condition",
    )
)


@dataclass(frozen=True)
class Step:
    """A method with the roles of its columns; with `by_unit` it sees one record of each unit."""

    names: tuple[str, ...]
    method: RecordMethod
    roles: Roles
    missing: Missing
    round_integers: bool
    by_unit: bool = False

    @property
    def columns(self) -> tuple[str, ...]:
        """Columns that it changes."""
        quasi = self.roles.dependent or self.roles.quasi
        assert not isinstance(quasi, str)
        return quasi

    @property
    def dropped(self) -> tuple[str, ...]:
        """Columns that it removes."""
        return self.method.dropped_columns


@dataclass(frozen=True, repr=False)
class PipelineResult:
    """The finished file and its claim, the result of each step, and the file after each step.

    stages      files after each step: the records not yet removed, in the order of the source
    present     the rows of the source in each stage
    withdrawn   promises that a later step broke
    recodings   labels that recodings up to each step gave columns
    """

    data: Microdata
    claim: Claim
    steps: tuple[Step, ...]
    protected: tuple[ProtectedStep, ...]
    stages: tuple[Microdata, ...]
    present: tuple[Ints, ...] = ()
    withdrawn: tuple[Withdrawn, ...] = ()
    recodings: tuple[LabelMaps, ...] = ()

    @property
    def whole(self) -> ProtectedStep:
        """The release as a single step from source to finished file."""
        if not self.stages:
            return self.protected[0]
        nothing = np.empty((self.data.n, 0))
        one = np.zeros(self.data.n, dtype=np.int64)
        return ProtectedStep(
            data=self.data,
            partition=None,
            method=self.protected[-1].method,
            claim=self.claim,
            original=nothing,
            released=nothing,
            strata=one,
        )

    def accepting(self, accepted: tuple[str, ...]) -> PipelineResult:
        """The same with the names of the accepted risks in every claim."""
        steps = tuple(replace(step, accepted_risks=accepted) for step in self.claim.steps)
        protected = tuple(
            replace(part, claim=replace(part.claim, accepted_risks=accepted)) for part in self.protected
        )
        claim = replace(self.claim, accepted_risks=accepted, steps=steps)
        return replace(self, claim=claim, protected=protected)

    @property
    def standing(self) -> dict[int, ProtectedStep]:
        """Results of the steps whose columns no later step changed, by the number of the step."""
        unchanged: dict[int, ProtectedStep] = {}
        touched: set[str] = set()
        for number in range(len(self.steps), 0, -1):
            if not touched & set(self.steps[number - 1].columns):
                unchanged[number] = self.protected[number - 1]
            touched.update(self.steps[number - 1].columns)
        return dict(sorted(unchanged.items()))


def steps_for(data: Microdata, planned: Sequence[PlannedStep]) -> tuple[Step, ...]:
    """The steps of a plan; a step with columns of units and of records is split into two.

    Records are then grouped within the protected values of their units, so that all columns together still
    have groups of k.
    """
    steps: list[Step] = []
    for plan in planned:
        roles = data.with_roles(plan.roles).roles
        assert roles is not None
        method = plan.section.build()
        # recodings keep missing values, and some methods treat them as categories: no policy is needed
        reads_missing = method.kind in registry.CATEGORICAL or method.reads_missing
        needs_no_policy = reads_missing and plan.missing in ("refuse", "merge", "level")
        missing: Missing = "stratum" if needs_no_policy else plan.missing
        step = Step(
            names=plan.section.chain,
            method=method,
            roles=roles,
            missing=missing,
            round_integers=plan.round_integers,
        )
        keeps_units = method.whole_units
        of_unit = [name for name in step.columns if name in roles.unit_columns and not keeps_units]
        if not of_unit or len(of_unit) == len(step.columns):
            steps.append(replace(step, by_unit=bool(of_unit)))
        else:
            steps += _split(step, of_unit)
    return tuple(steps)


def _split(step: Step, of_unit: Sequence[str]) -> list[Step]:
    if step.roles.dependent:
        raise ParameterError(
            f"{step.method.display_name()}: {', '.join(of_unit)} belong to the unit (unit_columns), the "
            "other dependent columns to its records. Draw them in two steps."
        )
    rest = [name for name in step.columns if name not in of_unit]
    strata = step.roles.strata
    # groups of k by each part alone would not be groups of k by both together
    within = strata if step.method.group_size is None else (*strata, *of_unit)
    return [
        replace(step, roles=_roles_of(step.roles, of_unit, strata), by_unit=True),
        replace(step, roles=_roles_of(step.roles, rest, within)),
    ]


def _roles_of(roles: Roles, columns: Sequence[str], strata: Sequence[str]) -> Roles:
    """The roles restricted to some columns."""
    return roles.model_copy(
        update={
            "quasi": tuple(columns),
            "strata": tuple(strata),
            "numeric": tuple(name for name in roles.numeric if name in columns),
            "nominal": tuple(name for name in roles.nominal if name in columns),
            "ordinal": {name: order for name, order in roles.ordinal.items() if name in columns},
        }
    )


def make(data: Microdata, steps: Sequence[Step], run: RunContext, options: ReleaseOptions) -> PipelineResult:
    """Run the steps on a file with roles; the result has the claim that the verifier checks."""
    if len(steps) == 1 and not steps[0].by_unit:
        (step,) = steps
        protected = protect(
            data.with_roles(step.roles),
            step.method,
            run,
            missing=step.missing,
            round_integers=step.round_integers,
            shuffle=options.shuffle,
        )
        recodings = recodings_of(data, steps, (protected.data,), (protected.claim.rows,))
        claim = replace(protected.claim, recodings=recodings[-1])
        return PipelineResult(
            data=protected.data,
            claim=claim,
            steps=(step,),
            protected=(replace(protected, claim=claim),),
            stages=(),
            recodings=recodings,
        )
    return _several(data, steps, run, options)


def _several(
    data: Microdata, steps: Sequence[Step], run: RunContext, options: ReleaseOptions
) -> PipelineResult:
    """Runs each step on the result of the one before; then makes the finished file and its claim."""
    dropping = {name for step in steps if step.missing == "drop" for name in data.with_roles(step.roles).used}
    left_out = tuple(name for name in data.columns if name in dropping)
    kept = complete_rows(data, left_out)
    frame = data if kept.size == data.n else _of(gathered(data.frame, kept), data)
    made: list[ProtectedStep] = []
    claims: list[Claim] = []
    stages: list[Microdata] = []
    present = [kept]
    for number, step in enumerate(steps):
        # steps with the same random stream would add the same noise
        inner = replace(run.branch(number), on_progress=run.on_progress)
        try:
            protected, claim, frame = _run_step(frame, step, inner)
        except (DataError, ParameterError) as error:
            if len(steps) == 1:
                raise
            raise type(error)(f"Step {number + 1}: {error}", fields=error.fields) from None
        # values restored by rounding are refused, or accepted, after the last step
        provisional = replace(claim, accepted_risks=("rounding-restores",))
        verify.require_passed(verify.verify(frame, replace(claim, steps=(provisional,)), finished=False))
        made.append(protected)
        claims.append(claim)
        stages.append(frame)
        present.append(present[-1][claim.rows])
    last, by_step = present[-1], tuple(present[1:])
    order = run.protective_generator().permutation(last.size) if options.shuffle else np.arange(last.size)
    finished = without_identifiers(replace(frame, roles=data.roles), order, options.shuffle)
    plain = nw.from_native(without_memory(finished.to_native()), eager_only=True)
    standing, withdrawn = _standing(claims, steps)
    recodings = recodings_of(data, steps, stages, by_step)
    claim = Claim(
        original=data,
        rows=last[order],
        labels=None,
        k=min((claim.k for claim in claims if claim.k is not None), default=None),
        guarantees=(),
        left_out=left_out,
        dropped_rows=np.setdiff1d(np.arange(data.n), last),
        shuffled=options.shuffle,
        recodings=recodings[-1],
        steps=_finished_claims(data, standing, steps, by_step, last[order], shuffled=options.shuffle),
    )
    return PipelineResult(
        data=_of(plain, data),
        claim=claim,
        steps=tuple(steps),
        protected=tuple(made),
        stages=tuple(stages),
        present=by_step,
        withdrawn=withdrawn,
        recodings=recodings,
    )


def _finished_claims(
    data: Microdata,
    standing: Sequence[Claim],
    steps: Sequence[Step],
    present: Sequence[Ints],
    rows: Ints,
    *,
    shuffled: bool,
) -> tuple[Claim, ...]:
    """The claim of each step about the finished file, whose records are these rows of the source."""
    identifiers = frozenset(data.roles.identifiers) if data.roles else frozenset()
    claims = [
        _restricted(claim, np.searchsorted(stage_rows, rows))
        for claim, stage_rows in zip(standing, present, strict=True)
    ]
    return tuple(
        replace(
            claim,
            touched=identifiers.union(*((*step.columns, *step.dropped) for step in steps[number + 1 :])),
            emptied=_emptied_by(claim, claims[number + 1 :]),
            shuffled=shuffled,
        )
        for number, claim in enumerate(claims)
    )


def _restricted(claim: Claim, chosen: Ints) -> Claim:
    """The claim of a step restricted to some of its records, in another order."""
    later = np.setdiff1d(claim.rows, claim.rows[chosen])
    restricted = replace(
        claim,
        rows=claim.rows[chosen],
        dropped_later=later,
        labels=None if claim.labels is None else claim.labels[chosen],
        suppressed=None if claim.suppressed is None else claim.suppressed[chosen],
    )
    if claim.representing is None or not later.size:
        return restricted
    # if the record that represented its unit was removed, another one represents it
    unit = claim.original.roles.unit if claim.original.roles else None
    assert unit is not None
    rows = np.concatenate([restricted.rows, later, claim.dropped_rows])
    first = np.unique(claim.original.alike(unit).codes[rows], return_index=True)[1]
    return replace(restricted, representing=rows[first])


def _emptied_by(claim: Claim, later: Sequence[Claim]) -> Mask | None:
    """Cells of the columns of a step that later steps claim to have suppressed; None if there are none."""
    names = claim.original.quasi
    emptied = np.zeros((claim.rows.size, len(names)), dtype=bool)
    for later_claim in later:
        if later_claim.suppressed is None:
            continue
        for j, name in enumerate(later_claim.original.quasi):
            if name in names:
                emptied[:, names.index(name)] |= later_claim.suppressed[:, j]
    return emptied if emptied.any() else None


def _of(frame: nw.DataFrame[Any], data: Microdata, roles: Roles | None = None) -> Microdata:
    return Microdata(frame=frame, roles=roles, dialect=data.dialect, source=data.source, whole=data.whole)


def _run_step(frame: Microdata, step: Step, run: RunContext) -> tuple[ProtectedStep, Claim, Microdata]:
    """The result of a step, its claim about all records of the file, and the file after it."""
    # incomplete rows were dropped before the first step; cells that a step suppressed must not drop more
    missing = "refuse" if step.missing == "drop" else step.missing
    # a later step may need identifiers; they are removed at the end
    before = frame.with_roles(step.roles.model_copy(update={"identifiers": ()}))
    if not step.by_unit:
        protected = protect(before, step.method, run, missing=missing, round_integers=step.round_integers)
        return protected, protected.claim, protected.data
    units, first = _units(before, step)
    reduced = _of(gathered(before.frame, first), before, before.roles)
    protected = protect(reduced, step.method, run, missing=missing, round_integers=step.round_integers)
    # with a unit all its records are removed
    stays = ~np.isin(units, protected.claim.dropped_rows)
    rows, dropped = np.flatnonzero(stays), np.flatnonzero(~stays)
    unit_row = np.searchsorted(protected.claim.rows, units[rows])
    remaining = before.frame if not dropped.size else gathered(before.frame, rows)
    spread = regathered(remaining, protected.data.frame, dict.fromkeys(step.columns, unit_row))
    of_units = protected.claim
    claim = replace(
        of_units,
        original=before,
        rows=rows,
        dropped_rows=dropped,
        labels=None if of_units.labels is None else of_units.labels[unit_row],
        suppressed=None if of_units.suppressed is None else of_units.suppressed[unit_row],
        representing=first,
    )
    plain = nw.from_native(without_memory(spread.to_native()), eager_only=True)
    return replace(protected, left=dropped.size), claim, _of(plain, before)


def _units(data: Microdata, step: Step) -> tuple[Ints, Ints]:
    """The unit of each record and the first record of each unit; raises if a column differs in a unit."""
    unit = step.roles.unit
    assert unit is not None
    if absent := int(data.missing(unit).sum()):
        raise DataError(
            f"{data.source}: unit column {unit} is missing in {absent} records, so it is unknown which "
            "records must agree. Complete it or drop those records."
        )
    units = data.alike(unit).codes
    _, first, units = np.unique(units, return_index=True, return_inverse=True)
    for name in (*step.columns, *step.roles.strata):
        codes = data.codes([name])
        differing = np.unique(units[codes != codes[first][units]]).size
        if differing:
            what = "is among unit_columns" if name in step.columns else "is a stratum of a step by unit"
            raise DataError(
                f"{data.source}: column {name} {what}, but differs within {differing} of {first.size} units. "
                "Correct these units, or give it another role."
            )
    return units.reshape(-1).astype(np.int64), first.astype(np.int64)


def _standing(claims: Sequence[Claim], steps: Sequence[Step]) -> tuple[list[Claim], tuple[Withdrawn, ...]]:
    """The claims with the promises that no later step broke, and the withdrawn promises."""
    standing: list[Claim] = []
    withdrawn: list[Withdrawn] = []
    for number, (claim, step) in enumerate(zip(claims, steps, strict=True)):
        step_columns = {*claim.original.used, *step.roles.strata}
        kept = dict.fromkeys(claim.guarantees)
        for at, later in enumerate(steps[number + 1 :], number + 1):
            touched = tuple(
                name for name in later.columns if name in step_columns or name in step.method.reads
            )
            concerned = kept if step_columns & set(touched) else step.method.promised_of_read(kept)
            by_values = [name for name in concerned if touched and name not in later.method.keeping()]
            withdrawn += [Withdrawn(name, number + 1, at + 1, touched) for name in by_values]
            removes = claims[at].dropped_rows.size
            by_removal = [name for name in kept if removes and name not in (*by_values, *_OF_ANY_RECORDS)]
            withdrawn += [Withdrawn(name, number + 1, at + 1, ()) for name in by_removal]
            kept = {name: None for name in kept if name not in (*by_values, *by_removal)}
        standing.append(replace(claim, guarantees=tuple(kept)))
    return standing, tuple(withdrawn)
