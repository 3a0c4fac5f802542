"""Compiling everything once, before somebody waits for it."""

from __future__ import annotations

import gc
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

import numpy as np
import pyarrow as pa

from tacita.core import Categories, Comparison, Hierarchy, Microdata, Relations, Roles, RunContext, Table
from tacita.core.results.score import Files
from tacita.core.spec import registry
from tacita.kernels.compiling import report_compiling
from tacita.kernels.interpreted import warming
from tacita.microdata.plans.plan import Protection
from tacita.microdata.release.release import make_release

__all__ = ["report_compiling", "warmup"]

# Two columns in no order, and a unit of many records: otherwise short cuts are taken.
_X = np.random.default_rng(0).lognormal(size=(40, 2))
_UNITS = np.where(np.arange(40) < 25, 0, np.arange(40))
# A tree of which no edge can be cut, for what is done with large components.
_STAR = np.eye(13)[:, 1:]
_NAMES = np.arange(40.0) % 3
# Keys of two values each: enough of them that pairs are looked at before all.
_TRAITS = tuple(f"trait {i}" for i in range(6))


def warmup(run: RunContext | None = None) -> None:
    """Run every built-in method and measure on a few records or cells, which compiles their kernels."""
    steps = [
        (name, _WARM[kind], registry.lookup(name, kind))
        for kind, names in registry.BUILT_IN.items()
        for name in names
        if kind in _WARM
    ]
    steering = run or RunContext()
    with _seldom_collecting():
        for done, (name, warm, method_class) in enumerate(steps):
            steering.report(f"compiling {name}", done, len(steps))
            with warming():
                warm(name, method_class)
        with warming():
            _attack()
            _look_around()
            _look_near()
    steering.report("compiling", 1, 1)


@contextmanager
def _seldom_collecting() -> Iterator[None]:
    """Compilers make many objects that live on: collect garbage less often."""
    usual = gc.get_threshold()
    gc.set_threshold(50_000, 20, 100)
    try:
        yield
    finally:
        gc.set_threshold(*usual)


def _grouping(_: str, method_class: Any) -> None:
    # as few rounds of a proof as call all its kernels
    for x, units, rounds in ((_STAR, None, 1), (_X, None, 4), (_X, _UNITS, 4)):
        method = method_class(**_chosen(method_class, certify=True, effort=0.001, rounds=rounds))
        method.partition(x[:, :1] if method.one_column else x, units=units)
    for params in (_chosen(method_class, growth="centroid"), _chosen(method_class, end_rule="2k")):
        if params:
            # of 38 records two are left over, and join other groups
            method_class(**params).partition(_X[:38])
    if "nominal" in method.takes:
        mixed = np.column_stack([_X[:, 0], _NAMES, _NAMES])
        method.partition(mixed, kinds=["numeric", "nominal", "ordinal"], units=_UNITS)


def _masking(name: str, method_class: Any) -> None:
    if "numeric" not in method_class.takes:
        # areas follow from towns, which does not matter here
        _release(name, quasi=["area", "town"], unit="unit", insist=True)
        return
    method_class().mask(_X)
    method_class().mask(_X, units=_UNITS)


def _synthesis(name: str, method_class: Any) -> None:
    if "nominal" in method_class.takes:
        # with so few records, membership does not matter
        roles: dict[str, Any] = {"dependent": ["area", "x", "y"], "nominal": ["area"], "insist": True}
        _release(name, **roles)
        _release(name, **roles, unit="town", k=3)
        return
    method_class().synthesize(_X[:, :1], _X[:, 1:])
    method_class(nonnegative=True).synthesize(_X[:, :1], None)


def _coarser(name: str, method_class: Any) -> None:
    models = {
        "l_diversity": {"column": "answer", "l": 2},
        "t_closeness": {"column": "answer", "t": 0.9},
        "beta_likeness": {"column": "answer", "beta": 9.0},
    }
    settings: list[dict[str, Any]] = [{}, {"models": models}, {"unit": "unit"}]
    if "quality" in method_class.model_fields:
        settings.append({"quality": "ambiguity"})
    for options in settings:
        _release(name, quasi=["area", "town", *_TRAITS], k=3, suppression_limit=0.3, **options)


def _local_suppression(name: str, method_class: Any) -> None:
    for options in ({}, {"unit": "unit"}, {"missing_as": "wildcard"}, {"missing_as": "wildcard", "m": 2}):
        known_options = {
            key: value for key, value in options.items() if key == "unit" or key in method_class.model_fields
        }
        # few records, and no node of the tree: no proof is needed
        _release(
            name, 20, quasi=["area", "town", *_TRAITS], k=3, **known_options, **_chosen(method_class, nodes=0)
        )


def _release(name: str, n: int = 240, **roles: Any) -> None:
    """Make a whole release: kernels of categories get records, strata and texts."""
    make_release(
        Microdata.of(_records(n)),
        Protection.from_arguments(method=name, measures=["IL1"], **roles),
        RunContext(),
    )


