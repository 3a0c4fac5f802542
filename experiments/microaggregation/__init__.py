"""Every published figure of microaggregation beside ours."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from experiments.document import Document
from experiments.files import SPOKEN
from tacita._version import __version__
from tacita.core import Run

from .findings import Findings, gather
from .page import page
from .plot import loss_against_time


def document(run: Run, quick: bool) -> Document:
    """All experiments, as a page, a figure and numbers."""
    return _document(gather(run, quick))


def rendered(numbers: Mapping[str, Any]) -> Document:
    """The same from the numbers of an earlier run."""
    return _document(Findings.from_numbers(numbers))


def _document(found: Findings) -> Document:
    title = f"{SPOKEN[found.shown]}, k = 3: loss of every method against its time"
    figures = {"microaggregation.svg": loss_against_time(found.plotted, title)}
    return Document("microaggregation", page(found), {"version": __version__, **found.numbers()}, figures)
