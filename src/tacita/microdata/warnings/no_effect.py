"""Steps that did nothing: what was asked for was done, and yet the file is as it was."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from tacita.core import Caution
from tacita.microdata.protection.protect import Protected
from tacita.microdata.protection.steps import Made
from tacita.microdata.statistics.sample_uniqueness import spoken

_ADVICE = {
    "coding": "Choose another limit or base, or leave out the step: it protects nobody.",
    "recoding": "Choose a coarser level or other classes, or leave out the step: it protects nobody.",
    "dropping": "Look at the condition, its labels and capitals; or leave it out.",
}


def changed(made: Made) -> Iterator[Caution]:
    """Codings and recodings that leave columns as they were, and conditions that nobody meets. O(n d).

    Columns that are not released are no matter, and of those that a later step changed only this is said.
    """
    for number, (step, protected) in enumerate(zip(made.steps, made.protected, strict=True), 1):
        kind = protected.method.kind
        if kind not in _ADVICE:
            continue
        who = f"Step {number} ({'+'.join(step.names)})" if made.stages else "+".join(step.names)
        before, later = (
            {name for each in some for name in each.columns}
            for some in (made.steps[: number - 1], made.steps[number:])
        )
        same = [name for name in as_they_were(protected) if name in made.data.columns]
        left = [name for name in same if name not in before | later]
        if same:
            released = f": {spoken(left)} {'is' if len(left) == 1 else 'are'} released as in the source"
            yield Caution(
                "nothing-changed",
                f"{who} changed no value of {spoken(same)}{released if left else ''}.",
                len(same),
                _ADVICE[kind],
            )
        if kind == "dropping" and protected.claim.terms.get("records") and not protected.left:
            yield Caution(
                "nothing-changed", f"{who} took out no record: nobody meets the condition.", 1, _ADVICE[kind]
            )


def as_they_were(protected: Protected) -> tuple[str, ...]:
    """Columns of which a step changed no value. O(n d)."""
    columns = zip(protected.claim.original.quasi, protected.original.T, protected.released.T, strict=True)
    return tuple(name for name, old, new in columns if np.array_equal(old, new, equal_nan=True))