def _records(n: int) -> pa.Table:
    """Records of all kinds."""
    rng = np.random.default_rng(1)
    town = rng.integers(0, 6, n)
    return pa.table(
        {
            "x": rng.lognormal(size=n),
            "y": rng.lognormal(size=n),
            "area": [f"area {place // 3}" for place in town],
            "town": [f"town {place}" for place in town],
            "unit": [f"u{i}" for i in range(n)],
            "answer": [f"answer {i % 4}" for i in range(n)],
            **{trait: rng.choice(["yes", "no"], n, p=[0.1, 0.9]) for trait in _TRAITS},
        }
    )


def _measure(_: str, method_class: Any) -> None:
    codes = _NAMES[:, None]
    categories = Categories(codes, codes[::-1].copy(), ("c",), (False,))
    for extra_categories in (None, categories):
        method_class().score(Comparison.of(_X, _X[::-1], categories=extra_categories))
    if "budget" in method_class.model_fields:
        # so little is for a sample
        method_class(budget=1).score(Comparison.of(_X, _X[::-1]))
    if method_class.of_files:
        holes = pa.array([None if i % 7 == 0 else f"t{i % 5}" for i in range(40)])
        units = [f"u{i}" for i in range(40)]
        frame = pa.table({"town": holes, "area": holes[::-1], "unit": units, "weight": np.full(40, 9.0)})
        for more in ({}, {"unit": "unit", "weight": "weight"}):
            data = Microdata.of(frame).with_roles(Roles(quasi=["town", "area"], **more))
            for reading in ("category", "wildcard"):
                params = {"missing_as": reading} if "missing_as" in method_class.model_fields else {}
                method_class(**params).score(Comparison.of_files(Files.unprotected(data)))


def _suppression(_: str, method_class: Any) -> None:
    values = np.arange(1.0, 17.0).reshape(4, 4) % 7 + 1
    table = Table.from_array(values, primary=np.eye(4, dtype=bool), lower=15, upper=15)
    tables = [table] if "any" not in method_class.shapes else [table, _cube()]
    for problem in method_class.problems:
        for candidate in tables:
            method_class().suppress(candidate, problem)


def _cube() -> Table:
    values = np.arange(1.0, 9.0).reshape(2, 2, 2)
    return Table.from_array(values, primary=values == 1, lower=15, upper=15, margins=True)


def _adjustment(_: str, method_class: Any) -> None:
    values = np.arange(1.0, 17.0).reshape(4, 4) % 7 + 1
    table = Table.from_array(
        values, primary=np.eye(4, dtype=bool), lower=15, upper=15, frequency=True, margins=True
    )
    method_class().adjust(table)


def _attack() -> None:
    """Compile the kernels of the audit of a published table."""
    from tacita.tables.verify.attacker import Attacker

    relations = Relations.cross([Hierarchy.flat("r", ["a", "b"]), Hierarchy.flat("c", ["x", "y"])])
    corners = np.array([1, 1, 0, 1, 1, 0, 0, 0, 0], dtype=bool)
    Attacker(relations, corners, down=np.ones(4), up=np.ones(4)).reach(0, 1)


def _look_around() -> None:
    """Compile the kernels that only tables of thousands of cells need."""
    from tacita.tables.suppression.large.neighbourhood import Nearby
    from tacita.tables.suppression.optimal.relation_presolve import systems_of

    values = np.arange(1.0, 28.0).reshape(3, 3, 3)
    table = Table.from_array(values, primary=values == 1, margins=True)
    for system in systems_of(table, "exact"):
        Nearby(system, system.cost).part(0, system.edges, np.ones(system.edges, dtype=bool))


def _look_near() -> None:
    """Compile the kernels that only files of thousands of records need, or solvers that divide groups."""
    from tacita.microdata.methods.microaggregation.bounding import Pricing
    from tacita.microdata.methods.microaggregation.neighbours import nearest_by_cuts
    from tacita.microdata.methods.microaggregation.set_partitioning import Columns, broken_triples

    nearest_by_cuts(_X, 5, RunContext())
    columns = Columns(len(_X), 2, Pricing(_X, 2, np.zeros(len(_X))).errors_of)
    columns.add(np.array([[0, 1, -1], [1, 2, -1], [0, 2, -1]]))
    broken_triples(columns, np.full(3, 0.5), np.empty((0, 3), dtype=np.int64), 1)


def _chosen(method_class: Any, **parameters: Any) -> dict[str, Any]:
    return {name: value for name, value in parameters.items() if name in method_class.model_fields}


_WARM: dict[str, Callable[[str, Any], None]] = {
    "microaggregation": _grouping,
    "masking": _masking,
    "synthesis": _synthesis,
    "generalisation": _coarser,
    "withholding": _local_suppression,
    "suppression": _suppression,
    "adjustment": _adjustment,
    **dict.fromkeys(registry.MEASURING, _measure),
}
