"""Former names of arguments and attributes work for one release, with a warning that names the new one."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from functools import wraps
from typing import Any, ParamSpec, TypeVar

P = ParamSpec("P")
T = TypeVar("T")


def renamed_arguments(**new_names: str) -> Callable[[Callable[P, T]], Callable[P, T]]:
    """A decorator that lets a function be called by former names of its keyword arguments.

    >>> @renamed_arguments(colour="color")
    ... def paint(*, color): return color
    >>> with warnings.catch_warnings(record=True) as warned:
    ...     warnings.simplefilter("always")
    ...     paint(colour="red"), str(warned[0].message)
    ('red', 'paint(colour=...) is paint(color=...) now.')
    """

    def decorate(function: Callable[P, T]) -> Callable[P, T]:
        name = function.__qualname__.removesuffix(".__init__")

        @wraps(function)
        def called(*args: P.args, **values: P.kwargs) -> T:
            for old in [old for old in new_names if old in values]:
                new = new_names[old]
                if new in values:
                    raise TypeError(f"{name}: {old} is called {new} now, and both were given.")
                warnings.warn(
                    f"{name}({old}=...) is {name}({new}=...) now.", DeprecationWarning, stacklevel=2
                )
                values[new] = values.pop(old)
            return function(*args, **values)

        return called

    return decorate


def renamed_attribute(old: str, new: str) -> property:
    """A property that reads an attribute by its former name.

    >>> class Paint:
    ...     color = "red"
    ...     colour = renamed_attribute("colour", "color")
    >>> with warnings.catch_warnings(record=True) as warned:
    ...     warnings.simplefilter("always")
    ...     Paint().colour, str(warned[0].message)
    ('red', 'Paint.colour is Paint.color now.')
    """

    def read(instance: object) -> Any:
        name = type(instance).__name__
        warnings.warn(f"{name}.{old} is {name}.{new} now.", DeprecationWarning, stacklevel=2)
        return getattr(instance, new)

    return property(read, doc=f"Former name of `{new}`.")
