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
from tacita.microdata.protection.steps import Made, make, steps_for
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
    data: Microdata, asked: Protection, run: RunContext | None, *, to_look_at: bool = False
) -> RecordsRelease:
    """Protect, verify and measure records in memory, and judge them by what is required.

    A release `to_look_at` comes back although it does not meet a requirement, or other columns give back what
    it hid: for its confidential report alone.
    """
    return _released(data, asked, run, None, to_look_at)[0]


def make_file(
    data: Microdata, asked: Protection, run: RunContext | None, target: Path, *, to_look_at: bool = False
) -> ReleasedFile:
    """The same of the file that `target` will be: what is verified are its bytes. Nothing is written."""
    return ReleasedFile(*_released(data, asked, run, target, to_look_at))


def _released(
    data: Microdata, asked: Protection, run: RunContext | None, target: Path | None, to_look_at: bool
) -> tuple[RecordsRelease, bytes]:
    """The stages of every release: apply the steps, encode, verify, record. Without a target no bytes."""
    steered, heard = _steered(run, asked)
    accepted = accepted_of_plan(asked, steered.seed)
    data, identified = with_pseudonyms(data.with_roles(asked.whole), asked.protect)
    made = make(data, steps_for(data, asked.planned), steered, asked.protect)
    accepted = tuple(dict.fromkeys((*accepted, *_accepted_of_values(made, asked))))
    claim = replace(made.claim, identified=identified, requirements=asked.require.requirements)
    made = replace(made, claim=claim).accepting(accepted)
    steered.report("verifying", 0, 1)
    written = None if target is None else encode(made.data, made.claim, target)
    given_back = asked.protect.accepts(verify.GIVEN_BACK)
    found = _verified(made, written, steered, insist=given_back, to_look_at=to_look_at)
    content = b"" if written is None else written.content
    # what was read back of the bytes is not needed any more
    del written
    steered.report("verifying", 1, 1)
    made = made.accepting(found.accepted)
    release = recorded(made, data, asked, found.verdicts, steered, heard.after, given_back=found.inferred)
    return release, content


def _steered(run: RunContext | None, asked: Protection) -> tuple[RunContext, StopLatch]:
    """The run with the seed of the plan; its record tells what this run heard, not one before it."""
    given = run or RunContext()
    heard = StopLatch(given.should_stop)
    seed = given.seed if asked.protect.seed is None else as_seed(asked.protect.seed)
    return replace(given, seed=seed, should_stop=heard), heard


def _accepted_of_values(made: Made, asked: Protection) -> tuple[str, ...]:
    """The same of what the steps made of the values."""
    accepted: list[str] = []
    for protected in made.protected:
        accepted += require_accepted(rounding_attack.against_advice(protected), asked.protect)
        unwise = membership.against_advice(protected.method, protected.membership)
        accepted += require_accepted(unwise, asked.protect)
    return tuple(accepted)


def _verified(
    made: Made, written: WrittenFile | None, run: RunContext, *, insist: bool, to_look_at: bool
) -> _Verified:
    """The verdicts on what is to be published, or an error.

    With `insist`, what other columns give back is accepted by name, and all else must hold.
    """
    accepted = made.claim.accepted_risks
    try:
        verdicts = verify_release(made.data, made.claim, written, run, to_look_at=to_look_at)
        if to_look_at and insist:
            verify.require_passed(tuple(each for each in verdicts if each.inferred))
        return _Verified(verdicts, accepted)
    except InferenceError as refused:
        if not insist:
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
    """What a frame, or the file written of it, keeps of its promises and of what is required; or an error."""
    if written is None:
        kept = verify.require_passed(verify.verify(released, claim), to_look_at=to_look_at)
        return kept + required(claim, released, run, to_look_at=to_look_at)
    verify.require_passed(verify.verify_frame(released, claim))
    kept = verify.require_passed(verify.verify_file(written, claim), to_look_at=to_look_at)
    if claim.requirements:
        kept += required(claim, written.records(claim), run, to_look_at=to_look_at)
    # of the file alone, which a release in memory has not
    return tuple(each for each in kept if each.guarantee not in verify.OF_FILES)
