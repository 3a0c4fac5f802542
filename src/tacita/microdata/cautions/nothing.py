"""Steps that did nothing: what was asked for was done, and yet the file is as it was."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from tacita.core import Caution
from tacita.microdata.protect import Protected
from tacita.microdata.steps import Made
from tacita.microdata.uniqueness import spoken

_ADVICE = {
    "coding": "Choose another limit or base, or leave out the step: it protects nobody.",
    "recoding": "Choose a coarser level or other classes, or leave out the step: it protects nobody.",
    "dropping": "Look at the condition, its labels and capitals; or leave it out.",
}


def changed(made: Made) -> Iterator[Caution]:
    """Codings and recodings that leave columns as they were, and conditions that nobody meets. O(n d)."""
    for number, (step, protected) in enumerate(zip(made.steps, made.protected, strict=True), 1):
        kind = protected.method.kind
        if kind not in _ADVICE:
            continue
        who = f"Step {number} ({'+'.join(step.names)})" if made.stages else "+".join(step.names)
        same = _as_they_were(protected)
        if same:
            yield Caution(
                "nothing-changed",
                f"{who} changed no value of {spoken(same)}: these columns are released as they were.",
                len(same),
                _ADVICE[kind],
            )
        if kind == "dropping" and protected.claim.terms.get("records") and not protected.left:
            yield Caution(
                "nothing-changed", f"{who} took out no record: nobody meets the condition.", 1, _ADVICE[kind]
            )


def _as_they_were(protected: Protected) -> list[str]:
    columns = zip(protected.claim.original.quasi, protected.original.T, protected.released.T, strict=True)
    return [name for name, old, new in columns if np.array_equal(old, new, equal_nan=True)]
