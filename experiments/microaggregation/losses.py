"""Every method on every benchmark file, with what was printed of it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from experiments.document import Cell, seconds, table
from experiments.files import SPOKEN, Matrix, loss, partition
from experiments.published import LOSSES, SOURCES
from tacita import registry
from tacita.core import RunContext

GROUP_SIZES = (3, 5, 10)
LARGE_SIZES = (25, 50, 100)
_COMPILED = 100
# Settings with which figures were printed, where ours are others by default.
AS_PRINTED: Mapping[str, Mapping[str, Any]] = {"brkga": {"polish": False}, "mdav": {"end_rule": "2k"}}
# Settings that a source describes without figures of them: Lin & Yin let groups grow around their centroid.
AS_DESCRIBED: Mapping[str, Mapping[str, Any]] = {
    name: {"growth": "centroid"} for name in ("mdav", "md", "cbfs", "kward")
}


@dataclass(frozen=True)
class Loss:
    """One partition: what it loses, what was printed, what it took."""

    method: str
    file: str
    k: int
    ours: float
    published: float | None
    seconds: float
    groups: int
    settings: Mapping[str, Any] = field(default_factory=dict)

    @property
    def label(self) -> str:
        """The method, and how it was set where that is not the default."""
        told = ", ".join(f"{name.replace('_', ' ')} {_spoken(v)}" for name, v in self.settings.items())
        return f"{self.method} ({told})" if told else self.method


def _spoken(value: object) -> str:
    return {True: "on", False: "off"}.get(value, str(value)) if isinstance(value, bool) else str(value)


def partitioning_methods() -> list[str]:
    """All that take several columns."""
    names = registry.names("microaggregation")
    several: dict[str, Any] = {name: registry.lookup(name, "microaggregation") for name in names}
    return [name for name, method in several.items() if not method.one_column]


def all_losses(data: Mapping[str, Matrix], sizes: Sequence[int] | None, run: RunContext) -> Iterator[Loss]:
    """Every method at the usual k and at every k that was printed; at `sizes` alone if given."""
    cases = [
        (name, settings, file, k)
        for file in data
        for name in partitioning_methods()
        for settings in ({}, *(said[name] for said in (AS_PRINTED, AS_DESCRIBED) if name in said))
        for k in sizes or _sizes(name, file)
    ]
    for done, (name, settings, file, k) in enumerate(cases):
        run.report("every method on every file", done, len(cases))
        yield one_loss(data[file], name, file, k, settings, printed_for(name, file, k, settings), run)


def printed_for(name: str, file: str, k: int, settings: Mapping[str, Any]) -> float | None:
    """The printed figure, beside the settings that it was printed for."""
    fitting = settings == AS_PRINTED.get(name, {})
    return LOSSES.get(name, {}).get(file, {}).get(k) if fitting else None


def from_numbers(row: Mapping[str, Any]) -> Loss:
    """One loss of an earlier run, beside what is known to be printed today."""
    published = printed_for(row["method"], row["file"], row["k"], row["settings"])
    return Loss(**{**row, "published": published})


def _sizes(name: str, file: str) -> list[int]:
    """Every k that was printed of a method; of `best` every k that was printed of any."""
    told = LOSSES if name == "best" else {name: LOSSES.get(name, {})}
    return sorted({*GROUP_SIZES, *(k for files in told.values() for k in files.get(file, {}))})


def one_loss(
    z: Matrix,
    name: str,
    file: str,
    k: int,
    settings: Mapping[str, Any],
    printed: float | None,
    run: RunContext,
) -> Loss:
    """Compilation is not timed: some records go first, enough of them for every branch of a method."""
    within = RunContext(seed=run.seed, threads=1, should_cancel=run.should_cancel)
    partition(name, k, z[: max(4 * k, _COMPILED)], within, **settings)
    found, took = partition(name, k, z, within, **settings)
    return Loss(name, file, k, loss(z, found), printed, took, len(found.sizes), settings)


def section(found: Sequence[Loss]) -> str:
    """A table a file: printed and ours for every k, the rank of ours, seconds at the smallest k."""
    parts = []
    for file in dict.fromkeys(one.file for one in found):
        here = [one for one in found if one.file == file]
        sizes = sorted({one.k for one in here})
        ranks = {k: ranking([one for one in here if one.k == k and not one.settings]) for k in sizes}
        rows: list[list[Cell]] = []
        for label in dict.fromkeys(one.label for one in here):
            by_k = {one.k: one for one in here if one.label == label}
            name = by_k[sizes[0]].method
            linked = label.replace(name, f"[{name}](../methods/{name}.md)", 1)
            beside = [_beside(by_k.get(k), ranks[k]) for k in sizes]
            rows.append([linked, *beside, seconds(by_k[sizes[0]].seconds)])
        head = ["method", *(f"k={k}" for k in sizes), f"CPU s, k={sizes[0]}"]
        parts += [f"### {SPOKEN[file]}", "", table(head, rows), ""]
    return "\n".join(parts)


def _beside(one: Loss | None, ranks: Mapping[str, int]) -> str:
    if one is None:
        return ""
    rank = f" ({ranks[one.method]})" if one.method in ranks and not one.settings else ""
    if one.published is None:
        return f"{one.ours:.3f}{rank}"
    sign = "=" if abs(one.ours - one.published) <= _printed_to(one.published) else ""
    sign = sign or ("**<**" if one.ours < one.published else ">")
    return f"{one.ours:.3f}{rank} {sign} {one.published:g}"


def _printed_to(figure: float) -> float:
    """Half a unit of the last printed digit, and the rounding of ours."""
    digits = len(f"{figure:g}".partition(".")[2])
    return 10.0**-digits if digits > 2 else 0.5 * 10.0**-digits + 1e-3


def ranking(found: Sequence[Loss]) -> dict[str, int]:
    """Rank of each method's loss, 1 for the least; losses that agree to 0.001 share a rank.

    >>> def a(name, ours): return Loss(name, "census", 3, ours, None, 1.0, 9)
    >>> ranking([a("x", 2.0), a("y", 1.0), a("z", 2.0004), a("w", 3.0)])
    {'x': 2, 'y': 1, 'z': 2, 'w': 4}
    """
    return {one.method: 1 + sum(other.ours < one.ours - 1e-3 for other in found) for one in found}


def standing(found: Sequence[Loss], method: str) -> str:
    """In how many printed cases ours is the same or below.

    >>> found = [Loss("imhm", "census", k, ours, 6.8, 1.0, 9) for k, ours in ((3, 5.1), (4, 7.0))]
    >>> standing(found, "imhm")
    'at or below the printed figure in 1 of 2 cases'
    """
    here = [one for one in found if one.method == method and one.published is not None]
    good = sum(one.ours <= one.published + _printed_to(one.published) for one in here if one.published)
    return f"at or below the printed figure in {good} of {len(here)} cases"


def beside_default(found: Sequence[Loss], method: str) -> str:
    """In how many files the settings that a source describes lose less than the defaults, at each k.

    >>> found = [Loss("md", "census", 3, loss, None, 1.0, 9, said) for loss, said in
    ...          ((5.7, {}), (5.4, {"growth": "centroid"}))]
    >>> beside_default(found, "md")
    'md (growth centroid): loses less than by default in 1 of 1 files at k = 3'
    """
    others = [one for one in found if one.method == method and one.settings == AS_DESCRIBED[method]]
    usual = {(one.file, one.k): one.ours for one in found if one.method == method and not one.settings}
    less: dict[int, list[bool]] = {}
    for one in others:
        less.setdefault(one.k, []).append(one.ours < usual[one.file, one.k])
    told = [f"{sum(at)} of {len(at)} files at k = {k}" for k, at in sorted(less.items())]
    return f"{others[0].label}: loses less than by default in {', '.join(told)}"


def sources() -> str:
    """Where the printed figures are from."""
    return "\n".join(f"- {name}: {source}." for name, source in SOURCES.items())
