"""What was insisted on and is not seen in the release: told again, with a count."""

from __future__ import annotations

from collections.abc import Iterator

from tacita.core import Caution
from tacita.microdata.protect import Protected


def guessable_seed(protected: Protected) -> Iterator[Caution]:
    """A seed short enough to be tried."""
    if "guessable-seed" in protected.claim.insisted:
        yield Caution(
            "guessable-seed",
            "What was drawn for these records comes from a seed that can be guessed: whoever tries all short "
            "seeds draws it again and takes it away.",
            protected.data.n,
            "Release with the seed new, which is drawn and kept in the confidential record, or with none.",
        )
