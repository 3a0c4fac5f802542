"""One step after the other on the same records: what each makes, and which promises stand at the end.

A step sees what the one before made. Each is verified where it stands; of the finished file its promises hold
unless a later step changed columns that they speak of and does not keep them by construction.
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
from .protect import Protected, protect, without_identifiers

# What is promised of cells, or of a step by itself: it holds of whatever records are left of it.
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
    """A method on columns of some roles; `by_unit` where it works on one record of each unit."""

    names: tuple[str, ...]
    method: RecordMethod
    roles: Roles
    missing: Missing
    round_integers: bool
    by_unit: bool = False

    @property
    def columns(self) -> tuple[str, ...]:
        """Those that it changes."""
        quasi = self.roles.dependent or self.roles.quasi
        assert not isinstance(quasi, str)
        return quasi

    @property
    def dropped(self) -> tuple[str, ...]:
        """Those that leave the file in it."""
        return self.method.dropped_columns


@dataclass(frozen=True, repr=False)
class Made:
    """The finished file and its claim; what each step made, and the file as it stood after it.

    `stages[i]` has the records in the order of the source, those left out that had left by then; `present[i]`
    are their rows of the source. `recodings[i]` are the labels that recodings up to that step gave columns.
    """

    data: Microdata
    claim: Claim
    steps: tuple[Step, ...]
    protected: tuple[Protected, ...]
    stages: tuple[Microdata, ...]
    present: tuple[Ints, ...] = ()
    withdrawn: tuple[Withdrawn, ...] = ()
    recodings: tuple[LabelMaps, ...] = ()

    @property
    def whole(self) -> Protected:
        """The release as one thing: what it shows, and what it came from."""
        if not self.stages:
            return self.protected[0]
        nothing = np.empty((self.data.n, 0))
        one = np.zeros(self.data.n, dtype=np.int64)
        return Protected(
            data=self.data,
            partition=None,
            method=self.protected[-1].method,
            claim=self.claim,
            original=nothing,
            released=nothing,
            strata=one,
        )

    def accepting(self, accepted: tuple[str, ...]) -> Made:
        """The same, every claim of it with the names of what was accepted against advice."""
        steps = tuple(replace(step, insisted=accepted) for step in self.claim.steps)
        protected = tuple(
            replace(each, claim=replace(each.claim, insisted=accepted)) for each in self.protected
        )
        claim = replace(self.claim, insisted=accepted, steps=steps)
        return replace(self, claim=claim, protected=protected)

    @property
    def standing(self) -> dict[int, Protected]:
        """What steps made whose columns no later one touched, by the number of the step."""
        found: dict[int, Protected] = {}
        touched: set[str] = set()
        for number in range(len(self.steps), 0, -1):
            if not touched & set(self.steps[number - 1].columns):
                found[number] = self.protected[number - 1]
            touched.update(self.steps[number - 1].columns)
        return dict(sorted(found.items()))


def steps_for(data: Microdata, planned: Sequence[PlannedStep]) -> tuple[Step, ...]:
    """The steps of a plan on these records; one that mixes columns of units and of records becomes two.

    Groups of records are then formed within what their units show, so that all columns together still hide
    every record among k.
    """
    found: list[Step] = []
    for each in planned:
        roles = data.with_roles(each.roles).roles
        assert roles is not None
        method = each.section.build()
        # what is missing is no obstacle to other labels, nor where each column is drawn by itself
        reads_missing = method.kind in registry.CATEGORICAL or method.reads_missing
        needless = reads_missing and each.missing in ("refuse", "merge", "level")
        missing: Missing = "stratum" if needless else each.missing
        step = Step(
            names=each.section.chain,
            method=method,
            roles=roles,
            missing=missing,
            round_integers=each.round_integers,
        )
        by_itself = method.whole_units
        of_unit = [name for name in step.columns if name in roles.unit_columns and not by_itself]
        if not of_unit or len(of_unit) == len(step.columns):
            found.append(replace(step, by_unit=bool(of_unit)))
        else:
            found += _split(step, of_unit)
    return tuple(found)


def _split(step: Step, of_unit: Sequence[str]) -> list[Step]:
    if step.roles.dependent:
        raise ParameterError(
            f"{step.method.spoken_name()}: {', '.join(of_unit)} belong to the unit (unit_columns), the other "
            "dependent columns to its records. Draw them in two steps."
        )
    rest = [name for name in step.columns if name not in of_unit]
    strata = step.roles.strata
    # who hides among k on one part and among k others on the other is not hidden on both together
    within = strata if step.method.group_size is None else (*strata, *of_unit)
    return [
        replace(step, roles=_about(step.roles, of_unit, strata), by_unit=True),
        replace(step, roles=_about(step.roles, rest, within)),
    ]


def _about(roles: Roles, columns: Sequence[str], strata: Sequence[str]) -> Roles:
    """The same roles for fewer columns."""
    return roles.model_copy(
        update={
            "quasi": tuple(columns),
            "strata": tuple(strata),
            "numeric": tuple(name for name in roles.numeric if name in columns),
            "nominal": tuple(name for name in roles.nominal if name in columns),
            "ordinal": {name: order for name, order in roles.ordinal.items() if name in columns},
        }
    )


def make(data: Microdata, steps: Sequence[Step], run: RunContext, options: ReleaseOptions) -> Made:
    """Carry out the steps on the records of a file with roles, and claim what holds of the result."""
    if len(steps) == 1 and not steps[0].by_unit:
        (step,) = steps
        made = protect(
            data.with_roles(step.roles),
            step.method,
            run,
            missing=step.missing,
            round_integers=step.round_integers,
            shuffle=options.shuffle,
        )
        recodings = recodings_of(data, steps, (made.data,), (made.claim.rows,))
        claim = replace(made.claim, recodings=recodings[-1])
        return Made(
            data=made.data,
            claim=claim,
            steps=(step,),
            protected=(replace(made, claim=claim),),
            stages=(),
            recodings=recodings,
        )
    return _several(data, steps, run, options)


def _several(data: Microdata, steps: Sequence[Step], run: RunContext, options: ReleaseOptions) -> Made:
    """Each step on what the one before made; then the finished file, and what still holds of it."""
    dropping = {name for step in steps if step.missing == "drop" for name in data.with_roles(step.roles).used}
    left_out = tuple(name for name in data.columns if name in dropping)
    kept = complete_rows(data, left_out)
    frame = data if kept.size == data.n else _of(gathered(data.frame, kept), data)
    made: list[Protected] = []
    claims: list[Claim] = []
    stages: list[Microdata] = []
    present = [kept]
    for number, step in enumerate(steps):
        # parts that drew from one stream would carry the same noise
        inner = replace(run.branch(number), on_progress=run.on_progress)
        try:
            protected, claim, frame = _one(frame, step, inner)
        except (DataError, ParameterError) as problem:
            if len(steps) == 1:
                raise
            raise type(problem)(f"Step {number + 1}: {problem}", fields=problem.fields) from None
        # what comes back by rounding is refused, or insisted on, once all steps are made
        open_yet = replace(claim, insisted=("rounding-restores",))
        verify.insist(verify.verify(frame, replace(claim, steps=(open_yet,)), finished=False))
        made.append(protected)
        claims.append(claim)
        stages.append(frame)
        present.append(present[-1][claim.rows])
    last, stands = present[-1], tuple(present[1:])
    order = run.protective_generator().permutation(last.size) if options.shuffle else np.arange(last.size)
    finished = without_identifiers(replace(frame, roles=data.roles), order, options.shuffle)
    plain = nw.from_native(without_memory(finished.to_native()), eager_only=True)
    standing, withdrawn = _standing(claims, steps)
    recodings = recodings_of(data, steps, stages, stands)
    claim = Claim(
        original=data,
        rows=last[order],
        labels=None,
        k=min((claim.k for claim in claims if claim.k is not None), default=None),
        guarantees=(),
        left_out=left_out,
        leaving=np.setdiff1d(np.arange(data.n), last),
        shuffled=options.shuffle,
        recodings=recodings[-1],
        steps=_finished_claims(data, standing, steps, stands, last[order], shuffled=options.shuffle),
    )
    return Made(
        data=_of(plain, data),
        claim=claim,
        steps=tuple(steps),
        protected=tuple(made),
        stages=tuple(stages),
        present=stands,
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
    """What each step claims of the finished file, whose records are these rows of the source."""
    gone = frozenset(data.roles.identifiers) if data.roles else frozenset()
    claims = [
        _left_of(claim, np.searchsorted(there, rows)) for claim, there in zip(standing, present, strict=True)
    ]
    return tuple(
        replace(
            claim,
            touched=gone.union(*((*step.columns, *step.dropped) for step in steps[number + 1 :])),
            emptied=_emptied_by(claim, claims[number + 1 :]),
            shuffled=shuffled,
        )
        for number, claim in enumerate(claims)
    )


def _left_of(claim: Claim, chosen: Ints) -> Claim:
    """What a step claimed of some of its records, in another order."""
    later = np.setdiff1d(claim.rows, claim.rows[chosen])
    found = replace(
        claim,
        rows=claim.rows[chosen],
        leaving_later=later,
        labels=None if claim.labels is None else claim.labels[chosen],
        suppressed=None if claim.suppressed is None else claim.suppressed[chosen],
    )
    if claim.representing is None or not later.size:
        return found
    # where the record left that stood for its unit, another does
    unit = claim.original.roles.unit if claim.original.roles else None
    assert unit is not None
    every = np.concatenate([found.rows, later, claim.leaving])
    first = np.unique(claim.original.alike(unit).codes[every], return_index=True)[1]
    return replace(found, representing=every[first])


def _emptied_by(claim: Claim, later: Sequence[Claim]) -> Mask | None:
    """Which cells of the columns of a step later ones left empty, as they claim; None where none did."""
    names = claim.original.quasi
    emptied = np.zeros((claim.rows.size, len(names)), dtype=bool)
    for each in later:
        if each.suppressed is None:
            continue
        for j, name in enumerate(each.original.quasi):
            if name in names:
                emptied[:, names.index(name)] |= each.suppressed[:, j]
    return emptied if emptied.any() else None


def _of(frame: nw.DataFrame[Any], data: Microdata, roles: Roles | None = None) -> Microdata:
    return Microdata(frame=frame, roles=roles, dialect=data.dialect, source=data.source, whole=data.whole)


def _one(frame: Microdata, step: Step, run: RunContext) -> tuple[Protected, Claim, Microdata]:
    """What a step makes of a file, what it claims of all its records, and the file after it."""
    # rows were dropped before the first step, and values that a step took away are no reason to drop more
    missing = "refuse" if step.missing == "drop" else step.missing
    # identifiers may serve a later step, and are left out at the end
    before = frame.with_roles(step.roles.model_copy(update={"identifiers": ()}))
    if not step.by_unit:
        made = protect(before, step.method, run, missing=missing, round_integers=step.round_integers)
        return made, made.claim, made.data
    units, first = _units(before, step)
    reduced = _of(gathered(before.frame, first), before, before.roles)
    made = protect(reduced, step.method, run, missing=missing, round_integers=step.round_integers)
    # a unit that leaves takes all its records along
    stays = ~np.isin(units, made.claim.leaving)
    rows, leaving = np.flatnonzero(stays), np.flatnonzero(~stays)
    place = np.searchsorted(made.claim.rows, units[rows])
    there = before.frame if not leaving.size else gathered(before.frame, rows)
    spread = regathered(there, made.data.frame, dict.fromkeys(step.columns, place))
    claim = replace(
        made.claim,
        original=before,
        rows=rows,
        leaving=leaving,
        labels=None if made.claim.labels is None else made.claim.labels[place],
        suppressed=None if made.claim.suppressed is None else made.claim.suppressed[place],
        representing=first,
    )
    plain = nw.from_native(without_memory(spread.to_native()), eager_only=True)
    return replace(made, left=leaving.size), claim, _of(plain, before)


def _units(data: Microdata, step: Step) -> tuple[Ints, Ints]:
    """The unit of each record and the first record of each unit; raises where a column differs in one."""
    unit = step.roles.unit
    assert unit is not None
    if absent := int(data.missing(unit).sum()):
        raise DataError(
            f"{data.source}: unit column {unit} is missing in {absent} records, so nobody can say which "
            "records must agree. Complete it or drop those records."
        )
    units = data.alike(unit).codes
    _, first, units = np.unique(units, return_index=True, return_inverse=True)
    for name in (*step.columns, *step.roles.strata):
        own = data.codes([name])
        differing = np.unique(units[own != own[first][units]]).size
        if differing:
            what = "is among unit_columns" if name in step.columns else "is a stratum of a step by unit"
            raise DataError(
                f"{data.source}: column {name} {what}, and differs within {differing} of {first.size} units. "
                "Correct these units, or give it another role."
            )
    return units.reshape(-1).astype(np.int64), first.astype(np.int64)


def _standing(claims: Sequence[Claim], steps: Sequence[Step]) -> tuple[list[Claim], tuple[Withdrawn, ...]]:
    """The claims with the promises that no later step broke, and those that were withdrawn."""
    standing: list[Claim] = []
    withdrawn: list[Withdrawn] = []
    for number, (claim, step) in enumerate(zip(claims, steps, strict=True)):
        own = {*claim.original.used, *step.roles.strata}
        left = dict.fromkeys(claim.guarantees)
        for at, later in enumerate(steps[number + 1 :], number + 1):
            touched = tuple(name for name in later.columns if name in own or name in step.method.reads)
            spoken_of = left if own & set(touched) else step.method.promised_of_read(left)
            broken = [name for name in spoken_of if touched and name not in later.method.keeping()]
            withdrawn += [Withdrawn(name, number + 1, at + 1, touched) for name in broken]
            fewer = claims[at].leaving.size
            undone = [name for name in left if fewer and name not in (*broken, *_OF_ANY_RECORDS)]
            withdrawn += [Withdrawn(name, number + 1, at + 1, ()) for name in undone]
            left = {name: None for name in left if name not in (*broken, *undone)}
        standing.append(replace(claim, guarantees=tuple(left)))
    return standing, tuple(withdrawn)
