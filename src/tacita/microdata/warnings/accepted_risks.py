"""Warnings of the risks that the user accepted, with a count."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from tacita.core import DisclosureWarning
from tacita.microdata.protection.protect import ProtectedStep

from .finders import Finished, of_releases


@of_releases
def guessable_seed(release: Finished) -> Iterator[DisclosureWarning]:
    """The seed is so short that an attacker can try all of its kind."""
    protected = release.made.whole
    if "guessable-seed" in protected.claim.accepted_risks:
        yield DisclosureWarning(
            "guessable-seed",
            "The random draws for these records come from a seed that can be guessed: an attacker who tries "
            "all short seeds repeats the draws and undoes them.",
            protected.data.n,
            "Release with the seed new, which is drawn and kept in the confidential record, or with none.",
        )


@of_releases
def alone_by_keys(release: Finished) -> Iterator[DisclosureWarning]:
    """Sample uniques by the released keys."""
    for protected in release.made.standing.values():
        yield from _alone(protected)


def _alone(protected: ProtectedStep) -> Iterator[DisclosureWarning]:
    if "k-of-1" not in protected.claim.accepted_risks or not protected.method.allows_singletons:
        return
    shown = np.column_stack([protected.strata, np.nan_to_num(protected.released, nan=-1.0)])
    combination = np.unique(shown, axis=0, return_inverse=True)[1].reshape(-1)
    if unique := int((protected.company.sharing(combination) == 1).sum()):
        yield DisclosureWarning(
            "alone-by-keys",
            "Records are unique by their keys: anyone who knows that the person is in the file finds the "
            "record. Only a model of the population or of the whole file bounds how likely that is.",
            unique,
            "Set k to 3 or more, unless nobody can know who is in the file.",
        )
