"""Small example records and tables for the laws, and helpers that run methods on them."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pyarrow as pa

from tacita.core import (
    Cancelled,
    Categories,
    Comparison,
    Hierarchy,
    Matrix,
    Microdata,
    RecordMethod,
    Roles,
    RunContext,
    Table,
)
from tacita.core.results.score import Files

# long enough that it cannot be guessed
SEED = 0x9D1F6C2B84E7350A9F2C61D07B3E8A45


def varied(method: Any, **parameters: Any) -> Any:
    """The method with some parameters replaced."""
    return type(method)(**{name: getattr(method, name) for name in method.model_fields_set} | parameters)


def refusal(error: type[Exception], verb: Callable[..., Any], *values: Any, **named: Any) -> str:
    """The message of the error that a call raises; empty if it raises none."""
    try:
        verb(*values, **named)
    except error as raised:
        return str(raised)
    return ""


def steered(verb: Callable[[RunContext], Any]) -> list[tuple[bool, str]]:
    """Whether a call reports all of its work as done, and stops when it is cancelled."""
    events: list[Any] = []
    verb(RunContext(on_progress=events.append))
    return [
        (bool(events) and events[-1].share == 1, "The last progress it reports is not all of its work."),
        (
            bool(refusal(Cancelled, verb, RunContext(should_cancel=lambda: True))),
            "It runs on when it is cancelled.",
        ),
    ]


class StopAfter:
    """A stop callback that returns true after a number of calls, and counts its calls."""

    def __init__(self, questions: int) -> None:
        self.left, self.count = questions, 0

    def __call__(self) -> bool:
        self.count += 1
        return self.count > self.left


def numbers(n: int = 60, d: int = 3, seed: int = 0) -> Matrix:
    """Records of some columns, none of them related."""
    return np.random.default_rng(seed).normal(size=(n, d))


def compared(x: Matrix, z: Matrix, domains: Any = None) -> Comparison:
    """Records before and after, as numbers and as whole files with weights and a sensitive answer."""
    n, d = x.shape
    names = [f"x{j + 1}" for j in range(d)]
    # both depend on the record, not on its position
    extra = {"weight": 1.5 + np.cos(x[:, 0]), "answer": np.where(np.sin(9 * x[:, -1]) > 0, "yes", "no")}
    extra["status"] = np.where(np.sin(7 * x[:, -1]) > 0, "in", "out")
    codes = Categories(np.sign(x[:, :1]), np.sign(z[:, :1]), ("c",), (False,))
    signs = np.where(codes.original[:, 0] > 0, "more", "less")
    # a coarser value is an ancestor of the original one
    coarser = np.where(codes.original[:, 0] == codes.released[:, 0], signs, "Total")
    before, after = (
        Microdata.of(pa.table({**dict(zip(names, values.T, strict=True)), "c": labels, **extra}))
        for values, labels in ((x, signs), (z, coarser))
    )
    roles = Roles(quasi=[*names, "c"], nominal="c", weight="weight", confidential="answer")
    rises = {"c": Hierarchy.flat("c", ["less", "more"])}
    files = Files(released=after, original=before.with_roles(roles), rows=np.arange(n), hierarchies=rises)
    return Comparison.of(x, z, domains=domains, categories=codes, files=files)


def codes(n: int = 60, seed: int = 0) -> Matrix:
    """Records with categories: regions from coarse to fine, two, four and eight of them."""
    finest = np.random.default_rng(seed).integers(0, 8, n)
    return np.column_stack([finest // 4, finest // 2, finest]).astype(np.float64)


def explained(n: int = 120) -> tuple[Matrix, Matrix]:
    """Three dependent columns, one the sum of the others, and two independent ones."""
    rng = np.random.default_rng(0)
    s = rng.normal(size=(n, 2))
    y = s @ rng.normal(size=(2, 2)) + rng.normal(size=(n, 2))
    return np.column_stack([y, y.sum(axis=1)]), s


def persons(n: int = 160) -> pa.Table:
    """Records in two regions; some have no z, and none of these a town."""
    rng = np.random.default_rng(4)
    x, gaps = rng.normal(9, 2, n), np.arange(n) % 8 == 0
    return pa.table(
        {
            "x": x,
            "y": x + rng.normal(0, 3, n),
            "z": pa.array(rng.normal(50, 9, n) - 2 * x, mask=gaps),
            "age": pa.array((20 + rng.integers(0, 60, n)).astype(str), mask=gaps),
            "town": pa.array([f"town {i % 7}" for i in range(n)], mask=gaps),
            "region": ["north" if i % 4 < 2 else "south" for i in range(n)],
            "unit": [f"u{i}" for i in range(n)],
        }
    )


def released(method: RecordMethod, missing: Any = "drop", **roles: Any) -> list[tuple[bool, str]]:
    """Whether a release of the persons keeps its promises, and the same seed gives the same release."""
    from tacita.microdata import verify
    from tacita.microdata.protection.protect import protect

    around = {"strata": ["region"], "unit": "unit", "identifiers": ["unit"]}
    data = Microdata.of(persons()).with_roles(Roles(**roles, **around))
    one, other = (
        protect(data, method, RunContext(seed=SEED), missing=missing, shuffle=True) for _ in range(2)
    )
    broken = [verdict.guarantee for verdict in verify.verify(one.data, one.claim) if not verdict.passed]
    return [
        (not broken, f"With missing={missing!r}, it does not hold: {', '.join(broken)}."),
        (one.data.native.equals(other.data.native), "The same seed gives another release."),
    ]


def two_way(seed: int, shape: tuple[int, int] = (5, 5), primaries: int = 3) -> Table:
    """Two-way, values of at least 20, levels of a fifth: every problem has a pattern."""
    generator = np.random.default_rng(seed)
    values = generator.integers(20, 80, size=shape).astype(float)
    primary = np.zeros(values.size, dtype=bool)
    primary[generator.choice(values.size, primaries, replace=False)] = True
    return Table.from_array(values, primary=primary.reshape(shape), lower=20, upper=20)


def nested() -> Table:
    """Regions with parts and a total of them, by size; every problem has a pattern."""
    from tacita.io.hierarchies import from_nested

    regions = from_nested("region", {"north": ["n1", "n2", "n3"], "south": ["s1", "s2", "s3"]})
    values = np.random.default_rng(5).integers(20, 80, size=(6, 3)).astype(float)
    primary = np.arange(18).reshape(6, 3) == 4
    sizes = Hierarchy.flat("size", ["small", "middle", "large"])
    return Table.cross([regions, sizes], values, primary=primary, lower=20, upper=20)


def cube() -> Table:
    """Three dimensions, one of them with parts; every problem has a pattern."""
    from tacita.io.hierarchies import from_nested

    regions = from_nested("region", {"north": ["n1", "n2"], "south": ["s1", "s2"]})
    values = np.random.default_rng(6).integers(20, 80, size=(4, 3, 2)).astype(float)
    primary = np.isin(np.arange(24), [5, 14]).reshape(values.shape)
    others = [Hierarchy.flat("size", ["small", "middle", "large"]), Hierarchy.flat("sex", ["f", "m"])]
    return Table.cross([regions, *others], values, primary=primary, lower=20, upper=20, margins=True)


def linked() -> Table:
    """Two tables of the same regions, tied by their sums; every problem has a pattern."""
    from tacita.tables.input.linked_tables import link_tables

    generator = np.random.default_rng(8)
    values = generator.integers(20, 80, size=(3, 3, 2)).astype(float)
    regions, sizes, sexes = ["n", "s", "w"], ["small", "middle", "large"], ["f", "m"]
    settings: dict[str, Any] = {"lower": 20, "upper": 20, "margins": True}
    by_size: dict[str, Any] = {
        "names": ["region", "size"],
        "labels": [regions, sizes],
        "primary": np.eye(3) > 0,
    }
    by_sex: dict[str, Any] = {
        "names": ["region", "sex"],
        "labels": [regions, sexes],
        "primary": np.zeros((3, 2), dtype=bool),
    }
    return link_tables(
        [
            Table.from_array(values.sum(axis=2), **by_size, **settings),
            Table.from_array(values.sum(axis=1), **by_sex, **settings),
        ]
    )


def counts() -> Table:
    """Counts of records by three dimensions; counts of 1 and 2 are sensitive, with levels of 1."""
    values = np.random.default_rng(9).integers(0, 9, size=(4, 4, 3)).astype(float)
    table = Table.from_array(values, frequency=True, margins=True)
    small = (table.values > 0) & (table.values < 3)
    return table.with_primary(small, np.where(small, 1.0, 0.0), np.where(small, 1.0, 0.0))


def firms() -> pa.Table:
    """Records of firms in 4 regions and 3 sizes: one zero cell, one protection request, one large firm."""
    generator = np.random.default_rng(2)
    records = []
    for region in "nsew":
        for size in ("small", "middle", "large"):
            count = 3 if (region, size) == ("s", "small") else 6
            amounts = generator.integers(20, 40, size=count).astype(float)
            if (region, size) == ("w", "middle"):
                amounts[:] = 0
            if (region, size) == ("n", "large"):
                amounts[0] = 400
            records += [(region, size, amount, False) for amount in amounts]
    records[0] = (*records[0][:3], True)
    names = ("region", "size", "turnover", "asked")
    return pa.table(dict(zip(names, map(list, zip(*records, strict=True)), strict=True)))
