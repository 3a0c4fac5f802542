"""The way of the records through the code, from the file that is read to the file that is written.

    python -m benchmarks.record_path

Runs a small plan and follows the values that hold records: a frame with roles, arrays of it, masked values,
a release, the bytes of its file. Prints a line for each stay in a module, in their order: calls that hand
such a value on. A climb is a call that takes one into a module that imports the one that calls: the records
go back up. What is carried (`core`) is no stay of its own.
"""

from __future__ import annotations

import ast
import sys
import tempfile
from collections.abc import Callable
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from types import FrameType
from typing import Any

import numpy as np
import pyarrow as pa

import tacita
from tacita import io

_HOUSE = Path(tacita.__file__).parent
_HOLD_RECORDS = {
    *("Microdata", "PreparedRecords", "MaskedValues", "ProtectedStep", "PipelineResult"),
    *("WrittenFile", "ReleasedFile", "Release"),
}


@dataclass
class Stay:
    """Calls in one module, one after the other."""

    module: str
    functions: list[str] = field(default_factory=list)


@dataclass
class RecordPath:
    """The stays of the records, and the climbs: from which module to which function."""

    stays: list[Stay]
    climbs: list[str]


def main() -> None:
    """Print the stays and the climbs, and how many there are."""
    path = followed(run_a_plan)
    for stay in path.stays:
        print(f"{stay.module:45} {', '.join(stay.functions)}")
    for climb in path.climbs:
        print(f"up: {climb}")
    print(f"{len(path.stays)} stays, {len(path.climbs)} climbs")


def followed(work: Callable[[], object]) -> RecordPath:
    """The path of the records in some work, which is done twice: the first time loads modules."""
    work()
    recorder = _Recorder()
    sys.setprofile(recorder.hear)
    try:
        work()
    finally:
        sys.setprofile(None)
    return RecordPath(recorder.stays(), recorder.climbs())


def run_a_plan() -> None:
    """Protect a file of sixty records."""
    random = np.random.default_rng(0)
    numbers = {name: random.normal(size=60) for name in ("turnover", "wages")}
    frame = pa.table({**numbers, "firm": [f"firm {number}" for number in range(60)]})
    with tempfile.TemporaryDirectory() as folder:
        source, target = Path(folder) / "in.csv", Path(folder) / "out.csv"
        io.write_frame(frame, source)
        plan = tacita.Plan(
            input={"path": source},
            roles={"quasi": [*numbers], "identifiers": ["firm"]},
            protect={"k": 3},
            output={"path": target},
        )
        tacita.run_plan(plan)


@dataclass
class _Call:
    module: str
    function: str
    caller: str
    takes_records: bool
    passes_on: bool = False


@dataclass
class _Recorder:
    calls: list[_Call] = field(default_factory=list)
    open_calls: list[_Call | None] = field(default_factory=list)

    def hear(self, frame: FrameType, event: str, value: Any) -> None:
        if event == "call":
            self.open_calls.append(self._call(frame))
        elif event == "return" and self.open_calls:
            call = self.open_calls.pop()
            if call is not None:
                call.passes_on = _holds_records(value) and not call.function.startswith("__")

    def _call(self, frame: FrameType) -> _Call | None:
        path = Path(frame.f_code.co_filename)
        if not path.is_relative_to(_HOUSE) or "<" in frame.f_code.co_name:
            return None
        caller = next((call.module for call in reversed(self.open_calls) if call is not None), "")
        code = frame.f_code
        names = code.co_varnames[: code.co_argcount + code.co_kwonlyargcount]
        takes = any(_holds_records(frame.f_locals.get(name)) for name in names)
        call = _Call(_module(path), code.co_name, caller, takes)
        self.calls.append(call)
        return call

    def stays(self) -> list[Stay]:
        found: list[Stay] = []
        for call in self.calls:
            if not call.passes_on or call.module.startswith("core."):
                continue
            if not found or found[-1].module != call.module:
                found.append(Stay(call.module))
            found[-1].functions.append(call.function)
        return found

    def climbs(self) -> list[str]:
        return [
            f"{call.caller} -> {call.module}.{call.function}"
            for call in self.calls
            if call.takes_records and imports(call.module, call.caller)
        ]


def _holds_records(value: Any) -> bool:
    values = value if isinstance(value, tuple) else (value,)
    return any(type(each).__name__ in _HOLD_RECORDS for each in values)


def _module(path: Path) -> str:
    parts = path.relative_to(_HOUSE).with_suffix("").parts
    return ".".join(parts[:-1] if parts[-1] == "__init__" and len(parts) > 1 else parts)


def imports(module: str, other: str) -> bool:
    """Whether a module imports another, itself or by those that it imports."""
    if not other or module == other:
        return False
    seen, left = {module}, [module]
    while left:
        for name in _imported(left.pop()):
            if name == other:
                return True
            if name not in seen:
                seen.add(name)
                left.append(name)
    return False


@cache
def _imported(module: str) -> frozenset[str]:
    """The modules of tacita that a module names in its imports, those within functions aside."""
    place = _HOUSE.joinpath(*module.split("."))
    file = place / "__init__.py" if place.is_dir() else place.with_suffix(".py")
    found: set[str] = set()
    package = module.split(".") if place.is_dir() else module.split(".")[:-1]
    for node in ast.parse(file.read_text()).body:
        if not isinstance(node, ast.ImportFrom):
            continue
        named = node.module.split(".") if node.module else []
        if node.level:
            base = package[: len(package) - node.level + 1] + named
        elif named[:1] == ["tacita"]:
            base = named[1:]
        else:
            continue
        for name in node.names:
            inner = ".".join([*base, name.name])
            found.add(inner if _is_module(inner) else ".".join(base))
    return frozenset(name for name in found if _is_module(name))


def _is_module(name: str) -> bool:
    place = _HOUSE.joinpath(*name.split("."))
    return bool(name) and (place.with_suffix(".py").exists() or (place / "__init__.py").exists())


if __name__ == "__main__":
    main()
