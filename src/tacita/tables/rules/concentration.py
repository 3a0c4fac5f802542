"""Rules against cells in which few contributors make up most: dominance, p %, prior-posterior."""

from __future__ import annotations

from typing import ClassVar

from pydantic import Field, model_validator

from tacita.core import Contributors, ParameterError, Percent

from .rule import Flags, Rule


class Dominance(Rule):
    """A cell is sensitive if its n largest contributions make up more than k percent of it.

    With contributions x1 >= x2 >= ... of total X: sensitive if x1 + ... + xn > k X / 100. Protection level
    (100 / k)(x1 + ... + xn) - X: at a total so much larger the cell would be safe. Contributors who
    waived protection do not count against a cell whose n largest are all theirs.

    O(cells).
    Source: Hundepool et al. (2012), Statistical Disclosure Control, Wiley, ch. 4.

    >>> Dominance(n=1, k=50).flag(Contributors.of([[60, 30, 10], [40, 35, 30]])).mask.tolist()
    [True, False]
    """

    wants_interval: ClassVar[bool] = True

    n: int = Field(default=1, ge=1, le=20, description="how many of the largest contributors")
    k: Percent = Field(default=75.0, gt=0, lt=100, description="largest share they may have, in percent")

    @property
    def depth(self) -> int:
        return self.n

    def flag(self, cells: Contributors) -> Flags:
        top = self.largest(cells)
        someone_asks = (cells.open > 0) & (cells.open >= cells.largest[:, self.n - 1])
        level = top * (100.0 / self.k) - cells.total
        return Flags.of((level > 1e-12 * cells.total) & someone_asks, level)


class PPercent(Rule):
    """A cell is sensitive if a contributor can estimate another's contribution to within p percent.

    With x1 >= x2 >= ... of total X, the second largest knows x1 up to R = X - x1 - x2: sensitive if
    R < p x1 / 100. Protection level p x1 / 100 - R. A coalition of c subtracts c contributions instead of
    one. Where the largest contributors waived protection, x1 is the largest who did not, and the
    others are the attackers.

    O(cells).
    Source: Hundepool et al. (2012), Statistical Disclosure Control, Wiley, ch. 4.

    >>> found = PPercent(p=20).flag(Contributors.of([[60, 30, 10], [40, 35, 30]]))
    >>> found.mask.tolist(), found.upper.tolist()
    ([True, False], [2.0, 0.0])
    """

    wants_interval: ClassVar[bool] = True

    p: Percent = Field(
        default=15.0, gt=0, description="closest allowed estimate, in percent of the contribution"
    )
    coalition: int = Field(
        default=1, ge=1, le=19, description="how many contributors may pool what they know"
    )

    @property
    def depth(self) -> int:
        return self.coalition + 1

    def flag(self, cells: Contributors) -> Flags:
        return self._flag(cells, self.p / 100.0)

    def _flag(self, cells: Contributors, share: float) -> Flags:
        top = self.largest(cells)
        last = cells.largest[:, self.coalition]
        # the one to protect stands among the largest, or below them if those above have waived
        known = top - last + last.clip(max=cells.open)
        remainder = cells.total - known
        level = share * cells.open - remainder
        return Flags.of((level > 1e-12 * cells.total) & (cells.open > 0), level)


class PQ(PPercent):
    """A cell is sensitive if others can sharpen what they know of a contribution from q to p percent.

    The prior-posterior rule: everyone knows every contribution to within q percent beforehand. Sensitive if
    q R / 100 < p x1 / 100 with R = X - x1 - x2. Protection level p x1 / q - R. The p % rule is q = 100.

    O(cells).
    Source: Hundepool et al. (2012), Statistical Disclosure Control, Wiley, ch. 4.

    >>> found = PQ(p=10, q=50).flag(Contributors.of([[60, 30, 10], [40, 35, 30]]))
    >>> found.mask.tolist(), found.upper.tolist()
    ([True, False], [2.0, 0.0])
    """

    q: Percent = Field(default=100.0, gt=0, le=100, description="what everyone knows beforehand, in percent")

    @model_validator(mode="after")
    def _sharpened(self) -> PQ:
        if self.p >= self.q:
            raise ParameterError("PQ: p must be less than q: an estimate gets closer, not wider.")
        return self

    def flag(self, cells: Contributors) -> Flags:
        return self._flag(cells, self.p / self.q)
