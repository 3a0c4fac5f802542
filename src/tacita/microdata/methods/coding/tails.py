"""Numbers beyond a limit become one: those who stand out do so no longer."""

from __future__ import annotations

from math import fsum
from typing import ClassVar, Literal

import numpy as np
from pydantic import Field, FiniteFloat, model_validator

from tacita.core import DataError, Floats, ParameterError, RunContext

from .coding_method import Coding

# A mean or median of fewer is nearly a record.
_FEWEST = 3


class TailCoding(Coding):
    """What top-coding and bottom-coding share; `sign` is 1 for the upper end, -1 for the lower."""

    sign: ClassVar[int]

    limit: FiniteFloat | dict[str, FiniteFloat] | None = Field(
        default=None, description="numbers beyond it are coded; in a plan, one for each column"
    )
    share: float | None = Field(
        default=None, gt=0, le=0.5, description="share of the records that are coded, at most"
    )
    count: int | None = Field(default=None, ge=1, description="how many records are coded, at most")
    by: Literal["limit", "mean", "median"] = Field(
        default="limit",
        description="what they become: the limit, or the mean or median of those that are coded",
    )

    @model_validator(mode="after")
    def _one_limit(self) -> TailCoding:
        limits = [name for name in ("limit", "share", "count") if getattr(self, name) is not None]
        if len(limits) != 1:
            raise ParameterError(
                f"{self.display_name()}: wanted one of limit, share or count, got "
                f"{' and '.join(limits) or 'none'}."
            )
        return self

    @property
    def needs_whole_file(self) -> str:
        if self.limit is None:
            return "a share or number of records is one of all of them; give a limit"
        return "" if self.by == "limit" else "a mean or median of the tail is one of all its records"

    def renumber(self, column: str, values: Floats, run: RunContext) -> Floats:
        """The same numbers, those beyond the limit replaced. O(n log n)."""
        turned = self.sign * values
        limit = self._limit(column, turned)
        beyond = turned > limit
        if not beyond.any():
            return values
        if self.by != "limit" and (few := int(beyond.sum())) < _FEWEST:
            raise DataError(
                f"{self.display_name()}: {few} records of column {column} are beyond the limit, and their "
                f"{self.by} would give them away. Code at least {_FEWEST}, or use the limit."
            )
        coded = values[beyond]
        new = {"limit": self.sign * limit, "mean": fsum(coded) / coded.size, "median": np.median(coded)}[
            self.by
        ]
        return np.where(beyond, new, values)

    def _limit(self, column: str, turned: Floats) -> float:
        if self.limit is not None:
            own = self.limit.get(column) if isinstance(self.limit, dict) else self.limit
            if own is None:
                raise ParameterError(
                    f"{self.display_name()}: limit has columns, and {column} is not one of them. Add it."
                )
            return self.sign * own
        most = self.count if self.count is not None else int((self.share or 0.0) * turned.size)
        # the largest that stays: values that tie with it stay too
        ordered = np.sort(turned)
        return float(ordered[max(turned.size - most - 1, 0)])


class TopCode(TailCoding):
    """Numbers above a limit become the limit, or the mean or median of all above it.

    x' = b where x > c, else x. The limit c is given, or is the largest number that stays when a share or a
    count of the largest is coded; numbers that tie with it stay. O(n log n) a column. Source: Hundepool et
    al. (2012), Statistical Disclosure Control, section 3.2.

    >>> TopCode(limit=10).renumber("x", np.array([3.0, 12.0, 10.0]), RunContext()).tolist()
    [3.0, 10.0, 10.0]
    >>> TopCode(count=3, by="mean").renumber("x", np.array([1.0, 2.0, 7.0, 8.0, 9.0]), RunContext()).tolist()
    [1.0, 2.0, 8.0, 8.0, 8.0]
    """

    guarantees: ClassVar[tuple[str, ...]] = ("coded", "top-coded")
    sign: ClassVar[int] = 1


class BottomCode(TailCoding):
    """Numbers below a limit become the limit, or the mean or median of all below it.

    x' = b where x < c, else x; as top-code, at the other end. O(n log n) a column. Source: Hundepool et al.
    (2012), Statistical Disclosure Control, section 3.2.

    >>> BottomCode(limit=10).renumber("x", np.array([3.0, 12.0, 10.0]), RunContext()).tolist()
    [10.0, 12.0, 10.0]
    """

    guarantees: ClassVar[tuple[str, ...]] = ("coded", "bottom-coded")
    sign: ClassVar[int] = -1
