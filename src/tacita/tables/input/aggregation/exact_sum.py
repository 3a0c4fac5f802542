"""Sums without loss: the same to the last bit in whatever order, and however what is added was split."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from tacita.core.arrays import Floats, Ints

# Bits of a word; a word of 64 holds the sum of two thousand million of them.
_BITS = 32
# What is left below the lowest word is smaller than any number that is not subnormal.
_LOWEST = -33


@dataclass(frozen=True, eq=False)
class ExactSums:
    """Sums as whole numbers of several words: sum i is that of words[i, j] 2^(32 (low + j)) over j.

    Every value is cut into words at the same places, so that words add up as whole numbers do. Where a sum is
    rounded, it is rounded once.

    Source: Demmel & Nguyen (2015), Parallel reproducible summation, IEEE Trans. Computers 64(7), 2060-2070;
    with as many words as the values need.

    >>> sums = ExactSums.of(np.array([1e16, 1.0, -1e16, 0.1, 0.2]), np.array([0, 3]))
    >>> sums.rounded().tolist()
    [1.0, 0.30000000000000004]
    """

    words: Ints
    low: int

    @classmethod
    def of(cls, values: Floats, starts: Ints) -> ExactSums:
        """Sums of neighbours, those of each sum from one of `starts` to the next.

        O(n words): one of whole numbers below 2^32, three or four of amounts with cents.
        """
        rest, columns = values, list[Ints]()
        word = (math.frexp(float(np.abs(values).max(initial=0.0)))[1] - 1) // _BITS
        while True:
            unit = math.ldexp(1.0, _BITS * word)
            whole = np.trunc(rest / unit)
            columns.append(np.add.reduceat(whole.astype(np.int64), starts) if starts.size else starts)
            # nothing is lost: both are multiples of what the value is a multiple of
            rest = rest - whole * unit
            if word == _LOWEST or not rest.any():
                return cls(np.stack(columns[::-1], axis=1), word)._carried()
            word -= 1

    @staticmethod
    def joined(parts: Sequence[ExactSums]) -> ExactSums:
        """All sums of several, one after the other."""
        low = min(part.low for part in parts)
        high = max(part.low + part.words.shape[1] for part in parts)
        padded = [
            np.pad(part.words, ((0, 0), (part.low - low, high - part.low - part.words.shape[1])))
            for part in parts
        ]
        return ExactSums(np.concatenate(padded), low)

    def at(self, chosen: Ints) -> ExactSums:
        """Some of the sums."""
        return ExactSums(self.words[chosen], self.low)

    def added(self, starts: Ints) -> ExactSums:
        """Sums of neighbours, as in `of`."""
        if not starts.size:
            return self
        return ExactSums(np.add.reduceat(self.words, starts, axis=0), self.low)._carried()

    def _carried(self) -> ExactSums:
        """The same sums, all words but the highest between 0 and 2^32."""
        words = self.words.copy()
        for place in range(words.shape[1] - 1):
            carry = words[:, place] >> _BITS
            words[:, place] -= carry << _BITS
            words[:, place + 1] += carry
        return ExactSums(words, self.low)

    def rounded(self) -> Floats:
        """The sums as numbers. O(sums words)."""
        negative = self.words[:, -1] < 0
        # a word more above, so that each is below 2^32, and two below the lowest
        wide = np.pad(np.where(negative[:, None], -self.words, self.words), ((0, 0), (0, 1)))
        words = np.pad(ExactSums(wide, self.low)._carried().words, ((0, 0), (2, 0)))
        last = words.shape[1] - 1
        top = np.maximum(2, last - np.argmax(words[:, ::-1] != 0, axis=1))
        high, middle, low = (words[np.arange(len(words)), top - place] for place in range(3))
        # of all that is lower, rounding needs to know only whether it is anything
        low |= ((words != 0) & (np.arange(last + 1) < top[:, None] - 2)).any(axis=1)
        # two numbers that doubles hold, so that their sum is rounded once
        upper = ((high << 21) | (middle >> 11)).astype(np.float64) * 2.0**43
        lower = (((middle & 0x7FF) << _BITS) | low).astype(np.float64)
        with np.errstate(over="ignore"):  # what is too large is refused by the table
            sums = np.ldexp(upper + lower, _BITS * (self.low + top - 4))
        return np.asarray(np.where(negative, -sums, sums), dtype=np.float64)
