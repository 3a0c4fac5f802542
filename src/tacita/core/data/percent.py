"""Shares of a value are given in percent, everywhere: 15 is 15 percent.

A figure between 0 and 1 would be less than one percent, and is nearly always a share as in other tools. Taken
as percent, it would silently protect almost nothing. Parameters refuse it. Protection levels, which used to
be shares, read it as a share with a warning; figures from 1 to 2 are ambiguous and refused.
"""

from __future__ import annotations

import warnings
from typing import Annotated

import numpy as np
import numpy.typing as npt
from pydantic import AfterValidator
from pydantic_core import PydanticCustomError

from tacita.core.arrays import Floats
from tacita.core.errors import ParameterError

SHARE_TAKEN = "levels are in percent; {:g} was taken for the share that is {:g} percent."


def as_share(value: float) -> str | None:
    """Why a figure is not a percentage; None if it is one.

    >>> as_share(0.15)
    '0.15 would be 0.15 percent; write 15 for 15 percent'
    """
    if not 0 < value < 1:
        return None
    return f"{value:g} would be {value:g} percent; write {100 * value:g} for {100 * value:g} percent"


def _percent(value: float) -> float:
    if wrong := as_share(value):
        raise PydanticCustomError("share", "{wrong}", {"wrong": wrong})
    return value


def _level(value: str | float) -> str | float:
    if not isinstance(value, str) and (wrong := _ambiguous(value)):
        raise PydanticCustomError("share", "{wrong}", {"wrong": wrong})
    return value


def _ambiguous(level: float) -> str | None:
    if not 1 <= level <= 2:
        return None
    return (
        f"{level:g} may be {level:g} percent, or the share that is {100 * level:g} percent; write "
        f"{100 * level:g} for that one, and give smaller levels as absolute ones, in a column or an array"
    )


def is_share(level: str | float) -> bool:
    """Whether a protection level can only be meant as a share of the value."""
    return not isinstance(level, str) and 0 < level < 1


def in_percent(level: float) -> float:
    """A protection level in percent, one that can only be a share taken for it.

    >>> in_percent(0.15), in_percent(15)
    (15.0, 15.0)
    """
    return 100.0 * level if is_share(level) else float(level)


Percent = Annotated[float, AfterValidator(_percent)]
# percent of the value, or the name of a column
Level = Annotated[str | float, AfterValidator(_level)]


def percent_of(level: float, values: npt.ArrayLike, subject: str) -> Floats:
    """A percentage of the size of each value. A share is converted with a warning.

    >>> percent_of(15, [100.0, -20.0], "Table").tolist()
    [15.0, 3.0]
    """
    if wrong := _ambiguous(level):
        raise ParameterError(f"{subject}: {wrong}.")
    if is_share(level):
        warnings.warn(f"{subject}: {SHARE_TAKEN.format(level, 100 * level)}", UserWarning, stacklevel=4)
    return np.asarray(np.abs(values) * (in_percent(level) / 100.0), dtype=np.float64)
