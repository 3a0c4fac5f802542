"""Answers of an earlier run: which of them still count."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import asdict
from typing import Any

from tacita._version import __version__
from tacita.core import ParameterError
from tacita.tables.suppression.twoway.optimal import Optimal

from .experiments import LARGEST_VALUE, LEVEL, SMALL, Answer, Answers, Case, Found, Setting, by_row


def basis(setting: Setting) -> dict[str, Any]:
    """What answers must share to stand on one page: version, method with its cap, how tables are drawn.

    >>> basis(Setting(cap=10.0)) == basis(Setting(cap=10.0, tables=3, largest=50))
    True
    >>> basis(Setting(cap=10.0)) == basis(Setting(cap=20.0))
    False
    """
    return {
        "version": __version__,
        "method": Optimal(seconds=setting.cap).model_dump(mode="json"),
        "drawing": {"largest_value": LARGEST_VALUE, "small": SMALL, "level": LEVEL},
    }


def numbers(setting: Setting, answers: Answers) -> dict[str, Any]:
    """All there is as JSON: what the page shows, and `beyond` it other answers of the same basis."""
    found = by_row(setting, answers)
    shown = {(row.case, answer.number) for row in found for answer in row.answers}
    beyond: dict[Case, list[Answer]] = {}
    for (case, number), answer in answers.items():
        if (case, number) not in shown:
            beyond.setdefault(case, []).append(answer)
    return {
        "version": __version__,
        "setting": asdict(setting),
        "command": setting.command,
        "basis": basis(setting),
        "tables": {"done": len(shown), "wanted": setting.whole},
        "rows": _rows(found),
        "beyond": _rows(Found(case, tuple(left)) for case, left in beyond.items()),
    }


def _rows(found: Iterable[Found]) -> list[dict[str, Any]]:
    return [
        {
            **asdict(row.case),
            "primaries": row.case.primaries,
            "answers": [asdict(each) for each in row.answers],
        }
        for row in found
    ]


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
        return answers_of(earlier)
    except (AttributeError, KeyError, TypeError):
        raise ParameterError(
            "reproduce tables: tables.json in this folder is not what an earlier run wrote. "
            "Start over with --fresh, or choose another folder."
        ) from None


def answers_of(numbers: Mapping[str, Any]) -> Answers:
    """Every answer that `numbers` wrote."""
    return {
        (Case(**{name: row[name] for name in Case.__dataclass_fields__}), each["number"]): Answer(**each)
        for row in (*numbers["rows"], *numbers["beyond"])
        for each in row["answers"]
    }
