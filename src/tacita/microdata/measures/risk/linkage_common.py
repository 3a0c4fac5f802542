"""Shared parts of linkage attacks: distinct rows, and a sample of people where all would cost too much."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np

from tacita.core import Floats, Ints, Matrix, RunContext
from tacita.microdata.measures.moments import Spreads
from tacita.microdata.measures.partial_aggregation import Part, PartialStatistic, Reduction

# Records by which the cost of linking all of them is foreseen.
_PILOT = 1000
# Parts of the file that a sample is drawn from, by how far a record is from its own.
_STRATA = 50
# Records that one thread links at a time.
BLOCK = 512


@dataclass(frozen=True, eq=False)
class Linked:
    """Share of the people who are linked to their own record: `mean`, and per record where all were linked.

    For a sample, `error` is the standard error of the mean.
    """

    mean: float
    error: float | None = None
    per_record: Floats | None = None

    @classmethod
    def of_all(cls, share: Floats) -> Linked:
        """The share of everybody."""
        return cls(float(share.mean()), None, share)

    @classmethod
    def of_sample(cls, drawn: Sequence[Floats], sizes: Sequence[int]) -> Linked:
        """The estimate of a stratified sample: at least two records of each stratum, or all.

        The mean is the sum over strata of W_h y_h with W_h = N_h / N, its variance that of W_h^2 s_h^2 / n_h
        (1 - n_h / N_h). Source: Cochran (1977), Sampling Techniques, 3rd edition, Wiley, section 5.

        >>> both = Linked.of_sample([np.array([1.0, 1.0]), np.array([0.0, 1.0])], [30, 10])
        >>> both.mean, round(both.error, 3)
        (0.875, 0.112)
        """
        weight = np.array(sizes) / sum(sizes)
        mean = np.array([shares.mean() for shares in drawn])
        left = [
            0.0 if shares.size == size else shares.var(ddof=1) / shares.size * (1 - shares.size / size)
            for shares, size in zip(drawn, sizes, strict=True)
        ]
        return cls(float(weight @ mean), float(np.sqrt(weight**2 @ np.array(left))))

    @classmethod
    def average(cls, attacks: Sequence[Linked]) -> Linked:
        """The mean of several attacks, each on everybody or on its own sample."""
        every = [attack.per_record for attack in attacks if attack.per_record is not None]
        if len(every) == len(attacks):
            return cls.of_all(np.asarray(np.mean(every, axis=0), dtype=np.float64))
        errors = [attack.error or 0.0 for attack in attacks]
        return cls(
            float(np.mean([attack.mean for attack in attacks])), float(np.linalg.norm(errors)) / len(attacks)
        )

    def percent(self) -> Linked:
        """The same in percent."""
        if self.per_record is not None:
            return Linked.of_all(100 * self.per_record)
        return Linked(100 * self.mean, 100 * (self.error or 0.0))


def shares(ties: Ints) -> Floats:
    """1/t where t records fit as well as the own, it among them; 0 where another fits better (-1).

    >>> shares(np.array([1, 2, -1])).tolist()
    [1.0, 0.5, 0.0]
    """
    return np.where(ties > 0, 1 / np.maximum(ties, 1), 0.0)


def foreseen(n: int, look: Callable[[Ints], float], run: RunContext) -> float:
    """Steps that all n records would take, by those of a few of them. The few are always the same."""
    few = run.search_generator().permutation(n)[:_PILOT]
    return look(few) / few.size * n


def link_sample(share: float, apart: Floats, link: Callable[[Ints], Floats], run: RunContext) -> Linked:
    """Link this share of the records, drawn within strata of like distance from their own.

    apart: that distance of each record, which says most about who is found. O(n log n), and the links.
    """
    generator = run.search_generator()
    strata = np.array_split(np.argsort(apart, kind="stable"), min(_STRATA, max(1, apart.size // 2)))
    counts = [min(stratum.size, max(2, round(share * stratum.size))) for stratum in strata]
    drawn = [
        np.sort(generator.permutation(stratum)[:count]) for stratum, count in zip(strata, counts, strict=True)
    ]
    chances = link(np.concatenate(drawn))
    return Linked.of_sample(np.split(chances, np.cumsum(counts)[:-1]), [stratum.size for stratum in strata])


def distinct_rows(x: Matrix) -> tuple[Matrix, Ints, Ints]:
    """The distinct rows, which of them each row is, and how often each stands; equal ones may stand apart.

    Rows are sorted by a hash and compared with their neighbours, so that two that collide come as two; so do
    zero and minus zero. O(n d + n log n).

    >>> rows, own, repeats = distinct_rows(np.array([[1.0, 2.0], [3.0, 4.0], [1.0, 2.0]]))
    >>> rows[own].tolist(), sorted(repeats.tolist())
    ([[1.0, 2.0], [3.0, 4.0], [1.0, 2.0]], [1, 2])
    """
    mixed = np.zeros(len(x), dtype=np.uint64)
    for column in np.ascontiguousarray(x).view(np.uint64).T:
        mixed ^= column
        # an odd number carries low bits up, the shift takes high ones down
        mixed *= np.uint64(0x9E3779B97F4A7C15)
        mixed ^= mixed >> np.uint64(29)
    order = np.argsort(mixed, kind="stable")
    new = np.zeros(len(x), dtype=bool)
    new[:1] = True
    for column in x.T:
        ordered = column[order]
        new[1:] |= ordered[1:] != ordered[:-1]
    starts = np.flatnonzero(new)
    own = np.empty(len(x), dtype=np.int64)
    own[order] = np.cumsum(new) - 1
    return x[order[starts]], own, np.diff(np.append(starts, len(x)))


@dataclass(frozen=True)
class DrawStatistic(PartialStatistic):
    """A share of the people of a part, drawn at random, with their own released records. Always the same."""

    share: float

    def compute(self, part: Part) -> tuple[int, Matrix, Matrix]:
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
        chances = shares(np.where((every < 0).any(axis=0), -1, every.sum(axis=0)))
        return Linked.of_sample(np.split(chances, np.cumsum(self.drawn)[:-1]), self.sizes)


def people(count: int, known: Spreads) -> Reduction[People]:
    """About so many people of all parts, of the protected columns that vary."""
    partials = yield DrawStatistic(min(1.0, count / known.n))
    original, released = (
        np.vstack([partial[side] for partial in partials])[:, known.varying] for side in (1, 2)
    )
    return People(
        np.ascontiguousarray(original),
        np.ascontiguousarray(released),
        tuple(len(partial[1]) for partial in partials),
        tuple(partial[0] for partial in partials),
    )
