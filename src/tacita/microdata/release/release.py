"""From the sections of a plan to a verified, measured release, and to many of them side by side."""

from __future__ import annotations

from dataclasses import dataclass, replace
from pathlib import Path

from tacita.core import (
    InferenceError,
    Microdata,
    RecordsRelease,
    RunContext,
    Verdict,
)
from tacita.core.results.inferred_cells import Determined
from tacita.core.results.progress import StopLatch
from tacita.core.results.release import Claim
from tacita.core.spec.seeds import as_seed
from tacita.microdata import verify
from tacita.microdata.plans.plan import Protection
from tacita.microdata.protection import membership
from tacita.microdata.protection.pseudonyms import with_pseudonyms
from tacita.microdata.protection.safeguards import accepted_of_plan, require_accepted
from tacita.microdata.protection.steps import PipelineResult, make, steps_for
from tacita.microdata.verify import WrittenFile
from tacita.microdata.warnings import rounding_attack

from .encode import encode
from .record import recorded
from .requirement_checks import required


@dataclass(frozen=True, repr=False)
class ReleasedFile:
    """A release, and the verified bytes of its file."""

    release: RecordsRelease
    content: bytes


@dataclass(frozen=True, repr=False)
class _Verified:
    """What verification found of masked records: the verdicts, and what stands since somebody accepted it."""

    verdicts: tuple[Verdict, ...]
    accepted: tuple[str, ...]
    inferred: tuple[Determined, ...] = ()


def make_release(
    data: Microdata, protection: Protection, run: RunContext | None, *, to_look_at: bool = False
) -> RecordsRelease:
    """Protect, verify and measure records in memory, and judge them by what is required.

    A release `to_look_at` comes back although it does not meet a requirement, or other columns give back what
    it hid: for its confidential report alone.
    """
    return _released(data, protection, run, None, to_look_at)[0]


def make_file(
    data: Microdata, protection: Protection, run: RunContext | None, target: Path, *, to_look_at: bool = False
) -> ReleasedFile:
    """The same of the file that `target` will be: what is verified are its bytes. Nothing is written."""
    return ReleasedFile(*_released(data, protection, run, target, to_look_at))


def _released(
    data: Microdata, protection: Protection, run: RunContext | None, target: Path | None, to_look_at: bool
) -> tuple[RecordsRelease, bytes]:
    """The stages of every release: apply the steps, encode, verify, record. Without a target no bytes."""
    steered, stop_latch = _steered(run, protection)
    accepted = accepted_of_plan(protection, steered.seed)
    data, identified = with_pseudonyms(data.with_roles(protection.whole), protection.protect)
    made = make(data, steps_for(data, protection.planned), steered, protection.protect)
    accepted = tuple(dict.fromkeys((*accepted, *_accepted_of_values(made, protection))))
    claim = replace(made.claim, identified=identified, requirements=protection.require.requirements)
    made = replace(made, claim=claim).accepting(accepted)
    steered.report("verifying", 0, 1)
    written = None if target is None else encode(made.data, made.claim, target)
    given_back = protection.protect.accepts(verify.GIVEN_BACK)
    verified = _verified(made, written, steered, accept_inference=given_back, to_look_at=to_look_at)
    content = b"" if written is None else written.content
    # what was read back of the bytes is not needed any more
    del written
    steered.report("verifying", 1, 1)
    made = made.accepting(verified.accepted)
    release = recorded(
        made, data, protection, verified.verdicts, steered, stop_latch.after, given_back=verified.inferred
    )
    return release, content


def _steered(run: RunContext | None, protection: Protection) -> tuple[RunContext, StopLatch]:
    """The run with the seed of the plan and its own stop latch: the record has the stop of this run alone."""
    context = run or RunContext()
    stop_latch = StopLatch(context.should_stop)
    seed = context.seed if protection.protect.seed is None else as_seed(protection.protect.seed)
    return replace(context, seed=seed, should_stop=stop_latch), stop_latch


def _accepted_of_values(made: PipelineResult, protection: Protection) -> tuple[str, ...]:
    """The accepted risks of the values that the steps made."""
    accepted: list[str] = []
    for protected in made.protected:
        accepted += require_accepted(rounding_attack.against_advice(protected), protection.protect)
        unwise = membership.against_advice(protected.method, protected.membership)
        accepted += require_accepted(unwise, protection.protect)
    return tuple(accepted)


def _verified(
    made: PipelineResult,
    written: WrittenFile | None,
    run: RunContext,
    *,
    accept_inference: bool,
    to_look_at: bool,
) -> _Verified:
    """The verdicts on what is to be published, or an error.

    With `accept_inference`, hidden cells that other columns determine are accepted by name, and all else must
    hold.
    """
    accepted = made.claim.accepted_risks
    try:
        verdicts = verify_release(made.data, made.claim, written, run, to_look_at=to_look_at)
        if to_look_at and accept_inference:
            verify.require_passed(tuple(verdict for verdict in verdicts if verdict.inferred))
        return _Verified(verdicts, accepted)
    except InferenceError as refused:
        if not accept_inference:
            raise
        accepted = (*accepted, verify.GIVEN_BACK)
        claim = made.accepting(accepted).claim
        verdicts = verify_release(made.data, claim, written, run, to_look_at=to_look_at)
        return _Verified(verdicts, accepted, refused.determined)


def verify_release(
    released: Microdata,
    claim: Claim,
    written: WrittenFile | None,
    run: RunContext,
    *,
    to_look_at: bool = False,
) -> tuple[Verdict, ...]:
    """Verdicts on the promises and requirements of a frame, or of the file written of it; or an error."""
    if written is None:
        kept = verify.require_passed(verify.verify(released, claim), to_look_at=to_look_at)
        return kept + required(claim, released, run, to_look_at=to_look_at)
    verify.require_passed(verify.verify_frame(released, claim))
    kept = verify.require_passed(verify.verify_file(written, claim), to_look_at=to_look_at)
    if claim.requirements:
        kept += required(claim, written.records(claim), run, to_look_at=to_look_at)
    # of the file alone, which a release in memory has not
    return tuple(verdict for verdict in kept if verdict.guarantee not in verify.OF_FILES)
