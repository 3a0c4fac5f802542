"""A claim on disk, without the records that it speaks of: those are read anew when it is checked."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from tacita.core import Microdata, Roles
from tacita.core.results.release import Claim, Requirement
from tacita.core.spec.roles import RolesOfFile, RolesOfSteps

from .formats.record_format import to_arrow
from .frames import gathered


@dataclass(frozen=True, repr=False)
class PackedClaim:
    """What can be kept of a claim; of later steps the records before them too, which no source has."""

    claim: Any
    roles: Roles | None
    records: Any = None
    steps: tuple[PackedClaim, ...] = ()

    @classmethod
    def of(cls, claim: Claim, *, with_records: bool = False) -> PackedClaim:
        """A claim, ready to be kept."""
        data = claim.original
        return cls(
            replace(claim, original=None, steps=()),  # type: ignore[arg-type]
            data.roles,
            to_arrow(data) if with_records else None,
            tuple(cls.of(step, with_records=number > 0) for number, step in enumerate(claim.steps)),
        )

    def unpacked(self, source: Microdata) -> Claim:
        """The claim of records that were read anew."""
        claim = self._about(source)
        first = source
        if self.steps and claim.left_out:
            # who misses a value left before the first step
            gaps = np.logical_or.reduce([source.missing(name) for name in claim.left_out])
            stayed = gathered(source.frame, np.flatnonzero(~gaps))
            first = Microdata(frame=stayed, source=source.source, whole=source.whole)
        return replace(claim, steps=tuple(step._about(first) for step in self.steps))

    def _about(self, source: Microdata) -> Claim:
        data = source
        if self.records is not None:
            data = Microdata.of(self.records, source=source.source, whole=source.whole)
        claim: Claim = replace(self.claim, original=replace(data, roles=self.roles))
        return claim


# What a claim is made of, where it is kept; values of its terms are plain.
CLAIM_KINDS = (PackedClaim, Claim, Requirement, Roles, RolesOfFile, RolesOfSteps)
