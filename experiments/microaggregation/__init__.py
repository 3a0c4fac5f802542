"""Every published figure of microaggregation beside ours."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from experiments.document import Document
from experiments.files import SPOKEN
from experiments.version import VERSION
from tacita.core import ParameterError, RunContext

from .findings import Findings, gather, renewed
from .page import page
from .plot import bars_of_losses, loss_against_time


def document(
    run: RunContext, quick: bool, *, part: str | None = None, earlier: Mapping[str, Any] | None = None
) -> Document:
    """All experiments, as a page, a figure and numbers; or one `part` anew beside `earlier` numbers."""
    if part is None:
        return _document(gather(run, quick))
    if quick or earlier is None or earlier.get("version") != VERSION:
        raise ParameterError(
            "reproduce microaggregation: a part needs the numbers of a full run of this version in the "
            "folder, and takes no --quick. Run all first."
        )
    return _document(renewed(earlier, part, run))


def rendered(numbers: Mapping[str, Any]) -> Document:
    """The same from the numbers of an earlier run."""
    return _document(Findings.from_numbers(numbers))


def _document(found: Findings) -> Document:
    title = f"{SPOKEN[found.shown]}, k = 3: loss of every method against its time"
    figures = {
        "microaggregation.svg": loss_against_time(found.plotted, title),
        "microaggregation-kckw.svg": bars_of_losses(found.ranked, found.counts),
    }
    return Document("microaggregation", page(found), {"version": VERSION, **found.numbers()}, figures)
