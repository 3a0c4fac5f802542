"""Public tables read from files in JJ format, suppressed through the public path, each pattern audited."""

from __future__ import annotations

import gzip
import os
import time
from collections.abc import Callable, Mapping
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from experiments.version import VERSION
from tacita.core import DataError, ParameterError, RunContext, Table, TacitaError
from tacita.core.spec import registry
from tacita.io.tables.argus.jj import parse_jj
from tacita.tables.release.suppress import suppress
from tacita.tables.suppression.time_limit import processor_time

# By size; the folder may hold others, which are not asked for.
NAMES = (
    *("targus", "table7", "table1", "hier13", "hier133a", "hier133d", "toysarah", "jjtabel3", "hier16"),
    *("hier163a", "table3", "two5in6", "ninenew", "nine12", "nine5d"),
)
METHODS = ("constructive", "improve", "optimal")
QUICK = ("targus",)


@dataclass(frozen=True)
class Setting:
    """How many seconds of processor time a search may take."""

    cap: float = 120.0
    quick: bool = False

    def __post_init__(self) -> None:
        if not 0 < self.cap <= 1e7:
            raise ParameterError("reproduce instances: wanted a cap above 0 seconds.")

    @classmethod
    def usual(cls, quick: bool) -> Setting:
        """What is run if nothing is said."""
        return cls(cap=5.0, quick=True) if quick else cls()

    @property
    def names(self) -> tuple[str, ...]:
        """The tables to go through."""
        return QUICK if self.quick else NAMES

    @property
    def command(self) -> str:
        """What runs this again."""
        words = ["python -m experiments instances", *(["--quick"] if self.quick else [])]
        words += [f"--cap {self.cap:g}"] if self.cap != Setting.usual(self.quick).cap else []
        return " ".join(words)


@dataclass(frozen=True)
class Trial:
    """What one method found of one table; without a pattern, the reason."""

    name: str
    method: str
    cells: int
    relations: int
    sensitive: int
    cost: float | None = None
    lower_bound: float | None = None
    secondaries: int | None = None
    proven: bool = False
    audited: bool = False
    search_seconds: float = 0.0
    seconds: float = 0.0
    reason: str | None = None

    @property
    def bound(self) -> float | None:
        """What no pattern undercuts; None where nothing is proven."""
        return self.lower_bound or None


Trials = dict[tuple[str, str], Trial]


def folder() -> Path:
    """Where the files are; DataError where nobody says, or where they are not."""
    named = os.environ.get("TACITA_SHARED")
    found = Path(named or "") / "instances"
    if not named or not found.is_dir():
        raise DataError(
            "reproduce instances: wanted the public tables as NAME.jj.gz in the folder instances of the "
            "folder that TACITA_SHARED names. They are not part of this project."
        )
    return found


def read(name: str) -> Table:
    """One of the tables, with its own bounds, costs and levels."""
    path = folder() / f"{name}.jj.gz"
    try:
        return parse_jj(gzip.decompress(path.read_bytes()).decode())
    except (OSError, EOFError, UnicodeDecodeError):
        raise ParameterError(f"{path.name}: wanted a public table in JJ format, packed by gzip.") from None


def tried(name: str, method: str, cap: float, run: RunContext) -> Trial:
    """One method on one table: interval protection at the file's levels, costs and bounds."""
    table = read(name)
    size = (table.n, len(table.relations), int(table.primary.sum()))
    known = registry.lookup(method, *registry.SUPPRESSING)
    began = time.process_time()
    try:
        found = suppress(table, known(seconds=cap), "interval", run=run)  # type: ignore[arg-type]
    except TacitaError as refused:
        return Trial(name, method, *size, seconds=time.process_time() - began, reason=str(refused))
    pattern = found.pattern
    return Trial(
        name,
        method,
        *size,
        cost=pattern.cost,
        lower_bound=pattern.lower_bound,
        secondaries=pattern.secondary_count,
        proven=pattern.proven,
        audited=found.audit.safe,
        search_seconds=pattern.seconds,
        seconds=time.process_time() - began,
    )


def gather(
    setting: Setting,
    run: RunContext,
    before: Mapping[tuple[str, str], Trial],
    save: Callable[[Trials], None] | None,
) -> Trials:
    """Every table by every method, but for the trials kept; saved after each."""
    folder()
    trials: Trials = dict(before)
    wanted = [(name, method) for name in setting.names for method in METHODS]
    with processor_time():
        if missing := [each for each in wanted if each not in trials]:
            for method in METHODS:
                # compiled on first use, so that no trial pays for it
                tried(QUICK[0], method, 2.0, run.branch())
        for name, method in missing:
            run.report(f"{name} by {method}", len(trials), len(wanted))
            trials[name, method] = tried(name, method, setting.cap, run.branch())
            if save is not None:
                save(trials)
    return trials


def numbers(setting: Setting, trials: Trials) -> dict[str, Any]:
    """All there is as JSON."""
    return {
        "version": VERSION,
        "setting": asdict(setting),
        "trials": [asdict(t) for t in trials.values()],
    }


def kept(setting: Setting, earlier: Mapping[str, Any] | None) -> Trials:
    """Trials that `numbers` wrote and that count here; none where version or setting differ."""
    if earlier is None:
        return {}
    try:
        if earlier["version"] != VERSION or earlier["setting"] != asdict(setting):
            return {}
        found = [Trial(**each) for each in earlier["trials"]]
    except (KeyError, TypeError):
        raise ParameterError(
            "reproduce instances: instances.json in this folder is not what an earlier run wrote. "
            "Start over with --fresh, or choose another folder."
        ) from None
    return {(each.name, each.method): each for each in found}
