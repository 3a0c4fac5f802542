"""Releases drawn at random over methods, settings and formats, and what is wrong with each.

`drawn(seed)` is a case; `judged(case, folder)` protects, saves, has the file read by software that knows
nothing of tacita (`fuzzed_file`), and says what is wrong with it, if anything.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Literal, get_args, get_origin

import numpy as np
import pandas as pd
import pyreadstat

import fuzzed_file
import tacita
from fuzzed_file import Pair, Part
from tacita import api
from tacita.core.spec import registry
from tacita.microdata.plans.plan import Plan, Protection

ENDINGS = ("csv", "parquet", "dta", "sav", "xpt", "xlsx")
PAIRS = [(source, target) for source in ENDINGS for target in ENDINGS]

# Spellings that mean the same to some reader, and texts that nearly are numbers.
POOLS = {
    "odd numbers": ("1", "1.0", "01", "+1", "2", "2.50", "2.5", "3", "0", "-0", "-1"),
    "zeros": ("0", "-0", "0.0", "1", "2"),
    "digits": ("1", "2", "3", "4", "5"),
    "bands": ("under 5", "5 to 9", "10 to 14", "15 to 19"),
    "mixed": ("1", "2", "5 to 9", "3 to 4", "7"),
    "letters": ("A", "a", " a", "b", "B"),
    "commas": ("1,5", "1,50", "2", "2,0", "3"),
    "exponents": ("1e1", "10", "1E1", "5", "1_0"),
    "codes": ("01", "02", "10", "11"),
    "gaps": ("", "NA", ".", "1", "x"),
    "words": ("north", "south", "east", "west"),
}
NUMBERS = ("age", "wage", "code", "hours")

# How often a first step is of each family of methods; inside a family all are as likely.
FAMILIES: dict[str, tuple[float, tuple[str, ...]]] = {
    "groups of numbers": (0.2, tuple(sorted({*registry.names("microaggregation")} - {"gower"}))),
    "masked numbers": (0.12, ("onedims", "noise", "correlated-noise", "romm", "rank-swap", "shuffle")),
    "coded numbers": (0.08, ("top-code", "bottom-code", "round")),
    "coarser keys": (0.2, ("generalise", "recode-local", "mondrian")),
    "suppressed keys": (0.13, ("local-suppression",)),
    "other keys": (0.14, ("recode", "pram", "gower")),
    "households": (0.03, ("record-swap",)),
    "left out": (0.03, ("drop",)),
    "synthetic": (0.07, tuple(sorted(registry.names("synthesis")))),
}
METHODS = {name: family for family, (_, names) in FAMILIES.items() for name in names}
# What a search is given, so that a case takes a moment.
_SHORT: dict[str, dict[str, Any]] = {
    "brkga": {"population": 10, "generations": 4},
    "ga": {"population": 6, "generations": 4},
    "best": {"starts": 1, "rounds": 2, "effort": 0.1},
    "dfo": {"step": 60},
    "local-suppression": {"options": 300, "nodes": 20},
}
# Settings with words or switches that are drawn by themselves, and those that need others beside.
_NOT_DRAWN = frozenset({"certify", "jointly", "missing_category", "order", "unknown", "aggregate"})


@dataclass
class Case:
    """Columns as lists of Python values, how they come in and go out, and what is asked."""

    seed: int
    columns: dict[str, list[Any]]
    source: str
    target: str
    asked: dict[str, Any]
    steps: list[dict[str, Any]] = field(default_factory=list)

    @property
    def parts(self) -> list[dict[str, Any]]:
        """The steps, or the one that there is."""
        return self.steps or [self.asked]

    @property
    def features(self) -> set[str]:
        """What the case has: methods, formats, roles and the like, for a count of what was covered."""
        found = {f"method {part['method']}" for part in self.parts}
        found |= {f"{self.source} to {self.target}"}
        found |= {
            f"{role}" for role in ("strata", "unit", "weight", "hierarchy", "shuffle") if self.asked.get(role)
        }
        for part in self.parts:
            found |= {
                f"{name}={part[name]}" for name in ("missing_as", "outliers", "missing") if name in part
            }
            found |= {f"model {name}" for name in part.get("models", ())}
            found |= {f"{name}" for name in ("m", "relaxed", "level", "breaks", "map") if part.get(name)}
        found.add("one step" if len(self.parts) == 1 else "several steps")
        found.add("accepted risks" if self.asked["accept_risks"] else "no accepted risks")
        return found


def drawn(seed: int, source: str | None = None, target: str | None = None, only: Sequence[str] = ()) -> Case:
    """A case: odd keys, columns beside them, one to three steps; pairs of formats go round by the seed."""
    at = np.random.default_rng(seed)
    names = [_method(at, only)] + [_method(at) for _ in range(int(at.choice(3, p=(0.65, 0.25, 0.1))))]
    large = any(METHODS[name] in ("synthetic", "masked numbers", "households") for name in names)
    columns, trees = _file(at, int(at.integers(60, 160) if large else at.integers(8, 60)))
    # a seed that nobody guesses, so that a case can be repeated
    asked: dict[str, Any] = {
        "measures": ["IL1"],
        "seed": 2**127 + seed,
        "accept_risks": bool(at.random() < 0.5),
    }
    asked["shuffle"] = bool(at.random() < 0.3)
    if at.random() < 0.3:
        asked["strata"] = ["area"]
    if at.random() < 0.25 or "record-swap" in names:
        asked["unit"] = "house" if at.random() < 0.5 or "record-swap" in names else "firm"
        if asked["unit"] == "house" and at.random() < 0.3:
            asked["unit_columns"] = ["county"]
    if at.random() < 0.15:
        asked["weight"] = "weight"
    keys = [name for name in columns if name.startswith("q")]
    steps, used = [], set[str]()
    for name in names:
        step = _step(at, name, keys, columns, trees)
        if at.random() < 0.75:
            for role in ("quasi", "dependent", "independent", "nominal"):
                if role in step:
                    step[role] = [each for each in step[role] if each not in used]
        if any(role in step and not step[role] for role in ("quasi", "dependent")):
            continue
        used |= {*step.get("quasi", ()), *step.get("dependent", ()), *step.get("columns", ())}
        steps.append(step)
    taken = {each for step in steps for each in step.get("quasi", ())}
    if taken & set(trees):
        asked["hierarchy"] = {name: tree for name, tree in trees.items() if name in taken}
    pair = PAIRS[seed % len(PAIRS)]
    one = len(steps) == 1
    return Case(
        seed,
        columns,
        source or pair[0],
        target or pair[1],
        asked | (steps[0] if one else {}),
        [] if one else steps,
    )


def _method(at: Any, only: Sequence[str] = ()) -> str:
    if only:
        return str(at.choice(only))
    family = str(at.choice(list(FAMILIES), p=[share for share, _ in FAMILIES.values()]))
    return str(at.choice(FAMILIES[family][1]))


def _file(at: Any, n: int) -> tuple[dict[str, list[Any]], dict[str, dict[str, list[str]]]]:
    columns: dict[str, list[Any]] = {}
    trees = {}
    for j in range(int(at.integers(1, 4))):
        pool = POOLS[str(at.choice(list(POOLS)))]
        known = [str(cell) for cell in at.permutation(pool)[: at.integers(2, 6)]]
        cells: list[Any] = [str(cell) for cell in at.choice(known, n)]
        if at.random() < 0.25:
            cells = [None if at.random() < 0.15 else cell for cell in cells]
        columns[f"q{j}"] = cells
        if at.random() < 0.3 and len(known) > 2:
            cut = int(at.integers(1, len(known)))
            trees[f"q{j}"] = {f"g{j} low": sorted(known[:cut]), f"g{j} high": sorted(known[cut:])}
    house = np.sort(at.integers(0, max(4, n // 2), n))
    columns["area"] = [str(cell) for cell in at.choice(["x", "y"], n)]
    columns["firm"] = [str(cell) for cell in at.choice(["u", "v", "w", "z", "t", "s", "r"], n)]
    columns["house"] = [f"h{cell}" for cell in house]
    columns["county"] = [f"c{cell}" for cell in at.integers(0, 4, n)[house]]
    columns["code"] = [int(cell) for cell in at.integers(0, 4, n)]
    columns["age"] = [int(cell) for cell in at.integers(0, 90, n)]
    columns["wage"] = [float(cell) for cell in np.round(at.lognormal(7, 1, n), 2)]
    columns["hours"] = [float(cell) for cell in np.round(at.normal(38, 6, n), 1)]
    columns["weight"] = [float(cell) for cell in np.round(at.uniform(1, 200, n), 3)]
    columns["score"] = [
        None if at.random() < 0.2 else float(cell) for cell in np.round(at.normal(0, 1, n), 4)
    ]
    columns["note"] = [None if at.random() < 0.2 else str(cell) for cell in at.choice(["p", "q", "r s"], n)]
    columns["postal"] = [str(cell) for cell in at.choice(["0100", "0200", "1300"], n)]
    columns["row"] = list(range(n))
    return columns, trees


def _step(
    at: Any, name: str, keys: list[str], columns: dict[str, list[Any]], trees: Mapping[str, Any]
) -> dict[str, Any]:
    step = {"method": name, **_SHORT.get(name, {}), **_settings(at, name)}
    return _OF_FAMILY[METHODS[name]](at, step, keys, columns, trees)


def _settings(at: Any, name: str) -> dict[str, Any]:
    """A word or a switch, of settings that have some."""
    found = {}
    for setting, about in registry.lookup(name, *registry.PROTECTING).model_fields.items():
        if setting in _NOT_DRAWN or setting in _SHORT.get(name, {}) or at.random() > 0.4:
            continue
        if get_origin(about.annotation) is Literal:
            found[setting] = str(at.choice(get_args(about.annotation)))
        elif about.annotation is bool:
            found[setting] = bool(at.random() < 0.5)
    return found


def _some(at: Any, names: Sequence[str], fewest: int = 1) -> list[str]:
    return [str(each) for each in at.permutation(names)[: at.integers(fewest, min(3, len(names)) + 1)]]


def _grouped(at: Any, step: dict[str, Any], *_: Any) -> dict[str, Any]:
    quasi = _some(at, NUMBERS)
    if at.random() < 0.2:
        step["round_integers"] = True
    if step["method"] == "hm":
        quasi = quasi[:1]
    if at.random() < 0.15:
        quasi, step["missing"] = [*quasi, "score"], _missing(at)
    return step | {"quasi": quasi, "k": _k(at)}


def _k(at: Any) -> int:
    """Two is refused unless it is insisted on."""
    return int(at.choice((2, 3, 4), p=(0.15, 0.45, 0.4)))


def _missing(at: Any) -> str:
    return str(at.choice(("drop", "stratum", "merge", "level", "refuse"), p=(0.25, 0.25, 0.25, 0.15, 0.1)))


def _masked(at: Any, step: dict[str, Any], *_: Any) -> dict[str, Any]:
    if "noise" in step["method"] and at.random() < 0.3:
        step |= {"lowest": -5.0, "highest": 1e6}
    return step | {"quasi": _some(at, NUMBERS, 2 if step["method"] == "romm" else 1)}


def _coded(at: Any, step: dict[str, Any], *_: Any) -> dict[str, Any]:
    if step["method"] == "round":
        return step | {"quasi": _some(at, NUMBERS), "base": float(at.choice((1, 5, 0.5)))}
    step["quasi"] = _some(at, NUMBERS[:2], 1)[:1]
    limit = {"age": 70.0, "wage": 3000.0} if step["method"] == "top-code" else {"age": 9.0, "wage": 400.0}
    return step | ({"limit": limit[step["quasi"][0]]} if at.random() < 0.5 else {"share": 0.1})


def _keys(at: Any, keys: list[str]) -> list[str]:
    return [*keys, "code"] if at.random() < 0.4 else [*keys, "age"] if at.random() < 0.3 else list(keys)


def _coarser(at: Any, step: dict[str, Any], keys: list[str], *_: Any) -> dict[str, Any]:
    step |= {"quasi": _keys(at, keys), "k": _k(at)}
    if at.random() < 0.5:
        step |= {"suppression_limit": 0.2}
    if at.random() < 0.2:
        step["models"] = {"l_diversity": {"column": "postal", "l": 2}}
    elif at.random() < 0.2:
        step["models"] = {"t_closeness": {"column": "postal", "t": 0.4}}
    return step


def _suppressed(at: Any, step: dict[str, Any], keys: list[str], *_: Any) -> dict[str, Any]:
    step |= {"quasi": _keys(at, keys), "k": _k(at)}
    if len(step["quasi"]) > 2 and at.random() < 0.3:
        step["m"] = 2
    return step | {"missing_as": str(at.choice(["category", "wildcard"]))}


def _other_keys(
    at: Any, step: dict[str, Any], keys: list[str], columns: dict[str, list[Any]], trees: Mapping[str, Any]
) -> dict[str, Any]:
    if step["method"] == "gower":
        quasi = [*keys, *_some(at, NUMBERS[:2])]
        return step | {"quasi": quasi, "nominal": keys, "k": _k(at), "missing": _missing(at)}
    if step["method"] == "pram":
        keys = [*keys, "code"] if at.random() < 0.3 else keys
        return step | {"quasi": list(keys), "nominal": list(keys), "missing": _missing(at)}
    if at.random() < 0.2:
        return step | {"quasi": ["age"], "breaks": [0, 18, 40, 65, 90]}
    if (tree := [name for name in keys if name in trees]) and at.random() < 0.6:
        return step | {"quasi": tree[:1], "level": 1}
    key = "code" if at.random() < 0.15 else keys[0]
    known = sorted({str(cell) for cell in columns[key] if cell is not None})
    words = ("low", "high") if at.random() < 0.7 else ("1", "2")
    return step | {
        "quasi": [key],
        "map": {key: {cell: words[place % 2] for place, cell in enumerate(known)}},
    }


def _swapped(at: Any, step: dict[str, Any], *_: Any) -> dict[str, Any]:
    similar = [["postal"], []] if at.random() < 0.5 else [[]]
    return step | {"quasi": ["county"], "risk_columns": ["code"], "similar": similar, "rate": 30}


def _dropped(at: Any, step: dict[str, Any], *_: Any) -> dict[str, Any]:
    if at.random() < 0.4:
        return step | {"columns": _some(at, ["note", "postal", "score"])}
    return step | {"records": [str(at.choice(["age > 60", "wage > 2500"]))]}


def _synthetic(at: Any, step: dict[str, Any], keys: list[str], *_: Any) -> dict[str, Any]:
    if step["method"] in ("copula", "trees"):
        step |= {"dependent": [*keys, "wage"], "nominal": keys, "missing": "level"}
        return step | ({"k": 5} if at.random() < 0.5 else {})
    numbers = [str(each) for each in at.permutation(("age", "wage", "hours", "weight"))]
    cut = int(at.integers(1, 4))
    step |= {"dependent": numbers[:cut], "independent": numbers[cut : cut + 2]}
    return step | ({"round_integers": True} if at.random() < 0.2 else {})


_OF_FAMILY: dict[str, Callable[..., dict[str, Any]]] = {
    "groups of numbers": _grouped,
    "masked numbers": _masked,
    "coded numbers": _coded,
    "coarser keys": _coarser,
    "suppressed keys": _suppressed,
    "other keys": _other_keys,
    "households": _swapped,
    "left out": _dropped,
    "synthetic": _synthetic,
}


def written(case: Case, folder: Path) -> Path:
    """The source as other software writes it."""
    path = folder / f"source.{case.source}"
    frame = pd.DataFrame({name: pd.Series(cells, dtype=object) for name, cells in case.columns.items()})
    for name, cells in case.columns.items():
        if all(cell is None or isinstance(cell, int | float) for cell in cells):
            frame[name] = pd.Series([np.nan if cell is None else cell for cell in cells])
    if case.source == "csv":
        frame.to_csv(path, index=False)
    elif case.source == "parquet":
        frame.to_parquet(path, index=False)
    elif case.source == "xlsx":
        frame.to_excel(path, index=False)
    elif case.source == "dta":
        frame.fillna({name: "" for name in frame if frame[name].dtype == object}).to_stata(
            path, write_index=False, version=118
        )
    else:
        write = {"sav": pyreadstat.write_sav, "xpt": pyreadstat.write_xport}[case.source]
        write(frame, str(path), **({"file_format_version": 5} if case.source == "xpt" else {}))
    return path


def judged(case: Case, folder: Path) -> list[str]:
    """What is wrong with the release of a case, as another reader sees it; a refusal in words is right."""
    source, target = written(case, folder), folder / f"release.{case.target}"
    target.unlink(missing_ok=True)
    try:
        release = _by_plan(case, source, target) if case.seed % 2 else _in_memory(case, source, target)
    except (tacita.DataError, tacita.ParameterError):
        if target.exists():
            return ["a file after a refusal"]
        return ["refused by a plan alone"] if case.seed % 2 and _can_be_made(case, source, target) else []
    return fuzzed_file.wrong(_pair(case, release, fuzzed_file.read(target)))


def _pair(case: Case, release: Any, shown: dict[str, list[Any]]) -> Pair:
    parts = []
    for settings, step in zip(case.parts, release.record.steps, strict=True):
        settings = {"missing": case.asked.get("missing"), **settings}
        k = settings.get("k", step.search.get("membership", {}).get("k") or _usual_k(settings["method"]))
        parts.append(Part(settings, tuple(step.promises), k))
    # words of text files that say that there is no value
    absent = ("", "NA", ".") if case.source == "csv" else ("",)
    rows = fuzzed_file.rows_of(shown)
    return Pair(
        case.source,
        case.target,
        case.columns,
        shown,
        rows,
        parts,
        tuple(case.asked.get("strata", ())),
        case.asked.get("unit"),
        absent,
        case.asked.get("hierarchy", {}),
    )


def _usual_k(method: str) -> int | None:
    about = registry.lookup(method, *registry.PROTECTING).model_fields.get("k")
    return None if about is None or not isinstance(about.default, int) else about.default


def _in_memory(case: Case, source: Path, target: Path) -> Any:
    if case.steps:
        release = tacita.protect(source, steps=case.steps, **case.asked)
    else:
        verb = tacita.synthesize if "dependent" in case.asked else tacita.protect
        release = verb(source, **case.asked)
    tacita.save(release, target)
    return release


def _by_plan(case: Case, source: Path, target: Path) -> Any:
    steps = {"steps": case.steps} if case.steps else {}
    options = {name: value for name, value in case.asked.items() if name != "accept_risks"}
    asked = Protection.from_arguments(**options, insist=case.asked["accept_risks"], **steps)
    given = {name: getattr(asked, name) for name in Protection.model_fields}
    return api.run_plan(Plan(input={"path": source}, output={"path": target}, **given))


def _can_be_made(case: Case, source: Path, target: Path) -> bool:
    """Whether what a plan refuses before its run could be made and written."""
    try:
        _in_memory(case, source, target)
    except (tacita.DataError, tacita.ParameterError):
        return False
    target.unlink()
    return True


def refused(case: Case, folder: Path) -> bool:
    """Whether nothing was written, after `judged`."""
    return not (folder / f"release.{case.target}").exists()


def failures(case: Case, folder: Path) -> list[str]:
    """The same as `judged`; any error but a refusal in words is wrong, that of the own verification too."""
    try:
        return judged(case, folder)
    except Exception as error:
        return [f"{type(error).__name__}: {error}"]
