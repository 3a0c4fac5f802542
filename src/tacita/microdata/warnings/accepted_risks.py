"""What was insisted on, told again with a count."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from tacita.core import Caution
from tacita.microdata.protection.protect import Protected

from .finders import Finished, of_releases


@of_releases
def guessable_seed(release: Finished) -> Iterator[Caution]:
    """A seed short enough to be tried."""
    protected = release.made.whole
    if "guessable-seed" in protected.claim.insisted:
        yield Caution(
            "guessable-seed",
            "What was drawn for these records comes from a seed that can be guessed: whoever tries all short "
            "seeds draws it again and takes it away.",
            protected.data.n,
            "Release with the seed new, which is drawn and kept in the confidential record, or with none.",
        )


@of_releases
def alone_by_keys(release: Finished) -> Iterator[Caution]:
    """Records that nobody equals in what they show of their keys."""
    for protected in release.made.standing.values():
        yield from _alone(protected)


def _alone(protected: Protected) -> Iterator[Caution]:
    if "k-of-1" not in protected.claim.insisted or not protected.method.allows_singletons:
        return
    shown = np.column_stack([protected.strata, np.nan_to_num(protected.released, nan=-1.0)])
    combination = np.unique(shown, axis=0, return_inverse=True)[1].reshape(-1)
    if alone := int((protected.company.sharing(combination) == 1).sum()):
        yield Caution(
            "alone-by-keys",
            "Records stand alone by their keys: whoever knows that the person is in the file finds her. Only "
            "a model of the population or of the whole file bounds how likely that is.",
            alone,
            "Ask for k of 3 or more, unless nobody can know who is in the file.",
        )
