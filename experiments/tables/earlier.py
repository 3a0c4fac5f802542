"""Answers of an earlier run: which of them still count."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import asdict, fields
from typing import Any

from experiments.version import VERSION
from tacita.core import ParameterError

from .experiments import LARGEST_VALUE, LEVEL, SMALL, Answer, Answers, Found, by_row
from .setting import METHODS, Case, Setting, parts, reference

# Of a case, written only where they are not as usual; of an answer, only where there is one.
_SELDOM = {each.name: each.default for each in fields(Case) if each.name in ("method", "zeros", "margins")}
_SELDOM_ANSWERED = ("zeros", "sums")


def basis(setting: Setting) -> dict[str, Any]:
    """What answers must share to stand on one page: version, method with its cap, how tables are drawn.

    >>> basis(Setting(cap=10.0)) == basis(Setting(cap=10.0, tables=3, largest=50))
    True
    >>> basis(Setting(cap=10.0)) == basis(Setting(cap=20.0))
    False
    """
    return {
        "version": VERSION,
        "method": _method(setting, "optimal"),
        "drawing": {"largest_value": LARGEST_VALUE, "small": SMALL, "level": LEVEL},
    }


def _method(setting: Setting, name: str) -> dict[str, Any]:
    """A method with its parameters."""
    method = next(method for known, method in METHODS.items() if known == name)
    return method(seconds=setting.cap).model_dump(mode="json")  # type: ignore[call-arg]


def numbers(setting: Setting, answers: Answers) -> dict[str, Any]:
    """All there is as JSON: what the page shows, and `beyond` it other answers of the same basis.

    `compared` are rows that others are compared with and that are not shown themselves; `methods` are those
    besides `optimal` that gave any answer.
    """
    found = by_row(setting, answers)
    sections = [(part, by_row(part, answers)) for part in parts(setting)]
    shown = {
        (row.case, each.number)
        for rows in (found, *(rows for _, rows in sections))
        for row in rows
        for each in row.answers
    }
    against = {
        (other, number) for case, number in shown if (other := reference(case)) and (other, number) in answers
    }
    done = sum(len(row.answers) for row in found)
    others = sorted({case.method for case, _ in answers} - {"optimal"})
    return {
        "version": VERSION,
        "setting": asdict(setting),
        "command": setting.command,
        "basis": basis(setting),
        "methods": {name: _method(setting, name) for name in others},
        "tables": {"done": done, "wanted": setting.whole},
        "rows": _rows(found),
        "parts": [{"command": part.command, "rows": _rows(rows)} for part, rows in sections],
        "compared": _rows(_gathered(answers, lambda each: each in against and each not in shown)),
        "beyond": _rows(_gathered(answers, lambda each: each not in shown and each not in against)),
    }


def _gathered(answers: Answers, chosen: Callable[[tuple[Case, int]], bool]) -> list[Found]:
    """The chosen answers by kind of table, in the order in which they were found."""
    by_case: dict[Case, list[Answer]] = {}
    for (case, number), answer in answers.items():
        if chosen((case, number)):
            by_case.setdefault(case, []).append(answer)
    return [Found(case, tuple(left)) for case, left in by_case.items()]


def _rows(found: Iterable[Found]) -> list[dict[str, Any]]:
    return [
        {
            **{
                name: value
                for name, value in asdict(row.case).items()
                if name not in _SELDOM or value != _SELDOM[name]
            },
            "primaries": row.case.primaries,
            "answers": [_written(each) for each in row.answers],
        }
        for row in found
    ]


def _written(answer: Answer) -> dict[str, Any]:
    every = asdict(answer)
    return {name: every[name] for name in every if name not in _SELDOM_ANSWERED or every[name] is not None}


def kept(setting: Setting, earlier: Mapping[str, Any] | None) -> Answers:
    """Answers that `numbers` wrote and that count here; none where anything of the basis differs.

    >>> case = Case("general", 20, 10, "dense", "value")
    >>> before = numbers(Setting(tables=1), {(case, 4): Answer(4, audited=True)})
    >>> len(kept(Setting(), before)), len(kept(Setting(cap=10.0), before))
    (1, 0)
    """
    if earlier is None:
        return {}
    try:
        if earlier.get("basis") != basis(setting):
            return {}
        known = earlier.get("methods", {})
        return {
            (case, number): answer
            for (case, number), answer in answers_of(earlier).items()
            if case.method == "optimal" or known.get(case.method) == _method(setting, case.method)
        }
    except (AttributeError, KeyError, TypeError):
        raise ParameterError(
            "reproduce tables: tables.json in this folder is not what an earlier run wrote. "
            "Start over with --fresh, or choose another folder."
        ) from None


def answers_of(numbers: Mapping[str, Any]) -> Answers:
    """Every answer that `numbers` wrote."""
    sections = [row for part in numbers.get("parts", ()) for row in part["rows"]]
    return {
        (
            Case(**{name: row[name] for name in Case.__dataclass_fields__ if name in row}),
            each["number"],
        ): Answer(**each)
        for row in (*numbers["rows"], *sections, *numbers.get("compared", ()), *numbers["beyond"])
        for each in row["answers"]
    }
