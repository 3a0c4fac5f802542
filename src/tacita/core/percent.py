"""Shares of a value are given in percent, everywhere: 15 is 15 percent.

A figure between 0 and 1 would be less than one percent, and is nearly always a share as other tools have
it. Taken as percent it would protect next to nothing and say nothing, so it is refused.
"""

from __future__ import annotations

from typing import Annotated

import numpy as np
import numpy.typing as npt
from pydantic import AfterValidator
from pydantic_core import PydanticCustomError

from .errors import ParameterError

Numbers = npt.NDArray[np.float64]

_ABSOLUTE = ", or give absolute levels as a column or an array"


def as_share(value: float) -> str | None:
    """Why a figure cannot be meant as percent; None where it can.

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
    if not isinstance(value, str) and (wrong := as_share(value)):
        raise PydanticCustomError("share", "{wrong}", {"wrong": wrong + _ABSOLUTE})
    return value


Percent = Annotated[float, AfterValidator(_percent)]
# percent of the value, or the name of a column
Level = Annotated[str | float, AfterValidator(_level)]


def percent_of(level: float, values: npt.ArrayLike, who: str) -> Numbers:
    """So many percent of the size of each value.

    >>> percent_of(15, [100.0, -20.0], "Table").tolist()
    [15.0, 3.0]
    """
    if wrong := as_share(level):
        raise ParameterError(f"{who}: {wrong}{_ABSOLUTE}.")
    return np.asarray(np.abs(values) * (level / 100.0), dtype=np.float64)
