"""A sample of people, each linked to the records of all parts of a file."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from tacita.core import Ints, Matrix
from tacita.microdata.measures.moments import Spreads
from tacita.microdata.measures.partial_aggregation import Part, Question, Rounds

from .linkage_common import Linked, shares


@dataclass(frozen=True)
class DrawQuestion(Question):
    """A share of the people of a part, drawn at random, with their own released records. Always the same."""

    share: float

    def answer(self, part: Part) -> tuple[int, Matrix, Matrix]:
        pair = part.pair
        wanted = min(pair.n, max(2, round(self.share * pair.n)))
        rows = np.sort(np.random.default_rng((0, part.number)).permutation(pair.n)[:wanted])
        return pair.n, pair.original[rows], pair.released[rows]


@dataclass(frozen=True, eq=False)
class People:
    """Who was drawn, part by part: what is known of each, and what was released of each."""

    original: Matrix
    released: Matrix
    drawn: tuple[int, ...]
    sizes: tuple[int, ...]

    def linked(self, answers: Sequence[Ints]) -> Linked:
        """Who is linked to the own record, by how many of each part fit as well (-1: one fits better)."""
        every = np.array(answers)
        found = shares(np.where((every < 0).any(axis=0), -1, every.sum(axis=0)))
        return Linked.of_sample(np.split(found, np.cumsum(self.drawn)[:-1]), self.sizes)


def people(count: int, known: Spreads) -> Rounds[People]:
    """About so many people of all parts, of the protected columns that vary."""
    answers = yield DrawQuestion(min(1.0, count / known.n))
    original, released = (np.vstack([each[side] for each in answers])[:, known.varying] for side in (1, 2))
    return People(
        np.ascontiguousarray(original),
        np.ascontiguousarray(released),
        tuple(len(each[1]) for each in answers),
        tuple(each[0] for each in answers),
    )
