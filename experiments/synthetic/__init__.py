"""What was published of synthetic data by regression beside ours."""

from __future__ import annotations

from dataclasses import asdict

from experiments.document import Document
from tacita._version import __version__
from tacita.core import Run

from . import plot
from .findings import gather
from .page import page


def document(run: Run, quick: bool) -> Document:
    """All experiments, as a page, figures and numbers."""
    found = gather(run, quick)
    numbers = {
        "version": __version__,
        "splits": [asdict(row) for row in found.rows],
        "against_c": [asdict(row) for row in found.against_c],
        "agreements": [asdict(one) for one in found.agreements],
        "five_clouds": [asdict(row) for row in found.clouds],
        "surface": [asdict(point) for point in found.surface],
    }
    figures = {
        **{
            f"synthetic-{split.lower()}.svg": plot.against_c(found.against_c, split) for split in found.splits
        },
        "synthetic-clouds.svg": plot.clouds(found.clouds),
        "synthetic-s3.svg": plot.surface(found.surface),
    }
    return Document("synthetic", page(found), numbers, figures)
