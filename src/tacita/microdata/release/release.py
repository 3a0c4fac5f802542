"""Makes a verified and measured release from the sections of a plan."""

from __future__ import annotations

from dataclasses import dataclass, replace
from pathlib import Path

from tacita.core import (
    InferenceError,
    Microdata,
    RecordsRelease,
    Run,
    Verdict,
)
from tacita.core.results.inferred_cells import Determined
from tacita.core.results.progress import Heard
from tacita.core.results.release import Claim
from tacita.core.spec.seeds import as_seed
from tacita.microdata import verify
from tacita.microdata.plans.plan import Protection
from tacita.microdata.protection import membership
from tacita.microdata.protection.pseudonyms import with_pseudonyms
from tacita.microdata.protection.safeguards import accepted_of_plan, insisted_on
from tacita.microdata.protection.steps import Made, make, steps_for
from tacita.microdata.verify import WrittenFile
from tacita.microdata.warnings import rounding_attack

from .encode import encode
from .record import recorded
from .requirement_checks import required


@dataclass(frozen=True, repr=False)
class ReleasedFile:
    """A release and the verified bytes of its file."""

    release: RecordsRelease
    content: bytes


@dataclass(frozen=True, repr=False)
class _Verified:
    """Verdicts on masked records, the accepted risks, and cells that other columns determine."""

    verdicts: tuple[Verdict, ...]
    accepted: tuple[str, ...]
    inferred: tuple[Determined, ...] = ()


def make_release(
    data: Microdata, protection: Protection, run: Run | None, *, to_look_at: bool = False
) -> RecordsRelease:
    """Protect, verify and measure records in memory, and judge them by the requirements.

    With `to_look_at`, a release that fails a requirement, or whose suppressed cells other columns determine,
    is returned all the same: for its confidential report only.
    """
    return _released(data, protection, run, None, to_look_at)[0]


def make_file(
    data: Microdata, protection: Protection, run: Run | None, target: Path, *, to_look_at: bool = False
) -> ReleasedFile:
    """The same for the file `target`: its bytes are verified. Nothing is written."""
    return ReleasedFile(*_released(data, protection, run, target, to_look_at))


def _released(
    data: Microdata, protection: Protection, run: Run | None, target: Path | None, to_look_at: bool
) -> tuple[RecordsRelease, bytes]:
    """The stages of every release: apply the steps, encode, verify, record. No bytes without a target."""
    run, stop = _with_seed(run, protection)
    accepted = accepted_of_plan(protection, run.seed)
    data, identified = with_pseudonyms(data.with_roles(protection.whole), protection.protect)
    made = make(data, steps_for(data, protection.planned), run, protection.protect)
    accepted = tuple(dict.fromkeys((*accepted, *_accepted_of_values(made, protection))))
    claim = replace(made.claim, identified=identified, requirements=protection.require.requirements)
    made = replace(made, claim=claim).accepting(accepted)
    run.report("verifying", 0, 1)
    written = None if target is None else encode(made.data, made.claim, target)
    verified = _verified(made, written, run, insist=protection.protect.insist, to_look_at=to_look_at)
    content = b"" if written is None else written.content
    # frees the records that were read back from the bytes
    del written
    run.report("verifying", 1, 1)
    made = made.accepting(verified.accepted)
    release = recorded(
        made, data, protection, verified.verdicts, run, stop.after, given_back=verified.inferred
    )
    return release, content


def _with_seed(run: Run | None, protection: Protection) -> tuple[Run, Heard]:
    """The run with the seed of the plan, and a latch of its own for a stop by the user."""
    run = run or Run()
    stop = Heard(run.enough)
    seed = run.seed if protection.protect.seed is None else as_seed(protection.protect.seed)
    return replace(run, seed=seed, enough=stop), stop


def _accepted_of_values(made: Made, protection: Protection) -> tuple[str, ...]:
    """The accepted risks of the masked values; raises if a risk is not accepted."""
    accepted: list[str] = []
    for protected in made.protected:
        accepted += insisted_on(rounding_attack.against_advice(protected), protection.protect.insist)
        risks = membership.against_advice(protected.method, protected.membership)
        accepted += insisted_on(risks, protection.protect.insist)
    return tuple(accepted)


def _verified(
    made: Made, written: WrittenFile | None, run: Run, *, insist: bool, to_look_at: bool
) -> _Verified:
    """The verdicts on the release, or an error.

    With `insist`, cells that other columns determine are accepted by name; all other promises must hold.
    """
    accepted = made.claim.insisted
    try:
        verdicts = verify_release(made.data, made.claim, written, run, to_look_at=to_look_at)
        if to_look_at and insist:
            verify.insist(tuple(verdict for verdict in verdicts if verdict.inferred))
        return _Verified(verdicts, accepted)
    except InferenceError as refused:
        if not insist:
            raise
        accepted = (*accepted, verify.GIVEN_BACK)
        claim = made.accepting(accepted).claim
        verdicts = verify_release(made.data, claim, written, run, to_look_at=to_look_at)
        return _Verified(verdicts, accepted, refused.found)


def verify_release(
    released: Microdata, claim: Claim, written: WrittenFile | None, run: Run, *, to_look_at: bool = False
) -> tuple[Verdict, ...]:
    """The verdicts on promises and requirements of a frame, or of its file; raises if one fails."""
    if written is None:
        kept = verify.insist(verify.verify(released, claim), to_look_at=to_look_at)
        return kept + required(claim, released, run, to_look_at=to_look_at)
    verify.insist(verify.verify_frame(released, claim))
    kept = verify.insist(verify.verify_file(written, claim), to_look_at=to_look_at)
    if claim.requirements:
        kept += required(claim, written.records(claim), run, to_look_at=to_look_at)
    # promises about the bytes of a file are not listed in a record
    return tuple(verdict for verdict in kept if verdict.guarantee not in verify.OF_FILES)
