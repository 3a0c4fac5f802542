"""A claim on disk, without its records: these are read again from the source when the claim is verified."""

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
    """The storable part of a claim; for later steps with their input records, which no source holds."""

    claim: Any
    roles: Roles | None
    records: Any = None
    steps: tuple[PackedClaim, ...] = ()

    @classmethod
    def of(cls, claim: Claim, *, with_records: bool = False) -> PackedClaim:
        """A claim, ready to be stored."""
        data = claim.original
        return cls(
            replace(claim, original=None, steps=()),  # type: ignore[arg-type]
            data.roles,
            to_arrow(data) if with_records else None,
            tuple(cls.of(step, with_records=number > 0) for number, step in enumerate(claim.steps)),
        )

    def unpacked(self, source: Microdata) -> Claim:
        """The claim about records that were read again."""
        claim = self._with_source(source)
        first = source
        if self.steps and claim.left_out:
            # records with missing values were dropped before the first step
            gaps = np.logical_or.reduce([source.missing(name) for name in claim.left_out])
            stayed = gathered(source.frame, np.flatnonzero(~gaps))
            first = Microdata(frame=stayed, source=source.source, whole=source.whole)
        return replace(claim, steps=tuple(step._with_source(first) for step in self.steps))

    def _with_source(self, source: Microdata) -> Claim:
        data = source
        if self.records is not None:
            data = Microdata.of(self.records, source=source.source, whole=source.whole)
        claim: Claim = replace(self.claim, original=replace(data, roles=self.roles))
        return claim


# The classes that a stored claim consists of; the values of its terms are plain data.
CLAIM_KINDS = (PackedClaim, Claim, Requirement, Roles, RolesOfFile, RolesOfSteps)
