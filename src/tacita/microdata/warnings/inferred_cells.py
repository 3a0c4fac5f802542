"""Hidden cells that other released columns give back: fewer than a release is refused for, or accepted."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from tacita.core import Caution
from tacita.core.results.inferred_cells import Determined
from tacita.microdata.verify.inference import way_out


def given_back(found: Sequence[Determined]) -> Iterator[Caution]:
    """One warning a column, with the records that it leaves with fewer than k, or its cells."""
    for each in found:
        then = f"; filled in, {each.exposed} records stand with fewer than k" if each.exposed else ""
        yield Caution(
            "cells-determined",
            f"{each.text}: whoever groups the release by that finds what was hidden{then}.",
            each.exposed or each.cells,
            way_out([each]),
        )
