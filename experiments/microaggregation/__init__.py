"""Every published figure of microaggregation beside ours."""

from __future__ import annotations

from dataclasses import asdict

from experiments.document import Document
from experiments.files import SPOKEN
from tacita._version import __version__
from tacita.core import Run

from .findings import gather
from .page import page
from .plot import loss_against_time


def document(run: Run, quick: bool) -> Document:
    """All experiments, as a page, a figure and numbers."""
    found = gather(run, quick)
    title = f"{SPOKEN[found.shown]}, k = 3: loss of every method against its time"
    numbers = {
        "version": __version__,
        "losses": [asdict(one) for one in found.losses],
        "dfo": [asdict(one) for one in found.searches],
        "ranks": [asdict(one) for one in found.ranked],
        "ceilings": [asdict(one) for one in found.ceilings],
        "choice": [asdict(one) for one in found.choices],
    }
    figures = {"microaggregation.svg": loss_against_time(found.plotted, title)}
    return Document("microaggregation", page(found), numbers, figures)
