"""Compiling everything once, before somebody waits for it."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from .core import Categories, Comparison, Hierarchy, Relations, Run, Table, registry
from .kernels.plain import warming

# Two columns in no order, and a unit of many records: otherwise short cuts are taken.
_X = np.random.default_rng(0).lognormal(size=(40, 2))
_UNITS = np.where(np.arange(40) < 25, 0, np.arange(40))
# A tree of which no edge can be cut, for what is done with large components.
_STAR = np.eye(13)[:, 1:]
_NAMES = np.arange(40.0) % 3


def warmup(run: Run | None = None) -> None:
    """Run every built-in method and measure on a few records or cells, which compiles their kernels."""
    steps = [
        (name, _WARM[kind], registry.lookup(name, kind))
        for kind, names in registry.BUILT_IN.items()
        for name in names
        if kind in _WARM
    ]
    steering = run or Run()
    for done, (name, warm, found) in enumerate(steps):
        steering.report(f"compiling {name}", done, len(steps))
        with warming():
            warm(found)
    with warming():
        _attack()
    steering.report("compiling", 1, 1)


def _grouping(found: Any) -> None:
    method = found(**_chosen(found, certify=True, effort=0.001, rounds=40))
    for x, units in ((_X, None), (_X, _UNITS), (_STAR, None)):
        method.partition(x[:, :1] if method.one_column else x, units=units)
    if "nominal" in method.takes:
        mixed = np.column_stack([_X[:, 0], _NAMES, _NAMES])
        method.partition(mixed, kinds=["numeric", "nominal", "ordinal"], units=_UNITS)


def _masking(found: Any) -> None:
    found().mask(_X)
    found().mask(_X, units=_UNITS)


def _synthesis(found: Any) -> None:
    found().synthesize(_X[:, :1], _X[:, 1:])
    found(nonnegative=True).synthesize(_X[:, :1], None)


def _measure(found: Any) -> None:
    codes = _NAMES[:, None]
    categories = Categories(codes, codes[::-1].copy(), ("c",), (False,))
    for beside in (None, categories):
        found().score(Comparison.of(_X, _X[::-1], categories=beside))


def _suppression(found: Any) -> None:
    values = np.arange(1.0, 17.0).reshape(4, 4) % 7 + 1
    table = Table.from_array(values, primary=np.eye(4, dtype=bool), lower=15, upper=15)
    for problem in found.problems:
        found().suppress(table, problem)


def _attack() -> None:
    """What the audit of a published table computes."""
    from .tables.verify.attacker import Attacker

    relations = Relations.cross([Hierarchy.flat("r", ["a", "b"]), Hierarchy.flat("c", ["x", "y"])])
    corners = np.array([1, 1, 0, 1, 1, 0, 0, 0, 0], dtype=bool)
    Attacker(relations, corners, down=np.ones(4), up=np.ones(4)).reach(0, 1)


def _chosen(found: Any, **parameters: Any) -> dict[str, Any]:
    return {name: value for name, value in parameters.items() if name in found.model_fields}


_WARM: dict[str, Callable[[Any], None]] = {
    "microaggregation": _grouping,
    "masking": _masking,
    "synthesis": _synthesis,
    "suppression": _suppression,
    **dict.fromkeys(registry.MEASURING, _measure),
}
