"""Kernels as the Python that they are written in: for work that ends sooner than their compiling would.

Compiled or not, a kernel adds, multiplies and compares the same numbers in the same order, so that its
results are the same to the last bit. What compiling buys is speed, for seconds that small work does not take.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from functools import cache
from types import FunctionType
from typing import Any

import numpy as np

# the compiler's word for a function that it compiles; it is not loaded here
Dispatcher = Any

_INTERPRETING: ContextVar[bool] = ContextVar("interpreting", default=False)
_WARMING: ContextVar[bool] = ContextVar("warming", default=False)


@contextmanager
def warming() -> Iterator[None]:
    """Until it ends, every kernel counts as ready: what is called is compiled, however small the work."""
    before = _WARMING.set(True)
    try:
        yield
    finally:
        _WARMING.reset(before)


@contextmanager
def interpreting() -> Iterator[None]:
    """Until it ends, `dispatch` hands out kernels as plain Python."""
    before = _INTERPRETING.set(True)
    try:
        # compiled code is silent about infinities
        with np.errstate(all="ignore"):
            yield
    finally:
        _INTERPRETING.reset(before)


def dispatch(kernel: Dispatcher) -> Callable[..., Any]:
    """The kernel, or its Python function inside of `interpreting`."""
    return interpreted(kernel) if _INTERPRETING.get() else kernel


def is_ready(kernel: Dispatcher) -> bool:
    """Whether a kernel was compiled before, by this process or by another that kept it; or is to be now."""
    if _WARMING.get() or kernel.signatures:
        return True
    # the compiler's own list of what it kept: empty for code that has changed since, as by an upgrade
    return bool(kernel._cache._cache_file._load_index())


@cache
def interpreted(kernel: Dispatcher) -> Callable[..., Any]:
    """A kernel as plain Python, all that it calls included."""
    function = kernel.py_func
    named = {name: function.__globals__.get(name) for name in function.__code__.co_names}
    called = {
        name: interpreted(called_kernel)
        for name, called_kernel in named.items()
        if hasattr(called_kernel, "py_func")
    }
    return FunctionType(function.__code__, {**function.__globals__, **called}, function.__name__)
